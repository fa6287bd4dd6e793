"""A finding that speaks of no citation: its rule, why it matters, and the ways to its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviewer.audit.rules import rules
from reviewer.display import one_line
from reviewer.excerpts import Excerpt
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.place import Place
from reviewer.window.presenters.cards import (
    Button,
    Card,
    Line,
    Step,
    grade_line,
    rule_title,
    sentence,
)
from reviewer.window.presenters.claims import claims_of
from reviewer.window.presenters.words import severity_words, span_words
from store.records.findings import Audit, Finding
from store.records.sources import VersionKey
from store.records.text import Unit

__all__ = ["finding_card"]


def finding_card(audit: Audit, index: int, run: int = 0) -> Card:
    """Return the card of finding *index*: the rule, why it matters, and the ways there."""
    finding = audit.findings[index]
    sign, look, word = severity_words(finding.severity)
    rule = next((rule for rule in rules() if rule.id == finding.rule), None)
    notes = [tr("Where: {where}", where=", ".join(_where(finding)) or tr("the whole run"))]
    if rule:
        notes.append(tr("Why it matters: {why}", why=tr_message(rule.why)))
    return Card(
        title=rule_title(finding),
        verdict=Line(sign, look, word),
        meaning=sentence(tr_message(rule.summary)) if rule else "",
        reason=sentence(tr_message(finding.message)),
        grade=grade_line(finding.grade),
        notes=tuple(notes),
        steps=tuple(_claims(audit, index, run)),
        buttons=tuple(_ways(audit, index, run)),
        source=_version(audit, finding),
    )


def _claims(audit: Audit, index: int, run: int) -> Iterator[Step]:
    """Yield what the finding says of an answer, at its place in it."""
    claims = claims_of(audit, index)
    if not claims:
        return
    first = claims[0]
    answers = audit.run.answers
    text = answers[first.answer].text if first.answer < len(answers) else ""
    known = first.span.end <= len(text)
    where = tr(
        "answer {number}, written in call {call}, {span}",
        number=first.answer + 1,
        call=first.call,
        span=span_words(first.span, Unit.CHAR),
    )
    more = len(claims) - 1
    others = (trn("and one more place", "and {n} more places", more),) if more else ()
    yield Step(
        "claim",
        tr("The claim in the answer"),
        Line("", "muted", ""),
        where=where,
        excerpt=Excerpt(text, first.span) if known else None,
        notes=(sentence(tr_message(first.reason)), *others),
        buttons=(
            Button(tr("Show in answer"), Place(run, call=first.call, finding=index, tab="answer")),
        ),
    )


def _where(finding: Finding) -> Iterator[str]:
    where = finding.where
    if where.call is not None:
        yield tr("call {call}", call=where.call)
    if where.message is not None:
        yield tr("message {message}", message=where.message)
    if where.tool_call_id:
        yield tr("tool call {id}", id=one_line(where.tool_call_id))
    if where.source_id is not None:
        yield one_line(where.source_id)


def _version(audit: Audit, finding: Finding) -> VersionKey | None:
    found = (s for s in audit.sources if s.source_id == finding.where.source_id)
    return next((source.versions[-1].version.key for source in found if source.versions), None)


def _ways(audit: Audit, index: int, run: int) -> Iterator[Button]:
    where = audit.findings[index].where
    source = _version(audit, audit.findings[index])
    if where.call is not None and 1 <= where.call <= len(audit.run.calls):
        place = Place(
            run, call=where.call, message=where.message, source=source, finding=index, tab="model"
        )
        yield Button(tr("Show in model view"), place)
    if source is not None:
        place = Place(run, call=where.call, source=source, finding=index)
        yield Button(tr("Show in source"), replace(place, tab="source"))
        yield Button(tr("Show in residency map"), replace(place, tab="residency"))
