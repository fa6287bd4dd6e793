"""OpenTelemetry's GenAI conventions, in all three generations.

The oldest put prompt and completion as JSON on two events (to 1.27), the
middle one an event or log record for each message (to 1.36), the newest the
messages as JSON into attributes of the span or of one event (from 1.37).
Names from the registry of the conventions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import add_usage, documents_under, offer, opened, settings_of
from store.importers._span_steps import Kind, Noted, Step, Traced
from store.importers._span_values import at, first, json_of, number, text_of
from store.importers._wire import items, mapping

__all__ = ["DIALECT"]

_OPERATIONS: Final = {
    "chat": Kind.GENERATION,
    "call_llm": Kind.GENERATION,
    "generate_content": Kind.GENERATION,
    "text_completion": Kind.GENERATION,
    "completion": Kind.GENERATION,
    "responses": Kind.GENERATION,
    "message_creation": Kind.GENERATION,
    "execute_tool": Kind.TOOL,
    "retrieval": Kind.RETRIEVAL,
    "invoke_agent": Kind.AGENT,
    "create_agent": Kind.OTHER,
    "invoke_workflow": Kind.AGENT,
    "embeddings": Kind.OTHER,
}
_MESSAGES: Final = ("system", "user", "assistant", "tool")
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_ANY_AGENT: Final = ("gen_ai.output", "genai.output")
"""Where any-agent puts what a model or a tool gave."""
_KEPT: Final = ("gen_ai.request.", "gen_ai.openai.request.")
_REFERENCES: Final = (
    ("gen_ai.input.messages_ref", "request"),
    ("gen_ai.system_instructions_ref", "instructions"),
    ("gen_ai.output.messages_ref", "response"),
)
_USAGE: Final = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
    ),
    (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
    ),
)


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    named = text_of(span.attributes, "gen_ai.operation.name").lower()
    if named:
        return _OPERATIONS.get(named, Kind.OTHER)
    if any(_is_content(event) for event in span.events):
        return Kind.GENERATION
    held = span.attributes
    if text_of(held, "gen_ai.tool.name") and "gen_ai.tool.call.id" in held:
        return Kind.TOOL
    if first(held, "gen_ai.input.messages", "gen_ai.prompt") is not None:
        return Kind.GENERATION
    asked = text_of(held, "gen_ai.request.model") and text_of(
        held, "gen_ai.system", "gen_ai.provider.name"
    )
    return Kind.GENERATION if asked and number(held, *_USAGE[0]) is not None else None


def _is_content(event: Noted) -> bool:
    name = event.name
    return name.startswith("gen_ai.content.") or name == _DETAILS or _role_of(name) != ""


def _role_of(name: str) -> str:
    """Return whose message an event holds; empty for other events."""
    if name == "gen_ai.choice":
        return "choice"
    parts = name.split(".")
    known = len(parts) == 3 and parts[0] == "gen_ai" and parts[2] == "message"  # noqa: PLR2004
    return parts[1] if known and parts[1] in _MESSAGES else ""


def fill(span: Traced, step: Step) -> None:
    """Take what the attributes and events of a span hold."""
    held = span.attributes
    step.session = step.session or text_of(held, "gen_ai.conversation.id", "session.id")
    if step.kind is Kind.TOOL:
        _tool(span, step)
        return
    if step.kind is Kind.RETRIEVAL:
        documents = documents_under(held, "gen_ai.retrieval.documents")
        offer(step, request=at(held, "gen_ai.retrieval.query.text"), response=documents)
        step.label = step.label or text_of(held, "gen_ai.data_source.id")
        return
    if step.kind not in (Kind.GENERATION, Kind.AGENT):
        return
    for event in span.events:
        if event.name == _DETAILS:
            held = {**mapping(event.body), **event.attributes, **held}
    _newest(held, step)
    _oldest(span, step)
    _middle(span, step)
    if step.kind is Kind.AGENT:
        step.label = step.label or text_of(held, "gen_ai.agent.name")
    else:
        model = text_of(held, "gen_ai.response.model", "gen_ai.request.model")
        step.label = step.label or model
    step.id = step.id or text_of(held, "gen_ai.response.id")
    reasons = json_of(at(held, "gen_ai.response.finish_reasons"))
    reason = next((str(each) for each in items(reasons)), "")
    step.finish_reason = step.finish_reason or reason
    asked = {
        key.removeprefix(start): value
        for key, value in held.items()
        for start in _KEPT
        if key.startswith(start) and not isinstance(value, (list, dict))
    }
    definitions = json_of(at(held, "gen_ai.tool.definitions"))
    settings_of(step, {**asked, **({"tools": definitions} if items(definitions) else {})})
    add_usage(step, held, _USAGE)


def _newest(held: Mapping[str, object], step: Step) -> None:
    asked = opened(step, at(held, "gen_ai.input.messages"), "gen_ai.input.messages", request=True)
    told = opened(step, at(held, "gen_ai.output.messages"), "gen_ai.output.messages", request=False)
    offer(step, request=asked, response=told)
    system = at(held, "gen_ai.system_instructions")
    if step.instructions is None and system is not None:
        step.instructions = opened(step, system, "gen_ai.system_instructions", request=True)
    for key, field in _REFERENCES:
        place = at(held, key)
        if isinstance(place, str) and place:
            what = f"{key.removesuffix('_ref')} stands elsewhere: {place}"
            step.lacks(what, request=field != "response")
            step.references[field] = (place, what)


def _oldest(span: Traced, step: Step) -> None:
    """Take prompt and completion as JSON, from events or attributes of their own."""
    for holder in (*(event.attributes for event in span.events), span.attributes):
        asked, told = at(holder, "gen_ai.prompt"), at(holder, "gen_ai.completion")
        if isinstance(asked, (str, list)):
            asked = opened(step, asked, "gen_ai.prompt", request=True)
            offer(step, request=asked)
        if isinstance(told, (str, list)):
            offer(step, response=opened(step, told, "gen_ai.completion", request=False))
    offer(step, response=first(span.attributes, *_ANY_AGENT))


def _middle(span: Traced, step: Step) -> None:
    """Take one message from each event, in the order in which they were recorded."""
    asked, told = [], []
    for event in span.events:
        role = _role_of(event.name)
        if not role:
            continue
        body = _body(event)
        if role == "choice":
            message = json_of(body.get("message"))
            if isinstance(message, (list, str)):
                message = {"content": message}
            beside = {"tool_calls": body["tool_calls"]} if "tool_calls" in body else {}
            told.append({"role": "assistant", **beside, **(mapping(message) or body)})
        else:
            asked.append({**body, "role": str(body.get("role") or role)})
    offer(step, request=asked, response=told)


def _body(event: Noted) -> dict[str, object]:
    """Return the message of an event: its body, its attributes, or JSON in one of them."""
    body = event.body
    if isinstance(body, str):
        body = json_of(body)
    if isinstance(body, dict) and body:
        return dict(body)
    inner = json_of(event.attributes.get("gen_ai.event.content"))
    if isinstance(inner, dict):
        return dict(inner)
    skipped = ("event.name", "gen_ai.system", "gen_ai.provider.name", "gen_ai.event.content")
    found = {k: json_of(v) for k, v in event.attributes.items() if k not in skipped}
    return found if found or body is None else {"content": body}


def _tool(span: Traced, step: Step) -> None:
    held = span.attributes
    name = span.name.removeprefix("execute_tool ")
    step.label = step.label or text_of(held, "gen_ai.tool.name") or name
    step.call_id = step.call_id or text_of(held, "gen_ai.tool.call.id")
    arguments = first(
        held,
        "gen_ai.tool.call.arguments",
        "tool_arguments",
        "gen_ai.tool.input",
        "gen_ai.tool.args",
    )
    result = first(
        held, "gen_ai.tool.call.result", "tool_response", "gen_ai.tool.output", *_ANY_AGENT
    )
    offer(step, request=arguments, response=result)
    for event in span.events:
        # Strands writes arguments and result of a tool as messages on its span.
        if event.name == "gen_ai.tool.message":
            offer(step, request=_body(event).get("content"))
        elif event.name == "gen_ai.choice":
            offer(step, response=_body(event).get("message"))


DIALECT = Dialect("genai", 60, kind, fill)
