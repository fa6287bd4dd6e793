"""Messages in whatever spelling a span holds them, as turns.

Every product and framework writes its own: OpenAI's roles, Responses' items,
Anthropic's and Bedrock's blocks, Gemini's parts, the parts of the GenAI
conventions, OpenInference's and Traceloop's indexed attributes, the AI SDK's
and Pydantic AI's parts, LangChain's dumps.  All of them are a role, and texts,
thoughts, tool calls, results and media; the names differ.  What is no known
part is kept as opaque, with its size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._fields import compact
from store.importers._lc_dialects import message_of
from store.importers._span_forms import (
    holds_message,
    is_block,
    is_item,
    is_message,
    is_result,
    is_talk,
    role_of,
    spelled_out,
)
from store.importers._span_parts import (
    CALLS,
    RESULTS,
    TEXTS,
    THOUGHTS,
    asked_in,
    call_in,
    kind_of,
    media,
    result_in,
)
from store.importers._span_steps import Missing
from store.importers._span_values import Cut, json_of, without_stump
from store.importers._wire import Turn, items, mapping, string
from store.records.runs import Part, PartKind, ToolCall, ToolResult

__all__ = ["Reader"]

_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "function": "tool",
    "tool-response": "tool",
    "tool-call": "assistant",
    "assistant_message": "assistant",
    "user_message": "user",
    "system_message": "system",
    "chatbot": "assistant",
    "choice": "assistant",
    "request": "user",
    "response": "assistant",
}
_KNOWN: Final = frozenset(
    {*_ROLES, *_ROLES.values(), "user", "assistant", "system", "developer", "tool", "chat"}
)
_HOLDERS: Final = ("messages", "input_messages", "contents", "history", "chat_history", "input")
"""Under which key a request holds its messages, the surest first."""
_BODIES: Final = (
    *("content", "parts", "contents", "message_content", "blocks", "items", "_content"),
    *("text", "refusal"),
)
_WRAPPERS: Final = ("message", "kwargs", "data", "generation")
_LEVELS: Final = 12


@dataclass(slots=True)
class Reader:
    """Reads the messages of one step in order.

    ``calls`` and ``results`` are the tool calls and results met so far, by
    id; ``cut`` says that some value broke off within its JSON, ``strange``
    counts what was no message, ``loose`` says that data stood where messages should.
    """

    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    cut: list[Cut] = field(default_factory=list)
    strange: int = 0
    loose: bool = False
    _asked: dict[str, int] = field(default_factory=dict)
    _answered: dict[str, int] = field(default_factory=dict)

    # -- lists of messages -------------------------------------------------------

    def turns(self, value: object, role: str, levels: int = _LEVELS) -> list[Turn]:
        """Return the turns of a recorded *value*; *role* is that of words without one."""
        value = self._opened(value)
        if value is None or value == "" or not levels:
            return []
        if isinstance(value, list):
            return self._list(value, role, levels)
        if isinstance(value, dict):
            return self._mapping(value, role, levels)
        return [Turn(role, (Part(PartKind.TEXT, str(value)),))]

    def _mapping(self, value: Mapping[str, object], role: str, levels: int) -> list[Turn]:
        if is_message(value) or is_item(value):
            return self._message(value, role)
        for key in _HOLDERS:
            inner = self._opened(value.get(key))
            if isinstance(inner, (list, str)) and inner:
                return self._system(value) + self.turns(inner, role, levels - 1)
        return self._object(value, role, levels)

    def _object(self, value: Mapping[str, object], role: str, levels: int) -> list[Turn]:
        """Return the turns of an object that is no message: a choice, a prompt, or data."""
        for key in ("choices", "generations", "candidates", "output", "outputs", "response"):
            inner = value.get(key)
            if isinstance(inner, list) and inner:
                return self.turns(inner[0] if key != "output" else inner, role, levels - 1)
        for key in ("message", "delta", "content", "output", "response"):
            if isinstance(value.get(key), dict):
                return self.turns(value[key], role, levels - 1)
        parts = self._parts(value, levels)
        kinds = {part.kind for part in parts}
        if parts and kinds != {PartKind.OPAQUE}:
            return [Turn(role, tuple(parts))]
        for key in ("prompt", "text", "content", "output", "response", "query", "completion"):
            inner = value.get(key)
            if isinstance(inner, (str, list)) and inner:
                return self._system(value) + self.turns(inner, role, levels - 1)
        self.loose = self.loose or bool(value)
        return [Turn(role, (Part(PartKind.TEXT, compact(value)),))] if value else []

    def _system(self, value: Mapping[str, object]) -> list[Turn]:
        """Return the instructions that stand beside the messages of a request."""
        for key in ("system", "instructions", "system_instruction", "systemInstruction"):
            parts = self.parts(value.get(key)) if value.get(key) else []
            if parts:
                return [Turn("system", tuple(parts))]
        config = value.get("config")
        return self._system(config) if isinstance(config, dict) and config is not value else []

    def _list(self, value: list[object], role: str, levels: int) -> list[Turn]:
        if len(value) == 1 and isinstance(value[0], list):
            return self.turns(value[0], role, levels - 1)  # a batch of one
        parts: list[Part] = []
        turns: list[Turn] = []
        for each in value:
            item = self._opened(each) if isinstance(each, str) else each
            if isinstance(each, Missing):
                lost = Part(PartKind.OPAQUE, name=f"messages {each.named}, not in the record")
                turns.append(Turn("", (lost,)))
            elif isinstance(item, dict) and (is_message(item) or is_item(item)):
                turns += self._message(item, role)
            elif isinstance(item, dict) and holds_message(item):
                turns += self.turns(item, role, levels - 1)
            elif isinstance(each, str):
                parts.append(Part(PartKind.TEXT, each))
            else:
                parts += self.parts(item)
        if parts and turns:
            self.strange += len(parts)
        return [*turns, Turn(role, tuple(parts))] if parts else turns

    def _opened(self, value: object) -> object:
        """Return the JSON value of a text that is one whole message or list of them."""
        found = json_of(value)
        if isinstance(found, str) and found is not value and found[:1] in ("{", "["):
            found = json_of(found)  # JSON of JSON
        if isinstance(found, Cut):
            self.cut.append(found)
            return without_stump(found.value)
        if isinstance(value, str) and not isinstance(found, (list, dict)):
            return value
        if isinstance(value, str) and not is_talk(found):
            return value
        return found

    # -- one message -------------------------------------------------------------

    def _message(self, value: Mapping[str, object], role: str) -> list[Turn]:
        plain = message_of(value) if "lc" in value or "additional_kwargs" in value else None
        if plain is not None:
            value = spelled_out(value, plain.role)
        for key in _WRAPPERS:
            inner = value.get(key)
            if (
                isinstance(inner, dict)
                and not role_of(value)
                and (role_of(inner) or key == "message")
            ):
                return self._message({**inner, "finish_reason": value.get("finish_reason")}, role)
        if value.get("kind") == "request":
            return self._request(value)
        own = role_of(value) or ("assistant" if _writes(value) else role)
        own = "tool" if not role_of(value) and is_result(value) else own
        own = _ROLES.get(own, own)
        if own not in _KNOWN:
            own, value = self._named_after_tool(value, own)
        parts = self._parts(value, _LEVELS)
        if own == "tool" or _answers(value):
            return self._results(value, parts)
        return _by_role([(_own_role(part, own), part) for part in parts], own)

    def _request(self, value: Mapping[str, object]) -> list[Turn]:
        """Return the turns of a request of Pydantic AI: instructions stand among its parts."""
        roles = {"system-prompt": "system", "instructions": "system"}
        blocks = [mapping(each) for each in items(value.get("parts"))]
        pairs = [
            (_own_role(part, roles.get(kind_of(block), "user")), part)
            for block in blocks
            for part in self.part(block)
        ]
        return _by_role(pairs, "user")

    def _named_after_tool(
        self, value: Mapping[str, object], role: str
    ) -> tuple[str, Mapping[str, object]]:
        """Return role and message where a tool's name stands as the role, as LangChain.js does."""
        waiting = (c for c in self.calls.values() if c.name.lower() == role)
        call = next((c for c in waiting if c.id not in self.results), None)
        if call is None:
            return role, value
        return "tool", {**value, "tool_call_id": call.id, "name": call.name}

    def _results(self, value: Mapping[str, object], parts: list[Part]) -> list[Turn]:
        """Return the turn of a tool's message: its results, or its words as one."""
        results = [part for part in parts if part.kind is PartKind.TOOL_RESULT]
        if results:
            return [Turn("tool", tuple(parts))]
        call_id = string(value.get("tool_call_id")) or string(value.get("id"))
        name = string(value.get("name")) or string(value.get("tool_name"))
        if parts and all(part.kind is PartKind.TOOL_CALL for part in parts):
            return [Turn("assistant", tuple(parts))]
        if not call_id and not name:
            call_id = next((each for each in self.calls if each not in self.results), "")
        text = "\n".join(part.text for part in parts if part.text)
        size = sum(part.opaque_bytes for part in parts)
        return [Turn("tool", (self.result(call_id, name, text, size),))]

    def result(self, call_id: str, name: str, text: str, size: int = 0, status: str = "") -> Part:
        """Keep a result that stands in a message and return its part."""
        call_id = self._numbered(call_id, name, self._answered)
        known = self.calls.get(call_id)
        self.results.setdefault(call_id, ToolResult(call_id, text, status=status))
        return Part(
            PartKind.TOOL_RESULT,
            text,
            tool_call_id=call_id,
            name=name or (known.name if known else ""),
            status=status,
            opaque_bytes=size,
        )

    # -- parts -------------------------------------------------------------------

    def _parts(self, value: Mapping[str, object], levels: int) -> list[Part]:
        """Return the parts of one message: its thoughts, its content, its calls."""
        parts: list[Part] = []
        for key in ("reasoning_content", "reasoning", "thinking"):
            if isinstance(value.get(key), str) and value[key]:
                parts.append(Part(PartKind.REASONING, string(value[key])))
                break
        if value.get("type") in (*CALLS, *RESULTS, *THOUGHTS):
            return parts + self.part(value, levels)
        for key in _BODIES:
            if value.get(key) not in (None, "", []):
                parts += self.parts(value[key], levels)
                break
        calls = value.get("tool_calls", value.get("toolCalls"))
        held = {part.tool_call_id for part in parts if part.kind is PartKind.TOOL_CALL}
        for call in items(json_of(calls)):
            made = self._call(mapping(mapping(call).get("tool_call")) or mapping(call))
            if made.tool_call_id not in held or not made.tool_call_id:
                parts.append(made)
        old = mapping(value.get("function_call"))
        if old:
            parts.append(self._call({"id": old.get("name"), **old}))
        return parts

    def parts(self, value: object, levels: int = _LEVELS) -> list[Part]:
        """Return the parts of a content: a text, a list of blocks, or one block."""
        if not levels or value is None:
            return []
        if isinstance(value, str):
            opened = json_of(value)
            if isinstance(opened, list) and opened and all(map(is_block, opened)):
                return [part for each in opened for part in self.part(mapping(each), levels - 1)]
            return [Part(PartKind.TEXT, value)] if value else []
        if isinstance(value, list):
            return [part for each in value for part in self.parts(each, levels - 1)]
        if isinstance(value, dict):
            return self.part(value, levels - 1)
        return [Part(PartKind.TEXT, compact(value))]

    def part(self, value: Mapping[str, object], levels: int = _LEVELS) -> list[Part]:
        """Return what one block is; one that holds several is several."""
        for key in ("message_content", "value"):
            inner = value.get(key)
            if isinstance(inner, dict) and not value.get("text"):
                return self.part(inner, levels - 1) if levels else []
        kind = kind_of(value)
        call, result = call_in(value), result_in(value)
        if result is not None:
            text, size = self._payload(result.payload, levels)
            return [self.result(result.call_id, result.name, text, size, result.status)]
        if call is not None:
            return [self._call(call)]
        if kind == "message" or (not kind and "content" in value and "text" not in value):
            return self.parts(value.get("content"), levels - 1) if levels else []
        return self._plain(value, kind)

    def _plain(self, value: Mapping[str, object], kind: str) -> list[Part]:
        """Return a block that is words, a thought, or something that is no text."""
        if kind in THOUGHTS or value.get("thought") is True:
            words = self._words(value)
            return [Part(PartKind.REASONING, words, opaque_bytes=0 if words else _size(value))]
        if kind in TEXTS or (not kind and isinstance(value.get("text"), str)):
            words = self._words(value)
            return [Part(PartKind.TEXT, words)] if words else []
        return [media(value, kind)]

    @staticmethod
    def _words(value: Mapping[str, object]) -> str:
        for key in ("text", "content", "thinking", "reasoning", "refusal", "value"):
            inner = value.get(key)
            if isinstance(inner, str):
                return inner
            if isinstance(inner, dict) and isinstance(inner.get("text"), str):
                return string(inner["text"])
        summary = [string(mapping(each).get("text")) for each in items(value.get("summary"))]
        return "\n".join(filter(None, summary))

    def _payload(self, value: object, levels: int) -> tuple[str, int]:
        """Return the text that a result is, and the size of what in it is no text."""
        if isinstance(value, str):
            return value, 0
        wrapped = mapping(value)
        if wrapped.get("type") in ("text", "json", "error-text", "error-json", "content"):
            value = wrapped.get("value", wrapped.get("text", value))
            if isinstance(value, str):
                return value, 0
        blocks = items(value)
        if blocks and levels and all(map(is_block, blocks)):
            parts = [part for each in blocks for part in self.part(mapping(each), levels - 1)]
            texts = [part.text for part in parts if part.text]
            return "\n".join(texts), sum(part.opaque_bytes for part in parts)
        return ("" if value is None else compact(value)), 0

    def _call(self, value: Mapping[str, object]) -> Part:
        call_id, name, arguments = asked_in(value)
        call_id = self._numbered(call_id, name, self._asked)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        return Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)

    @staticmethod
    def _numbered(call_id: str, name: str, counts: dict[str, int]) -> str:
        """Return the id of a call or result; where it has none but its name, with its number."""
        if call_id not in ("", name):
            return call_id
        counts[name] = counts.get(name, 0) + 1
        return name if counts[name] == 1 else f"{name}#{counts[name]}"


def _writes(value: Mapping[str, object]) -> bool:
    kind = value.get("type")
    return kind in ("function_call", "reasoning") or value.get("kind") == "response"


def _answers(value: Mapping[str, object]) -> bool:
    return value.get("type") == "function_call_output"


def _by_role(pairs: list[tuple[str, Part]], role: str) -> list[Turn]:
    """Return the turns of parts with their roles; one of *role* where there is no part."""
    turns: list[Turn] = []
    for part_role, part in pairs:
        if turns and turns[-1].role == part_role:
            turns[-1] = Turn(part_role, (*turns[-1].parts, part))
        else:
            turns.append(Turn(part_role, (part,)))
    return turns or [Turn(role, ())]


def _own_role(part: Part, role: str) -> str:
    """Return the role of a part: results stand in the messages of users, too."""
    if part.kind is PartKind.TOOL_RESULT:
        return "tool"
    return role if role in _KNOWN else role or "user"


def _size(value: object) -> int:
    return len(compact(value).encode("utf-8", "replace"))
