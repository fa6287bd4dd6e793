"""CIT001: a citation names no known source, version or block."""

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
    story.read("notice")
    return story.answer(cite("notice-2", (0, 10)))


RULE = Rule(
    id="CIT001",
    name="CitationUnresolved",
    severity=Severity.ERROR,
    summary="The cited key matches no source, version or block of the run",
    why=(
        "A key that leads nowhere cannot be checked by anyone, and is often made up. Keys are "
        "compared whole: the beginning of a key is another key."
    ),
    silent=(
        "When the source is known and only the place is wrong (CIT002) or was never given (CIT012)."
    ),
    check=verdict_check("CIT001", Severity.ERROR, Verdict.UNRESOLVED),
    passing=_passing,
    failing=_failing,
)
