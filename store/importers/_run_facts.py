"""The small facts inside a run folder's events: manifests, selections, edits, answers, usage."""

from __future__ import annotations

from collections.abc import Mapping

from store.importers._fields import Fields, Report, pair
from store.importers._run_extension import extension, origin_in, stated_grade
from store.importers._run_store import Objects
from store.records.citations import AnswerCitation, Citation, Offsets, SourceCitation
from store.records.runs import Answer, ContextEdit, EditKind, Usage
from store.records.sources import Manifest, ManifestEntry, Selection, Version, VersionKey
from store.records.text import Span, Unit

__all__ = [
    "answer",
    "declared",
    "edit",
    "manifest",
    "selections",
    "usage",
]


def manifest(fields: Fields, versions: Mapping[VersionKey, Version], origin: str) -> Manifest:
    """Read what was on offer; the text of a preview is cut from the version where it is known."""
    entries: list[ManifestEntry] = []
    for entry in fields.objects("entries"):
        source_id = entry.text("source_id") or ""
        version_id = entry.text("version_id") or ""
        preview = entry.span("preview")
        version = versions.get(VersionKey(source_id, version_id))
        text = ""
        if preview is not None and version is not None and version.text is not None:
            text = version.text[preview.start : preview.end]
        text = extension(entry).text("preview_text") or text
        entries.append(ManifestEntry(source_id, version_id, preview, text, entry.text("block_id")))
    origin = origin_in(extension(fields), origin)
    return Manifest(fields.text("tool_call_id"), tuple(entries), origin)


def selections(fields: Fields, report: Report) -> tuple[Selection, ...]:
    """Read what a tool was asked for: one selection or a list of them."""
    value = fields.any("selection")
    if value is None:
        return ()
    made: list[Selection] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            made.append(_selection(Fields(item, report, "selection."), report))
        else:
            report('a "selection" that is no object; left out')
    return tuple(made)


def _selection(fields: Fields, report: Report) -> Selection:
    name = fields.text("unit") or Unit.CHAR
    unit = Unit.CHAR
    try:
        unit = Unit(name)
    except ValueError:
        report(f'a selection in the unit "{name}", not known here; its ranges are left out')
    ranges: list[Span] = []
    blocks: list[str] = []
    for item in fields.items("ranges") or []:
        numbers = pair(item)
        if unit is Unit.BLOCK and isinstance(item, str):
            blocks.append(item)
        elif unit is Unit.BLOCK or numbers is None or not 0 <= numbers[0] <= numbers[1]:
            report(f"a range of a selection that is none in {unit.value}s; left out")
        elif unit == name:
            ranges.append(Span(*numbers))
    return Selection(
        source_id=fields.text("source_id") or "",
        version_id=fields.text("version_id") or "",
        unit=unit,
        ranges=tuple(ranges),
        blocks=tuple(blocks),
        fields=fields.texts("fields"),
    )


def declared(fields: Fields) -> dict[str, object]:
    """Return the coverage facts as the producer claims them."""
    return dict(fields.mapping("coverage") or {})


def edit(fields: Fields, origin: str) -> ContextEdit | None:
    """Read a context edit, ``None`` when its kind is not known."""
    try:
        kind = EditKind(fields.text("kind") or "")
    except ValueError:
        return None
    return ContextEdit(
        before_call=fields.whole("before_call"),
        kind=kind,
        tool_call_ids=fields.texts("tool_call_ids") or (),
        by=fields.text("by") or "",
        reason=fields.text("reason") or "",
        grade=stated_grade(extension(fields)),
        origin=origin_in(extension(fields), origin),
    )


def usage(fields: Fields | None) -> Usage:
    """Read the reported token counts; what is not reported stays unknown."""
    if fields is None:
        return Usage()
    return Usage(
        input_tokens=fields.whole("input_tokens"),
        output_tokens=fields.whole("output_tokens"),
        cache_read_tokens=fields.whole("cache_read_tokens"),
        cache_write_tokens=fields.whole("cache_write_tokens"),
    )


def answer(fields: Fields, objects: Objects, report: Report, origin: str) -> Answer | None:
    """Read an answer with its citations, ``None`` when its text is not there."""
    text, name = fields.text("text"), fields.text("object")
    if text is None and name is not None:
        stored = objects.get(name)
        text = stored.text
        if text is None:
            report(f"object {name}: {stored.why}")
    if text is None:
        report("an answer without text; left out")
        return None
    call = fields.whole("call")
    citations = [_citation(item, text) for item in fields.objects("citations")]
    origin = origin_in(extension(fields), origin)
    return Answer(0 if call is None else call, text, tuple(citations), origin)


def _citation(fields: Fields, text: str) -> Citation:
    wrong: list[str] = []
    answer_span = _place(fields.any("span"), "span", wrong)
    span = _place(fields.any("span_in_source"), "span_in_source", wrong)
    name = fields.text("unit")
    unit = _unit(name, wrong)
    if unit is None:
        span = None
    label = fields.text("label")
    if label is None and answer_span is not None and answer_span.end <= len(text):
        label = text[answer_span.start : answer_span.end]
    source_id = fields.text("source_id") or ""
    version_id, block_id = fields.text("version_id"), fields.text("block_id")
    quote, columns = fields.text("quote"), fields.texts("fields")
    more = extension(fields)
    malformed = more.text("malformed") or "; ".join(wrong)
    unverifiable, offsets = more.text("unverifiable") or "", _offsets(more.inner("offsets"))
    whole = name is None and span is None and not (block_id or quote or columns)
    whole = whole and fields.any("span_in_source") is None
    side = more.text("side") or ("answer" if whole else "source")
    if side == "answer":
        return AnswerCitation(
            answer_span,
            source_id,
            version_id,
            block_id,
            label=label or "",
            malformed=malformed,
            unverifiable=unverifiable,
            offsets=offsets,
        )
    return SourceCitation(
        answer_span=answer_span,
        source_id=source_id,
        version_id=version_id,
        span=span,
        unit=unit or Unit.CHAR,
        block_id=block_id,
        quote=quote,
        fields=columns,
        label=label or "",
        malformed=malformed,
        unverifiable=unverifiable,
        offsets=offsets,
    )


def _unit(name: str | None, wrong: list[str]) -> Unit | None:
    """Return the unit of a place, code points where none is named, ``None`` for an unknown one."""
    try:
        return Unit.CHAR if name is None else Unit(name)
    except ValueError:
        wrong.append(f'the unit "{name}" is not known here')
        return None


def _offsets(fields: Fields | None) -> Offsets | None:
    """Return a place as its provider counts it, ``None`` where it is not whole."""
    if fields is None:
        return None
    start, end, documented = fields.whole("start"), fields.whole("end"), fields.text("documented")
    if start is None or end is None or documented is None:
        return None
    return Offsets(
        start,
        end,
        documented,
        fields.texts("fits") or (),
        fields.whole("drift"),
        inclusive=bool(fields.flag("inclusive")),
    )


def _place(value: object, name: str, wrong: list[str]) -> Span | None:
    """Return the span, or ``None``; a recorded place that is none is told in *wrong*."""
    if value is None:
        return None
    numbers = pair(value)
    if numbers is None:
        wrong.append(f"{name} is no pair of whole numbers")
        return None
    if not 0 <= numbers[0] <= numbers[1]:
        wrong.append(f"{name} [{numbers[0]}, {numbers[1]}) is negative or reversed")
        return None
    return Span(*numbers)
