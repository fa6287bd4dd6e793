"""Message histories of Pydantic AI: requests and responses as lists of parts.

Facts from its source (``pydantic_ai/messages.py``): a request holds what was
added since the response before it, and the instructions of that call, which
are sent anew each time and in no other.  History processors change what is
sent and leave no trace in what was saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import json_of, parts_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._fields import compact
from store.importers._wire import count, items, mapping, members, string
from store.importers._wire_dropping import RESENT
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, Run, Usage

__all__ = ["IMPORTER"]

_NAME: Final = "pydantic-ai"
_REASON: Final = f"{ALL_BEFORE}; a processor that took some out would leave no trace"
_HOLDERS: Final = ("messages", "all_messages", "message_history", "new_messages")


def recognise(probe: Probe) -> bool:
    """Return whether a file holds a list of messages with ``kind`` and parts with ``part_kind``."""
    root = begun(probe, b'"part_kind"')
    return _is_history(root) or any(_is_history(mapping(root).get(key)) for key in _HOLDERS)


def _is_history(value: object) -> bool:
    first = mapping(next(iter(items(value)), None))
    return any("part_kind" in part for part in members(first.get("parts")))


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a history."""
    value = document(probe)
    whole = mapping(value)
    key = next((each for each in _HOLDERS if items(whole.get(each))), "")
    messages = list(members(value if isinstance(value, list) else whole.get(key)))
    if not messages:
        raise UnreadableError(_files.shown(probe.label), "holds no message of a history")
    name = probe.path.name
    builder = RunBuilder(name, probe.label, _NAME, Layer.STATE, title=name)
    agent = AgentRun(builder)
    base = f"{name}#{key}/" if key else f"{name}#"
    instructions = ""
    for number, message in enumerate(messages):
        origin = f"{base}{number}"
        if message.get("kind") == "response":
            _respond(agent, message, instructions, origin)
        else:
            instructions = string(message.get("instructions"))
            _ask(agent, message, origin)
    yield agent.finish()


def _ask(agent: AgentRun, message: Mapping[str, object], origin: str) -> None:
    """Take what a request added."""
    for part in members(message.get("parts")):
        kind = string(part.get("part_kind"))
        name, call_id = string(part.get("tool_name")), string(part.get("tool_call_id"))
        text = _content(part.get("content"))
        if kind == "system-prompt":
            agent.say("system", [Part(PartKind.TEXT, text)], origin)
        elif kind == "tool-return":
            failed = string(part.get("outcome")) in ("failed", "denied", "error")
            status = "error" if failed else ""
            agent.say(
                "tool", [agent.result(call_id, text, origin, status=status, name=name)], origin
            )
        elif kind == "retry-prompt" and name:
            result = agent.result(call_id, text, origin, status="error", name=name)
            agent.say("tool", [result], origin)
        else:
            held = list(parts_of(part.get("content"))) or [Part(PartKind.TEXT, text)]
            agent.say("user", held, origin)


def _respond(
    agent: AgentRun, message: Mapping[str, object], instructions: str, origin: str
) -> None:
    parts = [made for part in members(message.get("parts")) for made in _parts(part)]
    at = next((n for n, made in enumerate(parts) if made.kind is PartKind.SUMMARY), len(parts))
    within = bool(parts[at + 1 :])
    if within:
        # What stands behind a compaction was written with it.
        _compact(agent, parts[at : at + 1], origin)
    held = list(agent.held)
    request = held
    if instructions:
        part = Part(PartKind.TEXT, instructions)
        request = [agent.builder.message("system", [part], origin), *held]
    usage = mapping(message.get("usage"))
    agent.call(
        parts,
        origin,
        request=request,
        id=string(message.get("provider_response_id")),
        model=string(message.get("model_name")),
        grade=Grade.INFERRED,
        grade_reason=_REASON,
        usage=Usage(
            _first(usage, "input_tokens", "request_tokens"),
            _first(usage, "output_tokens", "response_tokens"),
            count(usage.get("cache_read_tokens")),
            count(usage.get("cache_write_tokens")),
        ),
        finish_reason=string(message.get("finish_reason")),
        at=string(message.get("timestamp")) or None,
    )
    agent.held = [*([] if within else held), *agent.builder.calls[-1].response]
    if parts[at:] and not within:
        _compact(agent, parts[at:], origin)
    for made in parts:
        if made.kind is PartKind.TOOL_RESULT:
            agent.take(made, origin)


def _compact(agent: AgentRun, parts: list[Part], origin: str) -> None:
    """Let requests begin with a compaction: what is sent again before it is not read."""
    held = [agent.builder.message("assistant", parts, origin)]
    agent.compact(held, origin, by="service", reason=RESENT, grade=Grade.INFERRED)


def _parts(part: Mapping[str, object]) -> Iterator[Part]:
    """Yield the parts that a part of a response is."""
    kind, text = string(part.get("part_kind")), _content(part.get("content"))
    call_id, name = string(part.get("tool_call_id")), string(part.get("tool_name"))
    if kind in ("tool-call", "builtin-tool-call"):
        yield Part(PartKind.TOOL_CALL, json_of(part.get("args")), tool_call_id=call_id, name=name)
    elif kind == "builtin-tool-return":
        yield Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name)
    elif kind == "thinking":
        yield Part(PartKind.REASONING, text)
    elif kind == "compaction":
        yield Part(PartKind.SUMMARY, text, name=kind)
    elif kind == "text":
        yield Part(PartKind.TEXT, text)
    else:
        yield Part(PartKind.OPAQUE, name=kind, opaque_bytes=len(compact(part)))


def _content(content: object) -> str:
    """Return a content as the model is given it: a text, or what is no text as JSON."""
    if isinstance(content, str) or content is None:
        return content or ""
    if isinstance(content, list) and all(isinstance(each, str) for each in content):
        return "\n".join(map(str, content))
    return compact(content)


def _first(usage: Mapping[str, object], *keys: str) -> int | None:
    return next((found for key in keys if (found := count(usage.get(key))) is not None), None)


IMPORTER = Importer(
    name=_NAME,
    title="Pydantic AI message history",
    layer=Layer.STATE,
    grade=Grade.INFERRED,
    grade_note=_REASON,
    recognised_by="messages whose parts have a `part_kind`",
    proves="a final history, from which each request follows by a stated rule",
    order=540,
    recognise=recognise,
    read=read,
    alone=True,
)
