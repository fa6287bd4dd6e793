"""Pydantic AI and Logfire: messages as events in one attribute, requests of the OpenAI client.

``events`` (older ``all_messages_events``) hold the events of the GenAI
conventions as a JSON list; ``request_data`` and ``response_data`` are what
Logfire's integrations keep.  From the source of pydantic-ai and logfire.
"""

from __future__ import annotations

from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import offer, opened, usage_from
from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import at, first, json_of, text_of
from store.importers._wire import items, mapping
from store.records.runs import Usage

__all__ = ["DIALECT"]

_RUN: Final = ("all_messages_events", "pydantic_ai.all_messages")
_SCRUBBED: Final = "[Scrubbed"


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    held = span.attributes
    if any(key in held for key in _RUN):
        return Kind.AGENT
    asked = mapping(json_of(held.get("request_data")))
    if "messages" in asked or "input" in asked or "contents" in asked:
        return Kind.GENERATION
    if "model_request_parameters" in held:
        return Kind.GENERATION
    if "tool_response" in held or "tool_arguments" in held:
        return Kind.TOOL
    return None


def fill(span: Traced, step: Step) -> None:
    """Take what a span of Pydantic AI or Logfire holds."""
    held = span.attributes
    if kind(span) is None and "events" not in held:
        return
    if step.kind is Kind.AGENT:
        step.label = step.label or text_of(held, "agent_name", "gen_ai.agent.name")
        told = first(held, "final_result")
        offer(step, request=opened(step, first(held, *_RUN), "all messages", request=True))
        offer(step, response=told)
    elif step.kind is Kind.TOOL:
        offer(step, request=at(held, "tool_arguments"), response=at(held, "tool_response"))
    elif step.kind is Kind.GENERATION:
        _events(span, step)
        _integration(span, step)
    if step.kind is Kind.GENERATION and _is_scrubbed(step.request):
        step.lacks("texts of the request were scrubbed as they were recorded")


def _events(span: Traced, step: Step) -> None:
    events = opened(step, at(span.attributes, "events"), "events", request=True)
    asked, told = [], []
    for event in items(events):
        held = mapping(event)
        name = str(held.get("event.name") or "")
        if name == "gen_ai.choice":
            told.append({"role": "assistant", **mapping(held.get("message"))})
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            asked.append({**held, "role": held.get("role") or name.split(".")[1]})
    offer(step, request=asked, response=told)


def _integration(span: Traced, step: Step) -> None:
    asked = opened(step, at(span.attributes, "request_data"), "request_data", request=True)
    told = opened(step, at(span.attributes, "response_data"), "response_data", request=False)
    if not mapping(asked):
        return
    answer = mapping(told)
    streamed = answer.get("combined_chunk_content")
    message = answer.get("message", answer.get("output", streamed))
    offer(step, request=asked, response=message if message is not None else told)
    step.label = step.label or str(mapping(asked).get("model") or "")
    if step.usage == Usage():
        step.usage = usage_from(answer.get("usage"))


def _is_scrubbed(request: object) -> bool:
    return _SCRUBBED in str(request)[:1_000_000]


DIALECT = Dialect("logfire", 50, kind, fill)
