"""Audits one run: facts first, then rules in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reviewer.audit.coverage import reads
from reviewer.audit.facts import CountTokens, calls, sources
from reviewer.audit.grounding import grounded
from reviewer.audit.placeholders import placeholders
from reviewer.audit.rules import Rule, rules
from reviewer.audit.standing import Standing
from reviewer.audit.verdicts import judge
from reviewer.audit.view import Requests
from store.records.findings import (
    Audit,
    CallFacts,
    CitationFacts,
    ClaimFacts,
    Delivery,
    PlaceholderFacts,
    ReadFacts,
    SourceFacts,
)
from store.records.grades import Grade
from store.records.runs import Call, Run

__all__ = ["audit"]


@dataclass(frozen=True, slots=True)
class _View:
    run: Run
    calls: tuple[CallFacts, ...]
    sources: tuple[SourceFacts, ...]
    reads: tuple[ReadFacts, ...]
    placeholders: tuple[PlaceholderFacts, ...]
    citations: tuple[CitationFacts, ...]
    claims: tuple[ClaimFacts, ...]
    requests: Requests


def audit(
    run: Run,
    count_tokens: CountTokens | None = None,
    encoding: str = "",
    *,
    using: Iterable[Rule] | None = None,
) -> Audit:
    """Return everything the audit of *run* finds.

    *count_tokens* estimates the tokens of a text under *encoding*; without it
    estimates are absent.  *using* are the rules asked, all of them by default.
    The same run gives the same audit.  The run in the audit is the one given,
    with calls graded unknown where their reported tokens contradict the text;
    ``run.grade`` stays what its kind of record can prove.
    """
    figures = tuple(calls(run, count_tokens, encoding))
    run = _doubted(run, figures)
    standing = Standing(run)
    taken = tuple(placeholders(standing))
    view = _View(
        run=run,
        calls=tuple(
            replace(facts, grade=call.grade, grade_reason=call.grade_reason)
            for facts, call in zip(figures, run.calls, strict=True)
        ),
        sources=tuple(sources(standing)),
        reads=tuple(reads(standing)),
        placeholders=taken,
        citations=tuple(judge(standing, taken)),
        claims=tuple(grounded(standing, taken)),
        requests=standing,
    )
    found = (
        finding for rule in (rules() if using is None else using) for finding in rule.check(view)
    )
    return Audit(
        run=run,
        calls=view.calls,
        sources=view.sources,
        reads=view.reads,
        placeholders=view.placeholders,
        citations=view.citations,
        findings=tuple(found),
        deliveries=tuple(_deliveries(standing)),
        claims=view.claims,
    )


_HOLDS = 0.6
"""Below this share of the estimate reported tokens cannot hold the text."""


def _doubted(run: Run, figures: tuple[CallFacts, ...]) -> Run:
    """Grade calls unknown whose reported input tokens cannot hold the text shown for them."""
    made: list[Call] = []
    for call, facts in zip(run.calls, figures, strict=True):
        estimated, reported = facts.tokens.estimated, facts.tokens.reported_input
        if estimated is None or reported is None or reported >= _HOLDS * estimated:
            made.append(call)
            continue
        reason = (
            f"the reported {reported} input tokens cannot hold the text shown, about {estimated}: "
            "the model was given less, and what is not recorded"
        )
        made.append(replace(call, grade=Grade.UNKNOWN, grade_reason=reason))
    if all(call is before for call, before in zip(made, run.calls, strict=True)):
        return run
    return replace(run, calls=tuple(made))


def _deliveries(standing: Standing) -> Iterator[Delivery]:
    for message in sorted(standing.deliveries.by_message):
        yield from standing.deliveries.by_message[message]
