"""Shows a text of any size exactly as it was recorded; it can be read, searched and copied.

What is selected on screen is ``text[start:end]`` of the record, and copying
takes that, not what is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from reviewer.display import whole_characters
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.syntax import Piece
from reviewer.window.tips import plain_tip
from reviewer.window.views.text_canvas import TextCanvas, line_number
from reviewer.window.views.text_find import Search
from reviewer.window.views.text_finder import Finder
from reviewer.window.views.text_highlight import Highlighter, Languages, nothing_known
from reviewer.window.views.text_lines import word_at
from reviewer.window.views.text_marks import Gutter, Mark
from reviewer.window.views.text_moves import MOVES, Caret
from reviewer.window.views.text_stand_ins import name_of, shown, stand_in_places
from store.records.text import Span

__all__ = ["Gutter", "Mark", "TextView"]

_BUDGET = 0.008
"""Seconds of work before the window gets its turn: less than one frame."""
_MOST_COLOURS = 200
"""Pieces of a row that are coloured; a row of more is no text that colours would explain."""
_SPOKEN = 500
"""Code points of the current line that a screen reader is given; how many more is said."""


class TextView(TextCanvas):
    """A text with marks, labels beside it and an overview; see the module."""

    selection_changed = Signal(object)
    """The selected `Span` of the text; an empty one is the cursor."""
    clicked = Signal(int)
    """The code point that was clicked."""
    chosen = Signal(int)
    """The code point that was chosen with Return, or whose label was clicked."""
    found = Signal(int, int, bool)
    """Number of the hit shown (from 1, 0 for none), hits so far, whether that is all of them."""
    notice = Signal(str)
    """Something the reader should know: what could not be copied, for example."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Text"))
        self._wanted_x: float | None = None
        self._pending: Span | None = None
        self._pressed: int | None = None
        self._finder = Finder(self)
        self._finder.hit.connect(self.reveal)
        self._finder.progress.connect(self._on_found)
        self._margin.chosen.connect(self.chosen)
        self._colouring = QTimer(self)
        self._colouring.setInterval(0)
        self._colouring.timeout.connect(self._colour_more)
        self._highlighter = Highlighter(self)
        self._highlighter.ready.connect(self._on_syntax)
        worker = self._highlighter.worker
        self.destroyed.connect(lambda _gone: worker.close())

    def set_text(
        self,
        text: str,
        marks: Iterable[Mark] = (),
        gutter: Iterable[Gutter] = (),
        number_of: Callable[[int, int], str] = line_number,
        languages: Languages = nothing_known,
    ) -> None:
        """Show *text* from its start.

        *number_of* is given a line, from 1, and the code point at which it
        begins, and returns what stands beside it.  *languages* is given a
        stretch and tells which parts of it are written in which language.
        """
        self._finder.stop()
        self._highlighter.begin(text, languages)
        self.number_of = number_of
        self._wanted_x = self._pending = self._pressed = None
        self.put(text, marks, gutter)
        self._moved()

    # -- syntax -----------------------------------------------------------------------

    @property
    def highlights(self) -> bool:
        """Whether words are coloured by what they are in the language of the text."""
        return self._highlighter.on

    def set_highlights(self, *, on: bool) -> None:
        """Colour words by what they are in the language of the text, or show it plain."""
        if on != self._highlighter.on:
            self._highlighter.switch(on=on)
            self.layouts.forget()
            self.viewport().update()

    def syntax_in(self, span: Span) -> Sequence[Piece]:
        """Return the coloured pieces of a row, once it is its turn.

        Laying out a screenful of long rows with a hundred colours each takes
        its time: rows are shown plain first and get their colours one by one.
        """
        if self.layouts.rows.row_of(span.start) not in self.layouts.coloured:
            return ()
        found = self._highlighter.within(span)
        return found if len(found) <= _MOST_COLOURS else ()

    def _on_syntax(self, _stretch: object = None) -> None:
        self.layouts.coloured.clear()
        self._colouring.start()

    def _colour_more(self) -> None:
        """Colour rows in sight for a moment; stop when all of them are done."""
        until = time.monotonic() + _BUDGET
        layouts = self.layouts
        for row, top in tuple(self.visible()):
            span = layouts.rows.span(row)
            if row in layouts.coloured or not self._highlighter.knows(span):
                continue
            laid = layouts.colour(row)
            height = round(laid.lines * layouts.row_height) + 1
            self.viewport().update(0, round(top), self.viewport().width(), height)
            if time.monotonic() > until:
                return
        self._colouring.stop()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the rows in sight; what has no colours yet is asked for."""
        super().paintEvent(event)
        if self.text:
            seen = [row for row, _top in self.visible()]
            rows = self.layouts.rows
            if seen:
                stretch = Span(rows.span(seen[0]).start, rows.span(seen[-1]).end)
                self._highlighter.want(stretch)
                new = self._highlighter.knows(stretch)
                if new and not self.layouts.coloured.issuperset(seen):
                    self._colouring.start()

    def set_wrap(self, *, wraps: bool) -> None:
        """Break rows at the edge of the view, or let it scroll sideways."""
        self._wraps = wraps
        self._sub = 0
        self._refit()
        self._show_cursor()

    def _index_more(self) -> None:
        super()._index_more()
        wanted = self._pending
        if wanted is not None and (self.complete or wanted.end < self.layouts.rows.known):
            self.reveal(wanted)

    # -- selection --------------------------------------------------------------------

    def reveal(self, span: Span) -> None:
        """Scroll to *span*, in code points, and select it; what lies outside is left out."""
        both = Span(min(span.start, len(self.text)), min(span.end, len(self.text)))
        if both.end > self.layouts.rows.known and not self.complete:
            self._pending = both
        else:
            self._pending = None
        self._select(both.start, both.end)
        if self._pending is None:
            self._show_cursor(both.start, centre=True)

    def selected_text(self) -> str:
        """Return the selected text of the record, as it was recorded."""
        span = self.selection()
        return self.text[span.start : span.end]

    def select_all(self) -> None:
        """Select the whole text."""
        self._select(0, len(self.text))

    def copy(self) -> None:
        """Put the selected text of the record on the clipboard.

        Half characters cannot go there: U+FFFD goes in their place, and
        ``notice`` says how many.
        """
        text = self.selected_text()
        if not text:
            return
        sound, halves = whole_characters(text)
        QGuiApplication.clipboard().setText(sound)
        if halves:
            self.notice.emit(
                trn(
                    "Copied with U+FFFD in place of {n} half character: a clipboard cannot hold it",
                    "Copied with U+FFFD in place of {n} half characters: "
                    "a clipboard cannot hold them",
                    halves,
                )
            )

    def _select(self, anchor: int, cursor: int) -> None:
        before = (self._anchor, self._cursor)
        self._anchor, self._cursor = anchor, cursor
        if before != (anchor, cursor):
            self._moved()

    def _moved(self) -> None:
        self.viewport().update()
        self.selection_changed.emit(self.selection())
        if self.hasFocus():
            self._speak()

    def _speak(self) -> None:
        """Give a screen reader the line of the cursor."""
        rows = self.layouts.rows
        row = rows.row_of(min(self._cursor, rows.known))
        span = rows.span(row)
        words = shown(self.text[span.start : min(span.end, span.start + _SPOKEN)])
        more = span.length - _SPOKEN
        if more > 0:
            words += trn(" … {n} more character", " … {n} more characters", more)
        self.setAccessibleDescription(
            tr(
                "Line {line}: {words}",
                line=self.number_of(rows.line_of(row), span.start),
                words=words,
            )
        )
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )

    def _show_cursor(self, position: int | None = None, *, centre: bool = False) -> None:
        position = self._cursor if position is None else position
        row = self.layouts.rows.row_of(position)
        inside = position - self.layouts.rows.span(row).start
        line = self.layouts[row].line_of(inside)
        self._show_line(row, line, centre=centre)
        self._refit_width()
        if not self._wraps:
            bar, x = self.horizontalScrollBar(), self.layouts[row].x_of(inside)
            room = self.viewport().width() - 3 * self.layouts.column
            if not bar.value() <= x <= bar.value() + room:
                bar.setValue(0 if x <= room else round(x - room / 2))

    # -- find ----------------------------------------------------------------------------

    def find(  # type: ignore[override]  # Qt's own looks up windows by number, on the class
        self,
        text: str,
        *,
        backwards: bool = False,
        case: bool = False,
        whole: bool = False,
        on: bool = False,
    ) -> None:
        """Go to the next *text* from the selection on, and mark all; ``found`` tells the count.

        With *on* a hit that is selected is passed over.  An empty *text* ends
        the search.
        """
        if not text:
            self._finder.stop()
            self._on_found(0, 0, True)  # noqa: FBT003 - as the signal gives it
            return
        span = self.selection()
        start = span.end if on and not backwards else span.start
        search = Search(self.text, text, case=case, whole=whole)
        self._finder.find(search, start, backwards=backwards)

    @property
    def finding(self) -> tuple[int, int, bool]:
        """What ``found`` last said."""
        return self._finder.counts

    def _on_found(self, number: int, count: int, complete: bool) -> None:  # noqa: FBT001 - a slot
        before, self.hits = self.hits, self._finder.hits
        self.viewport().update()
        if complete or before.starts is not self.hits.starts:
            self._overview.repaint_marks()
        self.found.emit(number, count, complete)

    # -- events ---------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Show the cursor, and say its line."""
        super().focusInEvent(event)
        self._speak()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Hide the cursor."""
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Move, select and copy; every other key is the window's."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.selection().start)
            return
        for key, (move, selects) in MOVES.items():
            if event.matches(key):
                self._go(move, selects=selects)
                return
        event.ignore()

    def _go(self, move: Callable[[Caret], None], *, selects: bool) -> None:
        caret = Caret(self.layouts, self._cursor, self._wanted_x, self._page())
        move(caret)
        self._wanted_x = caret.wanted_x
        if caret.position > self.layouts.rows.known and not self.complete:
            self.reveal(Span(caret.position, caret.position))
            return
        self._select(self._anchor if selects else caret.position, caret.position)
        self._show_cursor()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Put the cursor where the mouse is."""
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        position = self.position_at(event.position())
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._wanted_x = None
        self._pressed = position
        self._select(self._anchor if extends else position, position)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Select while the button is held; past an edge the text scrolls."""
        if self._pressed is None:
            return
        y, bar = event.position().y(), self.verticalScrollBar()
        if not 0 <= y < self.viewport().height():
            bar.setValue(bar.value() + (1 if y > 0 else -1))
        self._select(self._anchor, self.position_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """End the selection; without one this was a click."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and self._anchor == self._cursor == pressed:
            self.clicked.emit(pressed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Select the word; in Chinese, Japanese and Korean the run of one script."""
        word = word_at(self.text, self.position_at(event.position()))
        self._select(word.start, word.end)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Say what a mark means and what a stand-in stands for."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_at(self.position_at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), plain_tip(tip) if tip else "", self)
            return True
        return super().viewportEvent(event)

    def tip_at(self, position: int) -> str:
        """Return in words what is to be said about one code point."""
        if position >= len(self.text):
            return ""
        char = self.text[position]
        words = [mark.tip for mark in self.marks.meeting(Span(position, position + 1)) if mark.tip]
        rows = self.layouts.rows
        row = rows.row_of(position)
        span = rows.span(row)
        line = self.text[span.start : span.end]
        if position - span.start in stand_in_places(line):
            words.append(tr("{name}, shown by a stand-in", name=name_of(char)))
        return "\n".join(dict.fromkeys(words))
