"""The files of a Cline or Roo Code task: messages, what the screen was told, and recorded edits.

Format facts: cline/cline, ``src/core/context/context-management`` and
``src/core/storage/disk.ts``; RooCodeInc/Roo-Code, ``src/core/condense`` and
``src/core/task-persistence``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from store import jsonin
from store.importers import _files
from store.importers._json_lines import too_deep
from store.importers._wire import count, items, mapping, members, string
from store.records.runs import Problem, ProblemKind, Usage

__all__ = ["HISTORY", "Request", "Task", "Update", "load_beside"]

HISTORY: Final = "api_conversation_history.json"
_UI: Final = ("ui_messages.json", "claude_messages.json")
_EDITS: Final = "context_history.json"
_META: Final = "task_metadata.json"


@dataclass(frozen=True, slots=True)
class Update:
    """Another text for one block of one message, from the request after *at* on."""

    at: int
    text: str


@dataclass(slots=True)
class Request:
    """A request as the screen was told of it.

    ``index`` is the last message before it, ``deleted`` the messages that it
    left out, both ends among them.  ``end`` is when the next one began.
    """

    at: int
    index: int | None = None
    deleted: tuple[int, int] | None = None
    usage: Usage = field(default_factory=Usage)
    cancelled: str = ""


@dataclass(slots=True)
class Task:
    """What the files of a task hold.

    ``has_ui`` says that what the screen was told could be read, ``lost`` that
    recorded edits of the context are there and could not be.
    """

    messages: list[Mapping[str, object]]
    requests: list[Request] = field(default_factory=list)
    updates: dict[tuple[int, int], list[Update]] = field(default_factory=dict)
    folded_at: dict[str, int] = field(default_factory=dict)
    models: list[tuple[int, str]] = field(default_factory=list)
    title: str = ""
    has_ui: bool = False
    lost: bool = False
    problems: list[Problem] = field(default_factory=list)

    def model_at(self, at: int) -> str:
        """Return the model that was in use at this moment."""
        return next((name for since, name in reversed(self.models) if since <= at), "")


def load_beside(task: Task, folder: Path, label: str) -> None:
    """Take the other files of the task from its *folder*, as far as they are there."""
    names = _files.names_in(folder)
    for name in _UI:
        if name in names:
            told = _json(task, folder / name, f"{label}/{name}")
            _screen(task, list(members(told)))
            task.has_ui = isinstance(told, list)
            break
    if _EDITS in names:
        told = _json(task, folder / _EDITS, f"{label}/{_EDITS}")
        task.lost = not isinstance(told, list)
        _edits(task, told)
    if _META in names:
        used = mapping(_json(task, folder / _META, f"{label}/{_META}")).get("model_usage")
        for entry in members(used):
            held = (string(entry.get("model_provider_id")), string(entry.get("model_id")))
            task.models.append((count(entry.get("ts")) or 0, "/".join(filter(None, held))))


def _json(task: Task, path: Path, label: str) -> object:
    try:
        with _files.open_regular(path) as file:
            data = file.read()
        value = jsonin.loads(data)
    except (OSError, jsonin.JsonError) as error:
        what = f"cannot be read ({error}); what it says of requests is missing"
        task.problems.append(Problem(_files.shown(label), what))
        return None
    if too_deep(data, value):
        what = "is nested too deeply to be read; what it says of requests is missing"
        task.problems.append(Problem(_files.shown(label), what))
        return None
    return value


# -- what the screen was told -------------------------------------------------------------


def _screen(task: Task, told: Sequence[Mapping[str, object]]) -> None:
    for message in told:
        kind, at = string(message.get("say")), count(message.get("ts")) or 0
        if kind == "task" and not task.title:
            task.title = string(message.get("text")).strip().partition("\n")[0][:200]
        if task.requests:
            # The range that a request leaves out is told with what is said after it.
            deleted = _range(message.get("conversationHistoryDeletedRange"))
            task.requests[-1].deleted = deleted or task.requests[-1].deleted
        if kind == "api_req_started":
            task.requests.append(_request(message, at, task.requests))
        for key, name in (("contextCondense", "condenseId"), ("contextTruncation", "truncationId")):
            folded = string(mapping(message.get(key)).get(name))
            if folded:
                task.folded_at[folded] = at


def _request(message: Mapping[str, object], at: int, before: Sequence[Request]) -> Request:
    about = _object(string(message.get("text")))
    fresh, written, read = (
        count(about.get(key)) for key in ("tokensIn", "cacheWrites", "cacheReads")
    )
    known = [value for value in (fresh, written, read) if value is not None]
    deleted = _range(message.get("conversationHistoryDeletedRange"))
    return Request(
        at=at,
        index=_place(message.get("conversationHistoryIndex")),
        deleted=deleted or (before[-1].deleted if before else None),
        usage=Usage(sum(known) if known else None, count(about.get("tokensOut")), read, written),
        cancelled=string(about.get("cancelReason")),
    )


def _object(text: str) -> Mapping[str, object]:
    try:
        value = jsonin.loads(text.encode("utf-8", "surrogatepass")) if text else None
    except jsonin.JsonError:
        return {}
    return mapping(value)


def _place(value: object) -> int | None:
    """Return an index, or -1 for "before the first message"."""
    return -1 if value == -1 else count(value)


def _range(value: object) -> tuple[int, int] | None:
    match value:
        case [int() as first, int() as last] if 0 <= first <= last < 1 << 31:
            return first, last
    return None


# -- recorded edits -----------------------------------------------------------------------------


def _edits(task: Task, value: object) -> None:
    """Take ``[[message, [kind, [[block, [[time, type, [text], …]]]]]]]``."""
    damaged = 0
    for message, inner in _pairs(value):
        for block, updates in _pairs(items(inner)[1] if len(items(inner)) > 1 else None):
            made = list(_updates(updates))
            damaged += len(items(updates)) - len(made)
            if made:
                task.updates[message, block] = sorted(made, key=lambda one: one.at)
    if damaged:
        task.lost = True
        what = f"{damaged} recorded edits of the context are of a kind that is not known"
        task.problems.append(Problem(_EDITS, what, ProblemKind.LOST))


def _pairs(value: object) -> Iterator[tuple[int, object]]:
    for each in items(value):
        pair = items(each)
        place = count(pair[0]) if len(pair) > 1 else None
        if place is not None:
            yield place, pair[1]


def _updates(value: object) -> Iterator[Update]:
    for each in items(value):
        match each:
            case [int() as at, "text", [str() as text, *_], *_]:
                yield Update(at, text)
