"""The residency map: which source stood in which call's request, as lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.audit.residency import Cell
from reviewer.display import one_line
from reviewer.reports._drawing import (
    CELL_SHAPES,
    COLUMNS,
    DOUBT,
    LANE,
    MIXED,
    MIXED_LETTER,
    UNPROVEN,
    Box,
    CellRun,
    Lane,
    Letter,
    letter_of,
    runs_of,
)
from reviewer.reports._words import call_ranges
from store.records.findings import Audit
from store.records.grades import Grade

if TYPE_CHECKING:
    from reviewer.audit.cells import SourceCells

__all__ = ["MapRow", "ResidencyMap", "residency_map"]

_LOOKS = {cell.value: cell.name.lower() for cell in Cell}

Columns = Sequence[tuple[int, int]]
"""The first and the last call of each column."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """One source.  ``words`` of its lane name every call, however the columns are folded."""

    source_id: str
    citations: int
    runs: tuple[CellRun, ...]
    lane: Lane

    @property
    def name(self) -> str:
        """What the row is called: the id, on one line and with nothing hidden."""
        return one_line(self.source_id)


@dataclass(frozen=True, slots=True)
class ResidencyMap:
    """Sources by calls.

    ``columns`` gives for each column its first and last call.  ``answer`` is
    the column of the call of the last answer (of the last call where there is
    none), ``None`` without calls; it never stands for another call.  ``grades``
    has the weakest grade of each column, and says in words which calls have
    which.  ``axis`` are the numbers of calls.  ``notes`` say what the picture
    does not show and why.
    """

    rows: tuple[MapRow, ...]
    columns: tuple[tuple[int, int], ...]
    answer: int | None
    grades: MapRow
    axis: tuple[Letter, ...]
    notes: tuple[str, ...]

    @property
    def frame(self) -> tuple[float, float] | None:
        """The shares between which the column of the answer stands."""
        if self.answer is None:
            return None
        return self.answer / len(self.columns), (self.answer + 1) / len(self.columns)


_LEAST_LETTER = 0.03
"""A letter stands in a run of at least this share of the width."""


def residency_map(audit: Audit, columns: int = COLUMNS) -> ResidencyMap:
    """Return the map of a run in at most about *columns* columns.

    Neighbouring calls share a column where there are more calls; sources of
    which nothing stood in any request, and which nothing cites, share a note.
    """
    # Only a picture needs the arrays: ``reread formats`` does not wait for them.
    from reviewer.audit.cells import Cells, closing_call, source_cells  # noqa: PLC0415

    cells = Cells(audit)
    found = source_cells(audit, cells)
    shown = [held for held in found if held.cells.any() or held.citations]
    closing = closing_call(audit.run)
    closing = closing if 0 < closing <= cells.calls else 0
    bounds = _bounds(cells.calls, closing, columns)
    answer = next((at for at, (first, _) in enumerate(bounds) if first == closing), None)
    grades = _grades(audit, bounds)
    return ResidencyMap(
        rows=tuple(_row(held, bounds, grades) for held in shown),
        columns=bounds,
        answer=answer,
        grades=grades,
        axis=tuple(_axis(bounds)),
        notes=tuple(_notes(audit, bounds, len(found) - len(shown))),
    )


def _bounds(calls: int, closing: int, columns: int) -> tuple[tuple[int, int], ...]:
    """Return the calls of each column; that of the answer stands alone."""
    size = max(1, -(-calls // max(1, columns)))
    starts = {*range(1, calls + 1, size), *({closing, closing + 1} if closing else ())}
    held = sorted(start for start in starts if start <= calls)
    return tuple(zip(held, [start - 1 for start in held[1:]] + [calls], strict=False))


def _notes(audit: Audit, bounds: Columns, left: int) -> Iterator[str]:
    widest = max((last - first + 1 for first, last in bounds), default=0)
    if widest > 1:
        yield (
            f"Each column stands for up to {widest} calls, that of the answer for one; "
            f"{MIXED_LETTER} marks a column whose calls differ."
        )
    if left:
        some = "of one other source" if left == 1 else f"of {left} other sources"
        yield f"Nothing {some} stood in any request, and nothing cites it: not drawn."
    unproven = sum(call.grade is Grade.UNKNOWN for call in audit.run.calls)
    if unproven:
        yield (
            f"In {unproven} of {len(audit.run.calls)} calls the record cannot say what stood in "
            f"the request. They are marked (bars cut through, {UNPROVEN}, small letters): what is "
            "shown there came, and may not have stayed."
        )
    if not audit.run.answers and audit.run.calls:
        yield "No answer is recorded; the last call is framed."


def _row(held: SourceCells, bounds: Columns, grades: MapRow) -> MapRow:
    cells: list[int] = held.cells.tolist()
    looks = []
    for first, last in bounds:
        column = cells[first - 1 : last]
        looks.append(_LOOKS[column[0]] if min(column) == max(column) else MIXED)
    runs = tuple(runs_of(looks))
    return MapRow(
        source_id=held.source.source_id,
        citations=held.citations,
        runs=runs,
        lane=_lane(runs, grades, len(bounds), _cell_words(held, cells)),
    )


def _lane(runs: Sequence[CellRun], grades: MapRow, columns: int, words: str) -> Lane:
    """Return the boxes of a row, cut through where a call is not proven, and its letters."""
    boxes, letters = _cell_boxes(runs, columns)
    doubted = [run for run in grades.runs if run.look == Grade.UNKNOWN.value]
    if not doubted or all(run.look == "absent" for run in runs):
        return Lane(LANE, boxes, letters, words)
    cuts = tuple(
        Box(run.first / columns, (run.last + 1) / columns, top, _CUT, DOUBT)
        for run in doubted
        for top in _CUTS
    )
    words += f"; grade unknown in {_columns_words(doubted)}"
    spans = [(run.first / columns, (run.last + 1) / columns) for run in doubted]
    told = tuple(
        Letter(each.at, f"{each.text}{UNPROVEN}", DOUBT)
        if any(start <= each.at < end for start, end in spans)
        else each
        for each in letters
    )
    return Lane(LANE, (*boxes, *cuts), told, words)


_CUT = 2.0
_CUTS = (3.0, 8.0)
"""Where the paper shows through a bar of a call that is not proven."""


def _columns_words(runs: Sequence[CellRun]) -> str:
    columns = sum(run.last - run.first + 1 for run in runs)
    return "one column" if columns == 1 else f"{columns} columns"


def _cell_boxes(
    runs: Iterable[CellRun], columns: int
) -> tuple[tuple[Box, ...], tuple[Letter, ...]]:
    boxes, letters = [], []
    for run in runs:
        start, end = run.first / columns, (run.last + 1) / columns
        boxes.append(Box(start, end, *CELL_SHAPES[run.look], run.look))
        if end - start >= _LEAST_LETTER and run.look != "absent":
            letters.append(Letter((start + end) / 2, letter_of(run.look), run.look))
    return tuple(boxes), tuple(letters)


_RANGES = 8


def _cell_words(held: SourceCells, cells: Sequence[int]) -> str:
    """Return in which calls a source stands how: ``full in call 2-4; placeholder in call 5-9``."""
    parts = []
    for cell in (Cell.FULL, Cell.PARTIAL, Cell.PREVIEW, Cell.PLACEHOLDER):
        calls = [call for call, found in enumerate(cells, 1) if found == cell]
        if calls:
            parts.append(f"{cell.name.lower()} in call {_call_words(calls)}")
    name = one_line(held.source.source_id)
    return f"{name}: {'; '.join(parts) or 'in no call'}"


def _call_words(calls: Sequence[int]) -> str:
    ranges = call_ranges(calls).split(", ")
    left = len(ranges) - _RANGES
    text = ", ".join(ranges[:_RANGES])
    return f"{text} and {left} more ranges, {len(calls)} calls in all" if left > 0 else text


def _grades(audit: Audit, bounds: Columns) -> MapRow:
    """Return the weakest grade of each column: a cell proves what its call proves."""
    calls = audit.run.calls
    weakest = [Grade.weakest(*(call.grade for call in calls[a - 1 : b])) for a, b in bounds]
    runs = tuple(runs_of([grade.value for grade in weakest]))
    parts = []
    for grade in sorted({call.grade for call in calls}, key=lambda each: -each.rank):
        found = [call.index for call in calls if call.grade is grade]
        of = "in all calls" if len(found) == len(calls) else f"in call {_call_words(found)}"
        parts.append(f"{grade.value} {of}")
        if grade is Grade.UNKNOWN:
            parts[-1] += " (what is drawn came, and whether it stayed is not recorded)"
    words = f"grade: {'; '.join(parts) or 'no call'}"
    return MapRow("grade", 0, runs, Lane(LANE, *_cell_boxes(runs, len(bounds)), words))


_TICKS = 8


def _axis(bounds: Columns) -> Iterator[Letter]:
    """Yield numbers of calls at round places, the first call and no neighbour of it too near."""
    calls = bounds[-1][1] if bounds else 0
    scales = (unit * 10**power for power in range(9) for unit in (1, 2, 5))
    step = next((scale for scale in scales if scale * _TICKS >= calls), calls)
    column = 0
    for call in (1, *range(max(2, step), calls + 1, step)) if calls else ():
        while bounds[column][1] < call:
            column += 1
        if call == 1 or column >= len(bounds) / (2 * _TICKS):
            yield Letter((column + 0.5) / len(bounds), str(call), "axis")
