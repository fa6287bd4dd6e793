"""A call of Anthropic's Messages, in whichever words its exchange was recorded.

Audit rules from recorded traffic: what was cleared, compacted or fetched by
the service is told by the response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from store.importers._anthropic_blocks import Blocks
from store.importers._anthropic_citations import citation_of
from store.importers._anthropic_edits import apply_edits, drop_named
from store.importers._anthropic_stream import message_of
from store.importers._wire import (
    Edit,
    Exchange,
    Turn,
    Wire,
    count,
    items,
    mapping,
    members,
    string,
)
from store.importers._wire_documents import Documents
from store.importers._wire_dropping import RESENT, drop_compacted
from store.importers._wire_files import Files
from store.records.citations import Citation
from store.records.grades import Grade
from store.records.runs import EditKind, Part, PartKind, Usage
from store.records.text import Span

__all__ = ["read_message"]

_NOT_SETTINGS: Final = frozenset(("messages", "system", "metadata"))
_AT_SERVICE: Final = (
    "the service ran its own tools within this call: their results stand in the response, before "
    "the text that was written with them"
)
_COUNTED: Final = (
    "the usage of this call counts a compaction, and the summary that it made is not in the "
    "capture: what was written after it was written with that"
)
_COMPACTED: Final = (
    "the service compacted this request within the call: what was written after that was written "
    "with the summary in place of the messages"
)


def read_message(wire: Wire) -> Exchange:
    """Return the call of one exchange."""
    exchange = Exchange("anthropic")
    if wire.path.endswith("/count_tokens"):
        exchange.is_call = False
        exchange.notes.append("counts the tokens of a request; no model was called")
        return exchange
    message = _response(wire, exchange)
    documents = Documents()
    blocks = Blocks(documents=documents, files=Files(wire.files, documents))
    request = wire.request
    system = blocks.parts(request.get("system")) if request.get("system") else []
    exchange.instructions = [Turn("system", tuple(system))] if system else []
    exchange.sent = [blocks.turn(each) for each in members(request.get("messages"))]
    exchange.settings = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    exchange.model = string(message.get("model")) or string(request.get("model"))
    exchange.id = string(message.get("id"))
    exchange.finish_reason = string(message.get("stop_reason"))
    exchange.usage = _usage(message)
    blocks.files.judge(exchange, in_pdfium=True)
    sent_calls = len(blocks.calls)
    _what_was_read(exchange, request, message)
    _answer(exchange, message, blocks, has_request=wire.has_request)
    exchange.tool_calls = list(blocks.calls.values())
    exchange.tool_results = list(blocks.results.values())
    exchange.manifests = blocks.manifests
    exchange.versions = [*blocks.documents.versions(), *(p.version for p in blocks.pages.values())]
    exchange.written = tuple(call.id for call in exchange.tool_calls[sent_calls:])
    return exchange


def _response(wire: Wire, exchange: Exchange) -> Mapping[str, object]:
    if wire.events:
        message, ended = message_of(data for _, data in wire.events)
        if not ended:
            exchange.lost.append("the streamed response ends before its last event")
    else:
        message = dict(mapping(wire.response))
    error = message.get("error")
    if error is not None:
        exchange.error = string(mapping(error).get("message")) or json.dumps(error)
    return message


def _usage(message: Mapping[str, object]) -> Usage:
    usage = mapping(message.get("usage"))
    read = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    own = count(usage.get("input_tokens"))
    whole = None if own is None else own + (read or 0) + (written or 0)
    if not whole:
        # A call that stopped after a compaction reports its reading only there.
        whole = sum(_iteration(each) for each in members(usage.get("iterations"))) or None
    return Usage(whole, count(usage.get("output_tokens")), read, written)


def _iteration(usage: Mapping[str, object]) -> int:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(count(usage.get(name)) or 0 for name in names)


def _what_was_read(
    exchange: Exchange, request: Mapping[str, object], message: Mapping[str, object]
) -> None:
    """Find out which of the sent messages the model read."""
    named = drop_named(exchange.sent, message.get("input_transformations"))
    if named is not None:
        exchange.read = named
        exchange.doubt(Grade.DERIVED, "the response names the blocks that the service dropped")
    later = drop_compacted(exchange.sent if exchange.read is None else exchange.read)
    if later is not None:
        exchange.read = later
        exchange.doubt(Grade.DERIVED, RESENT)
    apply_edits(exchange, request, message)


def _answer(
    exchange: Exchange, message: Mapping[str, object], blocks: Blocks, *, has_request: bool
) -> None:
    """Read the content of the response: text, citations, and what the service added."""
    parts: list[Part] = []
    citations: list[Citation] = []
    text, served, compacted = "", 0, -1
    waiting = False
    for block in items(message.get("content")):
        part = blocks.part(block)
        parts.append(part)
        if part.kind is PartKind.TOOL_RESULT:
            served = len(parts)
        elif part.kind is PartKind.SUMMARY:
            compacted = len(parts) - 1
        waiting = waiting or mapping(block).get("type") == "tool_use"
        if part.kind is PartKind.TEXT:
            span = Span(len(text), len(text) + len(part.text))
            text += part.text
            citations += [
                citation_of(place, span, blocks, has_request=has_request)
                for place in members(mapping(block).get("citations"))
            ]
    if parts:
        exchange.response = [Turn("assistant", tuple(parts))]
    if compacted >= 0 and exchange.finish_reason != "compaction":
        _compacted_within(exchange, Turn("assistant", (parts[compacted],)))
    rounds = members(mapping(message.get("usage")).get("iterations"))
    if compacted < 0 and any(each.get("type") == "compaction" for each in rounds):
        exchange.doubt(Grade.UNKNOWN, _COUNTED)
    if served:
        exchange.added.append(Turn("assistant", tuple(parts[max(compacted + 1, 0) : served])))
        exchange.doubt(Grade.DERIVED, _AT_SERVICE)
    if text and (citations or not waiting):
        exchange.answer, exchange.citations = text, citations


def _compacted_within(exchange: Exchange, summary: Turn) -> None:
    turns = exchange.sent if exchange.read is None else exchange.read
    results = dict.fromkeys(
        part.tool_call_id
        for turn in turns
        for part in turn.parts
        if part.kind is PartKind.TOOL_RESULT
    )
    exchange.read = [summary]
    exchange.edits.append(Edit(EditKind.COMPACT, tuple(results), Grade.INFERRED, _COMPACTED))
    exchange.doubt(Grade.INFERRED, _COMPACTED)
