"""Moments that a record gives as a number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["moment"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(milliseconds: int | None) -> str | None:
    """Return a moment in milliseconds since 1970 as text; ``None`` for 0 and for no such moment."""
    try:
        made = _EPOCH + timedelta(milliseconds=milliseconds or 0)
    except OverflowError:
        return None
    return made.isoformat(timespec="milliseconds").replace("+00:00", "Z") if milliseconds else None
