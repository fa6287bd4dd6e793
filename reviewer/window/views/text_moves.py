"""Where a cursor goes when a key is pressed: from one code point to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from reviewer.window.views.text_layout import RowLayouts

__all__ = ["MOVES", "Caret"]


@dataclass(slots=True)
class Caret:
    """A position in a text that is laid out, and how it moves.

    ``wanted_x`` is the column that up and down keep to.  ``page`` is how many
    lines are on screen.
    """

    layouts: RowLayouts
    position: int
    wanted_x: float | None
    page: int

    @property
    def row(self) -> int:
        """The row that holds the cursor."""
        return self.layouts.rows.row_of(self.position)

    def sideways(self, *, forward: bool) -> None:
        """Move by one character as a reader counts them, over the ends of rows."""
        rows, row = self.layouts.rows, self.row
        span = rows.span(row)
        inside = self.position - span.start
        self.wanted_x = None
        if forward and self.position >= span.end:
            self.position = rows.end(row)
        elif not forward and inside == 0:
            self.position = rows.span(row - 1).end if row else 0
            if row and rows.folded(row - 1):
                self._step_back(row - 1)
        else:
            moved = self.layouts[row].step(inside, forward=forward)
            self.position = span.start + moved

    def _step_back(self, row: int) -> None:
        span = self.layouts.rows.span(row)
        self.position = span.start + self.layouts[row].step(span.length, forward=False)

    def lines(self, count: int) -> None:
        """Move down by *count* lines on screen, up where it is negative."""
        layouts, row = self.layouts, self.row
        inside = self.position - layouts.rows.span(row).start
        line = layouts[row].line_of(inside)
        x = layouts[row].x_of(inside) if self.wanted_x is None else self.wanted_x
        line += count
        while line < 0 and row > 0:
            row -= 1
            line += layouts[row].lines
        while line >= layouts[row].lines and row + 1 < len(layouts.rows):
            line -= layouts[row].lines
            row += 1
        span = layouts.rows.span(row)
        if line < 0:
            self.position = 0
        elif line >= layouts[row].lines:
            self.position = span.end
        else:
            self.position = span.start + layouts[row].at(line, x)
            self._stay_in(row, line)
        self.wanted_x = x

    def _stay_in(self, row: int, line: int) -> None:
        """Keep off the end of a row that goes on: that position belongs to what follows."""
        span, laid = self.layouts.rows.span(row), self.layouts[row]
        inside = self.position - span.start
        ends_here = inside == span.length and self.layouts.rows.folded(row)
        if ends_here or laid.line_of(inside) > line:
            self.position = span.start + laid.step(inside, forward=False)

    def line_edge(self, *, end: bool) -> None:
        """Move to the start or the end of the line on screen."""
        row = self.row
        span, laid = self.layouts.rows.span(row), self.layouts[row]
        line = laid.line_of(self.position - span.start)
        part = laid.line_span(line)
        self.position = span.start + (part.end if end else part.start)
        if end:
            self._stay_in(row, line)
        self.wanted_x = None

    def text_edge(self, *, end: bool) -> None:
        """Move to the start or the end of the text."""
        self.position = len(self.layouts.rows.text) if end else 0
        self.wanted_x = None


_Key = QKeySequence.StandardKey
_Move = Callable[[Caret], None]

_STEPS: tuple[tuple[_Key, _Key, _Move], ...] = (
    (_Key.MoveToNextChar, _Key.SelectNextChar, lambda caret: caret.sideways(forward=True)),
    (_Key.MoveToPreviousChar, _Key.SelectPreviousChar, lambda c: c.sideways(forward=False)),
    (_Key.MoveToNextLine, _Key.SelectNextLine, lambda caret: caret.lines(1)),
    (_Key.MoveToPreviousLine, _Key.SelectPreviousLine, lambda caret: caret.lines(-1)),
    (_Key.MoveToNextPage, _Key.SelectNextPage, lambda caret: caret.lines(caret.page)),
    (_Key.MoveToPreviousPage, _Key.SelectPreviousPage, lambda caret: caret.lines(-caret.page)),
    (_Key.MoveToStartOfLine, _Key.SelectStartOfLine, lambda caret: caret.line_edge(end=False)),
    (_Key.MoveToEndOfLine, _Key.SelectEndOfLine, lambda caret: caret.line_edge(end=True)),
    (
        _Key.MoveToStartOfDocument,
        _Key.SelectStartOfDocument,
        lambda caret: caret.text_edge(end=False),
    ),
    (_Key.MoveToEndOfDocument, _Key.SelectEndOfDocument, lambda caret: caret.text_edge(end=True)),
)

MOVES: Mapping[_Key, tuple[_Move, bool]] = {
    key: (move, selects)
    for plain, selecting, move in _STEPS
    for key, selects in ((plain, False), (selecting, True))
}
"""For each key that moves: how, and whether what is passed over becomes selected."""
