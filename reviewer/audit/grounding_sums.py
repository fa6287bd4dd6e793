"""What an answer may have worked out itself, from values of its own that stand somewhere.

Only values of the same answer are combined, the nearest before and behind, so
that the cost stays in step with the answer and chance finds little.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction

from reviewer.audit.grounding_numbers import Number
from reviewer.audit.grounding_support import Claim
from store.records.findings import ClaimKind

__all__ = ["worked_out"]

_NEAR = 12
"""Numbers of one group; those of a group and of its neighbours are combined with each other."""

_LINE = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)]|\|)[ \t]", re.MULTILINE)


def worked_out(
    text: str, claims: Sequence[Claim], holds: Sequence[bool], asked: Sequence[Fraction]
) -> Iterator[int]:
    """Yield the places in *claims* of numbers that follow from others that hold.

    *holds* says which do; *asked* are values of the question.
    """
    numbers = [at for at, claim in enumerate(claims) if claim.kind is ClaimKind.NUMBER]
    counted = {Fraction(count) for count in range(len(_LINE.findall(text)) + 1)}
    for group in range(0, len(numbers), _NEAR):
        wanted = [at for at in numbers[group : group + _NEAR] if not holds[at]]
        if not wanted:
            continue
        near = numbers[max(0, group - _NEAR) : group + 2 * _NEAR]
        values = [value for at in near if holds[at] for value in _values(claims[at])]
        follow = sorted({*counted, *_derived(list(dict.fromkeys([*values, *asked[:_NEAR]])))})
        for at in wanted:
            if any(_is_near(number, follow) for number in _numbers(claims[at])):
                yield at


def _numbers(claim: Claim) -> Iterator[Number]:
    for keys in claim.support:
        if isinstance(keys[0], Number):
            yield keys[0]


def _values(claim: Claim) -> Iterator[Fraction]:
    """Yield the value of the first reading."""
    for number in _numbers(claim):
        yield number.value
        return


def _derived(values: Sequence[Fraction]) -> Iterator[Fraction]:
    yield sum(values, Fraction())
    for start in range(len(values)):
        yield sum(values[start : start + 3], Fraction())
        yield sum(values[start:], Fraction())
    for index, one in enumerate(values):
        for other in values[index:]:
            yield from (one + other, abs(one - other), abs(one - other) + 1, one * other)
            for above, below in ((one, other), (other, one)):
                if below:
                    share = above / below
                    yield from (share, share * 100, abs(share - 1) * 100, abs(share - 1))
                    yield above * below / 100


def _is_near(number: Number, values: Sequence[Fraction]) -> bool:
    """Whether one of *values*, ascending, is *number* at the precision that it is written in."""
    half = Fraction(10) ** number.place / 2
    at = bisect_left(values, number.value - half)
    return at < len(values) and values[at] <= number.value + half
