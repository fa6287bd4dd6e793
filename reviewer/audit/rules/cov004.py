"""COV004: the number is right, and the records are others."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._coverage import place, shown
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Coverage, Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read with records that came twice, or that were not asked for."""
    for read in view.reads:
        wrong = "; ".join(_wrong(read.recomputed))
        if wrong:
            yield finding(
                RULE.id,
                RULE.severity,
                read.grade,
                f"the records of {read.selection.source_id} are not those asked for: {wrong}",
                place(read),
                read.selection.source_id,
                read.selection.version_id,
                read.tool_call_id,
            )


def _wrong(found: Coverage) -> Iterator[str]:
    if found.duplicate:
        yield f"came twice: {shown(found.duplicate)}"
    if found.unexpected:
        yield f"came without being asked for: {shown(found.unexpected)}"
    if found.missing and (found.duplicate or found.unexpected):
        yield f"did not come: {shown(found.missing)}"


def _told(*came: int) -> Run:
    story = Story()
    story.table("orders", 6)
    story.read_rows("orders", 5, came)
    return story.answer()


RULE = Rule(
    id="COV004",
    name="OtherRecordsThanAsked",
    severity=Severity.WARNING,
    summary="Records came twice or were never asked for, while others are missing",
    why=(
        "A count alone does not show it: five were asked for and five came, and one of them is "
        "there twice in place of another. Sums and comparisons are then wrong."
    ),
    silent="When every record came once; when nothing can be counted since no table is stored.",
    check=check,
    passing=lambda: _told(0, 1, 2, 3, 4),
    failing=lambda: _told(0, 1, 2, 3, 3),
)
