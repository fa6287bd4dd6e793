"""Draws the residency map and the coverage strips for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.strips import Strip
from reviewer.display import one_line, wrap
from reviewer.reports._drawing import CELL_WORDS, STRIP_MARKS, STRIP_WORDS, letter_of
from reviewer.reports._drawing_map import MapRow, ResidencyMap, residency_map
from reviewer.reports._drawing_strip import strip_columns, strip_words, version_strips
from reviewer.reports._words import undecided
from store.records.findings import Audit
from store.records.grades import Grade

__all__ = ["map_lines", "strip_lines"]

_INDENT = "  "
_NAMES = 36
"""Columns that are left for the names, which stand last and may run over."""

_LEAST_CHART = 20


def map_lines(audit: Audit, columns: int) -> Iterator[str]:
    """Yield the map of a run: a letter for each call, the answer's call between bars."""
    map_ = residency_map(audit, max(_LEAST_CHART, columns - _NAMES))
    meanings = [f"{letter} {look}" for look, (letter, _) in CELL_WORDS.items()]
    legend = f"{', '.join(meanings)}; the call of the answer stands between bars; ◆ cited"
    for line in (f"Which source stood in which call's request: {legend}.", *map_.notes):
        yield from wrap(line, columns)
    yield from wrap(map_.grades.lane.words, columns)
    yield f"{_INDENT}  {_axis(map_)}"
    yield f"{_INDENT}  {_letters(map_.grades, map_)}  {map_.grades.name}"
    for row in map_.rows:
        mark = "◆" if row.citations else " "
        yield f"{_INDENT}{mark} {_letters(row, map_)}  {row.name}"


def _letters(row: MapRow, map_: ResidencyMap) -> str:
    """Return a letter for each column, a small one where the record does not prove its calls."""
    text = "".join(letter_of(run.look) * (run.last - run.first + 1) for run in row.runs)
    answer = map_.answer
    for run in map_.grades.runs:
        if run.look == Grade.UNKNOWN.value:
            end = run.last + 1
            text = f"{text[: run.first]}{text[run.first : end].lower()}{text[end:]}"
    if answer is None:
        return text
    return f"{text[:answer]}|{text[answer]}|{text[answer + 1 :]}"


def _axis(map_: ResidencyMap) -> str:
    """Return the numbers of calls, each beginning above its column."""
    line = ""
    for tick in map_.axis:
        column = int(tick.at * len(map_.columns))
        if map_.answer is not None:
            column += (column >= map_.answer) + (column > map_.answer)
        if len(line) <= column:
            line = f"{line:<{column}}{tick.text} "
    return line.rstrip()


def strip_lines(audit: Audit, columns: int) -> Iterator[str]:
    """Yield the strips of versions, each with its name; ``▲`` under a strip marks cited places."""
    size = max(_LEAST_CHART, min(60, columns - _NAMES))
    meanings = (f"{STRIP_MARKS[look]} {meaning}" for look, meaning in STRIP_WORDS.items())
    yield from wrap(f"Coverage of each version: {', '.join(meanings)}, ▲ cited.", columns)
    left = undecided(audit.calls)
    if left:
        yield from wrap(f"{left}: what is drawn came, and may not have stayed.", columns)
    for name, facts, strip in version_strips(audit):
        drawn = "".join(STRIP_MARKS[look] for look in strip_columns(strip, size))
        yield f"{_INDENT}[{drawn}]  {one_line(name)}"
        ticks = _ticks(strip, size)
        yield f"{_INDENT} {ticks:<{size}}   {strip_words(facts, strip)}"


def _ticks(strip: Strip, size: int) -> str:
    marks = [" "] * size
    for span, _ in strip.cited:
        first = (span.start - strip.extent.start) * size // max(1, strip.extent.length)
        last = -((strip.extent.start - span.end) * size // max(1, strip.extent.length))
        for place in range(max(0, min(first, size - 1)), max(first + 1, min(last, size))):
            if place < size:
                marks[place] = "▲"
    return "".join(marks).rstrip()
