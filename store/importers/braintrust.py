"""Braintrust: rows of logs and experiments, one for each span.

Fields as in Braintrust's log schema; a later row of the same id completes an
earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._span_console import moment
from store.importers._span_filling import settings_of, usage_from
from store.importers._span_reading import Reading
from store.importers._span_steps import Kind, Step
from store.importers._span_tables import first_rows, has_columns, is_table, rows
from store.importers._span_values import json_of
from store.importers._wire import items, mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "braintrust"
_KINDS: Final = {"llm": Kind.GENERATION, "tool": Kind.TOOL}
_SESSIONS: Final = ("session_id", "thread_id", "conversation_id")


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins rows of Braintrust."""
    if probe.is_folder:
        return False
    if is_table(probe):
        return has_columns(probe, "root_span_id", "span_attributes")
    return any(map(_is_row, first_rows(probe.head)))


def _is_row(value: Mapping[str, object]) -> bool:
    return "root_span_id" in value and ("span_attributes" in value or "span_parents" in value)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each root span, or for each session that has several."""
    reading = Reading(probe, _NAME)
    for row, origin in rows(probe, reading.problems.append):
        if _is_row(row):
            reading.add_step(_step(row, origin))
    yield from reading.runs()


def _step(row: Mapping[str, object], origin: str) -> Step:
    about = mapping(json_of(row.get("span_attributes")))
    metadata = mapping(json_of(row.get("metadata")))
    metrics = mapping(json_of(row.get("metrics")))
    parents = [each for each in items(json_of(row.get("span_parents"))) if isinstance(each, str)]
    span_id = string(row.get("span_id")) or string(row.get("id"))
    error = json_of(row.get("error"))
    name = string(about.get("name"))
    step = Step(
        kind=_KINDS.get(string(about.get("type")), Kind.OTHER),
        span_id=span_id,
        trace_id=string(row.get("root_span_id")),
        origin=f"{origin}#{span_id or '?'}",
        parent_id=parents[0] if parents else "",
        name=name,
        label=name,
        start=moment(metrics.get("start")) or moment(row.get("created")),
        end=moment(metrics.get("end")),
        session=next((string(metadata[k]) for k in _SESSIONS if string(metadata.get(k))), ""),
        request=json_of(row.get("input")),
        response=json_of(row.get("output")),
        error=string(error) or string(mapping(error).get("message")),
    )
    if step.kind is Kind.GENERATION:
        step.label = string(metadata.get("model"))
        step.usage = usage_from(metrics)
        settings_of(step, {k: v for k, v in metadata.items() if k != "messages"})
    elif step.kind is Kind.OTHER and "retriev" in name.lower() and items(step.response):
        step.kind = Kind.RETRIEVAL
    return step


IMPORTER = Importer(
    name=_NAME,
    title="Braintrust logs",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="unknown where the input was left out or stands in an attachment",
    recognised_by="root_span_id and span_attributes, as JSON, lines, CSV or Parquet",
    proves="made by the tests: spans of models with their inputs",
    order=240,
    recognise=recognise,
    read=read,
    alone=True,
)
