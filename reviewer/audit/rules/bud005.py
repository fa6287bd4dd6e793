"""BUD005: a run went over its budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.bills import CallBill
from store.records.findings import Finding, Outcome, ReadFacts, Severity, Where
from store.records.grades import Grade
from store.records.runs import Budget, Run
from store.records.text import Unit


def _limit(name: str, *, meaning: str) -> Parameter[int]:
    return Parameter(name, 0, meaning=f"{meaning}; 0: what the run declares, if it does", minimum=0)


_REQUEST = _limit("max_request_tokens", meaning="tokens that one request may hold")
_CONTEXT = _limit("max_context_tokens", meaning="the same, under its other name")
_READ = _limit("max_read_chars", meaning="characters that one read may bring")
_TOOLS = _limit("max_tool_calls", meaning="tool calls of a run")
_CALLS = Parameter("max_calls", 0, meaning="model calls of a run; 0: no limit", minimum=0)
_READING = Parameter(
    "max_run_read_tokens",
    0,
    meaning=("tokens of results and documents that a run may read, each counted once; 0: no limit"),
    minimum=0,
)
_PAID = Parameter(
    "max_run_tokens",
    0,
    meaning="tokens of all requests of a run together; 0: no limit",
    minimum=0,
)
_TOLERANCE = 1.1
"""An estimate counts as over a limit from here on: the limit was set in another tokenizer."""


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for each limit that was passed."""
    for parameter in (_REQUEST, _CONTEXT):
        yield from _requests(view, parameter)
    yield from _reads(view)
    yield from _counts(view)
    yield from _totals(view)


def _counts(view: AuditView) -> Iterator[Finding]:
    made, limit = len({call.id for call in view.run.tool_calls}), _value(view, _TOOLS)
    if limit and made > limit:
        said = f"{made} tool calls were made; max_tool_calls is {limit}"
        yield _of_run(view, _TOOLS, said)
    calls, limit = len(view.run.calls), _value(view, _CALLS)
    if limit and calls > limit:
        yield _of_run(view, _CALLS, f"{calls} model calls were made; max_calls is {limit}")


def _totals(view: AuditView) -> Iterator[Finding]:
    bill = view.bill
    read, limit = sum(call.new_reading or 0 for call in bill.calls), _value(view, _READING)
    if limit and read > limit * _TOLERANCE:
        said = f"about {read} tokens of results and documents were read; {_READING.name} is {limit}"
        yield _of_run(view, _READING, said)
    limit = _value(view, _PAID)
    paid = sum(call.usage.input_tokens or 0 for call in bill.reported)
    if limit and paid > limit:
        said = f"{paid} input tokens were reported for the run; {_PAID.name} is {limit}"
        yield _of_run(view, _PAID, said)
    elif limit and bill.cumulative > limit * _TOLERANCE and not bill.reported:
        said = f"about {bill.cumulative} tokens were sent over the run; {_PAID.name} is {limit}"
        yield _of_run(view, _PAID, said)


def _of_run(view: AuditView, parameter: Parameter[int], said: str) -> Finding:
    grade = Grade.weakest(Grade.RECORDED, *(call.grade for call in view.bill.calls))
    return finding(RULE.id, RULE.severity, grade, said, Where(), parameter.name)


def _value(view: AuditView, parameter: Parameter[int]) -> int:
    """Return the limit that a user set, else the one that the run declares; 0 for none."""
    declared = getattr(view.run.budget, parameter.name, 0) if view.run.budget else 0
    return view.settings.value(RULE.id, parameter) or declared


def _requests(view: AuditView, parameter: Parameter[int]) -> Iterator[Finding]:
    limit = _value(view, parameter)
    over = [call for call in view.bill.calls if limit and _is_over(call, limit)]
    if not over:
        return
    most = max(over, key=_size)
    how = "reported" if most.usage.input_tokens else "estimated"
    yield finding(
        RULE.id,
        RULE.severity,
        Grade.weakest(*(call.grade for call in over)),
        f"{len(over)} of {len(view.bill.calls)} requests held more than the {limit} tokens of "
        f"{parameter.name}; most held that of call {most.call}, {_size(most)} tokens ({how})",
        Where(call=over[0].call),
        parameter.name,
    )


def _size(call: CallBill) -> int:
    return call.usage.input_tokens or call.resident or 0


def _is_over(call: CallBill, limit: int) -> bool:
    if call.grade is Grade.UNKNOWN and not call.usage.input_tokens:
        return False
    return _size(call) > limit * (1 if call.usage.input_tokens else _TOLERANCE)


def _reads(view: AuditView) -> Iterator[Finding]:
    texts = {result.tool_call_id: result.text for result in view.run.tool_results}
    for read in view.reads:
        source = read.selection.source_id
        declared = view.run.budget.max_read_chars if view.run.budget else 0
        limit = view.settings.value(RULE.id, _READ, source) or declared
        chars = _chars(read, texts.get(read.tool_call_id)) if limit else 0
        if chars > limit and read.outcome is Outcome.DELIVERED:
            yield finding(
                RULE.id,
                RULE.severity,
                read.grade,
                f"one read of {source} brought {chars} characters; max_read_chars is {limit}",
                Where(call=read.call, source_id=source, tool_call_id=read.tool_call_id),
                _READ.name,
                source,
                read.tool_call_id,
            )


def _chars(read: ReadFacts, text: str | None) -> int:
    """Return how many characters a read brought: of the version where they were asked for."""
    chosen = read.selection
    if chosen.unit is Unit.CHAR and chosen.ranges:
        return sum(span.length for span in chosen.ranges)
    return len(text or "")


def _run(limit: int) -> Run:
    story = Story()
    story.document("notice")
    story.read("notice")
    return replace(story.answer(), budget=Budget(max_read_chars=limit))


RULE = Rule(
    id="BUD005",
    name="OverBudget",
    severity=Severity.WARNING,
    summary="A run read, sent or called more than its budget allows",
    why=(
        "A budget that is passed without a word protects nothing: neither the bill nor the model, "
        "whose attention to a text falls as its request grows."
    ),
    silent=(
        "When neither the run nor the settings name a limit; where tokens are only estimated, "
        "until they are a tenth over it; for requests that the record does not prove and that "
        "report no tokens; where tokens were not counted."
    ),
    check=check,
    passing=lambda: _run(len(NOTICE)),
    failing=lambda: _run(100),
    parameters=(_REQUEST, _CONTEXT, _READ, _TOOLS, _CALLS, _READING, _PAID),
)
