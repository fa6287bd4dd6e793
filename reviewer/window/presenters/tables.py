"""What a table of the window is to its model: headings, rows made when they are shown, columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.display import fit, visible
from reviewer.filter.columns import Columns
from reviewer.window.place import Place

__all__ = ["CELL_COLUMNS", "NOTHING", "Cell", "Heading", "Row", "Table", "cell"]

CELL_COLUMNS: Final = 400
"""A cell holds no more than that; it is wider than a screen, and says what it leaves out."""
_TIP_COLUMNS: Final = 4_000

NOTHING: Final = "–"
"""Stands in a cell that has no value."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``text`` on one line, ``tip`` all of it, ``tone`` its colour by name.

    The colour never says anything that the text does not.
    """

    text: str
    tip: str = ""
    tone: str = ""


def cell(text: str, *, tone: str = "", more: str = "") -> Cell:
    """Return a cell that shows *text* of unknown origin; *more* stands under it in the tip."""
    tip = "\n".join(part for part in (fit(text, _TIP_COLUMNS), visible(more)) if part)
    return Cell(fit(text, CELL_COLUMNS), tip, tone)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: ``name`` is its word in a filter, ``title`` what stands above it."""

    name: str
    title: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a cell for each heading."""

    cells: tuple[Cell, ...]


class Table(ABC):
    """A table whose rows are made when they are first shown.

    It is what the filter asks for whole columns (`reviewer.filter.arrays.Source`).
    """

    _KEPT = 2_000

    def __init__(self) -> None:
        self._rows: OrderedDict[int, Row] = OrderedDict()

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """What the filter knows of the columns."""

    @abstractmethod
    def headings(self) -> Sequence[Heading]:
        """Return the columns that are shown, in their order."""

    @abstractmethod
    def __len__(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def values(self, column: str) -> Sequence[str | int | None]:
        """Return one column whole, as the filter compares it."""

    @abstractmethod
    def value(self, row: int, column: str) -> str | int | None:
        """Return one value as the filter compares it."""

    @abstractmethod
    def place(self, row: int) -> Place:
        """Return where the row leads."""

    @abstractmethod
    def make(self, row: int) -> Row:
        """Make a row in the present language."""

    def row(self, row: int) -> Row:
        """Return a row; the rows shown last are kept."""
        found = self._rows.get(row)
        if found is None:
            found = self._rows[row] = self.make(row)
            if len(self._rows) > self._KEPT:
                self._rows.popitem(last=False)
        return found

    def forget(self) -> None:
        """Forget the rows that were made: the language has changed."""
        self._rows.clear()
