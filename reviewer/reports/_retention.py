"""What became of the results of each tool, as plain values and in words."""

from __future__ import annotations

from collections.abc import Sequence

from store.records.findings import Retention, Wanted

__all__ = ["RETENTION_HEADINGS", "retention_cells", "retention_records"]

RETENTION_HEADINGS = ("tool", "policy", "results", "stayed", "taken", "from", "again", "cut", "?")
"""Columns of the table: ``from`` is the first call without, ``?`` what the record cannot say."""

_SAID = {
    Wanted.NEVER: "never",
    Wanted.FIRST: "first",
    Wanted.LATE: "late",
    Wanted.UNSAID: "–",
}


def retention_records(retention: Sequence[Retention]) -> list[dict[str, object]]:
    """Return one record for each tool of a run."""
    return [
        {
            "tool": one.tool,
            "policy": None if one.wanted is Wanted.UNSAID else one.wanted.value,
            "results": one.results,
            "chars": one.chars,
            "stayed": one.stayed,
            "taken": one.taken,
            "chars_taken": one.chars_taken,
            "first_taken": one.first_taken,
            "read_again": one.read_again,
            "cut": one.cut,
            "unproven": one.unproven,
        }
        for one in retention
    ]


def retention_cells(one: Retention) -> tuple[str, ...]:
    """Return a row of the table."""
    since = "–" if one.first_taken is None else str(one.first_taken)
    counts = (one.results, one.stayed, one.taken)
    rest = (one.read_again, one.cut, one.unproven)
    return (one.tool, _SAID[one.wanted], *map(str, counts), since, *map(str, rest))
