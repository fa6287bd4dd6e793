"""The two texts behind what is chosen in a comparison, with their names above them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.display import one_line
from reviewer.window.i18n import tr
from reviewer.window.models.diff_model import DiffMark
from reviewer.window.presenters.compare_table import CompareItem
from reviewer.window.presenters.diff_rows import DiffRows
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.diff_table import DiffTable
from reviewer.window.views.following import plain_label
from reviewer.window.views.text_stand_ins import shown

if TYPE_CHECKING:
    from reviewer.services.comparing import Comparing
    from reviewer.window.presenters.compare_texts import TextPair

__all__ = ["DiffPair"]

_KIND = "text"


@dataclass(frozen=True, slots=True)
class _Laid:
    """Two texts laid out for so many columns."""

    pair: TextPair
    rows: DiffRows


class DiffPair(QWidget):
    """Compares and lays out in the worker; shows nothing where there are no texts."""

    failed = Signal(object)
    """An exception, because of which there are no texts."""

    def __init__(self, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_pair")
        self._worker = worker
        self._laid: _Laid | None = None
        self._goal: int | None = None
        self._nothing: Callable[[], str] = str
        self.names = (plain_label("", selectable=False), plain_label("", selectable=False))
        self.text = DiffTable(self)
        names = QHBoxLayout()
        names.setContentsMargins(8, 2, 8, 2)
        for label in self.names:
            names.addWidget(label, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(names)
        column.addWidget(self.text, 1)
        self.text.narrowed.connect(self._lay_again)

    def show_item(self, comparing: Comparing, item: CompareItem | None) -> None:
        """Show the texts behind *item*, without one those of the whole comparison."""
        citation = item.citation if item is not None else None
        self._goal = citation.a if citation is not None else None
        held, columns = self._laid, self.text.columns

        def work(token: CancelToken, _tell: object) -> _Laid | None:
            from reviewer.window.presenters.compare_texts import pair_of  # noqa: PLC0415

            pair = pair_of(comparing, item, lambda: token.cancelled)
            return None if pair is None else _lay(pair, columns, token, held)

        self._worker.run(Operation(_KIND, work, self._show, self.failed.emit))

    @property
    def goal(self) -> int | None:
        """The citation of A that is looked at."""
        return self._goal

    def clear(self) -> None:
        """Show nothing."""
        self._worker.cancel(_KIND)
        self._laid = None
        self._goal = None
        self._show(None, told=False)

    def stop(self) -> None:
        """Stop comparing texts; what is shown stays."""
        self._worker.cancel(_KIND)

    def step(self, by: int) -> bool:
        """Go to the next difference, with -1 to the one before; tell whether there is one."""
        rows = self.text.diff.rows
        row = rows.step(self.text.currentIndex().row(), by) if rows is not None else None
        if row is not None:
            self.text.go(row)
        return row is not None

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.text.setAccessibleName(tr("Both texts side by side"))
        if self._laid is None:
            self.names[0].setText(self._nothing())

    def _lay_again(self, columns: int) -> None:
        """Cut the rows anew: another number of characters fits."""
        laid = self._laid
        if laid is None or laid.rows.columns == columns:
            return

        def work(token: CancelToken, _tell: object) -> _Laid:
            return _lay(laid.pair, columns, token, None)

        self._worker.run(Operation(_KIND, work, self._show, self.failed.emit))

    def _show(self, laid: _Laid | None, *, told: bool = True) -> None:
        self._laid = laid
        if laid is None:
            self.text.diff.show(None)
            self._nothing = (lambda: tr("There are no texts behind this row.")) if told else str
            self.names[0].setText(self._nothing())
            self.names[1].setText("")
            return
        pair = laid.pair
        marks = [DiffMark(c.of_b, c.span, c.sign, c.tone, c.tip) for c in pair.cited]
        self.text.diff.show(laid.rows, marks)
        for label, name in zip(self.names, (pair.name_a, pair.name_b), strict=True):
            label.setText(shown(one_line(name)))
        self.text.go(self._goal_row(laid))

    def _goal_row(self, laid: _Laid) -> int:
        """Return where to look: at the citation that was chosen, else at the first difference."""
        for cited in laid.pair.cited:
            if cited.citation == self._goal:
                return laid.rows.row_at(cited.span.start, of_b=cited.of_b) or 0
        return laid.rows.changes[0] if laid.rows.changes else 0


def _lay(pair: TextPair, columns: int, token: CancelToken, held: _Laid | None) -> _Laid:
    """Lay out two texts, or take the rows of the same two that are *held*."""
    if held is not None and (held.pair.text_a, held.pair.text_b) == (pair.text_a, pair.text_b):
        pair = replace(held.pair, cited=pair.cited, name_a=pair.name_a, name_b=pair.name_b)
        if held.rows.columns == columns:
            return _Laid(pair, held.rows)
    rows = DiffRows(pair.text_a, pair.text_b, pair.comparison, columns, token.check)
    return _Laid(pair, rows)
