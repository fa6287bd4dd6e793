"""Events of OpenHands up to version 0: actions and observations as numbered records.

Facts from its source (``openhands/events/serialization``,
``openhands/memory/conversation_memory.py``): an action of the agent carries the
model's response, the same for all actions of one response; texts of
observations are cut in their middle to ``max_message_chars`` when a request is
built, so that the record holds more than the model was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._agent_messages import json_of, turn_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._openhands_text import LIMIT, command_text, cut, note_cut
from store.importers._openhands_view import Condensed, EventView
from store.importers._wire import count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind

__all__ = ["Rule", "read_v0"]

_SILENT: Final = frozenset(
    {
        *("null", "change_agent_state", "agent_state_changed", "recall", "condensation_request"),
        *("condense", "pause", "resume", "stop", "loop_recovery", "start_hacking"),
    }
)


@dataclass(frozen=True, slots=True)
class Rule:
    """How far requests are proven, and why.  ``limit`` is that of observations, ``None`` unknown.

    ``masks`` names a setting that changes requests and leaves no trace.
    """

    limit: int | None = None
    masks: str = ""
    is_told: bool = False

    @classmethod
    def of(cls, metadata: Mapping[str, object]) -> Rule:
        """Return the rule that the settings of an evaluation give."""
        config = mapping(metadata.get("llm_config"))
        condenser = string(mapping(metadata.get("condenser_config")).get("type"))
        masks = condenser if condenser in _MASKING else ""
        return cls(count(config.get("max_message_chars")), masks, is_told=bool(condenser))

    def grade(self, view: EventView, *, was_cut: bool) -> tuple[Grade, str]:
        """Return grade and reason of the next call."""
        if self.masks:
            what = f"the setting {self.masks} changes requests, and no event says where"
            return Grade.UNKNOWN, what
        told = "the events say what was forgotten"
        if was_cut and self.limit is None:
            what = (
                f"long observations were cut to {LIMIT} characters, which is only the usual limit"
            )
            return Grade.INFERRED, f"{ALL_BEFORE}; {told}; {what}"
        if view.condensations or self.is_told:
            return Grade.DERIVED, f"{ALL_BEFORE}; {told}"
        what = "no event says that anything was forgotten, and the settings are not in the record"
        return Grade.INFERRED, f"{ALL_BEFORE}; {what}"


_MASKING: Final = frozenset(
    {"observation_masking", "browser_output_masking", "recent", "amortized"}
)


def read_v0(events: Iterable[object], agent: AgentRun, rule: Rule, origin: str) -> None:
    """Read events, or pairs of them, into *agent*."""
    reading = _Reading(agent, rule, origin)
    for event in events:
        for each in event if isinstance(event, list) else [event]:
            if isinstance(each, dict):
                reading.take(each)


@dataclass(slots=True)
class _Reading:
    agent: AgentRun
    rule: Rule
    base: str
    view: EventView = field(init=False)
    _response: str = ""
    _cuts: set[int] = field(default_factory=set)
    """Messages of which the client sent less than the record holds."""
    _number: int = -1

    def __post_init__(self) -> None:
        self.view = EventView(self.agent)

    def take(self, event: Mapping[str, object]) -> None:
        """Take the next event."""
        self._number += 1
        held = event.get("id")
        name = str(held) if isinstance(held, int) else f"#{self._number}"
        origin = f"{self.base}{name}"
        action, observation = string(event.get("action")), string(event.get("observation"))
        if action == "condensation":
            self.view.condense(_condensed(mapping(event.get("args"))), origin)
        elif action in _SILENT and action:
            return
        elif action:
            self._action(event, action, name, origin)
        elif observation == "recall":
            self._recall(event, name, origin)
        elif observation and observation not in _SILENT:
            self._observation(event, observation, name, origin)
        elif not observation:
            raw = compact(event)
            self.agent.builder.other_events.append(OtherEvent("event", origin, raw))

    # -- actions ------------------------------------------------------------------

    def _action(self, event: Mapping[str, object], action: str, name: str, origin: str) -> None:
        arguments = mapping(event.get("args"))
        if action == "system" or string(event.get("source")) == "user":
            role = "system" if action == "system" else "user"
            text = string(arguments.get("content")) or string(event.get("message"))
            self.view.add(name, role, [Part(PartKind.TEXT, text)], origin)
            return
        if string(event.get("source")) == "environment":
            return
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        response_id = string(response.get("id"))
        if response_id and response_id == self._response:
            self.view.join(name)
        else:
            self._response = response_id
            self._call(event, action, name, response, origin)
        if action == "finish" and self.agent.builder.calls:
            given = string(arguments.get("final_thought")) or string(arguments.get("message"))
            if given.strip():
                self.agent.answer(len(self.agent.builder.calls), given, origin)

    def _call(
        self,
        event: Mapping[str, object],
        action: str,
        name: str,
        response: Mapping[str, object],
        origin: str,
    ) -> None:
        choice = next(members(response.get("choices")), {})
        message = mapping(choice.get("message"))
        parts = list(turn_of({**message, "role": "assistant"}).parts)
        parts = parts or _parts_of_action(event, action, name)
        self.agent.held = self.view.held()
        grade, reason = self.rule.grade(self.view, was_cut=bool(self._cuts & set(self.agent.held)))
        self.agent.call(
            parts,
            origin,
            id=string(response.get("id")),
            model=string(response.get("model")),
            grade=grade,
            grade_reason=reason,
            usage=usage_of(mapping(response.get("usage"))),
            finish_reason=string(choice.get("finish_reason")),
            at=string(event.get("timestamp")) or None,
        )
        self.view.respond(name)

    # -- observations ---------------------------------------------------------------

    def _observation(self, event: Mapping[str, object], kind: str, name: str, origin: str) -> None:
        whole = _text_of(event, kind)
        text = cut(whole, self.rule.limit or LIMIT)
        metadata = mapping(event.get("tool_call_metadata"))
        cause = event.get("cause")
        call_id = string(metadata.get("tool_call_id")) or (
            f"event:{cause}" if isinstance(cause, int) else ""
        )
        if not call_id:
            self.view.add(name, "user", [Part(PartKind.TEXT, text)], origin)
            return
        status = "error" if kind == "error" or event.get("success") is False else ""
        tool = string(metadata.get("function_name"))
        kept = None if text == whole else whole
        part = self.agent.result(call_id, text, origin, status=status, kept=kept, name=tool)
        index = self.view.add(name, "tool" if metadata else "user", [part], origin)
        if kept is not None:
            self._cuts.add(index)
            note_cut(self.agent, call_id, origin)

    def _recall(self, event: Mapping[str, object], name: str, origin: str) -> None:
        """Take what the agent was told of its workspace, or of a topic that was named."""
        extras = mapping(event.get("extras"))
        known = [
            string(each.get("content")) for each in members(extras.get("microagent_knowledge"))
        ]
        keys = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
        texts = [*(string(extras.get(key)) for key in keys), *known]
        parts = [Part(PartKind.TEXT, text) for text in texts if text.strip()]
        if parts:
            self.view.add(name, "user", parts, origin)


def _parts_of_action(event: Mapping[str, object], action: str, name: str) -> list[Part]:
    """Return what an action without the model's response says of it."""
    arguments = dict(mapping(event.get("args")))
    thought = string(arguments.pop("thought", ""))
    if action == "message":
        return [Part(PartKind.TEXT, string(arguments.get("content")))]
    parts = [Part(PartKind.TEXT, thought)] if thought else []
    if action != "finish":
        told = json_of(arguments)
        parts.append(Part(PartKind.TOOL_CALL, told, tool_call_id=f"event:{name}", name=action))
    return parts or [Part(PartKind.TEXT, string(arguments.get("final_thought")))]


def _condensed(arguments: Mapping[str, object]) -> Condensed:
    ids = [each for each in items(arguments.get("forgotten_event_ids")) if isinstance(each, int)]
    first = count(arguments.get("forgotten_events_start_id"))
    last = count(arguments.get("forgotten_events_end_id"))
    if not ids and first is not None and last is not None and 0 <= last - first < 1_000_000:  # noqa: PLR2004
        ids = list(range(first, last + 1))
    return Condensed(
        frozenset(map(str, ids)),
        string(arguments.get("summary")),
        count(arguments.get("summary_offset")),
    )


def _text_of(event: Mapping[str, object], kind: str) -> str:
    """Return the text that an observation puts into a request, before it is cut."""
    text = string(event.get("content"))
    metadata = mapping(mapping(event.get("extras")).get("metadata"))
    return command_text(text, metadata) if kind == "run" else text
