"""Chooses between the runs that are open."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QWidget

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from reviewer.window.presenters import places

__all__ = ["RunChooser"]

_LEAST_CHARS = 24
"""Characters for which there is room; longer titles are shown in full when it is opened."""


class RunChooser(QComboBox):
    """Lists the open runs by their titles; it is there where there are several."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setObjectName("run_chooser")
        self.setMinimumContentsLength(_LEAST_CHARS)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(self.choose)
        desk.opened.connect(self._opened)
        desk.replaced.connect(self._replaced)
        desk.closed.connect(self._closed)
        desk.moved.connect(self._moved)
        self.hide()
        self.retranslate()

    def choose(self, index: int) -> None:
        """Go to the beginning of run *index*, or stay where that is the present one."""
        if index != self._desk.place.run and 0 <= index < len(self._desk.audits):
            self._desk.go(places.first_place(self._desk.audit(index), index))

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.setAccessibleName(tr("Run"))
        self.setToolTip(tr("Choose one of the open runs"))

    def _opened(self, index: int) -> None:
        title = places.run_title(self._desk.audit(index))
        self.addItem(tr("{number}. {title}", number=index + 1, title=title))
        self.setVisible(self.count() > 1)

    def _replaced(self, index: int) -> None:
        title = places.run_title(self._desk.audit(index))
        self.setItemText(index, tr("{number}. {title}", number=index + 1, title=title))

    def _closed(self) -> None:
        self.clear()
        self.hide()

    def _moved(self, place: Place) -> None:
        self.setCurrentIndex(place.run)
