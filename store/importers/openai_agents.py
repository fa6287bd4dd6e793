"""OpenAI Agents SDK: traces and spans as its exporter sends them.

Fields as in the SDK's tracing module.  With the Responses API a span names the
response and holds no body of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._span_console import moment
from store.importers._span_filling import settings_of, usage_from
from store.importers._span_reading import Reading
from store.importers._span_steps import Kind, Step
from store.importers._span_tables import first_rows, rows
from store.importers._wire import mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "openai-agents"
_KINDS: Final = {
    "generation": Kind.GENERATION,
    "response": Kind.GENERATION,
    "function": Kind.TOOL,
    "agent": Kind.AGENT,
}
_NO_BODY: Final = (
    "the span names a response of the Responses API, whose request and answer the export leaves out"
)


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins an export of the SDK."""
    if probe.is_folder:
        return False
    return any(each.get("object") in ("trace", "trace.span") for each in first_rows(probe.head))


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each group that has several."""
    reading = Reading(probe, _NAME)
    groups: dict[str, str] = {}
    spans: list[tuple[Mapping[str, object], str]] = []
    for row, origin in rows(probe, reading.problems.append):
        if row.get("object") == "trace":
            name = string(row.get("id"))
            groups[name] = string(row.get("group_id"))
            title = string(row.get("workflow_name"))
            reading.add_step(Step(Kind.OTHER, name, name, origin, name=title))
        elif row.get("object") == "trace.span":
            spans.append((row, origin))
    for row, origin in spans:
        step = _step(row, origin)
        step.session = groups.get(step.trace_id, "")
        reading.add_step(step)
    yield from reading.runs()


def _step(row: Mapping[str, object], origin: str) -> Step:
    held = mapping(row.get("span_data"))
    kind = string(held.get("type"))
    span_id = string(row.get("id"))
    error = mapping(row.get("error"))
    step = Step(
        kind=_KINDS.get(kind, Kind.OTHER),
        span_id=span_id,
        trace_id=string(row.get("trace_id")),
        origin=f"{origin}#{span_id or '?'}",
        parent_id=string(row.get("parent_id")),
        name=string(held.get("name")) or kind,
        start=moment(row.get("started_at")),
        end=moment(row.get("ended_at")),
        error=string(error.get("message")),
    )
    if kind == "agent":
        step.label = step.name
    else:
        step.request, step.response = held.get("input"), held.get("output")
        step.label = string(held.get("model" if kind == "generation" else "name"))
    if step.kind is Kind.GENERATION:
        _generation(step, held, kind)
    return step


def _generation(step: Step, held: Mapping[str, object], kind: str) -> None:
    settings_of(step, held.get("model_config"))
    step.usage = usage_from(held.get("usage"))
    if kind != "response":
        return
    step.id = string(held.get("response_id"))
    whole = held.get("response")
    if isinstance(whole, dict):
        step.response = whole
    if not step.request:
        step.lacks(_NO_BODY)


IMPORTER = Importer(
    name=_NAME,
    title="OpenAI Agents SDK traces",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="unknown where a field was cut at the limit of the export, and for spans of the "
    "Responses API, whose bodies the export leaves out",
    recognised_by='"object": "trace" and "trace.span"',
    proves=(
        "spans of an export whose texts were cut at its limit: the cut is found, and the call "
        "is unknown"
    ),
    order=230,
    recognise=recognise,
    read=read,
    alone=True,
)
