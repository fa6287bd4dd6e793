"""Finding in one text, a slice at a time, with every offset kept."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

from reviewer.window.views.text_lines import word_at
from store.records.text import Span

__all__ = ["Search"]

_SLICE = 1 << 16
"""Code points looked through in one step: a few milliseconds, even where each one is a hit."""

_CJK = re.compile(
    "[\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


class Search:
    """All places of *wanted* in *text*, which do not overlap each other.

    Without *case* letters are compared one by one, never folded to several,
    so that a hit is as long as what was wanted.  *whole* asks for whole words;
    an edge of *wanted* in a script that is written without spaces is a word's
    edge anywhere.
    """

    def __init__(self, text: str, wanted: str, *, case: bool = False, whole: bool = False) -> None:
        self.text = text
        self.wanted = wanted
        self.case = case
        self.whole = whole
        self.starts = array("I")
        self._reached = 0 if wanted else len(text)
        self._next = 0
        before = r"(?<!\w)" if whole and wanted and _needs_edge(wanted[0]) else ""
        behind = r"(?!\w)" if whole and wanted and _needs_edge(wanted[-1]) else ""
        self._pattern = re.compile(
            before + re.escape(wanted) + behind, re.NOFLAG if case else re.IGNORECASE
        )

    @property
    def complete(self) -> bool:
        """Whether all of the text has been looked through."""
        return self._reached >= len(self.text)

    def step(self) -> bool:
        """Look through one more slice; return whether that was the last."""
        stop = min(self._reached + _SLICE, len(self.text))
        # One more than a hit, for what must not follow a whole word.
        reach = min(stop + len(self.wanted) + 1, len(self.text))
        place = max(self._reached, self._next)
        for found in self._pattern.finditer(self.text, place, reach):
            if found.start() >= stop:
                break
            self.starts.append(found.start())
            self._next = found.end()
        self._reached = stop
        return self.complete

    def near(self, position: int, *, backwards: bool) -> int | None:
        """Return the number, from 0, of the first hit from *position* on, or the last before it.

        The search goes on at the other end.  ``None`` where nothing was found.
        """
        if not self.starts:
            return None
        at = bisect_left(self.starts, position)
        return (at - 1) % len(self.starts) if backwards else at % len(self.starts)

    def span(self, number: int) -> Span:
        """Return the place of hit *number*, from 0."""
        start = self.starts[number]
        return Span(start, start + len(self.wanted))


def _needs_edge(char: str) -> bool:
    """Whether a word that ends with *char* ends where no further letter follows."""
    return word_at(char, 0).length == 1 and bool(re.match(r"\w", char)) and not _CJK.match(char)
