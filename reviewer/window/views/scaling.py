"""Keeps the columns of a table as wide in characters as they are when the text changes its size."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHeaderView, QTableView, QTreeView

__all__ = ["keep_columns"]


def keep_columns(view: QTableView | QTreeView, also: Callable[[], None] = lambda: None) -> QObject:
    """Widen and narrow the columns of *view* with its text, and do *also* what else depends on it.

    Returns what does so, as long as *view* lives.
    """
    return _Columns(view, also)


class _Columns(QObject):
    def __init__(self, view: QTableView | QTreeView, also: Callable[[], None]) -> None:
        super().__init__(view)
        self._view = view
        self._also = also
        self._digit = view.fontMetrics().horizontalAdvance("0")
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take the new size of the text."""
        if event.type() is QEvent.Type.FontChange and watched is self._view:
            self._scale()
        return False

    def _scale(self) -> None:
        before, self._digit = self._digit, self._view.fontMetrics().horizontalAdvance("0")
        if before and self._digit != before:
            header = _header(self._view)
            for column in range(header.count()):
                header.resizeSection(column, header.sectionSize(column) * self._digit // before)
            self._also()


def _header(view: QTableView | QTreeView) -> QHeaderView:
    return view.horizontalHeader() if isinstance(view, QTableView) else view.header()
