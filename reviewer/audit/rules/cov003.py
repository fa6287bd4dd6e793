"""COV003: a tool left out records as filtered or unreadable."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._coverage import place, shown
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read that is known to have left out records it declares."""
    for read in view.reads:
        count = read.recomputed.filtered_count
        if not count:
            continue
        reason = read.declared.get("reason")
        said = f" ({reason})" if isinstance(reason, str) and reason else ""
        yield finding(
            RULE.id,
            RULE.severity,
            read.grade,
            f"{read.selection.source_id}: {count} of {read.recomputed.requested} records were left "
            f"out by the tool{said}: {shown(read.recomputed.missing)}",
            place(read),
            read.selection.source_id,
            read.selection.version_id,
            read.tool_call_id,
        )


def _told(*, filtered: bool) -> Run:
    story = Story()
    story.table("orders", 5)
    facts = {"filtered_count": 2, "reason": "unparsable"} if filtered else {"filtered_count": 0}
    story.read_rows("orders", 5, (0, 1, 4) if filtered else range(5), declared=facts)
    return story.answer()


RULE = Rule(
    id="COV003",
    name="RecordsLeftOut",
    severity=Severity.WARNING,
    summary="A tool left out records that it could not read, or filtered them away",
    why=(
        "The records that a tool cannot parse are seldom like the others. Who counts or compares "
        "what is left speaks of another set than was asked for."
    ),
    silent=(
        "When the tool declares no filtering, or all the records came all the same; when nothing "
        "can be counted since the version is not stored."
    ),
    check=check,
    passing=lambda: _told(filtered=False),
    failing=lambda: _told(filtered=True),
)
