"""Cohere's chat, version 2: documents beside the messages, citations on the answer.

Citations count characters of one part of the content, end exclusive (the
plan where the type is ``PLAN``).  A document without an id is ``doc:N``, a
tool's result ``CALL:N`` with the number of its part, both from 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from store.importers._wire_answers import Answers, Named
from store.importers._wire_documents import Document, version_of
from store.importers._wire_offsets import Fitted, fit
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.sources import Selection, Version
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("messages", "documents"))


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a message, or the first event of a streamed one."""
    if value.get("type") == "message-start":
        return True
    message = mapping(value.get("message"))
    return message.get("role") == "assistant" and "finish_reason" in value and "id" in value


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    return wire.path.endswith("/v2/chat")


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("cohere")
    request = wire.request
    chat = _Chat()
    given = [chat.document(each, n) for n, each in enumerate(items(request.get("documents")))]
    exchange.instructions = [Turn("documents", tuple(given))] if given else []
    exchange.sent = [chat.turn(each) for each in members(request.get("messages"))]
    response = _response(wire, exchange)
    message = mapping(response.get("message"))
    asked = len(chat.calls)
    exchange.response = [chat.turn(message)] if message else []
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.model = string(request.get("model"))
    exchange.id = string(response.get("id"))
    exchange.finish_reason = string(response.get("finish_reason"))
    usage = mapping(response.get("usage"))
    tokens = mapping(usage.get("tokens"))
    exchange.usage = Usage(
        count(tokens.get("input_tokens")) or None,
        count(tokens.get("output_tokens")),
        count(usage.get("cached_tokens")),
    )
    exchange.tool_calls = list(chat.calls.values())
    exchange.tool_results = list(chat.results.values())
    exchange.written = tuple(call.id for call in exchange.tool_calls[asked:])
    _answer(exchange, message, chat)
    return exchange


def _answer(exchange: Exchange, message: Mapping[str, object], chat: _Chat) -> None:
    content = message.get("content")
    blocks: list[object] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
    )
    texts = [string(mapping(block).get("text")) for block in blocks]
    answers = Answers()
    for citation in members(message.get("citations")):
        number = count(citation.get("content_index"))
        if citation.get("type") in ("PLAN", "THINKING_CONTENT"):
            place = _beside(citation, message, blocks, number)
            start = 0
        else:
            known = number if number is not None and number < len(texts) else None
            number = (
                next((n for n, text in enumerate(texts) if text), 0) if known is None else known
            )
            text = texts[number] if texts else ""
            words = string(citation.get("text"))
            place = fit(TextIndex(text), citation.get("start"), citation.get("end"), words)
            start = sum(map(len, texts[:number]))
        answers.add(place, start, [chat.named(each) for each in members(citation.get("sources"))])
    exchange.versions = [*chat.versions.values(), *answers.versions.values()]
    text, citations = "".join(texts), answers.citations()
    if text and (citations or not items(message.get("tool_calls"))):
        exchange.answer, exchange.citations = text, citations


def _beside(
    citation: Mapping[str, object],
    message: Mapping[str, object],
    blocks: list[object],
    number: int | None,
) -> Fitted:
    """Return the place in what the user is not shown, which is no place of the answer."""
    text = string(message.get("tool_plan"))
    if citation.get("type") == "THINKING_CONTENT" and number is not None and number < len(blocks):
        text = string(mapping(blocks[number]).get("thinking"))
    found = fit(
        TextIndex(text), citation.get("start"), citation.get("end"), string(citation.get("text"))
    )
    return Fitted(None, found.offsets, found.malformed)


def _response(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    if not wire.events:
        response = mapping(wire.response)
        if exchange.error == "" and "message" in response and isinstance(response["message"], str):
            exchange.error = string(response["message"])
        return response
    response, ended = _put_together(wire)
    if not ended:
        exchange.lost.append("the streamed response ends before its last event")
    return response


def _put_together(wire: Wire) -> tuple[Mapping[str, object], bool]:
    """Return the response that the events tell of: each citation is an object, not a list."""
    message: dict[str, object] = {"role": "assistant"}
    content: dict[int, dict[str, object]] = {}
    calls: dict[int, dict[str, object]] = {}
    citations: list[object] = []
    whole: dict[str, object] = {}
    ended = False
    for _, data in wire.events:
        event = mapping(data)
        kind, index = string(event.get("type")), count(event.get("index")) or 0
        delta = mapping(event.get("delta"))
        inner = mapping(delta.get("message"))
        if kind == "message-start":
            whole["id"] = event.get("id")
        elif kind in ("content-start", "content-delta"):
            _grow(content.setdefault(index, {}), mapping(inner.get("content")))
        elif kind == "tool-plan-delta":
            message["tool_plan"] = string(message.get("tool_plan")) + string(inner.get("tool_plan"))
        elif kind in ("tool-call-start", "tool-call-delta"):
            _grow(calls.setdefault(index, {}), mapping(inner.get("tool_calls")))
        elif kind == "citation-start":
            held = inner.get("citations")
            citations += held if isinstance(held, list) else [held]
        elif kind == "message-end":
            whole.update(delta)
            ended = True
    message["content"] = [content[index] for index in sorted(content)]
    message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**whole, "message": {**message, "citations": citations}}, ended


def _grow(held: dict[str, object], piece: Mapping[str, object]) -> None:
    """Add *piece* to what a stream told so far: texts grow, objects are grown within."""
    for key, value in piece.items():
        if isinstance(value, dict):
            inner = dict(mapping(held.get(key)))
            _grow(inner, value)
            held[key] = inner
        elif isinstance(value, str) and key in ("text", "thinking", "arguments"):
            held[key] = string(held.get(key)) + value
        else:
            held[key] = value


@dataclass(slots=True)
class _Chat:
    """Reads messages; ``sources`` are documents and tool results by the ids that citations use."""

    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    versions: dict[str, Version] = field(default_factory=dict)
    sources: dict[str, Version] = field(default_factory=dict)

    def document(self, document: object, number: int, prefix: str = "doc") -> Part:
        """Keep a document and return its part; its fields are its text, one after the other."""
        inner = mapping(document)
        data = inner.get("data", document)
        fields = mapping(data)
        if string(fields.get("text")) and set(fields) <= {"text", "title", "id", "url"}:
            text = string(fields["text"])
        else:
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        source_id = string(inner.get("id")) or f"{prefix}:{number}"
        version = version_of(source_id, string(fields.get("title")), (text,))
        self.versions[source_id] = self.sources[source_id] = version
        return Document(version).part()

    def turn(self, message: Mapping[str, object]) -> Turn:
        """Return one message with its parts."""
        role = string(message.get("role"))
        if role == "tool":
            return Turn(role, (self._result(message),))
        parts = []
        if string(message.get("tool_plan")):
            parts.append(Part(PartKind.REASONING, string(message["tool_plan"])))
        parts += content_parts(message.get("content") or ())
        for call in members(message.get("tool_calls")):
            call_id, inner = string(call.get("id")), mapping(call.get("function"))
            name, arguments = string(inner.get("name")), string(inner.get("arguments"))
            self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
            parts.append(Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name))
        return Turn(role, tuple(parts))

    def _result(self, message: Mapping[str, object]) -> Part:
        call_id = string(message.get("tool_call_id"))
        call = self.calls.get(call_id)
        name = call.name if call else ""
        content = message.get("content")
        given = [content] if isinstance(content, str) else items(content)
        texts: list[str] = []
        selections: list[Selection] = []
        for number, item in enumerate(given):
            place = f"{call_id}:{number}"
            document = mapping(mapping(item).get("document"))
            if document:
                text = self.document(document, number, call_id).text
                source = string(document.get("id")) or place
            else:
                text = item if isinstance(item, str) else string(mapping(item).get("text"))
                source = f"tool:{name or '?'}:{call_id}" + (f":{number}" if number else "")
                self.versions[source] = version_of(source, name, (text,))
                self.sources[place] = self.versions[source]
            texts.append(text)
            selections.append(Selection(source, self.versions[source].key.version_id))
        text = "\n".join(texts)
        self.results.setdefault(call_id, ToolResult(call_id, text, selections=tuple(selections)))
        return Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name)

    def named(self, source: Mapping[str, object]) -> Named:
        """Return the source that a citation names; what it repeats of its text is not needed."""
        name = string(source.get("id"))
        version = self.sources.get(name)
        if version is None:
            return Named(name or "?", name)
        key = version.key
        return Named(key.source_id, version.title or name, key.version_id)


PROVIDER = Provider("cohere", 130, is_request, is_response, read)
