"""Google Gemini (``generateContent``, ``streamGenerateContent``), also as Vertex AI serves it.

Grounding counts UTF-8 bytes of all text parts joined that are no thoughts,
over the whole stream; ``startIndex`` is left out for 0.  ``citationMetadata``
names what the answer repeats, in bytes as the description of the interface has
it; there are no words to hold that against.  ``cachedContent`` names what an
earlier ``POST /cachedContents`` asked to keep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from store.importers._wire_answers import NEVER_SENT, Answers, Named
from store.importers._wire_documents import version_of
from store.importers._wire_files import Files
from store.importers._wire_marks import listing
from store.importers._wire_offsets import UTF8, Fitted, fit
from store.records.grades import Grade
from store.records.runs import Part, PartKind, ToolCall, ToolResult, Usage
from store.records.text import TextIndex

__all__ = ["PROVIDER"]

_NOT_SETTINGS: Final = frozenset(("contents", "systemInstruction", "system_instruction"))
_SEARCHED: Final = (
    "the service ran its own tools within this call, and what they gave the model is not in the "
    "capture"
)
_PUT_BEFORE: Final = (
    "the service put what it retrieved before the model itself, and what of it is not on the wire"
)


_RECITED: Final = (
    "the service says that the answer repeats this source; nothing says that it was given to the "
    "model, and its text is not on the wire"
)


def is_response(value: Mapping[str, object]) -> bool:
    """Return whether *value* is a response or a piece of a streamed one."""
    return isinstance(value.get("candidates"), list) or (
        "usageMetadata" in value and "modelVersion" in value
    )


def is_request(wire: Wire) -> bool:
    """Return whether an exchange is with this interface."""
    path = wire.path
    if path.endswith((":generatecontent", ":streamgeneratecontent", ":counttokens")):
        return True
    return "/cachedcontents" in path


def read(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("gemini")
    request = wire.request
    turns = _Turns(files=Files(wire.files))
    system = mapping(request.get("systemInstruction", request.get("system_instruction")))
    instructions = tuple(turns.parts(system.get("parts")))
    exchange.instructions = [Turn("system", instructions)] if instructions else []
    exchange.sent = [turns.turn(each) for each in members(request.get("contents"))]
    if "/cachedcontents" in wire.path or wire.path.endswith(":counttokens"):
        return _no_call(exchange, wire)
    pieces = _pieces(wire, exchange)
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    place = wire.path.rpartition("/models/")[2].partition(":")[0]
    exchange.model = next((string(p.get("modelVersion")) for p in pieces), "") or place
    exchange.id = next((string(p.get("responseId")) for p in pieces), "")
    exchange.previous = string(request.get("cachedContent"))
    turns.files.judge(exchange)
    asked = len(turns.calls)
    _answer(exchange, pieces, turns)
    exchange.tool_calls = list(turns.calls.values())
    exchange.tool_results = list(turns.results.values())
    exchange.written = tuple(call.id for call in exchange.tool_calls[asked:])
    return exchange


def _no_call(exchange: Exchange, wire: Wire) -> Exchange:
    """Return what is kept for later calls, or that only tokens were counted."""
    exchange.is_call = False
    exchange.id = string(mapping(wire.response).get("name"))
    exchange.kept = [*exchange.instructions, *exchange.sent]
    exchange.notes.append("asks the service to keep or count something; no model was called")
    if not exchange.kept:
        exchange.id = ""
    return exchange


def _pieces(wire: Wire, exchange: Exchange) -> list[Mapping[str, object]]:
    response = mapping(wire.response)
    pieces = [mapping(data) for _, data in wire.events] or [response]
    error = next((mapping(piece["error"]) for piece in pieces if "error" in piece), {})
    if error:
        exchange.error = string(error.get("message")) or json.dumps(error)
    for piece in pieces:
        for candidate in _candidates(piece):
            reason = string(candidate.get("finishReason"))
            exchange.finish_reason = reason or exchange.finish_reason
        usage = mapping(piece.get("usageMetadata"))
        if usage:
            exchange.usage = _usage(usage)
    if wire.events and not (exchange.finish_reason or exchange.error):
        exchange.lost.append("the streamed response ends before its last event")
    return pieces


def _usage(usage: Mapping[str, object]) -> Usage:
    own, tools = count(usage.get("promptTokenCount")), count(usage.get("toolUsePromptTokenCount"))
    whole = None if own is None else own + (tools or 0)
    written = count(usage.get("candidatesTokenCount"))
    return Usage(whole or None, written, count(usage.get("cachedContentTokenCount")))


def _candidates(piece: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the first candidate: the others answer the same request."""
    yield from (c for c in members(piece.get("candidates")) if not c.get("index"))


def _answer(exchange: Exchange, pieces: list[Mapping[str, object]], turns: _Turns) -> None:
    raw: list[object] = []
    grounding: dict[str, object] = {}
    recited: list[Mapping[str, object]] = []
    for piece in pieces:
        for candidate in _candidates(piece):
            raw += items(mapping(candidate.get("content")).get("parts"))
            grounding.update(mapping(candidate.get("groundingMetadata")))
            repeats = mapping(candidate.get("citationMetadata"))
            for key in ("citations", "citationSources"):
                recited += [each for each in members(repeats.get(key)) if each not in recited]
    parts = _joined(turns.parts(raw))
    if parts:
        exchange.response = [Turn("model", tuple(parts))]
    text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
    answers = Answers()
    _ground(exchange, grounding, text, answers)
    _fetched(exchange, pieces, answers)
    for place in recited:
        _recite(place, text, answers)
    served = any(
        count(mapping(p.get("usageMetadata")).get("toolUsePromptTokenCount")) for p in pieces
    )
    if served or items(grounding.get("groundingChunks")):
        exchange.added.append(Turn("tool", (Part(PartKind.OPAQUE, name="search"),)))
        exchange.doubt(Grade.DERIVED, _SEARCHED)
    exchange.versions += answers.versions.values()
    asks = any(part.kind is PartKind.TOOL_CALL for part in parts)
    citations = answers.citations()
    if text and (citations or not asks):
        exchange.answer, exchange.citations = text, citations


def _joined(parts: list[Part]) -> list[Part]:
    """Return *parts* with neighbours of text joined: a stream cuts where it likes."""
    found: list[Part] = []
    for part in parts:
        plain = part.kind in (PartKind.TEXT, PartKind.REASONING)
        if plain and found and found[-1].kind is part.kind:
            found[-1] = Part(part.kind, found[-1].text + part.text)
        elif part.text or not plain:
            found.append(part)
    return found


def _ground(
    exchange: Exchange, grounding: Mapping[str, object], text: str, answers: Answers
) -> None:
    named = [
        _chunk(exchange, chunk, answers) for chunk in members(grounding.get("groundingChunks"))
    ]
    index = TextIndex(text)
    for support in members(grounding.get("groundingSupports")):
        segment = mapping(support.get("segment"))
        start = segment.get("startIndex", 0)
        place = fit(index, start, segment.get("endIndex"), string(segment.get("text")), UTF8)
        numbers = [count(number) for number in items(support.get("groundingChunkIndices"))]
        sources = [
            named[n] if n is not None and n < len(named) else Named(f"chunk:{n}") for n in numbers
        ]
        answers.add(place, 0, sources)


def _fetched(exchange: Exchange, pieces: list[Mapping[str, object]], answers: Answers) -> None:
    """Keep the pages that the service fetched as what was on offer: their text is not told."""
    pages = dict.fromkeys(
        string(each.get("retrievedUrl"))
        for piece in pieces
        for candidate in _candidates(piece)
        for each in members(mapping(candidate.get("urlContextMetadata")).get("urlMetadata"))
    )
    named = [answers.unread(page) for page in pages if page]
    if named:
        exchange.manifests.append(listing(named))
        exchange.doubt(Grade.DERIVED, _SEARCHED)


def _recite(place: Mapping[str, object], text: str, answers: Answers) -> None:
    """Add the citation of what the answer repeats; its place is taken as it is documented."""
    found = fit(
        TextIndex(text), place.get("startIndex", 0), place.get("endIndex"), lambda _: False, UTF8
    )
    name = string(place.get("uri")) or string(place.get("title")) or string(place.get("license"))
    named = answers.unread(name or "?", string(place.get("title")), _RECITED)
    answers.add(Fitted(found.span, None, found.malformed), 0, [named])


def _chunk(exchange: Exchange, chunk: Mapping[str, object], answers: Answers) -> Named:
    """Return the source that a chunk names: a page of the web, a place, or a retrieved text."""
    kind, inner = next(((k, mapping(v)) for k, v in chunk.items() if isinstance(v, dict)), ("", {}))
    title = string(inner.get("title"))
    source_id = string(inner.get("uri")) or string(inner.get("fileSearchStore")) or title or "?"
    piece = mapping(inner.get("ragChunk"))
    text = string(inner.get("text")) or string(piece.get("text"))
    title = _with_pages(title, mapping(piece.get("pageSpan")))
    if kind != "retrievedContext" or not text:
        return answers.unread(source_id, title, NEVER_SENT)
    version = version_of(source_id, title, (text,))
    exchange.versions.append(version)
    return Named(source_id, title, version.key.version_id, sealed=_PUT_BEFORE)


def _with_pages(title: str, span: Mapping[str, object]) -> str:
    """Return the title of a piece with its pages, which count from 1, the last one inside."""
    first, last = count(span.get("firstPage")), count(span.get("lastPage"))
    if first is None:
        return title
    pages = f"{first}–{last}" if last not in (None, first) else str(first)
    return f"{title}, p. {pages}" if title else f"p. {pages}"


@dataclass(slots=True)
class _Turns:
    """Reads contents; a call without an id is known by its name and its turn among equals."""

    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    files: Files = field(default_factory=Files)
    _asked: dict[str, int] = field(default_factory=dict)
    _answered: dict[str, int] = field(default_factory=dict)

    def turn(self, content: Mapping[str, object]) -> Turn:
        """Return one content with its parts."""
        return Turn(string(content.get("role")) or "user", tuple(self.parts(content.get("parts"))))

    def parts(self, parts: object) -> list[Part]:
        """Return the parts of a content."""
        return [self._part(part) for part in members(parts)]

    def _part(self, part: Mapping[str, object]) -> Part:
        if isinstance(part.get("text"), str):
            kind = PartKind.REASONING if part.get("thought") else PartKind.TEXT
            return Part(kind, string(part["text"]))
        asked = mapping(part.get("functionCall", part.get("function_call")))
        if asked:
            return self._call(asked)
        answered = mapping(part.get("functionResponse", part.get("function_response")))
        if answered:
            return self._result(answered)
        name = next(iter(part), "")
        data = mapping(part.get(name))
        document = self._document(data)
        if document is not None:
            return document
        image = string(data.get("mimeType")).startswith("image/")
        size = len(json.dumps(part))
        return Part(PartKind.IMAGE if image else PartKind.OPAQUE, name=name, opaque_bytes=size)

    def _document(self, data: Mapping[str, object]) -> Part | None:
        """Return a document that stands in a request or is named there."""
        media = string(data.get("mimeType")) or string(data.get("mime_type"))
        name = string(data.get("displayName"))
        packed = string(data.get("data"))
        if packed and not media.startswith("image/"):
            return self.files.inline(name, media, packed)
        place = string(data.get("fileUri")) or string(data.get("file_uri"))
        return self.files.named(place, name, media) if place else None

    def _call(self, call: Mapping[str, object]) -> Part:
        name = string(call.get("name"))
        call_id = string(call.get("id")) or self._numbered(name, self._asked)
        arguments = json.dumps(call.get("args"), ensure_ascii=False)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        return Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)

    def _result(self, result: Mapping[str, object]) -> Part:
        name = string(result.get("name"))
        call_id = string(result.get("id")) or self._numbered(name, self._answered)
        response = mapping(result.get("response"))
        held = next(
            (response[key] for key in ("output", "result", "error") if key in response), response
        )
        text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
        status = "error" if "error" in response else ""
        self.results.setdefault(call_id, ToolResult(call_id, text, status))
        size = len(json.dumps(result["parts"])) if items(result.get("parts")) else 0
        return Part(
            PartKind.TOOL_RESULT,
            text,
            tool_call_id=call_id,
            name=name,
            status=status,
            opaque_bytes=size,
        )

    @staticmethod
    def _numbered(name: str, counted: dict[str, int]) -> str:
        counted[name] = counted.get(name, 0) + 1
        return f"{name}:{counted[name]}"


PROVIDER = Provider("gemini", 120, is_request, is_response, read)
