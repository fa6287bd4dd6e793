"""Kinds that records of several modules share."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["PlaceholderKind"]


class PlaceholderKind(StrEnum):
    """What a placeholder stands for."""

    CLEARED = "cleared"
    FOLDED = "folded"
    PERSISTED = "persisted"
    TRUNCATED = "truncated"
    COMPACTED = "compacted"
    REFUSED = "refused"
