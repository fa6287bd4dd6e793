"""Interfaces that take one text and return one: a call without messages and without citations.

OpenAI's ``/v1/completions``, Anthropic's ``/v1/complete``, and the models that
Bedrock's InvokeModel serves in words of their own (Titan, Llama, Mistral,
Jurassic, Command).  What each of them calls its text is named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._wire import (
    Exchange,
    Provider,
    Turn,
    Wire,
    count,
    mapping,
    members,
    string,
)
from store.records.runs import Part, PartKind, Usage

__all__ = ["PROVIDER"]

_PATHS: Final = (
    "/completions",
    "/complete",
    "/generate",
    "/invoke",
    "/invoke-with-response-stream",
)
_ASKED: Final = ("prompt", "inputText")
_SAID: Final = ("completion", "outputText", "generation", "text")
_LISTS: Final = ("choices", "results", "outputs", "generations", "completions")
_REASONS: Final = ("finish_reason", "stop_reason", "completionReason", "finishReason")
_INPUT: Final = ("prompt_tokens", "inputTextTokenCount", "prompt_token_count", "input_tokens")
_OUTPUT: Final = ("completion_tokens", "tokenCount", "generation_token_count", "output_tokens")


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a text completion or the first piece of one."""
    return value.get("object") == "text_completion" or value.get("type") == "completion"


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks for a text."""
    asked = any(isinstance(wire.request.get(key), str) for key in _ASKED)
    return asked and wire.path.endswith(_PATHS) and "messages" not in wire.request


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("text")
    request = wire.request
    asked = next((string(request.get(key)) for key in _ASKED if request.get(key)), "")
    exchange.sent = [Turn("user", (Part(PartKind.TEXT, asked),))] if asked else []
    exchange.settings = {k: v for k, v in request.items() if k not in _ASKED}
    pieces = [mapping(data) for _, data in wire.events] or [mapping(wire.response)]
    text = ""
    for piece in pieces:
        for said in _parts(piece):
            text += next((string(said[key]) for key in _SAID if key in said), "")
            reason = next((string(said.get(key)) for key in _REASONS if said.get(key)), "")
            exchange.finish_reason = reason or exchange.finish_reason
        exchange.id = exchange.id or string(piece.get("id"))
        exchange.model = exchange.model or string(piece.get("model"))
        error = piece.get("error", piece.get("message"))
        if error:
            exchange.error = string(mapping(error).get("message")) or json.dumps(error)
    exchange.model = exchange.model or string(request.get("model"))
    exchange.usage = Usage(_counted(pieces, _INPUT) or None, _counted(pieces, _OUTPUT))
    if wire.events and not (exchange.finish_reason or exchange.error):
        exchange.lost.append("the streamed response ends before its last event")
    if text:
        exchange.response = [Turn("assistant", (Part(PartKind.TEXT, text),))]
        exchange.answer = text
    return exchange


def _parts(piece: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield what holds the text of a piece: it itself, or the first of its list."""
    listed = next((piece[key] for key in _LISTS if isinstance(piece.get(key), list)), None)
    if listed is None:
        yield piece
        return
    first = next(members(listed), {})
    inner = mapping(first.get("data"))
    yield {**first, **inner}


def _counted(pieces: list[Mapping[str, object]], names: tuple[str, ...]) -> int | None:
    """Return the last number that is told under one of *names*."""
    found: int | None = None
    for piece in pieces:
        metrics = mapping(piece.get("amazon-bedrock-invocationMetrics"))
        told = {"input_tokens": metrics.get("inputTokenCount")} if metrics else {}
        told |= {"output_tokens": metrics.get("outputTokenCount")} if metrics else {}
        places = [mapping(piece.get("usage")), *_parts(piece), piece, told]
        number = next((count(p.get(n)) for p in places for n in names if p.get(n)), None)
        found = found if number is None else number
    return found


PROVIDER = Provider("text", 300, is_request, is_response, read)
