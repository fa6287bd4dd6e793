"""Decisions for tests."""

from datetime import UTC, datetime, timedelta
from itertools import count

from store.records.reviews import Decision, DecisionKind, Target, TargetKind

A = Target(TargetKind.CITATION, "a" * 32)
B = Target(TargetKind.FINDING, "b" * 32)
START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
_numbers = count()


def made(
    kind: str = "accept",
    target: Target = A,
    reviewer: str = "Ann",
    note: str = "",
    undoes: Decision | None = None,
) -> Decision:
    """Return a decision that is in no log yet."""
    number = next(_numbers)
    return Decision(
        kind=DecisionKind(kind),
        target=target,
        reviewer=reviewer,
        at=START + timedelta(seconds=number),
        id=f"d{number}",
        note=note,
        undoes=undoes.id if undoes else "",
        run_id="r-1",
        run_digest="c" * 64,
    )
