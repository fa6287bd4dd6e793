"""Records as the lines of a run folder: what the format has a field for stands in it.

What it has none for stands beside it under one name, ``reread``, so that a
reader who does not know it loses nothing else, and one who does loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from itertools import groupby
from typing import Final

from store.records.citations import AnswerCitation, Citation, Offsets
from store.records.grades import Grade
from store.records.runs import (
    Admission,
    Answer,
    ContextEdit,
    Message,
    Part,
    PartKind,
    ToolCall,
    ToolResult,
    Usage,
)
from store.records.sources import Manifest, ManifestEntry, Selection, Version
from store.records.text import Span, Unit

__all__ = [
    "EXTENSION",
    "admission",
    "answer",
    "context_edit",
    "manifest",
    "message",
    "tool_call",
    "tool_result",
    "usage",
    "version_extension",
]

EXTENSION: Final = "reread"

Shape = dict[str, object]
Body = Callable[[str, str], Shape]
"""Returns a text under a name, or the name of the object that holds it."""


def _extended(shape: Shape, **more: object) -> Shape:
    """Return *shape* with what it has no field for, as far as there is any."""
    kept = {
        name: value
        for name, value in more.items()
        if name == "origin" or value not in ("", 0, None, False)
    }
    return {**shape, EXTENSION: kept} if kept else shape


def message(record: Message, body: Body) -> Shape:
    """Return a message in full."""
    parts = [_part(part, body) for part in record.parts]
    return _extended({"role": record.role, "parts": parts}, origin=record.origin)


_TYPES: Final = {PartKind.TOOL_RESULT: "tool_call_response"}


def _part(part: Part, body: Body) -> Shape:
    kind = part.kind
    shape: Shape = {"type": _TYPES.get(kind, kind.value)}
    rest = {
        "tool_call_id": part.tool_call_id,
        "name": part.name,
        "status": part.status,
        "source_id": part.source_id,
        "version_id": part.version_id,
        "bytes": part.opaque_bytes,
    }
    if kind is PartKind.TOOL_CALL:
        shape |= {"id": rest.pop("tool_call_id"), "name": rest.pop("name")}
        return _extended({**shape, "arguments": part.text}, **rest)
    if kind is PartKind.TOOL_RESULT:
        shape |= {"id": rest.pop("tool_call_id"), "name": rest.pop("name")}
        shape |= {"status": rest.pop("status"), **body("response", part.text)}
        return _extended(shape, **rest)
    if kind in {PartKind.IMAGE, PartKind.OPAQUE}:
        return {**shape, EXTENSION: {**rest, **body("content", part.text)}}
    for name in ("name", "source_id", "version_id"):
        if rest[name]:
            shape[name] = rest[name]
        del rest[name]
    return _extended({**shape, **body("content", part.text)}, **rest)


def usage(record: Usage) -> Shape | None:
    """Return reported token counts, ``None`` where none are reported."""
    found = {name: value for name, value in asdict(record).items() if value is not None}
    return found or None


def tool_call(record: ToolCall) -> Shape:
    """Return a tool call."""
    shape: Shape = {"id": record.id, "name": record.name, "arguments": record.arguments}
    return _extended({**shape, "by_call": record.by_call}, origin=record.origin)


def tool_result(record: ToolResult, body: Body) -> Shape:
    """Return what a tool returned."""
    shape: Shape = {"tool_call_id": record.tool_call_id, "status": record.status}
    if record.text is not None:
        shape |= body("content", record.text)
    if record.selections:
        shape["selection"] = [_selection(each) for each in record.selections]
    if record.declared:
        shape["coverage"] = dict(record.declared)
    # Whether a file was read is said also where it was not: no kind of a source decides it then.
    more: Shape = {"file_read": record.is_file_read}
    more |= {"side_file": record.side_file} if record.side_file else {}
    more["origin"] = record.origin
    return {**shape, EXTENSION: more}


def _selection(record: Selection) -> Shape:
    blocks = record.unit is Unit.BLOCK
    shape: Shape = {
        "source_id": record.source_id,
        "version_id": record.version_id,
        "unit": record.unit.value,
        "ranges": list(record.blocks) if blocks else [_pair(span) for span in record.ranges],
    }
    if record.fields is not None:
        shape["fields"] = list(record.fields)
    return shape


def _pair(span: Span | None) -> list[int] | None:
    return None if span is None else [span.start, span.end]


def manifest(record: Manifest) -> Shape:
    """Return what was on offer."""
    entries = [_entry(each) for each in record.entries]
    return _extended(
        {"tool_call_id": record.tool_call_id, "entries": entries}, origin=record.origin
    )


def _entry(record: ManifestEntry) -> Shape:
    shape: Shape = {"source_id": record.source_id, "version_id": record.version_id}
    if record.preview is not None:
        shape["preview"] = _pair(record.preview)
    if record.block_id is not None:
        shape["block_id"] = record.block_id
    return _extended(shape, preview_text=record.preview_text)


def admission(record: Admission) -> Shape:
    """Return what a budget decided."""
    shape = asdict(record)
    origin = shape.pop("origin")
    return _extended(shape, origin=origin)


def context_edit(record: ContextEdit) -> Shape:
    """Return what was taken out of requests."""
    shape: Shape = {
        "before_call": record.before_call,
        "kind": record.kind.value,
        "tool_call_ids": list(record.tool_call_ids),
        "by": record.by,
        "reason": record.reason,
    }
    weaker = "" if record.grade is Grade.RECORDED else record.grade.value
    return _extended(shape, grade=weaker, origin=record.origin)


def answer(record: Answer, body: Body) -> Shape:
    """Return an answer with its citations."""
    shape: Shape = {"call": record.call, **body("text", record.text)}
    shape["citations"] = [_citation(each) for each in record.citations]
    return _extended(shape, origin=record.origin)


def _citation(record: Citation) -> Shape:
    shape: Shape = {
        "span": _pair(record.answer_span),
        "source_id": record.source_id,
        "version_id": record.version_id,
        "block_id": record.block_id,
        "label": record.label,
    }
    more: Shape = {
        "side": "answer" if isinstance(record, AnswerCitation) else "source",
        "malformed": record.malformed,
        "unverifiable": record.unverifiable,
        "offsets": _offsets(record.offsets),
    }
    if not isinstance(record, AnswerCitation):
        shape |= {"span_in_source": _pair(record.span), "unit": record.unit.value}
        shape["quote"] = record.quote
        if record.fields is not None:
            shape["fields"] = list(record.fields)
    return _extended(shape, **more)


def _offsets(record: Offsets | None) -> Shape | None:
    return None if record is None else {**asdict(record), "fits": list(record.fits)}


def version_extension(record: Version, body: Body) -> Shape:
    """Return what a version that is no exact text has beside its line."""
    more: Shape = {
        "integrity": record.integrity.value,
        "sha256": record.sha256,
        "bytes": record.byte_length,
        "chars": record.chars,
        "unit": record.unit.value,
    }
    if record.text is not None:
        more |= body("text", record.text)
    if record.line_numbers:
        more["line_numbers"] = [list(run) for run in _runs_of(record.line_numbers)]
    if record.excerpts:
        more["excerpts"] = [
            {"start": each.start, "block_id": each.block_id, **body("text", each.text)}
            for each in record.excerpts
        ]
    return more


def _runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending numbers as pairs of a first one and how many follow one another."""
    made: list[tuple[int, int]] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        held = list(group)
        made.append((held[0][1], len(held)))
    return made
