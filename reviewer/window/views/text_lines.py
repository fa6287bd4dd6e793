r"""Rows of a text: its lines, split at ``\n`` only, and long lines folded visibly.

A view draws rows.  A line of more than `FOLD` code points becomes several
rows, so that no line is too long to lay out; `Rows.folded` says where, and the
view shows it.  Rows are found slice by slice: a text of 50 MB must not hold the
interface up.  Positions are code points of the text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right

from store.records.text import Span

__all__ = ["FOLD", "Rows", "word_at"]

FOLD = 800
"""Code points of a row before it is folded."""

_SLICE = 1 << 16
"""Code points looked at in one step: a few milliseconds."""

_LOOK_BACK = 32
"""How far a fold moves back so as not to part a letter from its accents."""

_LINE_END = re.compile("\n")


class Rows:
    """Where each row of one text begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = array("I", [0])
        self._folds = array("I")
        self._reached = 0
        self.step()

    @property
    def complete(self) -> bool:
        """Whether all of the text has been looked at."""
        return self._reached >= len(self.text)

    @property
    def known(self) -> int:
        """Up to which code point rows are known; behind it they are still to be found."""
        return len(self.text) if self.complete else self._starts[-1]

    def step(self) -> bool:
        """Look at one more slice; return whether that was the last."""
        stop = min(self._reached + _SLICE, len(self.text))
        starts = self._starts
        for found in _LINE_END.finditer(self.text, self._reached, stop):
            end = found.end()
            if end - starts[-1] > FOLD + 1:
                self._fold(end - 1)
            starts.append(end)
        self._reached = stop
        # What follows may still end the line within its length: fold only what surely is too long.
        self._fold(stop)
        return self.complete

    def _fold(self, end: int) -> None:
        starts = self._starts
        while end - starts[-1] > FOLD:
            at = self._break(starts[-1] + FOLD)
            self._folds.append(len(starts))
            starts.append(at)

    def _break(self, at: int) -> int:
        for place in range(at, at - _LOOK_BACK, -1):
            if not _clings(self.text[place - 1], self.text[place]):
                return place
        return at

    def __len__(self) -> int:
        """How many rows are known; there is always one."""
        return len(self._starts)

    def span(self, row: int) -> Span:
        r"""Return the code points of *row*, without the ``\n`` that ends it."""
        start = self._starts[row]
        if row + 1 < len(self._starts):
            end = self._starts[row + 1]
            return Span(start, end if self.folded(row) else end - 1)
        if self.complete:
            return Span(start, len(self.text))
        return Span(start, self._reached)

    def end(self, row: int) -> int:
        r"""Return where the row after *row* begins: behind its ``\n`` if it has one."""
        return self._starts[row + 1] if row + 1 < len(self._starts) else self.span(row).end

    def row_of(self, position: int) -> int:
        """Return the row that holds *position*; one at a fold belongs to the row that follows."""
        return bisect_right(self._starts, position) - 1

    def position_down(self, part: int, parts: int) -> int:
        """Return the first position that does not stand above *part* of *parts* of the text."""
        if not self.complete:
            return -(-part * len(self.text) // parts)
        row = -(-part * len(self) // parts)
        return self._starts[row] if row < len(self) else len(self.text) + 1

    def folded(self, row: int) -> bool:
        """Whether the line goes on in the row after *row*."""
        return self._continues(row + 1)

    def begins_line(self, row: int) -> bool:
        """Whether *row* is the first of its line."""
        return not self._continues(row)

    def line_of(self, row: int) -> int:
        """Return the line, from 1, of which *row* is a part."""
        return row + 1 - bisect_right(self._folds, row)

    def _continues(self, row: int) -> bool:
        place = bisect_right(self._folds, row)
        return place > 0 and self._folds[place - 1] == row


def _clings(left: str, right: str) -> bool:
    """Whether a reader sees *right* and *left* as one letter or picture."""
    return (
        unicodedata.category(right) in {"Mn", "Me", "Mc", "Cf"}
        or left == "\u200d"
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or ("\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff")
    )


_WORD_REACH = 4096
"""How far a word is followed in each direction."""


def word_at(text: str, position: int) -> Span:
    """Return the word around *position*: letters of one script, or a run of equal signs.

    Chinese, Japanese and Korean have no spaces between words: there the run
    of one script (Han, Hiragana, Katakana, Hangul) is what can be known
    without a dictionary.
    """
    if not text:
        return Span(0, 0)
    place = min(position, len(text) - 1)
    kind = _script(text[place])
    start, end = place, place + 1
    while start > max(0, place - _WORD_REACH) and _same(kind, text[start - 1]):
        start -= 1
    while end < min(len(text), place + _WORD_REACH) and _same(kind, text[end]):
        end += 1
    return Span(start, end)


def _same(kind: str, char: str) -> bool:
    return _script(char) == kind or unicodedata.category(char) in {"Mn", "Me"}


_SCRIPTS = (
    (0x3041, 0x309F, "hiragana"),
    (0x30A0, 0x30FF, "katakana"),
    (0x31F0, 0x31FF, "katakana"),
    (0xFF66, 0xFF9F, "katakana"),
    (0x3005, 0x3007, "han"),
    (0x3400, 0x9FFF, "han"),
    (0xF900, 0xFAFF, "han"),
    (0x20000, 0x3FFFF, "han"),
    (0x1100, 0x11FF, "hangul"),
    (0x3130, 0x318F, "hangul"),
    (0xAC00, 0xD7AF, "hangul"),
)


def _script(char: str) -> str:
    code = ord(char)
    for first, last, name in _SCRIPTS:
        if first <= code <= last:
            return name
    if char.isalnum() or char == "_":
        return "word"
    return "space" if char in " \t" else char
