"""The pieces of which the pictures of what was read when consist, as plain geometry.

Two pictures.  The *residency map* (`_drawing_map`) has a row for each source
and a column for each call; the *coverage strip* (`_drawing_strip`) shows one
version from its start to its end.  Both consist of lanes, horizontal bars whose
boxes are placed in shares of the width, 0 to 1, so that they fit a phone and a
sheet of paper.  Every state has a shape and a letter of its own, and every lane
says in words what it shows.  A page, a PDF or a terminal draws them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reviewer.audit.residency import Cell
from store.records.grades import Grade

__all__ = [
    "CELL_SHAPES",
    "CELL_WORDS",
    "COLUMNS",
    "DOUBT",
    "GRADE_LETTERS",
    "LANE",
    "LETTERS",
    "MIXED",
    "MIXED_LETTER",
    "STRIP_BAND",
    "STRIP_MARKS",
    "STRIP_WORDS",
    "UNPROVEN",
    "Box",
    "CellRun",
    "Lane",
    "Letter",
    "letter_of",
    "runs_of",
    "sample_box",
]

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

DOUBT = "doubt"
"""The look of what is laid over the calls that the record does not prove (grade unknown)."""

UNPROVEN = "?"
"""Stands behind the letter of a state that the record does not prove."""

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


LANE = 14.0
CELL_SHAPES = {
    "full": (1.0, 12.0),
    "partial": (8.0, 5.0),
    "preview": (1.0, 12.0),
    "placeholder": (1.5, 11.0),
    "absent": (12.5, 0.5),
    MIXED: (5.0, 4.0),
    **{grade.value: (1.5, 11.0) for grade in Grade},
}
"""Top and height of each look in a lane of 14 points: told apart without colour."""

STRIP_BAND = (0.0, 10.0)
"""Top and height of what a strip shows above all."""

COLUMNS = 300
"""As many columns as are told apart on paper."""


def runs_of(looks: Sequence[str]) -> Iterator[CellRun]:
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
    return Box(0, 1, *CELL_SHAPES.get(look, STRIP_BAND), look)
