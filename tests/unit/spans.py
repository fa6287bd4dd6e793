"""Spans as exporters write them, made for tests: OTLP as JSON and as protobuf bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.importers import importers
from store.importers._base import HandOver, Importer, Probe
from store.importers._probing import file_probe, folder_probe
from store.records.runs import Part, PartKind, Run

TRACE = "0af7651916cd43dd8448eb211c80319c"


def any_value(value: object) -> dict[str, object]:
    """Return *value* as an ``AnyValue``."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": str(value)}


def pairs(attributes: Mapping[str, object]) -> list[dict[str, object]]:
    """Return attributes as OTLP writes them."""
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def span(
    number: int,
    attributes: Mapping[str, object],
    *,
    parent: int = 0,
    name: str = "span",
    trace: str = TRACE,
    **more: object,
) -> dict[str, object]:
    """Return a span: *number* is its id and the second in which it begins."""
    found: dict[str, object] = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": name,
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + number * 10**9),
        "endTimeUnixNano": str(1_700_000_000_500_000_000 + number * 10**9),
        "attributes": pairs(attributes),
    }
    if parent:
        found["parentSpanId"] = f"{parent:016x}"
    return {**found, **more}


def event(name: str, attributes: Mapping[str, object]) -> dict[str, object]:
    """Return an event of a span."""
    return {"name": name, "timeUnixNano": "1", "attributes": pairs(attributes)}


def request(spans: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return an export request of *spans*."""
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "test"}, "spans": list(spans)}]}]}


def otlp(path: Path, *spans: Mapping[str, object]) -> Path:
    """Write an export request of *spans* and return the file."""
    path.write_text(json.dumps(request(spans)))
    return path


def probe_of(path: Path) -> Probe:
    """Return what recognition sees of a file or folder."""
    if not path.is_dir():
        return file_probe(path, path.name)
    probe = folder_probe(path, path.name)
    assert isinstance(probe, Probe)
    return probe


def importer_of(path: Path) -> Importer | None:
    """Return who recognises *path* first."""
    probe = probe_of(path)
    return next((each for each in importers() if each.recognise(probe)), None)


def read(path: Path, name: str = "otlp") -> list[Run]:
    """Return the runs of *path*, which the importer *name* must recognise first."""
    importer = importer_of(path)
    assert importer is not None
    assert importer.name == name
    found = importer.read(probe_of(path))
    return [each for each in found if not isinstance(each, HandOver)]


def one(path: Path, name: str = "otlp") -> Run:
    """Return the only run of *path*."""
    (run,) = read(path, name)
    return run


def parts(run: Run, call: int = 1) -> list[tuple[str, Part]]:
    """Return role and part of everything in the request of *call*."""
    messages = (run.messages[index] for index in run.request(call))
    return [(message.role, part) for message in messages for part in message.parts]


def said(run: Run, call: int = 1) -> list[tuple[str, str]]:
    """Return role and words of each part of the request of *call*; a tool call by its name."""
    return [
        (role, part.name if part.kind is PartKind.TOOL_CALL else part.text)
        for role, part in parts(run, call)
    ]


def lost(run: Run) -> str:
    """Return everything that the run says it lacks."""
    return " | ".join(problem.what for problem in run.problems)


# -- protobuf ------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """Return *value* as protobuf writes it."""
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def field(number: int, value: bytes | str) -> bytes:
    """Return a field with its length before it."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def pair(key: str, value: str) -> bytes:
    """Return an attribute whose value is a text."""
    return field(1, key) + field(2, field(1, value))


def proto_span(attributes: Mapping[str, str], *, dropped: int = 0) -> bytes:
    """Return an export request with one span as protobuf bytes."""
    made = field(1, bytes.fromhex(TRACE)) + field(2, bytes(7) + b"\x01") + field(5, "chat")
    made += b"\x39" + struct.pack("<Q", 1_700_000_000_000_000_000)
    made += b"".join(field(9, pair(key, value)) for key, value in attributes.items())
    if dropped:
        made += varint(10 << 3) + varint(dropped)
    scope = field(1, field(1, "test")) + field(2, made)
    resource = field(1, field(1, pair("service.name", "test")))
    return field(1, resource + field(2, scope))
