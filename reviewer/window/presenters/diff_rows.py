"""Two texts as rows side by side: equal lines beside each other, long lines cut to the width.

Positions count code points of the texts.  Nothing is left out: every code
point of both texts stands in exactly one row.  Nothing here imports Qt.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from store.records.differences import Change, TextComparison, TextPiece
from store.records.text import Span

__all__ = ["DiffRow", "DiffRows"]

_WIDE = re.compile(
    "[^\x00-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122\u2190-\u21ff\u2500-\u25ff]"
)
"""What may be wider than a letter, or is not known to be as wide."""
_EVERY = 2_000
"""Rows between two questions whether to stop."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row: ``a`` and ``b`` are what stands in it, ``None`` where that side has nothing.

    The line feed that ends a line belongs to its last row.  ``line_a`` and
    ``line_b`` count from 1 and are 0 where a row goes on with a line.
    """

    change: Change
    a: Span | None
    b: Span | None
    line_a: int
    line_b: int
    piece: TextPiece

    def side(self, *, of_b: bool) -> Span | None:
        """Return what stands on one side."""
        return self.b if of_b else self.a

    def changed(self, *, of_b: bool) -> Iterator[Span]:
        """Yield what of one side was changed, in the text: words, or the whole."""
        here = self.side(of_b=of_b)
        if here is None or self.change is Change.SAME:
            return
        words = self.piece.words
        if not words:
            yield here
            return
        ends = [attrgetter("b.end" if of_b else "a.end"), attrgetter("b" if of_b else "a")]
        for word in islice(words, bisect_right(words, here.start, key=ends[0]), None):
            span: Span = ends[1](word)
            if span.start >= here.end:
                return
            if word.change is not Change.SAME:
                yield span


class DiffRows:
    """The rows of a comparison, *columns* characters wide; made in a worker."""

    def __init__(
        self,
        text_a: str,
        text_b: str,
        comparison: TextComparison,
        columns: int,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Lay out both texts; *check* is called now and then and may raise to stop."""
        self.text_a = text_a
        self.text_b = text_b
        self.columns = columns
        self._pieces = comparison.pieces
        self._check = check
        # Each row: piece, then start and end in A and in B (-1: nothing), then both line numbers.
        self._rows = array("q")
        self._line_a = self._line_b = 0
        self._starts: tuple[array[int], array[int]] = (array("q"), array("q"))
        self._at: tuple[array[int], array[int]] = (array("q"), array("q"))
        self.changes: list[int] = []
        """The rows at which differences begin."""
        for number, piece in enumerate(self._pieces):
            if piece.change is not Change.SAME:
                before = self._pieces[number - 1].change if number else Change.SAME
                if before is Change.SAME:
                    self.changes.append(len(self))
            self._add(number, piece)

    def __len__(self) -> int:
        return len(self._rows) // 7

    @property
    def lines(self) -> tuple[int, int]:
        """How many lines both texts have."""
        return self._line_a, self._line_b

    def row(self, number: int) -> DiffRow:
        """Return one row."""
        piece, a, a_end, b, b_end, line_a, line_b = self._rows[7 * number : 7 * number + 7]
        held = self._pieces[piece]
        return DiffRow(
            held.change,
            Span(a, a_end) if a >= 0 else None,
            Span(b, b_end) if b >= 0 else None,
            line_a,
            line_b,
            held,
        )

    def row_at(self, position: int, *, of_b: bool) -> int | None:
        """Return the row in which a position of one text stands."""
        place = bisect_right(self._starts[of_b], position) - 1
        return self._at[of_b][place] if place >= 0 else None

    def rows_of(self, span: Span, *, of_b: bool) -> range:
        """Return the rows in which something of *span* stands."""
        first = self.row_at(span.start, of_b=of_b)
        last = self.row_at(max(span.start, span.end - 1), of_b=of_b)
        return range(0) if first is None or last is None else range(first, last + 1)

    def step(self, row: int, by: int) -> int | None:
        """Return where the next difference begins, or with -1 the one before."""
        place = bisect_right(self.changes, row)
        if by > 0:
            return self.changes[place] if place < len(self.changes) else None
        place = bisect_right(self.changes, row - 1) - 1
        return self.changes[place] if place >= 0 else None

    # -- laying out ------------------------------------------------------------------

    def _add(self, number: int, piece: TextPiece) -> None:
        if piece.change is Change.SAME:
            self._add_same(number, piece)
            return
        lines_a = list(_lines(self.text_a, piece.a))
        lines_b = list(_lines(self.text_b, piece.b))
        for a, b in _aligned(piece, lines_a, lines_b):
            self._add_lines(number, piece, a, b)

    def _add_same(self, number: int, piece: TextPiece) -> None:
        """Lay out lines that are equal: most of two texts, so that every step counts."""
        text, apart = self.text_a, piece.b.start - piece.a.start
        rows = len(self)
        for line in _lines(text, piece.a):
            self._line_a += 1
            self._line_b += 1
            lines = (self._line_a, self._line_b)
            room = self._room(line, None) if line.length > self.columns // 2 else line.length
            at = line.start
            while at < line.end:
                to = at + _fitting(text, at, line.end, room)
                self._rows.extend((number, at, to, at + apart, to + apart, *lines))
                self._starts[0].append(at)
                self._starts[1].append(at + apart)
                self._at[0].append(rows)
                self._at[1].append(rows)
                rows += 1
                at, lines = to, (0, 0)
                if rows % _EVERY == 0:
                    self._check()

    def _add_lines(self, number: int, piece: TextPiece, a: Span | None, b: Span | None) -> None:
        self._line_a += a is not None
        self._line_b += b is not None
        lines = (self._line_a if a else 0, self._line_b if b else 0)
        for row_a, row_b in self._cut(piece, a, b):
            self._put(number, row_a, row_b, lines)
            lines = (0, 0)

    def _put(self, number: int, a: Span | None, b: Span | None, lines: tuple[int, int]) -> None:
        row = len(self)
        if row % _EVERY == 0:
            self._check()
        for of_b, span in enumerate((a, b)):
            if span is not None:
                self._starts[of_b].append(span.start)
                self._at[of_b].append(row)
        ends = [(-1, -1) if span is None else (span.start, span.end) for span in (a, b)]
        self._rows.extend((number, *ends[0], *ends[1], *lines))

    def _cut(
        self, piece: TextPiece, a: Span | None, b: Span | None
    ) -> Iterator[tuple[Span | None, Span | None]]:
        """Yield a pair of lines in rows that fit; behind each change both go on together."""
        room = self._room(a, b)
        if max(_length(a), _length(b)) <= room:
            yield a, b
            return
        if a is None or b is None:
            yield from self._alone(a, b, room)
            return
        texts = (self.text_a, self.text_b)
        yield from _Flow(texts, (a.start, b.start), room).rows(_segments(piece, a, b))

    def _alone(
        self, a: Span | None, b: Span | None, room: int
    ) -> Iterator[tuple[Span | None, Span | None]]:
        """Yield the rows of a line that has none beside it."""
        text, line = (self.text_a, a) if a is not None else (self.text_b, b)
        at, end = (line.start, line.end) if line is not None else (0, 0)
        while at < end:
            to = at + _fitting(text, at, end, room)
            yield (Span(at, to), None) if a is not None else (None, Span(at, to))
            at = to

    def _room(self, a: Span | None, b: Span | None) -> int:
        """Return how many code points fit; where a text may have wide ones, half as many."""
        wide = (a is not None and _WIDE.search(self.text_a, a.start, a.end)) or (
            b is not None and _WIDE.search(self.text_b, b.start, b.end)
        )
        return max(1, self.columns // 2 if wide else self.columns)


class _Flow:
    """Puts segments of a pair of long lines into rows."""

    def __init__(self, texts: tuple[str, str], starts: tuple[int, int], room: int) -> None:
        self._texts = texts
        self._from = list(starts)
        self._to = list(starts)
        self._room = room

    def rows(
        self, segments: Iterable[tuple[Span, Span, bool]]
    ) -> Iterator[tuple[Span | None, Span | None]]:
        for a, b, same in segments:
            while self._to[0] < a.end or self._to[1] < b.end:
                used = [to - start for to, start in zip(self._to, self._from, strict=True)]
                if same:
                    fits = self._fits(0, a.end, self._room - max(used))
                    takes = (fits, fits)
                else:
                    takes = (
                        self._fits(0, a.end, self._room - used[0]),
                        self._fits(1, b.end, self._room - used[1]),
                    )
                if takes == (0, 0):
                    yield self._row()
                self._to = [to + take for to, take in zip(self._to, takes, strict=True)]
        if self._to != self._from:
            yield self._row()

    def _fits(self, side: int, end: int, room: int) -> int:
        """Return how much of a segment is taken; a word goes to the next row as a whole."""
        return _fitting(self._texts[side], self._to[side], end, room, first=room == self._room)

    def _row(self) -> tuple[Span | None, Span | None]:
        spans = [Span(*ends) for ends in zip(self._from, self._to, strict=True)]
        self._from = list(self._to)
        a, b = (span if span.length else None for span in spans)
        return a, b


def _segments(piece: TextPiece, a: Span, b: Span) -> Iterator[tuple[Span, Span, bool]]:
    """Yield what two lines have in common and what not, in order, both covered whole."""
    at = (a.start, b.start)
    first = bisect_right(piece.words, a.start, key=lambda word: word.a.end)
    first = min(first, bisect_right(piece.words, b.start, key=lambda word: word.b.end))
    for word in islice(piece.words, first, None):
        if word.a.start >= a.end and word.b.start >= b.end:
            break
        if word.change is not Change.SAME:
            continue
        # Of an equal stretch that which lies in both lines.
        skip = max(at[0] - word.a.start, at[1] - word.b.start, 0)
        size = min(word.a.end, a.end) - word.a.start - skip
        size = min(size, min(word.b.end, b.end) - word.b.start - skip)
        if size <= 0:
            continue
        here = (word.a.start + skip, word.b.start + skip)
        if here > at:
            yield Span(at[0], here[0]), Span(at[1], here[1]), False
        at = (here[0] + size, here[1] + size)
        yield Span(here[0], at[0]), Span(here[1], at[1]), True
    if at != (a.end, b.end):
        yield Span(at[0], a.end), Span(at[1], b.end), False


def _lines(text: str, span: Span) -> Iterator[Span]:
    at = span.start
    while at < span.end:
        end = text.find("\n", at, span.end) + 1 or span.end
        yield Span(at, end)
        at = end


def _aligned(
    piece: TextPiece, a: Sequence[Span], b: Sequence[Span]
) -> Iterator[tuple[Span | None, Span | None]]:
    """Yield the lines of a piece in pairs: those that have words in common beside each other."""
    done_a = done_b = 0
    for line_a, line_b in (*_pairs(piece, a, b), (len(a), len(b))):
        alone_a, alone_b = a[done_a:line_a], b[done_b:line_b]
        for number in range(max(len(alone_a), len(alone_b))):
            yield (
                alone_a[number] if number < len(alone_a) else None,
                alone_b[number] if number < len(alone_b) else None,
            )
        if line_a < len(a):
            yield a[line_a], b[line_b]
        done_a, done_b = line_a + 1, line_b + 1


def _pairs(piece: TextPiece, a: Sequence[Span], b: Sequence[Span]) -> Iterator[tuple[int, int]]:
    starts_a, starts_b = [line.start for line in a], [line.start for line in b]
    last = (-1, -1)
    for word in piece.words:
        if word.change is Change.SAME:
            pair = (
                bisect_right(starts_a, word.a.start) - 1,
                bisect_right(starts_b, word.b.start) - 1,
            )
            if pair[0] > last[0] and pair[1] > last[1]:
                yield pair
                last = pair


def _length(span: Span | None) -> int:
    return span.length if span is not None else 0


def _fitting(text: str, start: int, end: int, room: int, *, first: bool = True) -> int:
    """Return how many code points from *start* fit, cut behind a space where there is one.

    In a row that holds something already (not *first*) nothing need fit.
    """
    size = min(end - start, max(0, room))
    if start + size >= end or not size:
        return size
    space = text.rfind(" ", start + (size // 2 if first else 0), start + size)
    if space >= 0:
        return space + 1 - start
    plain = text[start + size - 1].isascii() and text[start + size].isascii()
    return size if first or not plain else 0
