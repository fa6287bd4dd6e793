"""Which of many runs to look at first."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from reviewer.reports._words import counted, undecided
from store.records.findings import Audit, Severity

__all__ = ["WORST_FIRST", "Rank", "findings_words", "rank_of"]

WORST_FIRST = (
    "The runs to look at first stand first: those with phantom reads (PLC001), then by errors and "
    "warnings. Their parts stand below by path."
)
_PHANTOM = "PLC001"


class Rank(NamedTuple):
    """How much is wrong with a run; the least is the worst."""

    phantoms: int
    errors: int
    warnings: int
    notes: int


def rank_of(audit: Audit) -> Rank:
    """Return the rank of a run by what was found in it."""
    count = Counter(finding.severity for finding in audit.findings)
    return Rank(
        -_phantoms(audit), -count[Severity.ERROR], -count[Severity.WARNING], -count[Severity.NOTE]
    )


def findings_words(audit: Audit) -> str:
    """Return how many findings a run has, with its phantom reads and what nobody can decide."""
    said = str(len(audit.findings) or "none")
    if phantoms := _phantoms(audit):
        said += f", {counted(phantoms, 'phantom read')} among them"
    left = undecided(audit.calls)
    return f"{said}; {left}" if left else said


def _phantoms(audit: Audit) -> int:
    return sum(finding.rule == _PHANTOM for finding in audit.findings)
