"""PAI002: a request holds a result whose tool call stands nowhere in it."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._pairing import Pairing
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import PartKind, Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that some answered request holds without its call."""
    pairing = Pairing(view.run)
    if not pairing.tool_calls:
        return  # this record keeps no tool calls at all
    for id_, results in pairing.results.items():
        bare = pairing.without(results, pairing.tool_calls.get(id_, ()))
        at = pairing.first_answered(bare)
        if at is None or view.run.calls[at - 1].grade is Grade.UNKNOWN:
            continue
        made = id_ in pairing.tool_calls
        why = "its call is left out there" if made else "no call of it is recorded"
        yield finding(
            RULE.id,
            RULE.severity,
            view.run.calls[at - 1].grade,
            f"the request of call {at} holds a tool's result without the tool call; {why}",
            Where(call=at, tool_call_id=id_),
            id_,
        )


def _told(*, dropped: bool) -> Run:
    story = Story()
    story.document("notice")
    story.document("handbook")
    story.read("notice")
    story.read("handbook", id="read-2")
    if dropped:
        story.drop("read-1", PartKind.TOOL_CALL)
    return story.answer()


RULE = Rule(
    id="PAI002",
    name="ResultWithoutToolCall",
    severity=Severity.WARNING,
    summary="A request holds a tool's result, and not the tool call",
    why=(
        "The model gets text and is not told what was asked for it: which document, which query, "
        "which part. Summaries that cut a conversation between a call and its result do this."
    ),
    silent=(
        "In records that keep no tool calls at all; for a request that failed or whose grade is "
        "unknown."
    ),
    check=check,
    passing=lambda: _told(dropped=False),
    failing=lambda: _told(dropped=True),
)
