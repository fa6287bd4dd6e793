"""Marks of a text by position: which lie in a stretch, found without walking the others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from reviewer.window.presenters.marks import KINDS, Gutter, Mark, Spans
from store.records.text import Span

__all__ = ["Gutter", "Hits", "Mark", "Spans", "segments"]


class Hits:
    """Places of equal length where something was found: millions of them at four bytes each."""

    def __init__(self, starts: Sequence[int] = (), length: int = 0) -> None:
        self.starts = starts
        self.length = length

    def meeting(self, stretch: Span) -> Iterator[Span]:
        """Yield the places that share a code point with *stretch*, ascending."""
        if not self.length:
            return
        first = bisect_right(self.starts, stretch.start - self.length)
        for at in range(first, bisect_left(self.starts, stretch.end)):
            start = self.starts[at]
            yield Span(start, start + self.length)


_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def segments(stretch: Span, marks: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, list[str]]]:
    """Cut *stretch* where marks begin and end; yield each marked piece with its kinds.

    The kinds are in the order of `KINDS`: the last one decides.
    """
    inside = [(both, kind) for span, kind in marks if (both := span.meet(stretch))]
    changes: dict[int, list[tuple[int, str]]] = {}
    for span, kind in inside:
        changes.setdefault(span.start, []).append((1, kind))
        changes.setdefault(span.end, []).append((-1, kind))
    held: dict[str, int] = {}
    before = stretch.start
    for place in sorted(changes):
        kinds = [kind for kind, count in held.items() if count]
        if kinds and place > before:
            yield Span(before, place), sorted(kinds, key=lambda kind: _RANK.get(kind, 0))
        for step, kind in changes[place]:
            held[kind] = held.get(kind, 0) + step
        before = place
