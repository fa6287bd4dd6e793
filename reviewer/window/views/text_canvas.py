"""Draws the part of a text that is in sight, with its marks, labels and overview.

Only rows in sight are laid out, and rows are found slice by slice, so that
texts of any size and lines of any length are shown at once.  Positions are
code points of the record.  Nothing of the text is interpreted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from reviewer.window.i18n import tr
from reviewer.window.presenters.syntax import Piece
from reviewer.window.theme import colour
from reviewer.window.views.text_layout import RowLayouts, text_font
from reviewer.window.views.text_lines import Rows
from reviewer.window.views.text_marks import Gutter, Hits, Mark, Spans
from reviewer.window.views.text_paint import chosen_format, formats
from reviewer.window.views.text_side import Margin, Overview
from store.records.text import Span

__all__ = ["TextCanvas", "line_number"]

_LEFT = 4.0
_BUDGET = 0.012
"""Seconds of work before the window gets its turn: less than one frame."""
_HIT_TINT = 0.28
_WHEEL_LINES = 3
_WHEEL_STEP = 120


def line_number(line: int, start: int) -> str:
    """Return the number of a line, whatever the code point at which it begins."""
    del start
    return str(line)


class TextCanvas(QAbstractScrollArea):
    """A text in sight, with an anchor and a cursor between which it is selected; see the module."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self.marks: Spans[Mark] = Spans()
        self.gutter: Spans[Gutter] = Spans()
        self.hits = Hits()
        self.empty_words = ""
        self.number_of: Callable[[int, int], str] = line_number
        self.layouts = RowLayouts(text_font(self.font().pointSizeF()), self._formats)
        self._sub = 0
        self._anchor = self._cursor = 0
        self._wraps = False
        self._wheel = 0
        self._index = QTimer(self)
        self._index.setInterval(0)
        self._index.timeout.connect(self._index_more)
        self._margin = Margin(self, self)
        self._overview = Overview(self, self)
        self._dress()
        self._refit()

    def retell(self) -> None:
        """Take every word anew: the language changed."""
        self._margin.retell()
        self._overview.retell()
        self.viewport().update()

    def _dress(self) -> None:
        self.setObjectName("text_view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(1)
        self.verticalScrollBar().setObjectName("text_vertical")
        self.horizontalScrollBar().setObjectName("text_horizontal")

    # -- what is shown -------------------------------------------------------------

    def put(self, text: str, marks: Iterable[Mark], gutter: Iterable[Gutter]) -> None:
        """Show another text from its start; what are `Spans` already is taken as it is."""
        self.text = text
        self.marks = marks if isinstance(marks, Spans) else Spans(tuple(marks))
        self.gutter = gutter if isinstance(gutter, Spans) else Spans(tuple(gutter))
        self.hits = Hits()
        self._anchor = self._cursor = 0
        self.layouts.set_rows(Rows(text))
        self._margin.gather()
        if self.layouts.rows.complete:
            self._overview.gather()
        else:
            self._overview.empty()
            self._index.start()
        self._refit()
        self._sub = 0
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show other marks on the same text; the place stays."""
        self.marks = Spans(marks)
        self._margin.gather()
        self._overview.gather()
        self.layouts.forget()
        self._refit()

    @property
    def complete(self) -> bool:
        """Whether all rows of the text are known; until then more are found."""
        return self.layouts.rows.complete

    def _refit(self) -> None:
        """Fit margins and scroll bars to what is shown now."""
        left, right = self._margin.measure(), self._overview.sizeHint().width()
        margins = self.viewportMargins()
        if (margins.left(), margins.right()) != (left, right):
            self.setViewportMargins(left, 0, right, 0)
        area = self.viewport().geometry()
        self._margin.setGeometry(area.left() - left, area.top(), left, area.height())
        self._overview.setGeometry(area.right() + 1, area.top(), right, area.height())
        width = max(area.width() - 2 * _LEFT, self.layouts.column * 8)
        self.layouts.set_wrap(width if self._wraps else None)
        self._refit_height()
        self._refit_width()
        self.viewport().update()
        self._margin.update()

    def _refit_height(self) -> None:
        bar, page = self.verticalScrollBar(), self._page()
        bar.setPageStep(page)
        bar.setRange(0, max(len(self.layouts.rows) - (1 if self._wraps else page), 0))

    def _refit_width(self) -> None:
        room = self.viewport().width()
        bar = self.horizontalScrollBar()
        bar.setPageStep(room)
        bar.setSingleStep(round(self.layouts.column * 4))
        over = self.layouts.widest + 4 * self.layouts.column - room
        bar.setRange(0, 0 if self._wraps else max(round(over), 0))

    def _page(self) -> int:
        return max(int(self.viewport().height() / self.layouts.row_height), 1)

    def selection(self) -> Span:
        """Return what is selected, in code points of the record; empty at the cursor."""
        return Span(min(self._anchor, self._cursor), max(self._anchor, self._cursor))

    def _index_more(self) -> None:
        rows = self.layouts.rows
        last, until = len(rows) - 1, time.monotonic() + _BUDGET
        while not rows.step() and time.monotonic() < until:
            pass
        self.layouts.forget_last(last)
        if rows.complete:
            self._index.stop()
            self._overview.gather()
            self._refit()
        else:
            self._refit_height()

    # -- geometry --------------------------------------------------------------------

    def visible(self) -> Iterator[tuple[int, float]]:
        """Yield each row in sight with its top, in pixels of the viewport."""
        height = self.viewport().height()
        row = self.verticalScrollBar().value()
        top = -self._sub * self.layouts.row_height
        while row < len(self.layouts.rows) and top < height:
            yield row, top
            top += self.layouts[row].lines * self.layouts.row_height
            row += 1

    def share_of(self, position: int) -> float:
        """Return how far down the text *position* stands, from 0 to 1."""
        rows = self.layouts.rows
        if not rows.complete:
            return position / max(len(self.text), 1)
        return rows.row_of(position) / len(rows)

    def in_sight(self) -> tuple[float, float]:
        """Return the shares of the text at which the view begins and ends."""
        total = len(self.layouts.rows)
        top = self.verticalScrollBar().value()
        return top / total, min((top + self._page()) / total, 1.0)

    def go_to_share(self, share: float) -> None:
        """Show the text around *share*."""
        rows = len(self.layouts.rows)
        self.verticalScrollBar().setValue(round(share * rows - self._page() / 2))

    def position_at(self, point: QPointF) -> int:
        """Return the code point of the text nearest to a point of the viewport."""
        x = point.x() - _LEFT + self.horizontalScrollBar().value()
        row, top = self.verticalScrollBar().value(), 0.0
        for row, top in self.visible():
            if point.y() < top + self.layouts[row].lines * self.layouts.row_height:
                break
        else:
            if point.y() > 0 and row == len(self.layouts.rows) - 1:
                return self.layouts.rows.span(row).end
        line = int((point.y() - top) // self.layouts.row_height)
        return self.layouts.rows.span(row).start + self.layouts[row].at(line, x)

    def point_of(self, position: int) -> QPointF | None:
        """Return where *position* stands in the viewport (middle of its line), if in sight."""
        wanted = self.layouts.rows.row_of(position)
        for row, top in self.visible():
            if row == wanted:
                laid = self.layouts[row]
                inside = position - self.layouts.rows.span(row).start
                x = laid.x_of(inside) + _LEFT - self.horizontalScrollBar().value()
                return QPointF(x, top + (laid.line_of(inside) + 0.5) * self.layouts.row_height)
        return None

    def _show_line(self, row: int, line: int, *, centre: bool) -> None:
        top = self.verticalScrollBar().value()
        if (row, line) < (top, self._sub):
            above = self._page() // 3 if centre else 0
        else:
            if row - top <= self._page():
                lines = sum(self.layouts[at].lines for at in range(top, row)) - self._sub + line
                if lines < self._page():
                    return
            above = self._page() // 3 if centre else self._page() - 1
        self._scroll_to(*self._up(row, line, above))

    def _up(self, row: int, line: int, lines: int) -> tuple[int, int]:
        line -= lines
        while line < 0 and row > 0:
            row -= 1
            line += self.layouts[row].lines
        while line >= self.layouts[row].lines and row + 1 < len(self.layouts.rows):
            line -= self.layouts[row].lines
            row += 1
        return row, min(max(line, 0), self.layouts[row].lines - 1)

    def _scroll_to(self, row: int, line: int) -> None:
        self.verticalScrollBar().setValue(row)
        self._sub = line if self.verticalScrollBar().value() == row else 0
        self.viewport().update()
        self._margin.update()

    # -- drawing ------------------------------------------------------------------------

    def syntax_in(self, span: Span) -> Sequence[Piece]:
        """Return which pieces of *span* have a colour of their own; none without a language."""
        del span
        return ()

    def _formats(
        self, span: Span, text: str, to_utf16: Callable[[Span], tuple[int, int]]
    ) -> list[QTextLayout.FormatRange]:
        # The syntax first: every mark is stronger than it.
        kinds = [(Span(one.start, one.end), one.role) for one in self.syntax_in(span)]
        kinds += [(mark.span, mark.kind) for mark in self.marks.meeting(span)]
        return formats(span, text, kinds, to_utf16)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the rows in sight."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), colour("paper"))
        painter.setFont(self.layouts.font)
        width = float(self.viewport().width())
        left = _LEFT - self.horizontalScrollBar().value()
        widest = self.layouts.widest
        drawn = event.rect()
        for row, top in self.visible():
            laid = self.layouts[row]
            if top > drawn.bottom() or top + laid.lines * self.layouts.row_height < drawn.top():
                continue
            painter.save()
            # Accents piled up high must not reach into the rows of others.
            tall = laid.lines * self.layouts.row_height
            painter.setClipRect(QRectF(0, top, width, tall) & QRectF(drawn))
            self._draw_row(painter, row, QPointF(left, top))
            painter.restore()
        if not self.text and self.empty_words:
            painter.setPen(colour("muted"))
            painter.setFont(self.font())
            inner = self.viewport().rect().adjusted(12, 12, -12, -12)
            painter.drawText(inner, Qt.TextFlag.TextWordWrap, self.empty_words)
        if self.layouts.widest > widest:
            self._refit_width()
        painter.end()

    def _draw_row(self, painter: QPainter, row: int, at: QPointF) -> None:
        laid, rows, height = self.layouts[row], self.layouts.rows, self.layouts.row_height
        span = rows.span(row)
        chosen = self.selection().meet(span)
        painter.setPen(colour("ink"))
        for number in range(laid.layout.lineCount()):
            line = laid.layout.lineAt(number)
            base = number * height + self.layouts.above + self.layouts.ascent
            line.setPosition(QPointF(0, base - line.ascent()))
        picked = []
        if chosen:
            one = QTextLayout.FormatRange()
            one.start, one.length = laid.utf16(chosen.moved(-span.start))
            one.format = chosen_format()
            picked.append(one)
        laid.layout.draw(painter, at, picked)
        self._draw_hits(painter, row, at)
        end = at + QPointF(laid.x_of(span.length), (laid.lines - 1) * height)
        if rows.folded(row):
            painter.setPen(colour("muted"))
            painter.drawText(
                end + QPointF(4, self.layouts.above + self.layouts.ascent), tr("⤶ folded")
            )
        elif self.selection().covers(Span(span.end, rows.end(row))) and rows.end(row) > span.end:
            painter.fillRect(
                QRectF(end.x(), end.y(), self.layouts.column, height), colour("accent")
            )
        if self.hasFocus() and row == rows.row_of(self._cursor):
            self._draw_cursor(painter, row, at)

    def _draw_hits(self, painter: QPainter, row: int, at: QPointF) -> None:
        """Frame the hits in sight: a row that is laid out need not be laid out anew for them."""
        if not self.hits.length:
            return
        laid, start = self.layouts[row], self.layouts.rows.span(row).start
        height = self.layouts.row_height
        tone = colour("found")
        inside = QColor(tone)
        inside.setAlphaF(_HIT_TINT)
        painter.setPen(tone)
        for number in range(laid.lines):
            part = laid.in_sight(number, -at.x(), self.viewport().width() - at.x())
            for hit in self.hits.meeting(part.moved(start)):
                both = hit.meet(laid.line_span(number).moved(start))
                if both is None:
                    continue
                ends = (both.start - start, both.end - start)
                left, right = sorted(laid.x_on(number, end) for end in ends)
                box = QRectF(at.x() + left, at.y() + number * height, right - left, height)
                if not self.selection().covers(both):  # its words could no longer be read
                    painter.fillRect(box, inside)
                painter.drawRect(box.adjusted(0.5, 1.5, -0.5, -1.5))

    def _draw_cursor(self, painter: QPainter, row: int, at: QPointF) -> None:
        laid, height = self.layouts[row], self.layouts.row_height
        inside = self._cursor - self.layouts.rows.span(row).start
        if inside > self.layouts.rows.span(row).length:
            return
        corner = at + QPointF(laid.x_of(inside), laid.line_of(inside) * height)
        painter.fillRect(QRectF(corner.x() - 1, corner.y(), 2, height), colour("ink"))

    # -- events ---------------------------------------------------------------------------

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: N802 - Qt's name
        """Follow the scroll bars."""
        if dy:
            self._sub = 0
        down = round(dy * self.layouts.row_height)
        whole_pixels = self.devicePixelRatioF().is_integer()
        if self._wraps or not whole_pixels or abs(down) >= self.viewport().height():
            self.viewport().update()
        else:
            # What stays in sight is moved, not drawn again: rows of long lines are slow to draw.
            self.viewport().scroll(dx, down)
        self._margin.update()
        self._overview.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fit to the new size."""
        super().resizeEvent(event)
        self._refit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Follow fonts and colours of the program."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self.layouts.set_font(text_font(self.font().pointSizeF()))
            self._refit()
        elif event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.layouts.forget()
            self._overview.repaint_marks()
            self._margin.update()
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll by lines, also inside rows that are broken into many."""
        delta = event.angleDelta()
        if not self._wraps or abs(delta.x()) > abs(delta.y()):
            super().wheelEvent(event)
            return
        self._wheel += delta.y() * _WHEEL_LINES
        lines, self._wheel = int(self._wheel / _WHEEL_STEP), self._wheel % _WHEEL_STEP
        if lines:
            top = self.verticalScrollBar().value()
            self._scroll_to(*self._up(top, self._sub, lines))
        event.accept()
