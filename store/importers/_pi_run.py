"""One branch of a pi session as a run: each answer of the model with the request it was given.

What the client sends follows from the entries (pi-mono, ``packages/coding-agent``,
``session-manager.ts`` and ``messages.ts``): those on the way from the root, and
after a compaction its summary and the entries from the first it kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_run import ORPHAN, AgentRun
from store.importers._fields import compact
from store.importers._moments import moment
from store.importers._wire import count, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, Run, Usage

__all__ = ["Entry", "branch_run"]

_RULE: Final = "the session holds every message, and a compaction what it keeps"
_PRUNED: Final = (
    "the session holds every message, but its program may have cut results while it built the "
    "request, which no record shows"
)
_AROUND: Final = {
    "compaction": (
        (
            "The conversation history before this point was compacted into the following summary:"
            "\n\n<summary>\n"
        ),
        "\n</summary>",
    ),
    "branch_summary": (
        (
            "The following is a summary of a branch that this conversation came back from:"
            "\n\n<summary>\n"
        ),
        "</summary>",
    ),
}
"""The client's words before and after a recorded summary."""
_RECONSTRUCTED: Final = "reconstructed"
"""Status of words that are in no record and follow from it."""
_SILENT: Final = frozenset({"label", "session_info", "custom", "session"})


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One line of a session in its tree."""

    id: str
    parent: str
    origin: str
    data: Mapping[str, object]

    @property
    def type(self) -> str:
        """What it is."""
        return string(self.data.get("type"))

    @property
    def message(self) -> Mapping[str, object]:
        """The message that it holds."""
        return mapping(self.data.get("message"))

    @property
    def is_call(self) -> bool:
        """Whether the model wrote it."""
        return self.type == "message" and self.message.get("role") == "assistant"


def branch_run(builder: RunBuilder, entries: Sequence[Entry], *, pruned: bool, cwd: str) -> Run:
    """Return the run of the *entries* of one branch; *pruned* where a program cuts in memory."""
    return _Walk(builder, pruned=pruned, cwd=cwd).run(entries)


class _Walk:
    """Goes along a branch once."""

    def __init__(self, builder: RunBuilder, *, pruned: bool, cwd: str) -> None:
        self._agent = AgentRun(builder, cwd)
        self._pruned = pruned
        self._owners: list[str] = []
        self._model = self._thinking = ""

    def run(self, entries: Sequence[Entry]) -> Run:
        for entry in entries:
            self._take(entry)
            self._owners += [entry.id] * (len(self._agent.held) - len(self._owners))
        return self._agent.finish()

    def _take(self, entry: Entry) -> None:
        kind = entry.type
        if kind == "message":
            self._message(entry)
        elif kind == "compaction":
            self._compact(entry)
        elif kind == "branch_summary":
            self._summary(entry)
        elif kind == "custom_message":
            self._agent.say("user", _parts(entry.data.get("content")), entry.origin)
        elif kind == "model_change":
            names = (string(entry.data.get("provider")), string(entry.data.get("modelId")))
            self._model = "/".join(filter(None, names))
        elif kind == "thinking_level_change":
            self._thinking = string(entry.data.get("thinkingLevel"))
        elif kind not in _SILENT:
            event = OtherEvent(kind or "record without a type", entry.origin, compact(entry.data))
            self._agent.builder.other_events.append(event)

    def _message(self, entry: Entry) -> None:
        message, role = entry.message, string(entry.message.get("role"))
        content = message.get("content")
        if role == "assistant":
            self._call(entry)
        elif role == "toolResult":
            self._result(entry)
        elif role == "bashExecution":
            self._ran(entry)
        elif role in {"user", "custom", "hookMessage"}:
            self._agent.say("user", _parts(content), entry.origin)
        elif role in {"compactionSummary", "branchSummary"}:
            kind = "compaction" if role == "compactionSummary" else "branch_summary"
            parts = _summary(kind, string(message.get("summary")))
            self._agent.say("user", parts, entry.origin)
        else:
            event = OtherEvent(f"message/{role}", entry.origin, compact(entry.data))
            self._agent.builder.other_events.append(event)

    def _ran(self, entry: Entry) -> None:
        """Take a command that the user ran: the model is given it and its output as words."""
        message = entry.message
        if message.get("excludeFromContext") is True:
            return
        output = string(message.get("output"))
        text = f"Ran `{string(message.get('command'))}`\n"
        text += f"```\n{output}\n```" if output else "(no output)"
        if message.get("cancelled") is True:
            text += "\n\n(command cancelled)"
        elif message.get("exitCode"):
            text += f"\n\nCommand exited with code {message.get('exitCode')}"
        self._agent.say("user", [Part(PartKind.TEXT, text, status=_RECONSTRUCTED)], entry.origin)

    def _call(self, entry: Entry) -> None:
        message = entry.message
        stop = string(message.get("stopReason"))
        failed = stop in {"error", "aborted"}
        before = list(self._agent.held)
        grade, reason = self._grade()
        names = (string(message.get("provider")), string(message.get("model")))
        self._agent.call(
            _parts(message.get("content")),
            entry.origin,
            id=entry.id,
            model="/".join(filter(None, names)) or self._model,
            grade=grade,
            grade_reason=reason,
            usage=_usage(mapping(message.get("usage"))),
            finish_reason=stop,
            error=(string(message.get("errorMessage")) or stop) if failed else "",
            settings={"thinking": self._thinking} if self._thinking else {},
            at=string(entry.data.get("timestamp")) or moment(count(message.get("timestamp"))),
        )
        if failed:
            # An answer that failed is not sent again.
            self._agent.held[:] = before

    def _result(self, entry: Entry) -> None:
        message = entry.message
        call_id = string(message.get("toolCallId"))
        parts = _parts(message.get("content"), call_id)
        text = "\n".join(part.text for part in parts if part.kind is PartKind.TEXT)
        details = mapping(message.get("details"))
        made = self._agent.result(
            call_id,
            text,
            entry.origin,
            status="error" if message.get("isError") is True else "",
            name=string(message.get("toolName")),
            side_file=string(details.get("fullOutputPath")),
        )
        others = [part for part in parts if part.kind is not PartKind.TEXT]
        self._agent.say("tool", [made, *others], entry.origin)

    def _summary(self, entry: Entry) -> None:
        text = string(entry.data.get("summary"))
        if text:
            self._agent.say("user", _summary(entry.type, text), entry.origin)

    def _compact(self, entry: Entry) -> None:
        first = string(entry.data.get("firstKeptEntryId"))
        start = self._owners.index(first) if first in self._owners else len(self._owners)
        kept, owners = self._agent.held[start:], self._owners[start:]
        parts = _summary(entry.type, string(entry.data.get("summary")))
        summary = self._agent.builder.message("user", parts, entry.origin)
        reason = "a recorded summary stands for the entries before the first that it names as kept"
        self._agent.compact([summary, *kept], entry.origin, by="pi", reason=reason)
        self._owners = [entry.id, *owners]

    def _grade(self) -> tuple[Grade, str]:
        if not self._agent.held:
            return Grade.UNKNOWN, ORPHAN
        return (Grade.INFERRED, _PRUNED) if self._pruned else (Grade.DERIVED, _RULE)


def _summary(kind: str, text: str) -> list[Part]:
    before, behind = _AROUND[kind]
    return [
        Part(PartKind.TEXT, before, status=_RECONSTRUCTED),
        Part(PartKind.SUMMARY, text),
        Part(PartKind.TEXT, behind, status=_RECONSTRUCTED),
    ]


def _parts(content: object, call_id: str = "") -> list[Part]:
    if isinstance(content, str):
        return [Part(PartKind.TEXT, content)]
    return [_part(block, call_id) for block in members(content)]


def _part(block: Mapping[str, object], call_id: str) -> Part:
    kind = string(block.get("type"))
    if kind == "text":
        return Part(PartKind.TEXT, string(block.get("text")))
    if kind == "thinking":
        size = len(string(block.get("thinkingSignature")))
        return Part(PartKind.REASONING, string(block.get("thinking")), opaque_bytes=size)
    if kind == "toolCall":
        arguments = compact(block.get("arguments"))
        name = string(block.get("name"))
        return Part(PartKind.TOOL_CALL, arguments, string(block.get("id")), name)
    if kind == "image":
        size = len(string(block.get("data"))) * 3 // 4
        return Part(PartKind.IMAGE, "", call_id, string(block.get("mimeType")), opaque_bytes=size)
    return Part(PartKind.OPAQUE, "", call_id, kind, opaque_bytes=len(compact(block)))


def _usage(usage: Mapping[str, object]) -> Usage:
    fresh, read, write = (count(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite"))
    known = [value for value in (fresh, read, write) if value is not None]
    return Usage(sum(known) if known else None, count(usage.get("output")), read, write)
