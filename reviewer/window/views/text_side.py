"""What stands beside a text: labels and bars at the left, all marks of the text at the right."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Protocol

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QToolTip, QWidget

from reviewer.window.i18n import tr
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.text_layout import RowLayouts
from reviewer.window.views.text_marks import Gutter, Hits, Mark, Spans
from reviewer.window.views.text_paint import BARS, draw_bar
from store.records.text import Span

__all__ = ["Margin", "Overview", "Shown"]

_BAR = 4.0
_GAP = 6.0
_LABEL_COLUMNS = 26
_LABEL_SHARE = 0.22
_STRIP = 14
_AT_ONCE = 250
_BUDGET = 0.008
"""Seconds of work before the window gets its turn."""


class Shown(Protocol):
    """What the sides ask of the text between them."""

    layouts: RowLayouts
    marks: Spans[Mark]
    gutter: Spans[Gutter]
    hits: Hits
    number_of: Callable[[int, int], str]

    def visible(self) -> Iterator[tuple[int, float]]:
        """Yield each row in sight with its top."""
        ...

    def share_of(self, position: int) -> float:
        """Return how far down the text *position* stands, from 0 to 1."""
        ...

    def in_sight(self) -> tuple[float, float]:
        """Return the shares of the text at which the view begins and ends."""
        ...

    def go_to_share(self, share: float) -> None:
        """Show the text from *share* on."""
        ...


class Margin(QWidget):
    """Labels of origin, numbers of lines, and a bar for each kind of mark."""

    chosen = Signal(int)
    """A position of the piece whose label was pressed."""

    def __init__(self, parent: QWidget, shown: Shown) -> None:
        super().__init__(parent)
        self._view = parent
        self._shown = shown
        self._digits = 0
        self._longest = 0
        self._labels = 0.0
        self._bars: tuple[str, ...] = ()
        self.setObjectName("text_margin")
        self.retell()

    def retell(self) -> None:
        """Take its name anew: the language changed."""
        self.setAccessibleName(tr("Line numbers and origins"))

    def gather(self) -> None:
        """Find again which labels and kinds of mark there are."""
        # Room for "+9" where several labels meet in one row.
        labels = self._shown.gutter.held
        self._longest = max((len(one.label) + 3 for one in labels), default=0)
        kinds = {mark.kind for mark in self._shown.marks.held}
        self._bars = tuple(kind for kind in BARS if kind in kinds)

    def measure(self) -> int:
        """Return how wide it must be for what is shown now."""
        shown = self._shown
        column = shown.layouts.column
        rows = shown.layouts.rows
        self._digits = max(
            len(shown.number_of(rows.line_of(len(rows) - 1), rows.span(len(rows) - 1).start)), 2
        )
        room = min(_LABEL_COLUMNS * column, _LABEL_SHARE * self._view.width())
        self._labels = min(self._longest * column, room) + _GAP if self._longest else 0.0
        return round(
            _GAP + self._labels + self._digits * column + _GAP + (_BAR + 1) * len(self._bars) + _GAP
        )

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw what belongs to the rows in sight."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour("window"))
        layouts = self._shown.layouts
        painter.setFont(layouts.font)
        labelled: set[int] = set()
        for row, top in self._shown.visible():
            self._number(painter, row, top)
            self._label(painter, row, top, labelled)
            self._row_bars(painter, row, top)
        painter.end()

    def _number(self, painter: QPainter, row: int, top: float) -> None:
        layouts = self._shown.layouts
        rows = layouts.rows
        text = "↳"
        if rows.begins_line(row):
            text = self._shown.number_of(rows.line_of(row), rows.span(row).start)
        painter.setPen(colour("muted"))
        left = _GAP + self._labels
        box = QRectF(left, top, self._digits * layouts.column, layouts.row_height)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _label(self, painter: QPainter, row: int, top: float, labelled: set[int]) -> None:
        if not self._labels:
            return
        layouts = self._shown.layouts
        found = [one for one in self._of_row(row) if id(one) not in labelled]
        labelled.update(id(one) for one in found)
        if not found:
            return
        text = found[0].label
        more = f" +{len(found) - 1}" if len(found) > 1 else ""
        metrics = QFontMetricsF(layouts.font)
        width = self._labels - _GAP
        fitted = metrics.elidedText(
            text, Qt.TextElideMode.ElideMiddle, width - metrics.horizontalAdvance(more)
        )
        painter.setPen(colour("ink"))
        box = QRectF(_GAP, top, width, layouts.row_height)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, flags, fitted + more)

    def _row_bars(self, painter: QPainter, row: int, top: float) -> None:
        layouts = self._shown.layouts
        kinds = {mark.kind for mark in self._shown.marks.meeting(self._extent(row))}
        left = _GAP + self._labels + self._digits * layouts.column + _GAP
        height = layouts[row].lines * layouts.row_height
        for lane, kind in enumerate(self._bars):
            if kind in kinds:
                bar = QRectF(left + lane * (_BAR + 1), top, _BAR, height)
                draw_bar(painter, kind, bar)

    def _of_row(self, row: int) -> list[Gutter]:
        return self._shown.gutter.meeting(self._extent(row))

    def _extent(self, row: int) -> Span:
        rows = self._shown.layouts.rows
        return Span(rows.span(row).start, max(rows.end(row), rows.span(row).start + 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose the piece whose label was pressed."""
        layouts, y = self._shown.layouts, event.position().y()
        for row, top in self._shown.visible():
            if top <= y < top + layouts[row].lines * layouts.row_height:
                found = self._of_row(row)
                if found:
                    start = layouts.rows.span(row).start
                    self.chosen.emit(max(found[0].span.start, start))

    def event(self, event: QEvent) -> bool:
        """Say in full what a shortened label says."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self._tip(event.pos().y())
            QToolTip.showText(event.globalPos(), plain_tip(tip) if tip else "", self)
            return True
        return super().event(event)

    def _tip(self, y: float) -> str:
        layouts = self._shown.layouts
        for row, top in self._shown.visible():
            if top <= y < top + layouts[row].lines * layouts.row_height:
                words = [one.label for one in self._of_row(row)]
                words += [m.tip for m in self._shown.marks.meeting(self._extent(row)) if m.tip]
                if not layouts.rows.begins_line(row):
                    words.append(tr("↳ goes on from the row above: a long line is folded here"))
                return "\n".join(dict.fromkeys(words))
        return ""


class Overview(QWidget):
    """Every mark of the whole text on one strip; a click goes there."""

    def __init__(self, parent: QWidget, shown: Shown) -> None:
        super().__init__(parent)
        self._shown = shown
        self._lanes: list[tuple[str, list[tuple[float, float]]]] = []
        self._picture: QPixmap | None = None
        self._found: dict[str, list[tuple[float, float]]] = {}
        self._next = 0
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._gather_more)
        self.setObjectName("text_overview")
        self.retell()

    def retell(self) -> None:
        """Take its words anew: the language changed."""
        self.setAccessibleName(tr("All marks of the text"))
        self.setToolTip(tr("All marks of the text; click to go there"))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Return its width; it is as high as the text."""
        return QSize(_STRIP, 0)

    def empty(self) -> None:
        """Show no marks: where they stand is not known yet."""
        self._more.stop()
        self._lanes = []
        self.repaint_marks()

    def gather(self) -> None:
        """Find again where marks stand: the text, its marks or its rows changed."""
        self._found = {}
        self._next = 0
        self._gather_more()

    def _gather_more(self) -> None:
        """Go on for a moment: a look-up in millions of rows takes its time."""
        marks, share = self._shown.marks.held, self._shown.share_of
        until = time.monotonic() + _BUDGET
        while self._next < len(marks) and time.monotonic() < until:
            for mark in marks[self._next : self._next + _AT_ONCE]:
                if mark.kind in BARS:
                    piece = share(mark.span.start), share(mark.span.end)
                    self._found.setdefault(mark.kind, []).append(piece)
            self._next += _AT_ONCE
        if self._next < len(marks):
            self._more.start()
            return
        self._more.stop()
        self._lanes = [(kind, self._found[kind]) for kind in BARS if kind in self._found]
        self.repaint_marks()

    def repaint_marks(self) -> None:
        """Draw marks and hits anew: they, the colours or the height changed."""
        self._picture = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw a lane for each kind, the hits over all, and a frame around what is in sight."""
        del event
        scale = self.devicePixelRatioF()
        wanted = self.size() * scale
        if self._picture is None or self._picture.size() != wanted:
            self._picture = QPixmap(wanted)
            self._picture.setDevicePixelRatio(scale)
            self._draw_marks(self._picture)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        height = float(self.height())
        first, last = self._shown.in_sight()
        painter.setPen(QPen(colour("ink"), 1))
        painter.drawRect(
            QRectF(0.5, first * height + 0.5, self.width() - 1, max((last - first) * height - 1, 4))
        )
        painter.end()

    def _draw_marks(self, picture: QPixmap) -> None:
        picture.fill(colour("window"))
        painter = QPainter(picture)
        height = float(self.height())
        width = self.width() / max(len(self._lanes), 1)
        for lane, (kind, pieces) in enumerate(self._lanes):
            for top, bottom in _joined(pieces, height):
                box = QRectF(lane * width + 1, top, max(width - 2, 2), max(bottom - top, 2))
                draw_bar(painter, kind, box)
        self._draw_hits(painter)
        painter.end()

    def _draw_hits(self, painter: QPainter) -> None:
        """Draw each line of the screen behind which a hit stands, however many they are."""
        starts, rows = self._shown.hits.starts, self._shown.layouts.rows
        if not self._shown.hits.length:
            return
        painter.setPen(QPen(colour("found"), 1))
        before = 0
        for y in range(self.height()):
            after = bisect_left(starts, rows.position_down(y + 1, self.height()), before)
            if after > before:
                painter.drawLine(0, y, self.width(), y)
            before = after

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Go where the strip was pressed."""
        self._shown.go_to_share(event.position().y() / max(self.height(), 1))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Follow the pressed mouse."""
        self._shown.go_to_share(event.position().y() / max(self.height(), 1))


def _joined(pieces: list[tuple[float, float]], height: float) -> Iterator[tuple[float, float]]:
    """Yield pieces in pixels, those that touch as one: ten thousand marks are few hundred boxes."""
    top = bottom = -1.0
    for start, end in sorted(pieces):
        if top >= 0 and start * height <= bottom + 1:
            bottom = max(bottom, end * height)
            continue
        if top >= 0:
            yield top, bottom
        top, bottom = start * height, end * height
    if top >= 0:
        yield top, bottom
