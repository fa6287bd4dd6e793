"""Which JSON is a message of some spelling, a block of one, or messages put into a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from store.importers._lc_dialects import unwrapped
from store.importers._span_parts import CALLS, RESULTS, TEXTS, THOUGHTS
from store.importers._wire import mapping

__all__ = [
    "holds_message",
    "is_block",
    "is_item",
    "is_message",
    "is_result",
    "is_talk",
    "role_of",
    "spelled_out",
]

_BLOCKS: Final = frozenset(
    {*TEXTS, *CALLS, *RESULTS, *THOUGHTS, "image", "image_url", "input_image", "file", "json"}
)
_TALKS: Final = ("messages", "contents", "input_messages", "choices", "candidates")
"""What only a request or a response has: a text with one of them is one."""
_TYPES: Final = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "HumanMessage": "user",
    "AssistantMessage": "assistant",
    "AIMessage": "assistant",
    "FunctionExecutionResultMessage": "tool",
    "ToolMessage": "tool",
}
"""Types of messages that have no role beside them (AutoGen, LangChain)."""
_KEYS: Final = frozenset({"text", "image", "json", "document", "toolUse", "toolResult"})


def is_message(value: object) -> bool:
    """Return whether *value* is one message: it has a role, or is one of LangChain's."""
    if not isinstance(value, dict):
        return False
    if role_of(value) or value.get("lc") == 1 or is_result(value):
        return True
    inner = value.get("message")
    return isinstance(inner, dict) and (bool(role_of(inner)) or is_result(inner))


def is_item(value: Mapping[str, object]) -> bool:
    """Return whether it is an item of the Responses, or a request or response of Pydantic."""
    kind = value.get("type")
    is_call = kind in ("function_call", "function_call_output", "reasoning", "item_reference")
    return is_call or value.get("kind") in ("request", "response")


def is_result(value: Mapping[str, object]) -> bool:
    """Return whether it is the message of a tool, also where its role was lost."""
    return isinstance(value.get("tool_call_id"), str) and "content" in value and "type" not in value


def role_of(value: Mapping[str, object]) -> str:
    found = value.get("role", value.get("message.role", value.get("_role")))
    if isinstance(found, str):
        return found.lower().rpartition(".")[2]
    kind, event = value.get("type"), value.get("event.name")
    if isinstance(event, str) and event.startswith("gen_ai.") and event.endswith(".message"):
        return event.split(".")[1]
    return _TYPES.get(kind, "") if isinstance(kind, str) and "content" in value else ""


def holds_message(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), dict) for key in ("message", "delta"))


def is_block(value: object) -> bool:
    """Return whether it is a block of a content: typed, or with a text alone."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("type"), str):
        return value["type"] in _BLOCKS or isinstance(value.get("function"), dict)
    return bool(value) and set(value) <= _KEYS


def is_talk(value: object) -> bool:
    """Return whether JSON in a text is messages, and not data that somebody said."""
    if isinstance(value, dict):
        lists = (value.get(key) for key in _TALKS)
        inner = value.get("content")
        return (
            is_message(value)
            or any(isinstance(each, list) and each for each in lists)
            or (isinstance(inner, dict) and "parts" in inner)
        )
    if isinstance(value, list) and value:
        if all(isinstance(each, dict) and is_block(each) for each in value):
            return True
        return all(isinstance(each, (dict, list)) for each in value) and any(
            is_message(each) or is_item(each) if isinstance(each, dict) else is_talk(each)
            for each in value
        )
    return False


def spelled_out(value: Mapping[str, object], role: str) -> Mapping[str, object]:
    """Return LangChain's message with its fields at the top, whatever its dialect."""
    plain = unwrapped(value)
    fields = mapping(plain)
    for key in ("kwargs", "data"):
        if isinstance(fields.get(key), dict):
            fields = mapping(fields[key])
    kept = {k: v for k, v in fields.items() if k not in ("type", "id", "lc")}
    extra = mapping(fields.get("additional_kwargs"))
    if not kept.get("tool_calls") and extra.get("tool_calls"):
        kept["tool_calls"] = extra["tool_calls"]
    return {**kept, "role": role}
