"""PLC102: a result was taken away while others stood that the policy wants to go before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reviewer.audit.retention import RETENTION, wanted
from reviewer.audit.rules._retention import taken_results, two_tools
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Change
from reviewer.audit.view import AuditView
from store.records.findings import Finding, PlaceholderFacts, Severity, Wanted, Where

_TURN = {Wanted.FIRST: 0, Wanted.UNSAID: 1, Wanted.LATE: 2}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result that went before its turn."""
    standing = _Standing(view)
    for fact in taken_results(view):
        want = wanted(fact.tool, view.settings)
        if fact.first_call is None or not _TURN.get(want):
            continue
        before = standing.that_go_before(want, fact.first_call)
        if not before:
            continue
        tools = ", ".join(sorted({standing.tool(id_) for id_ in before}))
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            f"a result of {fact.tool} was {fact.kind} while {len(before)} stood whole that go "
            f"before it, of {tools}",
            Where(
                call=fact.first_call,
                source_id=fact.source_id or None,
                tool_call_id=fact.tool_call_id,
            ),
            fact.tool_call_id,
        )


class _Standing:
    """The results by the turn in which they go, and from when to when they stood whole."""

    def __init__(self, view: AuditView) -> None:
        self._names = {call.id: call.name for call in view.run.tool_calls}
        facts: dict[str, PlaceholderFacts] = {}
        for fact in view.placeholders:
            facts.setdefault(fact.tool_call_id, fact)
        self._by_turn: dict[int, dict[str, tuple[int, int]]] = {}
        for result in view.run.tool_results:
            id_ = result.tool_call_id
            turn = _TURN.get(wanted(self._names.get(id_, ""), view.settings))
            until = _whole_until(id_, facts, len(view.run.calls))
            came = view.requests.arrival(id_)
            if turn is not None and came is not None and not result.failed and id_ in self._names:
                self._by_turn.setdefault(turn, {})[id_] = (came, until)

    def tool(self, tool_call_id: str) -> str:
        """Return the name of the tool that was called."""
        return self._names[tool_call_id]

    def that_go_before(self, want: Wanted, call: int) -> list[str]:
        """Return the results of an earlier turn that the model had seen, and that stand whole."""
        return [
            id_
            for turn in range(_TURN[want])
            for id_, (came, until) in self._by_turn.get(turn, {}).items()
            if came < call <= until
        ]


def _whole_until(tool_call_id: str, facts: Mapping[str, PlaceholderFacts], last: int) -> int:
    """The last call in whose request a result stood whole; 0 where that is not known."""
    fact = facts.get(tool_call_id)
    if fact is None:
        return last
    return 0 if fact.first_call is None else fact.first_call - 1


RULE = Rule(
    id="PLC102",
    name="TakenBeforeItsTurn",
    severity=Severity.WARNING,
    summary="A result was taken away while others stood that the policy wants to go before it",
    why=(
        "What can be fetched again costs one more tool call. What a write confirmed, or what "
        "nobody can give a second time, is gone: the model forgets what it has already done."
    ),
    silent=(
        "When no policy is set ([retention] in reread.toml); when all that goes before had been "
        "taken away by then, or had come with that very request; when the record does not say "
        "when a result was taken away; for results that failed, and for those that are to stay."
    ),
    check=check,
    passing=lambda: two_tools("read-1").answer(),
    failing=lambda: two_tools("write-1").answer(),
    tables=(RETENTION,),
    example=(Change(RETENTION.name, "late", ("write_*",)),),
)
