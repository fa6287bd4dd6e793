"""MLflow traces: info and data with spans, or the data alone as it lies on the disk.

Fields as in MLflow's trace JSON of schema versions 2 and 3; values of
attributes are JSON in texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._heads import first_value
from store.importers._span_console import moment
from store.importers._span_files import documents
from store.importers._span_otlp import attributes_of, id_of
from store.importers._span_reading import Reading
from store.importers._span_steps import Noted, Traced
from store.importers._span_values import json_of, number
from store.importers._wire import items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Problem, Run

__all__ = ["IMPORTER"]

_NAME = "mlflow"
_PREVIEWS: Final = ("request_preview", "response_preview", "trace_metadata", "request_metadata")
_ONLY_PREVIEWS: Final = (
    "holds only the info of traces, whose previews are cut; export them with their spans "
    "(Trace.to_json)"
)


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins traces of MLflow."""
    if probe.is_folder:
        return False
    value = first_value(probe.head)
    found = members(value) if isinstance(value, list) else iter([mapping(value)])
    return any(_is_trace(each) for each in found)


def _is_trace(value: Mapping[str, object]) -> bool:
    info = mapping(value.get("info"))
    if info and ("trace_id" in info or "request_id" in info):
        return isinstance(value.get("data"), dict) or any(key in info for key in _PREVIEWS)
    return any(_is_span(each) for each in members(value.get("spans")))


def _is_span(value: Mapping[str, object]) -> bool:
    return any(str(key).startswith("mlflow.") for key in mapping(value.get("attributes")))


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each session that has several."""
    reading = Reading(probe, _NAME)
    empty = 0
    for document in documents(probe):
        reading.problems += document.problems
        traces = document.value if isinstance(document.value, list) else [document.value]
        for trace in members(traces):
            spans = list(_spans(trace, document.origin))
            empty += not spans
            reading.problems += _missing(trace, len(spans), document.origin)
            for span in spans:
                reading.add_span(span)
    if empty and reading.is_empty:
        raise UnreadableError(_files.shown(probe.label), _ONLY_PREVIEWS)
    yield from reading.runs()


def _missing(trace: Mapping[str, object], count: int, origin: str) -> list[Problem]:
    """Tell where the info of a trace counts more spans than its data has."""
    info = mapping(trace.get("info"))
    stats = mapping(json_of(mapping(info.get("trace_metadata")).get("mlflow.trace.sizeStats")))
    counted = number(stats, "num_spans")
    if counted is None or counted <= count:
        return []
    what = f"holds {count} of the {counted} spans that its info counts; the others are missing"
    return [Problem(origin, what)]


def _spans(trace: Mapping[str, object], origin: str) -> Iterator[Traced]:
    info = mapping(trace.get("info"))
    data = json_of(trace.get("data"))
    held = items(mapping(data).get("spans")) or items(json_of(trace.get("spans")))
    metadata = mapping(info.get("trace_metadata")) or mapping(info.get("request_metadata"))
    named = string(info.get("trace_id")) or string(info.get("request_id"))
    for each in members(held):
        span = _span(each, origin)
        span.trace_id = named or span.trace_id
        session = string(metadata.get("mlflow.trace.session"))
        if session:
            span.attributes.setdefault("mlflow.trace.session", session)
        yield span


def _span(span: Mapping[str, object], origin: str) -> Traced:
    context = mapping(span.get("context"))
    span_id = id_of(context.get("span_id", span.get("span_id")))
    status = mapping(span.get("status"))
    code = string(status.get("code")) or string(span.get("status_code"))
    failed = "ERROR" in code.upper()
    message = string(status.get("message")) or string(span.get("status_message"))
    parent = span.get("parent_span_id", span.get("parent_id"))
    return Traced(
        trace_id=id_of(context.get("trace_id", span.get("trace_id"))),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=id_of(parent),
        name=string(span.get("name")) or "span",
        start=moment(span.get("start_time_unix_nano", span.get("start_time"))),
        end=moment(span.get("end_time_unix_nano", span.get("end_time"))),
        attributes=attributes_of(span.get("attributes")),
        events=[
            Noted(string(each.get("name")), attributes=attributes_of(each.get("attributes")))
            for each in members(span.get("events"))
        ],
        error=(message or "failed") if failed else "",
    )


IMPORTER = Importer(
    name=_NAME,
    title="MLflow traces",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="inferred where arguments stand in place of messages; "
    "unknown where only the span of an agent is recorded; previews are never read",
    recognised_by="info and data.spans, or spans with attributes named mlflow.…",
    proves=(
        "made by the tests: spans with inputs as JSON, old and new layout; spans that the "
        "trace counts and does not hold are missed"
    ),
    order=225,
    recognise=recognise,
    read=read,
)
