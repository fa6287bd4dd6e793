"""SNP005: a refresh failed and the old version was served as new."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.runs import Run
from store.records.sources import RefreshFailure


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read that claims to be fresh and gave the version kept."""
    kept = {(f.source_id, f.kept): f for f in view.run.refresh_failures if f.kept}
    for read in view.reads:
        failure = kept.get((read.selection.source_id, read.selection.version_id))
        if failure and read.declared.get("refreshed") is True:
            yield finding(
                RULE.id,
                RULE.severity,
                read.grade,
                f"{read.selection.source_id} was read as refreshed; the refresh had failed "
                f"({failure.error or 'no error recorded'}) and the old version was served",
                Where(
                    call=read.call,
                    source_id=read.selection.source_id,
                    tool_call_id=read.tool_call_id,
                ),
                read.selection.source_id,
                read.selection.version_id,
                read.tool_call_id,
            )


def _told(*, refreshed: bool) -> Run:
    story = Story()
    version = story.document("notice")
    story.refresh_failures.append(RefreshFailure("notice", version, "upstream 503", after=1))
    story.read("notice", declared={"refreshed": refreshed})
    return story.answer()


RULE = Rule(
    id="SNP005",
    name="OldVersionServedAsNew",
    severity=Severity.ERROR,
    summary="A refresh failed, and the version kept was handed out as refreshed",
    why="The model was told that the text is current, and the store knows that it is not.",
    silent="When the tool does not claim a refresh, or no failure of it is recorded.",
    check=check,
    passing=lambda: _told(refreshed=False),
    failing=lambda: _told(refreshed=True),
)
