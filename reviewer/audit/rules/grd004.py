"""GRD004: what the answer states stands only in text that had been taken away by then."""

from __future__ import annotations

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._grounding import SILENT, only_in
from reviewer.audit.rules._rule import Rule
from store.records.findings import ClaimFacts, Grounding, Severity
from store.records.runs import Run


def _tell(shown: str, claim: ClaimFacts) -> str:
    message = f"{shown} stood only in text that was taken away before call {claim.call}"
    if claim.tool_call_id:
        message += f"; last in call {claim.last_call}, in the result of {claim.tool_call_id}"
    else:
        message += f"; last in call {claim.last_call}"
    return message


def _passing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    return story.answer(text="Batches are limited to 200 records.")


def _failing() -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    story.clear()
    return story.answer(text="Batches are limited to 200 records.")


RULE = Rule(
    id="GRD004",
    name="OnlyInClearedText",
    severity=Severity.WARNING,
    summary="What the answer states stood only in text that was cleared before the answer",
    why=(
        "The model had read it, and could not look at it any more when it wrote the answer: "
        "numbers and names told from memory are where answers go wrong unnoticed."
    ),
    silent=SILENT + "Where the same value or name stands anywhere else in the request.",
    check=only_in("GRD004", Severity.WARNING, Grounding.CLEARED, _tell),
    passing=_passing,
    failing=_failing,
)
