"""PLC004: the words that stand for a result change from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result whose placeholder did not stay as it was."""
    for fact in view.placeholders:
        if fact.byte_stable or fact.grade is Grade.UNKNOWN:
            continue
        name = fact.source_id or fact.tool or "a tool"
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            f"the placeholder of {name} reads differently in different requests",
            Where(
                call=fact.first_call,
                source_id=fact.source_id or None,
                tool_call_id=fact.tool_call_id,
            ),
            fact.source_id,
            fact.tool_call_id,
        )


def _told(second: str) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    story.clear(shown="[cleared 1 result]")
    story.think()
    story.clear(shown=second)
    return story.answer()


RULE = Rule(
    id="PLC004",
    name="PlaceholderChanges",
    severity=Severity.NOTE,
    summary="What stands in the place of a result is not the same in all requests",
    why=(
        "Each change breaks the prefix that requests share, so that everything behind it is paid "
        "for again, and the model sees its past rewritten."
    ),
    silent="When the placeholder is equal to the byte, and when the grade is unknown.",
    check=check,
    passing=lambda: _told("[cleared 1 result]"),
    failing=lambda: _told("[cleared 2 results]"),
)
