"""Bedrock's RetrieveAndGenerate and its stream: an answer with what was retrieved for it.

The span of a part counts characters of the whole answer from 0.  Its end is
the last one inside, except in the stream, where it is the one behind.  The
request that the model read is made by the service and never on the wire.
"""

from __future__ import annotations

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
    return wire.path.endswith(("/retrieveandgenerate", "/retrieveandgeneratestream"))


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("bedrock")
    exchange.doubt(Grade.UNKNOWN, _MADE)
    asked = string(mapping(wire.request.get("input")).get("text"))
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
            inclusive=not wire.events,
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
    text, places = "", []
    for name, data in wire.events:
        event = mapping(data)
        if name == "output":
            text += string(event.get("text"))
        elif name == "citation":
            places.append(mapping(event.get("citation")) or event)
    return text, places


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
