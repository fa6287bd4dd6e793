"""OpenAI's Assistants: a thread that the service keeps, and runs that answer it.

Fields as in the types of OpenAI's SDK (``beta.threads``).  The service makes
each request itself, from the thread and from files; what it sent is never on
the wire.  An answer is told by a list of the thread's messages or by the
events of a run.  A ``file_citation`` names the marker that stands for it
(``text``), by characters of the message's text, end exclusive.
"""

from __future__ import annotations

import re
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
from store.importers._wire_answers import Answers
from store.importers._wire_offsets import fit
from store.records.grades import Grade
from store.records.runs import Part, PartKind, Usage
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_KEPT: Final = (
    "the service keeps the thread and makes the request itself: what of the thread and of its "
    "files the model was given is not on the wire"
)
_ASKS: Final = re.compile(r"/threads(?:/|$)|/assistants(?:/|$)")
_OBJECTS: Final = ("thread", "thread.run", "thread.run.step", "thread.message", "assistant")


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a message, a list of messages, or an event of a run."""
    first = next(members(value.get("data")), {})
    named = string(value.get("event"))
    return (
        value.get("object") in _OBJECTS
        or (value.get("object") == "list" and first.get("object") in _OBJECTS)
        or named.startswith("thread.")
        or string(value.get("object")) == "thread.message.delta"
    )


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    return bool(_ASKS.search(wire.path)) and "/v1/" in f"{wire.path}/"


def read(wire: Wire) -> Exchange:
    """Return the answer that an exchange tells; one that tells none is no call."""
    exchange = Exchange("openai")
    exchange.doubt(Grade.UNKNOWN, _KEPT)
    told = _streamed(wire, exchange) if wire.events else _listed(wire)
    said = [message for message in told if message.get("role") == "assistant"]
    error = mapping(mapping(wire.response).get("error"))
    if not said:
        exchange.is_call = False
        what = string(error.get("message"))
        exchange.notes.append(
            f"asks the service and got an error: {what}"
            if what
            else "asks the service to keep or to run something; no answer stands in it"
        )
        return exchange
    message = said[-1]
    before = told[: told.index(message)]
    exchange.sent = [Turn(string(m.get("role")), tuple(_parts(m))) for m in before]
    exchange.sent += [_turn(each) for each in members(wire.request.get("additional_messages"))]
    exchange.id = string(message.get("id"))
    exchange.model = string(wire.request.get("model"))
    exchange.settings = {k: v for k, v in wire.request.items() if k != "additional_messages"}
    exchange.response = [Turn("assistant", tuple(_parts(message)))]
    exchange.finish_reason = string(message.get("status"))
    _answer(exchange, message)
    return exchange


def _turn(message: Mapping[str, object]) -> Turn:
    return Turn(string(message.get("role")) or "user", tuple(_parts(message)))


def _listed(wire: Wire) -> list[Mapping[str, object]]:
    """Return the messages of a thread, the oldest first."""
    response = mapping(wire.response)
    if response.get("object") == "thread.message":
        return [response]
    listed = [
        each for each in members(response.get("data")) if each.get("object") == "thread.message"
    ]
    return sorted(listed, key=lambda each: count(each.get("created_at")) or 0)


def _streamed(wire: Wire, exchange: Exchange) -> list[Mapping[str, object]]:
    """Return the messages that the events of a run tell: whole ones, else what pieces make."""
    whole: dict[str, Mapping[str, object]] = {}
    pieces: dict[str, dict[int, dict[str, object]]] = {}
    ended = False
    for name, data in wire.events:
        event = mapping(data)
        kind, message_id = string(event.get("object")), string(event.get("id"))
        ended = ended or name in ("done", "thread.run.completed", "thread.run.failed")
        if name.startswith("thread.run.") and kind == "thread.run":
            usage = mapping(event.get("usage"))
            exchange.usage = Usage(
                count(usage.get("prompt_tokens")) or None, count(usage.get("completion_tokens"))
            )
        if kind == "thread.message" and items(event.get("content")):
            whole[message_id] = event
        elif kind == "thread.message.delta":
            _grow(pieces.setdefault(message_id, {}), mapping(event.get("delta")))
    if not ended:
        exchange.lost.append("the streamed response ends before its last event")
    for message_id, parts in pieces.items():
        content = [parts[number] for number in sorted(parts)]
        made = {"id": message_id, "role": "assistant", "content": content}
        whole.setdefault(message_id, made)
    return list(whole.values())


def _grow(parts: dict[int, dict[str, object]], delta: Mapping[str, object]) -> None:
    for piece in members(delta.get("content")):
        part = parts.setdefault(count(piece.get("index")) or 0, {"type": piece.get("type")})
        held, added = dict(mapping(part.get("text"))), mapping(piece.get("text"))
        held["value"] = string(held.get("value")) + string(added.get("value"))
        held["annotations"] = [*items(held.get("annotations")), *items(added.get("annotations"))]
        part["text"] = held


def _parts(message: Mapping[str, object]) -> list[Part]:
    content = message.get("content")
    if isinstance(content, str):
        return [Part(PartKind.TEXT, content)]
    parts = []
    for each in members(content):
        text = each.get("text")
        if each.get("type") == "text":
            value = text if isinstance(text, str) else string(mapping(text).get("value"))
            parts.append(Part(PartKind.TEXT, value))
        else:
            kind = PartKind.IMAGE if "image" in string(each.get("type")) else PartKind.OPAQUE
            parts.append(Part(kind, name=string(each.get("type")), opaque_bytes=len(str(each))))
    return parts


def _answer(exchange: Exchange, message: Mapping[str, object]) -> None:
    answers = Answers()
    text = ""
    for part in members(message.get("content")):
        inner = mapping(part.get("text"))
        words = string(inner.get("value"))
        index = TextIndex(words)
        for annotation in members(inner.get("annotations")):
            kind = string(annotation.get("type"))
            named = mapping(annotation.get(kind))
            if kind != "file_citation":
                continue
            marker = string(annotation.get("text"))
            place = fit(index, annotation.get("start_index"), annotation.get("end_index"), marker)
            file_id = string(named.get("file_id")) or "?"
            answers.add(place, len(text), [answers.unread(file_id, "", _KEPT)])
        text += words
    exchange.versions = list(answers.versions.values())
    if text:
        exchange.answer, exchange.citations = text, answers.citations()


PROVIDER = Provider("openai-assistants", 107, is_request, is_response, read)
