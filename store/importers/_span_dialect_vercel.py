"""The AI SDK of Vercel: ``ai.*`` attributes.

The span of one step (``….doGenerate``, ``….doStream``) holds the request; the
one around it, which may have several steps and the tools between them, does
not.  Names from the telemetry page and source of the ``ai`` package.
"""

from __future__ import annotations

from typing import Final

from store.importers._span_dialects import Dialect
from store.importers._span_filling import add_usage, offer, opened, settings_of
from store.importers._span_steps import Kind, Step, Traced
from store.importers._span_values import at, first, json_of, text_of
from store.importers._wire import items, mapping

__all__ = ["DIALECT"]

_STEPS: Final = (".doGenerate", ".doStream")
_AROUND: Final = ("generateText", "streamText", "generateObject", "streamObject", "agent")
_USAGE: Final = (
    ("ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens"),
    ("ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"),
    ("ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"),
    ("ai.usage.inputTokenDetails.cacheWriteTokens",),
)
_METADATA: Final = "ai.telemetry.metadata."


def kind(span: Traced) -> Kind | None:
    """Return what the span stands for."""
    named = text_of(span.attributes, "ai.operationId")
    if not named and span.name.startswith("ai.") and "operation.name" in span.attributes:
        named = text_of(span.attributes, "operation.name").partition(" ")[0]
    if not named.startswith("ai."):
        return None
    if named.endswith(_STEPS):
        return Kind.OTHER if ".embed" in named else Kind.GENERATION
    if named == "ai.toolCall":
        return Kind.TOOL
    return Kind.AGENT if named.split(".")[1] in _AROUND else Kind.OTHER


def fill(span: Traced, step: Step) -> None:
    """Take what a span of the AI SDK holds."""
    held = span.attributes
    if kind(span) is None:
        return
    names = ("sessionId", "session_id", "threadId", "chatId", "conversationId")
    step.session = step.session or text_of(held, *(f"{_METADATA}{name}" for name in names))
    if step.kind is Kind.TOOL:
        step.label = step.label or text_of(held, "ai.toolCall.name")
        step.call_id = step.call_id or text_of(held, "ai.toolCall.id")
        result = first(held, "ai.toolCall.result", "ai.toolCall.output")
        offer(step, request=first(held, "ai.toolCall.args", "ai.toolCall.input"), response=result)
        return
    if step.kind not in (Kind.GENERATION, Kind.AGENT):
        return
    asked = at(held, "ai.prompt.messages")
    whole = json_of(at(held, "ai.prompt"))
    offer(step, request=opened(step, asked, "ai.prompt.messages", request=True))
    offer(step, request=whole, response=_response(span, step))
    if step.kind is Kind.AGENT:
        step.label = step.label or text_of(held, "ai.telemetry.functionId", "resource.name")
        return
    step.label = step.label or text_of(held, "ai.response.model", "ai.model.id")
    step.id = step.id or text_of(held, "ai.response.id")
    step.finish_reason = step.finish_reason or text_of(
        held, "ai.response.finishReason", "ai.finishReason"
    )
    tools = [json_of(tool) for tool in items(json_of(at(held, "ai.prompt.tools")))]
    settings_of(step, {"tools": tools} if tools else None)
    add_usage(step, held, _USAGE)


def _response(span: Traced, step: Step) -> object:
    """Return what the model wrote as one message: thoughts, words and tool calls."""
    held = span.attributes
    words = first(
        held, "ai.response.text", "ai.result.text", "ai.response.object", "ai.result.object"
    )
    calls = first(held, "ai.response.toolCalls", "ai.result.toolCalls")
    thoughts = at(held, "ai.response.reasoning")
    if words is None and calls is None and thoughts is None:
        return None
    content: list[object] = []
    if isinstance(thoughts, str) and thoughts:
        content.append({"type": "reasoning", "text": thoughts})
    if isinstance(words, str):
        content.append({"type": "text", "text": words})
    made = opened(step, calls, "ai.response.toolCalls", request=False)
    for call in items(made):
        content.append({**mapping(call), "type": "tool-call"})  # noqa: PERF401
    return [{"role": "assistant", "content": content}]


DIALECT = Dialect("vercel", 3, kind, fill, filling=20)
