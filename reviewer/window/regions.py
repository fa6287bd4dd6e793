"""The regions of the window around a run: tabs in the centre and the docks round it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabWidget,
    QWidget,
)

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.panels import Area, Panel, modules_in_order, panels
from reviewer.window.tab_order import order_stops
from reviewer.window.turns import Turns

__all__ = ["DOCKS", "RegionMaker", "Regions"]

DOCKS: dict[Area, tuple[str, Qt.DockWidgetArea, int]] = {
    "run": ("Run", Qt.DockWidgetArea.LeftDockWidgetArea, 48),
    "evidence": ("Evidence", Qt.DockWidgetArea.RightDockWidgetArea, 44),
    "findings": ("Findings", Qt.DockWidgetArea.BottomDockWidgetArea, 30),
}
"""The docks with their titles, sides, and first sizes in widths of a digit."""
_MOST_SHARE = 0.27
"""The share of the window that a dock takes at first, at most: the centre is what is read."""

_LEAST = (140, 60)
"""The least size of a view, in device-independent pixels."""


class Regions(QObject):
    """Makes the panels of every region and knows them by their ids."""

    def __init__(self, window: QMainWindow, desk: Desk, tabs: QTabWidget) -> None:
        super().__init__(window)
        self._window = window
        self.tabs = tabs
        self.tabs.setObjectName("centre")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.widgets: dict[str, QWidget] = {}
        self.docks: dict[Area, QDockWidget] = {}
        self._shown: list[tuple[QTabWidget, Panel]] = []
        self._named_here: set[str] = set()
        self._desk = desk
        self._painting = Turns(self, single=True)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)

    def steps(self) -> Iterator[None]:
        """Make everything, in steps that are each so small that the window stays alive."""
        for name in modules_in_order():
            import_module(name)
            yield
        for panel in panels("centre"):
            self._add_tab(self.tabs, panel, self._desk)
            yield
        for area in DOCKS:
            self._add_dock(area, self._desk)
            yield
        for area, dock in self.docks.items():
            side = Qt.Orientation.Vertical if area == "findings" else Qt.Orientation.Horizontal
            length = self._window.height() if area == "findings" else self._window.width()
            digit = self._window.fontMetrics().horizontalAdvance("0")
            size = min(DOCKS[area][2] * digit, int(length * _MOST_SHARE))
            self._window.resizeDocks([dock], [size], side)
        self.order_stops()
        self.retranslate()

    def tab_ids(self) -> list[str]:
        """Return the ids of the tabs in the centre, in their order."""
        return [panel.id for tabs, panel in self._shown if tabs is self.tabs]

    def show_tab(self, panel_id: str) -> None:
        """Bring a tab of the centre to the front, if the window has it."""
        if panel_id in self.tab_ids():
            self.tabs.setCurrentIndex(self.tab_ids().index(panel_id))

    def bring(self, panel_id: str) -> QWidget | None:
        """Bring the panel *panel_id* to the front, wherever it is, and return its widget."""
        widget = self.widgets.get(panel_id)
        for tabs, panel in self._shown:
            if panel.id == panel_id and widget is not None:
                tabs.setCurrentWidget(widget)
        for dock in self.docks.values():
            if widget is not None and dock.isAncestorOf(widget):
                dock.show()
        return widget

    def step(self, by: int) -> None:
        """Give the keyboard to the next or previous region that is shown."""
        shown = [each for each in self._in_order(self.tabs) if each.isVisible()]
        focus = QApplication.focusWidget()
        inside = [each for each in shown if focus is not None and each.isAncestorOf(focus)]
        at = shown.index(inside[0]) + by if inside else 0
        for turn in range(len(shown)):
            if _give_focus(shown[(at + turn * by) % len(shown)]):
                return

    def order_stops(self) -> None:
        """Let Tab walk the regions in the order in which they are read."""
        centre = self._window.centralWidget()
        if centre is not None:
            order_stops(self._in_order(centre))

    def _in_order(self, centre: QWidget) -> list[QWidget]:
        """Return *centre* behind the dock at its left, and the other docks behind it."""
        left = [dock for area, dock in self.docks.items() if area == "run"]
        return [*left, centre, *(dock for dock in self.docks.values() if dock not in left)]

    def paint_in_turns(self) -> None:
        """Let each region be painted in a turn of its own, where all would be painted at once."""
        held = (self.tabs, *self.docks.values())
        for each in held:
            each.setUpdatesEnabled(False)
        self._painting.begin(_enabled(held))

    def set_highlights(self, *, on: bool) -> None:
        """Colour the texts of every view by their syntax, or show them plain."""
        for each in self._window.findChildren(QWidget):
            if hasattr(each, "set_highlights"):
                each.set_highlights(on=on)

    def retranslate(self) -> None:
        """Show every title in the present language; views do their own."""
        titles = {"run": tr("Run"), "evidence": tr("Evidence"), "findings": tr("Findings")}
        for area, dock in self.docks.items():
            dock.setWindowTitle(titles[area])
            dock.setAccessibleName(titles[area])
            _name_buttons(dock)
        for tabs, panel in self._shown:
            at = tabs.indexOf(self.widgets[panel.id])
            tabs.setTabText(at, tr(panel.title))
            tabs.tabBar().setAccessibleTabName(at, tr(panel.title))
            if panel.id in self._named_here:
                self.widgets[panel.id].setAccessibleName(tr(panel.title))
            _name_scrolling(tabs)
        self.tabs.tabBar().setAccessibleName(tr("Views"))
        for area, dock in self.docks.items():
            for tabs in dock.findChildren(QTabWidget):
                tabs.tabBar().setAccessibleName(titles[area])

    def _add_tab(self, tabs: QTabWidget, panel: Panel, desk: Desk) -> None:
        tabs.addTab(self._made(panel, desk, tabs), panel.title)
        self._shown.append((tabs, panel))

    def _made(self, panel: Panel, desk: Desk, parent: QWidget) -> QWidget:
        widget = panel.factory(desk, parent)
        widget.setObjectName(panel.id)
        # A region can be made small, and then shows less: it must not make the window large.
        widget.setMinimumSize(*_LEAST)
        if not widget.accessibleName():
            self._named_here.add(panel.id)
        self.widgets[panel.id] = widget
        if hasattr(widget, "renewed"):
            widget.renewed.connect(self.order_stops)
        return widget

    def _add_dock(self, area: Area, desk: Desk) -> None:
        held = panels(area)
        if not held:
            return
        title, side, _size = DOCKS[area]
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"dock_{area}")
        if len(held) == 1:
            dock.setWidget(self._made(held[0], desk, dock))
        else:
            tabs = QTabWidget(dock)
            tabs.setObjectName(f"tabs_{area}")
            tabs.setDocumentMode(True)
            tabs.tabBar().setDrawBase(False)
            for panel in held:
                self._add_tab(tabs, panel, desk)
            dock.setWidget(tabs)
        dock.hide()
        self._window.addDockWidget(side, dock)
        self.docks[area] = dock


class RegionMaker(QObject):
    """Makes the regions of a window once, one small step in each turn of the event loop."""

    made = Signal(object)
    """The `Regions`, when they are complete."""

    def __init__(self, window: QMainWindow, desk: Desk, tabs: QTabWidget) -> None:
        super().__init__(window)
        self._regions = Regions(window, desk, tabs)
        self._turns = Turns(self)
        self._begun = False

    def begin(self) -> None:
        """Begin, unless that was done before."""
        if not self._begun:
            self._begun = True
            self._turns.begin(self._made())

    def stop(self) -> None:
        """Make no more."""
        self._begun = True
        self._turns.stop()

    def _made(self) -> Iterator[None]:
        yield from self._regions.steps()
        yield
        self.made.emit(self._regions)


def _enabled(widgets: Sequence[QWidget]) -> Iterator[None]:
    """Let *widgets* be painted again, one after another."""
    for each in widgets:
        each.setUpdatesEnabled(True)
        yield


def _name_buttons(dock: QDockWidget) -> None:
    """Name the two buttons that Qt puts on a dock, in the present language."""
    names = {"qt_dockwidget_closebutton": tr("Close"), "qt_dockwidget_floatbutton": tr("Float")}
    for button in dock.findChildren(QAbstractButton):
        if button.objectName() in names:
            button.setAccessibleName(names[button.objectName()])
            button.setToolTip(names[button.objectName()])
            button.setAccessibleDescription("")


def _name_scrolling(tabs: QTabWidget) -> None:
    """Name the two buttons that Qt shows beside tabs that have too little room."""
    names = {"ScrollLeftButton": tr("Scroll left"), "ScrollRightButton": tr("Scroll right")}
    for name, words in names.items():
        for button in tabs.tabBar().findChildren(QAbstractButton, name):
            button.setAccessibleName(words)
            button.setToolTip(words)


def _give_focus(region: QWidget) -> bool:
    """Give the keyboard to the first thing in *region* that takes it."""
    page = (region.currentWidget() if isinstance(region, QTabWidget) else None) or region
    for each in [page, *page.findChildren(QWidget)]:
        tabs = bool(each.focusPolicy().value & Qt.FocusPolicy.TabFocus.value)
        if tabs and each.isVisible() and each.isEnabled():
            each.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
    return False
