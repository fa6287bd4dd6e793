"""CAC001: the system text changes from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.rules._prefix import LEAST_BYTES, LONG, gathered, listed, told
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.bills import Change
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for a run whose system text broke the shared prefix."""
    found, again = gathered(view, RULE.id, [Change.SYSTEM])
    if not found:
        return
    first = found[0]
    yield finding(
        RULE.id,
        RULE.severity,
        Grade.weakest(*(one.broken.grade for one in found)),
        f"the system text changed in {len(found)} of {len(view.run.calls)} calls "
        f"({listed(found)}), and {again} bytes behind it that had been sent before were read "
        f"anew; first in call {first.call} at byte {first.broken.byte}, where "
        f"“{first.broken.was}” became “{first.broken.now}”",
        Where(call=first.call, message=first.broken.message),
        Change.SYSTEM.value,
    )


def _run(*clocks: str) -> Run:
    asked, reply = ("user", "question"), ("assistant", "reply")
    return told(
        *([("system", f"clock: {clock}"), asked, reply, ("tool", LONG)] for clock in clocks)
    )


RULE = Rule(
    id="CAC001",
    name="SystemTextChanges",
    severity=Severity.NOTE,
    summary="The system text changed between calls, and everything behind it was read anew",
    why=(
        "A request that begins like the one before is read from a cache and costs little. A clock "
        "or a counter in the system text makes every request begin otherwise. It also means that "
        "the calls were not given the same instructions."
    ),
    silent=(
        "When a request does not go on from the one before (another conversation in between); when "
        "nothing that was sent before stands behind the change, or less than least_bytes; where "
        "the requests are not recorded or exactly derived (grade inferred or unknown)."
    ),
    check=check,
    passing=lambda: _run("Sunday", "Sunday"),
    failing=lambda: _run("02:00:01", "02:00:09"),
    parameters=(LEAST_BYTES,),
)
