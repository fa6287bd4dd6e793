"""BUD002: a budget kept a result out, and the answer says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._refusals import Said, described, refusals, refused
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each refusal of which no later answer has a word."""
    for refusal in refusals(view):
        if refusal.said is Said.NOT and not refusal.in_part:
            source = refusal.sources[0] if refusal.sources else None
            yield finding(
                RULE.id,
                RULE.severity,
                refusal.grade,
                f"a budget kept out {described(refusal)}; nothing of it was given otherwise, and "
                "the answer does not say so",
                Where(
                    call=refusal.call,
                    source_id=source,
                    tool_call_id=refusal.admission.tool_call_id,
                ),
                refusal.admission.tool_call_id,
                source,
            )


def _passing() -> Run:
    return refused("The notice could not be read within the budget.")


def _failing() -> Run:
    return refused("The notice is in force, and batches of the service stop in it.")


RULE = Rule(
    id="BUD002",
    name="RefusalNotMentioned",
    severity=Severity.WARNING,
    summary="A budget kept a result out, and the answer does not say that it was not read",
    why=(
        "Whoever reads the answer takes it for one that considered everything that was looked up. "
        "A limit that is not mentioned turns into a silent gap."
    ),
    silent=(
        "When some of it was given by another read; when an answer holds any word that may tell of "
        "it, such as “limit” or “not” (then BUD001 shows the word); when no answer is recorded, or "
        "it is neither English nor Chinese."
    ),
    check=check,
    passing=_passing,
    failing=_failing,
)
