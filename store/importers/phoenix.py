"""Phoenix: spans of its interface and REST API, and its data frames as CSV.

Attributes follow OpenInference, with flat or nested names.  A data frame
written as CSV has lists as Python spells them.  The server keeps its spans in
a SQLite database, of which a private copy is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._span_console import moment
from store.importers._span_database import database_rows, is_database, is_span_database
from store.importers._span_otlp import attributes_of, otlp_span
from store.importers._span_reading import Reading
from store.importers._span_steps import Noted, Traced
from store.importers._span_tables import first_rows, has_columns, is_table, rows
from store.importers._span_values import data_of, json_of
from store.importers._wire import mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "phoenix"
_COLUMN: Final = "attributes."


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins spans of Phoenix."""
    if probe.is_folder:
        return False
    if is_database(probe.head):
        return is_span_database(probe)
    if is_table(probe):
        return has_columns(probe, "context.span_id") or has_columns(probe, "context.trace_id")
    return any(_is_span(each) for each in first_rows(probe.head))


def _is_span(value: Mapping[str, object]) -> bool:
    if "context.span_id" in value:
        return True
    context = mapping(value.get("context"))
    known = "span_id" in context or "spanId" in context
    named = "span_kind" in value or "spanKind" in value
    return (known and named) or (_is_otlp(value) and "name" in value)


def _is_otlp(value: Mapping[str, object]) -> bool:
    ids = "trace_id" in value or "traceId" in value
    return ids and isinstance(value.get("attributes"), list)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each session that has several."""
    reading = Reading(probe, _NAME)
    in_database = is_database(probe.head)
    found = database_rows(probe) if in_database else rows(probe, reading.problems.append)
    for row, origin in found:
        if _is_otlp(row):
            reading.add_span(otlp_span(row, origin))
        elif _is_span(row):
            reading.add_span(_span(row, origin))
    yield from reading.runs()


def _span(row: Mapping[str, object], origin: str) -> Traced:
    context = mapping(row.get("context"))
    span_id = string(row.get("context.span_id", context.get("span_id", context.get("spanId"))))
    attributes = dict(mapping(json_of(row.get("attributes"))))
    for key, value in row.items():
        if key.startswith(_COLUMN):
            found = data_of(value)
            attributes[key.removeprefix(_COLUMN)] = value if found is None else found
    kind = string(row.get("span_kind")) or string(row.get("spanKind"))
    if kind and kind.upper() != "UNKNOWN":
        attributes.setdefault("openinference.span.kind", kind)
    failed = string(row.get("status_code", row.get("statusCode"))).upper() == "ERROR"
    message = string(row.get("status_message", row.get("statusMessage")))
    trace = row.get("context.trace_id", context.get("trace_id", context.get("traceId")))
    return Traced(
        trace_id=string(trace),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=string(row.get("parent_id", row.get("parentId"))),
        name=string(row.get("name")) or "span",
        start=moment(row.get("start_time", row.get("startTime"))),
        end=moment(row.get("end_time", row.get("endTime"))),
        attributes=attributes,
        events=[
            Noted(string(each.get("name")), attributes=attributes_of(each.get("attributes")))
            for each in members(data_of(row.get("events")))
        ],
        error=(message or "failed") if failed else "",
    )


IMPORTER = Importer(
    name=_NAME,
    title="Phoenix spans",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="inferred where arguments stand in place of messages; "
    "unknown where messages are missing from the numbered attributes or texts were "
    "redacted, and where only the span of an agent is recorded",
    recognised_by="context.trace_id and span_kind, as a JSON list or lines; a table with "
    "context.span_id (CSV, Parquet, SQLite); the SQLite database of a server",
    proves="made by the tests: spans as JSON and as a table",
    order=215,
    recognise=recognise,
    read=read,
)
