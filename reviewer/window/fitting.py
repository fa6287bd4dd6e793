"""Widgets that show with a sign where their words are cut, and say all of them in the tip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolTip,
    QWidget,
)

from reviewer.window.tips import plain_tip

__all__ = ["FittingButton", "FittingLabel"]

_LEAST_CHARACTERS = 6
_PADDING = 24
"""Pixels of a button beside its words, at least asked for."""
_EDGES = 6
"""Pixels at the edges of a button that words never stand on."""


def _fitted(widget: QWidget, words: str, width: int) -> str:
    return widget.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, width)


def _tell(widget: QWidget, words: str, shown: str, event: QEvent) -> bool:
    """Show all of the words where they are cut; return whether the event asked for that."""
    if not isinstance(event, QHelpEvent) or event.type() is not QEvent.Type.ToolTip:
        return False
    if shown == words:
        return False
    QToolTip.showText(event.globalPos(), plain_tip(words), widget)
    return True


def _least(widget: QWidget) -> int:
    return _LEAST_CHARACTERS * widget.fontMetrics().averageCharWidth()


class FittingLabel(QLabel):
    """One line of plain words, which may have less room than it asks for."""

    def shown(self) -> str:
        """Return what of its words fits, with a sign where they are cut."""
        return _fitted(self, self.text(), self.contentsRect().width())

    def event(self, event: QEvent) -> bool:
        """Say all of it in the tip where it is cut."""
        return _tell(self, self.text(), self.shown(), event) or super().event(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Be content with a few characters."""
        return QSize(_least(self), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw what fits."""
        painter = QStylePainter(self)
        area = self.contentsRect()
        role, look = self.foregroundRole(), int(self.alignment())
        painter.drawItemText(area, look, self.palette(), self.isEnabled(), self.shown(), role)
        painter.end()


class FittingButton(QPushButton):
    """A button that may have less room than its words."""

    def __init__(self, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def shown(self) -> str:
        """Return what of its words fits, with a sign where they are cut."""
        return _fitted(self, self.text(), self.width() - _EDGES)

    def event(self, event: QEvent) -> bool:
        """Say all of it in the tip where it is cut."""
        return _tell(self, self.text(), self.shown(), event) or super().event(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Be content with a few characters."""
        return QSize(_least(self) + _PADDING, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the button with what fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shown()
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()
