"""PAI001: a request holds a tool call whose result stands nowhere in it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._pairing import Pairing
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each tool call that some answered request holds without result."""
    pairing = Pairing(view.run)
    for id_, calls in pairing.tool_calls.items():
        bare = pairing.without(calls, pairing.results.get(id_, ()))
        at = pairing.first_answered(bare)
        if at is None or view.run.calls[at - 1].grade is Grade.UNKNOWN:
            continue
        came = id_ in pairing.results
        why = "its result is left out there" if came else "no result of it is recorded"
        yield finding(
            RULE.id,
            RULE.severity,
            view.run.calls[at - 1].grade,
            f"the request of call {at} holds the tool call {calls[0].part.name} without a result; "
            f"{why}",
            Where(call=at, tool_call_id=id_),
            id_,
        )


def _told(*, dropped: bool) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    story.think()
    if dropped:
        story.drop("read-1")
    return story.answer()


RULE = Rule(
    id="PAI001",
    name="ToolCallWithoutResult",
    severity=Severity.WARNING,
    summary="A request holds a tool call, and no result of it",
    why=(
        "The model sees that it asked and not what came back: it may take the silence for an "
        "answer. Most providers refuse such a request, so that what was sent was another one than "
        "the record shows."
    ),
    silent=(
        "For a tool call at the end of a run that was interrupted, since no request holds it; for "
        "a request that failed or whose grade is unknown."
    ),
    check=check,
    passing=lambda: _told(dropped=False),
    failing=lambda: _told(dropped=True),
)
