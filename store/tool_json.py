"""Evidence in the JSON that tools return: which source a piece of text says it is from.

Only what names itself counts: an entry has an id, and text or a preview.  The
keys are fixed; nothing is guessed from titles or order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from store.records.json_text import Node, parse, parse_all

__all__ = ["Entry", "entries_in", "entries_of"]

_IDS: Final = ("doc_id", "document_id", "source_id", "source", "id")
_HASHES: Final = ("sha256", "hash", "version")
_STARTS: Final = ("start", "offset", "start_index")
_TOTALS: Final = ("total_chars",)
_BODIES: Final = ("text", "content", "page_content")
_LISTS: Final = ("payload", "results", "documents", "blocks")
_MESSAGE_TYPES: Final = ("text", "text-plain", "reasoning", "message", "tool", "tool_result")
"""Parts of a conversation carry an ``id`` and text too; that id names no source."""
_ID_KEY: Final = re.compile(r'(?:id|source)\\*+"\s*+:')
_BODY_KEY: Final = re.compile(r'(?:text|content|preview)\\*+"\s*+:')
"""What an id or a body must end with, also where JSON stands escaped in JSON."""
_NESTING: Final = 4
"""JSON in a string in JSON: deeper than any tool nests its answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of a source as a tool's JSON names it.

    ``version`` is the hash or revision it carries, ``start`` and ``end`` the
    place it claims, ``total`` the length of the whole it claims; all as
    recorded and not yet checked.  ``body`` is its text, ``None`` where there
    is only a ``preview``.  ``complete`` is false where the record was cut off
    inside of it.  ``chunk`` marks a piece by its form (a retriever's document).
    """

    source_id: str
    version: str = ""
    start: int | None = None
    end: int | None = None
    total: int | None = None
    body: str | None = field(default=None, repr=False)
    preview: str | None = field(default=None, repr=False)
    block_id: str | None = None
    title: str = ""
    complete: bool = True
    chunk: bool = False


def entries_in(text: str) -> tuple[Entry, ...]:
    """Return the evidence in the JSON of *text*, in order; none if it is no JSON."""
    if not (_ID_KEY.search(text) and _BODY_KEY.search(text)):
        # Most results are no evidence; a large table need not be parsed to know it.
        return ()
    if text[:1] not in "[{" and text.lstrip()[:1] not in ("[", "{", '"'):
        return ()
    return tuple(entry for node in parse_all(text) for entry in _entries(node))


def entries_of(value: object) -> tuple[Entry, ...]:
    """Return the evidence in a parsed JSON *value*; none if it cannot be written as JSON."""
    try:
        return entries_in(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return ()


@dataclass(frozen=True, slots=True)
class _Owner:
    """What the blocks of a document have from the document around them."""

    source_id: str = ""
    version: str = ""


def _entries(root: Node) -> Iterator[Entry]:
    waiting: list[tuple[Node, _Owner, int]] = [(root, _Owner(), 0)]
    while waiting:
        node, owner, nesting = waiting.pop()
        if node.kind == "object":
            entry = _entry(node, owner)
            if entry is not None:
                yield entry
                continue
            inner = list(_below(node))
        elif node.kind == "array":
            inner = [(child, owner) for child in node.children]
        elif nesting < _NESTING and (value := _json_string(node)) is not None:
            waiting.append((value, owner, nesting + 1))
            continue
        else:
            continue
        waiting.extend((child, its_owner, nesting) for child, its_owner in reversed(inner))


def _below(node: Node) -> Iterator[tuple[Node, _Owner]]:
    """Yield the members of an object that may hold evidence."""
    for child in node.children:
        if child.key in _LISTS and child.kind in ("array", "object"):
            blocks = child.key == "blocks"
            yield child, _Owner(_source_id(node), _version(node)) if blocks else _Owner()
        elif child.kind == "string":
            yield child, _Owner()


def _json_string(node: Node) -> Node | None:
    """Return the JSON object or array that the whole of a string is, if it is one."""
    text = node.text
    if not text or text.lstrip()[:1] not in ("[", "{"):
        return None
    return parse(text, tolerant=not node.complete)


def _entry(node: Node, owner: _Owner) -> Entry | None:
    source_id = _source_id(node) or owner.source_id
    body = _worded(node, _BODIES)
    preview = _worded(node, ("preview",))
    if not source_id or (body is None and preview is None):
        return None
    block = node.get("block_id")
    title = node.get("title")
    return Entry(
        source_id=source_id,
        version=_version(node) or owner.version,
        start=_count(_first(node, _STARTS, "number")),
        end=_count(_first(node, ("end",), "number")),
        total=_count(_first(node, _TOTALS, "number")),
        body=body.text if body else None,
        preview=preview.text if preview else None,
        block_id=_name(block) or None,
        title=_name(title),
        complete=(body or preview or node).complete,
        chunk=body is not None and body.key == "page_content",
    )


def _source_id(node: Node) -> str:
    kind = node.get("type")
    keys = _IDS[:-1] if kind is not None and kind.text in _MESSAGE_TYPES else _IDS
    return next(filter(None, map(_name, _candidates(node, keys))), "")


def _version(node: Node) -> str:
    return next(filter(None, map(_name, _candidates(node, _HASHES))), "")


def _first(node: Node, keys: tuple[str, ...], kind: str) -> Node | None:
    return next((found for found in _candidates(node, keys) if found.kind == kind), None)


def _worded(node: Node, keys: tuple[str, ...]) -> Node | None:
    """Return the first of *keys* that holds text; an empty string is none."""
    return next((found for found in _candidates(node, keys) if found.text), None)


def _candidates(node: Node, keys: tuple[str, ...]) -> Iterator[Node]:
    """Yield the members *keys* of an entry, and of its ``metadata``, in the order of the keys.

    A retriever's document carries its source there.
    """
    metadata = node.get("metadata")
    for key in keys:
        for holder in (node, metadata):
            found = holder.get(key) if holder is not None and holder.kind == "object" else None
            if found is not None:
                yield found


def _name(node: Node | None) -> str:
    """Return an id as text: a string, or a whole number; anything cut off names nothing."""
    if node is None or not node.complete:
        return ""
    if node.kind == "number":
        return str(node.value) if str(node.value).lstrip("-").isdigit() else ""
    return node.text or ""


def _count(node: Node | None) -> int | None:
    """Return a position, or ``None`` for what is none (a fraction, a negative number)."""
    if node is None or not node.complete or len(str(node.value)) > len(str(2**63)):
        return None
    return int(str(node.value)) if str(node.value).isdigit() else None
