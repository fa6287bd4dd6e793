"""The geometry of the residency map: zoom, scrolling, and which cell stands where."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from reviewer.window.presenters.residency import ResidencyTable

__all__ = ["Box", "ResidencyGrid"]

_WIDTHS = (1, 2, 3, 4, 6, 9, 13, 18, 24, 32, 44, 60)
"""Widths of a cell in steps of zoom, for a font of normal size."""
_READABLE = 8
"""The least of these steps that a map opens with: letters can be read."""


@dataclass(frozen=True, slots=True)
class Box:
    """Rows and columns in sight: ``[top, bottom)`` and ``[left, right)``, from 0."""

    top: int
    bottom: int
    left: int
    right: int


class ResidencyGrid(QAbstractScrollArea):
    """Places of cells.  Rows count from 0, calls from 1; the cursor is at one of each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: ResidencyTable | None = None
        self._zoom = _READABLE
        self._row, self._call = 0, 1
        self._widest = 80

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
        """Width of the names of rows; measuring them costs too much for every use."""
        limit = max(90, int(self.viewport().width() * 0.32))
        return min(self._widest + 3 * self.fontMetrics().height(), limit)

    def _widest_name(self) -> int:
        names = [row.name[:60] for row in self._table.rows] if self._table else []
        metrics = self.fontMetrics()
        longest = sorted(names, key=len)[-20:]
        return max((metrics.horizontalAdvance(name) for name in longest), default=80)

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

    def _in_sight(self) -> Box:
        rows, calls = self._table.cells.shape if self._table else (0, 0)
        width, height = self.cell_size
        across, down = self._room()
        x, y = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return Box(
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

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the bars right."""
        super().resizeEvent(event)
        self._measure()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw anew: names and numbers stay at their edges."""
        self.viewport().update()
