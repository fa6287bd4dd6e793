"""The evidence region: the card of what is selected, and below it what is decided on it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.window.desk import Desk
from reviewer.window.panels import Panel
from reviewer.window.views.decision_box import DecisionBox
from reviewer.window.views.evidence import EvidenceView

__all__ = ["PANEL", "EvidencePanel"]


class EvidencePanel(QWidget):
    """Puts the two under one another; the decision never scrolls away."""

    asked = Signal(str)
    """The id of a command was asked for."""
    renewed = Signal()
    """There are other things to work with than before."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evidence")
        self.card = EvidenceView(self, desk)
        self.card.renewed.connect(self.renewed)
        self.decision = DecisionBox(desk, self)
        self.decision.asked.connect(self.asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card, 1)
        column.addWidget(self.decision)


PANEL = Panel("evidence", "Evidence", "evidence", 10, EvidencePanel)
