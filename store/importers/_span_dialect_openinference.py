"""OpenInference: messages under numbered names, documents of retrievers with their text.

Names from OpenInference's semantic conventions; LlamaIndex, LangChain, DSPy,
Haystack, smolagents and others are recorded with them.  ``input.value`` of an
LLM span is the call as the library was given it, which often is the
provider's own request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import add_usage, documents_under, numbered, offer, settings_of
from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import at, first, indexed, json_of, text_of
from store.importers._wire import mapping

__all__ = ["DIALECT"]

_KINDS: Final = {
    "LLM": Kind.GENERATION,
    "TOOL": Kind.TOOL,
    "RETRIEVER": Kind.RETRIEVAL,
    "RERANKER": Kind.RETRIEVAL,
    "AGENT": Kind.AGENT,
}
_USAGE: Final = (
    ("llm.token_count.prompt",),
    ("llm.token_count.completion",),
    ("llm.token_count.prompt_details.cache_read",),
    ("llm.token_count.prompt_details.cache_write",),
)
_REDACTED: Final = "__REDACTED__"


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    named = text_of(span.attributes, "openinference.span.kind").upper()
    if named:
        return _KINDS.get(named, Kind.OTHER)
    if any(key.startswith("llm.input_messages.") for key in span.attributes):
        # The oldest attributes go first where there are too many, and the kind is the oldest.
        return Kind.GENERATION
    return None


def fill(span: Traced, step: Step) -> None:
    """Take what an OpenInference span holds."""
    held = span.attributes
    if kind(span) is None:
        return
    step.session = step.session or text_of(held, "session.id")
    if step.kind is Kind.GENERATION:
        _generation(span, step)
    elif step.kind is Kind.TOOL:
        _tool(span, step)
    elif step.kind is Kind.RETRIEVAL:
        names = ("retrieval.documents", "reranker.output_documents")
        documents = next(filter(None, (documents_under(held, name) for name in names)), None)
        offer(step, request=first(held, "reranker.query", "input.value"), response=documents)
    else:
        step.label = step.label or text_of(held, "agent.name", "graph.node.name")
        offer(step, request=at(held, "input.value"), response=at(held, "output.value"))


def _generation(span: Traced, step: Step) -> None:
    held = span.attributes
    messages = indexed(held, "llm.input_messages")
    written = indexed(held, "llm.output_messages")
    prompts = indexed(held, "llm.prompts")
    texts = indexed(held, "llm.choices")
    if not messages and isinstance(at(held, "llm.input_messages"), str):
        step.lacks("llm.input_messages is recorded in a spelling that is not read")
    if messages:
        whole = _whole(at(held, "input.value"), messages[-1][0] + 1)
        if whole and (span.dropped or len(messages) <= messages[-1][0]):
            # The attributes lost some of them, and the body of the request has them all.
            step.request, step.is_whole = json_of(at(held, "input.value")), True
        elif not (isinstance(step.request, list) and len(step.request) > len(messages)):
            asked = numbered(step, messages, span.dropped)
            step.request = asked if len(asked) > len(messages) else step.request
            offer(step, request=asked)
    elif prompts:
        offer(step, request=[_completed(prompt, "prompt") for _, prompt in prompts])
    if written:
        offer(step, response=numbered(step, written, span.dropped, request=False))
    elif texts:
        offer(step, response=[_completed(text, "completion") for _, text in texts])
    step.raw_request = step.raw_request or json_of(at(held, "input.value"))
    step.raw_response = step.raw_response or json_of(at(held, "output.value"))
    if step.request is None and _is_no_json(held):
        step.lacks("input.value says that it is JSON and is none: it was replaced")
    offer(step, request=at(held, "input.value"), response=at(held, "output.value"))
    if _REDACTED in (at(held, "input.value"), *map(str, map(_content, messages))):
        step.lacks("texts of the request were redacted as they were recorded (__REDACTED__)")
    step.label = step.label or text_of(held, "llm.model_name", "embedding.model_name")
    step.finish_reason = step.finish_reason or text_of(held, "llm.finish_reason")
    settings_of(step, at(held, "llm.invocation_parameters"), indexed(held, "llm.tools"))
    add_usage(step, held, _USAGE)


def _whole(value: object, count: int) -> bool:
    """Return whether *value* is the body of a request with at least *count* messages."""
    held = mapping(json_of(value))
    lists = (held.get(key) for key in ("messages", "input", "contents"))
    return any(isinstance(each, list) and len(each) >= count for each in lists)


def _is_no_json(held: Mapping[str, object]) -> bool:
    """Return whether the input is said to be JSON, and is a text that is none."""
    value = at(held, "input.value")
    said = text_of(held, "input.mime_type") == "application/json"
    return said and isinstance(value, str) and isinstance(json_of(value), str)


def _content(pair: tuple[int, object]) -> object:
    message = pair[1]
    inner = message.get("message", message) if isinstance(message, dict) else {}
    return inner.get("content") if isinstance(inner, dict) else None


def _completed(value: object, name: str) -> object:
    """Return the text of a prompt or completion, which stands under its name."""
    inner = value.get(name, value) if isinstance(value, dict) else value
    return inner.get("text", inner) if isinstance(inner, dict) else inner


def _tool(span: Traced, step: Step) -> None:
    held = span.attributes
    step.label = step.label or text_of(held, "tool.name", "tool_call.function.name") or span.name
    step.call_id = step.call_id or text_of(held, "tool_call.id", "tool.id", "tool.call_id")
    arguments = first(held, "tool_call.function.arguments", "input.value", "tool.parameters")
    offer(step, request=arguments, response=at(held, "output.value"))


DIALECT = Dialect("openinference", 30, kind, fill)
