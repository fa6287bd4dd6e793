"""Lays out the rows of a text that are in sight, and keeps them while they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from reviewer.window.views.text_lines import Rows
from reviewer.window.views.text_stand_ins import shown
from store.records.text import InsideCharacterError, Span, TextIndex

__all__ = ["RowLayout", "RowLayouts", "text_font"]

_KEPT = 400
"""Rows kept laid out: several screens, so that going back and forth costs nothing."""

_NO_LIMIT = 1_000_000.0
_TAB_COLUMNS = 8
_TURNED = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")
"""A letter of a script that runs from right to left."""
_ROOM = 1.25
"""Height of a row in heights of the base font: fonts for CJK and emoji are taller."""

_FALLBACKS = (
    "Noto Sans Mono CJK SC",
    "Noto Sans CJK SC",
    "Source Han Mono SC",
    "Microsoft YaHei UI",
    "PingFang SC",
    "Noto Color Emoji",
    "Segoe UI Emoji",
    "Apple Color Emoji",
)


@cache
def _families() -> tuple[str, ...]:
    installed = set(QFontDatabase.families())
    # "monospace" is a name that only the system can resolve; in a list it would be passed over.
    base = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)).family()
    return (base, *(family for family in _FALLBACKS if family in installed))


def text_font(size: float) -> QFont:
    """Return the font of evidence in *size* points: fixed width, then fonts for CJK and emoji."""
    # A font of the system may name a style ("Book"); fallbacks do not have it and turn out bold.
    font = QFont(list(_families()))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(size)
    return font


class RowLayout:
    """One row laid out: positions in it are code points from its start."""

    __slots__ = ("_index", "layout", "lines", "width")

    def __init__(self, layout: QTextLayout, index: TextIndex) -> None:
        self.layout = layout
        self._index = index
        self.lines = max(layout.lineCount(), 1)
        self.width = max(
            (layout.lineAt(n).naturalTextWidth() for n in range(layout.lineCount())), default=0.0
        )

    def line_of(self, position: int) -> int:
        """Return the line on screen, from 0, that holds *position*."""
        line = self.layout.lineForTextPosition(self._index.to_utf16(position))
        return line.lineNumber() if line.isValid() else 0

    def x_of(self, position: int) -> float:
        """Return where *position* stands from the left edge of its line."""
        offset = self._index.to_utf16(position)
        line = self.layout.lineForTextPosition(offset)
        return _x(line, offset) if line.isValid() else 0.0

    def x_on(self, line_number: int, position: int) -> float:
        """Return where *position* stands on a certain line: one at its end is there, not below."""
        if not self.layout.lineCount():
            return 0.0
        line = self.layout.lineAt(min(line_number, self.layout.lineCount() - 1))
        return _x(line, self._index.to_utf16(position))

    def in_sight(self, line_number: int, left: float, right: float) -> Span:
        """Return the positions of a line between two edges; all of it where directions mix."""
        whole = self.line_span(line_number)
        if _TURNED.search(self.layout.text()):
            return whole
        first, last = self.at(line_number, left), self.at(line_number, right)
        return Span(max(first - 1, whole.start), min(last + 1, whole.end))

    def at(self, line_number: int, x: float) -> int:
        """Return the position nearest to *x* in a line on screen."""
        if not self.layout.lineCount():
            return 0
        number = min(max(line_number, 0), self.layout.lineCount() - 1)
        line = self.layout.lineAt(number)
        return self._position(line.xToCursor(x, QTextLine.CursorPosition.CursorBetweenCharacters))

    def step(self, position: int, *, forward: bool) -> int:
        """Return the next position at which a cursor may stand, or the one before."""
        offset = self._index.to_utf16(position)
        layout = self.layout
        moved = (
            layout.nextCursorPosition(offset)
            if forward
            else (layout.previousCursorPosition(offset))
        )
        return self._position(moved)

    def line_span(self, line_number: int) -> Span:
        """Return the positions of one line on screen."""
        if not self.layout.lineCount():
            return Span(0, 0)
        line = self.layout.lineAt(min(line_number, self.layout.lineCount() - 1))
        start = line.textStart()
        return Span(self._position(start), self._position(start + line.textLength()))

    def utf16(self, span: Span) -> tuple[int, int]:
        """Return *span* as Qt counts: start and length in UTF-16 code units."""
        start = self._index.to_utf16(span.start)
        return start, self._index.to_utf16(span.end) - start

    def _position(self, offset: int) -> int:
        try:
            return self._index.from_utf16(offset)
        except InsideCharacterError:
            return self._index.from_utf16(offset - 1)


def _x(line: QTextLine, offset: int) -> float:
    found: object = line.cursorToX(offset)
    # The binding gives the offset that was used as well, and its types do not say so.
    return cast("tuple[float, int]", found)[0] if isinstance(found, tuple) else cast("float", found)


Formats = Callable[
    [Span, str, Callable[[Span], tuple[int, int]]], Sequence[QTextLayout.FormatRange]
]
"""Give a row's span, its text and the way to UTF-16; get how its pieces look."""


class RowLayouts:
    """The rows of one text, laid out when asked for."""

    def __init__(self, font: QFont, formats: Formats) -> None:
        self.rows = Rows("")
        self._formats = formats
        self._held: dict[int, RowLayout] = {}
        self.coloured: set[int] = set()
        self._wrap: float | None = None
        self._font = font
        self._measure()

    def _measure(self) -> None:
        metrics = QFontMetricsF(self._font)
        self.ascent = metrics.ascent()
        self.row_height = float(round(metrics.height() * _ROOM))
        self.above = (self.row_height - metrics.height()) / 2
        self.column = metrics.horizontalAdvance("0")
        self.widest = 0.0

    @property
    def font(self) -> QFont:
        """The font of the text."""
        return self._font

    def set_font(self, font: QFont) -> None:
        """Lay everything out anew in *font*."""
        self._font = font
        self._measure()
        self.forget()

    def set_rows(self, rows: Rows) -> None:
        """Show another text."""
        self.rows = rows
        self.widest = 0.0
        self.forget()

    def set_wrap(self, width: float | None) -> None:
        """Break rows at *width*, or nowhere."""
        if width != self._wrap:
            self._wrap = width
            self.widest = 0.0
            self.forget()

    def forget(self) -> None:
        """Lay out anew what is asked for next: marks or colours have changed."""
        self._held.clear()
        self.coloured.clear()

    def colour(self, row: int) -> RowLayout:
        """Lay out *row* anew, with the colours of its syntax from now on."""
        self.coloured.add(row)
        self._held.pop(row, None)
        return self[row]

    def forget_last(self, row: int) -> None:
        """Lay out *row* anew: more of it has become known."""
        self._held.pop(row, None)

    def __getitem__(self, row: int) -> RowLayout:
        """Return *row* laid out."""
        held = self._held.pop(row, None)
        if held is None:
            held = self._lay_out(row)
            self.widest = max(self.widest, held.width)
            if len(self._held) >= _KEPT:
                del self._held[next(iter(self._held))]
        self._held[row] = held
        return held

    def _lay_out(self, row: int) -> RowLayout:
        span = self.rows.span(row)
        text = self.rows.text[span.start : span.end]
        drawn = shown(text)
        index = TextIndex(drawn)
        layout = QTextLayout(drawn, self._font)
        layout.setCacheEnabled(True)
        option = QTextOption()
        option.setTabStopDistance(self.column * _TAB_COLUMNS)
        option.setWrapMode(
            QTextOption.WrapMode.NoWrap
            if self._wrap is None
            else QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        )
        layout.setTextOption(option)

        def to_utf16(part: Span) -> tuple[int, int]:
            start = index.to_utf16(part.start)
            return start, index.to_utf16(part.end) - start

        layout.setFormats(list(self._formats(span, text, to_utf16)))
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(_NO_LIMIT if self._wrap is None else self._wrap)
        layout.endLayout()
        return RowLayout(layout, index)
