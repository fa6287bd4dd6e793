"""The model of a flat table: filtered, sorted and grouped as a whole, never row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from reviewer.display import fit
from reviewer.filter.tree import EVERYTHING, Tree, columns_of
from reviewer.window.i18n import tr
from reviewer.window.models.roles import Role, answer
from reviewer.window.presenters.filters import rows_words
from reviewer.window.presenters.tables import CELL_COLUMNS, NOTHING, Cell, Heading, Table
from reviewer.window.tips import plain_tip

if TYPE_CHECKING:
    from reviewer.filter.arrays import Arrays, Rows

__all__ = ["INLINE", "Layout", "RowModel", "Wish"]

INLINE = 5_000
"""Up to so many rows a new order is made at once; more are left to the worker."""

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be shown of a table, and in what order; names are those of columns."""

    tree: Tree = EVERYTHING
    sort: str = ""
    descending: bool = False
    group: str = ""

    @property
    def plain(self) -> bool:
        """Whether the table is wanted as it is."""
        return self == Wish()


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of the model: a row of the table, or ``-1 - n`` for the heading of group ``n``.

    ``groups`` are the names of the groups with their sizes, ``heads`` the
    lines of their headings.
    """

    lines: range | Rows
    groups: tuple[tuple[str, int], ...] = ()
    heads: tuple[int, ...] = ()
    shown: int = 0


class RowModel(QAbstractTableModel):
    """Shows a `Table` in the order of a `Wish`.

    ``run`` is given work for large tables and hands its result on later; by
    default the work is done at once.  A wish that was replaced meanwhile is
    not shown.
    """

    arranged = Signal()
    """What is shown has changed."""
    waiting = Signal()
    """A new order is being made elsewhere; what is shown is still the old one."""

    def __init__(self, table: Table | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self.wish = Wish()
        self.run: Callable[[Callable[[], Layout], Callable[[Layout], None]], None] | None = None
        self._arrays: Arrays | None = None
        self._headings: Sequence[Heading] = table.headings() if table else ()
        self._layout = _untouched(table)
        self._bold = QFont()
        self._bold.setBold(True)

    # -- what is shown ------------------------------------------------------------

    def set_table(self, table: Table | None) -> None:
        """Show another table; the filter stays where the table has its columns."""
        self.beginResetModel()
        self.table = table
        self._arrays = None
        self._headings = table.headings() if table else ()
        self._layout = _untouched(table)
        self.endResetModel()
        if self.wish.plain:
            self.arranged.emit()
        else:
            self.arrange(self.wish)

    def arrange(self, wish: Wish) -> None:
        """Show what *wish* asks for."""
        self.wish = wish
        table = self.table
        if table is None or wish.plain:
            self._show(_untouched(table), wish, table)
            return
        arrays = self._held()

        def work() -> Layout:
            return _layout(table, arrays, wish)

        if self.run is None or len(table) <= INLINE:
            self._show(work(), wish, table)
            return
        self.waiting.emit()
        self.run(work, lambda layout: self._show(layout, wish, table))

    def _held(self) -> Arrays:
        if self._arrays is None:
            # numpy takes a while to load, and nobody waits for it before there is a filter.
            from reviewer.filter.arrays import Arrays  # noqa: PLC0415

            assert self.table is not None  # noqa: S101 - asked for a table only
            self._arrays = Arrays(self.table)
        return self._arrays

    def _show(self, layout: Layout, wish: Wish, table: Table | None) -> None:
        if wish != self.wish or table is not self.table:
            return
        self.beginResetModel()
        self._layout = layout
        self.endResetModel()
        self.arranged.emit()

    def retranslate(self) -> None:
        """Show everything again in the present language."""
        if self.table is not None:
            self.table.forget()
            self._headings = self.table.headings()
            self.arrange(self.wish)

    def refresh(self, column: str) -> None:
        """Show that values of *column* have become others; the order is made anew if it asks so."""
        table = self.table
        if table is None:
            return
        table.forget()
        self._arrays = None
        if column in {self.wish.sort, self.wish.group, *columns_of(self.wish.tree)}:
            self.arrange(self.wish)
        elif self.rowCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    @property
    def shown(self) -> int:
        """How many rows of the table are shown."""
        return self._layout.shown

    @property
    def total(self) -> int:
        """How many rows the table has."""
        return len(self.table) if self.table is not None else 0

    @property
    def group_lines(self) -> Sequence[int]:
        """The lines that are headings of groups."""
        return self._layout.heads

    def table_row(self, line: int) -> int | None:
        """Return the row of the table at *line*, ``None`` for the heading of a group."""
        if not 0 <= line < len(self._layout.lines):
            return None
        row = int(self._layout.lines[line])
        return row if row >= 0 else None

    def line_of(self, row: int) -> int | None:
        """Return where a row of the table is shown, ``None`` where it is hidden."""
        lines = self._layout.lines
        if isinstance(lines, range):
            return row if row in lines else None
        found = (lines == row).nonzero()[0]
        return int(found[0]) if len(found) else None

    # -- Qt's questions -----------------------------------------------------------

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many lines there are."""
        return 0 if parent.isValid() else len(self._layout.lines)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Look up what an item is in *role*."""
        if not index.isValid() or self.table is None:
            return None
        line = self._layout.lines[index.row()]
        if line < 0:
            return self._group(-1 - line, index.column(), role)
        if role == Role.ROW:
            return int(line)
        if role == Role.PLACE:
            return self.table.place(int(line))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(self._headings[index.column()])
        return answer(self.table.row(int(line)).cells[index.column()], role)

    def _group(self, group: int, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._bold
        if column:
            return None
        name, count = self._layout.groups[group]
        return answer(Cell(f"{name} · {rows_words(count)}"), role)

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the heading of a column; its tip says its word in a filter."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._headings):
            return None
        heading = self._headings[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return heading.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(heading)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(tr("In a filter: {name}", name=heading.name))
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings of groups cannot be selected."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.table_row(index.row()) is None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return super().flags(index) | Qt.ItemFlag.ItemNeverHasChildren

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or by none where *column* is -1."""
        name = self._headings[column].name if 0 <= column < len(self._headings) else ""
        down = bool(name) and order is Qt.SortOrder.DescendingOrder
        self.arrange(replace(self.wish, sort=name, descending=down))


def _side(heading: Heading) -> int:
    side = Qt.AlignmentFlag.AlignRight if heading.right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def _untouched(table: Table | None) -> Layout:
    count = len(table) if table is not None else 0
    return Layout(range(count), shown=count)


def _layout(table: Table, arrays: Arrays, wish: Wish) -> Layout:
    """Make the lines; this may run in the worker."""
    import numpy as np  # noqa: PLC0415 - see above

    from reviewer.filter.arrays import Query  # noqa: PLC0415 - numpy, see above

    rows = arrays.rows(Query(wish.tree, wish.sort, wish.descending, wish.group))
    if not wish.group:
        return Layout(rows, shown=len(rows))
    starts = arrays.groups(wish.group, rows)
    numbers = np.arange(len(starts))
    groups = []
    for row, size in zip(
        rows[starts].tolist(), np.diff(starts, append=len(rows)).tolist(), strict=True
    ):
        value = table.value(row, wish.group)
        groups.append((NOTHING if value is None else fit(str(value), CELL_COLUMNS), size))
    lines = np.insert(rows, starts, -1 - numbers)
    return Layout(lines, tuple(groups), tuple((starts + numbers).tolist()), len(rows))
