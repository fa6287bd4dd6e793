"""Watches how long the interface thread is held by each event it handles.

`WatchedApplication` measures the processor time of every event from outside:
what the event sends on its way belongs to it.  Processor time, not the clock:
other programs of the machine do not count.  They still take the caches and the
clock rate, so a step that seems too long is weighed by `slowness` at that moment.
The tests of the window run under it, and one with a step above `LIMIT`
milliseconds fails.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

__all__ = ["LIMIT", "Held", "WatchedApplication", "Watcher"]

T = TypeVar("T")

LIMIT = float(os.environ.get("REREAD_WATCH") or 50)
"""Milliseconds of processor time that no step may take."""


_AT_ONCE = 12
"""How many times the yardstick is laid on when it is asked how slow the machine is."""


def _yardstick() -> float:
    """Return the processor milliseconds of a piece of work that is always the same."""
    start = time.thread_time()
    sorted({str(number): number for number in range(4000)})
    return (time.thread_time() - start) * 1e3


def slowness(best: float, yardstick: Callable[[], float] = _yardstick) -> float:
    """Return how many times slower than *best* the same work is now, in three of four cases."""
    taken = sorted(yardstick() for _ in range(_AT_ONCE))
    return max(1.0, taken[_AT_ONCE * 3 // 4] / best)


@dataclass(frozen=True, slots=True, order=True)
class Held:
    """One event that held the thread for so many milliseconds, and what it was."""

    milliseconds: float
    event: str
    receiver: str
    during: str = ""

    def __str__(self) -> str:
        return f"{self.milliseconds:.0f} ms: {self.event} to {self.receiver} ({self.during})"


class Watcher:
    """Keeps the steps above ``least`` milliseconds, the longest step and their number."""

    best = min(_yardstick() for _ in range(50))
    """What the yardstick takes where nothing else disturbs, in milliseconds."""

    def __init__(self, least: float = LIMIT) -> None:
        self.least = least
        self.during = ""
        self.held: list[Held] = []
        self.longest = 0.0
        self.steps = 0

    def begin(self, during: str) -> None:
        """Forget what was seen; from now on it belongs to *during*."""
        self.during = during
        self.held = []
        self.longest = 0.0
        self.steps = 0

    def saw(self, milliseconds: float, receiver: QObject, event_name: str) -> None:
        """Take one step."""
        self.steps += 1
        self.longest = max(self.longest, milliseconds)
        if milliseconds > self.least:
            name = f"{type(receiver).__name__} {receiver.objectName()}".strip()
            self.held.append(Held(milliseconds, event_name, name, self.during))

    def do(self, work: Callable[[], object]) -> None:
        """Do *work* as an event of its own, as a key or a click would."""
        QTimer.singleShot(0, work)


class WatchedApplication(QApplication):
    """An application whose ``watcher``, while it has one, sees every event."""

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self.watcher: Watcher | None = None
        self._deep = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Handle an event and measure it, unless it is sent by another one."""
        kind = event.type()  # the event is gone when it was handled
        return self.measured(receiver, kind, partial(super().notify, receiver, event))

    def measured(self, receiver: QObject, kind: object, work: Callable[[], T]) -> T:
        """Do *work* and measure it, unless it is part of something that is measured."""
        watcher = self.watcher
        if watcher is None or self._deep:
            return work()
        self._deep += 1
        start = time.thread_time()
        try:
            return work()
        finally:
            self._deep -= 1
            spent = (time.thread_time() - start) * 1e3
            if spent > watcher.least:
                spent /= slowness(watcher.best)
            if spent > watcher.least:
                watcher.saw(spent, receiver, getattr(kind, "name", str(kind)))
            else:
                watcher.steps += 1
                watcher.longest = max(watcher.longest, spent)
