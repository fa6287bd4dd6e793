"""CIT006: only some of a cited span was given."""

from __future__ import annotations

from reviewer.audit.rules._citation import verdict_check
from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule
from store.records.findings import Severity, Verdict
from store.records.runs import Run


def _passing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(cite("notice", (101, 150)))


def _failing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice", span=(0, 110))
    return story.answer(cite("notice", (47, 150)))


RULE = Rule(
    id="CIT006",
    name="CitationPartlyRead",
    severity=Severity.WARNING,
    summary="Only part of the cited span stood in the request of the answer",
    why=("The claim rests on text of which the model saw a part. The missing spans are listed."),
    silent="When the whole span stood there, and when none of it did.",
    check=verdict_check("CIT006", Severity.WARNING, Verdict.PARTLY_READ),
    passing=_passing,
    failing=_failing,
)
