"""GRD005: what the answer states stands only in what a placeholder kept, or in a preview."""

from __future__ import annotations

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._grounding import SILENT, only_in
from reviewer.audit.rules._rule import Rule
from store.records.findings import ClaimFacts, Grounding, Severity
from store.records.runs import Run


def _tell(shown: str, claim: ClaimFacts) -> str:
    if claim.tool_call_id:
        return (
            f"in the request of call {claim.call}, {shown} stands only in what was kept, or "
            f"previewed, of the result of {claim.tool_call_id}"
        )
    return f"in the request of call {claim.call}, {shown} stands only in a preview"


def _passing() -> Run:
    story = Story()
    story.document("notice", NOTICE * 4)
    story.read("notice")
    story.think()
    return story.answer(text="The window opens at 02:00 UTC.")


def _failing() -> Run:
    story = Story()
    story.document("notice", NOTICE * 4)
    story.read("notice")
    story.think()
    story.clear(shown=f"{NOTICE[:60]}\n[cleared]")
    return story.answer(text="The window opens at 02:00 UTC.")


RULE = Rule(
    id="GRD005",
    name="OnlyInPlaceholder",
    severity=Severity.NOTE,
    summary="What the answer states stands only in the head that a placeholder kept, or a preview",
    why=(
        "The model saw the words and not what stands around them: an exception, a unit or the "
        "date of the text may lie in the part that was not there."
    ),
    silent=SILENT + "Where the same value or name stands anywhere else in the request.",
    check=only_in("GRD005", Severity.NOTE, Grounding.PLACEHOLDER, _tell),
    passing=_passing,
    failing=_failing,
)
