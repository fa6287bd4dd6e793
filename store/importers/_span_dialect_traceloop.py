"""Traceloop (OpenLLMetry): ``gen_ai.prompt.N.…`` and ``gen_ai.completion.N.…``, entities as JSON.

Names from openllmetry's ``opentelemetry-semantic-conventions-ai``; gateways
(agentgateway, Envoy, LiteLLM) write the same numbered names.
"""

from __future__ import annotations

from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import add_usage, numbered, offer, settings_of
from store.importers._span_steps import Kind, Noted, Step, Traced
from store.importers._span_values import at, indexed, json_of, positions, text_of
from store.importers._wire import mapping

__all__ = ["DIALECT"]

_KINDS: Final = {
    "workflow": Kind.OTHER,
    "task": Kind.OTHER,
    "agent": Kind.AGENT,
    "tool": Kind.TOOL,
}
_REQUESTS: Final = {
    "chat": Kind.GENERATION,
    "completion": Kind.GENERATION,
    "embedding": Kind.OTHER,
    "rerank": Kind.RETRIEVAL,
}
_FOUND: Final = ("db.query.result", "db.search.result")
_USAGE: Final = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
    ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"),
    ("gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cache_read.input_tokens"),
    ("gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_creation.input_tokens"),
)


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    held = span.attributes
    named = text_of(held, "traceloop.span.kind").lower()
    if named:
        return _KINDS.get(named, Kind.OTHER)
    asked = text_of(held, "llm.request.type").lower()
    if asked:
        return _REQUESTS.get(asked, Kind.OTHER)
    if any(event.name in _FOUND for event in span.events):
        return Kind.RETRIEVAL
    starts = ("gen_ai.prompt.", "gen_ai.completion.")
    return Kind.GENERATION if any(positions(held, start) for start in starts) else None


def fill(span: Traced, step: Step) -> None:
    """Take what a span of Traceloop holds."""
    held = span.attributes
    session = "traceloop.association.properties."
    step.session = step.session or text_of(
        held, f"{session}session_id", f"{session}thread_id", f"{session}conversation_id"
    )
    if step.kind is Kind.GENERATION:
        _generation(span, step)
    elif step.kind is Kind.RETRIEVAL:
        found = [_document(event) for event in span.events if event.name in _FOUND]
        offer(step, response=found)
    elif "traceloop.span.kind" in held:
        step.label = step.label or text_of(held, "traceloop.entity.name")
        asked = _argument(json_of(at(held, "traceloop.entity.input")))
        told = json_of(at(held, "traceloop.entity.output"))
        offer(step, request=asked, response=mapping(told).get("output", told))


def _generation(span: Traced, step: Step) -> None:
    held = span.attributes
    for asked, told in (("gen_ai.prompt", "gen_ai.completion"), ("llm.prompts", "llm.completions")):
        prompts, completions = indexed(held, asked), indexed(held, told)
        offer(
            step,
            request=_asked(step, prompts, span.dropped),
            response=[_message(each, "assistant") for _, each in completions],
        )
    model = ("gen_ai.response.model", "gen_ai.request.model", "llm.response.model")
    step.label = step.label or text_of(held, *model, "llm.request.model")
    tools = [each for _, each in indexed(held, "llm.request.functions")]
    settings_of(step, {"tools": tools} if tools else None)
    add_usage(step, held, _USAGE)


def _asked(step: Step, prompts: list[tuple[int, object]], dropped: int) -> list[object]:
    """Return the messages of a request, unless the span has them in newer attributes."""
    if not prompts or step.request is not None:
        return []
    return numbered(step, [(number, _message(each, "user")) for number, each in prompts], dropped)


def _message(value: object, role: str) -> object:
    """Return a numbered message with its role; one that is a text alone is its words."""
    if not isinstance(value, dict):
        return {"role": role, "content": value}
    return value if value.get("role") else {**value, "role": role}


def _argument(value: object) -> object:
    """Return what an entity was called with, out of the form in which it is recorded."""
    held = mapping(value)
    if held.keys() <= {"args", "kwargs"} and held:
        return held.get("kwargs") or held.get("args")
    return held.get("inputs", held.get("input_str", value))


def _document(event: Noted) -> object:
    start = f"{event.name}."
    inner = {key.removeprefix(start): value for key, value in event.attributes.items()}
    return {
        "id": inner.get("id"),
        "content": inner.get("document", inner.get("entity")),
        "score": inner.get("score", inner.get("distance")),
        "metadata": json_of(inner.get("metadata")),
    }


DIALECT = Dialect("traceloop", 40, kind, fill)
