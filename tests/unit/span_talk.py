"""A short conversation as spans hold it, made for tests."""

import json
from pathlib import Path

from tests.unit.spans import otlp, span

USER = {"role": "user", "parts": [{"type": "text", "content": "What is the limit?"}]}
CALL = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"id": "d3"}}],
}
TOLD = {
    "role": "assistant",
    "parts": [{"type": "text", "content": "It is 200."}],
    "finish_reason": "stop",
}
BODY = "The limit of one batch is 200 items. " * 20
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}


def result(text: str) -> dict[str, object]:
    """Return the message of a tool with *text* as the GenAI conventions write it."""
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": text}],
    }


def chat(number: int, messages: object, told: object, **more: object) -> dict[str, object]:
    """Return a chat span with its messages as attributes."""
    held = {
        **CHAT,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(told),
        **more,
    }
    return span(number, held, parent=1)


def agent(path: Path, carried: str, returned: object) -> Path:
    """Write the trace of an agent that called one tool."""
    held = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": json.dumps([USER])}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": returned,
    }
    return otlp(
        path,
        span(4, {**CHAT, "gen_ai.input.messages": "[]"}, parent=3, name="child of no call"),
        span(1, held),
        chat(2, [USER], [CALL]),
        span(3, tool, parent=1),
        chat(5, [USER, CALL, result(carried)], [TOLD]),
    )


def openinference(kind: str, **more: object) -> dict[str, object]:
    """Return the attributes of an OpenInference span."""
    return {"openinference.span.kind": kind, **{k.replace("__", "."): v for k, v in more.items()}}
