"""The expanded request of any call, without walking every call before it each time."""

from __future__ import annotations

from collections.abc import Sequence

from store.records.runs import Call, Run

__all__ = ["Requests", "forget_requests", "request_of", "requests_of"]

_EVERY = 64
"""Calls between two requests that are kept expanded."""
_RUNS = 4
"""Runs whose requests are kept."""


class Requests:
    """The requests of the calls of one run, as indexes into `Run.messages`.

    ``walked`` counts the calls whose splices were applied so far.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self.walked = 0
        self._kept: list[tuple[int, ...]] = [()]

    def request(self, call: int) -> tuple[int, ...]:
        """Return the request of *call*, from 1; empty where there is no such call."""
        if not 1 <= call <= len(self.calls):
            return ()
        near = min(call // _EVERY, len(self._kept) - 1)
        held = list(self._kept[near])
        for at in range(near * _EVERY, call):
            if at and at % _EVERY == 0 and at // _EVERY == len(self._kept):
                self._kept.append(tuple(held))
            for splice in reversed(self.calls[at].splices):
                held[splice.start : splice.stop] = splice.messages
            self.walked += 1
        return tuple(held)


_held: list[Requests] = []


def requests_of(run: Run) -> Requests:
    """Return the requests of *run*; those of the runs asked last are kept."""
    found = next((one for one in _held if one.calls is run.calls), None) or Requests(run.calls)
    # A new list each time: the worker may ask at the same moment.
    _held[:] = [found, *(one for one in _held if one is not found)][:_RUNS]
    return found


def forget_requests() -> None:
    """Keep nothing of any run: all of them were closed."""
    _held.clear()


def request_of(run: Run, call: int) -> tuple[int, ...]:
    """Return the request of *call*, from 1, as indexes into ``run.messages``."""
    return requests_of(run).request(call)
