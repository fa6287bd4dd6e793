"""Equal messages as one object: a trace repeats a conversation in each of its calls."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import orjson

__all__ = ["Alike", "bytes_of"]


def bytes_of(item: object) -> bytes:
    """Return what a recorded message is the same by; empty where it must be looked into."""
    if not isinstance(item, dict):
        return b""
    try:
        return hashlib.sha256(orjson.dumps(item)).digest()
    except (TypeError, ValueError, RecursionError):
        return b""


@dataclass(slots=True)
class Alike:
    """Keeps one of all messages that are equal; ``kept`` are the identities of those objects."""

    kept: set[int] = field(default_factory=set)
    _known: dict[bytes, object] = field(default_factory=dict)

    def shared(self, value: object, level: int = 0) -> object:
        """Return a list of messages, or of lists of them, with each message met before."""
        if isinstance(value, list) and level < 3:  # noqa: PLR2004 - a batch, a list, a message
            return [self.shared(item, level + 1) for item in value]
        raw = bytes_of(value)
        if not raw:
            return value
        found = self._known.setdefault(raw, value)
        self.kept.add(id(found))
        return found
