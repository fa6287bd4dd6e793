"""Numbers that are spelled out, in Chinese and in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["numerals"]

Numeral = tuple[int, int, int, int]
"""Start, end, digits and the place of the last digit."""


def numerals(text: str) -> Iterator[Numeral]:
    """Yield each number that *text*, folded, spells out."""
    if not text.isascii():
        for found in _CHINESE.finditer(text):
            words = found[0].strip(".点")
            read = None if words.replace(".", "").isdecimal() else _chinese(words)
            if read is not None:
                start = found.start() + found[0].index(words)
                yield (start, start + len(words), *read)
    plain = text.isascii()  # lower case would move the places of other text
    for found in (_LOWER if plain else _ENGLISH).finditer(text.lower() if plain else text):
        value = _english(found[0])
        if value is not None:
            yield (*found.span(), value, 0)


# -- Chinese ------------------------------------------------------------------------------

_DIGITS = {**dict(zip("〇零一二三四五六七八九", (0, *range(10)), strict=True)), "两": 2, "兩": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CHINESE = re.compile(
    r"百分之[〇零一二两三四五六七八九十百点]+|[〇零一二两兩三四五六七八九十百千万萬亿億点0-9.]++"
)
_LONGEST = 24
"""Characters; what is longer is no quantity."""
_WRITTEN = re.compile(r"\d+(?:\.\d+)?")


@lru_cache(maxsize=8192)
def _chinese(words: str) -> tuple[int, int] | None:
    """Read 三千五百, 二〇二六, 1.2亿, 3万5千, 一点五; ``None`` where it is no number."""
    if words.startswith("百分之"):
        below = _chinese(words[3:])
        return None if below is None else (below[0], below[1] - 2)
    if len(words) > _LONGEST or not words:
        return None
    head, point, tail = words.partition("点")
    if point:
        whole = _chinese(head) if head else None
        decimals = [_DIGITS[c] for c in tail if c in _DIGITS]
        if whole is None or whole[1] or len(decimals) != len(tail) or not tail:
            return None
        digits = int(str(whole[0]) + "".join(map(str, decimals)))
        return digits, -len(decimals)
    if all(c in _DIGITS for c in words):
        return int("".join(str(_DIGITS[c]) for c in words)), 0
    return _by_sections(words)


def _by_sections(words: str) -> tuple[int, int] | None:
    total, section, digit, place = 0, 0, -1, 0
    at, seen = 0, False
    while at < len(words):
        written = _WRITTEN.match(words, at)
        if written:
            whole, _, decimals = written[0].partition(".")
            if decimals or not seen:
                return _mixed(written, words)
            digit, at = int(whole), written.end()
            continue
        char = words[at]
        at += 1
        if char in _DIGITS:
            digit, seen = _DIGITS[char], True
        elif char in _SMALL:
            section += (digit if digit > 0 else 1) * _SMALL[char]
            digit, seen = -1, seen or char == "十"
        elif char in _LARGE:
            total = (total + section + max(digit, 0)) * _LARGE[char]
            section, digit = 0, -1
        else:
            return None
    return (total + section + max(digit, 0), place) if seen and total + section + digit else None


def _mixed(written: re.Match[str], words: str) -> tuple[int, int] | None:
    """Read 1.2亿 and 3万5千: written digits, each with its magnitude."""
    pieces = re.findall(r"(\d+(?:\.\d+)?)([十百千万萬亿億]*)", words)
    if "".join(a + b for a, b in pieces) != words or written.start():
        return None
    total, last = 0, 0
    for digits, marks in pieces:
        whole, _, decimals = digits.partition(".")
        power = sum({"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4}.get(m, 8) for m in marks)
        last = power - len(decimals)
        if last < 0 or len(whole) > 15:  # noqa: PLR2004 - more is a name, not a quantity
            return None
        total += int(whole + decimals) * 10**last
    return total // 10**last, last


# -- English ------------------------------------------------------------------------------

_ONES = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
}
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join([*sorted(_ONES, key=len, reverse=True), *_TENS, "hundred", *_SCALES])
_WORDS = rf"\b(?=[befhmnost])(?:{_WORD})(?:(?:[ -]+|\s+and\s+)(?:{_WORD}))*\b"
_LOWER = re.compile(_WORDS)
_ENGLISH = re.compile(_WORDS, re.IGNORECASE)


def _english(words: str) -> int | None:
    total, section = 0, 0
    names = [name for name in re.split(r"[\s-]+", words.lower()) if name != "and"]
    if names[0] in _SCALES or names[0] == "hundred":
        return None  # the number before it is written in digits
    for name in names:
        if name in _ONES or name in _TENS:
            section += _ONES.get(name) or _TENS[name]
        elif name == "hundred":
            section = (section or 1) * 100
        else:
            total += (section or 1) * _SCALES[name]
            section = 0
    return total + section
