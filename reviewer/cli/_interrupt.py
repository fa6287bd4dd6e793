"""Ctrl+C: remembered, so that none is lost on the way to where it ends the work."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """Raises `KeyboardInterrupt` at Ctrl+C like Python itself, and remembers that it was asked.

    What is raised may never arrive: Python drops it where it comes up in a
    callback of the garbage collector, of a weak reference (importing a module
    has one) or of C code.  ``asked`` stays, and what asks whether to go on is
    told then.  A context manager, of no effect outside the main thread and
    where Ctrl+C is ignored or somebody else's.  With *last* nothing of the
    process comes after it: there Ctrl+C can only spoil the exit status.
    """

    def __init__(self, *, last: bool = False) -> None:
        self.asked = False
        self._last = last
        self._mine = False

    def __call__(self) -> bool:
        return self.asked

    def __enter__(self) -> Self:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take)
            self._mine = True
        return self

    def __exit__(self, *_: object) -> None:
        # The window has its own way with Ctrl+C and keeps it.
        if self._mine and signal.getsignal(signal.SIGINT) == self._take:
            after = signal.SIG_IGN if self._last else signal.default_int_handler
            signal.signal(signal.SIGINT, after)
        if self.asked:
            # Python takes a Ctrl+C in the middle of an `exec` (every dataclass is made by one)
            # for one that nobody caught, and would end by the signal: the next one clears that.
            exec("")  # noqa: S102 - nothing is executed

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.default_int_handler(number, frame)
