"""Records whose large repeated parts are kept once and named by a hash, put together again.

As claude-tap writes them, in a file (``__claude_tap_compact_trace__`` with
``records`` and ``blobs``) and in its database: a part is replaced by an object
whose only key is ``__claude_tap_blob_ref__``.  Only the places that the record
itself names are filled, so that a body which quotes such an object stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["BUNDLE", "records_of", "whole"]

BUNDLE: Final = "__claude_tap_compact_trace__"
_RECORD: Final = "__claude_tap_compact_record__"
_REFERENCE: Final = "__claude_tap_blob_ref__"
_FIXED: Final = (
    ("request", "body", "instructions"),
    ("request", "body", "tools"),
    ("response", "body", "instructions"),
    ("response", "body", "tools"),
)
_LISTED: Final = (("request", "body", "input"), ("request", "body", "messages"))

Blob = Callable[[str], object]
"""Returns what is kept under a hash, or ``None``."""


def records_of(value: Mapping[str, object]) -> list[object]:
    """Return the records of a bundle, each whole; where a part is missing it stays a name."""
    blobs, records = value.get("blobs"), value.get("records")
    kept = blobs if isinstance(blobs, dict) else {}

    def blob(name: str) -> object:
        held = kept.get(name)
        return held.get("payload") if isinstance(held, dict) else None

    return [whole(record, blob) for record in records] if isinstance(records, list) else []


def whole(payload: object, blob: Blob) -> object:
    """Return a record with its parts in place."""
    if not isinstance(payload, dict) or not isinstance(payload.get(_RECORD), dict):
        return payload
    record: object = payload.get("record")
    for path in [*_named(payload[_RECORD]), *_known(record)]:
        record = _filled(record, path, blob)
    return record


def _named(marker: Mapping[str, object]) -> list[tuple[str, ...]]:
    """Return the places that a record names, as JSON pointers (RFC 6901)."""
    refs = marker.get("refs")
    paths = (
        [ref.get("path") for ref in refs if isinstance(ref, dict)] if isinstance(refs, list) else []
    )
    return [
        tuple(part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))
        for path in paths
        if isinstance(path, str) and path.startswith("/")
    ]


def _known(record: object) -> list[tuple[str, ...]]:
    """Return the places where parts are kept elsewhere, for records that name none."""
    found: list[tuple[str, ...]] = list(_FIXED)
    for path in _LISTED:
        held = record
        for key in path:
            held = held.get(key) if isinstance(held, dict) else None
        found += [
            (*path, str(number)) for number in range(len(held) if isinstance(held, list) else 0)
        ]
    return found


def _filled(value: object, path: tuple[str, ...], blob: Blob) -> object:
    if not path:
        name = _name(value)
        held = blob(name) if name else None
        return value if held is None else held
    if isinstance(value, dict) and path[0] in value:
        return {**value, path[0]: _filled(value[path[0]], path[1:], blob)}
    if isinstance(value, list) and path[0].isdecimal() and int(path[0]) < len(value):
        at = int(path[0])
        value[at] = _filled(value[at], path[1:], blob)
    return value


def _name(value: object) -> str:
    """Return the hash that an object names; empty for anything else."""
    if not isinstance(value, dict) or set(value) != {_REFERENCE}:
        return ""
    inner = value[_REFERENCE]
    name = inner.get("hash") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else ""
