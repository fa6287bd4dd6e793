"""What a baseline says of the findings, in words."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.reports._base import Meta
from store.records.findings import Audit, BaselineState, Finding

__all__ = ["absent_lines", "baseline_mark", "baseline_words", "counted_findings"]


def baseline_words(meta: Meta) -> str:
    """Return in a sentence which baseline the findings stand beside; empty where none does."""
    if not meta.baseline_name:
        return ""
    return f"Findings were compared with the baseline {meta.baseline_name}."


def counted_findings(audit: Audit) -> str:
    """Return how many findings there are, and how many of them are new where that is known."""
    states = [finding.baseline for finding in audit.findings]
    text = str(len(states))
    if audit.absent or any(states):
        text += f", {states.count(BaselineState.NEW) or 'none'} new"
        text += f"; {len(audit.absent) or 'none'} of the baseline gone"
    return text


def baseline_mark(finding: Finding) -> str:
    """Return what a baseline says of one finding, empty where there is none."""
    if finding.baseline is None:
        return ""
    return "new" if finding.baseline is BaselineState.NEW else "known from the baseline"


def absent_lines(audit: Audit) -> Iterator[str]:
    """Yield the findings of the baseline that are found no more."""
    for finding in audit.absent:
        place = f" · source {finding.where.source_id}" if finding.where.source_id else ""
        yield f"gone: {finding.rule}{place}: {finding.message}"
