"""What a citation or finding rests on, step by step: claim, model's input, stored version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from reviewer.audit.strips import cited_text, facts_of, place_of
from reviewer.audit.texts import VersionText
from reviewer.display import one_line
from reviewer.excerpts import Excerpt
from reviewer.reports._words import quotation, reference, short
from reviewer.window.i18n import tr, tr_message, trn
from reviewer.window.place import Place
from reviewer.window.presenters.answer import place_of_citation
from reviewer.window.presenters.cards import (
    Button,
    Card,
    Line,
    Step,
    grade_line,
    rule_title,
    sentence,
)
from reviewer.window.presenters.finding_card import finding_card
from reviewer.window.presenters.offset_words import offset_words
from reviewer.window.presenters.requests import request_of
from reviewer.window.presenters.words import (
    grade_meaning,
    grade_word,
    integrity_words,
    placeholder_word,
    span_words,
    tone,
    verdict_meaning,
    verdict_sign,
    verdict_word,
)
from store.records.findings import Anchor, Audit, CitationFacts, Form, Verdict
from store.records.grades import Grade
from store.records.sources import Integrity, Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["card", "citation_card"]

_NOT_LOOKED = frozenset(
    {
        Verdict.UNRESOLVED,
        Verdict.OUT_OF_BOUNDS,
        Verdict.WRONG_HASH,
        Verdict.QUOTE_DIFFERS,
        Verdict.UNVERIFIABLE,
    }
)
"""Verdicts that are given before any request is looked at: no words of them say "not there"."""

_MISSING = 4


def card(audit: Audit, place: Place) -> Card | None:
    """Return the card of the citation, else of the finding at *place*; ``None`` for neither."""
    if place.citation is not None and 0 <= place.citation < len(audit.citations):
        return citation_card(audit, place.citation, place.run)
    if place.finding is None or not 0 <= place.finding < len(audit.findings):
        return None
    about = audit.findings[place.finding].where.citation
    if about is not None and 0 <= about < len(audit.citations):
        return citation_card(audit, about, place.run)
    return finding_card(audit, place.finding, place.run)


# -- citations ------------------------------------------------------------------------


def citation_card(audit: Audit, index: int, run: int = 0) -> Card:
    """Return the card of citation *index* of the run that is open at *run*."""
    facts = audit.citations[index]
    key = VersionKey(facts.source_id, facts.version_id) if facts.version_id else None
    held = facts_of(audit, key) if key else None
    version = held.version if held else None
    return Card(
        title=tr("Citation {number} of {total}", number=index + 1, total=len(audit.citations)),
        verdict=Line(verdict_sign(facts.verdict), tone(facts.verdict), verdict_word(facts.verdict)),
        meaning=verdict_meaning(facts.verdict),
        reason=sentence(tr_message(facts.reason)),
        grade=grade_line(facts.grade),
        notes=tuple(_notes(audit, facts)),
        steps=(
            _claim(audit, facts, run),
            _input(audit, facts, run),
            _stored(facts, version, run),
        ),
        source=version.key if version else None,
    )


def _notes(audit: Audit, facts: CitationFacts) -> Iterator[str]:
    if facts.missing:
        yield tr("Missing: {spans}", spans=_spans(facts.missing, facts.unit))
    reason = next(
        (call.grade_reason for call in audit.run.calls if call.index == facts.call_at_answer), ""
    )
    told = sentence(tr_message(reason))
    if reason and facts.grade is not Grade.RECORDED:
        yield tr("Why this grade: {reason}", reason=told)
    elif reason:  # what a recorder changed is said of a request that is on record, too
        yield tr("About this request: {reason}", reason=told)
    if facts.citation.offsets is not None:
        yield offset_words(facts.citation.offsets)
    for finding in audit.findings:
        if finding.where.citation == facts.index:
            yield tr("Finding {rule}", rule=rule_title(finding))


def _spans(spans: Iterable[Span], unit: Unit) -> str:
    held = list(spans)
    shown = ", ".join(span_words(span, unit) for span in held[:_MISSING])
    left = len(held) - _MISSING
    return shown if left <= 0 else f"{shown} {trn('and one more', 'and {n} more', left)}"


_ENDS = re.compile(r"[\u3002\uff01\uff1f\n]|[.!?](?=\s)")
_SENTENCE = 600


def _claim_span(text: str, marked: Span) -> Span:
    """Return the words that a citation stands behind: from the start of their sentence."""
    from_ = max(0, marked.start - _SENTENCE)
    before = text[from_ : marked.start].rstrip()
    ends = [found.end() for found in _ENDS.finditer(before) if found.end() < len(before)]
    start = from_ + (ends[-1] if ends else 0)
    while start < marked.start and text[start].isspace():
        start += 1
    return Span(start, marked.end)


def _claim(audit: Audit, facts: CitationFacts, run: int) -> Step:
    go = Button(tr("Show in answer"), place_of_citation(audit, facts.index, run, tab="answer"))
    step = Step("claim", tr("The claim in the answer"), Line("", "muted", ""), buttons=(go,))
    marked = facts.citation.answer_span
    answers = audit.run.answers
    text = answers[facts.answer].text if facts.answer < len(answers) else ""
    if marked is None:
        return replace(
            step, line=Line("–", "muted", tr("The citation marks no words of the answer."))
        )
    if marked.end > len(text):
        words = tr("The citation marks a place outside the answer's text.")
        return replace(step, line=Line("✗", "bad", words))
    where = tr(
        "answer {number}, written in call {call}, {span}",
        number=facts.answer + 1,
        call=facts.call_at_answer,
        span=span_words(marked, Unit.CHAR),
    )
    return replace(step, where=where, excerpt=Excerpt(text, _claim_span(text, marked)))


# -- the model's input ------------------------------------------------------------------


def _input(audit: Audit, facts: CitationFacts, run: int) -> Step:
    title = tr("The text in the model's input")
    if facts.evidence is None:
        return _not_there(audit, facts, run, title)
    found = facts.evidence
    request = request_of(audit.run, found.call)
    part = audit.run.messages[request[found.message]].parts[found.part]
    where = tr(
        "call {call}, message {message}, part {part}, {span}",
        call=found.call,
        message=found.message,
        part=found.part,
        span=span_words(found.message_span, Unit.CHAR),
    )
    place = place_of_citation(audit, facts.index, run, tab="model")
    return Step(
        "input",
        title,
        _stood(facts, found.call),
        where=where,
        excerpt=Excerpt(part.text, found.message_span),
        notes=(*_others(audit, facts, request), *_proof(audit.run.calls[found.call - 1].grade)),
        buttons=(Button(tr("Show in model view"), place),),
    )


def _stood(facts: CitationFacts, call: int) -> Line:
    """Say in which request the text stood: that of the answer, or an earlier one."""
    if call != facts.call_at_answer:
        words = tr(
            "It last stood in the request of call {last}; the answer was written in call {call}.",
            last=call,
            call=facts.call_at_answer,
        )
        return Line("↶", "bad", words)
    if facts.verdict is Verdict.READ:
        words = tr("It stood in the request of call {call}, which wrote the answer.", call=call)
        return Line("✓", "good", words)
    words = tr("Some of it stood in the request of call {call}.", call=call)
    return Line("◐", "open", words)


def _others(audit: Audit, facts: CitationFacts, request: tuple[int, ...]) -> tuple[str, ...]:
    """Say how many further pieces of the cited text the same request holds."""
    key = VersionKey(facts.source_id, facts.version_id or "")
    held = facts_of(audit, key)
    cited = place_of(facts, VersionText(held.version)) if held else None
    inside = frozenset(request)
    pieces = [
        delivery
        for delivery in audit.deliveries
        if delivery.version == key
        and delivery.form is not Form.PREVIEW
        and delivery.message in inside
        and (cited is None or cited.overlaps(delivery.span))
    ]
    more = len(pieces) - 1
    if more < 1:
        return ()
    return (
        trn(
            "This is one piece of it; the request holds one more.",
            "This is one piece of it; the request holds {n} more.",
            more,
        ),
    )


def _proof(grade: Grade) -> tuple[str, ...]:
    """Say it where the request itself is not on record."""
    if grade is Grade.RECORDED:
        return ()
    return (
        tr(
            "This request is {grade}: {meaning}",
            grade=grade_word(grade),
            meaning=grade_meaning(grade),
        ),
    )


def _not_there(audit: Audit, facts: CitationFacts, run: int, title: str) -> Step:
    """Say why there is no text: not looked for is never not found."""
    call = facts.call_at_answer
    place = place_of_citation(audit, facts.index, run, tab="model")
    go = (Button(tr("Show in model view"), place),) if 1 <= call <= len(audit.run.calls) else ()
    if facts.verdict in _NOT_LOOKED:
        words = tr("Not looked for: the verdict was clear before any request was searched.")
        return Step("input", title, Line("?", "open", words), buttons=go)
    words = tr("It stood in no request up to call {call}.", call=call)
    step = Step("input", title, Line("✗", "bad", words), buttons=go)
    if facts.verdict is Verdict.PREVIEW_ONLY:
        return _preview(audit, facts, step)
    if facts.verdict is Verdict.PLACEHOLDER_ONLY:
        return replace(step, notes=tuple(_placeholders(audit, facts)))
    return step


def _preview(audit: Audit, facts: CitationFacts, step: Step) -> Step:
    key = VersionKey(facts.source_id, facts.version_id or "")
    for delivery in audit.deliveries:
        if delivery.version == key and delivery.form is Form.PREVIEW:
            text = audit.run.messages[delivery.message].parts[delivery.part].text
            words = tr("Only this preview in a listing was given.")
            return replace(
                step,
                line=Line("◌", "bad", words),
                excerpt=Excerpt(text, delivery.message_span),
            )
    return step


def _placeholders(audit: Audit, facts: CitationFacts) -> Iterator[str]:
    for held in audit.placeholders:
        if held.source_id == facts.source_id:
            since = tr("not recorded") if held.first_call is None else str(held.first_call)
            yield tr(
                "A placeholder ({kind}) stands for tool call {id}; first call: {since}.",
                kind=placeholder_word(held.kind),
                id=one_line(held.tool_call_id),
                since=since,
            )


# -- the stored version -----------------------------------------------------------------


def _stored(facts: CitationFacts, version: Version | None, run: int) -> Step:
    title = tr("The stored version, reread")
    if version is None:
        words = tr("The evidence holds no such version.")
        named = reference(facts.source_id, facts.version_id, facts.span, facts.unit, None)
        return Step("stored", title, Line("✗", "bad", words), where=one_line(named))
    text = VersionText(version)
    span = place_of(facts, text)
    place = Place(
        run,
        call=facts.call_at_answer,
        source=version.key,
        span=span,
        citation=facts.index,
        tab="source",
    )
    named = reference(
        facts.source_id, facts.version_id, facts.span, facts.unit, facts.citation.block_id
    )
    return Step(
        "stored",
        title,
        _integrity(version),
        where=one_line(named),
        excerpt=_stored_excerpt(facts, text),
        notes=tuple(_stored_notes(facts, version, text)),
        buttons=(Button(tr("Show in source"), place),),
    )


def _integrity(version: Version) -> Line:
    if version.integrity is Integrity.INTACT and not version.sha256:
        words = tr("The text stands in the record itself; it has no stored bytes to check.")
        return Line("–", "muted", words)
    return Line(*integrity_words(version.integrity))


def _stored_excerpt(facts: CitationFacts, text: VersionText) -> Excerpt | None:
    words = cited_text(facts, text)
    return Excerpt(text.text or "", words) if words else None


def _stored_notes(facts: CitationFacts, version: Version, text: VersionText) -> Iterator[str]:
    if version.sha256:
        yield f"SHA-256 {short(version.sha256)}"
    if text.text is None:
        yield tr("Its text is not in the evidence.")
    quote = quotation(facts)
    if quote is not None:
        yield tr("Quoted: {quote}", quote=Excerpt(quote, Span(0, len(quote))).cut(200).words)
        yield tr("The quotation: {anchor}", anchor=_anchor(facts.anchor))


def _anchor(anchor: Anchor) -> str:
    return {
        Anchor.EXACT: tr("stands there to the letter"),
        Anchor.NORMALISED: tr("stands there, apart from spacing and typography"),
        Anchor.RELOCATED: tr("stands elsewhere in the version"),
        Anchor.AMBIGUOUS: tr("stands in several places"),
        Anchor.ORPHAN: tr("stands nowhere in the version"),
        Anchor.NONE: tr("was not compared"),
    }[anchor]
