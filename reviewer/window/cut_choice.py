"""A list to choose from, whose present choice ends with a sign where it is cut."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

__all__ = ["CutChoice"]


class CutChoice(QComboBox):
    """Is as narrow as its least characters; a longer choice is cut with … and whole in the list."""

    def __init__(self, least_chars: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cut = Qt.TextElideMode.ElideRight
        """Where a long choice is cut."""
        self.setMinimumContentsLength(least_chars)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def shown(self) -> str:
        """Return what can be seen of the present choice."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._fitted(option)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the choice with a sign where it is cut."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self._fitted(option)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _fitted(self, option: QStyleOptionComboBox) -> str:
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        return self.fontMetrics().elidedText(option.currentText, self.cut, room.width() - 4)
