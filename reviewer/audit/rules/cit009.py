"""CIT009: only a preview of the cited text was given."""

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
    return story.answer(cite("notice", (0, 100)))


RULE = Rule(
    id="CIT009",
    name="PreviewOnly",
    severity=Severity.ERROR,
    summary="Only a preview in a listing covers some of the cited text",
    why=(
        "A listing shows the first words of a thing. Whoever cites more than those has not read it."
    ),
    silent="When any of the cited span was delivered by a read.",
    check=verdict_check("CIT009", Severity.ERROR, Verdict.PREVIEW_ONLY),
    passing=_passing,
    failing=_failing,
)
