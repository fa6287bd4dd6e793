"""What may be reckoned from one text: columns and keys added up, shares, counts, short lines.

Bounded on purpose: among the sums and quotients of many values almost every
number is found by chance, so only those that a reader would reckon count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from reviewer.audit.grounding_numbers import readings
from reviewer.audit.grounding_numerals import numerals
from reviewer.audit.grounding_units import Tail, tails
from reviewer.audit.grounding_words import fold

__all__ = ["Reckoned", "pairs", "reckoned"]

_LONGEST = 200_000
"""Code points; of a longer text nothing is reckoned."""
_SHORT_LINE = 300
_IN_A_LINE = 4
"""Numbers of one short line that are reckoned with each other."""
_SHARES = 16
_YEARS = (1900, 2100)

_VALUE = re.compile(
    r"(?<![\w.])(\d+(?:[.,'_\u00a0\u202f]\d+)*)(?:\s?([%‰]|[A-Za-z]{1,8}|[\u4e00-\u9fff]{1,2}))?"
)
_SHARE = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s?%")
_KEY = re.compile(r"\"([^\"\n]{1,60})\"\s?:\s?(-?\d+(?:\.\d+)?)(?=\s*[,}\]])")


class Reckoned(NamedTuple):
    """``shares`` are the first percentages of a text; ``results`` what follows, ascending."""

    shares: tuple[float, ...]
    results: tuple[float, ...]


def reckoned(text: str) -> Reckoned:
    """Return what may be reckoned from *text* alone."""
    if len(text) > _LONGEST:
        return Reckoned((), ())
    folded = fold(text)
    lines = folded.split("\n")
    rows = [tuple(_values(line)) for line in lines]
    results = {*_columns(rows), *_keys(folded), *_counts(lines, folded)}
    for line, row in zip(lines, rows, strict=True):
        if len(line) <= _SHORT_LINE and 1 < len(row) <= _IN_A_LINE:
            results.update(pairs(row))
    shares = (float(found[1]) for found in _SHARE.finditer(folded))
    spelled = (
        10.0 * value for _, end, value, _ in numerals(folded) if folded.startswith("成", end)
    )
    return Reckoned(tuple(islice(chain(shares, spelled), _SHARES)), tuple(sorted(results)))


def _values(line: str) -> Iterator[float]:
    """Yield each number of a line, as it is most simply read."""
    for found in _VALUE.finditer(line):
        read = readings(found[1])
        tail = tails(found[2] or "")[0]
        for digits, place in read[:1]:
            yield float(digits) * 10.0 ** (place + tail.magnitude)
    for _, end, digits, place in numerals(line):
        behind = line[end : end + 2]
        tail = tails(behind)[0] if behind[:1] >= "\u4e00" else Tail()
        yield float(digits) * 10.0 ** (place + tail.magnitude)


def _columns(rows: Sequence[Sequence[float]]) -> Iterator[float]:
    """Yield sums and means of what stands below each other in lines with as many numbers."""
    block: list[Sequence[float]] = []
    for row in (*rows, ()):
        if block and len(row) != len(block[-1]):
            if len(block) > 1:
                for column in zip(*block, strict=True):
                    yield from _of_list(column)
            block = []
        if row:
            block.append(row)
            if 1 < len(row) <= _IN_A_LINE:
                yield sum(row)


def _keys(text: str) -> Iterator[float]:
    """Yield sums, means and counts of what stands under one key of JSON."""
    found: dict[str, list[float]] = defaultdict(list)
    for key, value in _KEY.findall(text):
        found[key].append(abs(float(value)))
    for values in found.values():
        yield from _of_list(values)


def _of_list(values: Iterable[float]) -> Iterator[float]:
    """Yield sum, mean and count of two or more values; years are counted only."""
    held = tuple(values)
    if len(held) < 2:  # noqa: PLR2004 - one alone adds up to nothing
        return
    yield float(len(held))
    if not all(_YEARS[0] <= value <= _YEARS[1] for value in held):
        yield from (sum(held), sum(held) / len(held))


def _counts(lines: Sequence[str], text: str) -> Iterator[float]:
    """Yield how many lines, list items and records there are."""
    filled = [line for line in lines if line.strip()]
    yield from map(float, (len(lines), len(filled), max(len(filled) - 1, 0)))
    yield float(sum(line.lstrip().startswith(("- ", "* ", "|")) for line in lines))
    yield from map(float, (text.count("{"), max(text.count("{") - 1, 0)))


def pairs(values: Sequence[float]) -> Iterator[float]:
    """Yield sums, differences, products, shares and percentages of each two of *values*."""
    for index, one in enumerate(values):
        for other in values[index:]:
            yield from (one + other, abs(one - other), abs(one - other) + 1, one * other)
            for above, below in ((one, other), (other, one)):
                if below:
                    share = above / below
                    yield from (share, share * 100, abs(share - 1) * 100, abs(share - 1))
            yield one * other / 100
