"""What is selected in whatever widget has the keyboard, as text."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget

__all__ = ["selected_text"]


def selected_text(widget: QWidget | None) -> str:
    """Return what is selected in *widget*, or in the nearest widget around it that can tell."""
    while widget is not None:
        if hasattr(widget, "selected_text"):
            return str(widget.selected_text())
        if isinstance(widget, QLineEdit):
            return widget.selectedText()
        if isinstance(widget, QAbstractItemView):
            return _selected_rows(widget.selectionModel())
        widget = widget.parentWidget()
    return ""


def _selected_rows(selection: QItemSelectionModel | None) -> str:
    if selection is None:
        return ""
    rows: dict[int, list[str]] = {}
    for index in sorted(selection.selectedIndexes(), key=lambda each: (each.row(), each.column())):
        rows.setdefault(index.row(), []).append(str(index.data() or ""))
    return "\n".join("\t".join(cells) for cells in rows.values())
