"""OpenTelemetry: what a collector or an SDK wrote of spans and log records.

OTLP as JSON (one document, or one export request on each line, as the
collector's file exporter writes), as protobuf bytes (also with the length
before each request), and spans as an SDK prints them on a console.  What the
spans say of models is told by the conventions they follow (`_span_dialects`).
"""

from __future__ import annotations

from collections.abc import Iterator

from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._heads import first_value
from store.importers._span_console import console_span, is_console_span
from store.importers._span_files import documents
from store.importers._span_folder import together
from store.importers._span_frames import frames, is_frames
from store.importers._span_otlp import is_otlp, spans_in
from store.importers._span_protobuf import ProtobufError, request_of
from store.importers._span_reading import Reading
from store.importers._span_steps import Traced
from store.importers._unpacking import PackedError
from store.importers._wire import items, mapping, members
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.runs import Problem, Run

__all__ = ["IMPORTER"]

_NAME = "otlp"


def recognise(probe: Probe) -> bool:
    """Return whether a file begins an export request or a printed span, or a folder is of such."""
    return bool(together(probe, _is_file)) if probe.is_folder else _is_file(probe)


def _is_file(probe: Probe) -> bool:
    if is_frames(probe.head):
        return True
    value = first_value(probe.head)
    found = items(value)[:1] or items(mapping(value).get("spans"))[:1] or [value]
    return any(is_otlp(each) or is_console_span(each) for each in found)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace or conversation."""
    reading = Reading(probe, _NAME)
    if not probe.is_folder:
        _read_file(probe, reading)
    for each in together(probe, _is_file) if probe.is_folder else ():
        try:
            _read_file(each, reading)
        except UnreadableError as error:
            reading.problems.append(error.problem)
    yield from reading.runs()


def _read_file(probe: Probe, reading: Reading) -> None:
    if is_frames(probe.head):
        _read_frames(probe, reading)
        return
    for document in documents(probe):
        reading.problems += document.problems
        for span in _spans(document.value, document.origin):
            reading.add_span(span)


def _spans(value: object, origin: str) -> Iterator[Traced]:
    if is_otlp(value):
        yield from spans_in(value, origin)
    elif is_console_span(value):
        yield console_span(value, origin)
    else:
        for each in members(mapping(value).get("spans", value)):
            yield from _spans(each, origin)


def _read_frames(probe: Probe, reading: Reading) -> None:
    with _files.open_regular(probe.path) as file:
        data = file.read()
    number = 0
    try:
        for number, frame in enumerate(frames(data), 1):
            _read_frame(frame, f"{probe.path.name}[{number}]", reading)
    except PackedError as error:
        what = f"this export request and those behind it were not read: it {error}"
        reading.problems.append(Problem(f"{probe.path.name}[{number + 1}]", what))
    if not number and not reading.problems:
        raise UnreadableError(_files.shown(probe.label), "holds no export request")


def _read_frame(frame: bytes, origin: str, reading: Reading) -> None:
    try:
        request = loads(frame) if frame[:1] in (b"{", b"[") else request_of(frame)
    except (ProtobufError, JsonError) as error:
        what = f"this export request cannot be read ({error})"
        reading.problems.append(Problem(origin, what))
        return
    for span in _spans(request, origin):
        reading.add_span(span)


IMPORTER = Importer(
    name=_NAME,
    title="OpenTelemetry spans (OTLP JSON, protobuf, console): GenAI, OpenInference, "
    "Traceloop, AI SDK, Pydantic AI",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="inferred where arguments stand in place of messages; "
    "unknown where attributes were dropped, values cut or texts left out of a request, "
    "where they stand elsewhere, and where only the span of an agent is recorded",
    recognised_by="resourceSpans or resourceLogs, as JSON, JSON Lines or protobuf; spans with "
    "context.trace_id and attributes as SDKs print them; a folder of such files of one collector",
    proves=(
        "where a limit dropped the first messages of a request, or cut a value into broken "
        "JSON, the gap is named and the call is unknown; elsewhere it is recorded"
    ),
    order=210,
    recognise=recognise,
    read=read,
)
