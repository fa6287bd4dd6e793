"""ACC004: something was read that came from another run."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, Severity, Where
from store.records.runs import Grant, Run
from store.records.sources import VersionKey

_FROM_RUN = "run:"
"""How the origin of a version names the run it was made in."""
_NOTHING_CAME = {Outcome.FAILED, Outcome.REFUSED, Outcome.UNDELIVERED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each version of another run that a read gave something of."""
    run = view.run
    scope = run.grant.scope if run.grant else ()
    own = {run.run_id, run.parent_run}
    foreign = {
        version.key: version.origin.removeprefix(_FROM_RUN)
        for version in run.versions
        if version.origin.startswith(_FROM_RUN)
    }
    told: set[VersionKey] = set()
    for read in view.reads:
        key = read.selection.key
        outside = bool(scope) and not any(fnmatchcase(key.source_id, each) for each in scope)
        other = foreign.get(key)
        skipped = outside or key in told or read.outcome in _NOTHING_CAME
        if other is None or other in own or skipped:
            continue
        told.add(key)
        yield finding(
            RULE.id,
            RULE.severity,
            read.grade,
            f"{key.source_id} was made in run {other} and read in this one",
            Where(call=read.call, source_id=key.source_id, tool_call_id=read.tool_call_id),
            key.source_id,
            key.version_id,
            other,
        )


def _told(origin: str) -> Run:
    story = Story(grant=Grant(("*",)))
    story.document("notice", origin=origin)
    story.read("notice")
    return story.answer()


RULE = Rule(
    id="ACC004",
    name="ReferenceFromAnotherRun",
    severity=Severity.WARNING,
    summary="A source was read that was made in another run",
    why=(
        "A reference that leads into another run, by a mixed up cache or an id that was passed "
        "on, brings in text that nobody gave this run, perhaps of another user."
    ),
    silent=(
        "When the record does not name the run that a version was made in, for a run's own parent, "
        "when nothing came, and for a source outside the grant, which is ACC002."
    ),
    check=check,
    passing=lambda: _told("run:example"),
    failing=lambda: _told("run:yesterday"),
)
