"""Steps of an ATIF trajectory as calls.

ATIF (Agent Trajectory Interchange Format, versions 1.0 to 1.7; its schema and
``harbor/models/trajectories``) keeps no request.  Steps that are marked as
copied context stand in a continuation to show what its requests began with;
they were counted where they were made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._agent_messages import call_part, parts_of, result_part
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._inspect_call import Memory, asked_of
from store.importers._wire import count, mapping, members, string
from store.records.grades import Grade
from store.records.runs import EditKind, OtherEvent, Part, PartKind, ProblemKind, Usage

__all__ = ["Steps"]

_HANDOFF: Final = re.compile(r"Performed context summarization and handoff to continue task\.")
_LINEAR: Final = ("terminus", "mini-swe-agent")
"""Agents that send their one list of messages, and write down where they summarise it."""
_UNTOLD: Final = "steps keep no request, and what this agent takes out of its context is not told"
_AGENT_KEYS: Final = frozenset({"tool_calls", "reasoning_content", "llm_call_count", "model_name"})


@dataclass(slots=True)
class Steps:
    """Reads steps into *agent*; ``name`` and ``model`` are those that the trajectory gives."""

    agent: AgentRun
    name: str = ""
    model: str = ""
    copied: int = 0
    _lost: str = ""
    _request: Mapping[str, object] = field(default_factory=dict)

    def read(self, steps: Iterator[Mapping[str, object]], origin: str) -> None:
        """Take the steps of one file; *origin* is their place."""
        copies = False
        for number, step in enumerate(steps):
            place = f"{origin}/{number}"
            is_copy = step.get("is_copied_context") is True
            if is_copy and not copies:
                # What follows was copied into a context that begins anew.
                self._begin_anew(place)
            copies = copies or is_copy
            self._take(step, place, is_copy=is_copy)

    def _begin_anew(self, origin: str) -> None:
        if self.agent.held:
            self.agent.compact(
                [],
                origin,
                by=self.name or "the agent",
                reason="the trajectory goes on with a copied context",
            )
        self._lost = ""

    def _take(self, step: Mapping[str, object], origin: str, *, is_copy: bool) -> None:
        source = _source(step)
        self.copied += is_copy
        extra = mapping(step.get("extra"))
        self._request = mapping(extra.get("llm_request")) or self._request
        if source == "agent" and (is_copy or step.get("llm_call_count") == 0):
            self._repeat(step, origin)
        elif source == "agent":
            self._call(step, extra, origin)
        else:
            text = list(parts_of(step.get("message")))
            if source == "system" and any(_HANDOFF.match(part.text) for part in text):
                self._hand_off(origin)
            if text:
                self.agent.say(source, text, origin)
        self._observe(step, origin, is_copy=is_copy)

    def _parts(self, step: Mapping[str, object]) -> list[Part]:
        thought = string(step.get("reasoning_content"))
        parts = [Part(PartKind.REASONING, thought)] if thought else []
        parts += parts_of(step.get("message"))
        for call in members(step.get("tool_calls")):
            name = string(call.get("function_name")) or string(call.get("name"))
            parts.append(call_part({**call, "name": name}))
        return parts

    def _repeat(self, step: Mapping[str, object], origin: str) -> None:
        """Take a step of the agent that no model made here: it stands in requests all the same."""
        self.agent.say("assistant", self._parts(step), origin)

    def _call(self, step: Mapping[str, object], extra: Mapping[str, object], origin: str) -> None:
        metrics = mapping(step.get("metrics"))
        grade, reason = self._grade()
        held = list(self.agent.held)
        request = None
        if self._request:
            asked = asked_of([], self._request, _response(extra), Memory())
            if asked.turns:
                request, grade = self.agent.messages(asked.turns, origin), asked.grade
                reason = "the trajectory keeps the request of this call beside its steps"
            self._request = {}
        several = count(step.get("llm_call_count")) or 1
        if several > 1:
            grade, what = Grade.UNKNOWN, f"the step stands for {several} calls of a model"
            reason = f"{reason}; {what}"
        self.agent.call(
            self._parts(step),
            origin,
            request=request,
            model=string(step.get("model_name")) or self.model,
            grade=grade,
            grade_reason=reason,
            usage=Usage(
                count(metrics.get("prompt_tokens")),
                count(metrics.get("completion_tokens")),
                count(metrics.get("cached_tokens")),
            ),
            at=string(step.get("timestamp")) or None,
        )
        if request is not None:
            self.agent.held = [*held, *self.agent.builder.calls[-1].response]

    def _grade(self) -> tuple[Grade, str]:
        if self._lost:
            return Grade.UNKNOWN, self._lost
        if self.name.lower().startswith(_LINEAR):
            return Grade.INFERRED, f"{ALL_BEFORE}; this agent writes down where it summarises"
        return Grade.UNKNOWN, _UNTOLD

    def _hand_off(self, origin: str) -> None:
        self._lost = "the context was summarised, and what stood in it from then on is not told"
        self.agent.compact(
            [],
            origin,
            by=self.name or "the agent",
            reason="a step says that the context was summarised",
            grade=Grade.RECORDED,
            kind=EditKind.COMPACT,
        )

    def _observe(self, step: Mapping[str, object], origin: str, *, is_copy: bool) -> None:
        calls = [string(call.get("tool_call_id")) for call in members(step.get("tool_calls"))]
        for number, result in enumerate(members(mapping(step.get("observation")).get("results"))):
            call_id = string(result.get("source_call_id"))
            if not call_id and number < len(calls):
                call_id = calls[number]
            held = result_part(result.get("content"), call_id)
            if not call_id:
                parts = list(parts_of(result.get("content")))
                if parts:
                    self.agent.say("user", parts, origin)
                continue
            if not is_copy:
                self.agent.result(call_id, held[0].text, origin)
            self.agent.say("tool", [held[0], *held[1:]], origin)
        known = {"observation", "message", "extra"} | step.keys()
        if "message" not in step and not _AGENT_KEYS & step.keys() and "observation" not in known:
            event = OtherEvent("step", origin, compact(step))
            self.agent.builder.other_events.append(event)

    def finish(self, origin: str) -> None:
        """Say how much was copied."""
        if self.copied:
            what = f"copies of earlier steps were not counted again ({self.copied} in all)"
            self.agent.builder.problem(origin, what, ProblemKind.NOTED)


def _source(step: Mapping[str, object]) -> str:
    source = string(step.get("source"))
    if source in ("agent", "user", "system"):
        return source
    extra = mapping(step.get("extra"))
    return "agent" if _AGENT_KEYS & step.keys() or "llm_response" in extra else "user"


def _response(extra: Mapping[str, object]) -> object:
    return extra.get("llm_response")
