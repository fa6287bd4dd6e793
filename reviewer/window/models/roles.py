"""What a view can ask of an item beyond Qt's own roles, and answers that models share."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush

from reviewer.window import theme
from reviewer.window.presenters.tables import Cell
from reviewer.window.tips import plain_tip

__all__ = ["Role", "answer"]


class Role(IntEnum):
    """Roles of the models of the window."""

    PLACE = Qt.ItemDataRole.UserRole + 1
    """The `Place` that the item leads to."""
    ROW = Qt.ItemDataRole.UserRole + 2
    """The number of the row in its table; ``None`` for the heading of a group."""
    STRIP = Qt.ItemDataRole.UserRole + 3
    """The `Strip` of a version, or ``None``."""
    NODE = Qt.ItemDataRole.UserRole + 4
    """The `SourceNode`."""
    MARK = Qt.ItemDataRole.UserRole + 5
    """The span of the text that was looked for, in UTF-16, or ``None``."""


def answer(cell: Cell, role: int) -> object:
    """Return what a cell says in one of Qt's own roles."""
    if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
        return cell.text
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain_tip(cell.tip or cell.text)
    if role == Qt.ItemDataRole.ForegroundRole and cell.tone:
        return QBrush(theme.colour(cell.tone))
    return None
