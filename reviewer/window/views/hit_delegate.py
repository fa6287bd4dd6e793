"""Draws what stands around a hit with the hit itself marked: by ground, line and weight."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from reviewer.window.models.roles import Role
from reviewer.window.theme import colour
from store.records.text import TextIndex

__all__ = ["HitDelegate"]

_TINT = 0.3
_MARGIN = 4


class HitDelegate(QStyledItemDelegate):
    """Marks the span that an item gives in `Role.MARK`, in UTF-16 units of its text."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the item as ever, and its text with the mark."""
        mark = index.data(Role.MARK)
        if mark is None:
            super().paint(painter, option, index)
            return
        ground = QStyleOptionViewItem(option)
        self.initStyleOption(ground, index)
        text, ground.text = ground.text, ""
        widget: QWidget | None = ground.widget
        style = QApplication.style() if widget is None else widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, ground, painter, ground.widget)
        chosen = bool(ground.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        painter.save()
        painter.setPen(ground.palette.color(role))
        _draw(painter, ground.rect.adjusted(_MARGIN, 0, -_MARGIN, 0), ground.font, text,
              _look(mark, chosen=chosen))  # fmt: skip
        painter.restore()


def _draw(
    painter: QPainter, area: QRect, font: QFont, text: str, mark: QTextLayout.FormatRange
) -> None:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    # As wide as it is at most, so that what does not fit ends in a sign.
    text = QFontMetrics(bold).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    mark.length = max(0, min(mark.length, TextIndex(text).to_utf16(len(text)) - mark.start))
    layout = QTextLayout(text, font)
    plain = QTextOption()
    plain.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(plain)
    layout.setFormats([mark])
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(max(1, area.width()))
    layout.endLayout()
    painter.setClipRect(area)
    top = area.top() + (area.height() - line.height()) / 2
    layout.draw(painter, QPointF(area.left(), top))


def _look(mark: tuple[int, int], *, chosen: bool) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length = mark[0], mark[1] - mark[0]
    look = QTextCharFormat()
    look.setFontWeight(QFont.Weight.DemiBold)
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    if not chosen:
        ground = QColor(colour("found"))
        ground.setAlphaF(_TINT)
        look.setBackground(ground)
    found.format = look
    return found
