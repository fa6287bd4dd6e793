"""Find everywhere: an exact text in all that the open runs hold."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from reviewer.services.finding_text import Group, Reached, find_everywhere
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, trn
from reviewer.window.models.hits import EXCERPT, HitModel
from reviewer.window.panels import Panel
from reviewer.window.presenters.everywhere import hit_place
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.following import follow_language
from reviewer.window.views.hit_delegate import HitDelegate
from reviewer.window.views.scaling import keep_columns

__all__ = ["PANEL", "EverywhereView"]

_KIND = "everywhere"
_STEPS = 1000
_PADDING = 8
_WIDTHS = (34, 64, 34)
"""Widths of the columns in digits."""


class EverywhereView(QWidget):
    """A line for what is wanted and the list of hits; choosing one goes there."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("everywhere")
        self._desk = desk
        self._worker = Worker(self)
        worker = self._worker
        self.destroyed.connect(lambda: worker.close())  # noqa: PLW0108 - without its argument
        self._said: Callable[[], str] = str
        self._stale = False
        self.line = QLineEdit(self)
        self.line.setObjectName("everywhere_wanted")
        self.case = QCheckBox(self)
        self.case.setObjectName("everywhere_case")
        self.button = QPushButton(self)
        self.button.setObjectName("everywhere_find")
        self.stop = QPushButton(self)
        self.stop.setObjectName("everywhere_cancel")
        self.stop.setEnabled(False)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("everywhere_progress")
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.words = QLabel(self)
        self.words.setObjectName("everywhere_words")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.model = HitModel(self)
        self.view = QTreeView(self)
        self._set_up_view()
        self._lay_out()
        self.line.returnPressed.connect(self.look)
        self.button.clicked.connect(self.look)
        self.stop.clicked.connect(self.cancel)
        self.view.selectionModel().selectionChanged.connect(self._chosen)
        self.model.modelReset.connect(self._span)
        self.model.rowsInserted.connect(self._span)
        desk.opened.connect(self._changed)
        desk.replaced.connect(self._changed)
        desk.closed.connect(self._closed)
        follow_language(self, self.retranslate)
        self.retranslate()

    def _set_up_view(self) -> None:
        view = self.view
        view.setObjectName("everywhere_hits")
        view.setModel(self.model)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setAlternatingRowColors(True)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setItemDelegateForColumn(EXCERPT, HitDelegate(view))
        self._measure()
        keep_columns(view, self._measure)
        digit = view.fontMetrics().horizontalAdvance("0")
        for column, digits in enumerate(_WIDTHS):
            view.setColumnWidth(column, digits * digit)

    def _measure(self) -> None:
        self.model.row_height = self.view.fontMetrics().height() + _PADDING
        self.model.layoutChanged.emit()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(6, 4, 6, 4)
        head.addWidget(self.line, 1)
        for widget in (self.case, self.button, self.stop):
            head.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.bar)
        self.words.setContentsMargins(8, 0, 8, 4)
        column.addWidget(self.words)
        column.addWidget(self.view, 1)

    # -- looking ------------------------------------------------------------------

    def ask(self, wanted: str = "") -> None:
        """Take the keyboard to the line; *wanted* is put there and looked for."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if wanted:
            self.line.setText(wanted)
            self.look()
        self.line.selectAll()

    def look(self) -> None:
        """Look for what stands in the line; a search that still goes on is given up."""
        wanted, case = self.line.text(), self.case.isChecked()
        audits = tuple(self._desk.audits)
        self._stale = False
        self.model.begin(audits if wanted else ())
        if not wanted or not audits:
            self._worker.cancel(_KIND)
            self._end(lambda: tr("Write what is to be found, and press Return."))
            return

        def work(token: CancelToken, hand_over: Callable[[Reached], None]) -> None:
            for reached in find_everywhere(audits, wanted, case=case, check=token.check):
                hand_over(reached)

        self.bar.setValue(0)
        self.bar.show()
        self.stop.setEnabled(True)
        self._tell(lambda: tr("Looking …"))
        self._worker.run(Operation(_KIND, work, self._done, self._failed, self._reached))

    def cancel(self) -> None:
        """Stop looking: what was found stays, and is said to be incomplete."""
        if self.stop.isEnabled():
            self._worker.cancel(_KIND)
            counts = dict(self.model.counts)
            self._end(
                lambda: tr(
                    "Stopped, not everything was looked through: {found}", found=_counts(counts)
                )
            )

    def _reached(self, reached: Reached) -> None:
        self.model.add(reached.hits, reached.counts)
        self.bar.setValue(reached.done * _STEPS // max(reached.total, 1))

    def _done(self, _result: object) -> None:
        counts = dict(self.model.counts)
        self._end(lambda: _counts(counts))

    def _failed(self, error: BaseException) -> None:
        words = f"{type(error).__name__}: {error}"
        self._end(lambda: tr("The search failed: {error}", error=words))

    def _end(self, words: Callable[[], str]) -> None:
        self.bar.hide()
        self.stop.setEnabled(False)
        self._tell(words)

    def _tell(self, words: Callable[[], str]) -> None:
        self._said = words
        told = words()
        if self._stale:
            told = tr("{words} The runs have changed since: find again.", words=told)
        self.words.setText(told)

    # -- following the desk -------------------------------------------------------

    def _changed(self, _run: int) -> None:
        """Say that what is shown is about fewer runs, or about runs as they were before."""
        if self.model.rowCount():
            self._stale = True
            self._tell(self._said)

    def _closed(self) -> None:
        self._worker.cancel(_KIND)
        self._stale = False
        self.model.begin(())
        self._end(lambda: tr("Write what is to be found, and press Return."))

    def _chosen(self) -> None:
        rows = self.view.selectionModel().selectedRows()
        hit = self.model.hit(rows[0].row()) if rows else None
        if hit is None or hit.passage.run >= len(self._desk.audits):
            return
        audit = self._desk.audit(hit.passage.run)
        if audit is not self.model.audits[hit.passage.run]:
            self._tell(lambda: tr("This run was read anew: find again to go to its hits."))
            return
        self._desk.go(hit_place(audit, hit, self._desk.place))

    def _span(self, *_: object) -> None:
        """Let the headings reach over all columns."""
        for group in Group if self.model.rowCount() else ():
            self.view.setFirstColumnSpanned(
                self.model.heading_row(group),
                QModelIndex(),
                True,  # noqa: FBT003 - Qt's signature
            )

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.line.setPlaceholderText(tr("Exact text, also one character"))
        self.line.setAccessibleName(tr("Find everywhere"))
        self.case.setText(tr("Match case"))
        self.case.setAccessibleName(tr("Match case"))
        self.button.setText(tr("Find"))
        self.button.setAccessibleName(tr("Find everywhere"))
        self.stop.setText(tr("Cancel"))
        self.stop.setAccessibleName(tr("Stop looking"))
        self.bar.setAccessibleName(tr("Progress of the search"))
        self.view.setAccessibleName(tr("What was found"))
        if not self.model.rowCount() and not self.stop.isEnabled():
            self._said = lambda: tr("Write what is to be found, and press Return.")
        self._tell(self._said)
        self.model.retranslate()


def _counts(counts: dict[Group, int]) -> str:
    """Return how much was found, what the model was given apart from the rest."""
    given = trn(
        "{n} hit in what the model was given",
        "{n} hits in what the model was given",
        counts.get(Group.GIVEN, 0),
    )
    others = trn(
        "{n} more in text it did not get, or is not proven to have had at the answer",
        "{n} more in text it did not get, or is not proven to have had at the answer",
        counts.get(Group.NOT_GIVEN, 0),
    )
    wrote = trn("{n} elsewhere", "{n} elsewhere", counts.get(Group.ELSEWHERE, 0))
    return tr("{given}, {others}, {wrote}.", given=given, others=others, wrote=wrote)


def _make(desk: Desk, parent: QWidget | None) -> QWidget:
    return EverywhereView(desk, parent)


PANEL = Panel("everywhere", "Find everywhere", "findings", 30, _make)
