"""A text without its white space, and where each of its characters came from.

Two texts with one skeleton differ in white space only.
"""

from __future__ import annotations

import sys
from functools import cached_property

import numpy as np
import numpy.typing as npt

from store.records.text import Span

__all__ = ["Skeleton", "common_head", "common_tail"]

_SPACES = np.array(
    [code for code in range(sys.maxunicode + 1) if chr(code).isspace()], dtype=np.uint32
)


class Skeleton:
    """The characters of a text other than white space, with a map back.

    White space is what `str.isspace` says.  The map is made at its first use:
    most skeletons are only compared.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = "".join(source.split())

    @cached_property
    def _ink(self) -> npt.NDArray[np.uint32]:
        """The place in the text of each character of the skeleton."""
        codes = np.frombuffer(self.source.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        return np.flatnonzero(np.isin(codes, _SPACES, invert=True)).astype(np.uint32)

    def back(self, span: Span) -> Span:
        """Return where the non-empty skeleton *span* stands in the text, from ink to ink."""
        return Span(int(self._ink[span.start]), int(self._ink[span.end - 1]) + 1)


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
