"""One session of opencode as a run: each step of the model with the request it was given.

What the client sends follows from the records (``session/message-v2.ts``): the
messages since the last compaction, results that were cleared by then with
other words in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_files import SavedFiles
from store.importers._agent_run import ORPHAN, AgentRun
from store.importers._fields import compact
from store.importers._moments import moment
from store.importers._opencode_records import Message, Session
from store.importers._wire import count, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, Run, Usage

__all__ = ["session_run"]

CLEARED: Final = "[Old tool result content cleared]"
_INTERRUPTED: Final = "[Tool execution was interrupted]"
_ASKED: Final = "What did we do so far?"
_RULE: Final = "the record holds every message and part, and when a result was cleared"
_SUMMARISED: Final = 2000
"""So many characters of each result are in what a call that summarises is given."""
_SUMMARY: Final = (
    "a call that summarises is given the messages before it, results cut to 2,000 characters, "
    "and an instruction that is not recorded"
)
_TIMELESS: Final = "the record does not say when its messages were made, nor who speaks in them"
_NOT_SENT: Final = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "file"}
)


def session_run(session: Session, builder: RunBuilder, saved: SavedFiles | None = None) -> Run:
    """Return the run of *session*; *builder* holds its identity."""
    return _Walk(session, builder, saved).run()


class _Walk:
    """Goes through the messages of a session once."""

    def __init__(self, session: Session, builder: RunBuilder, saved: SavedFiles | None) -> None:
        self._messages = session.ordered()
        self._agent = AgentRun(builder, string(session.info.get("directory")), saved)
        self._builder = builder
        self._cleared: list[tuple[int, str]] = []
        self._owners: list[str] = []
        self._asked_to_compact: dict[str, Message] = {}

    def run(self) -> Run:
        for message in self._messages:
            if message.role == "assistant":
                self._assistant(message)
            else:
                self._user(message)
        return self._agent.finish()

    # -- the user's side -------------------------------------------------------------------

    def _user(self, message: Message) -> None:
        parts: list[Part] = []
        for part in message.ordered():
            kind = string(part.get("type"))
            if kind == "text" and part.get("ignored") is not True:
                parts.append(Part(PartKind.TEXT, string(part.get("text"))))
            elif kind == "file" and not _as_text(part):
                parts.append(_media(part))
            elif kind == "compaction":
                self._asked_to_compact[message.id] = message
                parts.append(Part(PartKind.TEXT, _ASKED, status="reconstructed"))
            elif kind == "subtask":
                text = "The following tool was executed by the user"
                parts.append(Part(PartKind.TEXT, text, status="reconstructed"))
            elif kind not in {"text", *_NOT_SENT}:
                self._other(part, message)
        if parts:
            self._agent.say("user", parts, message.origin)
            self._own(message)

    def _own(self, message: Message) -> None:
        """Note that what was added to the request is this message's."""
        self._owners += [message.id] * (len(self._agent.held) - len(self._owners))

    def _other(self, part: Mapping[str, object], message: Message) -> None:
        name = f"part/{string(part.get('type')) or 'without a type'}"
        self._builder.other_events.append(OtherEvent(name, message.origin, compact(part)))

    # -- the model's side --------------------------------------------------------------------

    def _assistant(self, message: Message) -> None:
        path = mapping(message.info.get("path"))
        self._agent.cwd = string(path.get("cwd")) or self._agent.cwd
        self._clear(message)
        before = len(self._agent.held)
        steps = _steps(message.ordered())
        for place, step in enumerate(steps):
            self._step(message, step, last=place == len(steps) - 1)
        if message.info.get("error") and not _is_kept(message):
            # What failed is not sent again.
            del self._agent.held[before:]
        self._own(message)
        if _is_summary(message) and self._stands(message):
            self._compact(message)

    def _step(self, message: Message, step: Sequence[Mapping[str, object]], *, last: bool) -> None:
        info = message.info
        parts = [part for each in step for part in self._written(each, message)]
        finish = next((each for each in step if each.get("type") == "step-finish"), {})
        tools = [each for each in step if each.get("type") == "tool"]
        grade, reason = self._grade(message)
        held = list(self._agent.held)
        model = filter(None, (string(info.get("providerID")), string(info.get("modelID"))))
        self._agent.call(
            parts,
            message.origin,
            request=self._shortened(held) if _is_summary(message) else None,
            id=message.id,
            model="/".join(model),
            grade=grade,
            grade_reason=reason,
            usage=_usage(mapping(finish.get("tokens")) or mapping(info.get("tokens"))),
            finish_reason=string(finish.get("reason")) or string(info.get("finish")),
            error=_error(info) if last else "",
            settings=_settings(info),
            at=moment(message.created),
        )
        # What is shortened for a summary stays as it was for the calls after it.
        self._agent.held[: len(held)] = held
        for each in tools:
            self._result(each, message)

    def _shortened(self, held: Sequence[int]) -> list[int]:
        """Return the messages as a call that summarises is given them: results cut short."""
        made = []
        for index in held:
            message = self._builder.messages[index]
            parts = [
                replace(part, text=f"{part.text[:_SUMMARISED]}\n[truncated]")
                if part.kind is PartKind.TOOL_RESULT and len(part.text) > _SUMMARISED
                else part
                for part in message.parts
            ]
            made.append(self._builder.message(message.role, parts, message.origin))
        return made

    def _written(self, part: Mapping[str, object], message: Message) -> list[Part]:
        kind = string(part.get("type"))
        if kind == "text":
            shape = PartKind.SUMMARY if _is_summary(message) else PartKind.TEXT
            return [Part(shape, string(part.get("text")))]
        if kind == "reasoning":
            return [Part(PartKind.REASONING, string(part.get("text")))]
        if kind == "tool":
            arguments = compact(mapping(part.get("state")).get("input"))
            name, call_id = string(part.get("tool")), string(part.get("callID"))
            return [Part(PartKind.TOOL_CALL, arguments, call_id, name)]
        if kind not in _NOT_SENT:
            self._other(part, message)
        return []

    def _result(self, part: Mapping[str, object], message: Message) -> None:
        state, call_id = mapping(part.get("state")), string(part.get("callID"))
        status = string(state.get("status"))
        text, failed = string(state.get("output")), False
        if status == "error":
            text, failed = string(state.get("error")), True
        elif status != "completed":
            text, failed = _INTERRUPTED, True
        cut = mapping(state.get("metadata"))
        made = self._agent.result(
            call_id,
            text,
            message.origin,
            status="error" if failed else "",
            side_file=string(cut.get("outputPath")),
        )
        media = [_media(each, call_id) for each in members(state.get("attachments"))]
        self._agent.say("tool", [made, *media], message.origin)
        at = count(mapping(state.get("time")).get("compacted"))
        if at is not None:
            self._cleared.append((at, call_id))

    # -- what changes the request --------------------------------------------------------------

    def _clear(self, message: Message) -> None:
        """Put the client's words in place of what was cleared before this message was made."""
        due = [call_id for at, call_id in self._cleared if at <= message.created]
        if not due:
            return
        self._cleared = [one for one in self._cleared if one[1] not in due]
        reason = "the part of each result records when it was cleared"
        self._agent.clear(due, CLEARED, message.origin, by="opencode", reason=reason)

    def _stands(self, summary: Message) -> bool:
        """Return whether the client takes a summary for what was before it.

        One that was asked for counts when it ended, and what it keeps has to be
        there; before that could be asked for, one counted as it stood.
        """
        asked = self._asked_to_compact.get(string(summary.info.get("parentID")))
        if asked is None:
            return True
        first = _first_kept(asked)
        found = not first or any(one.id == first for one in self._messages)
        return bool(summary.info.get("finish")) and found

    def _compact(self, summary: Message) -> None:
        """Let the next requests hold the summary, and of what was before what the record keeps."""
        asked = self._asked_to_compact.get(string(summary.info.get("parentID")))
        named = [*([asked.id] if asked else []), summary.id]
        wanted = [*named, *(self._tail(asked) if asked else [])]
        places = [
            place for name in wanted for place, owner in enumerate(self._owners) if owner == name
        ]
        held = [self._agent.held[place] for place in places]
        self._owners = [self._owners[place] for place in places]
        reason = "a recorded summary stands for the messages before it"
        self._agent.compact(held, summary.origin, by="opencode", reason=reason)

    def _tail(self, asked: Message) -> list[str]:
        """Return the messages before a compaction that it says are kept as they were."""
        first = _first_kept(asked)
        order = [one.id for one in self._messages]
        start, end = (order.index(name) if name in order else 0 for name in (first, asked.id))
        return order[start:end] if first in order else []

    def _grade(self, message: Message) -> tuple[Grade, str]:
        if not self._agent.held:
            return Grade.UNKNOWN, ORPHAN
        if not message.info:
            return Grade.INFERRED, _TIMELESS
        if _is_summary(message):
            return Grade.INFERRED, _SUMMARY
        return Grade.DERIVED, _RULE


def _steps(parts: Sequence[Mapping[str, object]]) -> list[list[Mapping[str, object]]]:
    """Divide the parts of a message at each start of a step: each is one call of the model."""
    steps: list[list[Mapping[str, object]]] = [[]]
    for part in parts:
        if part.get("type") == "step-start" and any(
            each.get("type") not in {"step-start", "snapshot"} for each in steps[-1]
        ):
            steps.append([])
        steps[-1].append(part)
    return steps


def _is_summary(message: Message) -> bool:
    info = message.info
    done = bool(info.get("finish")) or "finish" not in info
    return info.get("summary") is True and not info.get("error") and done


def _first_kept(asked: Message) -> str:
    """Return the first message that a compaction keeps as it was; empty where it keeps none."""
    part = next(each for each in asked.ordered() if each.get("type") == "compaction")
    return string(part.get("tail_start_id"))


def _is_kept(message: Message) -> bool:
    """Return whether a failed message is sent again: it was stopped, and had said something."""
    name = string(mapping(message.info.get("error")).get("name"))
    said = any(
        part.get("type") not in {"step-start", "reasoning"} for part in message.parts.values()
    )
    return name == "MessageAbortedError" and said


def _error(info: Mapping[str, object]) -> str:
    error = mapping(info.get("error"))
    text = string(mapping(error.get("data")).get("message"))
    return ": ".join(filter(None, (string(error.get("name")), text)))


def _settings(info: Mapping[str, object]) -> dict[str, object]:
    names = ("agent", "mode", "variant")
    return {name: info[name] for name in names if isinstance(info.get(name), str)}


def _usage(tokens: Mapping[str, object]) -> Usage:
    cache = mapping(tokens.get("cache"))
    fresh, read, write = (
        count(tokens.get("input")),
        count(cache.get("read")),
        count(cache.get("write")),
    )
    known = [value for value in (fresh, read, write) if value]
    # A provider that reports nothing leaves zeros, which is no report.
    return Usage(sum(known), count(tokens.get("output")), read, write) if known else Usage()


def _as_text(part: Mapping[str, object]) -> bool:
    """Return whether a file's text stands in a part of its own, so that this one is not sent."""
    return part.get("mime") in {"text/plain", "application/x-directory"}


def _media(part: Mapping[str, object], call_id: str = "") -> Part:
    mime, url = string(part.get("mime")), string(part.get("url"))
    kind = PartKind.IMAGE if mime.startswith("image/") else PartKind.OPAQUE
    size = len(url.partition(",")[2]) * 3 // 4 if url.startswith("data:") else 0
    name = string(part.get("filename")) or mime
    return Part(kind, tool_call_id=call_id, name=name, opaque_bytes=size)
