"""BUD006: usage that was not measured stands in the record as zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.rules._example import Story
from reviewer.audit.rules._rule import Rule, finding
from reviewer.audit.view import AuditView
from store.records.findings import CallFacts, Finding, Severity, Where
from store.records.grades import Grade
from store.records.runs import Run, Usage

_SHOWN = 6


def check(view: AuditView) -> Iterator[Finding]:
    """Yield one finding for a run with calls that report 0 tokens for a request with text."""
    found = [
        facts
        for facts, call in zip(view.calls, view.run.calls, strict=True)
        if facts.tokens.reported_input == 0 and facts.chars and not call.error
    ]
    if found:
        yield finding(
            RULE.id,
            RULE.severity,
            Grade.RECORDED,
            f"{len(found)} of {len(view.calls)} calls report 0 input tokens for requests with text "
            f"({_numbers(found)}): nothing was measured, and sums over the run are too low",
            Where(call=found[0].index),
            "zero",
        )


def _numbers(found: list[CallFacts]) -> str:
    shown = ", ".join(str(call.index) for call in found[:_SHOWN])
    more = len(found) - _SHOWN
    return f"{shown}, … (+{more})" if more > 0 else shown


def _run(tokens: int | None) -> Run:
    run = Story().answer()
    calls = tuple(replace(call, usage=Usage(input_tokens=tokens)) for call in run.calls)
    return replace(run, calls=calls)


RULE = Rule(
    id="BUD006",
    name="UsageCountedAsZero",
    severity=Severity.NOTE,
    summary="A call reports 0 input tokens for a request with text: usage is missing, not zero",
    why=(
        "No request with text has 0 tokens. Usage that a client did not ask for, or lost, becomes "
        "a 0 in many logs, and whoever adds the calls up pays for less than was sent."
    ),
    silent="When no usage is reported at all, and for calls that ended in an error.",
    check=check,
    passing=lambda: _run(None),
    failing=lambda: _run(0),
)
