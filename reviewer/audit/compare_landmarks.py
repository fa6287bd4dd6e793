"""Where two long texts stand on the same words, before their words are compared.

Runs of code points that each text holds once are landmarks, the longest kind
first.  What lies between two landmarks is looked through again, with shorter
runs, until it is short or holds no more of them.  A run of few characters is
only taken where more of them keep their order than chance would leave in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reviewer.audit.compare_sequence import ComparisonStopped, rising
from reviewer.audit.compare_words import first_cut, last_cut
from reviewer.audit.skeleton import common_head, common_tail
from store.records.text import Span

__all__ = ["SHORT", "Stretch", "stretches"]

SHORT = 40_000
"""Code points of both sides together that are short enough for a search by words."""
_LITTLE = 1000
"""Code points of one side for which any length of the other is."""

_LEVELS = ((32, 8), (16, 4), (8, 2))
"""Lengths of runs, each with how many of them one is looked at."""
_CHANCE = 3
"""Of n pairs in any order about ``2 √n`` rise by chance; more than ``3 √n`` do not."""
_CERTAIN = 32
"""A run so long that stands once in both texts is no chance, unless there are many."""
_MANY = 64
_FACTOR = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64

_Hashes = npt.NDArray[np.uint64]


class Stretch(NamedTuple):
    """``a`` of one text against ``b`` of the other, both from one sure word end to another."""

    a: Span
    b: Span
    same: bool

    @property
    def is_long(self) -> bool:
        """Whether a search by words would take too long."""
        return _too_long(self.a, self.b)


class _Region(NamedTuple):
    a: Span
    b: Span
    level: int
    same: bool = False

    @property
    def size(self) -> int:
        return self.a.length + self.b.length


def stretches(a: str, b: str, stopped: Callable[[], bool]) -> Iterator[Stretch]:
    """Yield stretches that partition both texts, in order.

    Those that are not the same may hold equal words; long ones hold no
    landmark.  Raises `ComparisonStopped` as soon as *stopped* says so.
    """
    pending = [_Region(Span(0, len(a)), Span(0, len(b)), 0)]
    while pending:
        region = pending.pop()
        done = region.same or region.level == len(_LEVELS)
        if done or not _too_long(region.a, region.b):
            yield Stretch(region.a, region.b, region.same)
            continue
        found = _landmarks(a, b, region, stopped)
        pending += reversed(found or [region._replace(level=region.level + 1)])


def _too_long(a: Span, b: Span) -> bool:
    return a.length + b.length > SHORT and min(a.length, b.length) > _LITTLE


def _landmarks(
    a: str, b: str, region: _Region, stopped: Callable[[], bool]
) -> list[_Region] | None:
    """Return *region* in parts, those that are the same among them; ``None`` where it has none."""
    length, every = _LEVELS[region.level]
    left, right = a[region.a.start : region.a.end], b[region.b.start : region.b.end]
    pairs = _rising_pairs(left, right, length, every, stopped)
    parts: list[_Region] = []
    at = at_b = 0
    for start, start_b, size in _runs(left, right, pairs, length):
        parts += _between(region, Span(at, start), Span(at_b, start_b))
        at, at_b = start + size, start_b + size
        parts.append(_inside(region, Span(start, at), Span(start_b, at_b), 0, same=True))
    if not parts:
        return None
    return parts + _between(region, Span(at, len(left)), Span(at_b, len(right)))


def _between(region: _Region, a: Span, b: Span) -> list[_Region]:
    """Return what lies between two landmarks; a shorter text may hold others of the same length."""
    if not a.length and not b.length:
        return []
    shrunk = 2 * (a.length + b.length) <= region.size
    return [_inside(region, a, b, region.level if shrunk else region.level + 1, same=False)]


def _inside(region: _Region, a: Span, b: Span, level: int, *, same: bool) -> _Region:
    return _Region(a.moved(region.a.start), b.moved(region.b.start), level, same)


def _rising_pairs(
    a: str, b: str, length: int, every: int, stopped: Callable[[], bool]
) -> list[tuple[int, int]]:
    """Return places of runs that each text holds once, rising on both sides."""
    runs_a, places_a = _once(_sampled(a, length, every, stopped))
    runs_b, places_b = _once(_sampled(b, length, every, stopped))
    _, at_a, at_b = np.intersect1d(runs_a, runs_b, assume_unique=True, return_indices=True)
    left, right = places_a[at_a], places_b[at_b]
    order = np.argsort(left)
    if stopped():
        raise ComparisonStopped
    pairs = list(zip(left[order].tolist(), right[order].tolist(), strict=True))
    found = rising(pairs)
    certain = length >= _CERTAIN and len(pairs) < _MANY
    by_chance = _CHANCE * (isqrt(len(pairs)) + 1)
    return found if certain or len(found) > by_chance else []


def _sampled(
    text: str, length: int, every: int, stopped: Callable[[], bool]
) -> tuple[_Hashes, npt.NDArray[np.intp]]:
    """Return hashes of runs of *length* (a power of two) and where they start.

    Which runs are looked at depends on what they hold alone, so that both
    texts choose the same ones.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    hashes = codes.astype(np.uint64)
    half = 1
    while half < length:
        if stopped():
            raise ComparisonStopped
        if len(hashes) <= half:
            return np.empty(0, np.uint64), np.empty(0, np.intp)
        factor = np.uint64(pow(_FACTOR, half, _MODULUS))
        hashes = hashes[:-half] * factor + hashes[half:]  # modulo 2**64, as is wanted
        half *= 2
    kept = np.flatnonzero((hashes >> np.uint64(40)) % np.uint64(every) == 0)
    return hashes[kept], kept


def _once(
    sampled: tuple[_Hashes, npt.NDArray[np.intp]],
) -> tuple[_Hashes, npt.NDArray[np.intp]]:
    """Return the runs that stand once, and where."""
    hashes, places = sampled
    found, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    return found[counts == 1], places[first[counts == 1]]


def _runs(
    a: str, b: str, pairs: Sequence[tuple[int, int]], length: int
) -> Iterator[tuple[int, int, int]]:
    """Yield equal runs around *pairs*, as long as they go, from one sure word end to another.

    The ends of both texts are word ends.
    """
    end = end_b = 0
    for i, j in pairs:
        if i < end or j < end_b:
            continue
        ahead = common_head(a, i, b, j)
        if ahead < length:  # two runs of one hash and different text
            continue
        behind = min(common_tail(a, i, b, j), i - end, j - end_b)
        start, stop, shift = i - behind, i + ahead, j - i
        end, end_b = stop, stop + shift
        if start or shift:
            start = first_cut(a, start, stop)
        if stop < len(a) or end_b < len(b):
            stop = last_cut(a, start, stop)
        if start < stop:
            yield start, start + shift, stop - start
