"""CIT005: the record cannot prove a citation either way."""

from __future__ import annotations

from reviewer.audit.rules._citation import verdict_check
from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule
from store.records.findings import Severity, Verdict
from store.records.grades import Grade
from store.records.runs import Run


def _passing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(cite("notice", (101, 150)))


def _failing() -> Run:
    story = Story(grade=Grade.UNKNOWN)
    story.document("notice")
    story.read("notice")
    return story.answer(cite("notice", (101, 150)))


RULE = Rule(
    id="CIT005",
    name="CitationUnverifiable",
    severity=Severity.WARNING,
    summary="The record cannot say whether the cited text was given to the model",
    why=(
        "Not proven is not refuted, and it is not verified either. The reason says what is "
        "missing from the record."
    ),
    silent=(
        "When another verdict holds first: an unknown key or a wrong quotation needs no "
        "request to be seen."
    ),
    check=verdict_check("CIT005", Severity.WARNING, Verdict.UNVERIFIABLE),
    passing=_passing,
    failing=_failing,
)
