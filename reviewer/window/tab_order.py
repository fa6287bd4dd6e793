"""Lets Tab walk in reading order: as layouts show their parts, not as widgets were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QDockWidget,
    QLayout,
    QLineEdit,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

__all__ = ["order_stops", "stops"]


def order_stops(regions: Iterable[QWidget]) -> None:
    """Let Tab walk *regions* one after another, each from its start to its end."""
    found = [stop for region in regions for stop in stops(region)]
    for before, behind in pairwise(found):
        QWidget.setTabOrder(before, behind)


def stops(widget: QWidget) -> Iterator[QWidget]:
    """Yield what takes the keyboard in *widget*, itself included, in reading order."""
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    for part in _parts(widget):
        if part is not None:
            yield from stops(part)


def _parts(widget: QWidget) -> Iterator[QWidget | None]:
    """Yield the parts of *widget* as they stand; those of Qt's own widgets are theirs."""
    if isinstance(widget, QTabWidget):
        yield widget.tabBar()
        yield from (widget.widget(at) for at in range(widget.count()))
    elif isinstance(widget, QSplitter | QStackedWidget):
        yield from (widget.widget(at) for at in range(widget.count()))
    elif isinstance(widget, QScrollArea | QDockWidget):
        yield widget.widget()
    elif not isinstance(widget, QAbstractScrollArea | QComboBox | QLineEdit):
        layout = widget.layout()
        held = list(_laid_out(layout)) if layout is not None else []
        yield from held
        children = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        yield from (child for child in children if child not in held and not child.isWindow())


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    for at in range(layout.count()):
        item = layout.itemAt(at)
        if item is None:
            continue
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _laid_out(inner)
