"""Draws the residency map: an image over the cells, or pictures of states where there is room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from reviewer.window.i18n import tr
from reviewer.window.presenters.cells import Cell
from reviewer.window.presenters.residency import ResidencyTable
from reviewer.window.theme import colour
from reviewer.window.views.following import RESTYLED
from reviewer.window.views.residency_look import LETTERS_FROM, colour_table, tiles
from reviewer.window.views.text_side import plain_tip
from reviewer.window.views.text_stand_ins import shown
from store.records.grades import Grade

__all__ = ["ResidencyMap"]

_WIDTHS = (1, 2, 3, 4, 6, 9, 13, 18, 24, 32, 44, 60)
"""Widths of a cell in steps of zoom, for a font of normal size."""
_READABLE = 8
"""The least of these steps that a map opens with: letters can be read."""
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_TICK = "✓"


@dataclass(frozen=True, slots=True)
class _Box:
    """Rows and columns in sight: ``[top, bottom)`` and ``[left, right)``, from 0."""

    top: int
    bottom: int
    left: int
    right: int


class ResidencyMap(QAbstractScrollArea):
    """Sources by calls.  Arrows move the cursor, Enter or a click chooses the cell."""

    chosen = Signal(int, int)
    """Row from 0 and call from 1 of the cell that was clicked or entered."""
    current_changed = Signal(int, int)
    """Row and call of the cursor."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: ResidencyTable | None = None
        self._buffer = np.zeros((0, 0), np.uint8)
        self._image = QImage()
        self._tiles: dict[tuple[int, int, float], dict[Cell, QPixmap]] = {}
        self._zoom = _READABLE
        self._row, self._call = 0, 1
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
        cells = table.cells if table is not None else np.zeros((0, 0), np.uint8)
        rows, calls = cells.shape
        # Qt reads whole words of each line, and does not own the memory: it is kept here.
        self._buffer = np.zeros((rows, (calls + 3) // 4 * 4), np.uint8)
        self._buffer[:, :calls] = cells
        self._image = QImage()
        if rows and calls:
            stride = self._buffer.shape[1]
            self._image = QImage(
                self._buffer.data, calls, rows, stride, QImage.Format.Format_Indexed8
            )
            self._image.setColorTable(colour_table())
        self._fit_zoom()
        self._measure()
        self._tell()

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
        if self._table is None or not self._buffer.size:
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

    # -- zoom ---------------------------------------------------------------------------

    @property
    def cell_size(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        line = self.fontMetrics().height()
        width = max(1, round(_WIDTHS[self._zoom] * line / 16))
        return width, max(1, min(width, round(line * 1.7)))

    def zoom(self, steps: int, at: QPointF | None = None) -> None:
        """Zoom by *steps*; the cell *at* a point, or the current one, stays where it is."""
        self._zoom_to(self._zoom + steps, at)

    def zoom_to_fit(self) -> None:
        """Show every row and call, as far as a pixel each allows."""
        if self._table is None or not self._table.cells.size:
            return
        rows, calls = self._table.cells.shape
        for zoom in range(len(_WIDTHS) - 1, -1, -1):
            self._zoom = zoom
            width, height = self.cell_size
            if width * calls <= self._room()[0] and height * rows <= self._room()[1]:
                break
        self._measure()
        self._bring_into_sight()

    def _fit_zoom(self) -> None:
        """Take the largest cells with which all calls fit, never too small to read."""
        self._zoom = _READABLE
        calls = self._table.cells.shape[1] if self._table else 0
        for zoom in range(_READABLE, len(_WIDTHS)):
            if _WIDTHS[zoom] * self.fontMetrics().height() / 16 * calls <= self._room()[0]:
                self._zoom = zoom

    def _zoom_to(self, zoom: int, at: QPointF | None) -> None:
        zoom = min(max(zoom, 0), len(_WIDTHS) - 1)
        if zoom == self._zoom:
            return
        width, height = self.cell_size
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        if at is None:
            x = (self._call - 0.5) * width - across.value()
            y = (self._row + 0.5) * height - down.value()
        else:
            x, y = at.x() - self._side(), at.y() - self._top()
        column, row = (x + across.value()) / width, (y + down.value()) / height
        self._zoom = zoom
        self._measure()
        width, height = self.cell_size
        across.setValue(round(column * width - x))
        down.setValue(round(row * height - y))
        self.viewport().update()

    # -- geometry ---------------------------------------------------------------------

    def _side(self) -> int:
        """Width of the names of rows."""
        names = [row.name for row in self._table.rows[:400]] if self._table else []
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(name[:60]) for name in names), default=80)
        limit = max(90, int(self.viewport().width() * 0.32))
        return min(widest + 3 * metrics.height(), limit)

    def _top(self) -> int:
        """Height of the numbers of calls, with a lane for the grade below."""
        return round(self.fontMetrics().height() * 1.5) + 7

    def _room(self) -> tuple[int, int]:
        view = self.viewport()
        return max(1, view.width() - self._side()), max(1, view.height() - self._top())

    def _measure(self) -> None:
        rows, calls = self._table.cells.shape if self._table else (0, 0)
        width, height = self.cell_size
        across, down = self._room()
        for bar, total, page, step in (
            (self.horizontalScrollBar(), calls * width, across, width),
            (self.verticalScrollBar(), rows * height, down, height),
        ):
            bar.setRange(0, max(0, total - page))
            bar.setPageStep(page)
            bar.setSingleStep(step)
        self.viewport().update()

    def _bring_into_sight(self) -> None:
        width, height = self.cell_size
        across, down = self._room()
        x, y = (self._call - 1) * width, self._row * height
        for bar, start, size, page in (
            (self.horizontalScrollBar(), x, width, across),
            (self.verticalScrollBar(), y, height, down),
        ):
            if start < bar.value():
                bar.setValue(start)
            elif start + size > bar.value() + page:
                bar.setValue(start + size - page)

    def _in_sight(self) -> _Box:
        rows, calls = self._table.cells.shape if self._table else (0, 0)
        width, height = self.cell_size
        across, down = self._room()
        x, y = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return _Box(
            y // height,
            min(rows, (y + down) // height + 1),
            x // width,
            min(calls, (x + across) // width + 1),
        )

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """Return row and call of the cell at a point of the viewport."""
        row, call = self._row_at(point), self._call_at(point)
        return None if row is None or call is None else (row, call)

    def _row_at(self, point: QPointF) -> int | None:
        rows = self._table.cells.shape[0] if self._table else 0
        place = int(point.y() - self._top() + self.verticalScrollBar().value())
        row = place // self.cell_size[1]
        return row if point.y() >= self._top() and 0 <= row < rows else None

    def _call_at(self, point: QPointF) -> int | None:
        calls = self._table.cells.shape[1] if self._table else 0
        place = int(point.x() - self._side() + self.horizontalScrollBar().value())
        call = place // self.cell_size[0] + 1
        return call if point.x() >= self._side() and 1 <= call <= calls else None

    def cell_box(self, row: int, call: int) -> QRectF:
        """Return where a cell stands in the viewport."""
        width, height = self.cell_size
        x = self._side() + (call - 1) * width - self.horizontalScrollBar().value()
        y = self._top() + row * height - self.verticalScrollBar().value()
        return QRectF(x, y, width, height)

    # -- painting --------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), colour("paper"))
        if self._table is not None and self._buffer.size:
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

    def _draw_cells(self, painter: QPainter, box: _Box) -> None:
        width, height = self.cell_size
        if min(width, height) < LETTERS_FROM:
            target = QRectF(
                self.cell_box(box.top, box.left + 1).topLeft(),
                self.cell_box(box.bottom, box.right + 1).topLeft(),
            )
            columns, rows = box.right - box.left, box.bottom - box.top
            painter.drawImage(target, self._image, QRectF(box.left, box.top, columns, rows))
            return
        pictures = self._pictures(width, height)
        corner = self.cell_box(box.top, box.left + 1).topLeft()
        for down, row in enumerate(range(box.top, box.bottom)):
            y = corner.y() + down * height
            states = self._buffer[row, box.left : box.right].tolist()
            for across, state in enumerate(states):
                painter.drawPixmap(QPointF(corner.x() + across * width, y), pictures[Cell(state)])

    def _pictures(self, width: int, height: int) -> dict[Cell, QPixmap]:
        key = (width, height, self.devicePixelRatioF())
        if key not in self._tiles:
            font = QFont(self.font())
            font.setPixelSize(max(8, round(min(height * 0.55, self.fontMetrics().height() * 0.8))))
            self._tiles[key] = dict(tiles(width, height, key[2], font))
        return self._tiles[key]

    def _draw_unproven(self, painter: QPainter, box: _Box, body: QRectF) -> None:
        """Hatch the columns of requests that the record does not prove at all."""
        if self._table is None:
            return
        hatch = QBrush(colour("muted"), Qt.BrushStyle.FDiagPattern)
        for column in np.flatnonzero(self._table.grades[box.left : box.right] == _UNKNOWN).tolist():
            left = self.cell_box(0, box.left + column + 1).left()
            painter.fillRect(QRectF(left, body.top(), self.cell_size[0], body.height()), hatch)

    def _draw_frames(self, painter: QPainter, body: QRectF) -> None:
        """Frame the call of the answer, and the current cell."""
        rows = self._table.cells.shape[0] if self._table else 0
        bottom = min(body.bottom(), self.cell_box(rows, 1).top())
        for call in self._table.answers if self._table else ():
            cell = self.cell_box(0, call)
            own = call == self._answer
            pen = QPen(colour("accent"), 2 if own else 1)
            pen.setStyle(Qt.PenStyle.SolidLine if own else Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.drawRect(
                QRectF(cell.left(), body.top() - 4, cell.width(), bottom - body.top() + 3)
            )
        painter.setPen(QPen(colour("ink"), 2))
        painter.drawRect(self.cell_box(self._row, self._call).adjusted(0.5, 0.5, -0.5, -0.5))

    def _draw_calls(self, painter: QPainter, box: _Box) -> None:
        """Draw the numbers of calls, as many as have room, and their grades."""
        top, side = self._top(), self._side()
        width = self.cell_size[0]
        metrics = QFontMetricsF(self.font())
        widest = metrics.horizontalAdvance(f"{box.right}") + 8
        step = next((n for n in _STEPS if n * width >= widest), _STEPS[-1])
        painter.save()
        painter.setClipRect(QRectF(side, 0, self.viewport().width() - side, top))
        painter.fillRect(QRectF(side, 0, self.viewport().width(), top - 1), colour("window"))
        marked = {self._call, self._answer}
        for call in range(box.left + 1, box.right + 1):
            cell = self.cell_box(0, call)
            self._draw_grade(painter, call, cell, top)
            near = any(0 < abs(call - other) * width < widest for other in marked)
            if call not in marked and (call % step or near):
                continue
            self._draw_number(painter, call, cell, top)
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

    def _draw_grade(self, painter: QPainter, call: int, cell: QRectF, top: int) -> None:
        """A lane under the numbers: whole, dashed, dotted or empty, by grade."""
        style = _PENS[self._table.grade(call)] if self._table else Qt.PenStyle.NoPen
        if style is not Qt.PenStyle.NoPen:
            painter.setPen(QPen(colour("muted"), 2, style))
            y = top - 4.5
            painter.drawLine(QPointF(cell.left() + 0.5, y), QPointF(cell.right() - 0.5, y))

    def _draw_rows(self, painter: QPainter, box: _Box) -> None:
        """Draw the names of sources, as many as have room; a tick marks a cited one."""
        if self._table is None:
            return
        side, line = self._side(), self.fontMetrics().height()
        height = self.cell_size[1]
        step = max(1, -(-line // height))
        painter.save()
        painter.setClipRect(QRectF(0, self._top(), side, self._room()[1]))
        painter.fillRect(QRectF(0, self._top(), side - 1, self._room()[1]), colour("window"))
        for row in range(box.top, box.bottom):
            own = row == self._row
            if not own and (row % step or abs(row - self._row) < step):
                continue
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

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the bars right."""
        super().resizeEvent(event)
        self._measure()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw anew: names and numbers stay at their edges."""
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take colours and sizes anew."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_tiles"):
            self._tiles.clear()
            if not self._image.isNull():
                self._image.setColorTable(colour_table())
            self._measure()

    def _tell(self) -> None:
        """Tell a screen reader of the current cell."""
        words = self.words()
        self.setAccessibleDescription(words)
        self.setAccessibleName(f"{tr('Residency map')}: {words}" if words else tr("Residency map"))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))


_UNKNOWN = Grade.UNKNOWN.rank
_PENS = {
    Grade.RECORDED: Qt.PenStyle.SolidLine,
    Grade.DERIVED: Qt.PenStyle.DashLine,
    Grade.INFERRED: Qt.PenStyle.DotLine,
    Grade.UNKNOWN: Qt.PenStyle.NoPen,
}
