"""Dates and times of day as what they say, however they are written.

A date that may be read two ways (10/11/2026) has both readings; a time
without a zone is the time on the wall, one with a zone the moment of the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviewer.audit.grounding_numerals import numerals

__all__ = ["Key", "Moment", "dates", "keys_of", "support_for", "times"]

Key = tuple[str, int, int, int]
"""What a request may hold: a name of the sort, and three numbers."""


class Moment(NamedTuple):
    """Something read at ``[start, end)`` of a text; ``readings`` are what it may be.

    A date is year, month and day, 0 where not said.  A time is its minute of
    the day, its second (-1 where not said) and the minutes of its zone before
    UTC (`NO_ZONE` where not said).
    """

    start: int
    end: int
    is_date: bool
    readings: tuple[tuple[int, int, int], ...]


NO_ZONE = 10_000

# -- dates --------------------------------------------------------------------------------

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        1,
    )
    for name in names
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH = re.compile(rf"\b(?:{_NAME})\b\.?", re.IGNORECASE)
_DAY_BEFORE = re.compile(
    r"(?<![\d.:/-])(\d{1,2})(?:st|nd|rd|th)?(?:\s+(?:of\s+)?|-)\Z", re.IGNORECASE
)
_DAY_BEHIND = re.compile(r"[ -](\d{1,2})(?:st|nd|rd|th)?(?![\d:]|\.\d)", re.IGNORECASE)
_YEAR_BEHIND = re.compile(r"(?:,?\s+|-)(?:of\s+)?(\d{4})(?!\d)")
_FIGURES = re.compile(r"(?<![\d.])(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?![\d]|[./]\d)")
_FIGURE = "〇零一二三四五六七八九十"
_CHINESE = re.compile(
    rf"(?:(\d{{4}}|[{_FIGURE}]{{4}})\s*年\s*)?(\d{{1,2}}|[{_FIGURE}]{{1,3}})\s*月"
    rf"(?:\s*(\d{{1,2}}|[{_FIGURE}]{{1,3}})\s*[日号])?|(\d{{4}}|[{_FIGURE}]{{4}})\s*年"
)
_PACKED = re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")
_BEFORE = 16
_SHORT_YEAR = 70


def dates(text: str) -> Iterator[Moment]:
    """Yield the dates of *text*, folded."""
    for found in _MONTH.finditer(text):
        made = _named(text, found)
        if made:
            yield made
    for found in _FIGURES.finditer(text):
        first, _, middle, last = found.groups()
        readings = tuple(_figures(first, middle, last))
        if readings:
            yield Moment(*found.span(), is_date=True, readings=readings)
    for found in _PACKED.finditer(text):
        year, month, day = map(int, found.groups())
        yield Moment(*found.span(), is_date=True, readings=((year, month, day),))
    if not text.isascii():
        yield from _chinese(text)


def _named(text: str, found: re.Match[str]) -> Moment | None:
    month = _MONTHS[found[0].rstrip(".").lower()]
    start, end = found.span()
    before = _DAY_BEFORE.search(text, max(0, start - _BEFORE), start)
    behind = None if before else _DAY_BEHIND.match(text, end)
    day = before or behind
    end = behind.end() if behind else end
    year = _YEAR_BEHIND.match(text, end)
    if not day and not year:
        return None
    said = (int(year[1]) if year else 0, month, int(day[1]) if day else 0)
    if said[2] > 31:  # noqa: PLR2004 - no month is longer
        return None
    start, end = before.start(1) if before else start, year.end() if year else end
    return Moment(start, end, is_date=True, readings=(said,))


def _figures(first: str, middle: str, last: str) -> Iterator[tuple[int, int, int]]:
    if len(first) == 4 and len(last) <= 2:  # noqa: PLR2004 - a year in full
        yield from _valid(int(first), int(middle), int(last))
    elif len(last) in (2, 4) and len(first) <= 2:  # noqa: PLR2004 - a year short or in full
        year = int(last)
        if len(last) == 2:  # noqa: PLR2004 - a short one
            year += 1900 if year >= _SHORT_YEAR else 2000
        yield from _valid(year, int(middle), int(first))
        if first != middle:
            yield from _valid(year, int(first), int(middle))


def _valid(year: int, month: int, day: int) -> Iterator[tuple[int, int, int]]:
    if 1 <= month <= 12 and 1 <= day <= 31:  # noqa: PLR2004 - the calendar
        yield year, month, day


def _chinese(text: str) -> Iterator[Moment]:
    for found in _CHINESE.finditer(text):
        year, month, day, alone = found.groups()
        said = (_figure(year or alone), _figure(month), _figure(day))
        if said[0] or said[2]:
            yield Moment(*found.span(), is_date=True, readings=(said,))


def _figure(written: str | None) -> int:
    """Return the number written in figures or in Chinese numerals, 0 where there is none."""
    if not written or written.isdecimal():
        return int(written or 0)
    return next((digits for _, end, digits, _ in numerals(written) if end == len(written)), 0)


# -- times --------------------------------------------------------------------------------

_CLOCK = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?(?![\d:])"
    r"(?:\s?(?-i:([ap])\.?m|([AP])\.?M)\b\.?)?(?:\s?(Z\b|UTC\b|GMT\b)?([+-]\d{1,2}(?::?\d{2})?)?)?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![\d:.])(1[0-2]|0?[1-9])\s?([ap]\.?m|[AP]\.?M)\b")
_CHINESE_CLOCK = re.compile(
    rf"(上午|早上|凌晨|中午|下午|晚上)?\s*([01]?\d|2[0-4]|[两{_FIGURE}]{{1,3}})\s*[点时](?!间|候)"
    rf"(?:\s*([0-5]?\d|[{_FIGURE}]{{1,3}})\s*分)?(半)?"
)
_NOON = 12
_DAY = 24 * 60


def times(text: str) -> Iterator[Moment]:
    """Yield the times of day in *text*, folded."""
    for found in _CLOCK.finditer(text):
        hour, minute, second, low, high, zone, offset = found.groups()
        readings = tuple(
            (at, int(second) if second else -1, _zone(zone, offset))
            for at in _minutes(int(hour), int(minute), (low or high or "").lower())
        )
        end = found.start() + len(found[0].rstrip())
        yield Moment(found.start(), end, is_date=False, readings=readings)
    for found in _HOUR.finditer(text):
        (at,) = _minutes(int(found[1]), 0, found[2][0].lower())
        yield Moment(*found.span(), is_date=False, readings=((at, -1, NO_ZONE),))
    if not text.isascii():
        yield from _chinese_times(text)


def _minutes(hour: int, minute: int, half: str) -> tuple[int, ...]:
    if half:
        return ((hour % _NOON + (_NOON if half == "p" else 0)) * 60 + minute,)
    return ((hour * 60 + minute) % _DAY,)


def _zone(name: str | None, offset: str | None) -> int:
    if offset:
        figures = re.sub(r"\D", "", offset)
        hours, minutes = (figures, "0") if len(figures) <= 2 else (figures[:-2], figures[-2:])  # noqa: PLR2004 - hh or hhmm
        return (int(hours) * 60 + int(minutes)) * (-1 if offset[0] == "-" else 1)
    return 0 if name else NO_ZONE


def _chinese_times(text: str) -> Iterator[Moment]:
    for found in _CHINESE_CLOCK.finditer(text):
        half, hour, minute, and_half = found.groups()
        at = _figure(hour)
        if half in ("下午", "晚上") and at < _NOON:
            at += _NOON
        if half or minute or and_half:
            minutes = at * 60 + (_figure(minute) if minute else 30 if and_half else 0)
            yield Moment(*found.span(), is_date=False, readings=((minutes % _DAY, -1, NO_ZONE),))


# -- comparing ------------------------------------------------------------------------------


def keys_of(moment: Moment) -> Iterator[Key]:
    """Yield what a text that holds *moment* supports."""
    for reading in moment.readings:
        if moment.is_date:
            yield from _date_keys(*reading)
        else:
            yield from _time_keys(*reading)


def _date_keys(year: int, month: int, day: int) -> Iterator[Key]:
    if year and month and day:
        yield ("date", year, month, day)
    if year and month:
        yield ("month", year, month, 0)
    if month and day:
        yield ("day", month, day, 0)
        if not year:
            yield ("any-year", month, day, 0)
    if year:
        yield ("year", year, 0, 0)


def _time_keys(minute: int, second: int, zone: int) -> Iterator[Key]:
    sort = "time" if zone == NO_ZONE else "zoned-time"
    for said in {second, -1}:
        yield (sort, minute, said, 0)
        if zone != NO_ZONE:
            yield ("moment", (minute - zone) % _DAY, said, 0)


def support_for(moment: Moment) -> Iterator[tuple[Key, ...]]:
    """Yield the sets of keys of which one must be there for a claim of *moment* to stand."""
    for reading in moment.readings:
        if moment.is_date:
            yield from _date_support(*reading)
        else:
            yield from _time_support(*reading)


def _date_support(year: int, month: int, day: int) -> Iterator[tuple[Key, ...]]:
    if year and month and day:
        yield (("date", year, month, day),)
        yield (("any-year", month, day, 0), ("year", year, 0, 0))
    elif year and month:
        yield (("month", year, month, 0),)
    elif month:
        yield (("day", month, day, 0),)
    else:
        yield (("year", year, 0, 0),)


def _time_support(minute: int, second: int, zone: int) -> Iterator[tuple[Key, ...]]:
    yield (("time", minute, second, 0),)
    if zone == NO_ZONE:
        yield (("zoned-time", minute, second, 0),)
        return
    yield (("moment", (minute - zone) % _DAY, second, 0),)
