"""Passages that share words with a text, for a person to look at.  They settle nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property

from reviewer.audit.compare_words import lines_of, words_of
from store.records.differences import Suggestion
from store.records.text import Span

__all__ = ["Similar", "share_of"]

_LEAST = 50
"""Words in common, of a hundred, from which on a passage is worth a look."""
_SHOWN = 3
_COMMON = 500
"""A word of so many lines leads nowhere."""
_TRIED = 20
_LINES = 40
"""Nothing is suggested for a longer text: what changed in it is shown beside it anyway."""


def _counted(text: str) -> Counter[str]:
    return Counter(word for word in words_of(text) if any(map(str.isalnum, word)))


def share_of(a: str, b: str) -> int:
    """Return how many of a hundred words *a* and *b* have in common, rounded down."""
    return _share(_counted(a), _counted(b))


def _share(left: Counter[str], right: Counter[str]) -> int:
    total = left.total() + right.total()
    return 200 * (left & right).total() // total if total else 0


class Similar:
    """Looks for similar passages in *text*, which are as many whole lines as what is asked for."""

    def __init__(self, text: str) -> None:
        self._lines = lines_of(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def to(self, wanted: str) -> tuple[Suggestion, ...]:
        """Return the passages most like *wanted*, the best first."""
        size = max(1, len(lines_of(wanted)))
        words = _counted(wanted)
        if size > _LINES or not words:
            return ()
        found = {at: self._suggestion(at, size, words) for at in self._candidates(words, size)}
        ordered = sorted(found.values(), key=lambda one: (-one.share, one.span))
        kept: list[Suggestion] = []
        for one in ordered:
            if one.share >= _LEAST and not any(one.span.overlaps(k.span) for k in kept):
                kept.append(one)
        return tuple(kept[:_SHOWN])

    def _suggestion(self, at: int, size: int, words: Counter[str]) -> Suggestion:
        end = min(at + size, len(self._lines))
        text = "".join(self._lines[at:end])
        span = Span(self._starts[at], self._starts[end])
        return Suggestion(span, _share(words, _counted(text)), text)

    def _candidates(self, words: Iterable[str], size: int) -> list[int]:
        hits: Counter[int] = Counter()
        for word in words:
            starts = {max(0, line - back) for line in self._of(word) for back in range(size)}
            hits.update(starts)
        best = sorted(hits.items(), key=lambda item: (-item[1], item[0]))
        return [at for at, _ in best[:_TRIED]]

    def _of(self, word: str) -> list[int]:
        lines = self._index.get(word, [])
        return lines if len(lines) <= _COMMON else []

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self._lines):
            for word in dict.fromkeys(_counted(line)):
                index[word].append(number)
        return index
