"""W&B Weave: calls as its API and its export write them.

Fields as in Weave's trace server interface.  A value may be a reference to an
object that the file does not hold; what cannot be written as JSON is its first
thousand characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._base import Importer, Probe
from store.importers._providers import is_response
from store.importers._span_console import moment
from store.importers._span_filling import settings_of, usage_from
from store.importers._span_reading import Reading
from store.importers._span_steps import Kind, Step
from store.importers._span_tables import first_rows, has_columns, is_table, rows
from store.importers._span_values import json_of
from store.importers._wire import mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "weave"
_REFERENCE: Final = "weave:///"
_OP: Final = re.compile(r"weave:///.*/op/([^:]+)(?::.*)?")
_CALLS: Final = re.compile(
    r"chat\.completions|completions\.|messages\.(?:create|stream)|responses\.(?:create|parse)"
    r"|generate_content|litellm\.a?completion|chat\.(?:complete|stream)|\.Llm\b|ChatModel|\bllm\b",
    re.IGNORECASE,
)
_KINDS: Final = {"llm": Kind.GENERATION, "tool": Kind.TOOL, "agent": Kind.AGENT}
_ASKED: Final = ("messages", "contents", "input", "prompt")
_SHORTENED: Final = 1003
"""The length of what stands for an object that is no JSON: a thousand characters and three dots."""
_NOT_SETTINGS: Final = frozenset((*_ASKED, "self", "system"))


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins calls of Weave."""
    if probe.is_folder:
        return False
    if is_table(probe):
        return has_columns(probe, "op_name", "trace_id", "started_at")
    return any(_is_call(each) for each in first_rows(probe.head))


def _is_call(value: Mapping[str, object]) -> bool:
    named = string(value.get("op_name"))
    return named.startswith(_REFERENCE) or (bool(named) and "started_at" in value)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each trace, or for each thread that has several."""
    reading = Reading(probe, _NAME)
    for row, origin in rows(probe, reading.problems.append):
        if _is_call(row):
            reading.add_step(_step(row, origin))
    yield from reading.runs()


def _step(row: Mapping[str, object], origin: str) -> Step:
    op = string(row.get("op_name"))
    found = _OP.fullmatch(op)
    name = found[1] if found else op
    asked, told = json_of(row.get("inputs")), json_of(row.get("output"))
    span_id = string(row.get("id"))
    step = Step(
        kind=_kind(row, name, mapping(asked), told),
        span_id=span_id,
        trace_id=string(row.get("trace_id")),
        origin=f"{origin}#{span_id or '?'}",
        parent_id=string(row.get("parent_id")),
        name=string(row.get("display_name")) or name,
        label=name,
        start=moment(row.get("started_at")),
        end=moment(row.get("ended_at")),
        session=string(row.get("thread_id")),
        request=asked,
        response=told,
        error=string(row.get("exception")).partition("\n")[0],
    )
    if step.kind is Kind.GENERATION:
        _generation(step, mapping(asked), row)
    return step


def _kind(row: Mapping[str, object], name: str, asked: Mapping[str, object], told: object) -> Kind:
    attributes = mapping(json_of(row.get("attributes")))
    stated = string(attributes.get("kind")) or string(mapping(attributes.get("weave")).get("kind"))
    if stated in _KINDS:
        return _KINDS[stated]
    has_messages = any(asked.get(key) for key in _ASKED)
    if has_messages and (_CALLS.search(name) or is_response(told)):
        return Kind.GENERATION
    return Kind.RETRIEVAL if "retriev" in name.lower() and isinstance(told, list) else Kind.OTHER


def _generation(step: Step, asked: Mapping[str, object], row: Mapping[str, object]) -> None:
    step.raw_request, step.raw_response = asked, step.response
    model = asked.get("model")
    step.label = model if isinstance(model, str) else ""
    settings_of(step, {k: v for k, v in asked.items() if k not in _NOT_SETTINGS})
    summary = mapping(json_of(row.get("summary")))
    usages = [mapping(each) for each in mapping(summary.get("usage")).values()]
    if len(usages) == 1:
        step.usage = usage_from(usages[0])
    for key, value in asked.items():
        if isinstance(value, str) and len(value) == _SHORTENED and value.endswith("..."):
            step.lacks(f"{key} is no JSON, and only its first 1000 characters were recorded")


IMPORTER = Importer(
    name=_NAME,
    title="W&B Weave calls",
    layer=Layer.TELEMETRY,
    grade=Grade.RECORDED,
    grade_note="inferred where arguments stand in place of messages; "
    "unknown where an input is a reference to an object elsewhere, or was shortened",
    recognised_by="op_name that begins with weave:///, as JSON, lines or CSV",
    proves="made by the tests: calls of models with their inputs",
    order=235,
    recognise=recognise,
    read=read,
    alone=True,
)
