"""A few words of a long text with what stands around them; what is left out is counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.records.text import Span

__all__ = ["AROUND", "LARGEST", "SHORT", "Cut", "Excerpt"]

AROUND = 120
"""How many characters are shown before and behind, on at most `LINES` lines each."""

LINES = 2

SHORT = 600
"""How many characters of the words themselves are shown at first."""

LARGEST = 20_000
"""How many at most: for more there are the views that scroll."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What is shown: the words, what stands around them, and how much of the words is left out.

    ``head`` and ``tail`` say whether the text goes on before and behind.
    """

    before: str
    words: str
    after: str
    left_out: int
    head: bool
    tail: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A span of a text; ``text`` is the whole text, as recorded."""

    text: str = field(repr=False)
    span: Span

    def cut(self, limit: int = SHORT) -> Cut:
        """Return at most *limit* characters of the words; longer ones lose their end."""
        start, end = self.span.start, min(self.span.end, len(self.text))
        shown = min(end, start + limit)
        head, tail = self._head(start), self._tail(end) if shown == end else shown
        return Cut(
            before=self.text[head:start],
            words=self.text[start:shown],
            after=self.text[shown:tail],
            left_out=end - shown,
            head=head > 0,
            tail=shown == end and tail < len(self.text),
        )

    def _head(self, start: int) -> int:
        least, at = max(0, start - AROUND), start
        for _ in range(LINES + 1):
            at = self.text.rfind("\n", least, at)
            if at < 0:
                return least
        return at + 1

    def _tail(self, end: int) -> int:
        most, at = min(len(self.text), end + AROUND), end - 1
        for _ in range(LINES + 1):
            at = self.text.find("\n", at + 1, most)
            if at < 0:
                return most
        return at
