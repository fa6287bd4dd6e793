"""What tells one stored message from another, and where messages stand in what was stored."""

from __future__ import annotations

from store.importers._lc_dialects import Plain, message_of
from store.importers._lc_evidence import is_cleared
from store.importers._lc_thread import words_of
from store.importers._lg_serde import Named
from store.importers._lg_threads import are_messages
from store.records.markers import marker_of

__all__ = [
    "inner",
    "is_document",
    "is_limit",
    "key_of",
    "likeness",
    "packet_of",
    "word",
]


def is_document(item: object) -> bool:
    """Return whether it is a document of LangChain, in its fields or as a serialised object."""
    fields = item.get("kwargs", item) if isinstance(item, dict) else {}
    return isinstance(fields, dict) and isinstance(fields.get("page_content"), str)


def likeness(plain: Plain) -> tuple[object, ...]:
    """Return what two messages that are one and the same have in common."""
    content = plain.content if isinstance(plain.content, str) else repr(plain.content)
    marks = is_cleared(plain), plain.additional.get("lc_source") == "summarization"
    named = plain.role, plain.id, plain.tool_call_id, plain.status
    return (*named, content, plain.calls, *marks, plain.additional.get("lc_evicted_to") is not None)


def key_of(plain: Plain) -> str:
    """Return what makes a message the same wherever it is met: its id, else its words."""
    calls = ",".join(call.id for call in plain.calls)
    return plain.id or f"\0{words_of(plain)}\0{calls}"


def is_limit(plain: Plain) -> bool:
    """Return whether a limit or a retry wrote it in the assistant's name."""
    marker = None if plain.metadata or plain.usage else marker_of(words_of(plain))
    return marker is not None and marker.place == "assistant"


def inner(value: object) -> object:
    """Return the messages of what was written, also where it replaces what was there."""
    if isinstance(value, Named) and value.name == "Overwrite":
        return value.value.get("value") if isinstance(value.value, dict) else value.value
    return value


def packet_of(sends: object, number: int) -> object:
    """Return the messages of the packet that a task was sent."""
    packet = sends[number] if isinstance(sends, list) and number < len(sends) else None
    value = packet.value if isinstance(packet, Named) and packet.name == "Send" else None
    argument: object = None
    if isinstance(value, list) and len(value) > 1:
        argument = value[1]
    elif isinstance(value, dict):
        argument = value.get("arg", value.get("args"))
    if isinstance(argument, dict) and message_of(argument) is None:
        argument = argument.get("messages")
    return argument if are_messages(argument) else []


def word(value: object) -> str:
    """Return a text, an empty one for anything else."""
    return value if isinstance(value, str) else ""
