"""CIT003: the stored bytes of a cited version changed."""

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
    story.document("notice", changed=True)
    return story.answer(cite("notice", (0, 10)))


RULE = Rule(
    id="CIT003",
    name="CitedBytesChanged",
    severity=Severity.ERROR,
    summary="The stored bytes of the cited version no longer have its hash",
    why=(
        "What is stored is not what was cited, so nothing can be said of the cited text. "
        "Changed bytes are never searched."
    ),
    silent="When the bytes are missing altogether (CIT005).",
    check=verdict_check("CIT003", Severity.ERROR, Verdict.WRONG_HASH),
    passing=_passing,
    failing=_failing,
)
