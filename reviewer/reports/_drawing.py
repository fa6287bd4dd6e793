"""The pictures of what was read when, as plain geometry: a page, a PDF or a terminal draws it.

Two pictures.  The *residency map* has a row for each source and a column for
each call; the *coverage strip* shows one version from its start to its end.
Both consist of lanes, horizontal bars whose boxes are placed in shares of the
width, 0 to 1, so that they fit a phone and a sheet of paper.  Every state has a
shape and a letter of its own, and every lane says in words what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewer.audit.cells import Cell, Cells, SourceCells, closing_call, source_cells
from reviewer.audit.intervals import union
from reviewer.audit.strips import Piece, Strip, strip_of
from reviewer.display import one_line
from reviewer.reports._words import call_ranges, counted, reference, share
from store.records.findings import Audit, CitationFacts, VersionFacts
from store.records.grades import Grade
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = [
    "CELL_WORDS",
    "GRADE_LETTERS",
    "LETTERS",
    "MIXED",
    "STRIP_MARKS",
    "STRIP_WORDS",
    "Box",
    "CellRun",
    "Lane",
    "Letter",
    "MapRow",
    "ResidencyMap",
    "VersionStrip",
    "coverage_lane",
    "letter_of",
    "residency_map",
    "sample_box",
    "strip_columns",
    "strip_words",
    "version_strips",
]

Numbers = NDArray[np.float64]

LETTERS: Mapping[Cell, str] = {
    Cell.FULL: "F",
    Cell.PARTIAL: "P",
    Cell.PREVIEW: "V",
    Cell.PLACEHOLDER: "H",
    Cell.ABSENT: "·",
}
"""What stands in a cell, so that no state is told by its colour alone."""

MIXED = "mixed"
"""The look of a column or stretch that stands for several, which differ."""

MIXED_LETTER = "~"

CELL_WORDS: Mapping[str, tuple[str, str]] = {
    "full": (LETTERS[Cell.FULL], "all of it stands in the request"),
    "partial": (LETTERS[Cell.PARTIAL], "a part of it stands there"),
    "preview": (LETTERS[Cell.PREVIEW], "only a preview"),
    "placeholder": (LETTERS[Cell.PLACEHOLDER], "only a placeholder for it"),
    "absent": (LETTERS[Cell.ABSENT], "nothing of it"),
    MIXED: (MIXED_LETTER, "the calls of this column differ"),
}
"""The states of a cell: its look, its letter, its meaning."""

GRADE_LETTERS: Mapping[str, str] = {
    Grade.RECORDED.value: "R",
    Grade.DERIVED.value: "D",
    Grade.INFERRED.value: "I",
    Grade.UNKNOWN.value: "?",
}
"""The letters of grades."""

STRIP_MARKS: Mapping[str, str] = {
    "delivered": "█",
    "preview": "▒",
    "gap": "·",
    MIXED: "~",
    "ground": " ",
}
"""The characters of a strip on a terminal."""

STRIP_WORDS: Mapping[str, str] = {
    "delivered": "delivered in some call",
    "preview": "only in a preview",
    "gap": "never given",
    MIXED: "given in part, too fine to draw",
}

_LOOKS = {cell.value: cell.name.lower() for cell in Cell}
_MIXED = 5
_LOOKS[_MIXED] = MIXED


class Box(NamedTuple):
    """A rectangle of a lane: from share ``start`` to ``end`` of its width; the rest in points."""

    start: float
    end: float
    top: float
    height: float
    look: str


class Letter(NamedTuple):
    """A text whose middle stands at share ``at`` of the width, on what has this look."""

    at: float
    text: str
    look: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One horizontal picture, ``height`` points high; later boxes are drawn over earlier ones."""

    height: float
    boxes: tuple[Box, ...]
    letters: tuple[Letter, ...]
    words: str


class CellRun(NamedTuple):
    """Columns ``first`` to ``last``, from 0 and both included, of one look."""

    first: int
    last: int
    look: str


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


LANE = 14.0
_CELL_SHAPES = {
    "full": (1.0, 12.0),
    "partial": (8.0, 5.0),
    "preview": (1.0, 12.0),
    "placeholder": (1.5, 11.0),
    "absent": (12.5, 0.5),
    MIXED: (5.0, 4.0),
    **{grade.value: (1.5, 11.0) for grade in Grade},
}
"""Top and height of each look in a lane of 14 points: told apart without colour."""

_RUN_BAND = (0.0, 10.0)

_LEAST_LETTER = 0.03
"""A letter stands in a run of at least this share of the width."""

COLUMNS = 300
"""As many columns as are told apart on paper."""


def residency_map(audit: Audit, columns: int = COLUMNS) -> ResidencyMap:
    """Return the map of a run in at most about *columns* columns.

    Neighbouring calls share a column where there are more calls; sources of
    which nothing stood in any request, and which nothing cites, share a note.
    """
    cells = Cells(audit)
    found = source_cells(audit, cells)
    shown = [held for held in found if held.cells.any() or held.citations]
    closing = closing_call(audit.run)
    closing = closing if 0 < closing <= cells.calls else 0
    bounds = _bounds(cells.calls, closing, columns)
    starts = np.array([first - 1 for first, _ in bounds], np.intp)
    answer = next((at for at, (first, _) in enumerate(bounds) if first == closing), None)
    return ResidencyMap(
        rows=tuple(_row(held, starts) for held in shown),
        columns=bounds,
        answer=answer,
        grades=_grades(audit, starts),
        axis=tuple(_axis(bounds)),
        notes=tuple(_notes(audit, bounds, len(found) - len(shown))),
    )


def _bounds(calls: int, closing: int, columns: int) -> tuple[tuple[int, int], ...]:
    """Return the calls of each column; that of the answer stands alone."""
    size = max(1, -(-calls // max(1, columns)))
    starts = {*range(1, calls + 1, size), *({closing, closing + 1} if closing else ())}
    held = sorted(start for start in starts if start <= calls)
    return tuple(zip(held, [start - 1 for start in held[1:]] + [calls], strict=False))


def _notes(audit: Audit, bounds: Sequence[tuple[int, int]], left: int) -> Iterator[str]:
    widest = max((last - first + 1 for first, last in bounds), default=0)
    if widest > 1:
        yield (
            f"Each column stands for up to {widest} calls, that of the answer for one; "
            f"{MIXED_LETTER} marks a column whose calls differ."
        )
    if left:
        some = "of one other source" if left == 1 else f"of {left} other sources"
        yield f"Nothing {some} stood in any request, and nothing cites it: not drawn."
    if not audit.run.answers and audit.run.calls:
        yield "No answer is recorded; the last call is framed."


def _row(held: SourceCells, starts: NDArray[np.intp]) -> MapRow:
    folded = held.cells
    if len(starts) and len(starts) < len(folded):
        low = np.minimum.reduceat(folded, starts)
        folded = np.where(low == np.maximum.reduceat(folded, starts), low, np.uint8(_MIXED))
    runs = tuple(_runs([_LOOKS[int(value)] for value in folded]))
    return MapRow(
        source_id=held.source.source_id,
        citations=held.citations,
        runs=runs,
        lane=Lane(LANE, *_cell_boxes(runs, len(folded)), _cell_words(held)),
    )


def _runs(looks: Sequence[str]) -> Iterator[CellRun]:
    """Yield neighbours of one look as one run."""
    first = 0
    for place in range(1, len(looks) + 1):
        if place == len(looks) or looks[place] != looks[first]:
            yield CellRun(first, place - 1, looks[first])
            first = place


def letter_of(look: str) -> str:
    """Return the letter of a state of a cell, or of a grade."""
    return CELL_WORDS[look][0] if look in CELL_WORDS else GRADE_LETTERS[look]


def sample_box(look: str) -> Box:
    """Return how a look is drawn, for a legend."""
    return Box(0, 1, *_CELL_SHAPES.get(look, _RUN_BAND), look)


def _cell_boxes(
    runs: Iterable[CellRun], columns: int
) -> tuple[tuple[Box, ...], tuple[Letter, ...]]:
    boxes, letters = [], []
    for run in runs:
        start, end = run.first / columns, (run.last + 1) / columns
        boxes.append(Box(start, end, *_CELL_SHAPES[run.look], run.look))
        if end - start >= _LEAST_LETTER and run.look != "absent":
            letters.append(Letter((start + end) / 2, letter_of(run.look), run.look))
    return tuple(boxes), tuple(letters)


_RANGES = 8


def _cell_words(held: SourceCells) -> str:
    """Return in which calls a source stands how: ``full in call 2-4; placeholder in call 5-9``."""
    parts = []
    for cell in (Cell.FULL, Cell.PARTIAL, Cell.PREVIEW, Cell.PLACEHOLDER):
        calls = np.flatnonzero(held.cells == cell) + 1
        if calls.size:
            parts.append(f"{cell.name.lower()} in call {_call_words(calls.tolist())}")
    name = one_line(held.source.source_id)
    return f"{name}: {'; '.join(parts) or 'in no call'}"


def _call_words(calls: Sequence[int]) -> str:
    ranges = call_ranges(calls).split(", ")
    left = len(ranges) - _RANGES
    text = ", ".join(ranges[:_RANGES])
    return f"{text} and {left} more ranges, {len(calls)} calls in all" if left > 0 else text


def _grades(audit: Audit, starts: NDArray[np.intp]) -> MapRow:
    """Return the weakest grade of each column: a cell proves what its call proves."""
    calls = audit.run.calls
    ranks = np.array([call.grade.rank for call in calls], np.uint8)
    columns = np.maximum.reduceat(ranks, starts) if len(starts) else ranks
    runs = tuple(_runs([_GRADES[int(rank)].value for rank in columns]))
    parts = []
    for grade in sorted({call.grade for call in calls}, key=lambda each: -each.rank):
        found = [call.index for call in calls if call.grade is grade]
        of = "in all calls" if len(found) == len(calls) else f"in call {_call_words(found)}"
        parts.append(f"{grade.value} {of}")
        if grade is Grade.UNKNOWN:
            parts[-1] += " (what is drawn came, and whether it stayed is not recorded)"
    words = f"grade: {'; '.join(parts) or 'no call'}"
    return MapRow("grade", 0, runs, Lane(LANE, *_cell_boxes(runs, len(columns)), words))


_GRADES = {grade.rank: grade for grade in Grade}

_TICKS = 8


def _axis(bounds: Sequence[tuple[int, int]]) -> Iterator[Letter]:
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


# -- coverage ------------------------------------------------------------------------------

_ANSWER_BAND = (11.0, 4.0)
_CITED_BAND = (16.0, 4.0)
_LEAST = 0.004
"""The least share of the width that a box takes: what is there can be seen."""

_PIECES = 150
"""With more pieces than this the strip is drawn in columns."""


class VersionStrip(NamedTuple):
    """One version that has places, and its strip."""

    name: str
    facts: VersionFacts
    strip: Strip


def version_strips(audit: Audit) -> Iterator[VersionStrip]:
    """Yield the strip of each version that has one, in the order of the sources."""
    citing: dict[VersionKey, list[CitationFacts]] = {}
    for cited in audit.citations:
        citing.setdefault(VersionKey(cited.source_id, cited.version_id or ""), []).append(cited)
    for facts in (facts for source in audit.sources for facts in source.versions):
        key = facts.version.key
        found = strip_of(facts, citing.get(key, ()))
        if found is not None:
            name = reference(key.source_id, key.version_id, None, facts.unit, None)
            yield VersionStrip(name, facts, found)


def coverage_lane(facts: VersionFacts, strip: Strip) -> Lane:
    """Return the strip of a version in three bands.

    Above what was delivered in some call, below it what stood in the request
    of the answer, at the foot the cited places.
    """
    now = tuple(Piece("answer", span) for span in union(facts.delivered_at_answer))
    boxes = [
        *_band(_piece_runs(strip), _RUN_BAND),
        *_band(_piece_runs(replace(strip, pieces=now)), _ANSWER_BAND),
    ]
    cited = union(span for span, _ in strip.cited)
    boxes += [
        Box(*_ends(span, strip.extent), *_CITED_BAND, "cited") for span in _drawn(cited, strip)
    ]
    height = _CITED_BAND[0] + _CITED_BAND[1] if cited else _CITED_BAND[0] - 1
    return Lane(height, tuple(boxes), (), strip_words(facts, strip))


def _piece_runs(strip: Strip) -> Iterator[tuple[float, float, str]]:
    """Yield shares and look of each piece; of many pieces, of as many columns as can be told."""
    if len(strip.pieces) <= _PIECES:
        yield 0, 1, "ground" if strip.open_ended else "gap"
        # What is short is drawn last, and never too thin to be seen.
        for piece in sorted(strip.pieces, key=lambda p: (-p.span.length, p.kind)):
            yield *_ends(piece.span, strip.extent), piece.kind
        return
    for run in _runs(strip_columns(strip, COLUMNS)):
        yield run.first / COLUMNS, (run.last + 1) / COLUMNS, run.look


def _band(runs: Iterable[tuple[float, float, str]], band: tuple[float, float]) -> Iterator[Box]:
    top, height = band
    for start, end, look in runs:
        yield Box(start, end, top, height, look)


def _ends(span: Span, extent: Span) -> tuple[float, float]:
    size = max(1, extent.length)
    start, end = (span.start - extent.start) / size, (span.end - extent.start) / size
    end = min(1.0, max(end, start + _LEAST))
    return max(0.0, min(start, end - _LEAST)), end


def _drawn(spans: Sequence[Span], strip: Strip) -> Sequence[Span]:
    """Return cited *spans*, joined where they are too many and lie closer than can be drawn."""
    least = int(strip.extent.length * _LEAST)
    joined: list[Span] = []
    for span in spans if len(spans) > _PIECES else ():
        if joined and span.start - joined[-1].end < least:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined or spans


def strip_columns(strip: Strip, columns: int) -> list[str]:
    """Return the look of each of *columns* equal stretches of a strip; one is never rounded up."""
    edges = np.linspace(strip.extent.start, strip.extent.end, columns + 1)
    size = strip.extent.length / columns
    bodies = next((p.kind for p in strip.pieces if p.kind in _BODIES), _BODIES[0])
    looks = []
    for body, preview in zip(
        _covered(strip, bodies, edges), _covered(strip, "preview", edges), strict=True
    ):
        if max(body, preview) < _TINY:
            looks.append("gap" if not strip.open_ended else "ground")
        elif max(body, preview) > size - _TINY:
            looks.append(bodies if body > preview else "preview")
        else:
            looks.append(MIXED)
    return looks


_BODIES = ("delivered", "answer")
_TINY = 1e-6


def _covered(strip: Strip, kind: str, edges: Numbers) -> list[float]:
    """Return how much of each stretch between *edges* pieces of a kind cover."""
    spans = [piece.span for piece in strip.pieces if piece.kind == kind]
    if not spans:
        return [0.0] * (len(edges) - 1)
    bounds = np.array([edge for span in spans for edge in (span.start, span.end)], np.float64)
    before = np.cumsum([part for span in spans for part in (0, span.length)], dtype=np.float64)
    covered: list[float] = np.diff(np.interp(edges, bounds, before)).tolist()
    return covered


def strip_words(facts: VersionFacts, strip: Strip) -> str:
    """Return a strip in a line: what was delivered, at the answer too, and what is cited."""
    unit = strip.unit.value
    total, now = strip.extent.length, facts.delivered_at_answer
    if strip.open_ended:
        known = sum(span.length for span in facts.delivered)
        parts = [f"{counted(known, unit)} delivered, of an unknown length"]
        parts.append(f"{counted(sum(span.length for span in now), unit)} at the answer")
    else:
        gaps = sum(piece.kind == "gap" for piece in strip.pieces)
        parts = [f"{share(facts.delivered, total)} of {counted(total, unit)} delivered"]
        parts += [f"{share(now, total)} at the answer", counted(gaps, "gap")]
    previews = sum(piece.kind == "preview" for piece in strip.pieces)
    parts += [counted(previews, "preview")] if previews else []
    parts.append(f"{counted(len(strip.cited), 'cited place')}")
    return ", ".join(parts)
