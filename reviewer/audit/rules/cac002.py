"""CAC002: text in the middle of the conversation changed, and what follows it was read anew."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._prefix import LEAST_BYTES, LONG, gathered, listed, told
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.bills import Change, PrefixBreak
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.kinds import PlaceholderKind
from store.records.runs import Run

_CHANGES = {
    Change.RESULT: "another text stands for a result",
    Change.REPLACED: "a message was rewritten",
    Change.INSERTED: "a message was put in before others",
    Change.REMOVED: "a message was taken out before others",
    Change.MOVED: "messages changed their order",
}

_KINDS = {
    PlaceholderKind.CLEARED: "cleared",
    PlaceholderKind.FOLDED: "folded to a reference",
    PlaceholderKind.PERSISTED: "moved to a file",
    PlaceholderKind.TRUNCATED: "cut",
    PlaceholderKind.COMPACTED: "replaced by a summary",
    PlaceholderKind.REFUSED: "refused",
}


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for a run whose earlier messages broke the shared prefix."""
    found, again = gathered(view, RULE.id, _CHANGES)
    if not found:
        return
    first = found[0]
    result = next(iter(first.broken.results), None)
    yield finding(
        RULE.id,
        RULE.severity,
        Grade.weakest(*(one.broken.grade for one in found)),
        f"text sent before was changed in {len(found)} of {len(view.run.calls)} calls "
        f"({listed(found)}), and {again} bytes behind it that had been sent before were read "
        f"anew; first in call {first.call} at byte {first.broken.byte}: {_what(first.broken)}",
        Where(call=first.call, message=first.broken.message, tool_call_id=result),
        first.broken.change.value,
        result,
        first.broken.role,
    )


def _what(broken: PrefixBreak) -> str:
    if broken.change is not Change.RESULT or not broken.results:
        return _CHANGES[broken.change]
    kinds = " and ".join(_KINDS[kind] for kind in broken.kinds) or "replaced"
    if len(broken.results) == 1:
        return f"the result of {broken.results[0]} was {kinds}"
    return f"{len(broken.results)} results were {kinds}, the first that of {broken.results[0]}"


def _run(*results: str) -> Run:
    head = [("user", "question"), ("assistant", "reply")]
    return told(*([*head, ("tool", result), ("assistant", LONG)] for result in results))


RULE = Rule(
    id="CAC002",
    name="EarlierTextChanges",
    severity=Severity.NOTE,
    summary="Text sent before was changed or cleared, and everything behind it was read anew",
    why=(
        "Clearing an old result makes a request shorter and ends the prefix that it shares with "
        "the one before, so that all behind it is paid for as if it were new. Done in every call "
        "this can cost more than it saves; the bill shows both."
    ),
    silent=(
        "When a request does not go on from the one before (another conversation in between); when "
        "nothing that was sent before stands behind the change, or less than least_bytes; where "
        "the requests are not recorded or exactly derived (grade inferred or unknown)."
    ),
    check=check,
    passing=lambda: _run(LONG, LONG),
    failing=lambda: _run(LONG, "[cleared]"),
    parameters=(LEAST_BYTES,),
)
