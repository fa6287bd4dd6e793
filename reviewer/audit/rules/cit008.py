"""CIT008: another version than the cited one was given."""

from __future__ import annotations

from reviewer.audit.rules._citation import verdict_check
from reviewer.audit.rules._example import NOTICE, Story, cite
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
    old = story.document("notice")
    story.document("notice", NOTICE.replace("200", "500"))
    story.read("notice")
    return story.answer(cite("notice", (101, 150), version_id=old))


RULE = Rule(
    id="CIT008",
    name="OtherVersionRead",
    severity=Severity.ERROR,
    summary="The cited version was never given; another version of the source was",
    why=("The reader who follows the citation sees other text than the model saw."),
    silent="When the cited span of the cited version was given at any time before (CIT007).",
    check=verdict_check("CIT008", Severity.ERROR, Verdict.WRONG_VERSION),
    passing=_passing,
    failing=_failing,
)
