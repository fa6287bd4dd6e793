"""Whether an expected text stands in a view of a part, and which pieces of it.

The place is known here (a selection or an offset in the payload gave it); the
proof is the text found.  White space is no difference, but white space at the
edge of a piece counts only where it is present.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.intervals import union
from reviewer.audit.seams import apart
from reviewer.audit.seeds import ENOUGH, Piece, SeedIndex
from reviewer.audit.skeleton import Skeleton, common_head
from store.records.text import Span

__all__ = ["Match", "Target", "find", "matched"]

_HEADS = 8
"""So many places where the head of a text may start are compared; the longest wins."""


class Match(NamedTuple):
    """``view`` and ``target`` hold the same text; ``exact`` if white space too."""

    view: Span
    target: Span
    exact: bool


class Target:
    """A text that is looked for, prepared once for many views."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def skeleton(self) -> Skeleton:
        """The text without its white space."""
        return Skeleton(self.text)

    @cached_property
    def seeds(self) -> SeedIndex:
        """Windows of the skeleton."""
        return SeedIndex([self.skeleton.text])

    @cached_property
    def is_short(self) -> bool:
        """Whether it is too short to prove anything in the middle of other text."""
        return len(self.text) < 4 * ENOUGH and len(self.skeleton.text) < ENOUGH

    @property
    def whole(self) -> Span:
        """All of the text."""
        return Span(0, len(self.text))


def find(target: Target, view: Target, taken: Iterable[Span] = ()) -> tuple[Match, ...]:
    """Return where *target* or pieces of it stand in *view*, outside *taken* of the view.

    One match when all of it is there.  Pieces are at least `ENOUGH` ink
    characters long and must fit one place of the target; its head may stand
    elsewhere in it too where the view begins with it.
    """
    used = union(taken)
    whole = _whole(target.text, target, view, used)
    if whole:
        return (whole,)
    line = target.text.removesuffix("\n")
    if target.is_short and line != target.text:
        cut = _whole(line, target, view, used)
        return (cut,) if cut else ()
    if len(target.skeleton.text) < ENOUGH or len(view.skeleton.text) < ENOUGH:
        return ()
    inked = _whole_ink(target, view, used)
    if inked:
        return (inked,)
    return tuple(_pieces(target, view, used))


def _whole(words: str, target: Target, view: Target, used: Sequence[Span]) -> Match | None:
    """All of *words*, which begin *target*; short ones must stand alone on their lines."""
    text, size = view.text, len(words)
    if not size:
        return None
    found = Span(0, size)
    if size == len(text) and not used and text == words:
        return Match(found, found, exact=True)
    short = target.is_short
    if short and not target.skeleton.text:
        return None
    at = text.find(words)
    while at >= 0:
        place = found.moved(at)
        if _free(place, used) and (not short or _stands_alone(text, place)):
            return Match(place, found, exact=True)
        at = text.find(words, at + 1)
    return None


_BEHIND = re.compile(r"[^\S\n]*(?:\n|\Z)")


def _stands_alone(text: str, place: Span) -> bool:
    line_start = text.rfind("\n", 0, place.start) + 1
    before = text[line_start : place.start]
    return not before.strip() and (
        text[place.start : place.end].endswith("\n") or bool(_BEHIND.match(text, place.end))
    )


def _whole_ink(target: Target, view: Target, used: Sequence[Span]) -> Match | None:
    needle, hay = target.skeleton.text, view.skeleton.text
    at = hay.find(needle)
    while at >= 0:
        match = matched(target, view, Piece(at, 0, 0, len(needle)))
        if _free(match.view, used):
            return match
        at = hay.find(needle, at + 1)
    return None


def _pieces(target: Target, view: Target, used: Sequence[Span]) -> list[Match]:
    found: list[Piece] = []
    head = _head(target, view, used)
    if head:
        found.append(head)
        used = union([*used, matched(target, view, head).view])
    alone = target.seeds.alone(view.skeleton.text)
    found += (piece for piece in alone if _free(matched(target, view, piece).view, used))
    joined = apart(found, [target.skeleton], view.skeleton)
    return [matched(target, view, piece) for piece in joined]


def _head(target: Target, view: Target, used: Sequence[Span]) -> Piece | None:
    needle, hay = target.skeleton.text, view.skeleton.text
    best: Piece | None = None
    at = hay.find(needle[:ENOUGH])
    for _ in range(_HEADS):
        if at < 0:
            break
        length = common_head(hay, at, needle, 0)
        if at and needle.find(needle[:length], 1) >= 0:
            at = hay.find(needle[:ENOUGH], at + 1)
            continue  # the head of a text that repeats itself: it may be any of its places
        piece = Piece(at, 0, 0, length)
        longer = best is None or length > best.length
        if longer and _free(matched(target, view, piece).view, used):
            best = piece
        at = hay.find(needle[:ENOUGH], at + 1)
    return best


def matched(target: Target, view: Target, piece: Piece) -> Match:
    """Turn a piece of the skeletons into places of the texts, with the white space at its edges."""
    there = target.skeleton.back(Span(piece.start, piece.start + piece.length))
    here = view.skeleton.back(Span(piece.at, piece.at + piece.length))
    behind = _shared_space(target.text, there.end, view.text, here.end, 1)
    before = _shared_space(target.text, there.start - 1, view.text, here.start - 1, -1)
    there = Span(there.start - before, there.end + behind)
    here = Span(here.start - before, here.end + behind)
    exact = target.text[there.start : there.end] == view.text[here.start : here.end]
    return Match(here, there, exact)


def _shared_space(left: str, i: int, right: str, j: int, step: int) -> int:
    count = 0
    while 0 <= i < len(left) and 0 <= j < len(right) and left[i] == right[j] and left[i].isspace():
        count += 1
        i += step
        j += step
    return count


def _free(place: Span, used: Sequence[Span]) -> bool:
    return not any(place.overlaps(span) for span in used)
