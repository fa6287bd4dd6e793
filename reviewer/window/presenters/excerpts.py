"""A few words of a long text with what stands around them; what is left out is counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.records.text import Span

__all__ = ["AROUND", "LARGEST", "SHORT", "Cut", "Excerpt"]

AROUND = 90
"""How many characters are shown before and behind."""

SHORT = 600
"""How many characters of the words themselves are shown at first."""

LARGEST = 20_000
"""How many at most: for more there are the views that scroll."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What is shown: the words, what stands around them, and how much of the words is left out."""

    before: str
    words: str
    after: str
    left_out: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A span of a text; ``text`` is the whole text, as recorded."""

    text: str = field(repr=False)
    span: Span

    def cut(self, limit: int = SHORT) -> Cut:
        """Return at most *limit* characters of the words; longer ones lose their end.

        What stands around begins and ends with ``…`` where the text goes on.
        """
        start, end = self.span.start, min(self.span.end, len(self.text))
        shown = min(end, start + limit)
        head = max(0, start - AROUND)
        before = ("…" if head else "") + self.text[head:start]
        if shown < end:
            return Cut(before, self.text[start:shown], "", end - shown)
        tail = min(len(self.text), end + AROUND)
        after = self.text[end:tail] + ("…" if tail < len(self.text) else "")
        return Cut(before, self.text[start:end], after, 0)
