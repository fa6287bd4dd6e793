"""What is marked in a text, what stands beside it, and what of it lies in a stretch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from store.records.text import Span

__all__ = ["KINDS", "Gutter", "Mark", "Spans"]

KINDS = (
    "heading",
    "removed",
    "added",
    "gap",
    "delivered",
    "preview",
    "placeholder",
    "cited",
    "found",
    "current",
)
"""Every kind of mark; where two meet, the later one decides what the eye meets first.

``heading`` is text of the program's own between pieces of evidence: it has a
look of its own, so that no evidence can pass for it.
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span of a text, in code points.  ``tip`` says in words what ``kind`` shows."""

    span: Span
    kind: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Gutter:
    """A label beside the lines that hold ``span``, in code points, with a bar of ``kind``."""

    span: Span
    label: str
    kind: str


class _Spanned(Protocol):
    @property
    def span(self) -> Span: ...


T = TypeVar("T", bound=_Spanned)


class Spans(Generic[T]):
    """Things with a span, found by stretch.

    They are kept by magnitude of their length: among spans of about one
    length those that meet a stretch stand next to each other when sorted by
    start, however many others there are and however they overlap.
    """

    def __init__(self, held: Sequence[T] = ()) -> None:
        self.held = tuple(held)
        by_size: dict[int, list[T]] = {}
        for one in held:
            by_size.setdefault(one.span.length.bit_length(), []).append(one)
        self._groups: list[tuple[int, list[int], list[T]]] = []
        for size, group in sorted(by_size.items()):
            group.sort(key=lambda one: one.span.start)
            self._groups.append((1 << size, [one.span.start for one in group], group))

    def __iter__(self) -> Iterator[T]:
        """Yield everything, in the order given."""
        return iter(self.held)

    def meeting(self, stretch: Span) -> list[T]:
        """Return what shares a code point with *stretch*, sorted by start."""
        found: list[T] = []
        for longest, starts, group in self._groups:
            first = bisect_left(starts, stretch.start - longest)
            end = bisect_left(starts, stretch.end)
            found += [one for one in group[first:end] if one.span.overlaps(stretch)]
        found.sort(key=lambda one: (one.span.start, one.span.end))
        return found
