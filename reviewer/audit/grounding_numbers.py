"""Numbers as values with their written precision.

A claim is supported by a number that, rounded to the last digit the claim
writes, is the claim: 12.3k by 12,345 and 1,234.50 by 1,234.5, but 1,234.56 not
by 1,234.6.  What a separator means is not always certain: every reading
counts, so that doubt never makes a finding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from reviewer.audit.grounding_numerals import numerals
from reviewer.audit.grounding_units import PERCENT, factor, same_dimension, tails

__all__ = ["Number", "Wanted", "numbers", "readings"]

_LONGEST = 24
"""Runs of more digits are names, not quantities."""


class Number(NamedTuple):
    """``digits * 10 ** place`` in ``unit``; *place* is that of the last digit written.

    ``sign`` is as written: 1, -1, or 0 without one.
    """

    digits: int
    place: int
    sign: int = 0
    unit: str = ""

    @property
    def value(self) -> Fraction:
        """The value without its sign."""
        return Fraction(self.digits) * Fraction(10) ** self.place


# -- reading ----------------------------------------------------------------------------

_SEPARATOR = "[.,'_ \u00a0\u202f\u2009]"
_RUN = re.compile(
    r"((?<![\w)\]])[-+])?(\d(?:[\d.,'_ \u00a0\u202f\u2009]{0,60}\d)?)"
    r"(?:([eE][-+]?\d{1,2})(?!\w)|[ \u00a0\u202f-]?([A-Za-zµμ]{1,12}|[%‰]|[\u4e00-\u9fff]{1,4}))?"
)


def numbers(text: str) -> Iterator[Number]:
    """Yield every number that may be read in *text*, folded; the same one may come again."""
    for written in dict.fromkeys(_RUN.findall(text)):
        yield from _all_readings(*written)
    for key, run in _KEYED.findall(text):
        for unit in tails(key):
            yield from (Number(digits, place, 0, unit.unit) for digits, place in readings(run))
    for whole, decimals, power, raised in _POWER.findall(text):
        place = int(power or raised.translate(_RAISED)) - len(decimals)
        yield Number(int(whole + decimals or "1"), place)
    for _, end, digits, place in numerals(text):
        tail = _TAIL.match(text, end)
        for behind in tails(tail[0] if tail else ""):
            yield Number(digits, place + behind.magnitude, 0, behind.unit)


_KEYED = re.compile(
    r"(?:_|-|(?<=[a-z])(?=[A-Z]))"
    r"((?i:ms|s|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|bytes?|[kmg]i?b|percent|pct))"
    r"[\"']?\s?[:=]\s?[\"']?(\d+(?:\.\d+)?)(?![\w.])"
)
"""A number whose unit is said by its key: ``timeout_ms: 30000``."""
_POWER = re.compile(
    r"(?:(?<![\d.])(\d{1,6})(?:\.(\d{1,9}))?\s?[×x*·⋅]\s?)?"
    r"\b10(?:\s?(?:\^|\*\*)\s?[{(]?(-?\d{1,2})(?!\d)|(⁻?[⁰¹²³⁴-⁹]{1,2}))"
)
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_TAIL = re.compile(r"[ -]?(?:[A-Za-zµ]{1,12}|[%‰]|[\u4e00-\u9fff]{1,4})")


@lru_cache(maxsize=65536)
def _all_readings(sign: str, run: str, power: str, tail: str) -> tuple[Number, ...]:
    """Every number of a run of digits: whole, grouped, and its pieces."""
    found: dict[tuple[int, int], None] = {}
    for piece in _PIECE.findall(run):
        _add(found, piece)
    for whole, decimals in re.findall(r"(?=(?<![\d.])(\d+)[.,](\d+)(?!\.?\d))", run):
        _add(found, whole + decimals, -len(decimals))
    for grouped in _GROUPED.finditer(run):
        for digits, place in readings(grouped[0]):
            found[digits, place] = None
    mark = {"-": -1, "+": 1}.get(sign, 0)
    if power:
        shift = int(power[1:])
        return tuple(Number(d, p + shift, mark) for d, p in found)
    behind = tails(tail)
    return tuple(Number(d, p + t.magnitude, mark, t.unit) for d, p in found for t in behind)


_PIECE = re.compile(r"(?<![\d.])\d+(?!\.?\d)")
"""A number of a list; decimals and what follows a point are none of their own."""

_GROUPED = re.compile(rf"(?<!\d)\d{{1,3}}(?:({_SEPARATOR})\d{{3}})(?:\1\d{{3}})*(?:[.,]\d+)?(?!\d)")


def _add(found: dict[tuple[int, int], None], digits: str, place: int = 0) -> None:
    if len(digits) <= _LONGEST:
        found[int(digits), place] = None


@lru_cache(maxsize=4096)
def readings(run: str) -> tuple[tuple[int, int], ...]:
    """Return what one number, as written, may be: digits and the place of the last one."""
    parts, marks = re.findall(r"\d+", run), re.findall(r"\D", run)
    if sum(map(len, parts)) > _LONGEST:
        return ()
    whole = int("".join(parts))
    if not marks:
        return ((whole, 0),)
    found: list[tuple[int, int]] = []
    if _is_grouped(parts, marks):
        found.append((whole, 0))
    others = marks[:-1]
    is_decimal = marks[-1] in ".," and marks[-1] not in others
    if is_decimal and (not others or _is_grouped(parts[:-1], others)):
        found.append((whole, -len(parts[-1])))
    return tuple(found)


def _is_grouped(parts: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether the marks may stand between thousands, or lakhs and crores."""
    first, *middle, last = map(len, parts)
    if len(set(marks)) != 1 or first > _GROUP or last != _GROUP or parts[0].startswith("0"):
        return False
    return set(middle) <= {_GROUP} or (set(middle) <= {_GROUP - 1} and marks[0] == ",")


_GROUP = 3

# -- comparing --------------------------------------------------------------------------


class Wanted:
    """Numbers that are looked for, ready to be compared with many."""

    def __init__(self, claims: Iterable[Number]) -> None:
        self._by_value: dict[tuple[int, int], list[Number]] = defaultdict(list)
        for claim in dict.fromkeys(claims):
            self._by_value[claim.digits, claim.place].append(claim)
        self._places = sorted({place for _, place in self._by_value})
        self._units = sorted({claim.unit for found in self._by_value.values() for claim in found})
        self._known: dict[Number, tuple[Number, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._places)

    def supported_by(self, number: Number) -> tuple[Number, ...]:
        """Return the claims that *number* supports."""
        if number not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[number] = tuple(dict.fromkeys(self._supported_by(number)))
        return self._known[number]

    def _supported_by(self, number: Number) -> Iterator[Number]:
        for claim in self._equal(number.digits, number.place):
            same = not claim.unit or not number.unit or claim.unit == number.unit
            if same and claim.sign * number.sign >= 0:
                yield claim
        for unit in self._units:
            if unit == number.unit or not same_dimension(unit, number.unit):
                continue
            if {unit, number.unit} == {"", PERCENT} and not _may_be_a_ratio(number):
                continue
            value = number.value * factor(number.unit) / factor(unit)
            for claim in self._rounded(value):
                if claim.unit == unit and claim.sign * number.sign >= 0:
                    yield claim

    def _equal(self, digits: int, place: int) -> Iterator[Number]:
        for wanted in self._places:
            if wanted <= place:
                yield from self._by_value.get((digits * 10 ** (place - wanted), wanted), ())
                continue
            step = 10 ** (wanted - place)
            low, rest = divmod(digits, step)
            for rounded in {low} if 2 * rest < step else {low + 1, low + (2 * rest > step)}:
                yield from self._by_value.get((rounded, wanted), ())

    def _rounded(self, value: Fraction) -> Iterator[Number]:
        for wanted in self._places:
            scaled = value / Fraction(10) ** wanted
            low = scaled.numerator // scaled.denominator
            rest = scaled - low
            near = [low] if rest < _HALF else [low + 1] if rest > _HALF else [low, low + 1]
            for rounded in near:
                yield from self._by_value.get((rounded, wanted), ())


_HALF = Fraction(1, 2)
_REMEMBERED = 1_000_000
"""Answers kept: numbers of a log repeat themselves."""


def _may_be_a_ratio(number: Number) -> bool:
    return bool(number.unit) or (number.place < 0 and number.value <= 1)
