"""Positions in recorded text.

A span is always ``[start, end)`` in Unicode code points of one immutable
text, as in the W3C Web Annotation model and in Python slicing.  JavaScript and
Qt count UTF-16 code units, Gemini counts UTF-8 bytes, editors count lines from
1.  Every conversion between them goes through `TextIndex`, so that an offset
on screen, in a report and in the store names the same characters.

A conversion that lands inside a character is an error, never rounded.  Nothing
here reads files, talks to a database or imports Qt.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

__all__ = ["InsideCharacterError", "OutsideTextError", "Span", "TextIndex", "Unit"]


class Unit(StrEnum):
    """What the numbers of a span count.

    ``CHAR`` counts code points from 0.  ``LINE`` counts lines from 1, as
    editors do, and stays half-open: lines 3 to 9 are ``[3, 10)``.  ``ROW``
    counts records of a table from 0, ``PAGE`` pages from 1.  ``BLOCK`` has no
    numbers: blocks are named.
    """

    CHAR = "char"
    LINE = "line"
    ROW = "row"
    BLOCK = "block"
    PAGE = "page"


class OutsideTextError(ValueError):
    """A position lies before the start or behind the end of the text."""


class InsideCharacterError(ValueError):
    """A position in another unit falls inside one character."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)``.

    An empty span (``start == end``) is legal: it marks a position.  It is
    true in a boolean sense like any other record; ask for ``length``.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    @property
    def length(self) -> int:
        """How many units the span holds."""
        return self.end - self.start

    def covers(self, other: Span) -> bool:
        """Return whether all of *other* lies in this span."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share at least one unit."""
        return max(self.start, other.start) < min(self.end, other.end)

    def meet(self, other: Span) -> Span | None:
        """Return what both hold, or ``None`` when they share nothing."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Span(start, end) if start < end else None

    def moved(self, by: int) -> Span:
        """Return the span *by* units further on."""
        return Span(self.start + by, self.end + by)


_WIDE = re.compile("[\U00010000-\U0010ffff]")
_STRIDE = 256
"""Code points between two UTF-8 checkpoints: 4 bytes a checkpoint, microseconds a look-up."""


class TextIndex:
    r"""Convert positions of one text between code points, UTF-16, UTF-8 and lines.

    Each part is built at its first use, in one pass over the text.  Lone
    surrogates count one code unit in UTF-16 and three bytes in UTF-8 (as
    written with ``surrogatepass``).  Lines end at ``\n`` only; CR, U+2028 and
    the like are characters of a line.

    >>> index = TextIndex("a\U0001F914b")
    >>> index.to_utf16(2), index.to_utf8(2)
    (3, 5)
    """

    __slots__ = ("_bytes", "_lines", "_wide", "_wide16", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._wide: list[int] | None = None
        self._wide16: list[int] = []
        self._bytes: list[int] | None = None
        self._lines: list[int] | None = None

    # -- UTF-16 ---------------------------------------------------------------

    def to_utf16(self, position: int) -> int:
        """Return the UTF-16 code unit offset of code point *position*."""
        self._check(position)
        return position + bisect_left(self._wide_points(), position)

    def from_utf16(self, offset: int) -> int:
        """Return the code point at UTF-16 code unit *offset*.

        Raises `InsideCharacterError` between the halves of a surrogate pair
        and `OutsideTextError` outside the text.
        """
        wide = self._wide_points()
        if not 0 <= offset <= len(self.text) + len(wide):
            raise OutsideTextError(f"UTF-16 offset {offset} outside the text")
        before = bisect_left(self._wide16, offset)
        if before and self._wide16[before - 1] + 1 == offset:
            raise InsideCharacterError(f"UTF-16 offset {offset} splits a surrogate pair")
        return offset - before

    def _wide_points(self) -> list[int]:
        if self._wide is None:
            if self.text.isascii():
                self._wide = []
            else:
                self._wide = [found.start() for found in _WIDE.finditer(self.text)]
            self._wide16 = [point + rank for rank, point in enumerate(self._wide)]
        return self._wide

    # -- UTF-8 ----------------------------------------------------------------

    def to_utf8(self, position: int) -> int:
        """Return the byte offset of code point *position* in UTF-8."""
        self._check(position)
        if self.text.isascii():
            return position
        checkpoint = position // _STRIDE
        start = checkpoint * _STRIDE
        return self._checkpoints()[checkpoint] + _utf8_length(self.text[start:position])

    def from_utf8(self, offset: int) -> int:
        """Return the code point at UTF-8 byte *offset*.

        Raises `InsideCharacterError` inside a multi-byte character and
        `OutsideTextError` outside the text.
        """
        if self.text.isascii():
            self._check(offset)
            return offset
        points = self._checkpoints()
        if not 0 <= offset <= points[-1]:
            raise OutsideTextError(f"byte offset {offset} outside the text")
        checkpoint = bisect_right(points, offset) - 1
        start = min(checkpoint * _STRIDE, len(self.text))
        rest = offset - points[checkpoint]
        window = self.text[start : start + _STRIDE]
        if rest == 0:
            return start
        reached = 0
        for count, char in enumerate(window, 1):
            reached += _utf8_length(char)
            if reached == rest:
                return start + count
            if reached > rest:
                break
        raise InsideCharacterError(f"byte offset {offset} splits a character")

    def _checkpoints(self) -> list[int]:
        if self._bytes is None:
            text = self.text
            sizes = (_utf8_length(text[at : at + _STRIDE]) for at in range(0, len(text), _STRIDE))
            self._bytes = list(accumulate(sizes, initial=0))
        return self._bytes

    # -- lines ----------------------------------------------------------------

    @property
    def line_count(self) -> int:
        r"""How many lines there are; a final ``\n`` ends the last one and begins none."""
        starts = self._line_starts()
        ends_open = len(self.text) > starts[-1]
        return len(starts) if ends_open or not self.text else len(starts) - 1

    def line_of(self, position: int) -> int:
        r"""Return the line, from 1, that holds code point *position*; a ``\n`` ends its line."""
        self._check(position)
        return bisect_right(self._line_starts(), position)

    def line_span(self, first: int, end: int | None = None) -> Span:
        r"""Return the code points of lines ``[first, end)``, with their ``\n``.

        *end* defaults to ``first + 1``.  Raises `OutsideTextError` when a line
        does not exist.
        """
        end = first + 1 if end is None else end
        if not 1 <= first <= end <= self.line_count + 1:
            raise OutsideTextError(f"lines [{first}, {end}) outside 1 to {self.line_count}")
        return Span(self._line_start(first), self._line_start(end))

    def _line_start(self, line: int) -> int:
        """Where *line* starts; behind the last one the text ends."""
        starts = self._line_starts()
        return starts[line - 1] if line <= len(starts) else len(self.text)

    def _line_starts(self) -> list[int]:
        if self._lines is None:
            self._lines = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return self._lines

    def _check(self, position: int) -> None:
        if not 0 <= position <= len(self.text):
            raise OutsideTextError(f"position {position} outside [0, {len(self.text)}]")


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
