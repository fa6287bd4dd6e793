"""Lets whoever waits for a run end the reading of it: what reads asks here before it goes on.

One place asks for all importers: the files they read, the builder they fill.
Nobody has to be told, and a new importer is stopped like the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["Stopped", "StoppedError", "asking", "go_on", "stoppable", "stopped_by"]

_T = TypeVar("_T")

Stopped = Callable[[], bool]
"""Answers whether nobody waits any more; asked often, from the thread that reads."""


class StoppedError(BaseException):
    """Nobody waits for what is being read.

    No `Exception`: what goes on whatever is wrong with an input must not go on after this.
    """


def _never() -> bool:
    return False


_stopped: ContextVar[Stopped] = ContextVar("stopped", default=_never)


def stoppable(items: Iterator[_T], stopped: Stopped) -> Iterator[_T]:
    """Yield *items*, and let what makes each of them ask *stopped*."""
    while True:
        token = _stopped.set(stopped)
        try:
            item = next(items)
        except StopIteration:
            return
        finally:
            _stopped.reset(token)
        yield item


@contextmanager
def stopped_by(stopped: Stopped) -> Iterator[None]:
    """Let all that is done inside ask *stopped*, but for what `stoppable` makes."""
    token = _stopped.set(stopped)
    try:
        yield
    finally:
        _stopped.reset(token)


def go_on() -> None:
    """Go on, unless nobody waits any more.  Raises `StoppedError`."""
    if _stopped.get()():
        raise StoppedError


def asking(stopped: Stopped) -> Callable[[], None]:
    """Return what raises `StoppedError` as soon as *stopped* says so."""

    def ask() -> None:
        if stopped():
            raise StoppedError

    return ask
