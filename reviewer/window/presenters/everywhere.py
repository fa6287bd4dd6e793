"""What was found everywhere, in words, and where each hit is."""

from __future__ import annotations

from collections.abc import Sequence

from reviewer.display import one_line
from reviewer.services.finding_text import Group, Hit, Kind, Passage, Why
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.places import run_title
from store.records.citations import SourceCitation
from store.records.findings import Audit
from store.records.text import TextIndex

__all__ = ["group_words", "hit_mark", "hit_place", "hit_words", "why_words"]

_RANGES = 4
"""Ranges of calls that are named one by one."""


def group_words(group: Group, count: int, listed: int) -> str:
    """Return the heading of a group: what it is, how many hits, how many of them are listed."""
    title = {
        Group.GIVEN: tr("In what the model was given"),
        Group.NOT_GIVEN: tr(
            "In text that the model did not get, or is not proven to have had at the answer"
        ),
        Group.ELSEWHERE: tr("In stored sources that were given, and in what the model wrote"),
    }[group]
    hits = trn("one hit", "{n} hits", count)
    if listed < count:
        return tr("{title}: {hits}, the first {n} listed", title=title, hits=hits, n=f"{listed:,}")
    return tr("{title}: {hits}", title=title, hits=hits)


def why_words(why: Why) -> str:
    """Return in words what the model was given of a hit."""
    return {
        Why.REQUEST: tr("given"),
        Why.UNPROVEN: tr("the record does not prove these requests"),
        Why.WRITTEN: tr("written by the model, in no later request"),
        Why.DELIVERED: tr("given, and there at the answer"),
        Why.CLEARED: tr("given earlier, gone by the answer"),
        Why.PREVIEW: tr("given as a preview only"),
        Why.PARTLY: tr("given in part"),
        Why.STORED: tr("stored, in no request on record"),
        Why.OBTAINED: tr("obtained only: no request holds it like this"),
        Why.ANSWER: tr("the answer"),
    }[why]


def hit_words(audits: Sequence[Audit], hit: Hit) -> tuple[str, str, str]:
    """Return where a hit is, what stands there, and what the model was given of it."""
    passage = hit.passage
    audit = audits[passage.run]
    where = _where(audit, passage)
    if len(audits) > 1:
        where = f"{where} · {run_title(audit)}"
    excerpt = f"{hit.before}{hit.found}{hit.behind}"
    return where, one_line(excerpt), why_words(hit.why)


def hit_mark(hit: Hit) -> tuple[int, int]:
    """Return where the hit itself stands in its excerpt as it is shown, in UTF-16 code units."""
    before, found = one_line(hit.before), one_line(hit.found)
    index = TextIndex(before + found)
    return index.to_utf16(len(before)), index.to_utf16(len(before) + len(found))


def _where(audit: Audit, passage: Passage) -> str:
    if passage.kind is Kind.MESSAGE:
        role = one_line(audit.run.messages[passage.number].role)
        if not passage.calls:
            return tr("message ({role})", role=role)
        return tr("{calls}, message ({role})", calls=_calls(passage.calls), role=role)
    if passage.kind is Kind.SOURCE and passage.source is not None:
        return tr("source {name}", name=one_line(passage.source.source_id))
    if passage.kind is Kind.RESULT:
        name = one_line(audit.run.tool_results[passage.number].tool_call_id)
        return tr("result of tool call {id}", id=name)
    return tr("answer {number}", number=passage.number + 1)


def _calls(ranges: Sequence[tuple[int, int]]) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return tr("call {number}", number=ranges[0][0])
    named = [f"{first}–{last}" if last > first else str(first) for first, last in ranges]
    shown = tr(", ").join(named[:_RANGES])
    if len(named) > _RANGES:
        last = ranges[-1][1]
        shown = tr("{ranges} … {last}", ranges=shown, last=last)
    return tr("calls {ranges}", ranges=shown)


def hit_place(audit: Audit, hit: Hit, here: Place) -> Place:
    """Return the place of a hit; of the calls that hold it the present one, else the first."""
    passage = hit.passage
    run = passage.run
    if passage.kind is Kind.SOURCE:
        return Place(run=run, source=passage.source, span=hit.place, tab="source")
    if passage.kind is Kind.ANSWER:
        call = audit.run.answers[passage.number].call
        citation = _citation_at(audit, passage.number, hit)
        return Place(run=run, call=call, citation=citation, tab="answer")
    call_now = _call(audit, passage, here)
    if passage.kind is Kind.RESULT or not passage.calls or call_now is None:
        return Place(run=run, call=call_now, tab="model")
    return Place(
        run=run,
        call=call_now,
        message=audit.run.request(call_now).index(passage.number),
        part=passage.part,
        message_span=hit.span,
        tab="model",
    )


def _call(audit: Audit, passage: Passage, here: Place) -> int | None:
    if not passage.calls:
        wrote = (c.index for c in audit.run.calls if passage.number in c.response)
        return next(wrote, None) if passage.kind is Kind.MESSAGE else None
    if here.run == passage.run and here.call is not None:
        for first, last in passage.calls:
            if first <= here.call <= last:
                return here.call
    return passage.calls[0][0]


def _citation_at(audit: Audit, answer: int, hit: Hit) -> int | None:
    for index, facts in enumerate(audit.citations):
        cited = facts.citation
        span = cited.answer_span if isinstance(cited, SourceCitation) else None
        if facts.answer == answer and span is not None and span.overlaps(hit.span):
            return index
    return None
