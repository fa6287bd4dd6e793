"""Messages of a request or an answer as plain ones, in LangChain's spellings and in providers' own.

A traced client of a provider records its request as it was given to it:
OpenAI's roles and items, Anthropic's blocks with results of tools in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from store.importers._lc_dialects import Plain, PlainCall, json_of, message_of

__all__ = ["messages_given", "plains_in"]

_ROLES: Final = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
_KEYS: Final = frozenset(
    {"role", "content", "name", "id", "refusal", "annotations", "tool_calls", "tool_call_id"}
    | {"function_call"}
)


def plains_in(value: object) -> list[Plain | None]:
    """Return the messages of a list, text or single message; ``None`` for each that is none."""
    if isinstance(value, str):
        return [Plain("user", value)] if value else []
    if isinstance(value, list):
        return [plain for item in value for plain in _of(item)]
    return list(_of(value)) if value is not None else []


def messages_given(value: object) -> list[object]:
    """Return the items of a list of messages; LangChain wraps a batch of one around them."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        return value[0]
    return value if isinstance(value, list) else []


def _of(item: object) -> Iterator[Plain | None]:
    if isinstance(item, dict) and item.keys() == {"__lc_escaped__"}:
        item = item["__lc_escaped__"]
    plain = message_of(item)
    if plain is not None:
        yield plain
    elif isinstance(item, str):
        yield Plain("user", item)
    elif isinstance(item, list) and len(item) == 2 and item[0] in _ROLES:  # noqa: PLR2004 - a pair
        yield Plain(_ROLES[item[0]], item[1])
    elif not isinstance(item, dict):
        yield None
    elif isinstance(item.get("role"), str) and item["role"] in _ROLES:
        yield from _with_role(item)
    else:
        yield _item(item)


def _with_role(item: Mapping[str, object]) -> Iterator[Plain | None]:
    """Yield a message of a provider; results of tools in it are messages of their own."""
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    results = [block for block in blocks if _is_result(block)]
    for block in results:
        yield Plain(
            "tool",
            block.get("content"),
            tool_call_id=_text(block.get("tool_use_id")),
            status="error" if block.get("is_error") else "",
        )
    rest = [block for block in blocks if not _is_result(block)]
    if results and not rest:
        return
    role = _ROLES[str(item["role"])]
    if results or _has_calls(rest):
        yield Plain(role, rest)
        return
    known = {key: each for key, each in item.items() if key in _KEYS and each is not None}
    yield message_of(known) or Plain(role, content, id=_text(item.get("id")))


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _has_calls(blocks: list[object]) -> bool:
    return any(isinstance(block, dict) and block.get("type") == "tool_use" for block in blocks)


def _item(item: Mapping[str, object]) -> Plain | None:
    """Return an item of OpenAI's Responses that is no message."""
    kind = item.get("type")
    call_id = _text(item.get("call_id")) or _text(item.get("id"))
    if kind in ("function_call", "custom_tool_call"):
        arguments = item.get("arguments", item.get("input"))
        call = PlainCall(call_id, _text(item.get("name")), json_of(arguments))
        return Plain("assistant", calls=(call,))
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        content = output if isinstance(output, str | list) else json_of(output)
        return Plain("tool", content, tool_call_id=call_id)
    return Plain("assistant", [dict(item)]) if kind == "reasoning" else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
