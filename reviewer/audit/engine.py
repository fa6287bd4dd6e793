"""Audits one run: facts first, then rules in the order of their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from reviewer.audit.applying import apply
from reviewer.audit.bill import bill, cannot_hold
from reviewer.audit.coverage import reads
from reviewer.audit.facts import calls, sources
from reviewer.audit.grounding import grounded
from reviewer.audit.patterns import Patterns
from reviewer.audit.placeholders import placeholders
from reviewer.audit.retention import retained
from reviewer.audit.rules import Rule, rules
from reviewer.audit.searches import Search, searches
from reviewer.audit.settings import Settings
from reviewer.audit.sizes import CountTokens, Sizes
from reviewer.audit.standing import Standing
from reviewer.audit.strays import Stray
from reviewer.audit.textual import textual
from reviewer.audit.verdicts import judge
from reviewer.audit.view import Requests
from store.records.bills import Bill
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

_DEFAULTS = Settings()

_T = TypeVar("_T")


def _go_on() -> None:
    """Go on: nobody asked to be able to end it."""


def _each(items: Iterable[_T], check: Callable[[], None]) -> Iterator[_T]:
    for item in items:
        check()
        yield item


def _checking(count: CountTokens | None, check: Callable[[], None]) -> CountTokens | None:
    def counted(text: str) -> int:
        check()
        return count(text) if count is not None else 0

    return counted if count is not None else None


@dataclass(frozen=True, slots=True)
class _View:
    run: Run
    calls: tuple[CallFacts, ...]
    sources: tuple[SourceFacts, ...]
    reads: tuple[ReadFacts, ...]
    placeholders: tuple[PlaceholderFacts, ...]
    citations: tuple[CitationFacts, ...]
    strays: tuple[Stray, ...]
    claims: tuple[ClaimFacts, ...]
    searches: tuple[Search, ...]
    bill: Bill
    deliveries: tuple[Delivery, ...]
    requests: Requests
    settings: Settings


def audit(  # noqa: PLR0913 - all that an audit depends on, by name
    run: Run,
    count_tokens: CountTokens | None = None,
    encoding: str = "",
    *,
    using: Iterable[Rule] | None = None,
    settings: Settings = _DEFAULTS,
    check: Callable[[], None] = _go_on,
) -> Audit:
    """Return everything the audit of *run* finds.

    *count_tokens* estimates the tokens of a text under *encoding*; without it
    estimates are absent.  *using* are the rules asked, all of them by default,
    under *settings*.  The same run gives the same audit.  The run in the audit is the one
    given, with calls graded unknown where their reported tokens contradict the text;
    ``run.grade`` stays what its kind of record can prove.  *check* is called at
    each message, call, source, citation and rule, and may raise to end it.
    """
    sizes = Sizes(run, _checking(count_tokens, check))
    view = _known(run, sizes, encoding, settings.patterns, check)
    found, told = apply(
        lambda given: replace(view, settings=given),
        _each(rules() if using is None else using, check),
        settings,
    )
    return Audit(
        run=view.run,
        calls=view.calls,
        sources=view.sources,
        reads=view.reads,
        placeholders=view.placeholders,
        citations=view.citations,
        findings=found,
        deliveries=view.deliveries,
        claims=view.claims,
        retention=tuple(retained(view.run, view.placeholders, view.requests.arrival, settings)),
        bill=view.bill,
        settings=told,
    )


def _known(
    run: Run,
    sizes: Sizes,
    encoding: str,
    patterns: Patterns,
    check: Callable[[], None],
) -> _View:
    """Return all facts of *run*: those of its requests, then what rests on citations in texts."""
    figures = tuple(_each(calls(run, sizes, encoding), check))
    run = _doubted(run, figures)
    standing = Standing(run, check)
    taken = tuple(_each(placeholders(standing), check))
    written = textual(standing, patterns)
    # The parts whose entries answers cite by number are sources too, and looked for as others are.
    seen = Standing(written.seen(run), check) if written.contexts else standing
    return _View(
        run=run,
        calls=tuple(map(_graded, figures, run.calls)),
        sources=tuple(_each(sources(seen), check)),
        reads=tuple(_each(reads(standing), check)),
        placeholders=taken,
        citations=tuple(_each(judge(seen, taken, written.marked), check)),
        strays=written.strays,
        claims=tuple(_each(grounded(standing, taken, check), check)),
        searches=tuple(_each(searches(run), check)),
        bill=bill(standing, sizes, taken, encoding),
        deliveries=tuple(_deliveries(seen)),
        requests=standing,
        settings=_DEFAULTS,
    )


def _graded(facts: CallFacts, call: Call) -> CallFacts:
    return replace(facts, grade=call.grade, grade_reason=call.grade_reason)


def _doubted(run: Run, figures: tuple[CallFacts, ...]) -> Run:
    """Grade calls unknown whose reported input tokens cannot hold the text shown for them."""
    made: list[Call] = []
    for call, facts in zip(run.calls, figures, strict=True):
        estimated, reported = facts.tokens.estimated, facts.tokens.reported_input
        if not cannot_hold(estimated, reported):
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
