"""The bill as a picture: a bar for each call, split by kind, with what was reported beside it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from reviewer.window.i18n import tr
from reviewer.window.presenters.bill import Heights, call_words, heights
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.bill_look import GRADE_PENS, draw_kind
from reviewer.window.views.following import RESTYLED
from store.records.bills import Bill, BillKind

__all__ = ["BillChart"]

_NARROWEST, _WIDEST = 5, 56
"""Pixels from one bar to the next."""
_PAGE = 10
_LEAST_LINES = 9
"""Lines of text that the picture is high at least."""
_KINDS = tuple(BillKind)
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageUp: -_PAGE,
    Qt.Key.Key_PageDown: _PAGE,
    Qt.Key.Key_Home: -(1 << 30),
    Qt.Key.Key_End: 1 << 30,
}


class BillChart(QAbstractScrollArea):
    """Calls from left to right; the current one is framed.  Only what is in sight is drawn."""

    chosen = Signal(int)
    """A call was gone to, from 1."""
    opened = Signal(int)
    """What a call was given is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bill_chart")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self._bill = Bill()
        self._heights: Heights | None = None
        self._added = False
        self._call = 1
        self._area, self._width, self._high = QRectF(), _WIDEST, self._line()
        self._measure()

    # -- what is shown ------------------------------------------------------------------

    def show_bill(self, bill: Bill) -> None:
        """Show another bill."""
        self._bill = bill
        self._heights = heights(bill) if bill.calls else None
        self._call = 1
        self._measure()
        self._tell()

    def add_up(self, *, added: bool) -> None:
        """Show what was paid up to each call, or what each request held."""
        self._added = added
        self.viewport().update()

    def set_current(self, call: int) -> None:
        """Frame a call and bring it into sight."""
        self._call = max(1, min(call, len(self._bill.calls) or 1))
        left, bar = (self._call - 1) * self._step(), self.horizontalScrollBar()
        if left < bar.value():
            bar.setValue(left)
        elif left + self._step() > bar.value() + self._room().width():
            bar.setValue(round(left + self._step() - self._room().width()))
        self.viewport().update()
        self._tell()

    @property
    def current(self) -> int:
        """The call that is framed."""
        return self._call

    def words(self) -> str:
        """Return what is known of the current call."""
        calls = self._bill.calls
        return call_words(calls[self._call - 1]) if calls else ""

    def retell(self) -> None:
        """Tell in the present language."""
        self._tell()

    # -- geometry -----------------------------------------------------------------------

    def _line(self) -> int:
        return self.fontMetrics().height()

    def _room(self) -> QRectF:
        """Return where bars stand: right of the scale, between the marks and the numbers.

        Kept from one measure to the next: fonts are slow to ask.
        """
        return self._area

    def _make_room(self) -> QRectF:
        side = self.fontMetrics().horizontalAdvance("0,000,000") + 8
        view = self.viewport().rect()
        top, bottom = round(self._line() * 1.4), round(self._line() * 2.8)
        wide, high = view.width() - side - 4, view.height() - top - bottom
        return QRectF(side, top, max(1, wide), max(1, high))

    def _step(self) -> int:
        return self._width

    def _measure(self) -> None:
        self._area = self._make_room()
        self._high = self._line()
        calls = len(self._bill.calls) or 1
        self._width = max(_NARROWEST, min(_WIDEST, int(self._area.width() // calls)))
        bar, room = self.horizontalScrollBar(), int(self._area.width())
        bar.setRange(0, max(0, len(self._bill.calls) * self._step() - room))
        bar.setPageStep(room)
        bar.setSingleStep(self._step())
        self.viewport().update()

    def call_at(self, point: QPointF) -> int | None:
        """Return the call at a point of the viewport."""
        room = self._room()
        at = int((point.x() - room.left() + self.horizontalScrollBar().value()) // self._step()) + 1
        return at if point.x() >= room.left() and 1 <= at <= len(self._bill.calls) else None

    def bar_of(self, call: int) -> QRectF:
        """Return where the bar of a call may stand, as high as there is room."""
        room, step = self._room(), self._step()
        left = room.left() + (call - 1) * step - self.horizontalScrollBar().value()
        gap = max(1.0, step * 0.14)
        return QRectF(left + gap, room.top(), step - 2 * gap, room.height())

    def _in_sight(self) -> Iterator[int]:
        first = self.horizontalScrollBar().value() // self._step()
        count = int(self._room().width()) // self._step() + 2
        yield from range(first + 1, min(len(self._bill.calls), first + count) + 1)

    # -- drawing ------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the bars in sight, the scale and the numbers."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), colour("paper"))
        painter.setFont(self.font())
        shown = self._heights
        if shown is None:
            painter.end()
            return
        pieces = shown.paid if self._added else shown.resident
        reported = shown.paid_reported if self._added else shown.reported
        most = max(1, int(pieces.sum(axis=1).max()), int(reported.max()))
        self._draw_scale(painter, most)
        room = self._room()
        painter.setClipRect(QRectF(room.left(), 0, room.width() + 4, self.viewport().height()))
        for call in self._in_sight():
            self._draw_bar(painter, call, [int(each) for each in pieces[call - 1]], most)
            self._draw_reported(painter, call, int(reported[call - 1]), most)
            self._draw_lanes(painter, call, shown)
        painter.end()

    def _draw_scale(self, painter: QPainter, most: int) -> None:
        room = self._room()
        for share in (0.0, 0.5, 1.0):
            y = room.bottom() - share * room.height()
            painter.setPen(QPen(colour("line"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(colour("muted"))
            box = QRectF(0, y - self._line() / 2, room.left() - 6, self._line())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, f"{round(share * most):,}")

    def _draw_bar(self, painter: QPainter, call: int, pieces: list[int], most: int) -> None:
        bar = self.bar_of(call)
        bottom = bar.bottom()
        for kind, tokens in zip(_KINDS, pieces, strict=True):
            high = bar.height() * tokens / most
            if high > 0:
                draw_kind(painter, QRectF(bar.left(), bottom - high, bar.width(), high), kind)
                bottom -= high
        if call == self._call:
            painter.setPen(QPen(colour("ink"), 2 if self.hasFocus() else 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(bar.adjusted(-2, -1, 2, 1))

    def _draw_reported(self, painter: QPainter, call: int, tokens: int, most: int) -> None:
        """Draw a line with a diamond where what was reported ends; nothing where nothing was."""
        bar = self.bar_of(call)
        if tokens < 0:
            return
        y = bar.bottom() - bar.height() * tokens / most
        painter.setPen(QPen(colour("ink"), 2))
        painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right(), y))
        half = min(4.0, bar.width() / 2)
        middle = QPointF(bar.center().x(), y)
        corners = ((0.0, -half), (half, 0.0), (0.0, half), (-half, 0.0))
        painter.setBrush(colour("paper"))
        painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in corners]))

    def _draw_lanes(self, painter: QPainter, call: int, shown: Heights) -> None:
        """Above the bar what broke the prefix; below it the number, the proof, what is missing."""
        bar, line, step = self.bar_of(call), self._high, self._step()
        centre = Qt.AlignmentFlag.AlignCenter
        wide = max(step, line)
        if shown.broken[call - 1]:
            painter.setPen(QPen(colour("bad"), 1, Qt.PenStyle.DashLine))
            edge = bar.left() - 1
            painter.drawLine(QPointF(edge, bar.top() - 2), QPointF(edge, bar.bottom()))
            painter.setPen(colour("bad"))
            painter.drawText(QRectF(bar.center().x() - wide / 2, 0, wide, line * 1.3), centre, "✂")
        numbers = max(1, -(-len(str(len(self._bill.calls))) * line // step))
        if call == self._call or call % numbers == 1 % numbers:
            font = QFont(self.font())
            font.setBold(call == self._call)
            painter.setFont(font)
            painter.setPen(colour("ink" if call == self._call else "muted"))
            box = QRectF(bar.center().x() - 2 * line, bar.bottom() + 3, 4 * line, line)
            painter.drawText(box, centre, str(call))
            painter.setFont(self.font())
        below = bar.bottom() + line + 5
        painter.setPen(QPen(colour("ink"), 2, GRADE_PENS[shown.grades[call - 1]]))
        painter.drawLine(QPointF(bar.left(), below), QPointF(bar.right(), below))
        if shown.reported[call - 1] < 0 and step < line // 2:
            painter.fillRect(QRectF(bar.center().x() - 1, below + 5, 2, 2), colour("open"))
        elif shown.reported[call - 1] < 0:
            painter.setPen(colour("open"))
            box = QRectF(bar.center().x() - wide / 2, below + 2, wide, line)
            painter.drawText(box, centre, "?")

    # -- events -------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Walk the calls; Return shows what one was given."""
        by = _STEPS.get(Qt.Key(event.key()))
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if by is not None and plain and self._bill.calls:
            wanted = max(1, min(self._call + by, len(self._bill.calls)))
            if wanted != self._call:
                self.set_current(wanted)
                self.chosen.emit(wanted)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._bill.calls:
            self.opened.emit(self._call)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Go to the call that is pressed."""
        call = self.call_at(event.position())
        if call is not None:
            self.set_current(call)
            self.chosen.emit(call)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Show what the call was given."""
        call = self.call_at(event.position())
        if call is not None:
            self.opened.emit(call)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tell of the call under the mouse."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            call = self.call_at(QPointF(event.pos()))
            words = call_words(self._bill.calls[call - 1]) if call is not None else ""
            QToolTip.showText(event.globalPos(), plain_tip(words), self)
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fit the bars to the new size."""
        super().resizeEvent(event)
        self._measure()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw anew: the scale stays where it is."""
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take colours and sizes anew."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_call"):
            self._measure()

    def _tell(self) -> None:
        """Tell a screen reader of the current call."""
        words = self.words()
        self.setAccessibleDescription(words)
        name = tr("Context bill")
        self.setAccessibleName(f"{name}: {words}" if words else name)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))
