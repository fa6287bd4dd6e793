"""PLC003: text was taken away, and nothing leads back to it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, PlaceholderFacts, PlaceholderKind, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run

_TOLD = {PlaceholderKind.REFUSED, PlaceholderKind.TRUNCATED}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for all the results that were lost in one way."""
    lost: dict[PlaceholderKind, list[PlaceholderFacts]] = {}
    for fact in view.placeholders:
        if not fact.recoverable and fact.kind not in _TOLD and fact.reread_at_call is None:
            lost.setdefault(fact.kind, []).append(fact)
    for kind, facts in lost.items():
        first = facts[0]
        tools = ", ".join(sorted({fact.tool or "a tool" for fact in facts}))
        yield finding(
            RULE.id,
            RULE.severity,
            Grade.weakest(*(fact.grade for fact in facts)),
            f"{kind}, and nowhere in the record any more: the text of {len(facts)} results of "
            f"{tools}",
            Where(
                call=first.first_call,
                source_id=first.source_id or None,
                tool_call_id=first.tool_call_id,
            ),
            kind,
            *sorted(fact.tool_call_id for fact in facts),
        )


def _told(*, stored: bool) -> Run:
    story = Story()
    story.answers_with("200 records", {"query": "limits"}, id="search-1")
    story.clear("search-1")
    if not stored:
        story.forget("search-1")
    return story.answer()


RULE = Rule(
    id="PLC003",
    name="NoWayBack",
    severity=Severity.WARNING,
    summary="Text was taken out of the requests, and no record holds it any more",
    why=(
        "Clearing in place destroys the evidence: neither the model nor a reviewer can see again "
        "what the answer rests on."
    ),
    silent=(
        "When the record, a store or a saved file holds the text, or it came again later; for "
        "results that were refused or cut as they came."
    ),
    check=check,
    passing=lambda: _told(stored=True),
    failing=lambda: _told(stored=False),
)
