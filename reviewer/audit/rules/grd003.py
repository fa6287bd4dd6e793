"""GRD003: a quotation, or code quoted in a line, that is in no request."""

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
    return story.answer(text='It says that "the export service is stopped first".')


def _failing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return story.answer(text='It says that "the export service is never stopped".')


RULE = Rule(
    id="GRD003",
    name="QuotationFromNowhere",
    severity=Severity.WARNING,
    summary="Words in quotation marks, or code in a line, stand in no request",
    why=(
        "Quotation marks say that these words were written. Here nothing that the model was given "
        "has them: the quotation is altered, or it is invented."
    ),
    silent=SILENT
    + "For quotations of fewer than three words; for differences of punctuation, white space, "
    "case and markup, and of what stands between marks of omission; for the model's own words "
    "quoted or summed up; in blocks of code; where the sentence only proposes.",
    check=nowhere("GRD003", Severity.WARNING, {ClaimKind.QUOTATION, ClaimKind.CODE}),
    passing=_passing,
    failing=_failing,
)
