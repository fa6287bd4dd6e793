"""Where a quotation stands in a text: an outcome, never a boolean.

Only equality counts: first of the text as recorded, then under one named
normalisation.  Similar passages settle nothing and are not looked for here.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from store.records.citations import Citation
from store.records.findings import Anchor
from store.records.text import Span

__all__ = [
    "NORMALISATION",
    "Anchored",
    "anchor",
    "as_marked",
    "how_many",
    "mismatch",
    "normalised",
    "whole_lines",
    "within",
]

NORMALISATION = "reread-1"
"""Name of the normalisation: white space runs become one space, typographic
quotation marks and dashes their ASCII forms, soft hyphens and zero-width
characters nothing.  Change the rule, change the name."""

_FOLD = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_DROPPED = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_GAP = re.compile(rf"[{_DROPPED}]*+(\s)[\s{_DROPPED}]*+|[{_DROPPED}]++")
"""What becomes one space, or nothing; the group is its first white space."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """The outcome and every place it rests on, in code points of the text."""

    outcome: Anchor
    places: tuple[Span, ...] = ()


def anchor(quote: str, text: str, at: Span | None = None) -> Anchored:
    """Say where *quote* stands in *text*; *at* is where the citation puts it.

    A blank quotation is an orphan: it names nothing, unless it is what stands there.
    """
    if at is not None and at.length and text[at.start : at.end] == quote:
        return Anchored(Anchor.EXACT, (at,))
    if not normalised(quote):
        return Anchored(Anchor.ORPHAN)
    if at is not None and normalised(text[at.start : at.end]) == normalised(quote):
        return Anchored(Anchor.NORMALISED, (at,))
    places = _occurrences(quote, text)
    if places:
        alone = Anchor.EXACT if at is None else Anchor.RELOCATED
        return Anchored(alone if len(places) == 1 else Anchor.AMBIGUOUS, places)
    folded = _kept_fold(text)
    places = tuple(map(folded.origin, _occurrences(normalised(quote), folded.text)))
    if not places:
        return Anchored(Anchor.ORPHAN)
    alone = Anchor.NORMALISED if at is None else Anchor.RELOCATED
    return Anchored(alone if len(places) == 1 else Anchor.AMBIGUOUS, places)


def how_many(places: tuple[Span, ...]) -> str:
    """Say how many places were found; the search stops where more would change nothing."""
    return f"{len(places)} or more" if len(places) >= _ENOUGH else str(len(places))


def normalised(text: str) -> str:
    """Return *text* under the normalisation `NORMALISATION`, without outer white space."""
    return _fold(text).text.strip()


def _occurrences(needle: str, text: str) -> tuple[Span, ...]:
    """Every place of *needle*, overlapping ones too, but no more than it takes to be ambiguous."""
    places: list[Span] = []
    at = text.find(needle) if needle else -1
    while at >= 0 and len(places) < _ENOUGH:
        places.append(Span(at, at + len(needle)))
        at = text.find(needle, at + 1)
    return tuple(places)


_ENOUGH = 20
"""Two places already make a quotation ambiguous; a reviewer is shown up to this many."""


class _Folded(NamedTuple):
    """A text under the normalisation; from ``at[i]`` on its places moved by ``moved[i]``."""

    text: str
    at: Sequence[int]
    moved: Sequence[int]

    def origin(self, found: Span) -> Span:
        """Return where *found* stood in the text as recorded."""
        return Span(self._before(found.start), self._before(found.end - 1) + 1)

    def _before(self, place: int) -> int:
        return place + self.moved[bisect_right(self.at, place) - 1]


def _fold(text: str) -> _Folded:
    pieces: list[str] = []
    at, moved = array("q", [0]), array("q", [0])
    done = length = 0
    for found in _GAP.finditer(text):
        pieces.append(text[done : found.start()])
        length += found.start() - done
        done = found.end()
        if found[1]:
            _move(at, moved, length, found.start(1))
            pieces.append(" ")
            length += 1
        _move(at, moved, length, done)
    pieces.append(text[done:])
    return _Folded("".join(pieces).translate(_FOLD), at, moved)


def _move(at: array[int], moved: array[int], place: int, origin: int) -> None:
    if moved[-1] != origin - place:
        at.append(place)
        moved.append(origin - place)


# A long version is cited many times, and the citations of one version mostly follow each other.
_kept_fold = lru_cache(maxsize=4)(_fold)


def as_marked(citation: Citation) -> Anchor:
    """Whether the recorded place in the answer holds the words it means, where that was looked at.

    A place that only another unit leads to is no exact one.
    """
    offsets = citation.offsets
    if offsets is None:
        return Anchor.NONE
    if offsets.fits[:1] == (offsets.documented,):
        return Anchor.EXACT
    return Anchor.RELOCATED if offsets.drift is not None else Anchor.ORPHAN


def within(quote: str, text: str, at: Span) -> Anchored | None:
    """Whether the quotation stands somewhere in a block, page, line or row that is cited whole."""
    inner = anchor(quote, text[at.start : at.end])
    if inner.outcome is Anchor.ORPHAN:
        return None
    outcome = Anchor.EXACT if quote in text[at.start : at.end] else Anchor.NORMALISED
    return Anchored(outcome, tuple(place.moved(at.start) for place in inner.places))


def mismatch(outcome: Anchor, places: tuple[Span, ...]) -> str:
    """Say where the quoted words stand, *outcome* being other than where they are cited."""
    if outcome is Anchor.RELOCATED:
        return f"the quoted words stand elsewhere, at [{places[0].start}:{places[0].end}]"
    if outcome is Anchor.AMBIGUOUS:
        return f"the quoted words are not at the span, and stand in {how_many(places)} places"
    return f"the quoted words stand nowhere in the version, not even under {NORMALISATION}"


def whole_lines(text: str, place: Span) -> Span:
    """Return the lines of *text* that hold *place*, from their first character on."""
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.end)
    return Span(start, len(text) if end < 0 else end)
