"""Which messages of a task a request held, and in which words.

Cline leaves out a range of messages and puts other words in place of blocks;
both are recorded with their time.  Roo Code marks the messages that a summary
or a cut stands for, and keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from store.importers._cline_task import Request, Task
from store.importers._wire import count, string
from store.records.grades import Grade

__all__ = ["View", "Views"]

_ALWAYS_KEPT: Final = 2
"""Cline keeps the task and the first answer, whatever it leaves out."""
_KEPT_BEHIND: Final = 3
"""Roo Code keeps so many messages behind a summary that it puts between messages."""

_RECORDED: Final = "the task records which messages were left out, and what was put in place"
_NO_FILE: Final = (
    "the file that tells what was left out of requests is missing: each call saw all before it"
)
_LOST: Final = (
    "recorded edits of the context cannot be read: which words stood in this request is not known"
)
_UNDATED: Final = (
    "other words were put in place of parts of these messages, and for which request is not "
    "recorded"
)
_UNCUT: Final = "when messages were hidden behind a cut is not recorded"
_UNPLACED: Final = "when a summary was made is not recorded; its place among the messages says it"
_TIMELESS: Final = "the messages carry no times, and earlier versions removed what they left out"


@dataclass(frozen=True, slots=True)
class View:
    """The messages of one request, by index; ``edits`` are other words for blocks of them."""

    messages: tuple[int, ...]
    edits: Mapping[tuple[int, int], str]
    grade: Grade
    reason: str


class Views:
    """Answers for each message of the model what its request held."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._marks = [
            at
            for at, message in enumerate(task.messages)
            if message.get("isSummary") is True or message.get("isTruncationMarker") is True
        ]
        self._by_index = {
            request.index: request for request in task.requests if request.index is not None
        }
        self._in_order = iter(task.requests) if not self._by_index else iter(())
        self.is_roo = any(
            key in message
            for message in task.messages
            for key in ("condenseParent", "truncationParent", "condenseId", "isSummary")
        )

    def is_mark(self, at: int) -> bool:
        """Return whether the client wrote the message in place of others."""
        return at in self._marks

    def request_of(self, at: int) -> Request | None:
        """Return what the screen was told of the request that message *at* answers."""
        if self._by_index:
            # The last message before it was the one before its own prompt.
            return self._by_index.get(at - 2, self._by_index.get(at - 1))
        return next(self._in_order, None)

    def view(self, at: int, request: Request | None) -> View:
        """Return what the request held that message *at* answers."""
        if self._marks:
            return self._marked(at)
        deleted = request.deleted if request is not None else None
        kept = [place for place in range(at) if not _left_out(place, deleted)]
        edits = self._edits(kept, request)
        if self._task.lost:
            return View(tuple(kept), edits, Grade.UNKNOWN, _LOST)
        if request is None and any(place in kept for place, _ in self._task.updates):
            return View(tuple(kept), edits, Grade.UNKNOWN, _UNDATED)
        if not self._task.has_ui:
            return View(tuple(kept), edits, Grade.INFERRED, _NO_FILE)
        return View(tuple(kept), edits, Grade.DERIVED, _RECORDED)

    def _edits(self, kept: list[int], request: Request | None) -> dict[tuple[int, int], str]:
        """Return the words that stand in place of blocks at this request.

        An edit carries the time of the request before the one it was made for.
        """
        if request is None or not self._task.updates:
            return {}
        there = set(kept)
        made = {}
        for (message, block), updates in self._task.updates.items():
            due = [update for update in updates if update.at < request.at]
            if due and message in there:
                made[message, block] = due[-1].text
        return made

    # -- Roo Code -----------------------------------------------------------------------

    def _marked(self, at: int) -> View:
        messages = self._task.messages
        timeless = not all("ts" in message for message in messages)
        known = {place: self._stands(place, at) for place in self._marks}
        active = [place for place, (stands, _) in known.items() if stands]
        there = [place for place in range(at) if place not in known or known[place][0]]
        names = {
            string(messages[place].get(key))
            for place in active
            for key in ("condenseId", "truncationId")
        }
        kept = [place for place in there if not self._is_folded(place, names)]
        fresh = [
            place
            for place in active
            if messages[place].get("isSummary") is True and messages[place].get("role") == "user"
        ]
        if fresh:
            kept = kept[kept.index(fresh[-1]) :] if fresh[-1] in kept else kept
        unsure = [place for place in self._marks if place < at and not known[place][1]]
        if timeless:
            return View(tuple(kept), {}, Grade.INFERRED, _TIMELESS)
        if any(messages[place].get("isTruncationMarker") is True for place in unsure):
            # A cut keeps as many messages as it likes, so that its place does not tell its time.
            return View(tuple(kept), {}, Grade.UNKNOWN, _UNCUT)
        if unsure:
            return View(tuple(kept), {}, Grade.INFERRED, _UNPLACED)
        return View(tuple(kept), {}, Grade.DERIVED, _RECORDED)

    def _stands(self, place: int, at: int) -> tuple[bool, bool]:
        """Return whether a summary stood before message *at* was asked for, and if that is sure."""
        message, messages = self._task.messages[place], self._task.messages
        name = string(message.get("condenseId")) or string(message.get("truncationId"))
        made = self._task.folded_at.get(name)
        asked = count(messages[at - 1].get("ts")) if at else None
        answered = count(messages[at].get("ts"))
        if made is not None and asked is not None and answered is not None:
            return made < answered, True
        if message.get("role") == "user" and message.get("isSummary") is True:
            return place < at, True
        return place + _KEPT_BEHIND < at, False

    def _is_folded(self, place: int, names: set[str]) -> bool:
        message = self._task.messages[place]
        parents = (string(message.get(key)) for key in ("condenseParent", "truncationParent"))
        return any(parent and parent in names for parent in parents)


def _left_out(place: int, deleted: tuple[int, int] | None) -> bool:
    return deleted is not None and _ALWAYS_KEPT <= place <= deleted[1]
