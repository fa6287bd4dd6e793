"""In which requests each message stands, computed from what changed between calls.

Cost: the length of the changes, not of the requests.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from store.records.runs import Call

__all__ = ["Cell", "Residency", "Stay"]


class Cell(IntEnum):
    """How a version or source stands in one request; the greater holds where several do.

    A listing without a preview puts nothing of a body into a request, so what
    is merely listed is ``ABSENT`` here.
    """

    ABSENT = 0
    PLACEHOLDER = 1
    PREVIEW = 2
    PARTIAL = 3
    FULL = 4


@dataclass(frozen=True, slots=True, order=True)
class Stay:
    """Calls ``first`` to ``last``, both included, whose requests hold a message."""

    first: int
    last: int


class Residency:
    """Which calls' requests hold which messages."""

    __slots__ = ("_stays", "last_call")

    def __init__(self, calls: Sequence[Call], messages: int) -> None:
        open_since: dict[int, int] = {}
        count: dict[int, int] = {}
        held: list[int] = []
        stays: list[list[Stay]] = [[] for _ in range(messages)]
        for call in calls:
            gone: list[int] = []
            come: list[int] = []
            for splice in reversed(call.splices):
                gone += held[splice.start : splice.stop]
                come += splice.messages
                held[splice.start : splice.stop] = splice.messages
            for message in come:
                count[message] = count.get(message, 0) + 1
                if count[message] == 1:
                    open_since.setdefault(message, call.index)
            for message in gone:
                count[message] -= 1
            for message in gone:
                if not count[message] and message in open_since:
                    since = open_since.pop(message)
                    if since < call.index:
                        stays[message].append(Stay(since, call.index - 1))
        self.last_call = calls[-1].index if calls else 0
        for message, since in open_since.items():
            stays[message].append(Stay(since, self.last_call))
        self._stays = tuple(tuple(sorted(found)) for found in stays)

    def stays(self, message: int) -> tuple[Stay, ...]:
        """Return the stays of *message*, in order."""
        return self._stays[message]

    def holds(self, call: int, message: int) -> bool:
        """Return whether the request of *call* holds *message*."""
        stays = self._stays[message]
        place = bisect_right(stays, call, key=lambda stay: stay.first) - 1
        return place >= 0 and call <= stays[place].last

    def first(self, message: int) -> int | None:
        """Return the first call that holds *message*, ``None`` if none does."""
        stays = self._stays[message]
        return stays[0].first if stays else None

    def calls(self, messages: Iterable[int], until: int) -> tuple[int, ...]:
        """Return the calls up to *until* that hold any of *messages*, ascending."""
        return tuple(sorted(set(self._calls(messages, until))))

    def last_before(self, messages: Iterable[int], call: int) -> int | None:
        """Return the last call before *call* that holds any of *messages*."""
        ends = [
            min(stay.last, call - 1)
            for message in messages
            for stay in self._stays[message]
            if stay.first < call
        ]
        return max(ends, default=None)

    def _calls(self, messages: Iterable[int], until: int) -> Iterator[int]:
        for message in messages:
            for stay in self._stays[message]:
                yield from range(stay.first, min(stay.last, until) + 1)
