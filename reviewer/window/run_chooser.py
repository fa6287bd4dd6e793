"""Chooses between the runs that are open, and those that are listed and read when chosen."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from reviewer.display import one_line
from reviewer.window.cut_choice import CutChoice
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, trn
from reviewer.window.opening import Opener
from reviewer.window.place import Place
from reviewer.window.presenters import places
from reviewer.window.unread import UnreadRun

__all__ = ["RunChooser", "unread_words"]

_LEAST_CHARS = 14
"""Characters for which there is room; a longer title is cut with … and whole in the list."""
_ROWS = 24
"""Rows of the list that are seen at once."""


class RunChooser(CutChoice):
    """Lists the open runs by their titles, then the unread ones; it is there for several."""

    def __init__(self, desk: Desk, opener: Opener, parent: QWidget | None = None) -> None:
        super().__init__(_LEAST_CHARS, parent)
        self._desk = desk
        self._opener = opener
        self.setObjectName("run_chooser")
        self.setMaxVisibleItems(_ROWS)
        self.activated.connect(self._activated)
        desk.opened.connect(self._opened)
        desk.replaced.connect(self._replaced)
        desk.closed.connect(self._closed)
        desk.moved.connect(self._moved)
        opener.listed.connect(self._list)
        self.hide()
        self.retranslate()

    def choose(self, index: int) -> None:
        """Go to the beginning of run *index*, or stay where that is the present one."""
        if index != self._desk.place.run and 0 <= index < len(self._desk.audits):
            self._desk.go(places.first_place(self._desk.audit(index), index))

    def read_next(self) -> bool:
        """Read the next run that is only listed; tell whether there is one."""
        run = next((run for run in self._opener.unread_runs if not run.tried), None)
        if run is not None:
            self._opener.read(run)
        return run is not None

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.setAccessibleName(tr("Run"))
        self._list()

    def _activated(self, row: int) -> None:
        """Go to the run of *row*, or read it."""
        open_now = len(self._desk.audits)
        unread = self._opener.unread_runs
        if row < open_now:
            self.choose(row)
        elif row - open_now < len(unread):
            self._opener.read(unread[row - open_now])
            self.setCurrentIndex(self._desk.place.run)

    def _opened(self, index: int) -> None:
        title = places.run_title(self._desk.audit(index))
        self.insertItem(index, tr("{number}. {title}", number=index + 1, title=title))
        self._show()

    def _replaced(self, index: int) -> None:
        title = places.run_title(self._desk.audit(index))
        self.setItemText(index, tr("{number}. {title}", number=index + 1, title=title))

    def _list(self) -> None:
        """Show which runs are only listed by now."""
        open_now, unread = len(self._desk.audits), self._opener.unread_runs
        while self.count() > open_now + len(unread):
            self.removeItem(self.count() - 1)
        for row, run in enumerate(unread, open_now):
            words = unread_words(run)
            if row >= self.count():
                self.addItem(words)
            elif self.itemText(row) != words:
                self.setItemText(row, words)
        self._show()

    def _show(self) -> None:
        self.setVisible(self.count() > 1)
        waiting = len(self._opener.unread_runs)
        tip = tr("Choose one of the open runs")
        if waiting:
            tip = trn(
                "Choose one of the open runs; one more is read when it is chosen",
                "Choose one of the open runs; {n} more are read when they are chosen",
                waiting,
            )
        self.setToolTip(tip)

    def _closed(self) -> None:
        self.clear()
        self.hide()

    def _moved(self, place: Place) -> None:
        self.setCurrentIndex(place.run)


def unread_words(run: UnreadRun) -> str:
    """Return what a run that is only listed is called, and that it is not read, or cannot be."""
    name = one_line(run.name)
    if run.tried:
        return tr("✗ {name}: no run came of it", name=name)
    return tr("○ {name}: not read yet", name=name)
