"""COV002: a text was cut on its way into the request."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._coverage import place, shown
from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Outcome, PlaceholderKind, Severity
from store.records.runs import Run
from store.records.text import Unit


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each read of a text of which the first request holds only a part."""
    taken = {
        fact.tool_call_id
        for fact in view.placeholders
        if fact.kind is not PlaceholderKind.TRUNCATED
    }
    for read in view.reads:
        cut = read.outcome is Outcome.TRUNCATED and read.recomputed.byte_complete is False
        if not cut or read.selection.unit is Unit.ROW or read.tool_call_id in taken:
            continue
        unit = "character" if read.selection.unit is Unit.CHAR else read.selection.unit.value
        yield finding(
            RULE.id,
            RULE.severity,
            read.grade,
            f"{read.selection.source_id} was cut: {shown(read.recomputed.missing)} of the "
            f"{unit}s that were asked for did not come",
            place(read),
            read.selection.source_id,
            read.selection.version_id,
            read.tool_call_id,
        )


def _told(shown: str | None) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", shown=shown)
    return story.answer()


RULE = Rule(
    id="COV002",
    name="TextCut",
    severity=Severity.WARNING,
    summary="A text that was asked for was cut before it reached the model",
    why=(
        "A limit on bytes or characters cuts in the middle of a text, often without a word, and "
        "the last sentence that came looks like the last one there is."
    ),
    silent=(
        "When the part that was asked for came whole, such as a read with an offset and a limit of "
        "the model's own; for results that were cleared, folded, moved to a file or refused, which "
        "other rules tell; where the text of the version is not stored."
    ),
    check=check,
    passing=lambda: _told(None),
    failing=lambda: _told(NOTICE[:90]),
)
