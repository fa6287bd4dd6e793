"""Mistral's Conversations: the service keeps what was said and runs its own tools.

Entries as in the types of Mistral's SDK: ``message.input``, ``message.output``,
``function.call``, ``function.result``, ``tool.execution``.  A ``tool_reference``
part stands in the answer where it cites, and names a page that a tool of the
service found; its text is never on the wire.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from store.importers._openai_items import content_parts
from store.importers._wire import (
    Exchange,
    Provider,
    Turn,
    Wire,
    count,
    items,
    mapping,
    members,
    string,
)
from store.importers._wire_answers import NEVER_SENT, Answers
from store.importers._wire_offsets import Fitted
from store.records.grades import Grade
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.text import Span

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("inputs", "instructions"))
_AT_SERVICE: Final = (
    "the service ran its own tools within this call, and what they gave the model is not in the "
    "capture"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response, or the first event of a streamed one."""
    if value.get("object") == "conversation.response":
        return True
    return string(value.get("type")) == "conversation.response.started"


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    return "/v1/conversations" in wire.path and ("mistral" in wire.path or "inputs" in wire.request)


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("mistral")
    request = wire.request
    calls: dict[str, ToolCall] = {}
    results: dict[str, ToolResult] = {}
    told = string(request.get("instructions"))
    exchange.instructions = [Turn("system", (Part(PartKind.TEXT, told),))] if told else []
    given = request.get("inputs")
    entries = [{"role": "user", "content": given}] if isinstance(given, str) else members(given)
    exchange.sent = [_turn(entry, calls, results) for entry in entries]
    asked = len(calls)
    response = _put_together(wire, exchange) if wire.events else mapping(wire.response)
    kept = wire.path.rpartition("/conversations")[2].strip("/").partition("/")[0]
    exchange.previous = _cased(wire, kept)
    exchange.id = string(response.get("conversation_id"))
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.model = string(request.get("model"))
    agent = string(request.get("agent_id"))
    if agent:
        what = f"the service keeps the agent {agent} and what it instructs the model to do"
        exchange.doubt(Grade.UNKNOWN, what)
    usage = mapping(response.get("usage"))
    exchange.usage = Usage(
        count(usage.get("prompt_tokens")) or None, count(usage.get("completion_tokens"))
    )
    if not exchange.sent and not items(response.get("outputs")):
        exchange.is_call = False
        exchange.notes.append("asks for what the service keeps; no model was called")
        return exchange
    _answer(exchange, response, calls, results)
    exchange.tool_calls, exchange.tool_results = list(calls.values()), list(results.values())
    exchange.written = tuple(call.id for call in exchange.tool_calls[asked:])
    return exchange


def _cased(wire: Wire, name: str) -> str:
    """Return a name as it stands in the address, whose path is in small letters."""
    at = wire.path.rfind(name) if name else -1
    return wire.interaction.url[at : at + len(name)] if at >= 0 else ""


def _answer(
    exchange: Exchange,
    response: Mapping[str, object],
    calls: dict[str, ToolCall],
    results: dict[str, ToolResult],
) -> None:
    answers = Answers()
    text, served, waiting = "", 0, False
    for entry in members(response.get("outputs")):
        kind = string(entry.get("type"))
        exchange.response.append(_turn(entry, calls, results))
        exchange.model = string(entry.get("model")) or exchange.model
        if kind == "tool.execution":
            exchange.response.append(Turn("tool", (Part(PartKind.OPAQUE, name="search"),)))
            served = len(exchange.response)
        waiting = waiting or kind == "function.call"
        content = entry.get("content") if kind == "message.output" else None
        for part in [content] if isinstance(content, str) else items(content):
            inner = mapping(part)
            if inner.get("type") == "tool_reference":
                url, title = string(inner.get("url")), string(inner.get("title"))
                named = answers.unread(url or title or "?", title, NEVER_SENT)
                answers.add(Fitted(Span(len(text), len(text)), None), 0, [named])
            elif isinstance(part, str) or inner.get("type") == "text":
                text += part if isinstance(part, str) else string(inner.get("text"))
    if served or answers.citations():
        exchange.added = exchange.response[:served]
        exchange.doubt(Grade.DERIVED, _AT_SERVICE)
    exchange.finish_reason = "function.call" if waiting else "stop" if text else ""
    exchange.versions = list(answers.versions.values())
    citations = answers.citations()
    if text and (citations or not waiting):
        exchange.answer, exchange.citations = text, citations


def _turn(
    entry: Mapping[str, object], calls: dict[str, ToolCall], results: dict[str, ToolResult]
) -> Turn:
    kind = string(entry.get("type"))
    call_id = string(entry.get("tool_call_id")) or string(entry.get("id"))
    if kind == "function.result":
        text = string(entry.get("result"))
        results.setdefault(call_id, ToolResult(call_id, text))
        known = calls.get(call_id)
        name = known.name if known else ""
        return Turn("tool", (Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name),))
    if kind in ("function.call", "tool.execution"):
        given = entry.get("arguments")
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        name = string(entry.get("name"))
        calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        part = Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)
        return Turn("assistant", (part,))
    parts = [part for part in content_parts(entry.get("content")) if part.name != "tool_reference"]
    return Turn(string(entry.get("role")) or "assistant", tuple(parts))


def _put_together(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    """Return the response that events tell of; a part of an answer may be a text or an object."""
    whole: dict[str, object] = {}
    outputs: dict[int, dict[str, object]] = {}
    ended = False
    for _, data in wire.events:
        event = mapping(data)
        kind = string(event.get("type"))
        output = outputs.setdefault(count(event.get("output_index")) or 0, {})
        if kind == "conversation.response.started":
            whole["conversation_id"] = event.get("conversation_id")
        elif kind == "message.output.delta":
            output.update(type="message.output", role="assistant", model=event.get("model"))
            output["content"] = [*items(output.get("content")), *_pieces(event.get("content"))]
        elif kind in ("tool.execution.started", "tool.execution.done"):
            known = {k: v for k, v in event.items() if v is not None}
            output.update({**known, "type": "tool.execution"})
        elif kind == "function.call.delta":
            arguments = string(output.get("arguments")) + string(event.get("arguments"))
            output.update({**event, "type": "function.call", "arguments": arguments})
        elif kind in ("conversation.response.done", "conversation.response.error"):
            ended = True
            whole["usage"] = event.get("usage")
            if kind.endswith("error"):
                exchange.error = string(event.get("message")) or kind
    if not ended:
        exchange.lost.append("the streamed response ends before its last event")
    whole["outputs"] = [outputs[number] for number in sorted(outputs) if outputs[number]]
    return whole


def _pieces(content: object) -> list[object]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [content] if isinstance(content, dict) else items(content)


PROVIDER = Provider("mistral-conversations", 109, is_request, is_response, read)
