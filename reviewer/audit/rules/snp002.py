"""SNP002: one request holds text of several versions of one source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, SourceFacts, VersionFacts, Where
from store.records.runs import Run
from store.records.sources import Integrity


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each source of which an answer's request holds several versions."""
    count = len(view.run.calls)
    asked = [*(answer.call for answer in view.run.answers), view.requests.closing_call]
    calls = [at for at in dict.fromkeys(asked) if 0 < at <= count]
    for source in view.sources:
        exact = _exact(source)
        for at in calls if len(exact) > 1 else ():
            mixed = [each for each in exact if view.requests.touched(each.version.key, at)]
            if len(mixed) > 1:
                yield _finding(view, source, mixed, at)
                break


def _finding(
    view: AuditView, source: SourceFacts, mixed: Sequence[VersionFacts], at: int
) -> Finding:
    names = [each.version.revision or each.version.key.version_id for each in mixed]
    return finding(
        RULE.id,
        RULE.severity,
        view.run.calls[at - 1].grade,
        f"the request of call {at} holds text of {len(mixed)} versions of {source.source_id}: "
        f"{', '.join(names)}",
        Where(call=at, source_id=source.source_id),
        source.source_id,
        *sorted(each.version.key.version_id for each in mixed),
    )


def _exact(source: SourceFacts) -> list[VersionFacts]:
    """Return the versions whose bytes are stored: those rebuilt from a record follow edits."""
    return [each for each in source.versions if each.version.integrity is Integrity.INTACT]


def _told(*, replaced: bool) -> Run:
    story = Story()
    old = story.document("notice")
    new = story.document("notice", NOTICE.replace("200", "250"))
    story.read("notice", version=old)
    if replaced:
        story.clear()
    story.read("notice", id="read-2", version=new)
    return story.answer()


RULE = Rule(
    id="SNP002",
    name="VersionsMixed",
    severity=Severity.WARNING,
    summary="An answer's request holds text of several versions of one source",
    why=(
        "The model cannot tell which state is in force, and may quote one beside the other. A "
        "citation without a version then names no text at all."
    ),
    silent=(
        "When the older text was taken out before the answer, and for files that an agent changes "
        "as it works: their states are rebuilt from the record, and no store holds them."
    ),
    check=check,
    passing=lambda: _told(replaced=True),
    failing=lambda: _told(replaced=False),
)
