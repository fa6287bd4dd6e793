"""What stands under an answer that leads nowhere: why, and what can be looked at instead."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from reviewer.window.i18n import tr
from reviewer.window.views.following import plain_label

__all__ = ["Notice"]


class Notice(QWidget):
    """A sentence and two ways on; not there where there is nothing to say."""

    chosen = Signal(str)
    """The id of the tab that is to be shown instead."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("answer_notice")
        self.words = plain_label("")
        self._ways = (QPushButton(), QPushButton())
        row = QHBoxLayout()
        for button, tab in zip(self._ways, ("model", "residency"), strict=True):
            button.setObjectName(f"answer_to_{tab}")
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, tab=tab: self.chosen.emit(tab))
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 14, 12)
        layout.addWidget(self.words)
        layout.addLayout(row)

    def tell(self, words: str, call: int, *, any_calls: bool) -> None:
        """Say *words*, and lead to what *call* was given where there are any calls."""
        self.setVisible(bool(words))
        self.words.setText(words)
        self.words.setAccessibleName(words)
        self._ways[0].setText(tr("Show what call {call} was given", call=call))
        self._ways[1].setText(tr("Show which sources stood in its input"))
        for button in self._ways:
            button.setVisible(any_calls)
            button.setAccessibleName(button.text())
