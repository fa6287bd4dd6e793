"""Where an event log is being read, and what is told about that place."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.builder import RunBuilder
from store.records.runs import OtherEvent, ProblemKind

__all__ = ["Log"]


@dataclass(slots=True)
class Log:
    """The place in a log: *file* names it in origins, *label* as the user named it."""

    builder: RunBuilder
    file: str = ""
    label: str = ""
    number: int = 0
    _others: set[tuple[str, str]] = field(default_factory=set)

    @property
    def origin(self) -> str:
        """The place as it stands in records."""
        return f"{self.file}:{self.number}"

    @property
    def where(self) -> str:
        """The place as it stands in problems."""
        return f"{self.label}:{self.number}"

    def lost(self, what: str) -> None:
        """Tell that something here could not be read."""
        self.builder.problem(self.where, what)

    def noted(self, what: str) -> None:
        """Tell what a person should know; nothing is lost."""
        self.builder.problem(self.where, what, ProblemKind.NOTED)

    def other(self, name: str, raw: str) -> None:
        """Keep what has no place in the records; what repeats in every call, once."""
        if (name, raw) not in self._others:
            self._others.add((name, raw))
            self.builder.other_events.append(OtherEvent(name, self.origin, raw))
