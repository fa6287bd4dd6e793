"""What an answer may have worked out itself, from values that stand somewhere.

Combined are the nearest values of the same answer, those of the question and a
few of the results that came last, so that the cost stays in step with the
answer and chance finds little.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from reviewer.audit.grounding_numbers import Number
from reviewer.audit.grounding_reckoning import Reckoned, pairs
from reviewer.audit.grounding_support import Claim
from store.records.findings import ClaimKind

__all__ = ["worked_out"]

_NEAR = 12
"""Numbers of one group; those of a group and of its neighbours are combined with each other."""

_LINE = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)]|\|)[ \t]", re.MULTILINE)


class _Beside(NamedTuple):
    """Values of the question, percentages of the last results, and what these add up to."""

    asked: tuple[float, ...]
    shares: tuple[float, ...]
    results: Sequence[Sequence[float]]


def worked_out(
    text: str,
    claims: Sequence[Claim],
    holds: Sequence[bool],
    asked: Sequence[float],
    sources: Callable[[], Sequence[Reckoned]],
) -> Iterator[int]:
    """Yield the places in *claims* of numbers that follow from others that hold.

    *holds* says which do; *asked* are values of the question.  *sources* gives
    what follows from the results that came last, and is asked only if needed.
    """
    numbers = [at for at, claim in enumerate(claims) if claim.kind is ClaimKind.NUMBER]
    if all(holds[at] for at in numbers):
        return
    given = sources()
    shares = [share for one in given for share in one.shares]
    beside = _Beside(tuple(asked[:_NEAR]), tuple(shares[:_NEAR]), [one.results for one in given])
    lines = len(_LINE.findall(text))
    standing = list(holds)
    for _ in range(2):  # what was worked out may be reckoned with once more
        found = tuple(_of_groups(numbers, claims, standing, beside))
        counted = (at for at in numbers if not standing[at] and _is_count(claims[at], lines))
        for at in dict.fromkeys([*found, *counted]):
            standing[at] = True
            yield at
        if not found:
            return


def _of_groups(
    numbers: Sequence[int],
    claims: Sequence[Claim],
    holds: Sequence[bool],
    beside: _Beside,
) -> Iterator[int]:
    for group in range(0, len(numbers), _NEAR):
        wanted = [at for at in numbers[group : group + _NEAR] if not holds[at]]
        if not wanted:
            continue
        near = numbers[max(0, group - _NEAR) : group + 2 * _NEAR]
        values = [value for at in near if holds[at] for value in _values(claims[at])]
        own = tuple(sorted(set(_derived(values, beside))))
        follow = (own, *beside.results)
        for at in wanted:
            if any(_is_near(number, held) for number in _numbers(claims[at]) for held in follow):
                yield at


def _is_count(claim: Claim, lines: int) -> bool:
    return any(number.place >= 0 and number.value <= lines for number in _numbers(claim))


def _numbers(claim: Claim) -> Iterator[Number]:
    for keys in claim.support:
        if isinstance(keys[0], Number):
            yield keys[0]


def _values(claim: Claim) -> Iterator[float]:
    """Yield the value of the first reading."""
    for number in _numbers(claim):
        yield float(number.value)
        return


def _derived(values: Sequence[float], beside: _Beside) -> Iterator[float]:
    """Yield what follows from values of the answer in a row, from pairs of them, and shares."""
    yield sum(values)
    for start in range(len(values)):
        yield sum(values[start : start + 3])
        yield sum(values[start:])
    yield from pairs(list(dict.fromkeys([*values, *beside.asked])))
    for share in dict.fromkeys(beside.shares):
        yield from (value * share / 100 for value in values)


def _is_near(number: Number, values: Sequence[float]) -> bool:
    """Whether one of *values*, ascending, is *number* at the precision that it is written in."""
    value, half = float(number.value), 10.0**number.place / 2 + _SLIP * float(number.value)
    at = bisect_left(values, value - half)
    return at < len(values) and values[at] <= value + half


_SLIP = 1e-12
"""Binary fractions are off by less than this part of a value."""
