"""Where in a JSON value conversations stand: under which keys, in which lists.

A dump is often put beside others: the same messages in two spellings, a state
within a memory, a list of samples.  A conversation is known by its messages,
never by the key it stands under; and what holds the messages of calls, as a
log or a request body does, is no dump.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._lc_dialects import message_of
from store.jsonin import JsonError, loads
from store.records.json_text import Node

__all__ = ["STATES", "Found", "Held", "find", "messages_in", "shown", "state_of", "whole"]

STATES: Final = frozenset({"values", "channel_values"})
_NOT_A_DUMP: Final = frozenset(
    {"model", "response", "request", "choices", "usage", "trajectory", "trajectory_format", "info"}
)
"""Beside ``messages`` these make it a request body, a call log or another agent's trajectory."""
_OTHER_RECORDS: Final = _NOT_A_DUMP | {
    *("run_type", "dotted_order", "trace_id", "traceId", "observations", "projectId"),
    *("resourceSpans", "scopeSpans", "spans", "span_data", "spanId"),
    *("eval", "samples", "steps", "step_number"),
    *("event", "events", "payload", "body", "body_base64", "headers", "generations"),
    *("sessionId", "parentUuid", "session_meta", "lc"),
}
"""An object with one of these is a record of another format, or a serialised object."""
_SIDES_OF_A_CALL: Final = frozenset(
    {"input", "inputs", "output", "outputs", "prompt", "prompts", "completion", "completions"}
)
"""Texts under these keys are a chain's result; messages under them are the log of a call."""
_LEVELS: Final = 4
"""How many objects and lists may stand around a conversation."""

Key = str | int


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation: its key path, and the list, state or single message found there."""

    keys: tuple[Key, ...]
    value: object


@dataclass(slots=True)
class Found:
    """The conversations in a value, and the places beside them that hold none."""

    held: list[Held] = field(default_factory=list)
    others: list[tuple[Key, ...]] = field(default_factory=list)


def state_of(value: object) -> Mapping[str, object]:
    """Return the object that holds ``messages``: the value itself, or the state inside of it."""
    if not isinstance(value, dict) or (_NOT_A_DUMP & value.keys()):
        return {}
    for name in sorted(STATES):
        inner = value.get(name)
        if isinstance(inner, dict) and "messages" in inner:
            return inner
    return value


def messages_in(value: object) -> list[object]:
    """Return the messages that *value* itself holds as a list, a state or one message."""
    if message_of(value) is not None:
        return [value]
    messages = value if isinstance(value, list) else state_of(value).get("messages")
    is_list = isinstance(messages, list) and messages and message_of(messages[0]) is not None
    return messages if is_list and isinstance(messages, list) else []


def find(value: object) -> Found:
    """Return the conversations in *value*, in recorded order."""
    found = Found()
    if _is_history(value) and isinstance(value, list):
        # Earlier states of one thread: the longest holds what the others hold.
        states = [Held((at,), state) for at, state in enumerate(value) if messages_in(state)]
        found.held = [max(states, key=lambda one: len(messages_in(one.value)))] if states else []
    else:
        _find(value, (), found)
    return found


def _is_history(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and not STATES.isdisjoint(item) for item in value
    )


def _find(value: object, keys: tuple[Key, ...], found: Found) -> None:
    if not isinstance(value, dict | list):  # most of what is in a file
        if isinstance(value, str) and value:
            found.others.append(keys)
        return
    if messages_in(value):
        found.held.append(Held(keys, value))
        if message_of(value) is None and isinstance(value, dict):
            _find_beside(state_of(value), keys, found)
        return
    before = len(found.held)
    members = list(_members(value)) if len(keys) < _LEVELS else []
    single = isinstance(value, dict) and sum(_is_marked(item) for _, item in members) > 1
    for key, item in members:
        if message_of(item) is None or (single and _is_marked(item)):
            _find(item, (*keys, key), found)
        else:
            found.others.append((*keys, key))
    if len(found.held) == before:
        # Nothing within it: it is one place, whatever it is made of.
        del found.others[_count_outside(found.others, keys) :]
        if value:
            found.others.append(keys)


def _is_marked(value: object) -> bool:
    """Return whether it is a message that itself names its kind.

    One in an object may be anything; several are a message in several spellings.
    """
    named = isinstance(value, dict) and not {"type", "lc", "kwargs"}.isdisjoint(value)
    return named and message_of(value) is not None


def _count_outside(others: list[tuple[Key, ...]], keys: tuple[Key, ...]) -> int:
    """Return how many of the places, which are in order, stand before those inside *keys*."""
    count = len(others)
    while count and others[count - 1][: len(keys)] == keys:
        count -= 1
    return count


def _find_beside(state: Mapping[str, object], keys: tuple[Key, ...], found: Found) -> None:
    """Add the other lists of messages of a state: each is a conversation of its own."""
    for name, item in state.items():
        if name != "messages" and isinstance(item, list) and messages_in(item):
            found.held.append(Held((*keys, name), item))


def _members(value: object) -> Iterator[tuple[Key, object]]:
    if isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, dict) and not (_OTHER_RECORDS & value.keys()):
        sides = (value[key] for key in _SIDES_OF_A_CALL & value.keys())
        if not any(isinstance(side, dict | list) for side in sides):
            yield from value.items()


def whole(root: Node, text: str) -> object:
    """Return the value of the JSON *text* without the message in which it breaks off."""
    kept = _whole(root, text, _LEVELS + 2)
    return None if message_of(kept) is not None else kept


def _whole(node: Node, text: str, levels: int) -> object:
    if node.complete:
        try:
            return loads(text[node.start : node.end].encode("utf-8", "surrogateescape"))
        except JsonError:
            return None  # a number of endless digits
    if node.kind not in ("array", "object") or not levels:
        return None
    values: list[object] = []
    for child in node.children:
        value = _whole(child, text, levels - 1)
        # A message that lacks its end may lack the calls it made: it is none.
        inside = node.kind == "array" and _are_messages(values)
        if child.complete or (value and message_of(value) is None and not inside):
            values.append(value)
    if node.kind == "array":
        return values
    return dict(zip((child.key or "" for child in node.children), values, strict=False))


def _are_messages(values: list[object]) -> bool:
    return bool(values) and message_of(values[0]) is not None


def shown(keys: tuple[Key, ...]) -> str:
    """Return a key path as text, in which a key that holds ``/`` is not two keys."""
    text = ""
    for key in keys:
        escaped = key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else ""
        text += f"[{key}]" if isinstance(key, int) else f"/{escaped}"
    return text
