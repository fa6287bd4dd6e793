"""One sample of an Inspect log as a run, and its scorers and subagents as runs below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_messages import result_part, turn_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._inspect_call import Asked, Memory, asked_of, response_of, usage_of
from store.importers._inspect_citations import citations_of
from store.importers._inspect_sample import Sample
from store.importers._wire import Turn, items, mapping, string
from store.records.citations import Citation
from store.records.grades import Grade, Layer
from store.records.json_text import parse
from store.records.runs import (
    Answer,
    EditKind,
    OtherEvent,
    Part,
    PartKind,
    ProblemKind,
    Run,
)
from store.records.sources import VersionKey

__all__ = ["SampleRuns"]

_EDITS: Final = {
    "summary": EditKind.COMPACT,
    "edit": EditKind.CLEAR,
    "trim": EditKind.COMPACT,
    "auto": EditKind.COMPACT,
}
_KNOWN: Final = frozenset(
    {
        *("model", "tool", "compaction", "span_begin", "span_end", "step", "state", "store"),
        *("sample_init", "score", "sandbox", "subtask", "logger", "input", "approval"),
    }
)
_MAIN: Final = ""


@dataclass(slots=True)
class _Agent:
    """The run of one agent of the sample: the main one, a subagent, or the scorers."""

    run: AgentRun
    held: tuple[int, ...] = ()
    compaction: tuple[EditKind, str] | None = None
    versions: set[VersionKey] = field(default_factory=set)
    listed: set[str | None] = field(default_factory=set)
    cuts: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Results that were cut: their place, the tool, bytes that it gave and that were left."""

    def finish(self) -> Run:
        """Return the run, and say of the results that were cut before the model was given them."""
        if self.cuts:
            origin, tool, size, most = self.cuts[0]
            what = (
                f"results lost their middle before the model was given them ({len(self.cuts)} in "
                f"all); the first is of the tool {tool}, {size} bytes cut to {most}"
            )
            self.run.builder.problem(origin, what, ProblemKind.NOTED)
        return self.run.finish()


@dataclass(slots=True)
class SampleRuns:
    """Reads a sample; ``run_id`` and ``title`` are those of its main run, ``origin`` its place."""

    sample: Sample
    run_id: str
    title: str
    path: str
    origin: str
    _agents: dict[str, _Agent] = field(default_factory=dict)
    _spans: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Type, name and parent of each span."""
    _memory: Memory = field(default_factory=Memory)
    _steps: list[str] = field(default_factory=list)
    """Types of the steps that are open: what logs had before there were spans."""

    def runs(self) -> Iterator[Run]:
        """Yield the main run, and then those below it."""
        main = self._agent(_MAIN)
        self._note_sample(main.run.builder)
        for place, event in self.sample.events():
            self._event(place, event)
        if not any(agent.run.builder.calls for agent in self._agents.values()):
            self._without_events(main)
        for name in self.sample.missing:
            what = f"{name} is named in the events and is not in the log"
            main.run.builder.problem(self.origin, what)
        for agent in self._agents.values():
            if agent is main or agent.run.builder.calls:
                yield agent.finish()

    def _agent(self, name: str) -> _Agent:
        if name not in self._agents:
            run_id = f"{self.run_id}/{name}" if name else self.run_id
            title = f"{self.title} · {name}" if name else self.title
            parent = self.run_id if name else None
            builder = RunBuilder(
                run_id, self.path, "inspect", Layer.CLIENT, title=title, parent_run=parent
            )
            self._agents[name] = _Agent(AgentRun(builder))
        return self._agents[name]

    def _note_sample(self, builder: RunBuilder) -> None:
        error = mapping(self.sample.value.get("error"))
        if error:
            first = string(error.get("message")).strip().partition("\n")[0]
            what = f"the sample ended with an error: {first}"
            builder.problem(self.origin, what, ProblemKind.NOTED)
        limit = mapping(self.sample.value.get("limit"))
        if limit:
            what = f"the sample ended at its limit of {string(limit.get('type'))}"
            builder.problem(self.origin, what, ProblemKind.NOTED)

    # -- events ----------------------------------------------------------------------

    def _event(self, place: str, event: Mapping[str, object]) -> None:
        kind, origin = string(event.get("event")), f"{self.origin}#{place}"
        if kind == "span_begin":
            named = (string(event.get("type")), string(event.get("name")))
            self._spans[string(event.get("id"))] = (*named, string(event.get("parent_id")))
        elif kind == "step" and event.get("action") == "begin":
            self._steps.append(string(event.get("type")))
        elif kind == "step" and self._steps:
            self._steps.pop()
        elif kind == "model":
            self._model(self._agent(self._whose(place, event)), event, origin)
        elif kind == "tool":
            self._tool(self._agent(self._whose(place, event)), event, origin)
        elif kind == "compaction":
            agent = self._agent(self._whose(place, event))
            agent.compaction = _EDITS.get(string(event.get("type")), EditKind.COMPACT), origin
        elif kind not in _KNOWN:
            builder = self._agent(_MAIN).run.builder
            builder.other_events.append(OtherEvent(kind, origin, compact(event)))

    def _whose(self, place: str, event: Mapping[str, object]) -> str:
        """Return whose event it is: a scorer's, that of an agent which a tool ran, or the main's.

        Before there were spans, events of a subagent stood inside the event of its tool.
        """
        chain: list[tuple[str, str, str]] = []
        span = string(event.get("span_id"))
        while span in self._spans and len(chain) < len(self._spans):
            kind, name, parent = self._spans[span]
            chain.append((kind, name, span))
            span = parent
        if {"scorer", "scorers"} & {*self._steps, *(kind for kind, _, _ in chain)}:
            return "scorers"
        kinds = [kind for kind, _, _ in chain]
        if "agent" in kinds:
            at = kinds.index("agent")
            if {"tool", "handoff"} & set(kinds[at + 1 :]) or "handoff" in kinds[:at]:
                return f"{chain[at][1]}-{chain[at][2][:8]}"
        inside = place.rpartition("/events/")[0]
        return inside.replace("events/", "").replace("/", ".") if inside else _MAIN

    # -- calls ----------------------------------------------------------------------

    def _model(self, agent: _Agent, event: Mapping[str, object], origin: str) -> None:
        if event.get("pending") is True and not mapping(event.get("output")):
            return
        self.sample.fresh.clear()
        given = self.sample.input_of(event)
        request = self.sample.request_of(event)
        response = self.sample.whole(mapping(event.get("call")).get("response"))
        output = mapping(self.sample.whole(event.get("output")))
        pooled = event.get("input_refs") is not None
        asked = asked_of(given, request, response, self._memory, pooled=pooled)
        if self.sample.fresh:
            what = "an attachment that it names is not in the log"
            asked = replace(asked, grade=Grade.UNKNOWN, reason=f"{asked.reason}; {what}")
        run = agent.run
        held = run.messages(asked.turns, origin)
        self._note_compaction(agent, held)
        parts, stop = response_of(output)
        exchange = asked.exchange
        if exchange is not None and exchange.response:
            parts = [part for turn in exchange.response for part in turn.parts]
        number = run.call(
            parts,
            origin,
            request=held,
            answers=False,
            id=exchange.id if exchange else string(event.get("uuid")),
            model=string(output.get("model")) or string(event.get("model")),
            grade=asked.grade,
            grade_reason=asked.reason,
            usage=usage_of(output),
            finish_reason=stop,
            error=string(event.get("error")) or string(output.get("error")),
            settings=_settings(event),
            at=string(event.get("timestamp")) or None,
        )
        agent.held = tuple(held)
        self._note_lost(asked, agent, origin)
        choice = mapping(next(iter(items(output.get("choices"))), {}))
        cited = citations_of(mapping(choice.get("message")))
        self._answer(agent, number, parts, asked, cited)

    def _note_lost(self, asked: Asked, agent: _Agent, origin: str) -> None:
        builder = agent.run.builder
        if asked.lost and asked.exchange is not None:
            shown = asked.lost[0].strip()[:60]
            what = (
                f"not all texts of the recorded input are in the wire request ({len(asked.lost)} "
                f"missing); the first begins with “{shown}”"
            )
            builder.problem(origin, what, ProblemKind.NOTED)
        if asked.exchange is None:
            return
        for version in asked.exchange.versions:
            if version.key not in agent.versions:
                agent.versions.add(version.key)
                builder.versions.append(replace(version, origin=origin))
        for manifest in asked.exchange.manifests:
            if manifest.tool_call_id not in agent.listed:
                agent.listed.add(manifest.tool_call_id)
                builder.manifests.append(replace(manifest, origin=origin))

    def _answer(
        self,
        agent: _Agent,
        number: int,
        parts: list[Part],
        asked: Asked,
        cited: tuple[Citation, ...],
    ) -> None:
        """Take what the user was given: a text that calls no tool, or what was submitted."""
        builder = agent.run.builder
        origin = builder.calls[-1].origin
        served = {part.tool_call_id for part in parts if part.kind is PartKind.TOOL_RESULT}
        calls = [
            part
            for part in parts
            if part.kind is PartKind.TOOL_CALL and part.tool_call_id not in served
        ]
        for part in parts:
            if part.kind is PartKind.TOOL_RESULT:
                agent.run.take(part, origin)
        text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
        exchange = asked.exchange
        if exchange is not None and exchange.answer:
            own = tuple(exchange.citations)
            builder.answers.append(Answer(number, exchange.answer, own, origin))
        elif text.strip() and not calls:
            builder.answers.append(Answer(number, text, cited, origin))
        for call in calls:
            submitted = _submitted(call)
            if submitted:
                agent.run.answer(number, submitted, origin)

    def _note_compaction(self, agent: _Agent, held: list[int]) -> None:
        """Say which results a compaction took out: those that the request before it held."""
        if agent.compaction is None:
            return
        kind, origin = agent.compaction
        agent.compaction = None
        messages = agent.run.builder.messages
        now = {part.tool_call_id: part.text for index in held for part in messages[index].parts}
        gone = dict.fromkeys(
            part.tool_call_id
            for index in agent.held
            for part in messages[index].parts
            if part.kind is PartKind.TOOL_RESULT and now.get(part.tool_call_id) != part.text
        )
        agent.run.note_edit(
            kind,
            tuple(gone),
            origin,
            by="Inspect",
            reason="the log records a compaction before this call, and both requests",
            grade=Grade.RECORDED,
        )

    # -- tools ----------------------------------------------------------------------

    def _tool(self, agent: _Agent, event: Mapping[str, object], origin: str) -> None:
        call_id, tool = string(event.get("id")), string(event.get("function"))
        arguments = compact(self.sample.whole(event.get("arguments")))
        agent.run.ask(call_id, tool, arguments, origin)
        error = mapping(event.get("error"))
        held = result_part(self.sample.whole(event.get("result")), call_id)
        text = string(self.sample.whole(error.get("message"))) if error else held[0].text
        if not text.strip() or text == _submitted(Part(PartKind.TOOL_CALL, arguments, name=tool)):
            return  # what was submitted comes back as it is
        agent.run.result(call_id, text, origin, status="error" if error else "")
        match event.get("truncated"):
            case [int() as size, int() as most]:
                agent.cuts.append((origin, tool, size, most))

    # -- a log without events -------------------------------------------------------

    def _without_events(self, agent: _Agent) -> None:
        """Read the messages of the sample's end, where the log keeps no model event."""
        reason = f"{ALL_BEFORE}; the log keeps no event of a model"
        for at, message in enumerate(self.sample.messages()):
            origin = f"{self.origin}#messages/{at}"
            turn = turn_of(message)
            if turn.role == "assistant" and message.get("source") != "input":
                model = string(message.get("model"))
                grade = Grade.INFERRED
                agent.run.call(turn.parts, origin, model=model, grade=grade, grade_reason=reason)
            else:
                agent.run.held += agent.run.messages([Turn(turn.role, turn.parts)], origin)


def _submitted(call: Part) -> str:
    """Return the answer that a call of the tool ``submit`` gives, or an empty string."""
    if call.name != "submit":
        return ""
    arguments = parse(call.text)
    answer = arguments.get("answer") if arguments is not None else None
    return (answer.text or "") if answer is not None else ""


def _settings(event: Mapping[str, object]) -> dict[str, object]:
    config = {key: value for key, value in mapping(event.get("config")).items() if value}
    tools = [string(mapping(each).get("name")) for each in items(event.get("tools"))]
    named = {"role": event.get("role"), "cache": event.get("cache"), "tools": tools}
    return {**config, **{key: value for key, value in named.items() if value}}
