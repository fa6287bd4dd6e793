"""OTLP as JSON: spans and log records of an export request.

Field names, ids in hexadecimal and 64-bit numbers as texts as in the OTLP
specification; also what is met beside it: ids in base64 and names of enums
(``MessageToDict`` of Python's protobuf), names with underscores, and numbers.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._span_steps import Noted, Traced
from store.importers._wire import items, mapping, members, string

__all__ = ["attributes_of", "id_of", "is_otlp", "otlp_span", "spans_in"]

_SPANS: Final = ("resourceSpans", "resource_spans")
_BATCHES: Final = "batches"
"""What the interface of Tempo calls the spans of a resource."""
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_LOGS: Final = ("resourceLogs", "resource_logs")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11}=|[A-Za-z0-9+/_-]{22}==")
_LEVELS: Final = 64
"""Attributes that nest deeper than this are kept as nothing: no convention does."""
_FAILED: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR", "Error")


def is_otlp(value: object) -> bool:
    """Return whether *value* is an export request of spans or logs, or holds one."""
    held = _unwrapped(value)
    if any(isinstance(held.get(key), list) for key in (*_SPANS, *_LOGS)):
        return True
    return any(key in each for each in members(held.get(_BATCHES)) for key in _SCOPES)


def _unwrapped(value: object) -> Mapping[str, object]:
    """Return a request out of the answer of a back end (Jaeger, Tempo) that holds it."""
    held = mapping(value)
    for key in ("result", "trace", "data"):
        inner = mapping(held.get(key))
        if any(name in inner for name in (*_SPANS, _BATCHES)):
            return inner
    return held


def spans_in(value: object, origin: str) -> Iterator[Traced]:
    """Yield the spans of one export request; a log record is a span without a name.

    Such a record has its event as its only one, and the ids that it names.
    """
    request = _unwrapped(value)
    for resource in _lists(request, *_SPANS, _BATCHES):
        about = attributes_of(mapping(resource.get("resource")).get("attributes"))
        for scope in _lists(resource, *_SCOPES):
            name = _scope(scope)
            for span in members(scope.get("spans")):
                made = otlp_span(span, origin)
                made.scope, made.resource = name, about
                yield made
    for resource in _lists(request, *_LOGS):
        about = attributes_of(mapping(resource.get("resource")).get("attributes"))
        for scope in _lists(resource, "scopeLogs", "scope_logs", "instrumentationLibraryLogs"):
            name = _scope(scope)
            for record in _lists(scope, "logRecords", "log_records", "logs"):
                made = _log(record, origin)
                made.scope, made.resource = name, about
                yield made


def _scope(scope: Mapping[str, object]) -> str:
    inner = mapping(scope.get("scope", scope.get("instrumentationLibrary")))
    return string(inner.get("name"))


def _lists(value: Mapping[str, object], *keys: str) -> Iterator[Mapping[str, object]]:
    for key in keys:
        yield from members(value.get(key))


def _any(value: Mapping[str, object], *keys: str) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def otlp_span(span: Mapping[str, object], origin: str) -> Traced:
    """Return one span of OTLP's JSON."""
    span_id = id_of(_any(span, "spanId", "span_id"))
    status = mapping(span.get("status"))
    failed = status.get("code") in _FAILED
    return Traced(
        trace_id=id_of(_any(span, "traceId", "trace_id")),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=id_of(_any(span, "parentSpanId", "parent_span_id")),
        name=string(span.get("name")),
        start=_count(_any(span, "startTimeUnixNano", "start_time_unix_nano")),
        end=_count(_any(span, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=attributes_of(span.get("attributes")),
        events=[_event(event) for event in members(span.get("events"))],
        dropped=_count(_any(span, "droppedAttributesCount", "dropped_attributes_count")),
        dropped_events=_count(_any(span, "droppedEventsCount", "dropped_events_count")),
        tells_dropped=True,
        error=(string(status.get("message")) or "failed") if failed else "",
    )


def _event(event: Mapping[str, object]) -> Noted:
    return Noted(
        name=string(event.get("name")),
        at=_count(_any(event, "timeUnixNano", "time_unix_nano")),
        attributes=attributes_of(event.get("attributes")),
        dropped=_count(_any(event, "droppedAttributesCount", "dropped_attributes_count")),
    )


def _log(record: Mapping[str, object], origin: str) -> Traced:
    attributes = attributes_of(record.get("attributes"))
    named = _any(record, "eventName", "event_name") or attributes.get("event.name")
    when = _count(_any(record, "timeUnixNano", "time_unix_nano"))
    when = when or _count(_any(record, "observedTimeUnixNano", "observed_time_unix_nano"))
    body = _value(mapping(record.get("body")))
    dropped = _count(_any(record, "droppedAttributesCount", "dropped_attributes_count"))
    span_id = id_of(_any(record, "spanId", "span_id"))
    return Traced(
        trace_id=id_of(_any(record, "traceId", "trace_id")),
        span_id=span_id,
        origin=f"{origin}#{span_id or 'log'}",
        start=when,
        events=[Noted(string(named), when, attributes, body, dropped)],
    )


def id_of(value: object) -> str:
    """Return an id in small hexadecimal letters; base64 of 8 or 16 bytes is undone."""
    text = value.hex() if isinstance(value, bytes) else string(value)
    if _BASE64.fullmatch(text):
        try:
            return base64.b64decode(text, altchars=b"-_").hex()
        except (binascii.Error, ValueError):
            pass
        try:
            return base64.b64decode(text).hex()
        except (binascii.Error, ValueError):
            return text
    text = text.lower().removeprefix("0x")
    return "" if not text.strip("0") else text


def _count(value: object) -> int:
    if isinstance(value, bool):
        return 0
    if isinstance(value, float) and value >= 0 and value < 2**64:
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:  # noqa: PLR2004
        return int(value)
    return value if isinstance(value, int) and 0 <= value < 2**64 else 0


def attributes_of(value: object) -> dict[str, object]:
    """Return attributes as a mapping: from pairs of key and value, or from a mapping."""
    if isinstance(value, dict):
        return dict(value)
    return {
        string(pair.get("key")): _value(mapping(pair.get("value")))
        for pair in members(value)
        if isinstance(pair.get("key"), str)
    }


def _value(value: Mapping[str, object], levels: int = _LEVELS) -> object:
    """Return what an ``AnyValue`` holds; bytes become a note of their size."""
    if not levels:
        return None
    for key, inner in value.items():
        name = key.replace("_", "").lower()
        if name in ("stringvalue", "boolvalue", "doublevalue"):
            return inner
        if name == "intvalue":
            known = isinstance(inner, str) and re.fullmatch(r"-?[0-9]{1,20}", inner)
            return int(inner) if known and isinstance(inner, str) else inner
        if name in ("arrayvalue", "kvlistvalue"):
            return _listed(mapping(inner).get("values"), name, levels - 1)
        if name == "bytesvalue":
            return {"type": "bytes", "size": len(string(inner)) * 3 // 4}
    return None


def _listed(values: object, name: str, levels: int) -> object:
    if name == "arrayvalue":
        return [_value(mapping(each), levels) for each in items(values)]
    return {
        string(pair.get("key")): _value(mapping(pair.get("value")), levels)
        for pair in members(values)
    }
