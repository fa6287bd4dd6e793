"""What the coverage rules share: the place of a read, and lists that say how long they are."""

from __future__ import annotations

from collections.abc import Sequence

from store.records.findings import ReadFacts, Where

__all__ = ["place", "shown"]

_SHOWN = 3
"""How many of a list are named; the audit's reads name all of them."""


def place(read: ReadFacts) -> Where:
    """Return where a read took place."""
    return Where(call=read.call, source_id=read.selection.source_id, tool_call_id=read.tool_call_id)


def shown(items: Sequence[object]) -> str:
    """Return the first of *items*, and how many more there are: ``a, b, c … (+27)``."""
    named = ", ".join(_name(each) for each in items[:_SHOWN])
    more = len(items) - _SHOWN
    return f"{named} … (+{more})" if more > 0 else named


def _name(item: object) -> str:
    if isinstance(item, tuple) and len(item) == 2:  # noqa: PLR2004 - a span
        return f"[{item[0]}:{item[1]}]"
    return str(item)
