"""CIT002: a citation ends behind the end of its version."""

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
    story.read("notice")
    return story.answer(cite("notice", (101, 9000)))


RULE = Rule(
    id="CIT002",
    name="CitationOutOfBounds",
    severity=Severity.ERROR,
    summary="The cited span lies outside the version",
    why=(
        "A place that does not exist was not read. It often comes from counting in another "
        "unit, such as bytes or UTF-16."
    ),
    silent="When the length of the version is not recorded.",
    check=verdict_check("CIT002", Severity.ERROR, Verdict.OUT_OF_BOUNDS),
    passing=_passing,
    failing=_failing,
)
