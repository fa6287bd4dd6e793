"""Bedrock's RetrieveAndGenerate, its stream, and InvokeAgent: an answer with what was retrieved.

The span of a part counts characters of the whole answer from 0.  Its end is
the last one inside, except in the stream, where it is the one behind.  An
agent answers in ``chunk`` events, whose text is base64 and whose citations
stand beside it (``attribution``); there the end is inside as well.  The
request that the model read is made by the service and never on the wire.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

from store.importers._wire import Exchange, Provider, Turn, Wire, mapping, members, string
from store.importers._wire_answers import Answers, Named
from store.importers._wire_documents import version_of
from store.importers._wire_offsets import fit
from store.records.grades import Grade
from store.records.runs import Part, PartKind
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_AGENT: Final = re.compile(
    r"/agents/[^/]+/(?:agentaliases/[^/]+/)?sessions/[^/]+/text$|/agents/[^/]+$"
)
_MADE: Final = (
    "the service makes the request itself from what it retrieves, and that request is not on the "
    "wire"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response of RetrieveAndGenerate."""
    first = next(members(value.get("citations")), {})
    return "generatedResponsePart" in first


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with RetrieveAndGenerate."""
    if wire.path.endswith(("/retrieveandgenerate", "/retrieveandgeneratestream")):
        return True
    return bool(_AGENT.search(wire.path))


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("bedrock")
    exchange.doubt(Grade.UNKNOWN, _MADE)
    is_agent = bool(_AGENT.search(wire.path))
    asked = string(mapping(wire.request.get("input")).get("text"))
    asked = asked or string(wire.request.get("inputText"))
    exchange.sent = [Turn("user", (Part(PartKind.TEXT, asked),))] if asked else []
    exchange.settings = {k: v for k, v in wire.request.items() if k != "input"}
    if wire.events:
        text, places = _streamed(wire)
    else:
        response = mapping(wire.response)
        exchange.error = string(response.get("message"))
        text = string(mapping(response.get("output")).get("text"))
        places = list(members(response.get("citations")))
        text = text or "".join(string(_part(place).get("text")) for place in places)
    answers = Answers()
    index = TextIndex(text)
    for place in places:
        part = _part(place)
        span = mapping(part.get("span"))
        found = fit(
            index,
            span.get("start"),
            span.get("end"),
            string(part.get("text")),
            inclusive=is_agent or not wire.events,
        )
        references = members(place.get("retrievedReferences"))
        answers.add(found, 0, [_reference(exchange, each) for each in references])
    if text:
        exchange.response = [Turn("assistant", (Part(PartKind.TEXT, text),))]
        exchange.answer, exchange.citations = text, answers.citations()
    return exchange


def _part(place: Mapping[str, object]) -> Mapping[str, object]:
    return mapping(mapping(place.get("generatedResponsePart")).get("textResponsePart"))


def _streamed(wire: Wire) -> tuple[str, list[Mapping[str, object]]]:
    text = ""
    places: list[Mapping[str, object]] = []
    for name, data in wire.events:
        event = mapping(data)
        if name == "output":
            text += string(event.get("text"))
        elif name == "chunk":
            text += _decoded(event.get("bytes"))
            places += members(mapping(event.get("attribution")).get("citations"))
        elif name == "citation":
            places.append(mapping(event.get("citation")) or event)
    return text, places


def _decoded(packed: object) -> str:
    try:
        return base64.b64decode(string(packed)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _reference(exchange: Exchange, reference: Mapping[str, object]) -> Named:
    """Keep a retrieved text: obtained, and what of it the model read is not known."""
    location = mapping(reference.get("location"))
    inner = next((mapping(v) for v in location.values() if isinstance(v, dict)), {})
    source_id = next((string(v) for v in inner.values() if string(v)), "") or "?"
    text = string(mapping(reference.get("content")).get("text"))
    version = version_of(source_id, source_id.rpartition("/")[2], (text,))
    if all(known.key != version.key for known in exchange.versions):
        exchange.versions.append(version)
    return Named(source_id, version.title, version.key.version_id, sealed=_MADE)


PROVIDER = Provider("bedrock-rag", 106, is_request, is_response, read)
