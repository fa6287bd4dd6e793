"""How a recent run looks: its name, and behind it, in a column of its own, where it is."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QListWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

__all__ = ["WHERE", "RecentDelegate"]

WHERE = Qt.ItemDataRole.UserRole + 1
"""The role of the words that say where a run is."""
_MARGIN = 6
_SHARE = 0.5
"""The share of the width that names take at most."""


class RecentDelegate(QStyledItemDelegate):
    """Draws both on one line, and cuts the way to a run in its middle where there is no room."""

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the name in ink and the place muted."""
        ground = QStyleOptionViewItem(option)
        self.initStyleOption(ground, index)
        name, ground.text = ground.text, ""
        style = self._view.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, self._view)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        here = bool(option.state & QStyle.StateFlag.State_Enabled)
        column = self._column(option.fontMetrics, option.rect.width())
        area = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        ink = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        muted = ink if chosen else QPalette.ColorRole.PlaceholderText
        cut, metrics = Qt.TextElideMode, option.fontMetrics
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.save()
        painter.setFont(option.font)
        painter.setPen(option.palette.color(ink if here else muted))
        first = area.adjusted(0, 0, column - area.width(), 0)
        painter.drawText(first, flags, metrics.elidedText(name, cut.ElideRight, first.width()))
        painter.setPen(option.palette.color(muted))
        rest = area.adjusted(column + 3 * _MARGIN, 0, 0, 0)
        where = str(index.data(WHERE))
        painter.drawText(rest, flags, metrics.elidedText(where, cut.ElideMiddle, rest.width()))
        painter.restore()

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Leave air above and below."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), round(option.fontMetrics.height() * 1.7))

    def _column(self, metrics: QFontMetrics, width: int) -> int:
        """Return how wide the column of names is: as the longest, up to a share of the width."""
        names = (self._view.item(row).text() for row in range(self._view.count()))
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        return min(widest + 1, round(width * _SHARE))
