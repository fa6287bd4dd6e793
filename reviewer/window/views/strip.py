"""The coverage strip: a version from end to end, what the model got of it and what is cited."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from reviewer.audit.strips import Strip
from reviewer.window.i18n import tr
from reviewer.window.presenters.strip import piece_words, strip_words
from reviewer.window.presenters.words import span_words
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.strip_delegate import OPEN_END, draw_open_end
from store.records.text import Span

__all__ = ["CoverageStrip"]


class CoverageStrip(QWidget):
    """Delivered is solid, a preview hatched, a gap empty; a tick below marks what is cited.

    With the keyboard the arrows go from stop to stop (the starts of pieces and
    of cited places), Enter goes there.
    """

    chosen = Signal(int)
    """A position in the version, in its unit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._strip: Strip | None = None
        self._here: Span | None = None
        self._stop = 0
        self.setObjectName("coverage_strip")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Coverage"))

    def show_strip(self, strip: Strip | None, here: Span | None = None) -> None:
        """Show *strip*; *here* is the present place in it.  Without one the widget hides."""
        self._strip = strip
        self._here = here
        self._stop = 0
        self.setVisible(strip is not None)
        words = strip_words(strip) if strip else ""
        self.setAccessibleName(tr("Coverage: {words}", words=words) if strip else tr("Coverage"))
        self.update()

    # -- geometry -------------------------------------------------------------------

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Return a line's height, and any width."""
        return QSize(160, round(self.fontMetrics().height() * 1.4))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Return the least that can be seen and hit."""
        return QSize(40, self.sizeHint().height())

    def _bar(self) -> QRectF:
        tick = self.height() * 0.34
        beyond = OPEN_END if self._strip is not None and self._strip.open_ended else 0
        return QRectF(4.5, 2.5, self.width() - 9 - beyond, self.height() - tick - 4)

    def _x(self, position: int) -> float:
        bar, extent = self._bar(), self._strip.extent if self._strip else Span(0, 1)
        return bar.left() + (position - extent.start) * bar.width() / max(1, extent.length)

    def _position(self, x: float) -> int:
        bar = self._bar()
        extent = self._strip.extent if self._strip else Span(0, 1)
        share = min(1.0, max(0.0, (x - bar.left()) / max(1.0, bar.width())))
        return min(extent.end - 1, extent.start + int(share * extent.length))

    def _stops(self) -> list[int]:
        if self._strip is None:
            return []
        pieces = [piece.span.start for piece in self._strip.pieces]
        return sorted({*pieces, *(span.start for span, _ in self._strip.cited)})

    # -- painting --------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw the strip."""
        if self._strip is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = self._bar()
        painter.fillRect(bar, colour("paper"))
        for piece in self._strip.pieces:
            left = self._x(piece.span.start)
            box = QRectF(left, bar.top(), max(1.5, self._x(piece.span.end) - left), bar.height())
            if piece.kind == "delivered":
                painter.fillRect(box, colour("delivered"))
            elif piece.kind == "preview":
                painter.fillRect(box, QBrush(colour("preview"), Qt.BrushStyle.BDiagPattern))
        self._frame(painter, bar)
        for span, _ in self._strip.cited:
            self._tick(painter, bar, span)
        if self.hasFocus():
            self._focus(painter, bar)
        painter.end()

    def _frame(self, painter: QPainter, bar: QRectF) -> None:
        pen = QPen(colour("muted"), 1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawRect(bar)
        if self._strip is not None and self._strip.open_ended:
            draw_open_end(painter, QRectF(bar.right(), bar.top(), OPEN_END, bar.height()))
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _tick(self, painter: QPainter, bar: QRectF, span: Span) -> None:
        """A small triangle under the bar; that of the present place is filled and larger."""
        here = self._here is not None and self._here == span
        x = (self._x(span.start) + self._x(span.end)) / 2
        half = 5.0 if here else 3.5
        top = bar.bottom() + 1.5
        shape = QPolygonF(
            [
                QPointF(x, top),
                QPointF(x - half, self.height() - 0.5),
                QPointF(x + half, self.height() - 0.5),
            ]
        )
        ink = QColor(colour("ink" if here else "cited"))
        painter.setPen(QPen(ink, 1))
        painter.setBrush(ink if here else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(shape)
        if here:
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))

    def _focus(self, painter: QPainter, bar: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour("accent"), 2))
        painter.drawRect(bar.adjusted(-2, -2, 2, 2))
        stops = self._stops()
        if stops:
            x = self._x(stops[min(self._stop, len(stops) - 1)])
            painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, self.height()))

    # -- choosing ---------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Go to the place that was clicked; close to a cited place, to that."""
        if self._strip is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        near = [s.start for s, _ in self._strip.cited if abs(self._x(s.start) - x) <= 4]  # noqa: PLR2004 - pixels
        self.chosen.emit(near[0] if near else self._position(x))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Walk the stops, and go to one."""
        stops = self._stops()
        if not stops:
            super().keyPressEvent(event)
            return
        moves = {
            Qt.Key.Key_Left: self._stop - 1,
            Qt.Key.Key_Right: self._stop + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(stops) - 1,
        }
        key = Qt.Key(event.key())
        if key in moves:
            self._stop = min(len(stops) - 1, max(0, moves[key]))
            self.setAccessibleDescription(self._words(stops[self._stop]))
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(stops[min(self._stop, len(stops) - 1)])
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Show that it is elsewhere."""
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Tell what lies under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            if self._strip is not None:
                words = self._words(self._position(event.pos().x()))
                QToolTip.showText(
                    event.globalPos(), plain_tip(f"{strip_words(self._strip)}\n{words}"), self
                )
            return True
        return super().event(event)

    def _words(self, position: int) -> str:
        if self._strip is None:
            return ""
        words = []
        piece = self._strip.at(position)
        if piece is not None:
            words.append(piece_words(piece, self._strip.unit))
        words += [
            tr("citation {index}: {span}", index=i + 1, span=span_words(s, self._strip.unit))
            for s, i in self._strip.cited
            if s.start <= position < max(s.end, s.start + 1)
        ]
        return "\n".join(words)
