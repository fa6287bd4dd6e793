"""One message in four spellings: LangChain's dict, serialised object and flat dump, OpenAI's role.

A class is known by the last word of its recorded name; nothing that a file
names is ever imported or made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Plain", "PlainCall", "json_of", "message_of", "unwrapped"]

_ROLES: Final = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
    "chat": "",
}
_CLASSES: Final = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
}
_READ_AS_FIELDS: Final = frozenset({*_CLASSES, "Document"})
"""Serialised objects of these classes are read as their fields; those of any other are opaque."""
_ROLE_KEYS: Final = frozenset(
    {
        *("role", "content", "name", "id", "refusal", "audio", "annotations"),
        *("tool_calls", "tool_call_id", "function_call", "reasoning_content"),
    }
)
_FLAT_MARKS: Final = frozenset({"additional_kwargs", "response_metadata", "tool_call_id", "id"})
_TRANSCRIPT_MARKS: Final = frozenset({"sessionId", "parentUuid", "uuid", "isSidechain"})


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A tool call of a message; ``arguments`` is JSON text, or what should have been."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Plain:
    """One message, whatever its spelling.  ``content`` and the mappings are as recorded."""

    role: str
    content: object = None
    name: str = ""
    id: str = ""
    calls: tuple[PlainCall, ...] = ()
    tool_call_id: str = ""
    status: str = ""
    artifact: object = None
    additional: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    usage: Mapping[str, object] = field(default_factory=dict)
    annotations: object = None
    example: bool = False

    @property
    def is_edited(self) -> bool:
        """Whether the service says that it edited the request which this answers."""
        edits = self.metadata.get("context_management")
        return isinstance(edits, dict) and bool(edits.get("applied_edits"))


def message_of(value: object) -> Plain | None:
    """Return the message that a JSON value is, or ``None`` if it is none of the four."""
    if not isinstance(value, dict) or str(value.get("lc", 1)) != "1":
        return None
    if isinstance(value.get("id"), list) and isinstance(value.get("kwargs"), dict):
        return _from_object(value)
    kind = value.get("type")
    data = value.get("data")
    if isinstance(data, dict) and isinstance(kind, str) and "content" in data:
        return _from_fields(_short(kind), data)
    if isinstance(kind, str) and "content" in value and "role" not in value:
        known = _short(kind) in _ROLES and _FLAT_MARKS & value.keys()
        return _from_fields(_short(kind), value) if known and not _foreign(value) else None
    return _from_role(value)


def _foreign(value: Mapping[str, object]) -> bool:
    """Return whether it is a record of another transcript that has a type and content too."""
    return bool(_TRANSCRIPT_MARKS & value.keys())


def _short(kind: str) -> str:
    kind = kind.removesuffix("Chunk")
    return _CLASSES.get(kind, kind)


def _from_object(value: dict[str, object]) -> Plain | None:
    fields = value.get("kwargs")
    if not isinstance(fields, dict) or value.get("type", "constructor") != "constructor":
        return None
    kind = _CLASSES.get(_class_of(value))
    unwrapped_fields = unwrapped(fields)
    if kind is None or not isinstance(unwrapped_fields, dict):
        return None
    return _from_fields(kind, unwrapped_fields)


def _class_of(value: Mapping[str, object]) -> str:
    """Return the last word of a serialised object's recorded name."""
    path = value.get("id")
    name = path[-1] if isinstance(path, list) and path else ""
    return name.removesuffix("Chunk") if isinstance(name, str) else ""


def _from_fields(kind: str, data: Mapping[str, object]) -> Plain | None:
    role = _ROLES.get(kind)
    if role is None:
        return None
    additional = _mapping(data.get("additional_kwargs"))
    calls = _calls(data.get("tool_calls")) or _calls(additional.get("tool_calls"))
    return Plain(
        role=role or _text(data.get("role")) or "user",
        content=data.get("content"),
        name=_text(data.get("name")),
        id=_text(data.get("id")),
        calls=calls + _calls(data.get("invalid_tool_calls")),
        tool_call_id=_text(data.get("tool_call_id")),
        status=_text(data.get("status")),
        artifact=data.get("artifact"),
        additional=additional,
        metadata=_mapping(data.get("response_metadata")),
        usage=_mapping(data.get("usage_metadata")),
        annotations=additional.get("annotations"),
        example=data.get("example") is True,
    )


def _from_role(value: Mapping[str, object]) -> Plain | None:
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES or value.keys() - _ROLE_KEYS:
        return None
    calls = _calls(value.get("tool_calls"))
    if _has_anthropic_blocks(value.get("content")):
        return None
    if "content" not in value and not calls and "function_call" not in value:
        return None
    return Plain(
        role=_ROLES[role],
        content=value.get("content"),
        name=_text(value.get("name")),
        id=_text(value.get("id")),
        calls=calls or _calls([value.get("function_call")]),
        tool_call_id=_text(value.get("tool_call_id")),
        annotations=value.get("annotations"),
    )


def _has_anthropic_blocks(content: object) -> bool:
    """Return whether results of tools stand in the content, as in a request to Anthropic."""
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result")
        for block in content
    )


def _calls(value: object) -> tuple[PlainCall, ...]:
    found = []
    for call in value if isinstance(value, list) else ():
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        arguments = inner.get("args", inner.get("arguments"))
        found.append(PlainCall(_text(call.get("id")), _text(inner.get("name")), json_of(arguments)))
    return tuple(found)


def json_of(value: object) -> str:
    """Return arguments or a result as the text that the model wrote or was given."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def unwrapped(value: object) -> object:
    """Return a serialised value as plain JSON.

    A user's own object that looked like a serialised one is taken verbatim
    and not looked into; a message or document becomes its fields; an object of
    any other class, what could not be written, and a secret become
    ``{"type": "opaque", …}``.
    """
    holder: list[object] = [value]
    waiting: list[tuple[dict[str, object] | list[object], str | int]] = [(holder, 0)]
    while waiting:
        inside, key = waiting.pop()
        item, descend = _unwrapped_once(inside[key])  # type: ignore[index]
        inside[key] = item  # type: ignore[index]
        if descend and isinstance(item, dict):
            inside_copy = inside[key] = dict(item)  # type: ignore[index]
            waiting.extend((inside_copy, name) for name in inside_copy)
        elif descend and isinstance(item, list):
            list_copy = inside[key] = list(item)  # type: ignore[index]
            waiting.extend((list_copy, at) for at in range(len(list_copy)))
    return holder[0]


def _unwrapped_once(value: object) -> tuple[object, bool]:
    """Return the value without its wrapping, and whether there may be more inside."""
    if not isinstance(value, dict):
        return value, True
    if value.keys() == {"__lc_escaped__"}:
        return value["__lc_escaped__"], False
    if "lc" not in value or not isinstance(value.get("type"), str):
        return value, True
    fields = value.get("kwargs")
    if value["lc"] == 1 and value["type"] == "constructor" and isinstance(fields, dict):
        name = _class_of(value)
        if name in _READ_AS_FIELDS:
            return fields, True
        return {"type": "opaque", "text": "", "class": name}, False
    shown = value.get("repr")
    return {"type": "opaque", "text": shown if isinstance(shown, str) else ""}, False
