"""Responses without a request: which values are one streamed response, and which stand alone.

Files of fixtures hold one event a line, or one response a line; a Gemini
stream that is no server-sent events is a list of pieces.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

__all__ = ["grouped", "values_in"]

_WHOLE_TYPES: Final = ("", "message", "error")
_PIECES: Final = frozenset(
    ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop")
)
_BEGINS: Final = ("message_start", "message-start", "response.created", "thread.run.created")


def grouped(values: Iterable[object]) -> Iterator[object]:
    """Yield each response: a value that is whole, or the list of the events of one stream."""
    events: list[object] = []
    for value in values:
        if events and (not _is_event(value) or _begins(value, events)):
            yield events
            events = []
        if _is_event(value):
            events.append(value)
        else:
            yield value
    if events:
        yield events


def _is_event(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and kind not in _WHOLE_TYPES:
        return True
    if {"event", "data"} <= value.keys() or "candidates" in value or _PIECES & value.keys():
        return True
    if str(value.get("object") or "").endswith((".chunk", ".delta")):
        return True
    return "delta" in _first(value.get("choices")) or set(value) == {"metadata"}


def _begins(value: object, events: list[object]) -> bool:
    """Return whether an event is the first one of another stream than *events*."""
    event, before = _map(value), _map(events[-1])
    if event.get("type") in _BEGINS or "messageStart" in event:
        return True
    if event.get("type") == "response.in_progress" or "data" in event:
        return False
    for name in ("id", "responseId"):
        if isinstance(event.get(name), str) and isinstance(before.get(name), str):
            return event[name] != before[name] and "type" not in event
    ended = _first(before.get("candidates")).get("finishReason")
    return bool(ended) and bool(_first(event.get("candidates")).get("content"))


def values_in(text: str) -> Iterator[object]:
    """Yield the objects and lists that a printed *text* shows, as JSON or as Python writes them."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        at = _next(text, at)
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = _literal(text[at:]), len(text)
        if isinstance(value, (dict, list)):
            yield value
        at = end


def _next(text: str, at: int) -> int:
    """Return where the next line begins that may open a value; -1 where none does."""
    while at < len(text):
        line = text[at:].lstrip()
        at = len(text) - len(line)
        if line[:1] in ("{", "["):
            return at
        newline = text.find("\n", at)
        if newline < 0:
            return -1
        at = newline + 1
    return -1


def _literal(text: str) -> object:
    """Return the value that a literal of Python names; nothing is run."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _first(value: object) -> Mapping[str, object]:
    return _map(value[0]) if isinstance(value, list) and value else {}


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
