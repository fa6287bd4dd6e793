"""Which items of two sequences are the same, in order, with bounded work.

Items that are rare in both sequences anchor the rest, as in the patience and
histogram differences; where none is rare, runs of 2, 4, 8 and 16 items are
looked at; where that tells nothing, a shortest edit is searched for a while.
What then is still open is handed back as not searched to the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Block", "ComparisonStopped", "blocks", "rising"]


class ComparisonStopped(Exception):
    """The comparison was stopped by the one who asked for it."""


class Block(NamedTuple):
    """Items ``[a, a_end)`` of one sequence against ``[b, b_end)`` of the other.

    ``same`` says that they are equal, item by item; ``bounded`` that the
    search in them was given up.
    """

    a: int
    a_end: int
    b: int
    b_end: int
    same: bool = False
    bounded: bool = False


class _Region(NamedTuple):
    a: int
    a_end: int
    b: int
    b_end: int


_WORK = 16
"""Steps for each item of both sequences before a search is given up."""
_LEAST_WORK = 200_000
_SHORT = 32
"""A region of so few items is searched at once."""
_RUNS = (1, 2, 4, 8, 16)
_EDITS = 1_000
"""A shortest edit of more is not searched for: what it remembers grows with the square."""
_LONG = 20_000
"""Longer sequences are compared by chunks first."""
_CHUNK = 16
_STEP = 20_000
"""Items that are counted at once."""
_STRIDE = 1024
_STEPS = 1 << 14
"""Steps after which is asked whether to stop."""


def blocks(
    a: Sequence[int], b: Sequence[int], stopped: Callable[[], bool] = lambda: False
) -> tuple[Block, ...]:
    """Return blocks that partition *a* and *b*, equal ones and others in turn.

    Raises `ComparisonStopped` as soon as *stopped* says so.
    """
    if min(len(a), len(b)) < _LONG:
        return tuple(_joined(_Search(a, b, stopped).run()))
    return tuple(_joined(_in_chunks(a, b, stopped)))


def _in_chunks(a: Sequence[int], b: Sequence[int], stopped: Callable[[], bool]) -> Iterator[Block]:
    """Yield blocks of long sequences: first those of chunks, then those in chunks that differ.

    A chunk ends behind certain items, so that the same items make the same
    chunks wherever they stand.
    """
    ends_a, ends_b = _chunk_ends(a), _chunk_ends(b)
    names: dict[tuple[int, ...], int] = {}
    left = [names.setdefault(chunk, len(names)) for chunk in _chunks(a, ends_a)]
    right = [names.setdefault(chunk, len(names)) for chunk in _chunks(b, ends_b)]
    for block in _joined(_Search(left, right, stopped).run()):
        start, stop = ends_a[block.a], ends_a[block.a_end]
        b_start, b_stop = ends_b[block.b], ends_b[block.b_end]
        if block.same:
            yield Block(start, stop, b_start, b_stop, same=True)
            continue
        for each in _Search(a[start:stop], b[b_start:b_stop], stopped).run():
            yield Block(
                start + each.a, start + each.a_end, b_start + each.b, b_start + each.b_end,
                each.same, each.bounded,
            )  # fmt: skip


def _chunk_ends(items: Sequence[int]) -> list[int]:
    ends = [at for at, item in enumerate(items, 1) if item % _CHUNK == 1]
    return [0, *ends, *([len(items)] if not ends or ends[-1] != len(items) else [])]


def _chunks(items: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for start, stop in pairwise(ends):
        yield tuple(items[start:stop])


def _joined(found: Iterator[Block]) -> Iterator[Block]:
    held: Block | None = None
    for block in found:
        if held is None:
            held = block
        elif held.same == block.same:
            bounded = held.bounded or block.bounded
            held = Block(held.a, block.a_end, held.b, block.b_end, held.same, bounded)
        else:
            yield held
            held = block
    if held is not None:
        yield held


class _Search:
    def __init__(self, a: Sequence[int], b: Sequence[int], stopped: Callable[[], bool]) -> None:
        self._a = a
        self._b = b
        self._stopped = stopped
        self._left = _LEAST_WORK + _WORK * (len(a) + len(b))
        self._until_asked = _STEPS

    def run(self) -> Iterator[Block]:
        """Yield blocks in order; two of one kind may follow each other."""
        pending = [_Region(0, len(self._a), 0, len(self._b))]
        while pending:
            region = pending.pop()
            head, region, tail = self._trimmed(region)
            if head:
                yield Block(region.a - head, region.a, region.b - head, region.b, same=True)
            if tail:
                pending.append(
                    _Region(region.a_end, region.a_end + tail, region.b_end, region.b_end + tail)
                )
            if region.a == region.a_end and region.b == region.b_end:
                continue
            if region.a == region.a_end or region.b == region.b_end:
                yield Block(*region)
                continue
            inner = self._divided(region)
            if isinstance(inner, Block):
                yield inner
            else:
                pending += reversed(inner)

    def _spend(self, steps: int) -> None:
        self._left -= steps
        self._until_asked -= steps
        if self._until_asked <= 0:
            self._until_asked = _STEPS
            if self._stopped():
                raise ComparisonStopped

    def _trimmed(self, region: _Region) -> tuple[int, _Region, int]:
        """Return how many items are equal at the start, what is left, and how many at the end."""
        a, b = self._a, self._b
        start, a_end, b_start, b_end = region
        most = min(a_end - start, b_end - b_start)
        head = _head(a, start, b, b_start, most)
        tail = _tail(a, a_end, b, b_end, most - head)
        self._spend(head + tail + 1)
        # An end that reaches to the start is yielded as the start.
        if head + tail == a_end - start == b_end - b_start:
            head, tail = head + tail, 0
        return head, _Region(start + head, a_end - tail, b_start + head, b_end - tail), tail

    def _divided(self, region: _Region) -> Block | list[_Region]:
        """Return smaller regions, or the block that the region is."""
        size = region.a_end - region.a + region.b_end - region.b
        if size > _SHORT:
            if self._left < size:
                return Block(*region, bounded=True)
            anchors = self._anchors(region)
            if anchors:
                return _between(region, anchors)
        pairs = self._shortest(region)
        if pairs is None:
            return Block(*region, bounded=True)
        return _between(region, pairs) if pairs else Block(*region)

    # -- anchors -----------------------------------------------------------------

    def _anchors(self, region: _Region) -> list[tuple[int, int]]:
        """Return pairs of equal items, ascending on both sides, that stand once on each."""
        left: list[Hashable] = list(self._a[region.a : region.a_end])
        right: list[Hashable] = list(self._b[region.b : region.b_end])
        for run in _RUNS:
            if run > 1:
                # Runs of twice the length are pairs of runs that follow each other.
                half = run // 2
                left, right = _renamed(
                    zip(left, left[half:], strict=False), zip(right, right[half:], strict=False)
                )
            self._spend(len(left) + len(right))
            pairs = rising(_once(left, right))
            if pairs:
                return [(region.a + i, region.b + j) for i, j in pairs]
        return []

    # -- the shortest edit -------------------------------------------------------

    def _shortest(self, region: _Region) -> list[tuple[int, int]] | None:
        """Return the pairs of a shortest edit, ``None`` where it is too far away.

        Items that one side alone holds can be in no pair, and cost nothing.
        """
        known_a = set(self._a[region.a : region.a_end])
        known_b = set(self._b[region.b : region.b_end])
        left = [i for i in range(region.a, region.a_end) if self._a[i] in known_b]
        right = [j for j in range(region.b, region.b_end) if self._b[j] in known_a]
        self._spend(region.a_end - region.a + region.b_end - region.b)
        if not left:
            return []
        x, y = [self._a[i] for i in left], [self._b[j] for j in right]
        pairs = self._edit_path(x, y)
        return None if pairs is None else [(left[i], right[j]) for i, j in pairs]

    def _edit_path(self, x: Sequence[int], y: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return the pairs of a shortest edit of *x* into *y* (Myers 1986, the greedy search)."""
        ends = len(x), len(y)
        most = min(sum(ends), _EDITS)
        middle = most + 1
        # How far the best path leads on each diagonal; before the first step it stands at 0.
        reach = [-1] * (2 * most + 3)
        reach[middle + 1] = 0
        trace: list[list[int]] = []
        for edits in range(most + 1):
            if self._left < 0 and edits > _SHORT:
                return None
            trace.append(reach[middle - edits - 1 : middle + edits + 2])
            self._spend(_gone_on(x, y, reach, middle, edits))
            # Only the diagonal of the ends leads to them.
            last = ends[0] - ends[1]
            if abs(last) <= edits and reach[middle + last] >= ends[0]:
                return _walked_back(trace, *ends)
        return None


def _gone_on(x: Sequence[int], y: Sequence[int], reach: list[int], middle: int, edits: int) -> int:
    """Let each path make one edit more and follow what is equal; return the steps taken.

    The innermost loop of every comparison: written for speed.
    """
    end, end_y = len(x), len(y)
    followed = 0
    for line in range(-edits, edits + 1, 2):
        at, above = reach[middle + line + 1], reach[middle + line - 1]
        if above >= at:
            at = above + 1
        stop = end_y + line
        stop = min(stop, end)
        if at < stop and x[at] == y[at - line]:
            begin = at
            at += 1
            while at < stop and x[at] == y[at - line]:
                at += 1
            followed += at - begin
        reach[middle + line] = at
    return 2 * edits + 1 + followed


def _walked_back(trace: list[list[int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in reversed(range(len(trace))):
        reach, middle, line = trace[edits], edits + 1, x - y
        down = line == -edits or (
            line != edits and reach[middle + line - 1] < reach[middle + line + 1]
        )
        before = line + 1 if down else line - 1
        at = reach[middle + before]
        while x > max(at, 0) and y > max(at - before, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = at, at - before
    return pairs[::-1]


def _between(region: _Region, pairs: Sequence[tuple[int, int]]) -> list[_Region]:
    """Return the regions that *pairs* divide *region* into; each but the first begins with one.

    A pair right behind another needs no region: the search goes on over what is equal.
    """
    held = dict(pairs)
    kept = [(i, j) for i, j in pairs if held.get(i - 1) != j - 1]
    ends = [*kept, (region.a_end, region.b_end)]
    starts = [(region.a, region.b), *kept]
    return [
        _Region(i, i_end, j, j_end) for (i, j), (i_end, j_end) in zip(starts, ends, strict=True)
    ]


def _once(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of items that stand once on each side, in the order of *left*."""
    count_left, count_right = _counted(left), _counted(right)
    place = {item: at for at, item in enumerate(right) if count_right[item] == 1}
    return [
        (at, place[item]) for at, item in enumerate(left) if count_left[item] == 1 and item in place
    ]


def _counted(items: Sequence[Hashable]) -> Counter[Hashable]:
    """Count in steps: one step over a million items would hold up every other thread."""
    found: Counter[Hashable] = Counter()
    for start in range(0, len(items), _STEP):
        found.update(items[start : start + _STEP])
    return found


def rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest choice of *pairs* that rises on both sides."""
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(top_pairs[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        top_pairs[pile : pile + 1] = [number]
    chosen: list[tuple[int, int]] = []
    at = top_pairs[-1] if top_pairs else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _renamed(
    left: Iterable[Hashable], right: Iterable[Hashable]
) -> tuple[list[Hashable], list[Hashable]]:
    """Return both with each item by a number, so that pairs of pairs stay small."""
    names: dict[Hashable, int] = {}
    return (
        [names.setdefault(item, len(names)) for item in left],
        [names.setdefault(item, len(names)) for item in right],
    )


def _head(a: Sequence[int], i: int, b: Sequence[int], j: int, most: int) -> int:
    """Return how many items from *i* and *j* on are equal, up to *most*."""
    count = 0
    while count < most:
        size = min(_STRIDE, most - count)
        left, right = a[i + count : i + count + size], b[j + count : j + count + size]
        if left != right:
            return count + _first_other(left, right)
        count += size
    return count


def _tail(a: Sequence[int], i: int, b: Sequence[int], j: int, most: int) -> int:
    """Return how many items before *i* and *j* are equal, up to *most*."""
    count = 0
    while count < most:
        size = min(_STRIDE, most - count)
        left, right = a[i - count - size : i - count], b[j - count - size : j - count]
        if left != right:
            return count + _first_other(left[::-1], right[::-1])
        count += size
    return count


def _first_other(left: Sequence[int], right: Sequence[int]) -> int:
    return next(at for at, (x, y) in enumerate(zip(left, right, strict=True)) if x != y)
