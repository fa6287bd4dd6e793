"""PLC008: a file that was taken away was read again, and only in part."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import (
    Finding,
    Outcome,
    PlaceholderFacts,
    PlaceholderKind,
    Severity,
    Where,
)
from store.records.grades import Grade
from store.records.runs import Run

_TOLD = {PlaceholderKind.REFUSED, PlaceholderKind.TRUNCATED}
_GAVE_TEXT = {Outcome.DELIVERED, Outcome.TRUNCATED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each file whose lost text came back in part."""
    side_files = {result.tool_call_id: result.side_file for result in view.run.tool_results}
    lost: dict[str, list[PlaceholderFacts]] = {}
    for fact in view.placeholders:
        if fact.is_file_read and fact.source_id and fact.kind not in _TOLD:
            lost.setdefault(fact.source_id, []).append(fact)
    for source_id, facts in lost.items():
        fact = facts[0]
        again = fact.reread_at_call
        if again is None or fact.grade is Grade.UNKNOWN or any(f.reread_whole for f in facts):
            continue
        paths = {source_id, side_files.get(fact.tool_call_id, "")}
        if again <= view.requests.closing_call and _was_read(view, paths, fact):
            yield finding(
                RULE.id,
                RULE.severity,
                fact.grade,
                f"{source_id} was {fact.kind} before call {fact.first_call} and read again in "
                f"part, first in call {again}",
                Where(call=again, source_id=source_id, tool_call_id=fact.tool_call_id),
                source_id,
                fact.tool_call_id,
            )


def _was_read(view: AuditView, paths: set[str], fact: PlaceholderFacts) -> bool:
    """Whether a read of one of *paths* gave text after the loss; PLC001 tells of the others."""
    return any(
        read.selection.source_id in paths
        and read.tool_call_id != fact.tool_call_id
        and read.outcome in _GAVE_TEXT
        and (read.call or 0) >= (fact.first_call or 0)
        for read in view.reads
    )


def _told(span: tuple[int, int] | None) -> Run:
    story = Story()
    story.document("docs/notice.md")
    story.read("docs/notice.md", is_file_read=True)
    story.think()
    story.clear()
    story.read("docs/notice.md", id="read-2", span=span, is_file_read=True)
    return story.answer()


RULE = Rule(
    id="PLC008",
    name="ReadAgainInPart",
    severity=Severity.NOTE,
    summary="A file whose text was taken away was read again only in part",
    why=(
        "The second read ends the phantom read, and what the answer has of the file is the part "
        "that was asked for again. The rest is as good as unread."
    ),
    silent=(
        "When all of the lost text came back; when nothing came back, which is PLC001; when the "
        "file was never taken away, or the grade is unknown."
    ),
    check=check,
    passing=lambda: _told(None),
    failing=lambda: _told((0, NOTICE.index("\n") + 1)),
)
