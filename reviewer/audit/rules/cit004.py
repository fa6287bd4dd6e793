"""CIT004: a quotation is not what stands at its span."""

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
    return story.answer(cite("notice", (101, 108), quote="Batches"))


def _failing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(cite("notice", (101, 108), quote="Packets"))


RULE = Rule(
    id="CIT004",
    name="QuotationDiffers",
    severity=Severity.ERROR,
    summary="The quoted words are not the words at the cited span",
    why=(
        "The reader is shown words that the source does not have there. The anchor says "
        "whether they stand elsewhere in the version (relocated) or nowhere (orphan)."
    ),
    silent=(
        "When the words differ only in white space, quotation marks, dashes or invisible "
        "characters (anchor normalised), and when a citation quotes nothing."
    ),
    check=verdict_check("CIT004", Severity.ERROR, Verdict.QUOTE_DIFFERS),
    passing=_passing,
    failing=_failing,
)
