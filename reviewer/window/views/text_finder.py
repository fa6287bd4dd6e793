"""Find here: looks through a text slice by slice while the window stays awake."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.window.views.text_find import Search
from reviewer.window.views.text_marks import Hits
from store.records.text import Span

__all__ = ["Finder"]

_BUDGET = 0.012
"""Seconds of work before the window gets its turn: less than one frame."""


class Finder(QObject):
    """One search at a time; a new one takes the place of the one before."""

    progress = Signal(int, int, bool)
    """Number of the hit shown (from 1, 0 for none), hits so far, whether that is all of them."""
    hit = Signal(object)
    """The `Span` to show."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search: Search | None = None
        self._shown: int | None = None
        self._wanted: tuple[int, bool] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)

    @property
    def hits(self) -> Hits:
        """Every hit so far."""
        if self._search is None:
            return Hits()
        return Hits(self._search.starts, len(self._search.wanted))

    @property
    def counts(self) -> tuple[int, int, bool]:
        """What ``progress`` last said."""
        if self._search is None:
            return 0, 0, True
        shown = 0 if self._shown is None else self._shown + 1
        return shown, len(self._search.starts), self._search.complete

    def find(self, search: Search, position: int, *, backwards: bool) -> None:
        """Go to the hit next to *position*; the same search is not done twice."""
        if not _same(self._search, search):
            self._search = search
        self._shown = None
        self._wanted = (position, backwards)
        self._timer.start()
        self._work()

    def stop(self) -> None:
        """Forget the search."""
        self._timer.stop()
        self._search = None
        self._shown = None
        self._wanted = None

    def _work(self) -> None:
        search = self._search
        if search is None:
            self._timer.stop()
            return
        until = time.monotonic() + _BUDGET
        while not search.complete and time.monotonic() < until:
            search.step()
        self._settle(search)
        if search.complete:
            self._timer.stop()
        self.progress.emit(*self.counts)

    def _settle(self, search: Search) -> None:
        """Go to the hit that was asked for as soon as it is certain which one it is."""
        if self._wanted is None:
            return
        position, backwards = self._wanted
        if not search.complete and not _decided(search, position, backwards=backwards):
            return
        self._wanted = None
        self._shown = search.near(position, backwards=backwards)
        if self._shown is not None:
            span: Span = search.span(self._shown)
            self.hit.emit(span)


def _decided(search: Search, position: int, *, backwards: bool) -> bool:
    """Whether hits still to come cannot be the one next to *position*."""
    if not search.starts:
        return False
    if backwards:
        return bool(search.starts[0] < position <= search.starts[-1])
    return bool(search.starts[-1] >= position)


def _same(one: Search | None, other: Search) -> bool:
    return (
        one is not None
        and one.text is other.text
        and (one.wanted, one.case, one.whole) == (other.wanted, other.case, other.whole)
    )
