"""Numbers that an answer claims: which are worth looking for, and how exactly they are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviewer.audit.grounding_numbers import Number, readings
from reviewer.audit.grounding_numerals import numerals
from reviewer.audit.grounding_units import Tail, tails

__all__ = ["Quantity", "quantities"]

TRIVIAL = 20
"""Whole numbers up to this one, without a unit, count things and need no source."""


class Quantity(NamedTuple):
    """A number at ``[start, end)`` of an answer with everything it may mean."""

    start: int
    end: int
    readings: tuple[Number, ...]


_WRITTEN = re.compile(
    r"((?<![\w)\]\0])[-+])?(?<![A-Za-z0-9_.:/#\0])(?<![A-Za-z\0]-)(\d+(?:[.,'_\u00a0\u202f\u2009]\d+)*)"
    r"(?:([eE][-+]?\d{1,2})(?!\w)"
    r"|([ \u00a0\u202f-]?)([A-Za-zµμ]{1,12}|[%‰]|[\u4e00-\u9fff]{1,4}))?"
    r"(\+)?"
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.|nearly|almost|over|under"
    r"|more than|less than|fewer than|at least|at most|up to|just)|[~≈><≥≤]"
    r"|约|大约|大概|近|接近|超过|不到|至少|至多|最多|逾)\s*\Z",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"[多余]")
_BEFORE = 16


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the numbers of *text*, folded, that need a source."""
    for found in _WRITTEN.finditer(text):
        sign, run, power, gap, tail, plus = found.groups()
        mark = {"-": -1, "+": 1}.get(sign or "", 0)
        behind = _behind(power, gap, tail)
        if behind is None:
            continue
        about = bool(plus) or _is_about(text, found.start(), tail)
        made = tuple(_meant(readings(run), behind, mark, about=about))
        end = found.end(2) if not any(t != Tail() for t in behind) else found.end()
        if made and not all(map(_is_trivial, made)):
            yield Quantity(found.start(), end, made)
    yield from _spelled(text)


def _spelled(text: str) -> Iterator[Quantity]:
    for start, end, digits, place in numerals(text):
        follows = text[end : end + 4].partition("\0")[0]
        behind = tails(follows) if follows[:1] >= "\u4e00" else (Tail(),)
        about = _is_about(text, start, text[end : end + 1])
        made = tuple(_meant(((digits, place),), behind, 0, about=about))
        spelled = end - start > 1 and not any(char.isdecimal() for char in text[start:end])
        if spelled and not all(map(_is_trivial, made)):
            yield Quantity(start, end, made)


def _behind(power: str | None, gap: str | None, tail: str | None) -> tuple[Tail, ...] | None:
    """Return what follows a number, ``None`` where the digits are part of a name."""
    if power:
        return (Tail(int(power[1:])),)
    found = tails(tail or "")
    known = any(t != Tail() for t in found)
    if tail and not gap and not known and tail.isascii():
        return None  # 2nd, 3D, 4o
    if gap == "-" and not known:
        return (Tail(),)
    return found


def _is_about(text: str, start: int, tail: str | None) -> bool:
    before = text[max(0, start - _BEFORE) : start]
    return bool(_ABOUT.search(before)) or bool(tail and _AND_MORE.match(tail))


def _meant(
    written: tuple[tuple[int, int], ...], behind: tuple[Tail, ...], sign: int, *, about: bool
) -> Iterator[Number]:
    for digits, place in written:
        for tail in behind:
            yield Number(digits, place + tail.magnitude, sign, tail.unit)
            if about:
                yield from _nearby(digits, place + tail.magnitude, tail.unit)


def _nearby(digits: int, place: int, unit: str) -> Iterator[Number]:
    """Yield what "about 1,200" or "over 12k" may rest on: noughts at the end are no precision."""
    while digits and not digits % 10:
        digits, place = digits // 10, place + 1
    yield Number(digits, place, 0, unit)
    if place:  # a whole number written to its last digit is meant as it stands
        yield Number(digits + 1, place, 0, unit)
        yield Number(max(digits - 1, 1), place, 0, unit)


def _is_trivial(number: Number) -> bool:
    return not number.unit and number.place >= 0 and number.value <= TRIVIAL
