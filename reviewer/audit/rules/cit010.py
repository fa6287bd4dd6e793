"""CIT010: a read of the cited source only gave a placeholder."""

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
    story.read("notice", shown="ok: read notice (reference kept)")
    return story.answer(cite("notice", (101, 150)))


RULE = Rule(
    id="CIT010",
    name="PlaceholderOnly",
    severity=Severity.ERROR,
    summary="The cited source was asked for, and no text of it ever stood in a request",
    why=(
        "The trace shows a read that succeeded, and the model was given a few words in its place."
    ),
    silent="When any text of the version was delivered, even from a placeholder that kept a head.",
    check=verdict_check("CIT010", Severity.ERROR, Verdict.PLACEHOLDER_ONLY),
    passing=_passing,
    failing=_failing,
)
