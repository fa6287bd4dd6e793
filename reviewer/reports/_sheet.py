"""Pages: where blocks stand on paper, with bookmarks and links between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF

from reviewer.reports._blocks import Block, Chart, Grid, Heading, Legend, Paragraph, Quotation
from reviewer.reports._drawing import Box, Lane, Letter
from reviewer.reports._fonts import UNITS, Face
from reviewer.reports._lines import Ink, Letters, Line, Measure, broken
from reviewer.reports._svg import PAINTS

__all__ = ["Sheet"]

_POINT = 25.4 / 72
"""Millimetres of a point, in which fonts are measured."""

_MARGIN, _TOP, _BOTTOM = 18.0, 20.0, 18.0
_TEXT, _SMALL = 9.5, 8.0
_HEADINGS = (20.0, 14.5, 11.5)
_LEADING = 1.42
_GAP = 2.4
_INSET = 5.0
_TINY = 6.5
_LANE_POINT = 0.3
"""Millimetres of a point of a lane."""
_NAMES, _NUMBERS = 62.0, 24.0

_HATCH = 1.2
"""How far, in millimetres, the strokes of a hatched box stand from each other."""

_Colour = tuple[int, int, int]

_COLOURS: Mapping[str, _Colour] = {
    "": (28, 33, 40),
    "dim": (87, 96, 106),
    "good": (17, 99, 41),
    "open": (125, 78, 0),
    "bad": (164, 14, 38),
    "link": (9, 85, 174),
    "rule": (226, 230, 235),
    "paper": (255, 255, 255),
}


class _Paper(FPDF):
    """A4 with a line at the foot of each page: what this is, and which page of how many."""

    foot = ""

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font("reread", "", 7.5)
        self.set_text_color(*_COLOURS["dim"])
        self.set_x(_MARGIN)
        self.cell(self.epw, 4, self.foot)
        self.set_x(_MARGIN)
        self.cell(self.epw, 4, f"{self.page_no()} / {{nb}}", align="R")


class Sheet:
    """Puts blocks on pages, one after another.

    *plain* and *bold* hold every character of the blocks that a font has;
    another one is written as its number.  *folder* is where the fonts are laid
    while the document is made.
    """

    def __init__(self, title: str, foot: str, plain: Face, bold: Face, folder: Path) -> None:
        self._letters = Letters(plain.advances.keys())
        self._measure = Measure(_ems(plain), _ems(bold))
        self._marks: dict[str, int] = {}
        paper = self._paper = _Paper(format="A4")
        paper.foot = foot.translate(self._letters)
        paper.set_title(title.translate(self._letters))
        paper.set_creator("Reread")
        # There is no time in a report: the same input gives the same bytes.
        paper.set_creation_date(datetime(1970, 1, 1, tzinfo=UTC))
        paper.set_lang("en")
        paper.set_margins(_MARGIN, _TOP, _MARGIN)
        paper.set_auto_page_break(auto=False)
        for style, face in (("", plain), ("B", bold)):
            place = folder / f"reread{style}.ttf"
            place.write_bytes(face.data)
            paper.add_font("reread", style, str(place))
        paper.add_page()
        paper.set_y(_TOP)

    def add(self, blocks: Iterable[Block]) -> None:
        """Put *blocks* below what is there."""
        for block in blocks:
            match block:
                case Heading():
                    self._heading(block)
                case Paragraph():
                    self._paragraph(block)
                case Quotation():
                    self._quotation(block)
                case Chart():
                    self._chart(block)
                case Legend():
                    self._legend(block)
                case Grid():
                    self._grid(block)

    def data(self) -> bytes:
        """Return the document; where a part is missing, what leads to it leads to the first page.

        There stands which parts could not be made.
        """
        for link in self._marks.values():
            if not self._paper.links[link].page_number:
                self._paper.set_link(link, page=1)
        return bytes(self._paper.output())

    def _heading(self, block: Heading) -> None:
        size = _HEADINGS[min(block.level, len(_HEADINGS) - 1)]
        text = block.text.translate(self._letters)
        lines = broken([Ink(text, bold=True)], self._paper.epw, size, self._measure)
        self._space(_GAP * (2 if block.level else 1))
        # A run begins on a page of its own.
        least = len(lines) * _height(size) + 6 * _height(_TEXT)
        self._room(least if block.level else self._paper.h)
        # A bookmark is one line.
        self._paper.start_section(text.replace("\n", " "), block.level, strict=False)
        self._mark(block.mark)
        self._lines(lines, size, _MARGIN)
        self._space(_GAP / 2)

    def _paragraph(self, block: Paragraph) -> None:
        size = _SMALL if block.small else _TEXT
        lines = self._broken(block.inks, self._paper.epw, size)
        if block.keep:
            self._space(_GAP * 0.8)
        self._room(_height(size) * (min(len(lines), 2) + (3 if block.keep else 0)))
        for mark in (block.mark, *block.marks):
            self._mark(mark)
        self._lines(lines, size, _MARGIN)
        self._space(_GAP / 2)

    def _quotation(self, block: Quotation) -> None:
        inset = _MARGIN + _INSET
        width = self._paper.epw - _INSET
        caption = self._broken([Ink(block.caption, look="dim")], width, _SMALL)
        lines = self._broken(block.inks, width, _TEXT)
        self._room(_height(_SMALL) * len(caption) + 2 * _height(_TEXT))
        self._lines(caption, _SMALL, inset, bar=True)
        self._lines(lines, _TEXT, inset, bar=True)
        self._space(_GAP)

    def _grid(self, block: Grid) -> None:
        total = sum(block.shares)
        widths = [self._paper.epw * share / total for share in block.shares]
        head = [Ink(name, bold=True, look="dim") for name in block.names]
        self._room(6 * _height(_SMALL))
        if head:
            self._row(head, widths)
        for number, row in enumerate(block.rows):
            self._rule()
            if block.marks:
                self._mark(block.marks[number])
            self._row(row, widths, head)
        self._space(_GAP)

    def _row(self, row: Sequence[Ink], widths: list[float], head: Sequence[Ink] = ()) -> None:
        """Draw one row line by line, so that one that is longer than a page goes on on the next."""
        cells = [
            self._broken([ink], width - 2, _SMALL) for ink, width in zip(row, widths, strict=True)
        ]
        for number in range(max(map(len, cells))):
            if self._room(_height(_SMALL)) and head:
                self._row(head, widths)
                self._rule()
            at, top = _MARGIN, self._paper.get_y()
            for cell, width in zip(cells, widths, strict=True):
                if number < len(cell):
                    self._line(cell[number], _SMALL, at, top)
                at += width
            self._paper.set_y(top + _height(_SMALL))
        self._space(0.6)

    def _chart(self, block: Chart) -> None:
        width = self._paper.epw - _NAMES - _NUMBERS
        start = _MARGIN + _NAMES
        self._room(4 * _height(_SMALL))
        self._axis(block, start, width)
        top = self._paper.get_y()
        for row in block.rows:
            lines = self._broken([Ink(row.name, target=row.target)], _NAMES - 3, _SMALL)
            number = self._broken([Ink(row.number, look="dim")], _NUMBERS - 2, _SMALL)
            texts = max(len(lines), len(number)) * _height(_SMALL)
            height = max(texts, row.lane.height * _LANE_POINT) + 1.6
            if self._paper.get_y() + height > self._paper.h - _BOTTOM:
                self._frame(block, start, width, top)
                self._room(self._paper.h)
                self._axis(block, start, width)
                top = self._paper.get_y()
            self._mark(row.mark)
            at = self._paper.get_y()
            for place, line in enumerate(lines):
                self._line(line, _SMALL, _MARGIN, at + place * _height(_SMALL))
            for place, line in enumerate(number):
                self._line(line, _SMALL, start + width + 2, at + place * _height(_SMALL))
            self._lane(row.lane, start, width, at + 0.4)
            self._paper.set_y(at + height)
        self._frame(block, start, width, top)
        self._space(_GAP)

    def _axis(self, block: Chart, start: float, width: float) -> None:
        top = self._paper.get_y()
        for letter in block.axis:
            self._letter(letter, start, width, top, "dim")
        if block.axis:
            self._paper.set_y(top + _height(_SMALL))

    def _frame(self, block: Chart, start: float, width: float, top: float) -> None:
        if block.frame is None or self._paper.get_y() <= top:
            return
        first, last = block.frame
        wide = max(0.6, (last - first) * width)
        self._paper.set_draw_color(*_colour("frame"))
        self._paper.set_line_width(0.35)
        self._paper.rect(start + first * width, top, wide, self._paper.get_y() - top, style="D")

    def _lane(self, lane: Lane, start: float, width: float, top: float) -> None:
        for box in lane.boxes:
            self._box(box, start, width, top)
        for letter in lane.letters:
            paper = "paper" if letter.look == "full" else "dim"
            self._letter(letter, start, width, top, paper)

    def _letter(self, letter: Letter, start: float, width: float, top: float, look: str) -> None:
        ink = Ink(letter.text.translate(self._letters), look=look)
        left = start + letter.at * width - self._measure.width(ink, _TINY) / 2
        self._line([ink], _TINY, left, top + 0.3)

    def _box(self, box: Box, start: float, width: float, top: float) -> None:
        paint = PAINTS[box.look]
        if paint.light == "none":
            return
        paper, colour = self._paper, _colour(box.look)
        left, high = start + box.start * width, box.height * _LANE_POINT
        # None is thinner than can be seen.
        wide = max(0.25, (box.end - box.start) * width)
        left, top = min(left, start + width - wide), top + box.top * _LANE_POINT
        if paint.texture == "solid":
            paper.set_fill_color(*colour)
            paper.rect(left, top, wide, high, style="F")
            return
        paper.set_draw_color(*colour)
        paper.set_line_width(0.2)
        paper.rect(left, top, wide, high, style="D")
        strokes = int(wide / _HATCH) if paint.texture == "hatched" else 0
        for number in range(1, strokes + 1):
            at = left + min(number * _HATCH, wide)
            paper.line(at, top, at, top + high)

    def _legend(self, block: Legend) -> None:
        for box, letter, words in block.items:
            self._room(_height(_SMALL) + 0.6)
            top = self._paper.get_y()
            self._box(box, _MARGIN, 9, top)
            self._line(self._broken([Ink(letter, bold=True)], 9, _SMALL)[0], _SMALL, 29, top)
            inks = [Ink(words, look="dim")]
            self._lines(self._broken(inks, self._paper.epw - 18, _SMALL), _SMALL, 35)
        self._space(_GAP)

    def _lines(self, lines: Iterable[Line], size: float, left: float, *, bar: bool = False) -> None:
        held = list(lines)
        for number, line in enumerate(held):
            # The last line does not stand alone on the next page.
            self._room(_height(size) * (2 if number == len(held) - 2 else 1))
            top = self._paper.get_y()
            if bar:
                self._paper.set_fill_color(*_COLOURS["rule"])
                self._paper.rect(left - _INSET / 2, top, 0.8, _height(size), style="F")
            self._line(line, size, left, top)
            self._paper.set_y(top + _height(size))

    def _line(self, line: Line, size: float, left: float, top: float) -> None:
        paper = self._paper
        base = top + _height(size) * 0.74
        for ink in line:
            wide = self._measure.width(ink, size)
            if ink.text.strip(" "):
                paper.set_font("reread", "B" if ink.bold else "", size)
                paper.set_text_color(*_COLOURS["link" if ink.target else ink.look])
                paper.text(left, base, ink.text)
            if ink.target:
                paper.link(left, top, wide, _height(size), self._link(ink.target))
            left += wide

    def _broken(self, inks: Iterable[Ink], width: float, size: float) -> list[Line]:
        held = [
            Ink(ink.text.translate(self._letters), ink.bold, ink.look, ink.target) for ink in inks
        ]
        return broken(held, width, size, self._measure)

    def _rule(self) -> None:
        top = self._paper.get_y()
        self._paper.set_draw_color(*_COLOURS["rule"])
        self._paper.set_line_width(0.2)
        self._paper.line(_MARGIN, top, _MARGIN + self._paper.epw, top)
        self._paper.set_y(top + 0.6)

    def _mark(self, mark: str) -> None:
        if mark:
            top = max(0.0, self._paper.get_y() - 2)
            self._paper.set_link(self._link(mark), y=top, page=self._paper.page_no())

    def _link(self, mark: str) -> int:
        if mark not in self._marks:
            self._marks[mark] = self._paper.add_link()
        return self._marks[mark]

    def _space(self, height: float) -> None:
        if self._paper.get_y() > _TOP:
            self._paper.set_y(self._paper.get_y() + height)

    def _room(self, height: float) -> bool:
        """Begin a page where *height* does not fit on this one any more, and say so."""
        paper = self._paper
        if paper.get_y() <= _TOP or paper.get_y() + height <= paper.h - _BOTTOM:
            return False
        paper.add_page()
        paper.set_y(_TOP)
        return True


def _height(size: float) -> float:
    """Return how high a line of text of *size* points is, in millimetres."""
    return size * _POINT * _LEADING


def _ems(face: Face) -> dict[str, float]:
    """Return the advances of a font in millimetres for a size of one point."""
    return {char: advance / UNITS * _POINT for char, advance in face.advances.items()}


def _colour(look: str) -> _Colour:
    """Return how a look of a picture is drawn on paper."""
    code = PAINTS[look].light.removeprefix("#")
    red, green, blue = (int(code[at : at + 2], 16) for at in (0, 2, 4))
    return red, green, blue
