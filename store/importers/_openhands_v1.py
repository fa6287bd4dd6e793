"""Events of the OpenHands SDK (version 1): records that name their kind.

Facts from its source (``openhands/sdk/event``): actions of one response share
``llm_response_id``; observations carry the content that the model is given; a
``Condensation`` names events by id; ``LLMCompletionLogEvent`` may hold the
request of a call itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._agent_messages import call_part, json_of, parts_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._openhands_view import Condensed, EventView
from store.importers._wire import count, items, mapping, members, string
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


def is_v1(event: object) -> bool:
    """Return whether a value is an event of the SDK."""
    return isinstance(event, dict) and event.get("kind") in _KINDS


def read_v1(events: Iterable[object], agent: AgentRun, origin: str) -> None:
    """Read events into *agent*."""
    reading = _Reading(agent, origin)
    for number, event in enumerate(events):
        if isinstance(event, dict):
            reading.take(event, number)


@dataclass(slots=True)
class _Reading:
    agent: AgentRun
    base: str
    view: EventView = field(init=False)
    _response: str = ""
    _tools: dict[str, str] = field(default_factory=dict)

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
        grade, what = Grade.INFERRED, "no event says that anything was forgotten"
        if self.view.condensations:
            grade, what = Grade.DERIVED, _TOLD
        self.agent.call(
            parts or [Part(PartKind.TEXT)],
            origin,
            id=string(event.get("llm_response_id")),
            grade=grade,
            grade_reason=f"{ALL_BEFORE}; {what}",
            at=string(event.get("timestamp")) or None,
        )
        self.view.respond(name)
        self._response = ""

    def _observation(self, event: Mapping[str, object], name: str, origin: str) -> None:
        held = mapping(event.get("observation"))
        text = _text_of(held) or string(event.get("error"))
        text = text or string(event.get("rejection_reason"))
        failed = held.get("is_error") is True or string(event.get("kind")) == "AgentErrorEvent"
        call_id, tool = string(event.get("tool_call_id")), string(event.get("tool_name"))
        status = "error" if failed else ""
        part = self.agent.result(call_id, text, origin, status=status, name=tool)
        self.view.add(name, "tool", [part], origin)


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
