"""Messages of a Gemini CLI session as a run: each answer of the model with its request.

What the client sends is its history in memory.  The file holds it message by
message, and newer clients write it back (``$set``) when they changed it, so
that what was masked or folded is known from there on.  Format facts:
google-gemini/gemini-cli, ``packages/core/src/services/chatRecordingService.ts``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_files import SavedFiles
from store.importers._agent_run import AgentRun
from store.importers._fields import compact
from store.importers._wire import count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, Run, Usage

__all__ = ["ACKNOWLEDGED", "Recorded", "Session", "content_parts", "response_text"]

_RULE: Final = (
    "each call saw every message before it; what the client masked or folded in memory is only "
    "known where it wrote its history back"
)
_WRITTEN_BACK: Final = "the client wrote its changed history back, and every message since"
_COMPRESSED: Final = "the chat was compressed in memory, and what stands for it is not recorded"
_COMPRESSION: Final = re.compile(r"(?i)\bchat history compressed\b|\bcompressed from \d")
_SNAPSHOT: Final = "<state_snapshot>"
ACKNOWLEDGED: Final = frozenset(
    {
        "Got it. Thanks for the additional context!",
        "Got it. Thanks for the context!",
    }
)
"""What the client writes in the model's name behind its own words."""
_SAVED: Final = re.compile(
    r"(?:Full output (?:available|saved) (?:at|to)|For full output see): (\S+)"
)
_UI: Final = frozenset({"info", "warning", "error"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message as a line or a member of the file holds it last."""

    data: Mapping[str, object]
    origin: str

    @property
    def id(self) -> str:
        """Its id; the place where it has none."""
        return string(self.data.get("id")) or self.origin

    @property
    def type(self) -> str:
        """Who speaks: ``user``, ``gemini``, or the client to its user."""
        return string(self.data.get("type"))


class Session:
    """Takes messages in order, and what happens to them."""

    def __init__(self, builder: RunBuilder, saved: SavedFiles | None = None) -> None:
        self._agent = AgentRun(builder, "", saved)
        self._builder = builder
        self._saved = saved
        self._owners: list[str] = []
        self._texts: dict[str, str] = {}
        self._written_back = False
        self._doubt = ""

    def doubt(self, reason: str) -> None:
        """Say why no request of the session can be told."""
        self._doubt = reason

    def finish(self) -> Run:
        """Return the run."""
        return self._agent.finish()

    # -- messages ------------------------------------------------------------------------

    def add(self, message: Recorded) -> None:
        """Take the next message."""
        if message.type == "user":
            self._user(message)
        elif message.type == "gemini":
            self._gemini(message)
        elif message.type in _UI:
            text = _plain(message.data.get("content"))
            if _COMPRESSION.search(text):
                self._doubt = _COMPRESSED
        else:
            name = f"message/{message.type or 'without a type'}"
            event = OtherEvent(name, message.origin, compact(message.data))
            self._builder.other_events.append(event)
        self._own(message.id)

    def _user(self, message: Recorded) -> None:
        parts = _user_parts(message)
        if parts:
            self._agent.say("user", parts, message.origin)
        late = [
            self._agent.result(part.tool_call_id, part.text, message.origin, name=part.name)
            for part in content_parts(message.data.get("content"))
            if part.kind is PartKind.TOOL_RESULT and part.tool_call_id not in self._texts
        ]
        if late:
            self._texts.update({part.tool_call_id: part.text for part in late})
            self._agent.say("tool", late, message.origin)

    def _own(self, name: str) -> None:
        self._owners += [name] * (len(self._agent.held) - len(self._owners))

    def _gemini(self, message: Recorded) -> None:
        data = message.data
        parts = _model_parts(data)
        if _is_acknowledgement(data):
            self._agent.say("assistant", parts, message.origin)
            return
        grade, reason = self._grade()
        self._agent.call(
            parts,
            message.origin,
            id=string(data.get("id")),
            model=string(data.get("model")),
            grade=grade,
            grade_reason=reason,
            usage=_usage(mapping(data.get("tokens"))),
            at=string(data.get("timestamp")) or None,
        )
        results = self._results(data, message.origin)
        if results:
            self._agent.say("tool", results, message.origin)

    def _results(self, data: Mapping[str, object], origin: str) -> list[Part]:
        parts: list[Part] = []
        for call in members(data.get("toolCalls")):
            call_id = string(call.get("id"))
            held = call.get("result")
            if held is None:
                continue
            text, others = _result(held, call_id)
            self._texts[call_id] = text
            status = string(call.get("status"))
            side = _side_file(text)
            part = self._agent.result(
                call_id,
                text,
                origin,
                status="error" if status in {"error", "cancelled"} else "",
                kept=self._saved_text(side),
                side_file=side,
            )
            parts += [part, *others]
        return parts

    def _saved_text(self, side: str) -> str | None:
        name = self._saved.name_in(side) if self._saved is not None and side else ""
        return self._saved.text_of(name) if self._saved is not None and name else None

    def _grade(self) -> tuple[Grade, str]:
        if not self._agent.held:
            return Grade.UNKNOWN, "nothing stands before it, so what it was given is not recorded"
        if self._doubt:
            return Grade.UNKNOWN, self._doubt
        return (Grade.INFERRED, _WRITTEN_BACK if self._written_back else _RULE)

    # -- what the client changes -------------------------------------------------------------

    def rewind(self, message_id: str, origin: str) -> None:
        """Take back the message of this id and all after it; an unknown one takes back all."""
        start = self._owners.index(message_id) if message_id in self._owners else 0
        held = self._agent.held[:start]
        self._owners = self._owners[:start]
        reason = "the user went back to before these messages"
        self._agent.compact(held, origin, by="user", reason=reason)

    def write_back(self, messages: Sequence[Recorded], origin: str) -> None:
        """Let requests hold the history that the client wrote back."""
        masked: dict[str, str] = {}
        for message in messages:
            for call in members(message.data.get("toolCalls")):
                call_id = string(call.get("id"))
                text = _result(call.get("result"), call_id)[0]
                if call_id in self._texts and self._texts[call_id] != text:
                    masked[call_id] = self._texts[call_id] = text
        if masked:
            reason = "the client wrote its history back with other words in place of these results"
            self._agent.clear(list(masked), masked, origin, by="gemini-cli", reason=reason)
        held, owners = self._ordered(messages)
        if owners != self._owners:
            reason = "the client wrote another history back"
            self._agent.compact(held, origin, by="gemini-cli", reason=reason)
            self._owners = owners
        self._written_back = True
        self._doubt = ""

    def _ordered(self, messages: Sequence[Recorded]) -> tuple[list[int], list[str]]:
        held: list[int] = []
        owners: list[str] = []
        for message in messages:
            known = [
                index
                for index, owner in zip(self._agent.held, self._owners, strict=True)
                if owner == message.id
            ]
            if not known and message.type in {"user", "gemini"}:
                user = message.type == "user"
                parts = _user_parts(message) if user else _model_parts(message.data)
                role = "user" if user else "assistant"
                known = [self._builder.message(role, parts, message.origin)] if parts else []
            held += known
            owners += [message.id] * len(known)
        return held, owners


def _is_acknowledgement(data: Mapping[str, object]) -> bool:
    said = _plain(data.get("content")).strip()
    return said in ACKNOWLEDGED and not data.get("toolCalls") and not data.get("tokens")


def _user_parts(message: Recorded) -> list[Part]:
    parts = content_parts(message.data.get("content"))
    return [
        Part(PartKind.SUMMARY, part.text)
        if part.kind is PartKind.TEXT and part.text.lstrip().startswith(_SNAPSHOT)
        else part
        for part in parts
        # Results stand in the message whose calls they answer.
        if part.kind is not PartKind.TOOL_RESULT
    ]


def _model_parts(data: Mapping[str, object]) -> list[Part]:
    parts = [
        Part(PartKind.REASONING, "\n".join(filter(None, _thought(thought))))
        for thought in members(data.get("thoughts"))
    ]
    own = content_parts(data.get("content"))
    parts += [part for part in own if part.kind not in (PartKind.TOOL_CALL, PartKind.TOOL_RESULT)]
    calls = list(members(data.get("toolCalls")))
    if not calls:
        parts += [part for part in own if part.kind is PartKind.TOOL_CALL]
    for call in calls:
        arguments = compact(call.get("args"))
        name = string(call.get("name"))
        parts.append(Part(PartKind.TOOL_CALL, arguments, string(call.get("id")), name))
    return parts


def _thought(thought: Mapping[str, object]) -> tuple[str, str]:
    return string(thought.get("subject")), string(thought.get("description"))


def content_parts(content: object) -> list[Part]:
    """Return the parts of a content of Gemini's interface: a text, a part, or a list of them."""
    if isinstance(content, str):
        return [Part(PartKind.TEXT, content)] if content else []
    held = [content] if isinstance(content, dict) else items(content)
    return [part for each in held for part in _part(each)]


def _part(value: object) -> list[Part]:
    if isinstance(value, str):
        return [Part(PartKind.TEXT, value)]
    part = mapping(value)
    if isinstance(part.get("text"), str):
        kind = PartKind.REASONING if part.get("thought") is True else PartKind.TEXT
        return [Part(kind, string(part.get("text")))]
    call, response = mapping(part.get("functionCall")), mapping(part.get("functionResponse"))
    if call:
        name = string(call.get("name"))
        return [Part(PartKind.TOOL_CALL, compact(call.get("args")), string(call.get("id")), name)]
    if response:
        call_id, name = string(response.get("id")), string(response.get("name"))
        return [Part(PartKind.TOOL_RESULT, response_text(response), call_id, name)]
    data = mapping(part.get("inlineData")) or mapping(part.get("fileData"))
    mime = string(data.get("mimeType"))
    kind = PartKind.IMAGE if mime.startswith("image/") else PartKind.OPAQUE
    size = len(string(data.get("data"))) * 3 // 4 or len(compact(value))
    return [Part(kind, name=mime or "unknown part", opaque_bytes=size)]


def response_text(response: Mapping[str, object]) -> str:
    """Return what a function response gives: its output or error, else its JSON."""
    held = mapping(response.get("response"))
    for key in ("output", "content", "error"):
        if isinstance(held.get(key), str) and len(held) == 1:
            return string(held.get(key))
    return compact(held) if held else ""


def _result(held: object, call_id: str) -> tuple[str, list[Part]]:
    """Return the text that a call's result gives, and what is no text in it."""
    parts = content_parts(held)
    texts = [part.text for part in parts if part.kind in (PartKind.TOOL_RESULT, PartKind.TEXT)]
    others = [
        Part(part.kind, part.text, call_id, part.name, opaque_bytes=part.opaque_bytes)
        for part in parts
        if part.kind in (PartKind.IMAGE, PartKind.OPAQUE)
    ]
    return "\n".join(texts), others


def _side_file(text: str) -> str:
    found = _SAVED.search(text[:400]) or _SAVED.search(text[-400:])
    return found[1] if found else ""


def _plain(content: object) -> str:
    return "".join(part.text for part in content_parts(content) if part.kind is PartKind.TEXT)


def _usage(tokens: Mapping[str, object]) -> Usage:
    written = [count(tokens.get(key)) for key in ("output", "thoughts")]
    known = [value for value in written if value is not None]
    return Usage(
        count(tokens.get("input")), sum(known) if known else None, count(tokens.get("cached"))
    )
