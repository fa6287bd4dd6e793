"""Keys of the JSON that tools give back, in a module that costs nothing to load."""

from __future__ import annotations

__all__ = ["ID_KEYS", "VERSION_KEYS"]

ID_KEYS = ("doc_id", "document_id", "source_id", "source", "id", "block_id")
"""Keys under which a tool's JSON names what a body belongs to."""

VERSION_KEYS = ("sha256", "hash", "version")
"""Keys under which it names the version."""
