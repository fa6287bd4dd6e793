"""Events of the OpenHands SDK (version 1): records that name their kind.

Facts from its source (``openhands/sdk/event``): actions of one response share
``llm_response_id``; observations carry the content that the model is given; a
``Condensation`` names events by id; ``LLMCompletionLogEvent`` may hold the
request of a call itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._agent_json import held_in
from store.importers._agent_messages import call_part, json_of, parts_of, turn_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._openhands_text import LIMIT, clipped, command_text, note_cut
from store.importers._openhands_view import Condensed, EventView
from store.importers._wire import Turn, count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind

__all__ = ["is_v1", "read_v1"]

_KINDS: Final = frozenset(
    {
        *("SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent"),
        *("AgentErrorEvent", "UserRejectObservation", "Condensation", "CondensationRequest"),
        *("CondensationSummaryEvent", "ConversationStateUpdateEvent", "ConversationErrorEvent"),
        *("PauseEvent", "LLMCompletionLogEvent", "TokenEvent", "StreamingDeltaEvent"),
    }
)
_TOLD: Final = "the events say what was forgotten"
_ERROR: Final = "[An error occurred during execution.]"
_CONTENT: Final = 50_000
"""Characters of any other text of a message that are sent."""
_UNTOLD: Final = "no event says that anything was forgotten"


def is_v1(event: object) -> bool:
    """Return whether a value is an event of the SDK."""
    return isinstance(event, dict) and string(event.get("kind")) in _KINDS


def read_v1(events: Iterable[object], agent: AgentRun, origin: str) -> None:
    """Read events into *agent*."""
    listed = list(events)
    reading = _Reading(agent, origin, logs=dict(_logs(listed)))
    for number, event in enumerate(listed):
        if isinstance(event, dict):
            reading.take(event, number)


@dataclass(slots=True)
class _Reading:
    agent: AgentRun
    base: str
    logs: dict[str, list[Turn]] = field(default_factory=dict)
    """Requests as they were sent, by the id of their response."""
    view: EventView = field(init=False)
    _response: str = ""
    _cuts: set[int] = field(default_factory=set)
    """Messages of which the client sent less than the record holds."""

    def __post_init__(self) -> None:
        self.view = EventView(self.agent)

    def take(self, event: Mapping[str, object], number: int) -> None:
        """Take the next event."""
        name = string(event.get("id")) or f"#{number}"
        origin, kind = f"{self.base}{name}", string(event.get("kind"))
        if kind == "SystemPromptEvent":
            self.view.add(name, "system", parts_of(event.get("system_prompt")), origin)
        elif kind == "MessageEvent":
            self._message(event, name, origin)
        elif kind == "ActionEvent":
            self._action(event, name, origin)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            self._observation(event, name, origin)
        elif kind == "Condensation":
            ids = frozenset(string(each) for each in items(event.get("forgotten_event_ids")))
            offset = count(event.get("summary_offset"))
            self.view.condense(Condensed(ids, string(event.get("summary")), offset), origin)
        elif kind not in _KINDS:
            raw = compact(event)
            self.agent.builder.other_events.append(OtherEvent(kind or "event", origin, raw))

    def _message(self, event: Mapping[str, object], name: str, origin: str) -> None:
        message = mapping(event.get("llm_message"))
        parts = [
            *_thoughts(message),
            *parts_of(message.get("content")),
            *parts_of(event.get("extended_content")),
        ]
        if string(event.get("source")) == "agent" or message.get("role") == "assistant":
            self._call(event, name, parts, origin)
        else:
            self.view.add(name, string(message.get("role")) or "user", parts, origin)

    def _action(self, event: Mapping[str, object], name: str, origin: str) -> None:
        call = mapping(event.get("tool_call"))
        action = {
            key: value for key, value in mapping(event.get("action")).items() if key != "kind"
        }
        made = call_part(call) if call else Part(PartKind.TOOL_CALL, json_of(action))
        call_id = string(event.get("tool_call_id")) or made.tool_call_id
        tool = string(event.get("tool_name")) or made.name
        part = Part(PartKind.TOOL_CALL, made.text, tool_call_id=call_id, name=tool)
        response = string(event.get("llm_response_id"))
        if response and response == self._response:
            self._more(part, name, origin)
        else:
            thought = [*_thoughts(event), *parts_of(event.get("thought"))]
            self._call(event, name, [*thought, part], origin)
            self._response = response
        if tool == "finish":
            given = string(action.get("message")) or string(action.get("final_thought"))
            if given.strip():
                self.agent.answer(len(self.agent.builder.calls), given, origin)

    def _more(self, part: Part, name: str, origin: str) -> None:
        """Take a further tool call of the last response: a message of its own, of the same call."""
        number = len(self.agent.builder.calls)
        self.agent.ask(part.tool_call_id, part.name, part.text, origin, number)
        self.view.add(name, "assistant", [part], origin)

    def _call(self, event: Mapping[str, object], name: str, parts: list[Part], origin: str) -> None:
        self.agent.held = self.view.held()
        response = string(event.get("llm_response_id"))
        grade = Grade.DERIVED if self.view.condensations else Grade.INFERRED
        reason = f"{ALL_BEFORE}; {_TOLD if self.view.condensations else _UNTOLD}"
        if self._cuts & set(self.agent.held):
            what = "where exactly the client cut long observations is not told"
            grade, reason = Grade.INFERRED, f"{reason}; {what}"
        request = None
        if response in self.logs:
            request = self.agent.messages(self.logs[response], origin)
            grade, reason = Grade.RECORDED, "an event holds the completion log of this call"
        self.agent.call(
            parts or [Part(PartKind.TEXT)],
            origin,
            request=request,
            id=response,
            grade=grade,
            grade_reason=reason,
            at=string(event.get("timestamp")) or None,
        )
        self.view.respond(name)
        self._response = ""

    def _observation(self, event: Mapping[str, object], name: str, origin: str) -> None:
        held = mapping(event.get("observation"))
        whole = command_text(_text_of(held), mapping(held.get("metadata")))
        whole = whole or string(event.get("error")) or string(event.get("rejection_reason"))
        failed = held.get("is_error") is True or string(event.get("kind")) == "AgentErrorEvent"
        if held.get("is_error") is True:
            whole = f"{_ERROR}\n{whole}"
        text = clipped(whole, LIMIT if held.get("metadata") else _CONTENT)
        call_id, tool = string(event.get("tool_call_id")), string(event.get("tool_name"))
        status = "error" if failed else ""
        kept = None if text == whole else whole
        part = self.agent.result(call_id, text, origin, status=status, kept=kept, name=tool)
        index = self.view.add(name, "tool", [part], origin)
        if kept is not None:
            self._cuts.add(index)
            note_cut(self.agent, call_id, origin)


def _logs(events: Iterable[object]) -> Iterator[tuple[str, list[Turn]]]:
    """Yield the requests that completion logs among the events hold."""
    for event in events:
        held = mapping(event)
        if held.get("kind") != "LLMCompletionLogEvent":
            continue
        log = mapping(held_in(held.get("log_data")))
        name = string(mapping(log.get("response")).get("id"))
        messages = list(members(log.get("messages")))
        if name and messages:
            yield name, [turn_of(message) for message in messages]


def _thoughts(holder: Mapping[str, object]) -> list[Part]:
    text = string(holder.get("reasoning_content"))
    blocks = [string(each.get("thinking")) for each in members(holder.get("thinking_blocks"))]
    texts = [text] if text else blocks
    return [Part(PartKind.REASONING, each) for each in texts if each]


def _text_of(observation: Mapping[str, object]) -> str:
    """Return the text that the model is given: the content, in older versions the output."""
    content = observation.get("content")
    texts = [part.text for part in parts_of(content) if part.kind is PartKind.TEXT]
    return "\n".join(texts) or string(observation.get("output"))
