"""A text without its white space, and where each of its characters came from.

Two texts with one skeleton differ in white space only.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from store.records.text import Span

__all__ = ["Skeleton", "common_head", "common_tail"]

_INK = re.compile(r"\S+")


class Skeleton:
    """The characters of a text other than white space, with a map back."""

    __slots__ = ("_starts", "_texts", "source", "text")

    def __init__(self, source: str) -> None:
        self.source = source
        starts: list[int] = []
        texts: list[int] = []
        pieces: list[str] = []
        at = 0
        for run in _INK.finditer(source):
            starts.append(at)
            texts.append(run.start())
            piece = run.group()
            pieces.append(piece)
            at += len(piece)
        self._starts = starts
        self._texts = texts
        self.text = "".join(pieces)

    def back(self, span: Span) -> Span:
        """Return where the non-empty skeleton *span* stands in the text, from ink to ink."""
        return Span(self._place(span.start), self._place(span.end - 1) + 1)

    def _place(self, position: int) -> int:
        run = bisect_right(self._starts, position) - 1
        return self._texts[run] + position - self._starts[run]

    def forward(self, position: int) -> int:
        """Return how many ink characters stand before *position* of the text."""
        run = bisect_right(self._texts, position) - 1
        if run < 0:
            return 0
        inside = self._starts[run] + position - self._texts[run]
        stop = self._starts[run + 1] if run + 1 < len(self._starts) else len(self.text)
        return min(inside, stop)


def common_head(left: str, i: int, right: str, j: int) -> int:
    """Return how many characters agree from ``left[i]`` and ``right[j]`` on."""
    limit = min(len(left) - i, len(right) - j)
    good, step = 0, 64
    while good < limit:
        step = min(step, limit - good)
        if left[i + good : i + good + step] == right[j + good : j + good + step]:
            good += step
            step *= 2
        elif step == 1:
            break
        else:
            step = max(1, step // 4)
    return good


def common_tail(left: str, i: int, right: str, j: int) -> int:
    """Return how many characters agree before ``left[i]`` and ``right[j]``."""
    limit = min(i, j)
    good, step = 0, 64
    while good < limit:
        step = min(step, limit - good)
        if left[i - good - step : i - good] == right[j - good - step : j - good]:
            good += step
            step *= 2
        elif step == 1:
            break
        else:
            step = max(1, step // 4)
    return good
