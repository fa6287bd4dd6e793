"""Spans that products write into OpenTelemetry: JSON under names of their own.

``mlflow.spanType``, ``mlflow.spanInputs``, ``mlflow.spanOutputs``;
``langfuse.observation.type``, ``.input``, ``.output``; ``langsmith.span.kind``
beside ``gen_ai.prompt`` and ``gen_ai.completion``; ``braintrust.input_json``.
"""

from __future__ import annotations

from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import offer, opened, settings_of, usage_from
from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import at, first, json_of, text_of
from store.importers._wire import mapping
from store.records.runs import Usage

__all__ = ["DIALECT"]

_KINDS: Final[dict[str, Kind | None]] = {
    "SPAN": None,
    "EVENT": None,
    "UNKNOWN": None,
    "DEFAULT": None,
    "LLM": Kind.GENERATION,
    "CHAT_MODEL": Kind.GENERATION,
    "GENERATION": Kind.GENERATION,
    "TOOL": Kind.TOOL,
    "RETRIEVER": Kind.RETRIEVAL,
    "RERANKER": Kind.RETRIEVAL,
    "AGENT": Kind.AGENT,
}


_INPUTS: Final = ("mlflow.spanInputs", "langfuse.observation.input", "braintrust.input_json")
_OUTPUTS: Final = ("mlflow.spanOutputs", "langfuse.observation.output", "braintrust.output_json")
_TYPES: Final = (
    *("mlflow.spanType", "langfuse.observation.type", "langsmith.span.kind"),
    *("braintrust.span_attributes.type", "weave.span.kind"),
)


def _type(span: Traced) -> str:
    named = text_of(span.attributes, *_TYPES)
    opened_name = json_of(named)
    return opened_name.upper() if isinstance(opened_name, str) else ""


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    named = _type(span)
    return _KINDS.get(named, Kind.OTHER) if named else None


def fill(span: Traced, step: Step) -> None:
    """Take what a span of MLflow or Langfuse holds."""
    held = span.attributes
    sessions = ("langfuse.session.id", "langfuse.trace.session_id", "mlflow.trace.session")
    step.session = step.session or text_of(held, *sessions)
    if not _type(span):
        return
    of_langsmith = "langsmith.span.kind" in held
    asked = first(held, *_INPUTS, *(("gen_ai.prompt",) if of_langsmith else ()))
    told = first(held, *_OUTPUTS, *(("gen_ai.completion",) if of_langsmith else ()))
    asked = opened(step, asked, "the input of the span", request=True)
    told = opened(step, told, "the output of the span", request=False)
    if step.kind is Kind.GENERATION:
        step.raw_request, step.raw_response = step.raw_request or asked, step.raw_response or told
        model = text_of(held, "langfuse.observation.model.name") or mapping(asked).get("model")
        step.label = step.label or (model if isinstance(model, str) else "")
        tools = json_of(at(held, "mlflow.chat.tools"))
        settings_of(step, {"tools": tools} if tools else None)
        settings_of(step, at(held, "langfuse.observation.model.parameters"))
        usage = first(held, "mlflow.chat.tokenUsage", "langfuse.observation.usage_details")
        if step.usage == Usage() and usage is not None:
            step.usage = usage_from(json_of(usage))
    elif step.kind is not Kind.RETRIEVAL:
        step.label = step.label or span.name
    offer(step, request=asked, response=told)


DIALECT = Dialect("products", 5, kind, fill, filling=90)
