"""CIT011: the cited source was only listed."""

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
    story.listing("notice", preview=40)
    return story.answer(cite("notice", (101, 150)))


RULE = Rule(
    id="CIT011",
    name="ListedOnly",
    severity=Severity.ERROR,
    summary="The cited source stood in a listing and was never opened",
    why=("Being on offer proves nothing about the body."),
    silent="When the listing shows a preview of the cited place (CIT009).",
    check=verdict_check("CIT011", Severity.ERROR, Verdict.LISTED_ONLY),
    passing=_passing,
    failing=_failing,
)
