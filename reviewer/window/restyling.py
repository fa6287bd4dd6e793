"""Takes the colours of a new palette up where the style sheet is concerned.

A style sheet keeps the colours that it found in a palette for each widget until
the widget is polished again.  Doing that to every widget at once would hold the
window up: those that are seen come first, the others in turns of their own.
"""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

__all__ = ["restyle"]

_BUDGET = 0.008
"""Seconds of processor time of one turn."""
_NAME = "reread_restyler"


def restyle() -> None:
    """Polish every widget of the application, in a few turns of its event loop."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        found = app.findChild(_Restyler, _NAME)
        (found if found is not None else _Restyler(app)).begin()


class _Restyler(QObject):
    """Goes through the widgets, those that are seen first."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.setObjectName(_NAME)
        self._app = app
        self._left: deque[QWidget] = deque()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)

    def begin(self) -> None:
        self._left = deque(sorted(self._app.allWidgets(), key=QWidget.isHidden))
        self._timer.start()

    def _turn(self) -> None:
        until = time.thread_time() + _BUDGET
        while self._left and time.thread_time() < until:
            widget = self._left.popleft()
            if isValid(widget):
                style = widget.style()
                style.unpolish(widget)
                style.polish(widget)
                widget.update()
        if not self._left:
            self._timer.stop()
