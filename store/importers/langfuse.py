"""Langfuse: a downloaded trace, a list of observations, or the events of its ingestion.

Fields as in Langfuse's API.  Observations that came through OpenTelemetry keep
the attributes they had under ``metadata.attributes``: what they hold more than
``input`` and ``output`` is read from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._span_console import moment
from store.importers._span_reading import Reading
from store.importers._span_steps import Traced
from store.importers._span_tables import first_rows, has_columns, is_table, rows
from store.importers._span_values import json_of, number
from store.importers._wire import mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "langfuse"
_MARKS: Final = ("parentObservationId", "completionStartTime", "usageDetails", "promptTokens")
_SNAKE: Final = ("parent_observation_id", "completion_start_time", "usage_details")
_EVENT: Final = re.compile(r"(trace|span|generation|event|observation|[a-z]+)-(create|update)")
_NO_STEP: Final = ("trace", "score", "sdk", "dataset")


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins an export of Langfuse."""
    if probe.is_folder:
        return False
    if is_table(probe):
        names = (("traceId", *_MARKS), ("trace_id", *_SNAKE))
        return any(has_columns(probe, own, mark) for own, *marks in names for mark in marks)
    found = first_rows(probe.head, "batch")
    if not found:
        return False
    first = found[0]
    inner = mapping(first.get("trace"))
    if inner and ("projectId" in inner or any(map(_is_observation, _inside(inner)))):
        return True
    if _EVENT.fullmatch(string(first.get("type"))) and isinstance(first.get("body"), dict):
        return True
    return _is_observation(first) or any(map(_is_observation, _inside(first)))


def _is_observation(value: Mapping[str, object]) -> bool:
    named = "traceId" in value or "trace_id" in value
    return named and (any(m in value for m in _MARKS) or any(m in value for m in _SNAKE))


def _inside(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    return list(members(value.get("observations")))[:1]


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each session that has several."""
    reading = Reading(probe, _NAME)
    export = _Export()
    for row, origin in rows(probe, reading.problems.append, "batch"):
        export.take(row, origin)
    for span in export.spans():
        reading.add_span(span)
    yield from reading.runs()


class _Export:
    """What a file says of each trace and observation; later events complete earlier ones."""

    def __init__(self) -> None:
        self._traces: dict[str, Mapping[str, object]] = {}
        self._found: dict[str, tuple[Mapping[str, object], str]] = {}
        self._since: dict[str, object] = {}

    def take(self, row: Mapping[str, object], origin: str) -> None:
        """Take a row: an event, an observation, or a trace with its observations."""
        event = _EVENT.fullmatch(string(row.get("type")))
        body = row.get("body")
        if event is not None and isinstance(body, dict):
            self._event(event[1], body, row, origin)
            return
        inner = mapping(row.get("trace"))
        for holder in (inner, row):
            if "id" in holder and ("observations" in holder or holder is inner):
                self._traces[string(holder.get("id"))] = holder
            for each in members(holder.get("observations")):
                self._add({"traceId": string(inner.get("id") or row.get("id")), **each}, origin)
        for trace in members(row.get("traces")):
            self.take({"sessionId": row.get("id"), **trace}, origin)
        if _is_observation(row):
            self._add(row, origin)

    def _event(
        self, kind: str, body: Mapping[str, object], row: Mapping[str, object], origin: str
    ) -> None:
        if kind == "trace":
            known = self._traces.get(string(body.get("id")), {})
            self._traces[string(body.get("id"))] = _over(known, body)
        elif kind not in _NO_STEP:
            named = body.get("type") if kind == "observation" else kind.upper()
            self._add({"type": named, **body}, origin)
            self._since.setdefault(string(body.get("id")), row.get("timestamp"))

    def _add(self, row: Mapping[str, object], origin: str) -> None:
        row = {_camel(key): value for key, value in row.items()}
        name = string(row.get("id"))
        known = self._found.get(name, ({}, origin))
        self._found[name] = (_over(known[0], row), known[1])

    def spans(self) -> Iterator[Traced]:
        """Yield each observation as a span."""
        for name, (known, origin) in self._found.items():
            row = {"startTime": self._since.get(name), **known}
            yield _span(row, self._traces.get(string(row.get("traceId")), {}), origin)


def _over(known: Mapping[str, object], row: Mapping[str, object]) -> Mapping[str, object]:
    """Return *known* with what *row* says; nothing said takes nothing away."""
    return {**known, **{key: value for key, value in row.items() if value not in (None, {}, [])}}


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _span(row: Mapping[str, object], trace: Mapping[str, object], origin: str) -> Traced:
    span_id = string(row.get("id"))
    metadata = mapping(json_of(row.get("metadata")))
    attributes = dict(mapping(json_of(metadata.get("attributes"))))
    kept = {
        "langfuse.observation.type": string(row.get("type")) or "SPAN",
        "langfuse.observation.input": row.get("input"),
        "langfuse.observation.output": row.get("output"),
        "langfuse.observation.model.name": row.get("model") or row.get("providedModelName"),
        "langfuse.observation.model.parameters": row.get("modelParameters"),
        "langfuse.observation.usage_details": _usage(row),
        "langfuse.session.id": row.get("sessionId") or trace.get("sessionId"),
    }
    attributes.update({key: value for key, value in kept.items() if value not in (None, "")})
    failed = row.get("level") == "ERROR"
    return Traced(
        trace_id=string(row.get("traceId")),
        span_id=span_id,
        origin=f"{origin}#{span_id or '?'}",
        parent_id=string(row.get("parentObservationId")),
        name=string(row.get("name")) or "observation",
        start=moment(row.get("startTime")),
        end=moment(row.get("endTime")),
        attributes=attributes,
        error=(string(row.get("statusMessage")) or "failed") if failed else "",
    )


def _usage(row: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return token counts; cached and other kinds of input are counted apart by Langfuse."""
    details = mapping(json_of(row.get("usageDetails")))
    if details:
        read = number(details, "input_cache_read", "input_cached_tokens", "cache_read_input_tokens")
        names = (name for name in details if name.startswith("input") or "cache" in name)
        counts = [number(details, name) for name in names]
        known = [each for each in counts if each is not None]
        made = {"input_tokens": sum(known) if known else None, "cache_read_input_tokens": read}
        return {**made, "output_tokens": number(details, "output", "output_tokens")}
    usage = mapping(json_of(row.get("usage")))
    return {
        **usage,
        **{k: row[k] for k in ("promptTokens", "completionTokens") if k in row},
    } or None


IMPORTER = Importer(
    name=_NAME,
    title="Langfuse traces, observations and ingestion events",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="inferred where arguments stand in place of messages; "
    "unknown where inputs were cut or left out, and where only the span of an agent "
    "is recorded",
    recognised_by="trace and observations; observations with traceId and parentObservationId, as "
    "JSON, lines or CSV; a batch of create and update events",
    proves=(
        "generations of agents of four frameworks with their inputs, in the order of their times"
    ),
    order=220,
    recognise=recognise,
    read=read,
)
