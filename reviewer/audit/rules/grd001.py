"""GRD001: a number, date or time of an answer that is in no request."""

from __future__ import annotations

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._grounding import SILENT, nowhere
from reviewer.audit.rules._rule import Rule
from store.records.findings import ClaimKind, Severity
from store.records.runs import Run


def _passing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(text="Batches are limited to 200 records, the window opens at 2:00 UTC.")


def _failing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(text="Batches are limited to 250 records.")


RULE = Rule(
    id="GRD001",
    name="NumberFromNowhere",
    severity=Severity.WARNING,
    summary="A number, date or time in the answer stands in no request and follows from none",
    why=(
        "The model was given no such value when it answered: it is invented, remembered from "
        "training, or taken from text that was obtained and never given to it."
    ),
    silent=SILENT
    + "For whole numbers up to 20 without a unit, list numbers, headings and marks of citations; "
    "for values that follow from others of the answer (sum, difference, share, count); where one "
    "reading of an ambiguous number or date stands; where the sentence only proposes.",
    check=nowhere("GRD001", Severity.WARNING, {ClaimKind.NUMBER, ClaimKind.DATE, ClaimKind.TIME}),
    passing=_passing,
    failing=_failing,
)
