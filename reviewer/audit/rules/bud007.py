"""BUD007: the reported tokens cannot hold the text that the record shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.rules._example import NOTICE, Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.settings import Parameter
from reviewer.audit.view import AuditView
from store.records.bills import CallBill
from store.records.findings import Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run, Usage

_LEAST = Parameter(
    "least_tokens",
    1000,
    meaning="estimated tokens beyond the reported ones, in one request; less is no finding",
    minimum=0,
)
_SHOWN = 6


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for a run with requests that are smaller than they look."""
    least = view.settings.value(RULE.id, _LEAST)
    found = [call for call in view.bill.calls if call.holds is False and _beyond(call) >= least]
    if not found:
        return
    most = max(found, key=_beyond)
    yield finding(
        RULE.id,
        RULE.severity,
        Grade.UNKNOWN,
        f"{len(found)} of {len(view.bill.calls)} requests report fewer tokens than their text "
        f"needs ({_numbers(found)}): call {most.call} reports {most.usage.input_tokens} and shows "
        f"about {most.resident}; the model was given less, or the count is none of this text",
        Where(call=most.call),
        "holds",
    )


def _beyond(call: CallBill) -> int:
    return -(call.unaccounted or 0)


def _numbers(found: list[CallBill]) -> str:
    shown = ", ".join(str(call.call) for call in found[:_SHOWN])
    more = len(found) - _SHOWN
    return f"{shown}, … (+{more})" if more > 0 else shown


def _run(tokens: int) -> Run:
    story = Story()
    story.document("notice", NOTICE * 80)
    story.read("notice")
    run = story.answer()
    calls = (*run.calls[:-1], replace(run.calls[-1], usage=Usage(input_tokens=tokens)))
    return replace(run, calls=calls)


RULE = Rule(
    id="BUD007",
    name="TokensCannotHoldText",
    severity=Severity.WARNING,
    summary="A call reports fewer input tokens than the text shown for its request needs",
    why=(
        "The provider counted what it was sent. Where that is far less than the record shows, text "
        "was taken away on the way, and whatever the record says of this request is not proven: "
        "the grade of the call becomes unknown."
    ),
    silent=(
        "When a call reports no tokens; when it reports at least 0.6 of the estimate, since "
        "tokenizers differ; when fewer than least_tokens are missing; where tokens were not "
        "counted."
    ),
    check=check,
    passing=lambda: _run(1800),
    failing=lambda: _run(300),
    parameters=(_LEAST,),
)
