"""Work in small steps, each in a turn of its own of the event loop: the window stays alive."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

__all__ = ["Turns"]

_NO_MORE = object()
_BUDGET = 0.004
"""Seconds of processor time after which a turn begins no further step."""


class Turns(QObject):
    """Goes through one series of steps at a time.

    A turn takes as many steps as fit into a few milliseconds, at least one;
    with *single* exactly one, for steps of which Qt does the larger part
    afterwards.
    """

    def __init__(self, owner: QObject, *, single: bool = False) -> None:
        super().__init__(owner)
        self._single = single
        self._steps: Iterator[None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)

    @property
    def complete(self) -> bool:
        """Whether every step that was begun is done."""
        return self._steps is None

    def begin(self, steps: Iterator[None]) -> None:
        """Do *steps* from the next turn on; what is left of others is dropped."""
        self._steps = steps
        self._timer.start()

    def finish(self) -> None:
        """Do all that is left now."""
        while self._step():
            pass

    def stop(self) -> None:
        """Do no more."""
        self._steps = None
        self._timer.stop()

    def _turn(self) -> None:
        until = time.thread_time() + _BUDGET
        while self._step():
            if self._single or time.thread_time() >= until:
                return

    def _step(self) -> bool:
        """Do one step, and tell whether there may be more."""
        steps = self._steps
        if steps is not None and next(steps, _NO_MORE) is not _NO_MORE:
            return True
        if self._steps is steps:  # unless the last step began another series
            self.stop()
        return self._steps is not None
