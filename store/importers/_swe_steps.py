"""One step of SWE-agent: its messages, its response, its action and the state behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from store.importers._agent_json import held_in
from store.importers._agent_messages import turn_of
from store.importers._wire import items, mapping, members, string
from store.records.runs import Part, PartKind

__all__ = [
    "as_result",
    "call_id_of",
    "is_of",
    "messages_of",
    "own_place",
    "response_of",
    "state_of",
    "text_of",
    "tool_of",
]

_OPENS = ("open",)
_COMMANDS = frozenset(
    {
        *("open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "submit"),
        *("search_dir", "search_file", "find_file", "str_replace_editor", "undo_edit"),
        *("exit_cost", "exit_context", "exit_format", "exit_forfeit", "skip"),
    }
)
"""What this agent's own tools are called; every other action is a command of the shell."""


def messages_of(step: Mapping[str, object]) -> list[Mapping[str, object]]:
    return list(members(step.get("query"))) or list(members(step.get("messages")))


def own_place(held: list[Mapping[str, object]], step: Mapping[str, object]) -> int | None:
    """Return where the step's own response stands in its messages, if it stands at their end."""
    for place in range(len(held) - 1, max(-1, len(held) - 4), -1):
        if held[place].get("role") == "assistant":
            return place if is_of(held[place], step) else None
    return None


def is_of(message: Mapping[str, object], step: Mapping[str, object]) -> bool:
    """Return whether a message of the assistant is the step's response."""
    said = string(step.get("response")) or string(step.get("thought"))
    texts = (text_of(message).strip(), string(message.get("thought")).strip())
    same = said.strip() in texts and bool(said.strip())
    return same or message.get("action") == step.get("action")


def response_of(step: Mapping[str, object], said: Mapping[str, object]) -> list[Part]:
    """Return the parts of a response: its words, and the calls of the message it became."""
    text = string(step.get("response")) or string(step.get("thought"))
    calls = items(said.get("tool_calls")) or items(step.get("tool_calls"))
    content: list[object] = [{"type": "text", "text": text}] if text else []
    return list(turn_of({"role": "assistant", "content": content, "tool_calls": calls}).parts)


def as_result(parts: tuple[Part, ...], call_id: str) -> Iterator[Part]:
    """Yield the parts of an observation, its first text as a tool's result."""
    text = "\n".join(part.text for part in parts if part.kind is PartKind.TEXT)
    yield Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id)
    yield from (part for part in parts if part.kind is not PartKind.TEXT)


def call_id_of(message: Mapping[str, object]) -> dict[str, object]:
    ids = [each for each in items(message.get("tool_call_ids")) if isinstance(each, str)]
    return {"tool_call_id": ids[0]} if ids else {}


def text_of(message: Mapping[str, object]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(string(each.get("text")) for each in members(content))


def state_of(step: Mapping[str, object]) -> Mapping[str, object]:
    """Return the state behind a step: an object, or JSON text (before 1.0)."""
    held = step.get("state")
    held = held_in(held) if isinstance(held, str) else held
    return mapping(held)


def tool_of(action: str) -> tuple[str, Mapping[str, object]]:
    """Return the tool that an action in words calls, and its arguments."""
    words = action.split()
    tool = words[0] if words else ""
    if tool in _OPENS and len(words) > 1:
        arguments: dict[str, object] = {"path": words[1].strip("\"'")}
        if len(words) > 2:  # noqa: PLR2004 - a path and a line
            arguments["line_number"] = words[2]
        return tool, arguments
    return tool if tool in _COMMANDS else "bash", {"command": action}
