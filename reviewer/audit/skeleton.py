"""A text without its white space, and where each of its characters came from.

Two texts with one skeleton differ in white space only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cached_property

from store.records.text import Span

__all__ = ["Skeleton", "common_head", "common_tail"]

_BLOCK = 256
"""Code points between two marks of the map back: four bytes a mark, microseconds a look-up."""


class Skeleton:
    """The characters of a text other than white space, with a map back.

    White space is what `str.isspace` says.  The map is made at its first use:
    most skeletons are only compared.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = "".join(source.split())

    @cached_property
    def _marks(self) -> array[int]:
        """How many characters of the skeleton stand before each block of the text."""
        marks = array("L", [0])
        for start in range(0, len(self.source), _BLOCK):
            marks.append(marks[-1] + len("".join(self.source[start : start + _BLOCK].split())))
        return marks

    def _place(self, ink: int) -> int:
        """Return the place in the text of a character of the skeleton."""
        block = bisect_right(self._marks, ink) - 1
        left = ink - self._marks[block]
        for at in range(block * _BLOCK, len(self.source)):
            if not self.source[at].isspace():
                if not left:
                    return at
                left -= 1
        raise IndexError(ink)

    def back(self, span: Span) -> Span:
        """Return where the non-empty skeleton *span* stands in the text, from ink to ink."""
        return Span(self._place(span.start), self._place(span.end - 1) + 1)


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
