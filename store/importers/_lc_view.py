"""What the next request holds, while the messages of a state are added one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.records.runs import Splice

__all__ = ["Compaction", "View", "unplaced_summary"]

_HISTORY = "## Summarized at "
"""How deepagents begins each part of the file that keeps the messages it summarised."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A recorded summary: from state message *created* on it stands for those before *cutoff*."""

    cutoff: int
    created: int
    message: object

    @staticmethod
    def of(state: Mapping[str, object]) -> Compaction | None:
        """Return the last summary that a deepagents state records; it keeps no earlier one."""
        event = state.get("_summarization_event")
        if not isinstance(event, dict):
            return None
        cutoff, created = event.get("cutoff_index"), event.get("created_at_index")
        if not (isinstance(cutoff, int) and isinstance(created, int)) or cutoff > created:
            return None
        return Compaction(cutoff, created, event.get("summary_message"))


def unplaced_summary(state: Mapping[str, object]) -> str:
    """Return why no request of a state can be told: it was summarised, and it is not said where."""
    if Compaction.of(state) is not None:
        return ""
    if state.get("_summarization_event") is not None:
        return "the state records a summary, but not which messages it stands for"
    files = state.get("files")
    for path, file in (files if isinstance(files, dict) else {}).items():
        content = file.get("content") if isinstance(file, dict) else file
        first = content[0] if isinstance(content, list) and content else content
        if isinstance(first, str) and first.startswith(_HISTORY):
            return f"{path} shows that messages were summarised; from which call on is not recorded"
    return ""


@dataclass(slots=True)
class View:
    """The messages that the next request holds, with the place of each in the state."""

    held: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    count: int = 0
    _sent: int | None = 0

    def append(self, message: int) -> None:
        """Add the next message of the state."""
        self.held.append(message)
        self.states.append(self.count)
        self.count += 1

    def skip(self) -> None:
        """Count a member of the state that is no message."""
        self.count += 1

    def compact(self, cutoff: int, summary: int) -> int:
        """Put *summary* in place of the messages before *cutoff*; return how many went."""
        gone = sum(state < cutoff for state in self.states)
        self.held[:gone] = [summary]
        self.states[:gone] = [-1]
        self._sent = None
        return gone

    def sent(self) -> tuple[Splice, ...] | None:
        """Return what the request adds to the one before; it counts as sent from now on.

        ``None`` where more than that changed: the request is then `held`.
        """
        before, self._sent = self._sent, len(self.held)
        if before is None:
            return None
        new = tuple(self.held[before:])
        return (Splice(before, before, new),) if new else ()
