"""Audits one run: facts first, then rules in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewer.audit.coverage import reads
from reviewer.audit.facts import CountTokens, calls, sources
from reviewer.audit.placeholders import placeholders
from reviewer.audit.rules import Rule, rules
from reviewer.audit.standing import Standing
from reviewer.audit.verdicts import judge
from reviewer.audit.view import Requests
from store.records.findings import (
    Audit,
    CallFacts,
    CitationFacts,
    Delivery,
    PlaceholderFacts,
    ReadFacts,
    SourceFacts,
)
from store.records.runs import Run

__all__ = ["audit"]


@dataclass(frozen=True, slots=True)
class _View:
    run: Run
    calls: tuple[CallFacts, ...]
    sources: tuple[SourceFacts, ...]
    reads: tuple[ReadFacts, ...]
    placeholders: tuple[PlaceholderFacts, ...]
    citations: tuple[CitationFacts, ...]
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
    The same run gives the same audit.
    """
    standing = Standing(run)
    taken = tuple(placeholders(standing))
    view = _View(
        run=run,
        calls=tuple(calls(run, count_tokens, encoding)),
        sources=tuple(sources(standing)),
        reads=tuple(reads(standing)),
        placeholders=taken,
        citations=tuple(judge(standing, taken)),
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
    )


def _deliveries(standing: Standing) -> Iterator[Delivery]:
    for message in sorted(standing.deliveries.by_message):
        yield from standing.deliveries.by_message[message]
