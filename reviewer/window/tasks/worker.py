"""The one thread that works for the window."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from reviewer.window.tasks import CancelledError, Operation

__all__ = ["Worker"]

_LOOK_EVERY = 15
"""Milliseconds between two looks at what the worker handed over, while it works."""
_BUDGET = 0.008
"""Seconds of one look that may go into handing values on; the rest waits for the next look."""
_SWITCH_INTERVAL = 0.001
"""Seconds after which the worker lets the interface thread have the interpreter."""

_Kind = Literal["progress", "done", "failed", "cancelled"]
_Box = deque[tuple[Operation, _Kind, Any]]


@dataclass(slots=True)
class _Lane:
    """One thread with its queue.  It is left behind when its work does not stop at once."""

    jobs: SimpleQueue[Operation | None] = field(default_factory=SimpleQueue)
    thread: threading.Thread | None = None


class Worker(QObject):
    """Does operations one after another, away from the interface thread.

    The thread puts what it hands over into a box that a timer looks into, so
    that it touches nothing of Qt.  The timer runs only while there is work.
    """

    busy_changed = Signal(bool)
    """Work began where there was none, or the last of it ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._box: _Box = deque()
        self._lane: _Lane | None = None
        self._waiting: list[Operation] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        self._switch_interval: float | None = None
        self.handed_over = 0
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether anybody waits for something."""
        return bool(self._waiting)

    @property
    def working(self) -> threading.Thread | None:
        """The thread that works at present, if one was needed yet."""
        return self._lane.thread if self._lane else None

    def run(self, operation: Operation) -> None:
        """Queue *operation*; one of the same kind that is not finished is cancelled.

        Behind `close` nothing is done any more.
        """
        if self._closed:
            return
        self.cancel(operation.kind)
        lane = self._lane or self._new_lane()
        lane.jobs.put(operation)
        self._waiting.append(operation)
        self._tell(was_busy=len(self._waiting) > 1)

    def cancel(self, kind: str) -> None:
        """Cancel what is not finished of *kind*: nothing of it is handed over from now on."""
        was_busy = self.busy
        cancelled = [each for each in self._waiting if each.kind == kind]
        for operation in cancelled:
            operation.token.cancel()
            self._waiting.remove(operation)
        if cancelled and not self._waiting:
            # Work that is deep in one large file may go on for a while: the next does not wait.
            self._leave_lane()
        self._tell(was_busy=was_busy)

    def finish(self, patience: float = 5.0) -> None:
        """Wait up to *patience* seconds until what was asked for is done, and hand it over."""
        thread = self._lane.thread if self._lane else None
        self._leave_lane()
        if thread is not None:
            thread.join(patience)
        while self._box:
            self._hand_over(*self._box.popleft())

    def close(self, patience: float = 2.0) -> None:
        """Cancel everything and wait up to *patience* seconds for the thread to end."""
        self._closed = True
        for operation in self._waiting:
            operation.token.cancel()
        self._waiting.clear()
        thread = self._lane.thread if self._lane else None
        self._leave_lane()
        if isValid(self._timer):  # at the end of the program Qt may have been there first
            self._timer.stop()
        if thread is not None:
            thread.join(patience)

    # -- the interface thread ----------------------------------------------------

    def _new_lane(self) -> _Lane:
        lane = _Lane()
        lane.thread = threading.Thread(
            target=_serve, args=(lane.jobs, self._box), name="reread-worker", daemon=True
        )
        if self._switch_interval is None:
            self._switch_interval = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH_INTERVAL)
        lane.thread.start()
        self._lane = lane
        return lane

    def _leave_lane(self) -> None:
        if self._lane is not None:
            self._lane.jobs.put(None)
            self._lane = None
        if self._switch_interval is not None:
            sys.setswitchinterval(self._switch_interval)
            self._switch_interval = None

    def _tell(self, *, was_busy: bool) -> None:
        if self.busy == was_busy:
            return
        if self.busy:
            self._timer.start()
        else:
            self._timer.stop()
        self.busy_changed.emit(self.busy)

    def _look(self) -> None:
        until = time.monotonic() + _BUDGET
        while self._box:
            self._hand_over(*self._box.popleft())
            if time.monotonic() >= until:
                return

    def _hand_over(self, operation: Operation, kind: _Kind, value: Any) -> None:  # noqa: ANN401 - whatever the work yields
        if operation not in self._waiting:
            return  # nobody waits for it any more
        self.handed_over += 1
        if kind == "progress":
            operation.progress(value)
            return
        self._waiting.remove(operation)
        self._tell(was_busy=True)
        if kind == "done":
            operation.done(value)
        elif kind == "failed":
            operation.failed(value)


def _serve(jobs: SimpleQueue[Operation | None], box: _Box) -> None:
    """Do what comes until nothing more comes; this runs in the worker thread."""
    while (operation := jobs.get()) is not None:
        if operation.token.cancelled:
            continue
        _do(operation, box)


def _do(operation: Operation, box: _Box) -> None:
    def hand_over(value: Any) -> None:  # noqa: ANN401 - whatever the work yields
        operation.token.check()
        box.append((operation, "progress", value))

    try:
        result = operation.work(operation.token, hand_over)
    except CancelledError:
        box.append((operation, "cancelled", None))
    except BaseException as error:  # noqa: BLE001 - a thread has nobody else to tell
        box.append((operation, "failed", error))
    else:
        box.append((operation, "done", result))
