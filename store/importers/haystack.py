"""Haystack: snapshots of pipelines, generated answers, and lists of its chat messages.

Facts from its source (``haystack/dataclasses``): a snapshot holds the inputs
of the component that runs next, so that where this is a generator its request
is recorded, once.  Documents are ``{id, content, meta, score}``; a
`GeneratedAnswer` names the documents that it was made from.  Values may stand
in ``serialized_data`` beside a schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.evidence import obtained
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import json_of, parts_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._wire import Turn, items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Run
from store.records.sources import SourceKind
from store.tool_json import Entry

__all__ = ["IMPORTER"]

_NAME: Final = "haystack"
_REASON: Final = f"{ALL_BEFORE}; hooks that took some out leave their own words in the list"
_NEXT: Final = "the snapshot holds the inputs of the component that runs next"
_MADE: Final = "the answer was kept without the request that it was made from"
_DEPTH: Final = 64


def recognise(probe: Probe) -> bool:
    """Return whether a file is a snapshot, an answer, or a list of chat messages."""
    root = begun(probe)
    whole = mapping(root)
    messages = items(root) or items(whole.get("messages"))
    if messages:
        return _is_message(mapping(messages[0]))
    keys = whole.keys()
    if "ordered_component_names" in keys or {"pipeline_state", "break_point"} <= keys:
        return True
    if {"component_inputs", "component_visits"} <= keys:
        return True
    return {"data", "query", "documents"} <= mapping(whole.get("init_parameters", whole)).keys()


def _is_message(first: Mapping[str, object]) -> bool:
    if {"_role", "_content"} <= first.keys():
        return True
    inner = {key for part in members(first.get("content")) for key in part}
    return {"role", "meta"} <= first.keys() and bool({"text", "tool_call"} & inner)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a file."""
    value = document(probe)
    name = probe.path.name
    builder = RunBuilder(name, probe.label, _NAME, Layer.STATE, title=name)
    reading = _Reading(AgentRun(builder), name)
    if isinstance(value, list):
        reading.conversation(list(members(value)), f"{name}#")
    else:
        whole = mapping(value)
        answer = mapping(whole.get("init_parameters")) or whole
        if isinstance(whole.get("messages"), list):
            reading.conversation(list(members(whole["messages"])), f"{name}#messages/")
        elif {"data", "query"} <= answer.keys():
            reading.answer(answer)
        else:
            reading.snapshot(whole)
    if not builder.messages and not builder.versions:
        what = "holds neither messages nor documents that are known"
        raise UnreadableError(_files.shown(probe.label), what)
    yield reading.agent.finish()


class _Reading:
    """Puts one file together."""

    def __init__(self, agent: AgentRun, name: str) -> None:
        self.agent = agent
        self._name = name

    def conversation(self, messages: list[Mapping[str, object]], origin: str) -> None:
        """Take a list of chat messages."""
        for number, message in enumerate(messages):
            turn, place = _turn(message), f"{origin}{number}"
            if turn.role != "assistant":
                self.agent.held += self.agent.messages([turn], place)
                continue
            meta = mapping(message.get("meta", message.get("_meta")))
            self.agent.call(
                turn.parts,
                place,
                model=string(meta.get("model")),
                grade=Grade.INFERRED,
                grade_reason=_REASON,
                usage=usage_of(mapping(meta.get("usage"))),
                finish_reason=string(meta.get("finish_reason")),
            )

    def answer(self, answer: Mapping[str, object]) -> None:
        """Take a generated answer with its documents."""
        self._documents(answer)
        query = string(answer.get("query"))
        if query:
            self.agent.say("user", [Part(PartKind.TEXT, query)], f"{self._name}#query")
        data = string(answer.get("data"))
        meta = mapping(answer.get("meta"))
        self.agent.call(
            [Part(PartKind.TEXT, data)],
            f"{self._name}#data",
            model=string(meta.get("model")),
            grade=Grade.UNKNOWN,
            grade_reason=_MADE,
        )

    def snapshot(self, value: Mapping[str, object]) -> None:
        """Take a snapshot: the messages of the component that runs next, else of an agent."""
        self._documents(value)
        agent = mapping(value.get("agent_snapshot"))
        state = mapping(value.get("pipeline_state"))
        component = string(mapping(value.get("break_point")).get("component_name"))
        inputs = mapping(_plain(agent.get("component_inputs", value.get("component_inputs"))))
        held = mapping(_plain(state.get("inputs")))
        for place, found in (
            ("agent_snapshot/component_inputs", inputs),
            ("pipeline_state/inputs", {component: held[component]} if component in held else held),
        ):
            messages = next(_messages_in(found), [])
            if messages:
                self._sent(messages, f"{self._name}#{place}")
                return
            prompt = next(_prompts_in(found), "")
            if prompt:
                self.agent.say("user", [Part(PartKind.TEXT, prompt)], f"{self._name}#{place}")
                self._next_call(f"{self._name}#{place}")
                return

    def _sent(self, messages: list[Mapping[str, object]], origin: str) -> None:
        self.conversation(messages, f"{origin}/")
        last = _turn(messages[-1]).role
        if last != "assistant":
            self._next_call(origin)

    def _next_call(self, origin: str) -> None:
        """Add the call that the snapshot stands before: its request is there, it has no answer."""
        self.agent.call([], origin, grade=Grade.RECORDED, grade_reason=_NEXT)

    def _documents(self, value: object) -> None:
        """Keep each document that the file holds: obtained, whatever was read of it."""
        entries = []
        for found in _objects(_plain(value)):
            content, name = found.get("content"), found.get("id")
            about = {"meta", "score", "blob", "embedding"} & found.keys()
            if isinstance(content, str) and isinstance(name, str) and about:
                entries.append(Entry(name, body=content))
        versions = obtained(self.agent.builder.versions, entries, self._name)
        self.agent.builder.versions.extend(replace(one, kind=SourceKind.TEXT) for one in versions)


def _plain(value: object, depth: int = 0) -> object:
    """Return a value without the schema that it was serialised with."""
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        if "serialized_data" in value:
            return _plain(value["serialized_data"], depth + 1)
        if "init_parameters" in value and "type" in value:
            return _plain(value["init_parameters"], depth + 1)
        return {key: _plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, depth + 1) for each in value]
    return value


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def _messages_in(value: object) -> Iterator[list[Mapping[str, object]]]:
    """Yield each list of chat messages in a value."""
    for found in _objects(value):
        for held in found.values():
            listed = list(members(held))
            if listed and all(_has_role(each) for each in listed):
                yield listed


def _has_role(message: Mapping[str, object]) -> bool:
    return ("role" in message and "content" in message) or "_role" in message


def _prompts_in(value: object) -> Iterator[str]:
    for found in _objects(value):
        prompt = found.get("prompt")
        for each in prompt if isinstance(prompt, list) else [prompt]:
            text = each.get("value") if isinstance(each, dict) else each
            if isinstance(text, str) and text.strip():
                yield text


def _turn(message: Mapping[str, object]) -> Turn:
    """Return a chat message of this or of an earlier version."""
    message = mapping(_plain(message))
    role = string(message.get("role", message.get("_role")))
    parts: list[Part] = []
    content = message.get("content", message.get("_content"))
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict):
            parts += _parts(part)
        else:
            parts += parts_of(part)
    roles = {"user": "user", "system": "system", "assistant": "assistant", "tool": "tool"}
    return Turn(roles.get(role, "user"), tuple(parts))


def _parts(part: Mapping[str, object]) -> Iterator[Part]:
    if "text" in part:
        text = part["text"]
        yield Part(PartKind.TEXT, text if isinstance(text, str) else json_of(text))
    elif "tool_call" in part:
        yield _call(mapping(part["tool_call"]))
    elif "tool_call_result" in part:
        result = mapping(part["tool_call_result"])
        origin = _call(mapping(result.get("origin")))
        held = result.get("result")
        text = (
            held
            if isinstance(held, str)
            else "\n".join(string(each.get("text")) for each in members(items(held)))
        )
        status = "error" if result.get("error") is True else ""
        yield Part(
            PartKind.TOOL_RESULT,
            text,
            tool_call_id=origin.tool_call_id,
            name=origin.name,
            status=status,
        )
    elif "reasoning" in part:
        reasoning = part["reasoning"]
        text = mapping(reasoning).get("reasoning_text", reasoning)
        yield Part(PartKind.REASONING, string(text))
    else:
        name = next(iter(part), "")
        kind = PartKind.IMAGE if "image" in name else PartKind.OPAQUE
        yield Part(kind, name=name, opaque_bytes=len(json_of(part)))


def _call(call: Mapping[str, object]) -> Part:
    name = string(call.get("tool_name"))
    arguments = json_of(call.get("arguments"))
    call_id = string(call.get("id")) or f"{name}:{arguments}"[:200]
    return Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)


IMPORTER = Importer(
    name=_NAME,
    title="Haystack (pipeline snapshot, answer, chat messages)",
    layer=Layer.STATE,
    grade=Grade.INFERRED,
    grade_note="recorded for the one call that a snapshot stands before; inferred for the messages "
    "before it and for lists of messages; unknown for an answer without its request",
    recognised_by="`ordered_component_names`, `data` with `query` and `documents`, or messages "
    "with `role`, `meta` and parts `text` or `tool_call`",
    proves=(
        "made by the tests: a snapshot is the request of one call, an answer keeps its "
        "documents and proves none"
    ),
    order=560,
    recognise=recognise,
    read=read,
    alone=True,
)
