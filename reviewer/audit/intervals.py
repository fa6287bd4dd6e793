"""Interval algebra on half-open spans of one thing, in one unit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from store.records.text import Span

__all__ = ["covers", "intersect", "joined", "length", "near", "subtract", "union"]


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the fewest spans, in order, that hold what *spans* hold.

    Spans that touch are joined; empty ones are dropped.
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if span.start == span.end:
            continue
        if joined and span.start <= joined[-1].end:
            if span.end > joined[-1].end:
                joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def subtract(wanted: Iterable[Span], taken: Iterable[Span]) -> tuple[Span, ...]:
    """Return the parts of *wanted* outside *taken*, joined and in order."""
    rest: list[Span] = []
    holes = union(taken)
    at = 0
    for span in union(wanted):
        start = span.start
        while at < len(holes) and holes[at].end <= start:
            at += 1
        probe = at
        while probe < len(holes) and holes[probe].start < span.end:
            if holes[probe].start > start:
                rest.append(Span(start, holes[probe].start))
            start = max(start, holes[probe].end)
            probe += 1
        if start < span.end:
            rest.append(Span(start, span.end))
    return tuple(rest)


def intersect(left: Iterable[Span], right: Iterable[Span]) -> tuple[Span, ...]:
    """Return what both hold, joined and in order."""
    ours, theirs = union(left), union(right)
    shared: list[Span] = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        both = ours[i].meet(theirs[j])
        if both:
            shared.append(both)
        if ours[i].end < theirs[j].end:
            i += 1
        else:
            j += 1
    return tuple(shared)


def near(joined: Sequence[Span], wanted: Sequence[Span]) -> Sequence[Span]:
    """Return those of *joined* that may meet *wanted*; both as `union` gives them.

    A question about one row of a table then does not cost its other rows.
    """
    if not wanted:
        return ()
    first = bisect_right(joined, wanted[0].start, key=lambda span: span.end)
    return joined[first : bisect_left(joined, wanted[-1].end, key=lambda span: span.start)]


def covers(holding: Iterable[Span], wanted: Iterable[Span]) -> bool:
    """Return whether *holding* holds all of *wanted*; nothing wanted is covered."""
    return not subtract(wanted, holding)


def length(spans: Iterable[Span]) -> int:
    """Return how many units *spans* hold, each counted once."""
    return sum(span.length for span in union(spans))


def joined(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap; spans that only touch stay apart, as they were asked for."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and span.start < made[-1].end:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        elif span.length:
            made.append(span)
    return made
