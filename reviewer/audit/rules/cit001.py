"""CIT001: a citation names no known source, version or block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.rules._citation import verdict_check
from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Verdict
from store.records.grades import Grade
from store.records.runs import Run

_found = verdict_check("CIT001", Severity.ERROR, Verdict.UNRESOLVED)


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each unresolved citation.

    A warning, as for what is unverifiable, where nothing could be looked up:
    the record holds no source at all and cannot say what the request held.
    """
    for finding in _found(view):
        blind = not view.sources and finding.grade is Grade.UNKNOWN
        yield replace(finding, severity=Severity.WARNING) if blind else finding


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
        "When the source is known and only the place is wrong (CIT002) or was never given "
        "(CIT012). Where the record holds no source at all and cannot say what the request held, "
        "it is a warning: nothing could be looked up."
    ),
    check=check,
    passing=_passing,
    failing=_failing,
)
