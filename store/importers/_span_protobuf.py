"""OTLP as protobuf bytes, read into the shape that its JSON has.

Only the wire format of protobuf is read (varints, fixed and length-delimited
fields), with the field numbers of the OTLP messages: nothing is compiled, and
nothing that a file says of a size is believed before the bytes are there.
Numbers from trace.proto, logs.proto and common.proto of opentelemetry-proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["ProtobufError", "is_request", "request_of"]

_LEVELS: Final = 48
"""Values nest no deeper than this in any convention; an endless chain ends here."""
_VARINT: Final = 10
"""The most bytes of a varint."""
_MASK: Final = (1 << 64) - 1


class ProtobufError(ValueError):
    """The bytes are no protobuf message of the kind that is expected."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A message: its fields by number, with their name and how they are read."""

    fields: dict[int, tuple[str, str]] = field(default_factory=dict)


_SHAPES: Final[dict[str, _Shape]] = {
    "request": _Shape({1: ("resourceSpans", "[resource_spans")}),
    "resource_spans": _Shape({1: ("resource", "resource"), 2: ("scopeSpans", "[scope_spans")}),
    "scope_spans": _Shape({1: ("scope", "scope"), 2: ("spans", "[span")}),
    "logs": _Shape({1: ("resourceLogs", "[resource_logs")}),
    "resource_logs": _Shape({1: ("resource", "resource"), 2: ("scopeLogs", "[scope_logs")}),
    "scope_logs": _Shape({1: ("scope", "scope"), 2: ("logRecords", "[log")}),
    "resource": _Shape({1: ("attributes", "[pair")}),
    "scope": _Shape({1: ("name", "text"), 2: ("version", "text")}),
    "span": _Shape(
        {
            1: ("traceId", "hex"),
            2: ("spanId", "hex"),
            4: ("parentSpanId", "hex"),
            5: ("name", "text"),
            7: ("startTimeUnixNano", "fixed"),
            8: ("endTimeUnixNano", "fixed"),
            9: ("attributes", "[pair"),
            10: ("droppedAttributesCount", "int"),
            11: ("events", "[event"),
            12: ("droppedEventsCount", "int"),
            15: ("status", "status"),
        }
    ),
    "event": _Shape(
        {
            1: ("timeUnixNano", "fixed"),
            2: ("name", "text"),
            3: ("attributes", "[pair"),
            4: ("droppedAttributesCount", "int"),
        }
    ),
    "log": _Shape(
        {
            1: ("timeUnixNano", "fixed"),
            5: ("body", "value"),
            6: ("attributes", "[pair"),
            7: ("droppedAttributesCount", "int"),
            9: ("traceId", "hex"),
            10: ("spanId", "hex"),
            11: ("observedTimeUnixNano", "fixed"),
            12: ("eventName", "text"),
        }
    ),
    "status": _Shape({2: ("message", "text"), 3: ("code", "int")}),
    "pair": _Shape({1: ("key", "text"), 2: ("value", "value")}),
    "value": _Shape(
        {
            1: ("stringValue", "text"),
            2: ("boolValue", "bool"),
            3: ("intValue", "signed"),
            4: ("doubleValue", "double"),
            5: ("arrayValue", "array"),
            6: ("kvlistValue", "pairs"),
            7: ("bytesValue", "bytes"),
        }
    ),
    "array": _Shape({1: ("values", "[value")}),
    "pairs": _Shape({1: ("values", "[pair")}),
}


def request_of(data: bytes) -> dict[str, object]:
    """Return the export request in *data* as its JSON would be.  Raises `ProtobufError`.

    Spans and logs have the same outer form; what holds a span with ids is of spans.
    """
    wrong: list[ProtobufError] = []
    for shape, has_any in (("request", _has_spans), ("logs", _has_logs)):
        try:
            found = _message(memoryview(data), shape, _LEVELS)
        except ProtobufError as error:
            wrong.append(error)
            continue
        if has_any(found):
            return found
    raise wrong[0] if wrong else ProtobufError("holds no span and no log record")


def _has_spans(request: dict[str, object]) -> bool:
    spans = _inner(request, "resourceSpans", "scopeSpans", "spans")
    return any(len(str(span.get("traceId", ""))) == 32 for span in spans)  # noqa: PLR2004


def _has_logs(request: dict[str, object]) -> bool:
    return any(True for _ in _inner(request, "resourceLogs", "scopeLogs", "logRecords"))


def _inner(value: object, *keys: str) -> Iterator[dict[str, object]]:
    found = [value]
    for key in keys:
        lists = [each.get(key) for each in found if isinstance(each, dict)]
        found = [each for some in lists if isinstance(some, list) for each in some]
    return (each for each in found if isinstance(each, dict))


def is_request(head: bytes) -> bool:
    """Return whether *head*, which may end anywhere, begins an export request.

    Looked for is the way down to the first span: request, resource, scope,
    span, and an id of 16 bytes at its beginning.
    """
    place, levels = 0, 0
    wanted = {0: (1,), 1: (1, 2), 2: (1, 2), 3: (1,)}
    try:
        while levels <= 3:  # noqa: PLR2004 - the four levels above
            key, place = _varint(head, place)
            size, place = _varint(head, place)
            number = key >> 3
            if key & 7 != 2 or number not in wanted[levels] or not size:  # noqa: PLR2004
                return False
            if levels == 3:  # noqa: PLR2004
                return size == 16  # noqa: PLR2004 - the length of a trace id
            if number == 1 and levels:
                place += size
                if place >= len(head):
                    return False
            else:
                levels += 1
    except ProtobufError:
        return False
    return False


def _varint(data: bytes | memoryview, place: int) -> tuple[int, int]:
    value = 0
    for count in range(_VARINT):
        if place + count >= len(data):
            break
        byte = data[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value & _MASK, place + count + 1
    raise ProtobufError("ends within a number, or a number never ends")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield number and raw value of each field."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if not number:
            raise ProtobufError("a field has the number 0")
        if kind == 0:
            whole, place = _varint(data, place)
            yield number, whole
            continue
        size = {1: 8, 5: 4}.get(kind, -1)
        if kind == 2:  # noqa: PLR2004 - a length stands before the bytes
            size, place = _varint(data, place)
        if size < 0 or place + size > len(data):
            raise ProtobufError("a field is longer than what holds it")
        yield number, data[place : place + size]
        place += size


def _message(data: memoryview, shape: str, levels: int) -> dict[str, object]:
    if not levels:
        raise ProtobufError("nested too deeply to be read")
    known = _SHAPES[shape].fields
    found: dict[str, object] = {}
    for number, raw in _fields(data):
        if number not in known:
            continue
        name, kind = known[number]
        value = _read(raw, kind.removeprefix("["), levels)
        if kind.startswith("["):
            held = found.setdefault(name, [])
            if isinstance(held, list):
                held.append(value)
        else:
            found[name] = value
    return found


def _read(raw: int | memoryview, kind: str, levels: int) -> object:  # noqa: PLR0911 - kinds
    if isinstance(raw, int):
        if kind == "signed":
            return raw - (1 << 64) if raw >> 63 else raw
        if kind == "bool":
            return bool(raw)
        if kind != "int":
            raise ProtobufError("a field is a number that should be none")
        return raw
    if kind in _SHAPES:
        return _message(raw, kind, levels - 1)
    if kind == "text":
        return bytes(raw).decode("utf-8", "surrogateescape")
    if kind == "hex":
        return bytes(raw).hex()
    if kind == "bytes":
        return "=" * (len(raw) * 4 // 3)
    if kind in ("fixed", "double") and len(raw) == 8:  # noqa: PLR2004
        return struct.unpack("<Q" if kind == "fixed" else "<d", raw)[0]
    raise ProtobufError("a field has another form than it should have")
