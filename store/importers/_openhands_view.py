"""Which events of an OpenHands conversation the next request holds.

A condensation names the events that are forgotten from then on, and may give a
summary with the place at which it stands among those that are kept.  All that
was ever forgotten stays so; the last summary replaces those before it.  Facts
from the source of OpenHands (``openhands/memory/view.py``, and
``openhands/sdk/context/view.py`` of its SDK).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from store.importers._agent_run import AgentRun
from store.records.runs import Part, PartKind

__all__ = ["Condensed", "EventView"]


@dataclass(frozen=True, slots=True)
class Condensed:
    """One condensation: ids of the events that are forgotten, and the summary with its place."""

    forgotten: frozenset[str]
    summary: str = ""
    offset: int | None = None


@dataclass(slots=True)
class EventView:
    """Collects what events put into requests, and takes out what a condensation names."""

    agent: AgentRun
    condensations: int = 0
    _entries: list[tuple[set[str], int]] = field(default_factory=list)
    _forgotten: set[str] = field(default_factory=set)
    _summary: tuple[int, int] | None = None

    def add(self, event_id: str, role: str, parts: Iterable[Part], origin: str) -> int:
        """Take an event that is a message; return its index."""
        index = self.agent.builder.message(role, parts, origin)
        self._entries.append(({event_id}, index))
        return index

    def respond(self, event_id: str) -> None:
        """Take the response of the call that was added last."""
        self._entries.append(({event_id}, self.agent.builder.calls[-1].response[0]))

    def join(self, event_id: str) -> None:
        """Take a further event of the response that was taken last."""
        if self._entries:
            self._entries[-1][0].add(event_id)

    def held(self) -> list[int]:
        """Return the messages of the next request."""
        kept = [index for ids, index in self._entries if ids - self._forgotten]
        if self._summary is not None:
            offset, index = self._summary
            kept.insert(offset, index)
        return kept

    def condense(self, made: Condensed, origin: str) -> None:
        """Take a condensation."""
        self.condensations += 1
        self._forgotten |= made.forgotten
        if made.summary:
            part = Part(PartKind.SUMMARY, made.summary)
            index = self.agent.builder.message("user", [part], origin)
            self._summary = (0 if made.offset is None else made.offset, index)
        self.agent.compact(
            self.held(),
            origin,
            by="OpenHands",
            reason="the record names the events that were forgotten, and keeps their summary",
        )
