"""The rows of two texts side by side, for a table of Qt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from reviewer.window.i18n import tr
from reviewer.window.presenters.compare_words import change_words, precision_words
from reviewer.window.presenters.diff_rows import DiffRow, DiffRows
from reviewer.window.tips import plain_tip
from reviewer.window.views.text_stand_ins import shown
from store.records.differences import Change, Precision
from store.records.text import Span

__all__ = ["COLUMNS", "TEXT_A", "TEXT_B", "DiffMark", "DiffModel", "drawn"]

LINE_A, TEXT_A, SIGN, LINE_B, TEXT_B = range(5)
COLUMNS = 5
_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class DiffMark:
    """A cited place in one of the texts: ``sign`` stands beside its rows, ``tip`` says it all."""

    of_b: bool
    span: Span
    sign: str
    tone: str
    tip: str


class _Marks:
    """Places in one text, found by where they are."""

    def __init__(self, marks: Sequence[DiffMark]) -> None:
        self._marks = sorted(marks, key=lambda mark: mark.span)
        # Up to each mark the farthest end: beyond it no earlier one reaches.
        self._ends = list(accumulate((mark.span.end for mark in self._marks), max))

    def on(self, span: Span) -> Sequence[DiffMark]:
        """Return those that stand on *span*."""
        at = bisect_left(self._marks, span.end, key=lambda mark: mark.span.start)
        found = []
        while at and self._ends[at - 1] > span.start:
            at -= 1
            if self._marks[at].span.end > span.start:
                found.append(self._marks[at])
        return found[::-1]


def drawn(text: str) -> str:
    """Return *text* as it is drawn: nothing hidden in it, every tab one sign wide."""
    return shown(text).replace("\t", "⇥")


class DiffModel(QAbstractTableModel):
    """Line, text, sign, line, text; every row has one height."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: DiffRows | None = None
        self._marks = {False: _Marks(()), True: _Marks(())}

    def show(self, rows: DiffRows | None, marks: Sequence[DiffMark] = ()) -> None:
        """Show other texts."""
        self.beginResetModel()
        self.rows = rows
        self._marks = {of_b: _Marks([m for m in marks if m.of_b is of_b]) for of_b in (False, True)}
        self.endResetModel()

    def marks(self, row: int, *, of_b: bool) -> Sequence[DiffMark]:
        """Return the cited places in a row."""
        span = self.rows.row(row).side(of_b=of_b) if self.rows is not None else None
        return () if span is None else self._marks[of_b].on(span)

    def text(self, row: DiffRow, *, of_b: bool) -> str | None:
        """Return the recorded text of one side of a row, without the line feed that ends it."""
        span = row.b if of_b else row.a
        if span is None or self.rows is None:
            return None
        text = self.rows.text_b if of_b else self.rows.text_a
        return text[span.start : span.end].removesuffix("\n")

    # -- Qt's questions ------------------------------------------------------------

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many rows there are."""
        return 0 if parent.isValid() or self.rows is None else len(self.rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many columns there are."""
        return 0 if parent.isValid() else COLUMNS

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Look up what a cell is in *role*."""
        if not index.isValid() or self.rows is None:
            return None
        row = self.rows.row(index.row())
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row, index.row(), column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{change_words(row.change)[2]}: {self._words(row, index.row(), column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tip(row, index.row(), column))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (LINE_A, SIGN, LINE_B):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _words(self, row: DiffRow, number: int, column: int) -> str:
        if column in (TEXT_A, TEXT_B):
            return drawn(self.text(row, of_b=column == TEXT_B) or "")
        if column == SIGN:
            return "" if row.change is Change.SAME else change_words(row.change)[0]
        of_b = column == LINE_B
        line = row.line_b if of_b else row.line_a
        signs = "".join(dict.fromkeys(mark.sign for mark in self.marks(number, of_b=of_b)))
        cited = f"❝{signs} " if signs else ""
        return f"{cited}{line or ''}"

    def _tip(self, row: DiffRow, number: int, column: int) -> str:
        if column == SIGN and row.change is not Change.SAME:
            words = [change_words(row.change)[2]]
            if row.piece.precision is not Precision.WORDS:
                words.append(precision_words(row.piece.precision))
            return "\n".join(words)
        marks = self.marks(number, of_b=column in (LINE_B, TEXT_B))
        return "\n".join(mark.tip for mark in marks)

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return what stands above a column."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("Line"), tr("A, the older"), "", tr("Line"), tr("B, the newer"))[section]
