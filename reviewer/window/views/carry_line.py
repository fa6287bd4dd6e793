"""Says which decisions on A hold in B too, and carries them over when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from reviewer.display import one_line
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.presenters.cards import sentence
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.following import plain_label, tint
from reviewer.window.views.text_stand_ins import shown
from store.errors import StoreError

if TYPE_CHECKING:
    from reviewer.services.carrying import CarriedOver
    from reviewer.window.presenters.compare_sides import Compared

__all__ = ["CarryLine"]


class CarryLine(QWidget):
    """There where A has decisions; what was carried over says so in B's log."""

    asked = Signal(str)
    """The id of a command was asked for."""
    done = Signal(str)
    """What was asked for was done, or not; in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("carry_line")
        self._worker = Worker(self)
        worker = self._worker
        self.destroyed.connect(lambda: worker.close())  # noqa: PLW0108 - without its argument
        self._found: Compared | None = None
        self._words: Callable[[], str] = str
        self.words = plain_label("", selectable=False)
        self.words.setObjectName("carry_words")
        self.button = QPushButton()
        self.button.setObjectName("carry_over")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: self.asked.emit("decide.carry"))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 2)
        row.addWidget(self.words, 1)
        row.addWidget(self.button)
        self.hide()
        self.retranslate()

    def take(self, found: Compared | None) -> None:
        """Speak of this comparison."""
        self._found = found
        fates = found.fates if found is not None else ()
        free = sum(one.to is not None for one in fates)
        self._say(
            lambda: tr("{n} of {total} decisions on A hold in B too", n=free, total=len(fates))
        )
        self.button.setEnabled(free > 0)
        self.setVisible(bool(fates))

    @property
    def ready(self) -> bool:
        """Whether there is something to carry over."""
        return self._found is not None and self.button.isEnabled() and not self.isHidden()

    def carry(self, by: str) -> None:
        """Carry the decisions over, in the name of *by*, else of the command line's reviewer."""
        found = self._found
        if found is None or not self.ready:
            return
        self.button.setEnabled(False)

        def work(_token: object, _tell: object) -> CarriedOver:
            from reviewer.services.carrying import carry  # noqa: PLC0415 - when asked for
            from reviewer.services.deciding import reviewer_name  # noqa: PLC0415

            if found.decided is None:
                raise StoreError("no decision was made on A", "", "There is nothing to carry over.")
            return carry(found.comparing, found.decided, reviewer_name(by))

        self._worker.run(Operation("carry", work, self._carried, self._failed))

    def _carried(self, made: CarriedOver) -> None:
        count, before = len(made.added), made.before
        self._say(
            lambda: (
                trn("one decision was carried over", "{n} decisions were carried over", count)
                + tr("; ")
                + trn("one held there already", "{n} held there already", before)
            ),
            "good",
        )
        self.done.emit(self._words())

    def _failed(self, error: BaseException) -> None:
        why = f"{error}"
        if isinstance(error, StoreError):
            why = f"{sentence(tr_message(error.what))} {tr_message(error.advice)}"
        self._say(lambda: tr("Not carried over: {why}", why=one_line(why)), "bad")
        self.button.setEnabled(True)
        self.done.emit(self._words())

    def _say(self, words: Callable[[], str], tone: str = "muted") -> None:
        self._words = words
        self.words.setText(shown(words()))
        self.words.setAccessibleName(self.words.text())
        tint(self.words, tone)

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.words.setText(shown(self._words()))
        self.button.setText(tr("Carry over"))
        words = tr("Carry the decisions over that hold in B too; each says where it comes from")
        self.button.setAccessibleName(tr("Carry over"))
        self.button.setToolTip(words)
