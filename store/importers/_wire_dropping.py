"""What a service drops of a request that a compaction stands in."""

from __future__ import annotations

from dataclasses import replace

from store.importers._wire import Turn
from store.records.runs import PartKind

__all__ = ["RESENT", "drop_compacted"]

RESENT = (
    "what stands before the last compaction block is sent again and not read: the service drops it"
)


def drop_compacted(turns: list[Turn]) -> list[Turn] | None:
    """Return *turns* from the last compaction block on; ``None`` where there is none."""
    for at in range(len(turns) - 1, -1, -1):
        parts = turns[at].parts
        for number in range(len(parts) - 1, -1, -1):
            if parts[number].kind is PartKind.SUMMARY:
                return [replace(turns[at], parts=parts[number:]), *turns[at + 1 :]]
    return None
