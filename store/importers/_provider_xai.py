"""xAI's own interface over gRPC, as recorders write its messages in JSON.

Names as in xAI's ``chat.proto``: a response has ``outputs``, one for each
round of the service's own tools; the last one of the assistant that has text
is the answer.  An inline citation counts characters of that text, end
exclusive, and the slice is the link.  ``citations`` beside the outputs are
the addresses that the service met, whether it used them or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._openai_marks import link
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
from store.importers._wire_answers import NEVER_SENT, Answers, Named
from store.records.grades import Grade
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.sources import Manifest, ManifestEntry

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("messages", "user"))
_SEALED: Final = (
    "the service ran its own tools within this call, and what they gave the model is in the "
    "capture only encrypted by the provider"
)
_KINDS: Final = ("web_citation", "x_citation", "collections_citation")


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response, or the first piece of a streamed one."""
    first = next(members(value.get("outputs")), {})
    return "message" in first or "delta" in first


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks this interface for a completion."""
    first = next(members(wire.request.get("messages")), {})
    return string(first.get("role")).startswith("ROLE_") or wire.path.startswith("/xai_api.")


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("xai")
    request = wire.request
    calls: dict[str, ToolCall] = {}
    results: dict[str, ToolResult] = {}
    exchange.sent = [_turn(each, calls, results) for each in members(request.get("messages"))]
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.previous = string(request.get("previous_response_id"))
    asked = len(calls)
    response = _put_together(wire) if wire.events else mapping(wire.response)
    exchange.id = string(response.get("id"))
    exchange.model = string(response.get("model")) or string(request.get("model"))
    exchange.usage = _usage(mapping(response.get("usage")))
    _answer(exchange, response, calls, results)
    exchange.tool_calls, exchange.tool_results = list(calls.values()), list(results.values())
    exchange.written = tuple(call.id for call in exchange.tool_calls[asked:])
    if wire.events and not exchange.finish_reason:
        exchange.lost.append("the streamed response ends before its last event")
    return exchange


def _usage(usage: Mapping[str, object]) -> Usage:
    return Usage(
        count(usage.get("prompt_tokens")) or None,
        count(usage.get("completion_tokens")),
        count(usage.get("cached_prompt_text_tokens")),
    )


def _put_together(wire: Wire) -> Mapping[str, object]:
    """Return the response that pieces tell of: texts grow, each by the number of its output."""
    whole: dict[str, object] = {}
    messages: dict[int, dict[str, object]] = {}
    reasons: dict[int, object] = {}
    for _, data in wire.events:
        piece = mapping(data)
        whole.update({k: v for k, v in piece.items() if k != "outputs"})
        for output in members(piece.get("outputs")):
            number = count(output.get("index")) or 0
            _grow(messages.setdefault(number, {}), mapping(output.get("delta")))
            reasons[number] = output.get("finish_reason") or reasons.get(number)
    whole["outputs"] = [
        {"index": number, "message": messages[number], "finish_reason": reasons[number]}
        for number in sorted(messages)
    ]
    return whole


def _grow(message: dict[str, object], delta: Mapping[str, object]) -> None:
    for key, value in delta.items():
        known = message.get(key)
        if key in ("content", "reasoning_content") and isinstance(value, str):
            message[key] = string(known) + value
        elif isinstance(value, list):
            message[key] = [*items(known), *value]
        else:
            message[key] = value


def _answer(
    exchange: Exchange,
    response: Mapping[str, object],
    calls: dict[str, ToolCall],
    results: dict[str, ToolResult],
) -> None:
    outputs = list(members(response.get("outputs")))
    messages = [mapping(output.get("message")) for output in outputs]
    exchange.response = [_turn(each, calls, results) for each in messages]
    exchange.finish_reason = next(
        (string(o.get("finish_reason")) for o in reversed(outputs) if o.get("finish_reason")), ""
    )
    answers = Answers()
    said = [n for n, each in enumerate(messages) if _is_answer(each)]
    text, message = "", dict[str, object]()
    if said:
        message = dict(messages[said[-1]])
        text = string(message.get("content"))
    for place in members(message.get("citations")):
        url, title = _source(place)
        start, end = place.get("start_index", 0), place.get("end_index")
        answers.add(link(text, start, end, url), 0, [answers.unread(url or "?", title, NEVER_SENT)])
    served = [n for n, each in enumerate(messages) if each.get("role") == "ROLE_TOOL"]
    if served:
        exchange.added = exchange.response[: served[-1] + 1]
        exchange.doubt(Grade.DERIVED, _SEALED)
    _found(exchange, response, answers)
    exchange.versions = list(answers.versions.values())
    waiting = not served and any(message.get("tool_calls") for message in messages[-1:])
    citations = answers.citations()
    if text and (citations or not waiting):
        exchange.answer, exchange.citations = text, citations


def _found(exchange: Exchange, response: Mapping[str, object], answers: Answers) -> None:
    """Keep the addresses that the service met as what was on offer."""
    pages: list[Named] = [
        answers.unread(string(url)) for url in items(response.get("citations")) if string(url)
    ]
    if pages:
        entries = tuple(ManifestEntry(page.source_id, page.version_id or "") for page in pages)
        exchange.manifests.append(Manifest(None, entries))
        exchange.doubt(Grade.DERIVED, _SEALED)


def _is_answer(message: Mapping[str, object]) -> bool:
    return message.get("role") != "ROLE_TOOL" and bool(string(message.get("content")))


def _source(place: Mapping[str, object]) -> tuple[str, str]:
    """Return address and title of what a citation names."""
    kind = next((key for key in _KINDS if key in place), "")
    inner = mapping(place.get(kind))
    url = string(inner.get("url")) or string(inner.get("file_id"))
    return url or string(place.get("url")), string(inner.get("title"))


def _turn(
    message: Mapping[str, object], calls: dict[str, ToolCall], results: dict[str, ToolResult]
) -> Turn:
    role = string(message.get("role")).removeprefix("ROLE_").lower() or "assistant"
    parts: list[Part] = []
    thought = string(message.get("reasoning_content"))
    sealed = len(string(message.get("encrypted_content")))
    if thought or (sealed and role == "assistant"):
        parts.append(Part(PartKind.REASONING, thought, opaque_bytes=sealed))
    content = message.get("content")
    given = [{"text": content}] if isinstance(content, str) else list(members(content))
    for each in given:
        if isinstance(each.get("text"), str):
            parts.append(Part(PartKind.TEXT, string(each["text"])))
        else:
            name = next(iter(each), "")
            kind = PartKind.IMAGE if "image" in name else PartKind.OPAQUE
            parts.append(Part(kind, name=name, opaque_bytes=len(str(each))))
    asked = list(members(message.get("tool_calls")))
    if role == "tool":
        return _result(message, asked, parts, results, sealed)
    for call in asked:
        inner = mapping(call.get("function"))
        call_id, name = string(call.get("id")), string(inner.get("name"))
        calls.setdefault(call_id, ToolCall(call_id, name, string(inner.get("arguments"))))
        arguments = string(inner.get("arguments"))
        parts.append(Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name))
    return Turn(role, tuple(parts))


def _result(
    message: Mapping[str, object],
    asked: list[Mapping[str, object]],
    parts: list[Part],
    results: dict[str, ToolResult],
    sealed: int,
) -> Turn:
    """Return a tool's result: the client's as text, the service's encrypted or not at all."""
    known = asked[0] if asked else {}
    call_id = string(message.get("tool_call_id")) or string(known.get("id"))
    name = string(mapping(known.get("function")).get("name"))
    text = "\n".join(part.text for part in parts if part.text)
    results.setdefault(call_id, ToolResult(call_id, text or None))
    part = Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name, opaque_bytes=sealed)
    return Turn("tool", (part,))


PROVIDER = Provider("xai", 112, is_request, is_response, read)
