"""OpenAI's Responses (``POST /v1/responses``), also as others serve it (xAI, DeepSeek, Azure).

Fields as in the types of OpenAI's SDK.  A streamed response ends with the
whole of it (``response.completed``), which is taken where it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from store.importers._openai_items import Items, content_parts
from store.importers._openai_marks import mark
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
from store.importers._wire_answers import Answers
from store.importers._wire_dropping import RESENT, drop_compacted
from store.importers._wire_files import Files
from store.records.grades import Grade
from store.records.runs import Part, PartKind, Usage

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("input", "instructions", "metadata", "user"))
_TOLD: Final = ("previous_response_id", "conversation", "prompt", "truncation")
_KEEPS: Final = re.compile(r"/conversations(?:/(conv_[a-z0-9_-]+)/items)?/?$")
_AT_SERVICE: Final = (
    "the service ran its own tools within this call, and what they gave the model is only as far "
    "in the capture as the response tells it"
)
_TRUNCATES: Final = (
    "the request lets the service drop messages from its beginning without a word; its tokens do "
    "not contradict that all of them were read"
)
_SEALED: Final = (
    "an encrypted compaction stands for what was dropped, and what it keeps cannot be read"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response or the first event of a streamed one."""
    if value.get("object") in ("response", "response.compaction"):
        return True
    return string(value.get("type")) in ("response.created", "response.in_progress")


def is_request(wire: Wire) -> bool:
    """Return whether an exchange asks for a response."""
    asks = wire.interaction.method.upper() in ("POST", "")
    ours = "api.mistral.ai" not in wire.path
    return asks and (
        wire.path.endswith(("/responses", "/responses/compact"))
        or bool(ours and _KEEPS.search(wire.path))
    )


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("openai")
    if _KEEPS.search(wire.path):
        return _kept(exchange, wire)
    request = wire.request
    response = _response(wire, exchange)
    asked = Items(given=Files(wire.files))
    instructions = content_parts(request.get("instructions") or ())
    exchange.instructions = [Turn("system", tuple(instructions))] if instructions else []
    given = request.get("input")
    if isinstance(given, str):
        exchange.sent = [Turn("user", (Part(PartKind.TEXT, given),))]
    for item in items(given):
        exchange.sent += asked.turns(mapping(item))
    exchange.held = tuple(asked.ids)
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.model = string(response.get("model")) or string(request.get("model"))
    exchange.id = string(response.get("id"))
    exchange.finish_reason = string(response.get("status"))
    exchange.usage = _usage(mapping(response.get("usage")))
    # What the response tells again is what was done, also where the request is not recorded.
    told = {key: response[key] for key in _TOLD if response.get(key)}
    _context(exchange, {**request, **told}, asked)
    asked.given.judge(exchange)
    _answer(exchange, response, asked)
    return exchange


def _kept(exchange: Exchange, wire: Wire) -> Exchange:
    """Return what the service is asked to keep as a conversation."""
    exchange.is_call = False
    found = _KEEPS.search(wire.path)
    exchange.id = (found[1] if found else None) or string(mapping(wire.response).get("id"))
    given = Items(given=Files(wire.files))
    for item in members(wire.request.get("items")):
        exchange.kept += given.turns(item)
    exchange.notes.append("asks the service to keep messages; no model was called")
    return exchange


def _response(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    """Return the response; of one whose end is missing what its events tell."""
    response = mapping(wire.response)
    if wire.events:
        response = _put_together(wire, exchange)
    error = response.get("error")
    if error:
        exchange.error = string(mapping(error).get("message")) or json.dumps(error)
    return response


def _put_together(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    begun: Mapping[str, object] = {}
    done: dict[int, Mapping[str, object]] = {}
    for _, data in wire.events:
        event = mapping(data)
        kind = string(event.get("type"))
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            return mapping(event.get("response"))
        if kind == "response.created":
            begun = mapping(event.get("response"))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            done[count(event.get("output_index")) or 0] = mapping(event.get("item"))
        elif kind == "error":
            begun = {**begun, "error": event}
    exchange.lost.append("the streamed response ends before its last event")
    pieces = _pieces(wire)
    output = [_filled(done[number], number, pieces) for number in sorted(done)]
    return {**begun, "output": output, "status": "incomplete"}


def _pieces(wire: Wire) -> dict[tuple[int, int], dict[str, object]]:
    """Return the parts of text as deltas and annotations tell them, by item and part."""
    found: dict[tuple[int, int], dict[str, object]] = {}
    for _, data in wire.events:
        event = mapping(data)
        place = (count(event.get("output_index")) or 0, count(event.get("content_index")) or 0)
        kind = string(event.get("type"))
        if kind == "response.output_text.delta":
            part = found.setdefault(place, {"type": "output_text", "text": "", "annotations": []})
            part["text"] = string(part["text"]) + string(event.get("delta"))
        elif kind == "response.output_text.annotation.added" and place in found:
            known = found[place]["annotations"]
            found[place]["annotations"] = [*items(known), event.get("annotation")]
    return found


def _filled(
    item: Mapping[str, object], number: int, pieces: dict[tuple[int, int], dict[str, object]]
) -> Mapping[str, object]:
    if item.get("type") != "message" or items(item.get("content")):
        return item
    return {**item, "content": [pieces[place] for place in sorted(pieces) if place[0] == number]}


def _usage(usage: Mapping[str, object]) -> Usage:
    details = mapping(usage.get("input_tokens_details"))
    return Usage(
        count(usage.get("input_tokens")) or None,
        count(usage.get("output_tokens")),
        count(details.get("cached_tokens")),
        count(details.get("cache_write_tokens")),
    )


def _context(exchange: Exchange, request: Mapping[str, object], asked: Items) -> None:
    """Find out what of its input the request holds, and what the service keeps."""
    conversation = request.get("conversation")
    kept = string(conversation) or string(mapping(conversation).get("id"))
    exchange.previous = string(request.get("previous_response_id")) or kept
    exchange.names = (kept,) if kept else ()
    prompt = string(mapping(request.get("prompt")).get("id"))
    if prompt:
        exchange.doubt(Grade.UNKNOWN, f"the service keeps the prompt {prompt} that was used")
    for name in asked.references:
        exchange.doubt(Grade.UNKNOWN, f"the request names {name}, which the service keeps")
    later = drop_compacted(exchange.sent)
    if later is not None:
        exchange.read = later
        exchange.doubt(Grade.DERIVED, RESENT)
        if any(part.opaque_bytes for part in later[0].parts):
            exchange.doubt(Grade.INFERRED, _SEALED)
    if request.get("truncation") == "auto":
        exchange.doubt(Grade.INFERRED, _TRUNCATES)


def _answer(exchange: Exchange, response: Mapping[str, object], asked: Items) -> None:
    made = Items(calls=dict(asked.calls), results=dict(asked.results), files=dict(asked.files))
    answers = Answers()
    text, served, waiting = "", 0, False
    for item in members(response.get("output")):
        turns = made.turns(item)
        exchange.response += turns
        if any(turn.role == "tool" for turn in turns):
            served = len(exchange.response)
        waiting = waiting or string(item.get("type")) in ("function_call", "custom_tool_call")
        is_answer = item.get("type") == "message" and item.get("role") == "assistant"
        for part in members(item.get("content")) if is_answer else ():
            words = string(part.get("text"))
            for annotation in members(part.get("annotations")):
                note = mark(annotation, words, len(text), answers, made.files)
                exchange.notes += [note] if note else []
            text += words
    if served:
        exchange.added = exchange.response[:served]
        exchange.doubt(Grade.DERIVED, _AT_SERVICE)
    exchange.tool_calls = list(made.calls.values())
    exchange.tool_results = list(made.results.values())
    exchange.written = tuple(call for call in made.calls if call not in asked.calls)
    exchange.names += tuple(made.ids)
    exchange.versions = [
        *exchange.versions,
        *asked.versions.values(),
        *made.versions.values(),
        *answers.versions.values(),
    ]
    citations = answers.citations()
    if text and (citations or not waiting) and response.get("object") != "response.compaction":
        exchange.answer, exchange.citations = text, citations


PROVIDER = Provider("openai-responses", 110, is_request, is_response, read)
