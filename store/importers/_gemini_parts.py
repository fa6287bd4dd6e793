"""Contents of Gemini's interface as the CLI records them, as parts of messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from store.importers._fields import compact
from store.importers._wire import count, items, mapping, members, string
from store.records.runs import Part, PartKind, Usage

__all__ = [
    "batches",
    "content_parts",
    "model_parts",
    "plain",
    "response_text",
    "result_of",
    "side_file",
    "usage_of",
    "user_parts",
]

_AT_ONCE: Final = timedelta(milliseconds=50)
_SNAPSHOT: Final = "<state_snapshot>"
_SAVED: Final = re.compile(
    r"(?:Full output (?:available|saved) (?:at|to)|For full output see): (\S+)"
)


def user_parts(data: Mapping[str, object]) -> list[Part]:
    return [
        Part(PartKind.SUMMARY, part.text)
        if part.kind is PartKind.TEXT and part.text.lstrip().startswith(_SNAPSHOT)
        else part
        for part in content_parts(data.get("content"))
    ]


def model_parts(data: Mapping[str, object]) -> list[Part]:
    parts = [
        Part(PartKind.REASONING, "\n".join(filter(None, _thought(thought))))
        for thought in members(data.get("thoughts"))
    ]
    own = content_parts(data.get("content"))
    parts += [part for part in own if part.kind not in (PartKind.TOOL_CALL, PartKind.TOOL_RESULT)]
    calls = list(members(data.get("toolCalls")))
    if not calls:
        parts += [part for part in own if part.kind is PartKind.TOOL_CALL]
    for call in calls:
        arguments = compact(call.get("args"))
        name = string(call.get("name"))
        parts.append(Part(PartKind.TOOL_CALL, arguments, string(call.get("id")), name))
    return parts


def batches(data: Mapping[str, object]) -> list[list[Mapping[str, object]]]:
    """Divide the tool calls of a message into those that one model call asked for.

    The client writes them down when their results are there, those of one model
    call at one moment; a message without text of its own is not begun for the next.
    """
    made: list[list[Mapping[str, object]]] = [[]]
    before: datetime | None = None
    for call in members(data.get("toolCalls")):
        moment = _moment(string(call.get("timestamp")))
        if before is not None and moment is not None and moment - before > _AT_ONCE:
            made.append([])
        made[-1].append(call)
        before = moment or before
    return made


def _moment(text: str) -> datetime | None:
    try:
        made = datetime.fromisoformat(text)
    except ValueError:
        return None
    return made if made.tzinfo is not None else made.replace(tzinfo=UTC)


def _thought(thought: Mapping[str, object]) -> tuple[str, str]:
    return string(thought.get("subject")), string(thought.get("description"))


def content_parts(content: object) -> list[Part]:
    """Return the parts of a content of Gemini's interface: a text, a part, or a list of them."""
    if isinstance(content, str):
        return [Part(PartKind.TEXT, content)] if content else []
    held = [content] if isinstance(content, dict) else items(content)
    return [part for each in held for part in _part(each)]


def _part(value: object) -> list[Part]:
    if isinstance(value, str):
        return [Part(PartKind.TEXT, value)]
    part = mapping(value)
    if isinstance(part.get("text"), str):
        kind = PartKind.REASONING if part.get("thought") is True else PartKind.TEXT
        return [Part(kind, string(part.get("text")))]
    call, response = mapping(part.get("functionCall")), mapping(part.get("functionResponse"))
    if call:
        name = string(call.get("name"))
        return [Part(PartKind.TOOL_CALL, compact(call.get("args")), string(call.get("id")), name)]
    if response:
        call_id, name = string(response.get("id")), string(response.get("name"))
        return [Part(PartKind.TOOL_RESULT, response_text(response), call_id, name)]
    data = mapping(part.get("inlineData")) or mapping(part.get("fileData"))
    mime = string(data.get("mimeType"))
    kind = PartKind.IMAGE if mime.startswith("image/") else PartKind.OPAQUE
    size = len(string(data.get("data"))) * 3 // 4 or len(compact(value))
    return [Part(kind, name=mime or "unknown part", opaque_bytes=size)]


def response_text(response: Mapping[str, object]) -> str:
    """Return what a function response gives: its output or error, else its JSON."""
    held = mapping(response.get("response"))
    for key in ("output", "content", "error"):
        if isinstance(held.get(key), str) and len(held) == 1:
            return string(held.get(key))
    return compact(held) if held else ""


def result_of(held: object, call_id: str) -> tuple[str, list[Part]]:
    """Return the text that a call's result gives, and what is no text in it."""
    parts = content_parts(held)
    texts = [part.text for part in parts if part.kind in (PartKind.TOOL_RESULT, PartKind.TEXT)]
    others = [
        Part(part.kind, part.text, call_id, part.name, opaque_bytes=part.opaque_bytes)
        for part in parts
        if part.kind in (PartKind.IMAGE, PartKind.OPAQUE)
    ]
    return "\n".join(texts), others


def side_file(text: str) -> str:
    found = _SAVED.search(text[:400]) or _SAVED.search(text[-400:])
    return found[1] if found else ""


def plain(content: object) -> str:
    return "".join(part.text for part in content_parts(content) if part.kind is PartKind.TEXT)


def usage_of(tokens: Mapping[str, object]) -> Usage:
    written = [count(tokens.get(key)) for key in ("output", "thoughts")]
    known = [value for value in written if value is not None]
    return Usage(
        count(tokens.get("input")), sum(known) if known else None, count(tokens.get("cached"))
    )
