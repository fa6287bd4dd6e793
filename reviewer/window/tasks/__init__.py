"""Work that is not done on the interface thread.

`Operation` says what is to be done, `Worker` does it.  The work is given plain
functions and gives back plain values: it never sees anything of Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any

__all__ = ["CancelToken", "CancelledError", "Operation"]


class CancelledError(Exception):
    """The work was told to stop, and stopped."""


class CancelToken:
    """Tells a piece of work that nobody waits for it any more; safe from any thread."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """Ask the work to stop at its next opportunity."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the work was asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise `CancelledError` where the work was asked to stop."""
        if self._event.is_set():
            raise CancelledError


def _nothing(_value: object) -> None:
    """Take a value and do nothing."""


Work = Callable[[CancelToken, Callable[[Any], None]], Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One piece of work.

    ``work`` is called in the worker thread with a token and with a function
    that hands over intermediate values.  ``progress`` gets these values,
    ``done`` the result and ``failed`` the error, all on the interface thread
    and in order; ``done`` also where the work came to its end although it was
    cancelled is not called.  A new operation of the same ``kind`` cancels the
    one before it.
    """

    kind: str
    work: Work
    done: Callable[[Any], None] = _nothing
    failed: Callable[[BaseException], None] = _nothing
    progress: Callable[[Any], None] = _nothing
    token: CancelToken = field(default_factory=CancelToken)
