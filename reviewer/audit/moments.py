"""Recorded times compared with each other; nothing here knows what time it is."""

from __future__ import annotations

import re

__all__ = ["seconds_between"]

_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?"
    r"\s*(?:Z|([+-])(\d\d):?(\d\d))?",
    re.IGNORECASE,
)


def seconds_between(earlier: str | None, later: str | None) -> float | None:
    """Return the seconds from one recorded time to another.

    ``None`` where one is not recorded, is no ISO 8601 time, or where only one
    of the two names its time zone.
    """
    first, second = _moment(earlier), _moment(later)
    if first is None or second is None or first[1] != second[1]:
        return None
    return second[0] - first[0]


def _moment(text: str | None) -> tuple[float, bool] | None:
    """Return seconds since a fixed day, and whether the time zone is named."""
    found = _MOMENT.fullmatch(text.strip()) if text else None
    if found is None or text is None:
        return None
    year, month, day, hours, minutes, seconds = map(int, found.groups()[:6])
    fraction = float(f"0.{found[7]}") if found[7] else 0.0
    offset = (int(found[9]) * 60 + int(found[10])) * 60 if found[8] else 0
    clock = (hours * 60 + minutes) * 60 + seconds + fraction
    zoned = bool(found[8]) or text.strip().upper().endswith("Z")
    moved = -offset if found[8] == "+" else offset
    return _days(year, month, day) * 86_400.0 + clock + moved, zoned


def _days(year: int, month: int, day: int) -> int:
    """Return the days from a fixed day; years begin in March, so that a leap day ends one."""
    if month < 3:  # noqa: PLR2004 - March
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
