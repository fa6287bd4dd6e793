"""Which of many phrases stand in a text, in time that does not grow with their number.

Every window of 2, 4, 8 … characters of a text is hashed, all of one size at
once.  A phrase is covered by two windows of the largest size that fits it, at
its head and at its tail: where both agree at the right distance it stands, and
the characters themselves are compared before that is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["SHORTEST", "Phrases"]

SHORTEST = 3
"""Characters; anything shorter stands everywhere."""

_Hashes = npt.NDArray[np.uint64]
_FACTOR = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
_TABLE_BITS = 16


class _Group:
    """The phrases whose head is of one size, ready to be looked up."""

    def __init__(self, size: int, phrases: Iterable[str]) -> None:
        self.size = size
        self._by_head: dict[int, dict[int, dict[int, list[str]]]] = {}
        for phrase in phrases:
            hashes = _up_to(_codes(phrase), size)
            gaps = self._by_head.setdefault(int(hashes[0]), {})
            tails = gaps.setdefault(len(phrase) - size, {})
            tails.setdefault(int(hashes[-1]), []).append(phrase)
        self._heads = np.sort(np.array(list(self._by_head), dtype=np.uint64))
        self._table = np.zeros(2**_TABLE_BITS, dtype=bool)
        self._table[_slots(self._heads)] = True

    def found(self, text: str, hashes: _Hashes) -> Iterator[str]:
        """Yield the phrases that stand in *text*, whose windows are *hashes*."""
        near = np.flatnonzero(self._table[_slots(hashes)])
        if not len(near):
            return
        slots = np.minimum(np.searchsorted(self._heads, hashes[near]), len(self._heads) - 1)
        places = near[self._heads[slots] == hashes[near]]
        if not len(places):
            return
        places = places[np.argsort(hashes[places], kind="stable")]
        keys, firsts = np.unique(hashes[places], return_index=True)
        ends = [*firsts[1:].tolist(), len(places)]
        for key, first, end in zip(keys.tolist(), firsts.tolist(), ends, strict=True):
            for gap, tails in self._by_head[key].items():
                yield from _with_tails(text, hashes, places[first:end], gap, tails)


def _with_tails(
    text: str,
    hashes: _Hashes,
    at: npt.NDArray[np.intp],
    gap: int,
    tails: Mapping[int, Sequence[str]],
) -> Iterator[str]:
    """Yield the phrases of one head and length: those whose tail stands where it must."""
    inside = at[: int(np.searchsorted(at, len(hashes) - gap))]
    ends = hashes[inside + gap]
    for tail in tails.keys() & set(ends.tolist()):
        where = inside[ends == np.uint64(tail)][:_COLLISIONS].tolist()
        for phrase in tails[tail]:
            if any(text.startswith(phrase, place) for place in where):
                yield phrase


_COLLISIONS = 8
"""Two hashes of 64 bits agree by chance never; places beyond these would not change the answer."""


class Phrases:
    """Phrases that are looked for, ready for many texts."""

    def __init__(self, phrases: Iterable[str]) -> None:
        by_size: dict[int, list[str]] = defaultdict(list)
        for phrase in dict.fromkeys(phrases):
            if len(phrase) >= SHORTEST:
                by_size[1 << (len(phrase).bit_length() - 1)].append(phrase)
        self._groups = [_Group(size, found) for size, found in sorted(by_size.items())]

    def __bool__(self) -> bool:
        return bool(self._groups)

    def found_in(self, text: str) -> Iterator[str]:
        """Yield each phrase that stands in *text*, once."""
        hashes, size = _codes(text), 1
        for group in self._groups:
            if len(text) < group.size:
                return
            while size < group.size:
                hashes, size = _doubled(hashes, size), size * 2
            yield from group.found(text, hashes)


def _codes(text: str) -> _Hashes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(
        np.uint64
    )


def _doubled(hashes: _Hashes, size: int) -> _Hashes:
    """Return the hashes of windows twice as long; arithmetic modulo 2**64 is what is wanted."""
    if len(hashes) <= size:
        return hashes[:0]
    power = np.uint64(pow(_FACTOR, size, 2**64) | 1)
    mixed = hashes[:-size] * power
    mixed ^= mixed >> np.uint64(29)
    return mixed + hashes[size:]


def _up_to(hashes: _Hashes, size: int) -> _Hashes:
    width = 1
    while width < size:
        hashes, width = _doubled(hashes, width), width * 2
    return hashes


def _slots(hashes: _Hashes) -> npt.NDArray[np.intp]:
    return (hashes * np.uint64(_FACTOR) >> np.uint64(64 - _TABLE_BITS)).astype(np.intp)
