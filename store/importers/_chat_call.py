"""Chat Completions, as OpenAI defined them and many others serve them, as a call.

What differs between those who serve it (marks in the answer) is left to the
one who asks: `Chat` has what a call holds in every dialect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._openai_items import content_parts
from store.importers._wire import Exchange, Turn, Wire, count, items, mapping, members, string
from store.importers._wire_answers import Answers
from store.importers._wire_files import Files
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage

__all__ = ["Chat", "is_chat_response"]

_NOT_SETTINGS: Final = frozenset(("messages", "metadata", "user"))


def is_chat_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a chat completion or the first piece of a streamed one."""
    if string(value.get("object")).startswith("chat.completion"):
        return True
    choice = next(members(value.get("choices")), {})
    return bool(mapping(choice.get("message")) or mapping(choice.get("delta")))


@dataclass(slots=True)
class Chat:
    """A call of this interface: ``message`` is its answer, ``response`` all that came with it."""

    exchange: Exchange
    message: Mapping[str, object] = field(default_factory=dict)
    response: Mapping[str, object] = field(default_factory=dict)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    files: Files = field(default_factory=Files)

    @classmethod
    def of(cls, wire: Wire, provider: str) -> Chat:
        """Read the call of an exchange."""
        chat = cls(Exchange(provider), files=Files(wire.files))
        exchange, request = chat.exchange, wire.request
        for message in members(request.get("messages")):
            exchange.sent.append(chat._turn(message))
        chat.files.judge(exchange)
        sent = len(chat.calls)
        chat._read_response(wire)
        exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
        exchange.model = string(chat.response.get("model")) or string(request.get("model"))
        exchange.id = string(chat.response.get("id"))
        exchange.usage = _usage(mapping(chat.response.get("usage")))
        if chat.message:
            exchange.response = [chat._turn(chat.message)]
        exchange.tool_calls = list(chat.calls.values())
        exchange.tool_results = list(chat.results.values())
        exchange.written = tuple(call.id for call in exchange.tool_calls[sent:])
        return chat

    @property
    def text(self) -> str:
        """The words of the answer."""
        parts = content_parts(self.message.get("content") or ())
        return "".join(part.text for part in parts if part.kind is PartKind.TEXT)

    def finish(self, answers: Answers) -> Exchange:
        """Return the exchange with its answer, unless the response only asks for tools."""
        citations = answers.citations()
        self.exchange.versions += answers.versions.values()
        if self.text and (citations or not _calls_in(self.message)):
            self.exchange.answer, self.exchange.citations = self.text, citations
        return self.exchange

    def _turn(self, message: Mapping[str, object]) -> Turn:
        role = string(message.get("role")) or "assistant"
        if role in ("tool", "function"):
            return Turn("tool", (self._result(message),))
        parts = []
        thought = string(message.get("reasoning_content")) or string(message.get("reasoning"))
        if thought:
            parts.append(Part(PartKind.REASONING, thought))
        parts += content_parts(message.get("content") or (), self.files)
        if string(message.get("refusal")):
            parts.append(Part(PartKind.TEXT, string(message.get("refusal"))))
        parts += [self._call(call) for call in _calls_in(message)]
        return Turn(role, tuple(parts))

    def _call(self, call: Mapping[str, object]) -> Part:
        inner = mapping(call.get("function")) or mapping(call.get("custom")) or call
        call_id, name = string(call.get("id")), string(inner.get("name"))
        given = inner.get("arguments", inner.get("input"))
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        return Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)

    def _result(self, message: Mapping[str, object]) -> Part:
        call_id = string(message.get("tool_call_id")) or string(message.get("name"))
        parts = content_parts(message.get("content"), self.files)
        text = "\n".join(part.text for part in parts if part.text)
        self.results.setdefault(call_id, ToolResult(call_id, text))
        call = self.calls.get(call_id)
        name = string(message.get("name")) or (call.name if call else "")
        size = sum(part.opaque_bytes for part in parts)
        return Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name, opaque_bytes=size)

    def _read_response(self, wire: Wire) -> None:
        exchange = self.exchange
        if wire.events:
            self.response, ended = _put_together(wire)
            if not ended:
                exchange.lost.append("the streamed response ends before its last event")
        else:
            self.response = mapping(wire.response)
        choice = next(members(self.response.get("choices")), {})
        self.message = mapping(choice.get("message"))
        exchange.finish_reason = string(choice.get("finish_reason"))
        error = self.response.get("error")
        if error:
            exchange.error = string(mapping(error).get("message")) or json.dumps(error)


def _calls_in(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the tool calls that a message makes, in the old spelling too."""
    calls = [*members(message.get("tool_calls"))]
    old = mapping(message.get("function_call"))
    return calls or ([{"id": string(old.get("name")), "function": old}] if old else [])


def _put_together(wire: Wire) -> tuple[Mapping[str, object], bool]:
    """Return the response that the pieces of a stream tell of, and whether its end came."""
    whole: dict[str, object] = {}
    message: dict[str, object] = {"role": "assistant"}
    content: list[object] = []
    calls: dict[int, dict[str, object]] = {}
    reason = ""
    for _, data in wire.events:
        piece = mapping(data)
        whole.update({k: v for k, v in piece.items() if k != "choices" and v is not None})
        choice = next((c for c in members(piece.get("choices")) if not c.get("index")), {})
        delta = mapping(choice.get("delta"))
        reason = string(choice.get("finish_reason")) or reason
        content.append(delta.get("content"))
        for key in ("reasoning_content", "reasoning", "refusal"):
            if isinstance(delta.get(key), str):
                message[key] = string(message.get(key)) + string(delta[key])
        if items(delta.get("annotations")):
            message["annotations"] = [
                *items(message.get("annotations")),
                *items(delta["annotations"]),
            ]
        for call in members(delta.get("tool_calls")):
            _add_call(calls, call)
    message["content"] = _joined(content)
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    whole["choices"] = [{"message": message, "finish_reason": reason}]
    return whole, bool(reason or whole.get("error"))


def _joined(content: list[object]) -> object:
    """Return the content of a streamed message: a text, or the list of its parts."""
    if not any(isinstance(piece, list) for piece in content):
        return "".join(string(piece) for piece in content)
    parts: list[object] = []
    for piece in content:
        parts += piece if isinstance(piece, list) else [{"type": "text", "text": string(piece)}]
    return [part for part in parts if not (isinstance(part, dict) and part.get("text") == "")]


def _add_call(calls: dict[int, dict[str, object]], piece: Mapping[str, object]) -> None:
    index = count(piece.get("index"))
    known = calls.setdefault(len(calls) if index is None else index, {"id": "", "function": {}})
    inner, added = dict(mapping(known["function"])), mapping(piece.get("function"))
    for key in ("name", "arguments"):
        inner[key] = string(inner.get(key)) + string(added.get(key))
    known["function"] = inner
    known["id"] = known["id"] or string(piece.get("id"))


def _usage(usage: Mapping[str, object]) -> Usage:
    details = mapping(usage.get("prompt_tokens_details"))
    cached = count(details.get("cached_tokens"))
    return Usage(
        count(usage.get("prompt_tokens")) or None,
        count(usage.get("completion_tokens")),
        count(usage.get("prompt_cache_hit_tokens")) if cached is None else cached,
    )
