"""Finds the colours of what is in sight, away from the interface thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from reviewer.window.presenters.syntax import Piece, pieces
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from store.records.text import Span

__all__ = ["Highlighter", "Languages", "nothing_known"]

_KIND = "highlight"
_PAUSE = 40
"""Milliseconds for which a view must stand still: what rushes by needs no colours."""
_MOST = 60_000
"""Code points in sight up to which there are colours; more are no text for reading."""

Languages = Callable[[Span], Sequence[tuple[Span, str]]]
"""Tells of a stretch which whole parts of the text meet it, and in which language they are."""


def nothing_known(stretch: Span) -> Sequence[tuple[Span, str]]:
    """Tell that no language is known."""
    del stretch
    return ()


class Highlighter(QObject):
    """Knows the coloured pieces of one stretch of a text: what is in sight and its surroundings.

    ``asked`` counts the stretches that were given to the worker.
    """

    ready = Signal(object)
    """The pieces of this `Span` are known."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.on = True
        self.asked = 0
        self.worker = Worker()  # without a parent: it ends its thread after the view
        self._text = ""
        self._languages: Languages = nothing_known
        self._wanted: Span | None = None
        self._known: Span | None = None
        self._pieces: Sequence[Piece] = ()
        self._starts: Sequence[int] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self._ask)

    def begin(self, text: str, languages: Languages) -> None:
        """Take another text; nothing of it is known."""
        self._text, self._languages = text, languages
        self._forget()

    def switch(self, *, on: bool) -> None:
        """Give colours, or give none and do nothing."""
        self.on = on
        self._forget()

    def want(self, stretch: Span) -> None:
        """Find the colours of *stretch*, unless they are known; what was wanted before is not."""
        if not self.on or self._languages is nothing_known or stretch == self._wanted:
            return
        self._wanted = stretch
        self.worker.cancel(_KIND)
        if self._known is not None and self._known.covers(stretch):
            self._timer.stop()
        elif stretch.length <= _MOST:
            self._timer.start()

    def knows(self, stretch: Span) -> bool:
        """Whether the pieces of all of *stretch* are known."""
        return self._known is not None and self._known.covers(stretch) and bool(self._pieces)

    def within(self, stretch: Span) -> Sequence[Piece]:
        """Return the known pieces that meet *stretch*."""
        if self._known is None or not self._known.overlaps(stretch):
            return ()
        first = max(bisect_left(self._starts, stretch.start) - 1, 0)
        found = self._pieces[first : bisect_left(self._starts, stretch.end)]
        return [one for one in found if one.end > stretch.start]

    def _forget(self) -> None:
        self._timer.stop()
        self.worker.cancel(_KIND)
        self._wanted = self._known = None
        self._pieces = self._starts = ()

    def _ask(self) -> None:
        stretch, text = self._wanted, self._text
        if stretch is None:
            return
        # A little more than is in sight, so that a step of the wheel finds its colours there.
        wider = Span(
            max(stretch.start - stretch.length // 2, 0),
            min(stretch.end + stretch.length // 2, len(text)),
        )
        languages = self._languages(wider)
        if not languages:
            self._known = wider
            self._pieces = self._starts = ()
            return
        self.asked += 1

        def work(token: CancelToken, _hand_over: object) -> list[Piece]:
            found: list[Piece] = []
            for body, language in languages:
                found += pieces(text, body, wider, language, token.check)
            return found

        self.worker.run(Operation(_KIND, work, lambda found: self._take(wider, found)))

    def _take(self, stretch: Span, found: Sequence[Piece]) -> None:
        self._known = stretch
        self._pieces = found
        self._starts = [one.start for one in found]
        self.ready.emit(stretch)
