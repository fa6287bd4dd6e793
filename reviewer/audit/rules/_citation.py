"""What the twelve citation rules share: a finding for each citation of one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reviewer.audit.rules._rule import finding
from reviewer.audit.view import AuditView
from store.records.findings import CitationFacts, Finding, Severity, Verdict, Where

__all__ = ["verdict_check"]


def verdict_check(
    rule_id: str, severity: Severity, verdict: Verdict
) -> Callable[[AuditView], Iterator[Finding]]:
    """Return a check that yields one finding for each citation with *verdict*."""

    def check(view: AuditView) -> Iterator[Finding]:
        for facts in view.citations:
            if facts.verdict is verdict:
                yield _finding(rule_id, severity, facts)

    return check


def _finding(rule_id: str, severity: Severity, facts: CitationFacts) -> Finding:
    label = facts.citation.label or f"citation {facts.index}"
    target = facts.source_id
    if facts.span is not None:
        unit = "" if facts.unit.value == "char" else f"{facts.unit.value}s "
        target += f" [{unit}{facts.span.start}:{facts.span.end}]"
    where = Where(
        call=facts.call_at_answer,
        source_id=facts.source_id,
        citation=facts.index,
        message=facts.evidence.message if facts.evidence else None,
    )
    return finding(
        rule_id,
        severity,
        facts.grade,
        f"{label} of {target}: {facts.reason}",
        where,
        facts.source_id,
        facts.version_id,
        facts.span,
        facts.citation.answer_span,
        facts.citation.block_id,
        facts.answer,
    )
