"""SNP001: stored evidence no longer has its recorded hash."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import ProblemKind, Run
from store.records.sources import Integrity


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each version, and each file of the evidence, that changed."""
    told: set[str] = set()
    for source in view.sources:
        for facts in source.versions:
            if facts.version.integrity is Integrity.CHANGED:
                told.add(facts.version.key.version_id)
                yield finding(
                    RULE.id,
                    RULE.severity,
                    view.run.grade,
                    f"stored bytes of {source.source_id} differ from the hash of version "
                    f"{facts.version.key.version_id}",
                    Where(source_id=source.source_id),
                    source.source_id,
                    facts.version.key.version_id,
                )
    for problem in view.run.problems:
        if problem.kind is ProblemKind.CHANGED and not any(id_ in problem.what for id_ in told):
            yield finding(
                RULE.id,
                RULE.severity,
                view.run.grade,
                f"{problem.where}: {problem.what}",
                Where(),
                _inside(view.run, problem.where),
            )


def _inside(run: Run, place: str) -> str:
    """Return a file's place inside the evidence, which is the same wherever the evidence lies."""
    return place.removeprefix(run.path).lstrip("/\\")


def _passing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer()


def _failing() -> Run:
    story = Story()
    story.document("notice", changed=True)
    return story.answer()


RULE = Rule(
    id="SNP001",
    name="StoredBytesChanged",
    severity=Severity.ERROR,
    summary="Stored evidence does not have the hash that was recorded for it",
    why=(
        "Evidence that changed after the run says nothing of what the model was given. It is "
        "opened and shown, and never trusted."
    ),
    silent="When no hash was recorded, and when the bytes are missing rather than changed.",
    check=check,
    passing=_passing,
    failing=_failing,
)
