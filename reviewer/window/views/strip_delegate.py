"""Paints the coverage of a version into a cell: shapes first, colours second.

Delivered is solid, a preview hatched, a gap empty, a cited place a wedge
below; three dots stand behind a version whose length is not known.  What is
painted is said in words by the cell.
"""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from reviewer.audit.strips import Strip
from reviewer.window import theme
from reviewer.window.models.roles import Role
from store.records.text import Span

__all__ = ["OPEN_END", "StripDelegate", "draw_open_end", "position_at"]

_Index = QModelIndex | QPersistentModelIndex
_KEPT = 300
_MARGIN = 4
_WEDGE = 4
_NEAR = 3
OPEN_END = 14
"""Pixels behind a version of unknown length, in which dots say so."""


class StripDelegate(QStyledItemDelegate):
    """Paints `Role.STRIP`; where there is none, the words of the cell."""

    clicked = Signal(object, object)
    """The node and the `Span` of its version that was clicked."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # The strip is kept beside its picture, so that its id stays its own.
        self._pictures: OrderedDict[tuple[object, ...], tuple[Strip, QPixmap]] = OrderedDict()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint the ground as for any cell, then the strip."""
        strip = index.data(Role.STRIP)
        if not isinstance(strip, Strip):
            super().paint(painter, option, index)
            return
        ground = QStyleOptionViewItem(option)
        self.initStyleOption(ground, index)
        ground.text = ""
        widget: QWidget | None = ground.widget
        style = QApplication.style() if widget is None else widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, ground.widget)
        area = _area(option.rect)
        if area.width() > 2 * _WEDGE:
            painter.drawPixmap(area.topLeft(), self._picture(strip, area, painter.device()))

    def _picture(self, strip: Strip, area: QRect, device: object) -> QPixmap:
        ratio = float(getattr(device, "devicePixelRatio", lambda: 1.0)())
        key = (id(strip), area.width(), area.height(), ratio, theme.present())
        if key not in self._pictures:
            picture = QPixmap(round(area.width() * ratio), round(area.height() * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            _paint(painter, strip, area.width(), area.height())
            painter.end()
            self._pictures[key] = (strip, picture)
            if len(self._pictures) > _KEPT:
                self._pictures.popitem(last=False)
        return self._pictures[key][1]

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: _Index
    ) -> QSize:
        """Give the strip room above its wedges."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), option.fontMetrics.height() + 2 * _MARGIN)

    def editorEvent(  # noqa: N802 - Qt's name
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: _Index,
    ) -> bool:
        """Tell which place of the version was clicked."""
        strip = index.data(Role.STRIP)
        if isinstance(strip, Strip) and isinstance(event, QMouseEvent):
            released = event.type() is QEvent.Type.MouseButtonRelease
            if released and event.button() is Qt.MouseButton.LeftButton:
                area = _area(option.rect)
                span = position_at(strip, event.position().x() - area.left(), area.width())
                self.clicked.emit(index.data(Role.NODE), span)
                return True
        return super().editorEvent(event, model, option, index)


def position_at(strip: Strip, x: float, width: int) -> Span:
    """Return the unit of the version that is painted at *x*, or the cited span close to it."""
    total, width = strip.extent.length, known_width(strip, width)
    x = min(max(x, 0.0), float(width))
    for span, _citation in strip.cited:
        middle = _x(strip, (span.start + span.end) / 2, width)
        if abs(middle - x) <= _NEAR:
            return span
    start = strip.extent.start + min(total - 1, int(x * total / max(1, width)))
    return Span(start, start + 1)


def known_width(strip: Strip, width: int) -> int:
    """Return how much of *width* is for what is known: behind it an unknown length goes on."""
    return width - OPEN_END if strip.open_ended else width


def _area(cell: QRect) -> QRect:
    return cell.adjusted(_MARGIN, _MARGIN - 1, -_MARGIN, -1)


def _x(strip: Strip, position: float, width: int) -> float:
    return (position - strip.extent.start) * width / strip.extent.length


def draw_open_end(painter: QPainter, place: QRectF) -> None:
    """Draw that it goes on for nobody knows how long: three dots, in the ink that is set."""
    painter.setBrush(painter.pen().color())
    for number in (1, 2, 3):
        middle = QPointF(place.left() + number * place.width() / 4 + 1, place.center().y())
        painter.drawEllipse(middle, 0.7, 0.7)


def _paint(painter: QPainter, strip: Strip, width: int, height: int) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    whole, width = width, known_width(strip, width)
    body = QRectF(0.5, 0.5, width - 1, height - _WEDGE - 1)
    painter.setPen(QPen(theme.colour("ink"), 1))
    painter.setBrush(QBrush(theme.colour("paper")))
    painter.drawRect(body)
    if strip.open_ended:
        draw_open_end(painter, QRectF(body.right(), body.top(), whole - width, body.height()))
    looks = {
        "delivered": QBrush(theme.colour("delivered")),
        "preview": QBrush(theme.colour("preview"), Qt.BrushStyle.BDiagPattern),
        "gap": QBrush(theme.colour("paper")),
    }
    # Gaps come last: however small, they must not vanish under what was delivered.
    for kind, brush in looks.items():
        reached = -1.0
        for piece in strip.pieces:
            right = _x(strip, piece.span.end, width)
            if piece.kind != kind or right <= reached:
                continue
            left = max(_x(strip, piece.span.start, width), reached)
            reached = max(right, left + 1)
            stretch = QRectF(left, 1, reached - left, body.height() - 1)
            painter.fillRect(stretch & body, brush)
    painter.setPen(QPen(theme.colour("ink"), 1))
    painter.setBrush(QBrush(theme.colour("ink")))
    for x in sorted({round(_x(strip, (s.start + s.end) / 2, width)) for s, _ in strip.cited}):
        tip = QPointF(x, height - _WEDGE - 2)
        painter.drawPolygon(
            QPolygonF([tip, QPointF(x - _WEDGE + 1, height), QPointF(x + _WEDGE - 1, height)])
        )
