"""Find every common piece of a text and a set of texts, without comparing each with each.

Windows of `WINDOW` characters of the indexed texts are hashed at every
`STRIDE`-th place; all windows of a query are looked up, and each hit is
verified and extended both ways.  Any common piece of `ENOUGH` characters holds
such a window, so none of that length is missed, except among windows that
stand in more than `CROWD` places: those prove no place by themselves and are
passed over (a longer piece is still found through its other windows).

Texts here are skeletons (`reviewer.audit.skeleton`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reviewer.audit.skeleton import common_head, common_tail

__all__ = ["ENOUGH", "Piece", "SeedIndex"]

ENOUGH = 16
"""Ink characters from which text without an address may prove a place."""

STRIDE = 8
WINDOW = ENOUGH - STRIDE + 1
CROWD = 64

_Hashes = npt.NDArray[np.uint64]
_Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]


class Piece(NamedTuple):
    """A maximal piece: ``query[at:at + length]`` is ``texts[text][start:start + length]``."""

    at: int
    text: int
    start: int
    length: int


class SeedIndex:
    """Windows of some texts, ready to be looked up."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)
        self._codes, self._offsets = _joined(self.texts)
        if len(self._codes) > int(_LOWER):
            raise OverflowError(
                f"texts of more than {_LOWER} characters cannot be searched at once"
            )
        slots = sum(map(_window_count, self.texts))
        # One array, sorted where it lies: a hash in the upper half, its place in the lower.
        self._slots = np.empty(slots, dtype=np.uint64)
        at = 0
        for text, offset in zip(self.texts, self._offsets.tolist(), strict=True):
            count = _window_count(text)
            places = np.arange(offset, offset + STRIDE * count, STRIDE, dtype=np.uint64)
            self._slots[at : at + count] = _upper(_window_hashes(text, STRIDE)) | places
            at += count
        self._slots.sort()

    def _range(self, wanted: _Hashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the first slot of each hash in *wanted*, and the one behind its last."""
        low = _upper(wanted)
        left = np.searchsorted(self._slots, low, side="left")
        return left, np.searchsorted(self._slots, low | _LOWER, side="right")

    def _places_of(
        self, slots: npt.NDArray[np.intp] | slice
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
        """Return which text each slot is of, and where in all texts together it stands."""
        places = (self._slots[slots] & _LOWER).astype(np.int64)
        return np.searchsorted(self._offsets, places, side="right") - 1, places

    def pieces(self, query: str) -> Iterator[Piece]:
        """Yield maximal common pieces of at least `ENOUGH` characters, by place found.

        A piece that lies inside a longer one of the query is not followed up:
        it says nothing of its own.  Pieces equal to the longest all come.
        """
        if not len(self._slots) or len(query) < ENOUGH:
            return
        left, right = self._range(_window_hashes(query))
        hits = np.flatnonzero((right > left) & (right - left <= CROWD))
        done: dict[tuple[int, int], int] = {}
        reach = longest = 0
        before = -1
        for at, owner, start in self._candidates(query, hits, left[hits], right[hits]):
            if at != before:
                reach, before = longest, at
            diagonal = (owner, start - at)
            if done.get(diagonal, -1) > at or not self._gets_to(reach, query, at, owner, start):
                continue
            piece = self._extend(query, at, owner, start)
            done[diagonal] = piece.at + piece.length
            longest = max(longest, piece.at + piece.length)
            if piece.length >= ENOUGH:
                yield piece

    def _candidates(
        self,
        query: str,
        hits: npt.NDArray[np.intp],
        low: npt.NDArray[np.intp],
        high: npt.NDArray[np.intp],
    ) -> Iterator[tuple[int, int, int]]:
        """Yield places of the query and of a text whose windows agree and go on to `ENOUGH`.

        Compared for many at once: where a text repeats itself most windows
        that agree stand among characters that do not.
        """
        asked = _padded(query)
        for first in range(0, len(hits), _MANY):
            part = slice(first, first + _MANY)
            sizes = high[part] - low[part]
            ends = np.cumsum(sizes)
            inside = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
            slots = np.repeat(low[part], sizes) + inside
            places = np.repeat(hits[part], sizes)
            owners, there = self._places_of(slots)
            starts, here = there - self._offsets[owners], places + _PAD
            agree = np.full(len(slots), WINDOW)
            for step, origin in ((1, WINDOW - 1), (-1, 0)):
                alive = np.ones(len(slots), dtype=bool)
                for distance in range(1, _PAD + 1):
                    shift = origin + step * distance
                    alive &= self._codes[there + shift] == asked[here + shift]
                    agree += alive
            kept = agree >= ENOUGH
            yield from zip(
                places[kept].tolist(), owners[kept].tolist(), starts[kept].tolist(), strict=True
            )

    def alone(self, query: str) -> tuple[Piece, ...]:
        """Return the pieces of *query* that fit one place: text that fits several proves none."""
        kept: list[Piece] = []
        maximal = _maximal(self.pieces(query))
        for index, (piece, twins) in enumerate(maximal):
            if twins == 1 and _stands_for_itself(maximal, index) and self._fits_once(query, piece):
                kept.append(piece)
        return tuple(kept)

    def _fits_once(self, query: str, piece: Piece) -> bool:
        """Make sure of a piece whose twins only crowded windows would have shown."""
        words = query[piece.at : piece.at + piece.length]
        left, right = self._range(_window_hashes(words))
        sizes = right - left
        if sizes.max() <= CROWD:
            return True
        for phase in range(STRIDE):
            rarest = phase + STRIDE * int(sizes[phase::STRIDE].argmin())
            slots = slice(int(left[rarest]), int(right[rarest]))
            if sizes[rarest] > CROWD and self._has_twin(words, piece, rarest, slots):
                return False
        return True

    def _has_twin(self, words: str, piece: Piece, offset: int, slots: slice) -> bool:
        owners, places = self._places_of(slots)
        starts = places - self._offsets[owners] - offset
        return any(
            start >= 0
            and (owner, start) != (piece.text, piece.start)
            and self.texts[owner].startswith(words, start)
            for owner, start in zip(owners.tolist(), starts.tolist(), strict=True)
        )

    def _gets_to(self, reach: int, query: str, at: int, owner: int, start: int) -> bool:
        """Whether the piece through this hit may get as far as the longest so far.

        Its last characters are compared first: most hits of a text that
        repeats itself end long before.
        """
        if reach <= at + WINDOW:
            return True
        text = self.texts[owner]
        tail = max(at, reach - ENOUGH)
        return text.startswith(query[tail:reach], start + tail - at)

    def _extend(self, query: str, at: int, owner: int, start: int) -> Piece:
        text = self.texts[owner]
        ahead = common_head(query, at, text, start)
        if ahead < WINDOW:  # two windows of one hash and different text
            return Piece(at, owner, start, 0)
        behind = common_tail(query, at, text, start)
        return Piece(at - behind, owner, start - behind, ahead + behind)


def _maximal(pieces: Iterable[Piece]) -> list[tuple[Piece, int]]:
    """Return the pieces outside any longer one, by place, and how many places each fits."""
    ordered = sorted(set(pieces), key=lambda piece: (piece.at, -piece.length))
    kept: list[tuple[Piece, int]] = []
    reach = -1
    for (at, length), equal in groupby(ordered, key=lambda piece: (piece.at, piece.length)):
        if at + length > reach:
            twins = list(equal)
            kept.append((twins[0], len(twins)))
            reach = at + length
    return kept


def _stands_for_itself(maximal: Sequence[tuple[Piece, int]], index: int) -> bool:
    """Whether a piece says more than others, at least as long, that overlap it.

    What it shares with them fits their places as well as its own, so
    `ENOUGH` characters of its own must be left.
    """
    piece = maximal[index][0]
    start, end = piece.at, piece.at + piece.length
    for step in (-1, 1):
        at = index + step
        while 0 <= at < len(maximal):
            other = maximal[at][0]
            if min(end, other.at + other.length) <= max(start, other.at):
                break
            if other.length >= piece.length:
                start = max(start, other.at + other.length) if step < 0 else start
                end = min(end, other.at) if step > 0 else end
                break
            at += step
    return end - start >= ENOUGH


_PAD = ENOUGH - WINDOW
"""So far a window is followed on either side before it is worth a closer look."""

_MANY = 4096
"""Places of a query that are compared at once, each with up to `CROWD` places of the texts."""

_AT_ONCE = 1 << 20
"""Characters that are turned into codes at once: what is in between takes twelve bytes each."""

_EDGE = 0xFFFFFFFF
"""No character: what stands beside a text equals nothing in it."""


def _joined(texts: Sequence[str]) -> tuple[_Codes, npt.NDArray[np.int64]]:
    """Return the codes of all texts, each between edges, and where the first of each stands.

    One or two bytes a character are enough for most texts, and they are all held at once.
    """
    sizes = [len(text) + 2 * _PAD for text in texts]
    codes: _Codes
    if all(map(str.isascii, texts)):
        codes = np.full(sum(sizes), 0xFF, np.uint8)
    elif all(text.isascii() or max(text) < "\uffff" for text in texts):
        codes = np.full(sum(sizes), 0xFFFF, np.uint16)
    else:
        codes = np.full(sum(sizes), _EDGE, np.uint32)
    offsets = np.cumsum([0, *sizes[:-1]], dtype=np.int64)[: len(sizes)] + _PAD
    for text, start in zip(texts, offsets.tolist(), strict=True):
        for at in range(0, len(text), _AT_ONCE):
            some = _coded(text[at : at + _AT_ONCE])
            codes[start + at : start + at + len(some)] = some
    return codes, offsets


def _coded(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _padded(text: str) -> npt.NDArray[np.uint32]:
    return np.pad(_coded(text), _PAD, constant_values=_EDGE)


_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_LOWER = np.uint64(0xFFFFFFFF)


def _upper(hashes: _Hashes) -> _Hashes:
    """Return the upper halves of *hashes*, over room for a place."""
    return hashes & ~_LOWER


def _window_count(text: str) -> int:
    """Return how many windows of *text* are held: every `STRIDE`-th."""
    return max(0, (len(text) - WINDOW) // STRIDE + 1)


def _window_hashes(text: str, stride: int = 1) -> _Hashes:
    """Return the hashes of every *stride*-th window of *text*."""
    count = (len(text) - WINDOW) // stride + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    hashes = np.zeros(count, dtype=np.uint64)
    for first in range(0, count, _AT_ONCE // stride):
        part = hashes[first : first + _AT_ONCE // stride]
        start, end = first * stride, (first + len(part) - 1) * stride + WINDOW
        codes = _coded(text[start:end])
        for offset in range(WINDOW):
            part *= _FACTOR  # arithmetic modulo 2**64 is what is wanted
            part += codes[offset : offset + (len(part) - 1) * stride + 1 : stride]
    return hashes
