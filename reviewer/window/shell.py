"""The main window: puts pages, regions, menus and the desk together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from reviewer.services.sessions import Session, missing_paths, save_session
from reviewer.window import i18n, qt_words, theme
from reviewer.window.actions.menus import Menus
from reviewer.window.desk import Desk
from reviewer.window.dropping import DropTarget
from reviewer.window.fitting import FittingLabel
from reviewer.window.handlers import Handlers
from reviewer.window.i18n import tr
from reviewer.window.links import is_link
from reviewer.window.opening import Opener
from reviewer.window.pages import EmptyPage, LoadingPage, ProgressStrip, StartPage, plain_label
from reviewer.window.place import Place
from reviewer.window.presenters import places
from reviewer.window.problem_bar import ProblemBar
from reviewer.window.regions import RegionMaker, Regions
from reviewer.window.returning import Return, left
from reviewer.window.run_chooser import RunChooser
from reviewer.window.states import choices, states
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker

__all__ = ["Shell"]

_FIRST_SIZE = (1400, 900)
_SAID_FOR = 6000
"""Milliseconds for which the status bar shows what was said."""


class Shell(QMainWindow):
    """The window.  It knows which page is shown; what is true of a run, the views say."""

    settled = Signal()
    """What was to be opened is open, and shown."""

    def __init__(self, session: Session, session_file: Path | None = None) -> None:
        super().__init__()
        self.setObjectName("shell")
        DropTarget(self, self.open)
        self.setDockNestingEnabled(False)
        self.session = session
        self._session_file = session_file
        self.desk = Desk(self)
        self.worker = Worker(self)
        self.returning = Return()
        self.opener = Opener(self.desk, self.worker, self.returning.wants, self)
        self.text_size = 100
        self._base_font = theme.base_font(QApplication.font())
        self.regions: Regions | None = None
        self._docks_shown: frozenset[str] | None = None
        self._first_new = 0
        self._arrivals: list[int] = []
        self._ending = False
        self._make_pages()
        self._maker = RegionMaker(self, self.desk, self.tabs)
        self._make_status()
        self.handlers = Handlers(self)
        self.menus = Menus(self, self.handlers.run)
        self._connect()
        self._take_session()
        i18n.changed.append(self.retranslate)
        self.retranslate()
        self._show_page()

    # -- making ------------------------------------------------------------------

    def _make_pages(self) -> None:
        self.problems = ProblemBar()
        self.strip = ProgressStrip()
        self.start, self.loading, self.empty = StartPage(), LoadingPage(), EmptyPage()
        self.tabs = QTabWidget()
        self.runs = RunChooser(self.desk, self.opener)
        self.stack = QStackedWidget()
        for page in (self.start, self.loading, self.empty, self.tabs):
            self.stack.addWidget(page)
        self.centre = QWidget()
        rows = QVBoxLayout(self.centre)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.problems)
        rows.addWidget(self.strip)
        rows.addWidget(self.runs)
        rows.addWidget(self.stack, 1)
        self.strip.hide()
        self.setCentralWidget(self.centre)

    def _make_status(self) -> None:
        self.where = FittingLabel()
        self.where.setObjectName("status_place")
        self.where.setTextFormat(Qt.TextFormat.PlainText)
        self.grade: QLabel = plain_label("status_grade", tone="muted")
        self.grade.setWordWrap(False)
        self.statusBar().addWidget(self.where, 1)
        self.statusBar().addPermanentWidget(self.grade)

    def _connect(self) -> None:
        self.start.chosen.connect(self._trigger)
        self.empty.chosen.connect(self._trigger)
        self.start.recent_chosen.connect(lambda path: self.opener.open([path]))
        self.loading.stop.connect(self.opener.stop)
        self.strip.stop.connect(self.opener.stop)
        self.opener.began.connect(self._began)
        self.opener.told.connect(self.loading.tell)
        self.opener.told.connect(self.strip.tell)
        self.opener.told.connect(self._maker.begin)
        self._maker.made.connect(self._take_regions)
        self.opener.problem.connect(lambda problem: self.problems.add([problem]))
        self.opener.found.connect(self._found)
        self.opener.ended.connect(self._ended)
        self.desk.moved.connect(self._moved)
        self.desk.closed.connect(self._closed)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_colours)

    def _take_session(self) -> None:
        self.resize(*_FIRST_SIZE)
        if self.session.geometry:
            self.restoreGeometry(QByteArray(self.session.geometry))
        theme.apply(self.session.theme)
        self.set_text_size(self.session.text_size)
        self._show_recent()

    def _take_regions(self, regions: Regions) -> None:
        """Take the views in, which are made when the first run is read."""
        self.regions = regions
        self._docks_shown = frozenset(regions.docks)
        self._show_docks(shown=True)
        if self.session.layout:
            self.restoreState(QByteArray(self.session.layout))
        self._show_docks(shown=False)
        regions.set_highlights(on=self.session.highlights)
        self.tabs.currentChanged.connect(self._tab_chosen)
        for widget in regions.widgets.values():
            if hasattr(widget, "asked"):
                widget.asked.connect(self._trigger)
        for dock in regions.docks.values():
            dock.visibilityChanged.connect(self._mark_choices)
        self.menus.show_parts(frozenset([*regions.tab_ids(), *regions.docks]))
        QTimer.singleShot(0, self, self._take_arrivals)

    # -- what commands ask for -----------------------------------------------------

    def open(self, paths: Sequence[str], store: str | None = None) -> None:
        """Open *paths* beside what is open, and follow the links among them."""
        self.opener.open([path for path in paths if not is_link(path)], store)
        for link in filter(is_link, paths):
            self.handlers.linking.open(link)

    def restore(self) -> None:
        """Open again what was open when the window was closed, and go where the reviewer was."""
        self.handlers.known.take(self.session.baseline)
        if self.session.paths:
            self.returning.to(self.session.place)
            self.opener.open(self.session.paths, self.session.store)

    def say(self, text: str) -> None:
        """Show *text* in the status bar for a while."""
        self.statusBar().showMessage(text, _SAID_FOR)

    @property
    def shows_docks(self) -> bool:
        """Whether the docks are where the reviewer put them, and not hidden without a run."""
        return self.regions is not None and self._docks_shown is None

    def current_tab(self) -> QWidget | None:
        """Return the view in the centre."""
        return self.tabs.currentWidget() if self.stack.currentWidget() is self.tabs else None

    def set_text_size(self, percent: int) -> None:
        """Show all text of the window at *percent* of the system's size."""
        self.text_size = max(50, min(300, percent))
        theme.set_size(self, self._base_font, self.text_size)

    def set_theme(self, choice: str) -> None:
        """Change the colours of the window."""
        self.session = msgspec.structs.replace(self.session, theme=choice)
        self._system_colours()
        self._mark_choices()

    def set_highlights(self, *, on: bool) -> None:
        """Colour texts by their syntax, or show them plain."""
        self.session = msgspec.structs.replace(self.session, highlights=on)
        if self.regions is not None:
            self.regions.set_highlights(on=on)
        self._mark_choices()

    def set_follow(self, *, on: bool) -> None:
        """Follow runs that grow, or no longer."""
        self.session = msgspec.structs.replace(self.session, follow=on)
        follower = self.handlers.follower
        follower.watch() if on else follower.stop()
        self._mark_choices()

    def toggle_region(self, area: str) -> None:
        """Show a region that is hidden, hide one that is shown."""
        for name, dock in self.regions.docks.items() if self.regions else ():
            if name == area:
                dock.setVisible(dock.isHidden())
        self._mark_choices()

    def next_region(self, by: int) -> None:
        """Give the keyboard to the next region that is shown."""
        if self.regions is not None:
            self.regions.step(by)

    # -- what happens ----------------------------------------------------------------

    def _trigger(self, command: str) -> None:
        self.menus.actions[command].trigger()

    def _began(self) -> None:
        self._first_new = len(self.desk.audits)
        self.loading.tell(lambda: tr("Reading"), 0, 0)
        self.strip.tell(lambda: tr("Reading"), 0, 0)
        self._show_page()

    def _found(self, index: int, _path: object) -> None:
        self._arrivals.append(index)
        self._maker.begin()
        QTimer.singleShot(0, self, self._take_arrivals)

    def _take_arrivals(self) -> None:
        """Go to what has arrived, as soon as there are views to show it."""
        if self.regions is None:
            return
        for index in self._arrivals:
            self._arrived(index)
        self._arrivals.clear()
        self._show_page()
        if self._ending:
            self._settle()

    def _arrived(self, index: int) -> None:
        place = self.returning.place(self.desk.audit(index), index, self._first_new)
        if place is not None:
            self.desk.go(place)

    def _ended(self) -> None:
        for path in reversed(self.opener.paths):
            self.session = self.session.with_recent(path)
        self._show_recent()
        self.empty.tell(self.opener.paths, stopped=self.opener.stopped)
        self._ending = True
        self._show_page()
        if not self._arrivals:
            self._settle()

    def _settle(self) -> None:
        self._ending = False
        place = self.returning.instead(self.desk.audits, self._first_new)
        if place is not None:
            self.desk.go(place)
        self.settled.emit()

    def _closed(self) -> None:
        self._arrivals.clear()
        self.problems.clear()
        self._show_page()

    def _moved(self, place: Place) -> None:
        regions = self.regions
        if regions is not None and place.tab is not None:
            regions.show_tab(place.tab)
        self._say_where()
        self._mark_states()

    def _tab_chosen(self, at: int) -> None:
        widget = self.tabs.widget(at)
        if widget is not None and self.desk.audits:
            self.desk.go(replace(self.desk.place, tab=widget.objectName()))

    def _system_colours(self) -> None:
        if self.regions is not None:
            self.regions.paint_in_turns()
        theme.apply(self.session.theme)

    # -- what is shown -----------------------------------------------------------------

    def _show_page(self) -> None:
        loading = self.opener.loading
        if self.desk.audits and self.regions is not None:
            page: QWidget = self.tabs
        elif loading or self.desk.audits:
            page = self.loading
        elif self.opener.paths:
            page = self.empty
        else:
            page = self.start
        came = page is not self.stack.currentWidget()
        self.stack.setCurrentWidget(page)
        if came and page is self.empty:
            # What was met is all there is to see here.
            self.problems.show_list.setChecked(True)
        self.strip.setVisible(loading and page is self.tabs)
        self._show_docks(shown=page is self.tabs)
        self._say_where()
        self._mark_states()

    def _show_docks(self, *, shown: bool) -> None:
        """Hide the docks where there is no run, and show those again that were shown before."""
        if self.regions is None:
            return
        if not shown and self._docks_shown is None:
            open_now = [name for name, dock in self.regions.docks.items() if not dock.isHidden()]
            self._docks_shown = frozenset(open_now)
            for dock in self.regions.docks.values():
                dock.hide()
        elif shown and self._docks_shown is not None:
            for name, dock in self.regions.docks.items():
                dock.setVisible(name in self._docks_shown)
            self._docks_shown = None

    def _say_where(self) -> None:
        if not self.desk.audits:
            self.where.setText("")
            self.grade.setText("")
            self.setWindowTitle("Reread")
            return
        audit = self.desk.audit()
        self.where.setText(places.place_words(audit, self.desk.place))
        self.grade.setText(places.grade_words(audit, self.desk.place))
        self.setWindowTitle(f"{places.run_title(audit)} – Reread")

    def _mark_states(self) -> None:
        self.menus.enable(states(self))
        self._mark_choices()

    def _mark_choices(self) -> None:
        self.menus.check(choices(self))

    def _show_recent(self) -> None:
        """List the recent runs, and ask in the worker which of them are gone."""
        recent = self.session.recent
        self.start.show_recent(recent)
        if recent:
            self.worker.run(
                Operation(
                    "recent",
                    lambda token, _hand_over: missing_paths(recent, token.check),
                    done=lambda missing: self.start.show_recent(recent, missing),
                )
            )

    def retranslate(self) -> None:
        """Show every text of the window in the present language."""
        qt_words.speak(i18n.language())
        self.menus.retranslate()
        if self.regions is not None:
            self.regions.paint_in_turns()
            self.regions.retranslate()
        for widget in self.findChildren(QWidget):
            if hasattr(widget, "retranslate"):
                widget.retranslate()
        self.setAccessibleName("Reread")
        self._say_where()
        self._mark_states()

    # -- the end ---------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Keep how the window was left, and end what works for it."""
        self._keep_session()
        if self.retranslate in i18n.changed:
            i18n.changed.remove(self.retranslate)
            qt_words.speak("en")
        self._maker.stop()
        self.handlers.close()
        self.worker.close()
        super().closeEvent(event)

    def _keep_session(self) -> None:
        self.session = left(self)
        if self._session_file is not None:
            # A full or read-only disk must not keep the window from closing.
            with suppress(OSError):
                save_session(self._session_file, self.session)
