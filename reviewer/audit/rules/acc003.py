"""ACC003: a listing offered a source that the run was not granted."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Grant, Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each source outside the grant that a listing names."""
    scope = view.run.grant.scope if view.run.grant else ()
    if not scope:
        return
    told: set[str] = set()
    for manifest in view.run.manifests:
        for entry in manifest.entries:
            inside = any(fnmatchcase(entry.source_id, pattern) for pattern in scope)
            if inside or entry.source_id in told:
                continue
            told.add(entry.source_id)
            id_ = manifest.tool_call_id
            yield finding(
                RULE.id,
                RULE.severity,
                view.run.grade,
                f"{entry.source_id} was on offer, and the grant allows {', '.join(scope)}",
                Where(
                    call=view.requests.arrival(id_) if id_ else None,
                    source_id=entry.source_id,
                    tool_call_id=id_,
                ),
                entry.source_id,
            )


def _told(*scope: str) -> Run:
    story = Story(grant=Grant(scope))
    story.document("notice")
    story.document("payroll")
    story.listing("notice", "payroll")
    return story.answer()


RULE = Rule(
    id="ACC003",
    name="OfferOutsideGrant",
    severity=Severity.WARNING,
    summary="A listing named a source that the run's recorded grant does not allow",
    why=(
        "That a thing exists, its title and its preview can be confidential too, and a model reads "
        "what it is offered. A search that does not know of the grant shows everything."
    ),
    silent="When no grant is recorded. Reads outside the grant are ACC002.",
    check=check,
    passing=lambda: _told("notice", "pay*"),
    failing=lambda: _told("notice"),
)
