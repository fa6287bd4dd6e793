"""PAI003: one id names two tool calls, or two results, of one request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.audit.intervals import intersect
from reviewer.audit.rules._example import Story
from reviewer.audit.rules._pairing import Pairing, Standing
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import PartKind, Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each id that is used twice in one request, of calls or of results."""
    pairing = Pairing(view.run)
    both = ((pairing.tool_calls, "tool calls"), (pairing.results, "results"))
    for kind, (held, what) in zip((PartKind.TOOL_CALL, PartKind.TOOL_RESULT), both, strict=True):
        for id_, places in held.items():
            at = _together(places)
            if at is None or view.run.calls[at - 1].grade is Grade.UNKNOWN:
                continue
            yield finding(
                RULE.id,
                RULE.severity,
                view.run.calls[at - 1].grade,
                f"two {what} in the request of call {at} have the id {id_}",
                Where(call=at, tool_call_id=id_),
                id_,
                kind,
            )


def _together(places: Sequence[Standing]) -> int | None:
    """Return the first call whose request holds two of *places*, ``None`` if none does."""
    first: int | None = None
    for number, one in enumerate(places):
        for other in places[:number]:
            both = intersect(one.calls, other.calls)
            if both and (first is None or both[0].start < first):
                first = both[0].start
    return first


def _told(second: str) -> Run:
    story = Story()
    story.document("notice")
    story.document("handbook")
    story.read("notice")
    story.read("handbook", id=second)
    return story.answer()


def _failing() -> Run:
    story = Story()
    story.answers_with("3 hits", {"query": "limits"}, id="search-1")
    story.repeat("search-1", "no hits")
    return story.answer()


RULE = Rule(
    id="PAI003",
    name="IdUsedTwice",
    severity=Severity.WARNING,
    summary="One id names two tool calls, or two results, in one request",
    why=(
        "Nothing says which result belongs to which call, neither to the model nor to a reviewer. "
        "What is said of the one may hold for the other."
    ),
    silent=(
        "Where the two never stand in one request, such as a result and what replaced it; where "
        "the grade is unknown."
    ),
    check=check,
    passing=lambda: _told("read-2"),
    failing=_failing,
)
