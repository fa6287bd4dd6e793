"""Units and magnitudes, a small table: what is not in it is no unit and compares with anything."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple

__all__ = ["PERCENT", "Tail", "factor", "same_dimension", "tails"]

PERCENT = "%"


class Tail(NamedTuple):
    """What stands behind a number: times ``10 ** magnitude``, in ``unit`` (empty without)."""

    magnitude: int = 0
    unit: str = ""


_UNITS: Mapping[str, tuple[str, Fraction, str]] = {
    "ns": ("time", Fraction(1, 10**9), "ns|nanosecond|nanoseconds|纳秒"),
    "us": ("time", Fraction(1, 10**6), "us|µs|μs|microsecond|microseconds|微秒"),
    "ms": ("time", Fraction(1, 1000), "ms|msec|millisecond|milliseconds|毫秒"),
    "s": ("time", Fraction(1), "s|sec|secs|second|seconds|秒|秒钟"),
    "min": ("time", Fraction(60), "min|mins|minute|minutes|分钟"),
    "h": ("time", Fraction(3600), "h|hr|hrs|hour|hours|小时|个小时|钟头"),
    "d": ("time", Fraction(86400), "day|days|天"),
    "wk": ("time", Fraction(604800), "week|weeks|周|星期|个星期"),
    "byte": ("size", Fraction(1), "byte|bytes|字节"),
    "kB": ("size", Fraction(10**3), "kb|kilobyte|kilobytes"),
    "MB": ("size", Fraction(10**6), "mb|megabyte|megabytes|兆字节"),
    "GB": ("size", Fraction(10**9), "gb|gigabyte|gigabytes"),
    "TB": ("size", Fraction(10**12), "tb|terabyte|terabytes"),
    "KiB": ("size", Fraction(2**10), "kib|kb"),
    "MiB": ("size", Fraction(2**20), "mib|mb"),
    "GiB": ("size", Fraction(2**30), "gib|gb"),
    "TiB": ("size", Fraction(2**40), "tib|tb"),
    PERCENT: ("ratio", Fraction(1, 100), "%|percent|pct"),
    "‰": ("ratio", Fraction(1, 1000), "‰"),
    "mm": ("length", Fraction(1, 1000), "mm|millimetre|millimetres|millimeter|millimeters|毫米"),
    "cm": ("length", Fraction(1, 100), "cm|centimetre|centimetres|centimeter|centimeters|厘米"),
    "metre": ("length", Fraction(1), "metre|metres|meter|meters|米"),
    "km": ("length", Fraction(1000), "km|kilometre|kilometres|kilometer|kilometers|公里|千米"),
    "mg": ("mass", Fraction(1, 1000), "mg|milligram|milligrams|毫克"),
    "g": ("mass", Fraction(1), "gram|grams|克"),
    "kg": ("mass", Fraction(1000), "kg|kilogram|kilograms|千克|公斤"),
    "tonne": ("mass", Fraction(10**6), "tonne|tonnes|吨"),
    "Hz": ("frequency", Fraction(1), "hz|hertz|赫兹"),
    "kHz": ("frequency", Fraction(10**3), "khz"),
    "MHz": ("frequency", Fraction(10**6), "mhz"),
    "GHz": ("frequency", Fraction(10**9), "ghz"),
}


def _names() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for unit, (_, _, spelled) in _UNITS.items():
        for name in spelled.split("|"):
            found[name] = (*found.get(name, ()), unit)
    return found


_NAMES = _names()

_MAGNITUDES: Mapping[str, int] = {
    "hundred": 2,
    "k": 3,
    "thousand": 3,
    "million": 6,
    "millions": 6,
    "mn": 6,
    "mio": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "trillion": 12,
    "成": -1,
    "百": 2,
    "千": 3,
    "万": 4,
    "萬": 4,
    "十万": 5,
    "百万": 6,
    "千万": 7,
    "亿": 8,
    "億": 8,
    "十亿": 9,
    "百亿": 10,
    "千亿": 11,
    "万亿": 12,
}
_EITHER: Mapping[str, tuple[Tail, ...]] = {
    # one letter that stands for several things: each reading counts
    "m": (Tail(), Tail(6), Tail(0, "min"), Tail(0, "metre")),
    "b": (Tail(), Tail(9), Tail(0, "byte")),
    "t": (Tail(), Tail(12), Tail(0, "tonne")),
    "g": (Tail(), Tail(0, "g"), Tail(0, "GB"), Tail(0, "GiB")),
    "k": (Tail(3), Tail()),
}


@cache
def _unit(name: str) -> tuple[str, ...]:
    return _NAMES.get(name, ())


def tails(words: str) -> tuple[Tail, ...]:
    """Return the readings of what follows a number; nothing known leaves the number bare."""
    name = words.strip(" -\u00a0\u202f").lower()
    if name in _EITHER:
        return _EITHER[name]
    if name in _MAGNITUDES:
        return (Tail(_MAGNITUDES[name]),)
    units = _unit(name)
    if units or not name or name.isascii():
        return tuple(Tail(0, unit) for unit in units) or (Tail(),)
    return _chinese(name)


def _chinese(name: str) -> tuple[Tail, ...]:
    """Read 万吨 or 秒内: a magnitude, a unit, or both, with other words behind."""
    for length in (2, 1):
        if name[:length] in _MAGNITUDES:
            below = _chinese(name[length:]) if len(name) > length else (Tail(),)
            return tuple(
                Tail(_MAGNITUDES[name[:length]] + tail.magnitude, tail.unit) for tail in below
            )
    for length in (3, 2, 1):
        units = _unit(name[:length])
        if units:
            return tuple(Tail(0, unit) for unit in units)
    return (Tail(),)


def factor(unit: str) -> Fraction:
    """Return how many of its dimension's base unit one *unit* is; a bare number is a ratio."""
    return _UNITS[unit][1] if unit else Fraction(1)


def same_dimension(one: str, other: str) -> bool:
    """Return whether two units measure the same; a bare number is a ratio, like per cent."""
    return _dimension(one) == _dimension(other)


def _dimension(unit: str) -> str:
    return _UNITS[unit][0] if unit else "ratio"
