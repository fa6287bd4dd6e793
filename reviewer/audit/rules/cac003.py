"""CAC003: another model, or other tools, in the middle of a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reviewer.audit.prefix import tool_names
from reviewer.audit.rules._prefix import LEAST_BYTES, LONG, gathered, listed, told
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.bills import Change
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for the tools and one for the model of a run, where they changed."""
    for change in (Change.TOOLS, Change.MODEL):
        found, again = gathered(view, RULE.id, [change])
        if found:
            first = found[0]
            yield finding(
                RULE.id,
                RULE.severity,
                Grade.weakest(*(one.broken.grade for one in found)),
                f"{_what(view.run, change, first.call)} in {len(found)} of "
                f"{len(view.run.calls)} calls ({listed(found)}), and {again} bytes that had been "
                f"sent before were read anew; first in call {first.call}",
                Where(call=first.call),
                change.value,
            )


def _what(run: Run, change: Change, call: int) -> str:
    if change is Change.MODEL:
        before, now = run.calls[call - 2].model, run.calls[call - 1].model
        return f"the model changed ({before} → {now})"
    names = [tool_names(run.calls[index]) for index in (call - 2, call - 1)]
    held = [Counter(each) for each in names if each is not None]
    if len(held) < len(names):
        return "the tools on offer changed"
    if held[0] != held[1]:
        gone, come = held[0] - held[1], held[1] - held[0]
        return f"the tools on offer changed (gone: {_list(gone)}; come: {_list(come)})"
    if names[0] != names[1]:
        return "the tools on offer changed their order"
    return "the definitions of tools changed under the same names"


def _list(names: Counter[str]) -> str:
    return ", ".join(names.elements()) or "none"


def _run(*tools: Sequence[str]) -> Run:
    held = [("user", "question"), ("assistant", LONG)]
    return told(held, [*held, ("tool", LONG)], tools=tools)


RULE = Rule(
    id="CAC003",
    name="ToolsOrModelChange",
    severity=Severity.NOTE,
    summary="The tools or the model changed during a conversation, and all of it was read anew",
    why=(
        "The definitions of tools stand before every message, and each model has a cache of its "
        "own. Tools that only change their order look the same to a person and are another "
        "request to the provider."
    ),
    silent=(
        "When a request does not go on from the one before (another conversation in between); when "
        "nothing that was sent before stands behind the change, or less than least_bytes; where "
        "the requests are not recorded or exactly derived (grade inferred or unknown); "
        "where the record does not hold tools or models."
    ),
    check=check,
    passing=lambda: _run(["read", "search"], ["read", "search"]),
    failing=lambda: _run(["read", "search"], ["search", "read"]),
    parameters=(LEAST_BYTES,),
)
