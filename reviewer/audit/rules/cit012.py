"""CIT012: nothing of a cited span was ever given."""

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
    story.read("notice", span=(0, 48))
    return story.answer(cite("notice", (101, 150)))


RULE = Rule(
    id="CIT012",
    name="CitationNeverRead",
    severity=Severity.ERROR,
    summary="Nothing of the cited span was ever in a request",
    why=(
        "The citation points at text that the model was not given at any time. The reason "
        "says whether it was given other parts."
    ),
    silent=(
        "When a more exact verdict holds: preview, placeholder, listing, another version or "
        "an earlier request."
    ),
    check=verdict_check("CIT012", Severity.ERROR, Verdict.NEVER_READ),
    passing=_passing,
    failing=_failing,
)
