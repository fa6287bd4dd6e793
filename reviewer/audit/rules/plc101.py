"""PLC101: a result was taken away that the policy wants to stay."""

from __future__ import annotations

from collections.abc import Iterator

from reviewer.audit.retention import RETENTION, wanted
from reviewer.audit.rules._retention import taken_results, two_tools
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Change
from reviewer.audit.view import AuditView
from store.records.findings import Finding, Severity, Wanted, Where


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each result of a tool of which nothing may be taken away."""
    for fact in taken_results(view):
        if wanted(fact.tool, view.settings) is not Wanted.NEVER:
            continue
        message = f"every result of {fact.tool} is to stay, and this one was {fact.kind}"
        if fact.reread_at_call is not None:
            message += f"; it came again in call {fact.reread_at_call}"
        yield finding(
            RULE.id,
            RULE.severity,
            fact.grade,
            message,
            Where(
                call=fact.first_call,
                source_id=fact.source_id or None,
                tool_call_id=fact.tool_call_id,
            ),
            fact.tool_call_id,
        )


RULE = Rule(
    id="PLC101",
    name="KeptResultTaken",
    severity=Severity.ERROR,
    summary="A result was taken out of the requests that the policy wants to stay",
    why=(
        "The input of a task is what everything else is measured by. A client that clears it to "
        "make room leaves the model with its own summary of what it was asked."
    ),
    silent=(
        "When no policy is set ([retention] in reread.toml), or it does not name the tool under "
        "never; for results that were cut or refused as they came; when the record cannot say what "
        "was taken away."
    ),
    check=check,
    passing=lambda: two_tools("read-1").answer(),
    failing=lambda: two_tools("write-1").answer(),
    tables=(RETENTION,),
    example=(Change(RETENTION.name, "never", ("write_*",)),),
)
