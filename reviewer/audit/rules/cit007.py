"""CIT007: cited text was given earlier and was gone at the answer."""

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
    story.think()
    story.clear()
    return story.answer(cite("notice", (101, 150)))


RULE = Rule(
    id="CIT007",
    name="CitedFromMemory",
    severity=Severity.ERROR,
    summary="The cited text stood in an earlier request and no longer in that of the answer",
    why=(
        "The model wrote about text that it no longer had. What an earlier request held says "
        "nothing of a later one."
    ),
    silent="When the text was read again before the answer.",
    check=verdict_check("CIT007", Severity.ERROR, Verdict.FROM_MEMORY),
    passing=_passing,
    failing=_failing,
)
