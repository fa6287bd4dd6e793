"""Two versions, stores, runs or calls side by side, with what became of every citation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from reviewer.display import one_line
from reviewer.filter.tree import Tree
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.models.rows import RowModel
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.compare_decided import DecidedOn, decided_on
from reviewer.window.presenters.compare_sides import Compared, ComparePair, compare, offered
from reviewer.window.presenters.compare_table import CompareTable
from reviewer.window.presenters.compare_words import outcome_words
from reviewer.window.presenters.filters import shown_words
from reviewer.window.presenters.places import citation_place
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.carry_line import CarryLine
from reviewer.window.views.compare_chooser import CompareChooser
from reviewer.window.views.diff_pair import DiffPair
from reviewer.window.views.filter_bar import FilterBar
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label, tint
from reviewer.window.views.row_table import RowTable
from reviewer.window.views.text_stand_ins import shown
from store.records.comparisons import Kind
from store.records.findings import Audit

if TYPE_CHECKING:
    pass

__all__ = ["PANEL", "CompareView"]

_BACK_TO = 3


class CompareView(QWidget):
    """What is compared above, what was found below it, and the texts of what is chosen there."""

    asked = Signal(str)
    """The id of a command was asked for."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare")
        self._desk = desk
        self._worker = Worker(self)
        worker = self._worker
        self.destroyed.connect(lambda: worker.close())  # noqa: PLW0108 - without its argument
        self.found: Compared | None = None
        self._pair: ComparePair | None = None
        self._audits: tuple[Audit, ...] = ()
        self._table: CompareTable | None = None
        self._words: Callable[[], str] = str
        self.chooser = CompareChooser(desk, self)
        self.outcome = plain_label("", selectable=False)
        self.outcome.setObjectName("compare_outcome")
        self.back, self.forth = QPushButton(), QPushButton()
        self.filter = FilterBar("compare_filter", self)
        self.model = RowModel(parent=self)
        self.view = RowTable(self.model, self)
        self.view.setObjectName("compare_table")
        self.pair = DiffPair(worker, self)
        self.carry = CarryLine(self)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 8, 2)
        head.addWidget(self.outcome, 1)
        for button, name in ((self.back, "compare_back"), (self.forth, "compare_forth")):
            button.setObjectName(name)
            button.setAutoDefault(False)
            head.addWidget(button)
        parts = (_under(self.filter, self.view), self.pair)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("compare_splitter")
        splitter.setChildrenCollapsible(False)
        for part, share in zip(parts, (1, 2), strict=True):
            splitter.addWidget(part)
            splitter.setStretchFactor(splitter.count() - 1, share)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.chooser)
        column.addLayout(head)
        column.addWidget(self.carry)
        column.addWidget(splitter, 1)
        self.view.widths(16, 20, 26, 70)

    def _connect(self) -> None:
        self.chooser.wanted.connect(self._compare)
        self.chooser.stopped.connect(self._stop)
        self.filter.changed.connect(self._filtered)
        self.model.arranged.connect(self._count)
        self.view.chosen.connect(self._chosen)
        self.back.clicked.connect(self.previous_difference)
        self.forth.clicked.connect(self.next_difference)
        self.pair.failed.connect(self._failed)
        self.carry.asked.connect(self.asked)
        self._desk.opened.connect(lambda _run: self.chooser.offer())
        self._desk.replaced.connect(lambda _run: self._stale())
        self._desk.closed.connect(self._closed)
        self._desk.moved.connect(self._follow)
        follow_language(self, self.retranslate)
        self._restyle = Soon(self, self._restyled)

    # -- what is asked for -----------------------------------------------------------

    def ask(self, pair: ComparePair | None) -> None:
        """Offer what is open, and compare *pair* where it is given."""
        self.chooser.fill(pair)
        if pair is not None:
            self.chooser.begin()
            self.view.setFocus()
        else:
            self.chooser.choices[1].setFocus()

    def carry_over(self) -> bool:
        """Carry decisions over; tell whether there are any that hold in B too."""
        ready = self.carry.ready
        self.carry.carry(self._desk.decisions.reviewer)
        return ready

    def belonging(self) -> ComparePair | None:
        """Return what belongs to the present place: two versions, two calls, two runs."""
        return offered(self._desk.audits, self._desk.place)

    def next_difference(self) -> bool:
        """Go to the next difference between the texts; tell whether there is one."""
        return self.pair.step(1)

    def previous_difference(self) -> bool:
        """Go to the difference before; tell whether there is one."""
        return self.pair.step(-1)

    def selected_text(self) -> str:
        """Return what is selected of the texts, as recorded."""
        return self.pair.text.selected_text() if self.pair.text.hasFocus() else ""

    # -- comparing -------------------------------------------------------------------

    def _compare(self) -> None:
        pair = self.chooser.pair
        if pair is None:
            return
        audits, store = tuple(self._desk.audits), self._desk.store
        self._clear()
        self._pair, self._audits = pair, audits
        self._say(lambda: tr("Comparing …"), "muted")
        self.chooser.show_busy(busy=True)

        def work(token: CancelToken, _tell: object) -> tuple[Compared, CompareTable]:
            found = compare(audits, pair, store, lambda: token.cancelled)
            return found, _table(found)

        self._worker.run(Operation("compare", work, self._compared, self._failed))

    def _compared(self, result: tuple[Compared, CompareTable]) -> None:
        made, self._table = result
        self.found = made
        self.carry.take(made)
        self.chooser.show_busy(busy=False)
        self._tell()
        self.filter.set_columns(self._table.columns)
        self.model.set_table(self._table)
        if self._pair is not None and self._pair[0].kind in ("version", "path"):
            self.pair.show_item(made.comparing, None)
        self._follow(self._desk.place)
        if self.pair.goal is None and made.comparing.comparison.kind is not Kind.TEXTS:
            self.view.choose(0)

    def _tell(self) -> None:
        if self.found is None:
            return
        comparison = self.found.comparing.comparison
        sign, tone, _ = outcome_words(comparison)
        trouble = () if self.found.trouble is None else (self.found.trouble,)
        problems = (*comparison.problems_a, *comparison.problems_b, *trouble)

        def words() -> str:
            told = [f"{sign} {outcome_words(comparison)[2]}"]
            told += [
                f"{one_line(each.where)}: {one_line(tr_message(each.what))}"
                for each in problems[:_BACK_TO]
            ]
            left = len(problems) - _BACK_TO
            if left > 0:
                told.append(trn("and one more problem", "and {n} more problems", left))
            return "\n".join(told)

        self._say(words, tone)

    def _failed(self, error: BaseException) -> None:
        self.chooser.show_busy(busy=False)
        words = f"{type(error).__name__}: {error}" if not str(error) else str(error)
        self._say(lambda: tr("Not compared: {why}", why=words), "bad")

    def _stop(self) -> None:
        self._worker.cancel("compare")
        self.pair.stop()
        self.chooser.show_busy(busy=False)
        self._say(lambda: tr("Comparing was stopped; nothing is known of the rest"), "open")

    def _clear(self) -> None:
        self.found = self._table = self._pair = None
        self.carry.take(None)
        self.model.set_table(None)
        self.pair.clear()

    def _stale(self) -> None:
        """A run was read anew: what was compared is what it held before."""
        held = self._desk.audits
        if self.found is not None and any(one not in held for one in self._audits):
            self._say(lambda: tr("A run has grown since: compare again to see all of it"), "open")

    def _closed(self) -> None:
        self._worker.cancel("compare")
        self.chooser.show_busy(busy=False)
        self._clear()
        self.chooser.fill()
        self._hint()

    # -- what is chosen -------------------------------------------------------------------------

    def _chosen(self, row: int) -> None:
        item = self._table.items[row] if self._table is not None else None
        if item is None:
            return
        if self.found is not None:
            self.pair.show_item(self.found.comparing, item)
        run = self._run_of_a()
        cited = item.citation.a if item.citation is not None else None
        if run is not None and cited is not None and run < len(self._desk.audits):
            place = citation_place(self._desk.audit(run), run, cited, self._desk.place.tab)
            self._desk.go(place)

    def _run_of_a(self) -> int | None:
        """Return the run that is open and stands on side A."""
        side = self._pair[0] if self._pair is not None else None
        return side.run if side is not None and side.kind in ("run", "version") else None

    # -- following -----------------------------------------------------------------------

    def _follow(self, place: Place) -> None:
        """Choose the row of the citation that is selected elsewhere."""
        table = self._table
        if table is None or place.run != self._run_of_a() or place.citation is None:
            return
        for row, item in enumerate(table.items):
            if item.citation is not None and item.citation.a == place.citation:
                self.view.show_row(row)
                if self.pair.goal != place.citation and self.found is not None:
                    self.pair.show_item(self.found.comparing, item)
                return

    def _filtered(self, tree: Tree) -> None:
        self.model.arrange(replace(self.model.wish, tree=tree))

    def _count(self) -> None:
        self.filter.count.setText(shown_words(self.model.shown, self.model.total))

    # -- what is shown -------------------------------------------------------------------

    def _say(self, words: Callable[[], str], tone: str) -> None:
        self._words = words
        self.outcome.setText(shown(words()))
        self.outcome.setAccessibleName(shown(words()))
        tint(self.outcome, tone)

    def _hint(self) -> None:
        self._say(
            lambda: tr(
                "Choose two runs, versions or calls, and see what differs, with every citation "
                "that lands on changed, moved or vanished text."
            ),
            "muted",
        )

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.setAccessibleName(tr("Compare"))
        self.chooser.retranslate()
        self.filter.retranslate()
        self.model.retranslate()
        self.view.setAccessibleName(tr("What the comparison found"))
        self.pair.retranslate()
        self.carry.retranslate()
        self.back.setText("◀")
        self.forth.setText("▶")
        for button, words in (
            (self.back, tr("Previous difference (Shift+F3)")),
            (self.forth, tr("Next difference (F3)")),
        ):
            button.setAccessibleName(words)
            button.setToolTip(words)
        if self._words is str:
            self._hint()
        self.outcome.setText(shown(self._words()))
        self.outcome.setAccessibleName(shown(self._words()))
        self._count()

    def _restyled(self) -> None:
        self.pair.text.set_size(self.font().pointSizeF())
        self.pair.text.viewport().update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours and the size of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_restyle"):
            self._restyle.ask()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Offer what is open now."""
        super().showEvent(event)
        self.chooser.offer()


def _under(above: QWidget, below: QWidget) -> QWidget:
    """Put two widgets under one another."""
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(above)
    column.addWidget(below, 1)
    return part


def _table(found: Compared) -> CompareTable:
    """Return the rows of a comparison; this runs in the worker thread."""
    comparing, decided = found.comparing, found.decided
    about: Mapping[str, DecidedOn] = {}
    if decided is not None and comparing.audit_a is not None:
        about = decided_on(comparing.audit_a, decided.standing)
    return CompareTable(comparing.comparison, about)


PANEL = Panel("compare", "Compare", "centre", 50, CompareView)
