"""What a paged document consists of, before anybody knows where its pages end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewer.reports._drawing import Box, Lane, Letter
from reviewer.reports._lines import Ink

__all__ = [
    "Block",
    "Chart",
    "Grid",
    "Heading",
    "Legend",
    "Paragraph",
    "Quotation",
    "Row",
    "letters",
]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title, which is a bookmark too; ``mark`` is what links to it name."""

    text: str
    level: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that is broken where it has to be.

    ``keep`` says that it must not stand alone at the end of a page.  ``marks``
    are further marks that lead to its beginning.
    """

    inks: tuple[Ink, ...]
    mark: str = ""
    small: bool = False
    keep: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quotation:
    """Text of the record under a caption, with a bar beside it."""

    caption: str
    inks: tuple[Ink, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One lane of a chart, its name before it and a number behind it."""

    name: str
    lane: Lane
    number: str = ""
    target: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Lanes under one another, drawn to one scale.

    ``axis`` stands above them, and again on each further page.  ``frame`` are
    the shares between which all lanes are framed.
    """

    rows: tuple[Row, ...]
    axis: tuple[Letter, ...] = ()
    frame: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Legend:
    """What the looks of a chart mean: a box drawn as there, and words."""

    items: tuple[tuple[Box, str, str], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; ``shares`` are the parts of the width that its columns take."""

    names: tuple[str, ...]
    shares: tuple[int, ...]
    rows: tuple[tuple[Ink, ...], ...]
    marks: tuple[str, ...] = ()


Block = Heading | Paragraph | Quotation | Chart | Legend | Grid


def letters(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield every text of *blocks*, for whoever has to know their characters."""
    for block in blocks:
        match block:
            case Heading():
                yield block.text
            case Quotation():
                yield block.caption
                yield from _texts(block.inks)
            case Paragraph():
                yield from _texts(block.inks)
            case Chart():
                yield from _of_chart(block)
            case _:
                yield from _of_table(block)


def _of_chart(block: Chart) -> Iterator[str]:
    for row in block.rows:
        yield from (row.name, row.number)
        yield from (letter.text for letter in row.lane.letters)
    yield from (letter.text for letter in block.axis)


def _of_table(block: Legend | Grid) -> Iterator[str]:
    if isinstance(block, Legend):
        for _, letter, words in block.items:
            yield from (letter, words)
        return
    yield from block.names
    for cells in block.rows:
        yield from _texts(cells)


def _texts(inks: Iterable[Ink]) -> Iterator[str]:
    for ink in inks:
        yield ink.text
