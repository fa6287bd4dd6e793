"""Blocks of a message's content: which of them is a tool call, a result, a thought, a picture.

Names from the GenAI conventions (``tool_call``, ``tool_call_response``),
OpenAI's Responses (``function_call``), Anthropic's Messages (``tool_use``),
Bedrock's Converse (``toolUse``), Gemini (``functionCall``), the AI SDK
(``tool-call``) and Pydantic AI (``part_kind``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from store.importers._fields import compact
from store.importers._wire import mapping, string
from store.records.runs import Part, PartKind

__all__ = [
    "CALLS",
    "RESULTS",
    "TEXTS",
    "THOUGHTS",
    "Found",
    "asked_in",
    "call_in",
    "kind_of",
    "media",
    "result_in",
]

TEXTS: Final = (
    *("text", "input_text", "output_text", "refusal", "summary_text", "system-prompt"),
    *("user-prompt", "instructions", "TextContent"),
)
THOUGHTS: Final = ("reasoning", "thinking", "redacted_thinking", "redacted-reasoning", "thought")
CALLS: Final = (
    *("tool_call", "tool-call", "tool_use", "function_call", "server_tool_call"),
    *("server_tool_use", "builtin-tool-call", "mcp_tool_use", "custom_tool_call"),
)
RESULTS: Final = (
    *("tool_call_response", "tool-result", "tool_result", "function_call_output", "tool-return"),
    *("server_tool_call_response", "tool_response", "builtin-tool-return", "retry-prompt"),
    *("function_result", "mcp_tool_result", "custom_tool_call_output", "tool_call_result"),
)
_PAYLOADS: Final = (
    *("response", "result", "output", "content", "server_tool_call_response", "return_value"),
)
_IDS: Final = ("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "id")
_CALL_IDS: Final = ("tool_call_id", "toolCallId", "call_id", "id", "toolUseId")
_CALL_NAMES: Final = ("name", "toolName", "tool_name")
_CALL_INPUTS: Final = ("arguments", "args", "input", "server_tool_call", "parameters")
_IMAGES: Final = ("image", "image_url", "input_image", "blob", "image-url", "media")


@dataclass(frozen=True, slots=True)
class Found:
    """A result of a tool as a block holds it."""

    call_id: str
    name: str
    payload: object
    status: str = ""


def kind_of(value: Mapping[str, object]) -> str:
    """Return the type of a block, under whichever name it stands."""
    for key in ("type", "part_kind", "content_type", "block_type"):
        if isinstance(value.get(key), str):
            return string(value[key])
    return ""


def call_in(value: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the tool call that a block is, with its id and name where that block has them."""
    for key in ("toolUse", "functionCall", "function_call", "tool_call"):
        inner = value.get(key)
        if isinstance(inner, dict):
            return inner
    kind = kind_of(value)
    if kind in CALLS or (kind == "function" and isinstance(value.get("function"), dict)):
        return value
    bare = not kind and "arguments" in value and isinstance(value.get("name"), str)
    return value if bare else None


def result_in(value: Mapping[str, object]) -> Found | None:
    """Return the result that a block is."""
    for key in ("toolResult", "functionResponse", "function_response"):
        inner = value.get(key)
        if isinstance(inner, dict):
            return _found(inner, value)
    inner = value.get("tool_call_result")
    if isinstance(inner, dict):
        return _found({**inner, **mapping(inner.get("origin"))}, inner)
    kind = kind_of(value)
    bare = not kind and isinstance(value.get("call_id"), str) and "content" in value
    if kind not in RESULTS and not kind.endswith("_tool_result") and not bare:
        return None
    return _found(value, value)


def _found(inner: Mapping[str, object], outer: Mapping[str, object]) -> Found:
    call_id = next((string(inner[key]) for key in _IDS if isinstance(inner.get(key), str)), "")
    name = string(inner.get("name")) or string(inner.get("toolName"))
    name = name or string(inner.get("tool_name"))
    payload = next((inner[key] for key in _PAYLOADS if inner.get(key) is not None), None)
    failed = inner.get("is_error") is True or inner.get("isError") is True
    failed = failed or string(inner.get("status")) == "error"
    failed = failed or mapping(payload).get("type") in ("error-text", "error-json")
    failed = failed or outer.get("part_kind") == "retry-prompt"
    return Found(call_id, name, payload, "error" if failed else "")


def media(value: Mapping[str, object], kind: str) -> Part:
    """Return a picture, a file or what is not known as a part without text."""
    names = ("inlineData", "inline_data", "fileData", "file_data", "document", "image")
    named = next((key for key in names if key in value), "")
    is_image = kind in _IMAGES or named in ("inlineData", "inline_data", "image")
    size = len(compact(value).encode("utf-8", "replace"))
    shown = kind or named or next(iter(value), "")
    return Part(PartKind.IMAGE if is_image else PartKind.OPAQUE, name=shown, opaque_bytes=size)


def asked_in(value: Mapping[str, object]) -> tuple[str, str, str]:
    """Return id, name and arguments of a tool call as a block or a list of calls holds it."""
    inner = mapping(value.get("function")) or value
    flat = {key: value[key] for key in value if key.startswith("function.")}
    call_id = next((string(value[key]) for key in _CALL_IDS if isinstance(value.get(key), str)), "")
    name = string(flat.get("function.name")) or next(
        (string(inner[key]) for key in _CALL_NAMES if isinstance(inner.get(key), str)), ""
    )
    given = flat.get("function.arguments")
    if given is None:
        given = next((inner[key] for key in _CALL_INPUTS if inner.get(key) is not None), None)
    arguments = given if isinstance(given, str) else "" if given is None else compact(given)
    return call_id, name, arguments
