"""Google's Agent Development Kit: whole requests and responses under ``gcp.vertex.agent.*``.

From the telemetry module of google-adk.
"""

from __future__ import annotations

from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import offer, opened
from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import at, first, text_of
from store.importers._wire import mapping

__all__ = ["DIALECT"]

_OWN: Final = "gcp.vertex.agent."


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    if f"{_OWN}llm_request" in span.attributes:
        return Kind.GENERATION
    return Kind.TOOL if f"{_OWN}tool_call_args" in span.attributes else None


def fill(span: Traced, step: Step) -> None:
    """Take what a span of the kit holds."""
    held = span.attributes
    step.session = step.session or text_of(held, f"{_OWN}session_id")
    if kind(span) is None:
        return
    if step.kind is Kind.GENERATION:
        asked = opened(step, at(held, f"{_OWN}llm_request"), "llm_request", request=True)
        told = opened(step, at(held, f"{_OWN}llm_response"), "llm_response", request=False)
        offer(step, request=asked if mapping(asked).get("contents") else None, response=told)
    elif step.kind is Kind.TOOL:
        step.label = step.label or span.name.removeprefix("execute_tool ")
        result = first(held, f"{_OWN}tool_response")
        offer(step, request=at(held, f"{_OWN}tool_call_args"), response=result)


DIALECT = Dialect("adk", 15, kind, fill)
