"""Messages as agents keep them: roles, content in any of the providers' spellings, tool calls.

One reader for all of them: OpenAI's ``tool_calls`` and ``tool_call_id``,
Anthropic's blocks ``tool_use`` and ``tool_result``, and the flat calls
(``function`` a name, ``arguments`` an object) of several agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from store.importers._fields import compact
from store.importers._openai_items import content_parts
from store.importers._wire import Turn, count, items, mapping, members, string
from store.records.runs import Part, PartKind, Usage

__all__ = ["call_part", "json_of", "parts_of", "result_part", "turn_of", "usage_of"]

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "function_call")
_RESULTS = ("tool_result", "tool_response", "function_call_output", "tool_call_result")
_ROLES = {
    "tool": "tool",
    "function": "tool",
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
}


def turn_of(message: Mapping[str, object]) -> Turn:
    """Return role and parts of a recorded message."""
    role = string(message.get("role")) or "user"
    role = _ROLES.get(role, role)
    if role == "tool" and not _has_results(message.get("content")):
        call_id = string(message.get("tool_call_id")) or string(message.get("id"))
        name = string(message.get("name")) or string(message.get("function"))
        status = "error" if message.get("error") or message.get("is_error") is True else ""
        return Turn(role, tuple(result_part(message.get("content"), call_id, name, status)))
    parts: list[Part] = []
    thought = string(message.get("reasoning_content")) or string(message.get("reasoning"))
    if thought:
        parts.append(Part(PartKind.REASONING, thought))
    parts += parts_of(message.get("content"))
    if string(message.get("refusal")):
        parts.append(Part(PartKind.TEXT, string(message.get("refusal"))))
    parts += (call_part(call) for call in members(message.get("tool_calls")))
    old = mapping(message.get("function_call"))
    if old and not items(message.get("tool_calls")):
        parts.append(call_part({"id": string(old.get("name")), **old}))
    return Turn(role, tuple(parts))


def parts_of(content: object) -> Iterator[Part]:
    """Yield the parts of a content: nothing, a text, or a list of texts and blocks."""
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, str):
        if content:
            yield Part(PartKind.TEXT, content)
        return
    for block in items(content):
        inner = mapping(block)
        kind = string(inner.get("type"))
        if kind in _CALLS:
            yield call_part(inner)
            if isinstance(inner.get("result"), str):
                # A tool of the service: call and result stand in one block.
                yield from result_part(
                    inner["result"], string(inner.get("id")), string(inner.get("name"))
                )
        elif kind == "reasoning" and isinstance(inner.get("reasoning"), str):
            yield Part(PartKind.REASONING, string(inner.get("summary")) or str(inner["reasoning"]))
        elif kind == "message":
            yield from parts_of(inner.get("content"))
        elif kind in _RESULTS:
            call_id = string(inner.get("tool_use_id")) or string(inner.get("call_id"))
            status = "error" if inner.get("is_error") is True else ""
            held = inner.get("content", inner.get("output"))
            yield from result_part(held, call_id, string(inner.get("name")), status)
        else:
            yield from (part for part in content_parts([block]) if part != Part(PartKind.TEXT))


def call_part(call: Mapping[str, object]) -> Part:
    """Return the part that a tool call is."""
    inner = mapping(call.get("function")) or mapping(call.get("custom")) or call
    name = string(inner.get("name")) or string(call.get("function"))
    keys = ("arguments", "input", "args", "parameters")
    given = next((inner[key] for key in keys if inner.get(key) is not None), None)
    call_id = (
        string(call.get("id")) or string(call.get("tool_call_id")) or string(call.get("call_id"))
    )
    return Part(PartKind.TOOL_CALL, json_of(given), tool_call_id=call_id, name=name)


def result_part(content: object, call_id: str, name: str = "", status: str = "") -> list[Part]:
    """Return a tool's result as one part, and the images beside it.

    Several texts of one result are one text, a line each.
    """
    parts = list(parts_of(content))
    text = "\n".join(part.text for part in parts if part.kind is PartKind.TEXT)
    others = [part for part in parts if part.kind is not PartKind.TEXT]
    made = Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name, status=status)
    return [made, *(replace(part, tool_call_id=call_id) for part in others)]


def json_of(value: object) -> str:
    """Return arguments as JSON text: as recorded where they are a text already."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value)


def _has_results(content: object) -> bool:
    return any(string(block.get("type")) in _RESULTS for block in members(content))


def usage_of(usage: Mapping[str, object]) -> Usage:
    """Return the tokens of a response in OpenAI's or Anthropic's words; cached ones are input.

    ``prompt_tokens`` holds the cached ones already, ``input_tokens`` beside
    ``cache_read_input_tokens`` does not.
    """
    details = mapping(usage.get("prompt_tokens_details"))
    read = count(usage.get("cache_read_input_tokens"))
    write = count(usage.get("cache_creation_input_tokens"))
    cached = count(details.get("cached_tokens")) if read is None else read
    whole = count(usage.get("prompt_tokens"))
    fresh = count(usage.get("input_tokens"))
    if whole is None and fresh is not None:
        whole = fresh + (read or 0) + (write or 0)
    written = count(usage.get("completion_tokens"))
    written = count(usage.get("output_tokens")) if written is None else written
    return Usage(whole, written, cached, write)
