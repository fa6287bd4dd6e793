"""Messages of a Gemini CLI session as a run: each answer of the model with its request.

What the client sends is its history in memory.  The file holds it message by
message, and newer clients write it back (``$set``) when they changed it, so
that what was masked or folded is known from there on.  Format facts:
google-gemini/gemini-cli, ``packages/core/src/services/chatRecordingService.ts``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_files import SavedFiles
from store.importers._agent_run import ORPHAN, AgentRun
from store.importers._fields import compact
from store.importers._gemini_parts import (
    batches,
    content_parts,
    model_parts,
    plain,
    result_of,
    side_file,
    usage_of,
    user_parts,
)
from store.importers._wire import mapping, members, string
from store.records.grades import Grade
from store.records.runs import EditKind, OtherEvent, Part, PartKind, Run, Usage

__all__ = ["ACKNOWLEDGED", "Recorded", "Session"]

_RULE: Final = (
    "each call saw every message before it; what the client masked or folded in memory is only "
    "known where it wrote its history back"
)
_WRITES_BACK: Final = "the client writes every change of its history into the file"
_COMPRESSED: Final = "the chat was compressed in memory, and what stands for it is not recorded"
_COMPRESSION: Final = re.compile(r"(?i)\bchat history compressed\b|\bcompressed from \d")
ACKNOWLEDGED: Final = frozenset(
    {
        "Got it. Thanks for the additional context!",
        "Got it. Thanks for the context!",
    }
)
"""What the client writes in the model's name behind its own words."""
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
    def key(self) -> str:
        """Names it among the others: one id may be used for both sides."""
        return f"{self.type} {self.id}"

    @property
    def type(self) -> str:
        """Who speaks: ``user``, ``gemini``, or the client to its user."""
        return string(self.data.get("type"))


@dataclass(frozen=True, slots=True)
class _Result:
    """A result as the message of its call holds it, until a message of its own gives it."""

    call_id: str
    name: str
    text: str
    failed: bool
    others: tuple[Part, ...]
    origin: str


class Session:
    """Takes messages in order, and what happens to them.

    Older clients keep results with their calls alone; newer ones also write
    the message that gives them to the model, which then counts.
    """

    def __init__(self, builder: RunBuilder, saved: SavedFiles | None = None) -> None:
        self._agent = AgentRun(builder, "", saved)
        self._builder = builder
        self._saved = saved
        self._owners: list[str] = []
        self._waiting: dict[str, _Result] = {}
        self._known: set[str] = set()
        self._last: dict[str, str] = {}
        self._rewritten = ""
        self._writes_back = False
        self._doubt = ""

    def doubt(self, reason: str) -> None:
        """Say why no request of the session can be told."""
        self._doubt = reason

    def finish(self) -> Run:
        """Return the run."""
        self._give_waiting()
        return self._agent.finish()

    # -- messages ------------------------------------------------------------------------

    def add(self, message: Recorded) -> None:
        """Take the next message."""
        if message.type not in _UI:
            self._give_waiting(_answered(message))
        if message.type == "user":
            parts = self._given(message)
            if parts:
                self._agent.say(_role(parts), parts, message.origin)
        elif message.type == "gemini":
            self._gemini(message)
        elif message.type in _UI:
            if _COMPRESSION.search(plain(message.data.get("content"))):
                self._doubt = _COMPRESSED
        else:
            name = f"message/{message.type or 'without a type'}"
            event = OtherEvent(name, message.origin, compact(message.data))
            self._builder.other_events.append(event)
        self._own(message.key)

    def _own(self, name: str) -> None:
        self._owners += [name] * (len(self._agent.held) - len(self._owners))

    def _gemini(self, message: Recorded) -> None:
        data = message.data
        parts = model_parts(data)
        if not _is_call(data):
            if parts:
                self._agent.say("assistant", parts, message.origin)
            return
        first, *others = batches(data)
        self._call(message, model_parts({**data, "toolCalls": first}), first, first=True)
        for batch in others:
            # It was asked for after the results before it: by a call that said nothing else.
            self._give_waiting()
            self._call(message, model_parts({"toolCalls": batch}), batch, first=False)

    def _call(
        self,
        message: Recorded,
        parts: Sequence[Part],
        batch: Sequence[Mapping[str, object]],
        *,
        first: bool,
    ) -> None:
        data = message.data
        self._note_changes()
        grade, reason = self._grade()
        self._agent.call(
            parts,
            message.origin,
            id=string(data.get("id")) if first else "",
            model=string(data.get("model")),
            grade=grade,
            grade_reason=reason,
            usage=usage_of(mapping(data.get("tokens"))) if first else Usage(),
            at=string((data if first else batch[0]).get("timestamp")) or None,
        )
        self._waiting = {one.call_id: one for one in _results(batch, message.origin)}

    def _given(self, message: Recorded) -> list[Part]:
        """Return the parts of a message of the user's side; results in it are taken."""
        parts = []
        for part in user_parts(message.data):
            waiting = self._waiting.pop(part.tool_call_id, None)
            if part.kind is PartKind.TOOL_RESULT and part.tool_call_id not in self._known:
                failed = waiting is not None and waiting.failed
                parts.append(self._take(part, message.origin, failed=failed))
            else:
                parts.append(part)
        return parts

    def _give_waiting(self, given: Collection[str] = ()) -> None:
        """Give the results that no message of their own gives, those *given* by one apart."""
        left = [one for one in self._waiting.values() if one.call_id not in given]
        if not left:
            return
        parts: list[Part] = []
        for one in left:
            del self._waiting[one.call_id]
            given_back = Part(PartKind.TOOL_RESULT, one.text, one.call_id, one.name)
            parts.append(self._take(given_back, one.origin, failed=one.failed))
            parts += one.others
        owner = self._owners[-1] if self._owners else ""
        self._agent.say("tool", parts, left[0].origin)
        self._own(owner)

    def _take(self, part: Part, origin: str, *, failed: bool) -> Part:
        self._known.add(part.tool_call_id)
        self._last[part.tool_call_id] = part.text
        side = side_file(part.text)
        return self._agent.result(
            part.tool_call_id,
            part.text,
            origin,
            status="error" if failed else "",
            kept=self._saved_text(side),
            side_file=side,
            name=part.name,
        )

    def _saved_text(self, side: str) -> str | None:
        name = self._saved.name_in(side) if self._saved is not None and side else ""
        return self._saved.text_of(name) if self._saved is not None and name else None

    def _grade(self) -> tuple[Grade, str]:
        if not self._agent.held:
            return Grade.UNKNOWN, ORPHAN
        if self._doubt:
            return Grade.UNKNOWN, self._doubt
        return (Grade.DERIVED, _WRITES_BACK) if self._writes_back else (Grade.INFERRED, _RULE)

    # -- what the client changes -------------------------------------------------------------

    def rewind(self, message_id: str, origin: str) -> None:
        """Take back the message of this id and all after it; an unknown one takes back all."""
        self._give_waiting()
        places = [
            place for place, owner in enumerate(self._owners) if owner.endswith(f" {message_id}")
        ]
        start = places[0] if places else 0
        held = self._agent.held[:start]
        self._owners = self._owners[:start]
        reason = "the user went back to before these messages"
        self._agent.compact(held, origin, by="user", reason=reason)
        self._last = self._results_held()

    def write_back(self, messages: Sequence[Recorded], origin: str) -> None:
        """Let requests hold the history that the client wrote back."""
        self._give_waiting()
        held: list[int] = []
        owners: list[str] = []
        for place, message in enumerate(messages):
            follows = messages[place + 1] if place + 1 < len(messages) else None
            made = self._written_back(message, _answered(follows) if follows else ())
            held += made
            owners += [message.key] * len(made)
        self._agent.held, self._owners = held, owners
        self._writes_back = True
        self._rewritten = origin
        self._doubt = ""

    def _note_changes(self) -> None:
        """Note which results stood in the request before, and do not stand in this one as then."""
        if not self._rewritten:
            return
        now = self._results_held()
        masked = [name for name, text in self._last.items() if now.get(name, text) != text]
        gone = [name for name in self._last if name not in now]
        for kind, ids, reason in (
            (EditKind.PERSIST, masked, "the client wrote other words in place of these results"),
            (EditKind.COMPACT, gone, "the client wrote another history back"),
        ):
            if ids:
                origin = self._rewritten
                self._agent.note_edit(
                    kind, ids, origin, by="gemini-cli", reason=reason, grade=Grade.DERIVED
                )
        self._last = now
        self._rewritten = ""

    def _written_back(self, message: Recorded, given: Collection[str]) -> list[int]:
        """Return the messages that one of a history is: with its results, unless they follow."""
        if message.type == "user":
            parts = user_parts(message.data)
            return [self._builder.message(_role(parts), parts, message.origin)] if parts else []
        if message.type != "gemini":
            return []
        parts = model_parts(message.data)
        made = [self._builder.message("assistant", parts, message.origin)] if parts else []
        results = [
            Part(PartKind.TOOL_RESULT, one.text, one.call_id, one.name)
            for one in _results(members(message.data.get("toolCalls")), message.origin)
            if one.call_id not in given
        ]
        return [*made, self._builder.message("tool", results, message.origin)] if results else made

    def _results_held(self) -> dict[str, str]:
        return {
            part.tool_call_id: part.text
            for index in self._agent.held
            for part in self._builder.messages[index].parts
            if part.kind is PartKind.TOOL_RESULT
        }


def _is_call(data: Mapping[str, object]) -> bool:
    """Return whether a model wrote a message; what the client repeats or says itself names none."""
    said = plain(data.get("content")).strip()
    if said in ACKNOWLEDGED and not data.get("toolCalls") and not data.get("tokens"):
        return False
    named = any(data.get(key) for key in ("model", "tokens", "toolCalls"))
    return named or not isinstance(data.get("content"), list)


def _answered(message: Recorded) -> frozenset[str]:
    """Return the tool calls whose results a message gives."""
    if message.type != "user":
        return frozenset()
    parts = content_parts(message.data.get("content"))
    return frozenset(p.tool_call_id for p in parts if p.kind is PartKind.TOOL_RESULT)


def _role(parts: Sequence[Part]) -> str:
    return "tool" if any(part.kind is PartKind.TOOL_RESULT for part in parts) else "user"


def _results(calls: Iterable[Mapping[str, object]], origin: str) -> Iterator[_Result]:
    """Yield the results that stand with tool calls."""
    for call in calls:
        held = call.get("result")
        if held is None:
            continue
        call_id = string(call.get("id"))
        text, others = result_of(held, call_id)
        failed = call.get("status") in {"error", "cancelled"}
        yield _Result(call_id, string(call.get("name")), text, failed, tuple(others), origin)
