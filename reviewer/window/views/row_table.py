"""A table of rows as every region shows it: one line a row, whole rows chosen, keys that leave."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from reviewer.window.models.rows import RowModel, Wish
from reviewer.window.presenters.tables import Table
from reviewer.window.views.scaling import keep_columns

__all__ = ["RowTable"]

_PADDING = 8
_SPANS = 2_000
"""The headings of so many groups reach over all columns; Qt slows down with more."""


class RowTable(QTableView):
    """Shows a `RowModel`; ``chosen`` is told when the reviewer goes to a row."""

    chosen = Signal(int)
    """The row of the table, not of the view."""
    asked = Signal(QModelIndex, object)
    """The context menu of an item was asked for, at a place on the screen."""

    def __init__(self, model: RowModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._following = False
        self._digits: tuple[int, ...] = ()
        self._was: tuple[Table | None, Wish, int] = (None, Wish(), -1)
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setCornerButtonEnabled(False)
        rows = self.verticalHeader()
        rows.setVisible(False)
        # A fixed height spares Qt a question for each of a million rows.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._measure()
        keep_columns(self, self._measure)
        columns = self.horizontalHeader()
        columns.setSortIndicatorClearable(True)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setSortingEnabled(True)
        model.arranged.connect(self._arranged)
        # A view that gets the keyboard makes an item current; only a selected one was chosen.
        self.selectionModel().selectionChanged.connect(self._selected)

    def _measure(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _PADDING)

    def widths(self, *digits: int) -> None:
        """Make columns as wide as so many digits, once there are columns."""
        self._digits = digits
        self._widen()

    def _widen(self) -> None:
        if self._digits and self._model.columnCount():
            digit = self.fontMetrics().horizontalAdvance("0")
            for column, count in enumerate(self._digits):
                self.setColumnWidth(column, count * digit + 2 * _PADDING)
            self._digits = ()

    def show_row(self, row: int | None) -> bool:
        """Make a row of the table the current one without choosing it; tell if it is shown."""
        line = None if row is None else self._model.line_of(row)
        self._following = True
        try:
            if line is None:
                self.setCurrentIndex(QModelIndex())
                self.clearSelection()
                return False
            column = max(0, self.currentIndex().column())
            index = self._model.index(line, column)
            if line != self.selected_line():
                self.setCurrentIndex(index)
            self.scrollTo(self._model.index(line, 0))
            return True
        finally:
            self._following = False

    def step(self, by: int) -> bool:
        """Choose the next row shown (-1: the one before); tell whether there is one."""
        line = self.next_line(by)
        while 0 <= line < self._model.rowCount():
            if self._model.table_row(line) is not None:
                self.choose(line)
                return True
            line += by
        return False

    def next_line(self, by: int) -> int:
        """Return the line a step away, or from where the row was that the same filter took out."""
        line = self.selected_line()
        if line >= 0:
            return line + by
        table, wish, was = self._was
        if table is self._model.table and wish == self._model.wish and was >= 0:
            return was if by > 0 else was - 1
        return 0 if by > 0 else self._model.rowCount() - 1

    def choose(self, line: int) -> None:
        """Choose the row at *line*."""
        self.setCurrentIndex(self._model.index(line, max(0, self.currentIndex().column())))

    def selected_line(self) -> int:
        """Return the line that is selected, -1 where none is."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def _selected(self) -> None:
        line = self.selected_line()
        if line >= 0:
            self._was = (self._model.table, self._model.wish, line)
        row = self._model.table_row(line)
        if row is not None and not self._following:
            self.chosen.emit(row)

    def _arranged(self) -> None:
        self._widen()
        self.clearSpans()
        groups = self._model.group_lines
        if len(groups) <= _SPANS:
            for line in groups:
                self.setSpan(line, 0, 1, self._model.columnCount())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Ask for the menu of the cell, also where the key was pressed."""
        keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if keyboard else self.indexAt(event.pos())
        if index.isValid():
            place = self.visualRect(index).bottomLeft() if keyboard else event.pos()
            self.asked.emit(index, self.viewport().mapToGlobal(place))
