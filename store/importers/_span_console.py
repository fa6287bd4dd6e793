"""Spans as an SDK prints them: one indented JSON object behind the other.

Python's ``ConsoleSpanExporter`` writes ``context`` with ids after ``0x`` and
times as ISO texts; JavaScript's writes ``traceId`` and ``id`` with
microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from store.importers._span_otlp import attributes_of
from store.importers._span_steps import Noted, Traced
from store.importers._wire import mapping, members, string

__all__ = ["console_span", "is_console_span", "moment"]

_TIME = re.compile(r"(.*[Tt ][0-9:]+)(?:\.([0-9]{1,9}))?(.*)")


def is_console_span(value: object) -> bool:
    """Return whether *value* is a span as an SDK prints it."""
    if not isinstance(value, dict) or "name" not in value:
        return False
    context = mapping(value.get("context"))
    if "trace_id" in context and "span_id" in context:
        return "span_kind" not in value and ("kind" in value or "start_time" in value)
    scope = "instrumentationScope" in value or "instrumentationLibrary" in value
    return "traceId" in value and "id" in value and (scope or "resource" in value)


def console_span(value: object, origin: str) -> Traced:
    """Return the span that a printed object is."""
    held = mapping(value)
    context = mapping(held.get("context")) or mapping(held.get("spanContext"))
    span_id = _id(context.get("span_id", context.get("spanId", held.get("id"))))
    status = mapping(held.get("status"))
    code = status.get("status_code", status.get("code"))
    failed = code in ("ERROR", "error", 2)
    start = held.get("start_time", held.get("startTime", held.get("timestamp")))
    return Traced(
        trace_id=_id(context.get("trace_id", held.get("traceId")), 32),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=_parent(held),
        name=string(held.get("name")),
        start=moment(start),
        end=moment(held.get("end_time", held.get("endTime"))),
        attributes=attributes_of(held.get("attributes")),
        events=[_event(event) for event in members(held.get("events"))],
        error=(string(status.get("description", status.get("message"))) or "failed")
        if failed
        else "",
        resource=mapping(mapping(held.get("resource")).get("attributes")),
    )


def _parent(held: Mapping[str, object]) -> str:
    inner = mapping(held.get("parentSpanContext")) or mapping(held.get("parent"))
    own = inner.get("spanId", inner.get("span_id"))
    return _id(held.get("parent_id", held.get("parentId", own)))


def _event(event: Mapping[str, object]) -> Noted:
    when = moment(event.get("timestamp", event.get("time")))
    return Noted(string(event.get("name")), when, attributes_of(event.get("attributes")))


def _id(value: object, digits: int = 16) -> str:
    if isinstance(value, (int, float)) and 0 < value < 1 << 128:
        return f"{int(value):0{digits}x}"  # a number of 128 bits may have lost its last digits
    return string(value).lower().removeprefix("0x")


def moment(value: object) -> int:
    """Return nanoseconds since 1970: of an ISO text, of seconds and nanoseconds, or a number.

    A number is taken by its size for seconds, milli-, micro- or nanoseconds.
    """
    match value:
        case [int() as seconds, int() as nanoseconds]:
            return seconds * 10**9 + nanoseconds
        case bool() | None:
            return 0
        case int() | float():
            return _scaled(value)
    return _of_text(string(value).strip())


def _of_text(text: str) -> int:
    if text.replace(".", "", 1).isdigit() and text.isascii() and len(text) < 40:  # noqa: PLR2004
        return _scaled(float(text) if "." in text else int(text))
    found = _TIME.fullmatch(text[:80])
    if found is None:
        return 0
    zone = found[3].strip().replace("Z", "+00:00").replace("UTC", "+00:00")
    try:
        when = datetime.fromisoformat(f"{found[1].replace(' ', 'T', 1)}{zone}")
    except ValueError:
        return 0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    whole = when - datetime(1970, 1, 1, tzinfo=UTC)
    seconds = whole.days * 86_400 + whole.seconds
    return max(0, seconds * 10**9 + int((found[2] or "0").ljust(9, "0")))


def _scaled(value: float) -> int:
    if not 0 < value < 1e20:  # noqa: PLR2004 - no time of these years, also no infinity
        return 0
    for limit, factor in ((1e11, 10**9), (1e14, 10**6), (1e17, 10**3)):
        if value < limit:
            return int(value * factor)
    return int(value)
