"""PLC002: a result was taken away before the one answer that used it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story, cite
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import (
    CitationFacts,
    Finding,
    PlaceholderFacts,
    PlaceholderKind,
    Severity,
    Verdict,
    Where,
)
from store.records.grades import Grade
from store.records.runs import Run

_GIVEN = {Verdict.READ, Verdict.PARTLY_READ}
_TAKEN = {PlaceholderKind.CLEARED, PlaceholderKind.FOLDED, PlaceholderKind.COMPACTED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that only answers after its removal cite."""
    uses: dict[str, list[CitationFacts]] = {}
    for cited in view.citations:
        uses.setdefault(cited.source_id, []).append(cited)
    for fact in view.placeholders:
        used = uses.get(fact.source_id, []) if fact.source_id else []
        if not used or not _was_lost_for(fact, used):
            continue
        first = min(cited.call_at_answer for cited in used)
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            f"{fact.source_id} stood whole up to call {fact.last_full_call} and was {fact.kind} "
            f"before call {fact.first_call}; the first that cites it is the answer of call {first}",
            Where(call=fact.first_call, source_id=fact.source_id, tool_call_id=fact.tool_call_id),
            fact.source_id,
            fact.tool_call_id,
        )


def _was_lost_for(fact: PlaceholderFacts, used: list[CitationFacts]) -> bool:
    """Whether a result was there, and gone whenever anybody cited it."""
    first, last = fact.first_call, fact.last_full_call
    proved = fact.grade is not Grade.UNKNOWN and fact.kind in _TAKEN
    if not proved or first is None or last is None or fact.reread_at_call is not None:
        return False
    late = all(cited.call_at_answer >= first for cited in used)
    return late and not any(cited.verdict in _GIVEN for cited in used)


def _told(*, answered_first: bool) -> Run:
    story = Story()
    version = story.document("notice")
    story.read("notice")
    place = cite("notice", (0, 20), version_id=version)
    if answered_first:
        story.answer(place)
    story.think()
    story.clear()
    return story.answer(place)


RULE = Rule(
    id="PLC002",
    name="ClearedBeforeItsUse",
    severity=Severity.WARNING,
    summary="A result was taken out of the requests before the only answers that cite it",
    why=(
        "It was paid for in every request that nobody needed it in, and was gone in the one that "
        "did. The rule by which the agent clears its context is wrong for this kind of result."
    ),
    silent=(
        "When an earlier answer cites it, when what is cited still stood in the request or was "
        "read again, when the time is not recorded or the grade unknown, and for results that "
        "were never whole in any request."
    ),
    check=check,
    passing=lambda: _told(answered_first=True),
    failing=lambda: _told(answered_first=False),
)
