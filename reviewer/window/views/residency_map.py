"""Draws the residency map: an image over the cells, or pictures of states where there is room."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QBrush,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QToolTip, QWidget

from reviewer.window.i18n import tr
from reviewer.window.presenters.residency import ResidencyTable
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.following import RESTYLED
from reviewer.window.views.residency_grid import Box, ResidencyGrid
from reviewer.window.views.residency_look import LETTERS_FROM, colours, mosaic, tiles
from reviewer.window.views.text_stand_ins import shown
from store.records.grades import Grade

__all__ = ["ResidencyMap"]

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_TICK = "✓"


class ResidencyMap(ResidencyGrid):
    """Sources by calls.  Arrows move the cursor, Enter or a click chooses the cell."""

    chosen = Signal(int, int)
    """Row from 0 and call from 1 of the cell that was clicked or entered."""
    current_changed = Signal(int, int)
    """Row and call of the cursor."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = np.zeros((0, 0), np.uint8)
        self._image = QImage()
        self._tiles: dict[tuple[int, int, float], NDArray[np.uint32]] = {}
        self._answer = 0
        self.setObjectName("residency_map")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(tr("Residency map"))

    # -- what is shown --------------------------------------------------------------

    def show_table(self, table: ResidencyTable | None) -> None:
        """Show *table* with its closing call in sight."""
        self._table = table
        self._row, self._call = 0, max(1, table.closing if table else 1)
        self._answer = table.closing if table else 0
        self._image = QImage()  # it lies over the cells that go
        self._cells = table.cells if table is not None else np.zeros((0, 0), np.uint8)
        self._colour()
        self._widest = self._widest_name()
        self._fit_zoom()
        self._measure()
        self._tell()

    def _colour(self) -> None:
        """Make the image of small cells, one pixel each: the cells themselves, by a colour table.

        Qt does not own the memory: the image lives no longer than the cells.
        """
        self._image = QImage()
        self._cells = np.ascontiguousarray(self._cells)
        if self._cells.size:
            rows, calls = self._cells.shape
            kind = QImage.Format.Format_Indexed8
            self._image = QImage(self._cells.data, calls, rows, calls, kind)
            self._image.setColorTable(colours().tolist())

    def set_answer(self, call: int) -> None:
        """Frame the column of the call that wrote the present answer."""
        self._answer = call
        self.viewport().update()

    @property
    def current(self) -> tuple[int, int]:
        """Row and call of the cursor."""
        return self._row, self._call

    def set_current(self, row: int, call: int) -> None:
        """Move the cursor, and bring it into sight."""
        if self._table is None or not self._cells.size:
            return
        rows, calls = self._table.cells.shape
        row, call = min(max(row, 0), rows - 1), min(max(call, 1), calls)
        changed = (row, call) != (self._row, self._call)
        self._row, self._call = row, call
        self._bring_into_sight()
        if changed:
            self._tell()
            self.current_changed.emit(row, call)
        self.viewport().update()

    def words(self) -> str:
        """Return what the current cell says."""
        if self._table is None or not self._table.cells.size:
            return ""
        return self._table.cell_words(self._row, self._call)

    # -- painting --------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), colour("paper"))
        if self._table is not None and self._cells.size:
            box = self._in_sight()
            body = QRectF(self._side(), self._top(), *self._room())
            painter.save()
            painter.setClipRect(body)
            self._draw_cells(painter, box)
            self._draw_unproven(painter, box, body)
            self._draw_frames(painter, body)
            painter.restore()
            self._draw_calls(painter, box)
            self._draw_rows(painter, box)
        painter.end()

    def _draw_cells(self, painter: QPainter, box: Box) -> None:
        width, height = self.cell_size
        target = QRectF(
            self.cell_box(box.top, box.left + 1).topLeft(),
            self.cell_box(box.bottom, box.right + 1).topLeft(),
        )
        if min(width, height) < LETTERS_FROM:
            columns, rows = box.right - box.left, box.bottom - box.top
            painter.drawImage(target, self._image, QRectF(box.left, box.top, columns, rows))
            return
        states = self._cells[box.top : box.bottom, box.left : box.right]
        picture = mosaic(states, self._pictures(width, height))
        painter.drawImage(target, _image(picture))

    def _pictures(self, width: int, height: int) -> NDArray[np.uint32]:
        key = (width, height, self.devicePixelRatioF())
        if key not in self._tiles:
            font = QFont(self.font())
            font.setPixelSize(max(8, round(min(height * 0.55, self.fontMetrics().height() * 0.8))))
            self._tiles[key] = tiles(width, height, key[2], font)
        return self._tiles[key]

    def _draw_unproven(self, painter: QPainter, box: Box, body: QRectF) -> None:
        """Hatch the columns of requests that the record does not prove at all."""
        if self._table is None:
            return
        hatch = QBrush(colour("muted"), Qt.BrushStyle.FDiagPattern)
        unknown = (self._table.grades[box.left : box.right] == _UNKNOWN).astype(np.int8)
        edges = np.flatnonzero(np.diff(unknown, prepend=0, append=0)).tolist()
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            left = self.cell_box(0, box.left + start + 1).left()
            across = (end - start) * self.cell_size[0]
            painter.fillRect(QRectF(left, body.top(), across, body.height()), hatch)

    def _draw_frames(self, painter: QPainter, body: QRectF) -> None:
        """Frame the call of the answer, and the current cell."""
        rows = self._table.cells.shape[0] if self._table else 0
        bottom = min(body.bottom(), self.cell_box(rows, 1).top())
        for call in self._table.answers if self._table else ():
            cell = self.cell_box(0, call)
            if cell.right() < body.left() or cell.left() > body.right():
                continue
            own = call == self._answer
            pen = QPen(colour("accent"), 2 if own else 1)
            pen.setStyle(Qt.PenStyle.SolidLine if own else Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.drawRect(
                QRectF(cell.left(), body.top() - 4, cell.width(), bottom - body.top() + 3)
            )
        painter.setPen(QPen(colour("ink"), 2))
        painter.drawRect(self.cell_box(self._row, self._call).adjusted(0.5, 0.5, -0.5, -0.5))

    def _draw_calls(self, painter: QPainter, box: Box) -> None:
        """Draw the numbers of calls, as many as have room, and their grades."""
        top, side = self._top(), self._side()
        width = self.cell_size[0]
        metrics = QFontMetricsF(self.font())
        widest = metrics.horizontalAdvance(f"{box.right}") + 8
        step = next((n for n in _STEPS if n * width >= widest), _STEPS[-1])
        painter.save()
        painter.setClipRect(QRectF(side, 0, self.viewport().width() - side, top))
        painter.fillRect(QRectF(side, 0, self.viewport().width(), top - 1), colour("window"))
        self._draw_grades(painter, box, top)
        first = box.left + 1
        marked = {call for call in (self._call, self._answer) if first <= call <= box.right}
        regular = range(-(-first // step) * step, box.right + 1, step)
        clear = [n for n in regular if all(abs(n - other) * width >= widest for other in marked)]
        for call in (*clear, *marked):
            self._draw_number(painter, call, self.cell_box(0, call), top)
        painter.restore()

    def _draw_number(self, painter: QPainter, call: int, cell: QRectF, top: int) -> None:
        font = QFont(self.font())
        font.setBold(call == self._call)
        painter.setFont(font)
        words = f"{call}"
        place = QRectF(cell.center().x() - 60, 0, 120, top - 7)
        if call == self._answer:
            wide = QFontMetricsF(font).horizontalAdvance(words) + 8
            mark = QRectF(place.center().x() - wide / 2, 3, wide, place.height() - 5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("accent"))
            painter.drawRoundedRect(mark, 3, 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(
            colour(
                "on_accent" if call == self._answer else "ink" if call == self._call else "muted"
            )
        )
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_grades(self, painter: QPainter, box: Box, top: int) -> None:
        """A lane under the numbers: whole, dashed, dotted or empty, by grade."""
        if self._table is None:
            return
        grades = self._table.grades[box.left : box.right]
        edges = [0, *(np.flatnonzero(np.diff(grades)) + 1).tolist(), len(grades)]
        for start, end in pairwise(edges):
            style = _PENS[int(grades[start])]
            if style is not Qt.PenStyle.NoPen:
                painter.setPen(QPen(colour("muted"), 2, style))
                left = self.cell_box(0, box.left + start + 1).left()
                right = self.cell_box(0, box.left + end).right()
                painter.drawLine(QPointF(left + 1, top - 4.5), QPointF(right - 1, top - 4.5))

    def _draw_rows(self, painter: QPainter, box: Box) -> None:
        """Draw the names of sources, as many as have room; a tick marks a cited one."""
        if self._table is None:
            return
        side, line = self._side(), self.fontMetrics().height()
        height = self.cell_size[1]
        step = max(1, -(-line // height))
        painter.save()
        painter.setClipRect(QRectF(0, self._top(), side, self._room()[1]))
        painter.fillRect(QRectF(0, self._top(), side - 1, self._room()[1]), colour("window"))
        regular = range(-(-box.top // step) * step, box.bottom, step)
        clear = [row for row in regular if row != self._row and abs(row - self._row) >= step]
        present = (self._row,) if box.top <= self._row < box.bottom else ()
        for row in (*clear, *present):
            own = row == self._row
            cell = self.cell_box(row, 1)
            place = QRectF(0, cell.center().y() - line * 0.75, side, line * 1.5)
            self._draw_name(painter, row, place, own=own)
        painter.restore()
        painter.fillRect(QRectF(0, 0, side, self._top() - 1), colour("window"))
        painter.setPen(colour("line"))
        painter.drawLine(QPointF(side - 0.5, 0), QPointF(side - 0.5, self.viewport().height()))
        painter.drawLine(
            QPointF(0, self._top() - 0.5), QPointF(self.viewport().width(), self._top() - 0.5)
        )

    def _draw_name(self, painter: QPainter, row: int, place: QRectF, *, own: bool) -> None:
        if self._table is None:
            return
        held = self._table.rows[row]
        line = self.fontMetrics().height()
        font = QFont(self.font())
        font.setBold(own)
        painter.setFont(font)
        if own:
            painter.fillRect(place, colour("raised"))
        if held.citations:
            painter.setPen(colour("cited"))
            tick = QRectF(4, place.top(), line, place.height())
            painter.drawText(tick, Qt.AlignmentFlag.AlignCenter, _TICK)
        painter.setPen(colour("ink" if held.first_read else "muted"))
        words = QRectF(line + 8, place.top(), place.width() - line - 14, place.height())
        room = QFontMetricsF(font).elidedText(
            shown(held.name), Qt.TextElideMode.ElideMiddle, words.width()
        )
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(words, left, room)

    # -- keys and pointer --------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Move the cursor, zoom, or choose the cell."""
        rows, calls = self._table.cells.shape if self._table else (0, 0)
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        page = max(1, self._room()[1] // self.cell_size[1] - 1)
        moves = {
            Qt.Key.Key_Left: (self._row, self._call - 1),
            Qt.Key.Key_Right: (self._row, self._call + 1),
            Qt.Key.Key_Up: (self._row - 1, self._call),
            Qt.Key.Key_Down: (self._row + 1, self._call),
            Qt.Key.Key_PageUp: (self._row - page, self._call),
            Qt.Key.Key_PageDown: (self._row + page, self._call),
            Qt.Key.Key_Home: (0 if control else self._row, 1),
            Qt.Key.Key_End: (rows - 1 if control else self._row, calls),
        }
        plain = not event.modifiers() & Qt.KeyboardModifier.AltModifier
        if plain and key in moves:
            self.set_current(*moves[Qt.Key(key)])
        elif control and key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1)
        elif control and key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif control and key == Qt.Key.Key_0:
            self.zoom_to_fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and rows and calls:
            self.chosen.emit(self._row, self._call)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll, or zoom with Ctrl."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self.zoom(1 if turned > 0 else -1, event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose the cell; a name or a number only moves the cursor."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        row, call = self._row_at(event.position()), self._call_at(event.position())
        self.set_current(self._row if row is None else row, self._call if call is None else call)
        if row is not None and call is not None:
            self.chosen.emit(row, call)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tell what lies under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            words = self._words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tip(words) if words else "", self)
            return True
        return super().viewportEvent(event)

    def _words_at(self, point: QPointF) -> str:
        row, call = self._row_at(point), self._call_at(point)
        if self._table is None:
            return ""
        if row is not None and call is not None:
            return self._table.cell_words(row, call)
        if row is not None:
            return self._table.row_words(row)
        return self._table.call_words(call) if call is not None else ""

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take colours and sizes anew."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_tiles"):
            self._tiles.clear()
            self._widest = self._widest_name()
            self._colour()
            self._measure()

    def _tell(self) -> None:
        """Tell a screen reader of the current cell."""
        words = self.words()
        self.setAccessibleDescription(words)
        self.setAccessibleName(f"{tr('Residency map')}: {words}" if words else tr("Residency map"))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))


_UNKNOWN = Grade.UNKNOWN.rank
_PENS = {
    Grade.RECORDED.rank: Qt.PenStyle.SolidLine,
    Grade.DERIVED.rank: Qt.PenStyle.DashLine,
    Grade.INFERRED.rank: Qt.PenStyle.DotLine,
    Grade.UNKNOWN.rank: Qt.PenStyle.NoPen,
}


def _image(pixels: NDArray[np.uint32]) -> QImage:
    """Return an image over *pixels*, which must outlive it."""
    rows, columns = pixels.shape
    if not pixels.size:
        return QImage()
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
