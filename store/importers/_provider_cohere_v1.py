"""Cohere's chat, version 1: one message, a history, documents, and citations on the answer.

Citations count characters of ``text``, end exclusive, and name documents by
id; one without an id is ``doc_N`` from 0.  A stream ends with the whole of it
(``stream-end``).  What its connectors found stands in the response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

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
from store.importers._wire_answers import Answers, Named
from store.importers._wire_documents import Document, version_of
from store.importers._wire_offsets import fit
from store.records.grades import Grade
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.sources import Version
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("message", "chat_history", "documents", "preamble"))
_FOUND: Final = (
    "the service searched by itself within this call; of what it found the response tells what it "
    "cites"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response, or the first event of a streamed one."""
    return "generation_id" in value and ("text" in value or value.get("event_type") is not None)


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    return wire.path.endswith("/v1/chat") and isinstance(wire.request.get("message"), str)


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("cohere")
    request = wire.request
    told = string(request.get("preamble"))
    exchange.instructions = [Turn("system", (Part(PartKind.TEXT, told),))] if told else []
    known: dict[str, Version] = {}
    given = [_document(each, n, known) for n, each in enumerate(items(request.get("documents")))]
    if given:
        exchange.instructions.append(Turn("documents", tuple(given)))
    for each in members(request.get("chat_history")):
        text = string(each.get("message"))
        role = string(each.get("role")).lower().replace("chatbot", "assistant")
        exchange.sent.append(Turn(role, (Part(PartKind.TEXT, text),)))
    exchange.sent += [_result(exchange, each) for each in members(request.get("tool_results"))]
    asked = string(request.get("message"))
    if asked:
        exchange.sent.append(Turn("user", (Part(PartKind.TEXT, asked),)))
    response = _whole(wire, exchange) if wire.events else mapping(wire.response)
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.model = string(request.get("model"))
    exchange.id = string(response.get("generation_id"))
    exchange.finish_reason = string(response.get("finish_reason"))
    exchange.error = string(response.get("message")) if not response.get("text") else ""
    meta = mapping(response.get("meta"))
    tokens = mapping(meta.get("tokens")) or mapping(meta.get("billed_units"))
    exchange.usage = Usage(
        count(tokens.get("input_tokens")) or None, count(tokens.get("output_tokens"))
    )
    _answer(exchange, response, known)
    return exchange


def _document(document: object, number: int, known: dict[str, Version]) -> Part:
    fields = mapping(document)
    name = string(fields.get("id")) or f"doc_{number}"
    shown = {key: value for key, value in fields.items() if key != "id"}
    text = document if isinstance(document, str) else json.dumps(shown, ensure_ascii=False)
    version = version_of(name, string(fields.get("title")), (text,))
    known[name] = version
    return Document(version).part()


def _result(exchange: Exchange, result: Mapping[str, object]) -> Turn:
    call = mapping(result.get("call"))
    name = string(call.get("name"))
    text = json.dumps(result.get("outputs"), ensure_ascii=False)
    call_id = f"{name}:{len(exchange.tool_results)}"
    exchange.tool_results.append(ToolResult(call_id, text))
    return Turn("tool", (Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name),))


def _whole(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    """Return the response that the last event holds; of a stream that ends early what it told."""
    text, name = "", ""
    citations: list[object] = []
    for _, data in wire.events:
        event = mapping(data)
        name = string(event.get("generation_id")) or name
        if isinstance(event.get("response"), dict):
            return mapping(event["response"])
        text += string(event.get("text"))
        citations += items(event.get("citations"))
    exchange.lost.append("the streamed response ends before its last event")
    return {"generation_id": name, "text": text, "citations": citations}


def _answer(exchange: Exchange, response: Mapping[str, object], known: dict[str, Version]) -> None:
    text = string(response.get("text"))
    index = TextIndex(text)
    answers = Answers()
    for place in members(response.get("citations")):
        found = fit(index, place.get("start"), place.get("end"), string(place.get("text")))
        named = [_named(string(each), known, answers) for each in items(place.get("document_ids"))]
        answers.add(found, 0, named)
    for number, call in enumerate(members(response.get("tool_calls"))):
        name = string(call.get("name"))
        arguments = json.dumps(call.get("parameters"), ensure_ascii=False)
        exchange.tool_calls.append(ToolCall(f"{name}:{number}", name, arguments))
    exchange.written = tuple(call.id for call in exchange.tool_calls)
    if items(response.get("search_results")) or items(exchange.settings.get("connectors")):
        exchange.added.append(Turn("tool", (Part(PartKind.OPAQUE, name="search"),)))
        exchange.doubt(Grade.DERIVED, _FOUND)
    exchange.versions = [*known.values(), *answers.versions.values()]
    if text:
        exchange.response = [Turn("assistant", (Part(PartKind.TEXT, text),))]
        citations = answers.citations()
        if citations or not exchange.tool_calls:
            exchange.answer, exchange.citations = text, citations


def _named(name: str, known: dict[str, Version], answers: Answers) -> Named:
    version = known.get(name)
    if version is None:
        return answers.unread(name)
    key = version.key
    return Named(key.source_id, version.title or name, key.version_id)


PROVIDER = Provider("cohere-v1", 131, is_request, is_response, read)
