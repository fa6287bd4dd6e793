"""Pydantic Logfire: records of its query interface, by rows or by columns.

Columns as in the ``records`` table; what the spans hold follows the
conventions that `_span_dialects` finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._heads import first_value
from store.importers._span_console import moment
from store.importers._span_files import documents
from store.importers._span_otlp import attributes_of
from store.importers._span_reading import Reading
from store.importers._span_steps import Noted, Traced
from store.importers._span_tables import Row, has_columns, is_table, rows
from store.importers._span_values import json_of
from store.importers._wire import items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "logfire"
_WANTED: Final = frozenset({"span_name", "attributes"})
_MARKS: Final = frozenset({"otel_scope_name", "start_timestamp", "parent_span_id", "trace_id"})
_MOST: Final = 1_000_000
"""So many rows at most are made of columns."""


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins records of Logfire."""
    if probe.is_folder:
        return False
    if is_table(probe):
        return has_columns(probe, *_WANTED, "start_timestamp", "parent_span_id")
    value = first_value(probe.head)
    held = mapping(value)
    names = {string(each.get("name")) for each in members(held.get("columns"))}
    found = [*members(value), *members(held.get("rows")), held]
    names |= {name for each in found[:2] for name in each}
    return names >= _WANTED and len(names & _MARKS) > 1


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each conversation that has several."""
    reading = Reading(probe, _NAME)
    for row, origin in _rows(probe, reading):
        if "span_name" in row and row.get("kind") != "pending_span":
            reading.add_span(_span(row, origin))
    yield from reading.runs()


def _rows(probe: Probe, reading: Reading) -> Iterator[Row]:
    if is_table(probe):
        yield from rows(probe, reading.problems.append)
        return
    for document in documents(probe):
        reading.problems += document.problems
        held = mapping(document.value)
        columns = {
            string(c.get("name")): items(c.get("values")) for c in members(held.get("columns"))
        }
        if any(columns.values()):
            count = min(_MOST, max(map(len, columns.values())))
            for number in range(count):
                yield {k: v[number] for k, v in columns.items() if number < len(v)}, document.origin
            continue
        found = held.get("rows", document.value)
        for each in members(found if isinstance(found, list) else [found]):
            yield each, document.origin


def _span(row: Mapping[str, object], origin: str) -> Traced:
    span_id = string(row.get("span_id"))
    failed = (
        string(row.get("otel_status_code")).upper() == "ERROR" or row.get("is_exception") is True
    )
    message = string(row.get("otel_status_message")) or string(row.get("exception_message"))
    return Traced(
        trace_id=string(row.get("trace_id")),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=string(row.get("parent_span_id")),
        name=string(row.get("span_name")) or "span",
        start=moment(row.get("start_timestamp")),
        end=moment(row.get("end_timestamp")),
        attributes=attributes_of(json_of(row.get("attributes"))),
        events=[
            Noted(
                string(each.get("event_name")) or string(each.get("name")),
                moment(each.get("event_timestamp", each.get("timestamp"))),
                attributes_of(each.get("attributes")),
            )
            for each in members(json_of(row.get("otel_events")))
        ],
        error=(message or "failed") if failed else "",
        scope=string(row.get("otel_scope_name")),
    )


IMPORTER = Importer(
    name=_NAME,
    title="Pydantic Logfire records",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="unknown where texts were scrubbed or left out, and where only the span of an "
    "agent is recorded",
    recognised_by="columns span_name, attributes and start_timestamp, by rows, by columns, CSV or "
    "Parquet",
    proves="made by the tests: spans as rows and as columns",
    order=245,
    recognise=recognise,
    read=read,
)
