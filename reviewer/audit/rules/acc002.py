"""ACC002: a read outside what the run was granted."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.texts import PLAIN_RESULT
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, Severity, Where
from store.records.runs import Grant, Run

_NOTHING_CAME = {Outcome.FAILED, Outcome.REFUSED, Outcome.UNDELIVERED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read that gave something of a source no pattern allows."""
    scope = view.run.grant.scope if view.run.grant else ()
    if not scope:
        return
    for read in view.reads:
        source_id = read.selection.source_id
        inside = any(fnmatchcase(source_id, pattern) for pattern in scope)
        if inside or source_id.startswith(PLAIN_RESULT) or read.outcome in _NOTHING_CAME:
            continue
        yield finding(
            RULE.id,
            RULE.severity,
            read.grade,
            f"{source_id} was read, and the grant allows {', '.join(scope)}",
            Where(call=read.call, source_id=source_id, tool_call_id=read.tool_call_id),
            source_id,
            read.tool_call_id,
        )


def _told(*scope: str) -> Run:
    story = Story(grant=Grant(scope))
    story.document("notice")
    story.read("notice")
    return story.answer()


RULE = Rule(
    id="ACC002",
    name="ReadOutsideGrant",
    severity=Severity.ERROR,
    summary="A source was read that the run's recorded grant does not allow",
    why="Text from outside the grant may be confidential, or belong to another run.",
    silent="When no grant is recorded, when the read failed or was refused, and for plain results.",
    check=check,
    passing=lambda: _told("not*"),
    failing=lambda: _told("handbook-*"),
)
