"""What a view can ask of an item beyond Qt's own roles, and answers that models share."""

from __future__ import annotations

from enum import IntEnum
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush

from reviewer.window import theme
from reviewer.window.presenters.tables import Cell

__all__ = ["Role", "answer", "plain_tip"]


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


def answer(cell: Cell, role: int) -> object:
    """Return what a cell says in one of Qt's own roles."""
    if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
        return cell.text
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain_tip(cell.tip or cell.text)
    if role == Qt.ItemDataRole.ForegroundRole and cell.tone:
        return QBrush(theme.colour(cell.tone))
    return None


def plain_tip(text: str) -> str:
    """Return *text* so that a tool tip shows it as it is: Qt guesses at markup otherwise."""
    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>" if text else ""
