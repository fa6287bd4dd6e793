"""One verdict for each citation: the first that holds, in the order of `Verdict`.

Nothing is called read unless its text was found in the request of the call
that wrote the answer.  Position, title, count or a producer's own flag never
suffice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.audit.anchoring import anchor, as_marked, how_many, mismatch, whole_lines, within
from reviewer.audit.intervals import intersect, near, subtract, union
from reviewer.audit.resolving import Resolved, Resolver, is_changed
from reviewer.audit.shown_lines import shown_lines
from reviewer.audit.standing import Standing
from reviewer.audit.texts import Known, VersionText
from reviewer.audit.textual import Marked
from store.records.citations import Citation, SourceCitation
from store.records.findings import (
    Anchor,
    CitationFacts,
    Delivery,
    Evidence,
    Form,
    PlaceholderFacts,
    Verdict,
)
from store.records.grades import Grade
from store.records.runs import Answer
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["judge"]

_NOTHING: Mapping[int, Sequence[Marked]] = {}


def judge(
    standing: Standing,
    taken: tuple[PlaceholderFacts, ...],
    written: Mapping[int, Sequence[Marked]] = _NOTHING,
) -> Iterator[CitationFacts]:
    """Yield the facts of every citation, in the order of answers.

    *taken* are the placeholders.  *written* are the citations that stand in
    the text of answers for which the record holds none, by answer.
    """
    judging = _Judge(standing, taken)
    index = 0
    for number, answer in enumerate(standing.run.answers):
        recorded = (Marked(citation, "") for citation in answer.citations)
        for citation, pattern in (*recorded, *written.get(number, ())):
            facts = judging.facts(index, citation, answer, pattern)
            yield replace(facts, answer=number)
            index += 1


@dataclass(frozen=True, slots=True)
class _Case:
    """A resolved citation: what is cited, in the version's unit, and where it is judged."""

    key: VersionKey
    spans: tuple[Span, ...]
    call: int


class _Judge:
    def __init__(self, standing: Standing, taken: tuple[PlaceholderFacts, ...]) -> None:
        self._standing = standing
        self._resolver = Resolver(standing)
        self._taken = taken

    def facts(self, index: int, citation: Citation, answer: Answer, pattern: str) -> CitationFacts:
        """Judge one citation of *answer*, recorded or found by a *pattern*."""
        found = self._resolver.resolve(citation, answer.call)
        source_side = isinstance(citation, SourceCitation)
        blank = CitationFacts(
            index=index,
            citation=citation,
            side="source" if source_side else "answer",
            source_id=citation.source_id,
            version_id=found.key.version_id if found.key else citation.version_id,
            span=found.span,
            unit=found.unit,
            anchor=Anchor.NONE if source_side else as_marked(citation),
            verdict=Verdict.UNVERIFIABLE,
            grade=self._standing.grade(answer.call),
            reason="",
            call_at_answer=answer.call,
            pattern=pattern,
        )
        early = self._without_text(found, citation if pattern else None)
        if early:
            return replace(blank, verdict=early[0], reason=early[1])
        quoted, place = self._quoted(blank, found)
        if quoted.reason:
            return quoted
        return self._delivered(quoted, found, place, answer.call)

    # -- before any request is looked at ---------------------------------------------

    def _without_text(
        self, found: Resolved, written: Citation | None
    ) -> tuple[Verdict, str] | None:
        if (found.key is None or found.beyond) and written is not None and written.unverifiable:
            # Its name is no key of the record: the text only writes what may be meant, and a
            # place outside of one source may stand in another.
            return Verdict.UNVERIFIABLE, written.unverifiable
        if found.key is None:
            return Verdict.UNRESOLVED, found.why
        if found.beyond:
            return Verdict.OUT_OF_BOUNDS, found.beyond
        if is_changed(found.text):
            return Verdict.WRONG_HASH, "the stored bytes no longer have the cited hash"
        return None

    def _quoted(
        self, facts: CitationFacts, found: Resolved
    ) -> tuple[CitationFacts, tuple[Span, ...]]:
        """Compare the quotation; ``reason`` stays empty while nothing is decided.

        Beside the facts stands where the quotation was found, in the version's
        unit, when it gives the citation its place.
        """
        citation, text = facts.citation, found.text
        if not isinstance(citation, SourceCitation) or citation.quote is None:
            return facts, ()
        if text is None or text.text is None:
            return facts, ()
        at = self._quotable(facts, found, text)
        result = anchor(citation.quote, text.text, at)
        if at is not None and (citation.block_id is not None or found.unit is not Unit.CHAR):
            result = within(citation.quote, text.text, at) or result
        facts = replace(facts, anchor=result.outcome)
        if result.outcome in (Anchor.EXACT, Anchor.NORMALISED):
            return (facts, ()) if at else self._anchored(facts, text, result.places[0])
        if result.outcome is Anchor.AMBIGUOUS and at is None:
            count = how_many(result.places)
            reason = f"the quotation stands in {count} places and no span is named"
            return replace(facts, verdict=Verdict.UNVERIFIABLE, reason=reason), ()
        reason = mismatch(result.outcome, result.places)
        return replace(facts, verdict=Verdict.QUOTE_DIFFERS, reason=reason), ()

    def _quotable(self, facts: CitationFacts, found: Resolved, text: VersionText) -> Span | None:
        """The cited place in the search text; ``None`` when the citation names none."""
        if facts.citation.block_id is not None:
            places = text.block_chars(text.blocks[facts.citation.block_id])
        elif found.span is None:
            return None
        else:
            places = text.chars_of(found.span, found.unit)
        return Span(places[0].start, places[-1].end) if places else Span(0, 0)

    def _anchored(
        self, facts: CitationFacts, text: VersionText, place: Span
    ) -> tuple[CitationFacts, tuple[Span, ...]]:
        if text.known is Known.LINES:
            place = whole_lines(text.text or "", place)
        spans = text.in_unit([place])
        if spans and text.unit is not Unit.BLOCK:
            facts = replace(facts, span=Span(spans[0].start, spans[-1].end))
        return replace(facts, unit=text.unit), spans

    # -- what the requests held --------------------------------------------------------

    def _delivered(
        self, facts: CitationFacts, found: Resolved, place: tuple[Span, ...], call: int
    ) -> CitationFacts:
        why = self._undecidable(facts, found, call)
        if why:
            return replace(facts, verdict=Verdict.UNVERIFIABLE, reason=why)
        spans = place or self._cited(facts, found)
        if found.key is None or not spans:
            reason = "the citation names no text: an empty span and nothing else"
            return replace(facts, verdict=Verdict.UNVERIFIABLE, reason=reason)
        case = _Case(found.key, spans, call)
        verdict, reason = self._verdict(case, facts)
        all_of_it = not place and facts.span is None and facts.citation.block_id is None
        if verdict is Verdict.READ and all_of_it and found.text and found.text.whole is None:
            verdict = Verdict.PARTLY_READ
            reason = f"its known pieces stand in the request of call {call}, its length is unknown"
        held = self._standing.holders(case.key, spans)
        calls = self._standing.residency.calls({d.message for d in held}, call)
        now = near(self._whole(case, facts), spans)
        missing = self._missing(case, verdict, now)
        return replace(
            facts,
            verdict=verdict,
            reason=reason,
            grade=self._grade(case, verdict),
            delivered_in=calls,
            missing=self._shown(missing, facts, found),
            evidence=self._evidence(case, held, calls),
        )

    def _missing(self, case: _Case, verdict: Verdict, whole: Sequence[Span]) -> tuple[Span, ...]:
        """What of the cited span the model did not have at all; rows in part are named apart."""
        if verdict is Verdict.READ:
            return ()
        if verdict is Verdict.PREVIEW_ONLY:
            return subtract(case.spans, self._standing.previewed(case.key, case.call))
        touched = near(self._standing.touched(case.key, case.call), case.spans)
        return subtract(case.spans, (*whole, *touched))

    def _undecidable(self, facts: CitationFacts, found: Resolved, call: int) -> str:
        state = self._standing.call(call)
        if state is None:
            return f"the answer names call {call}, and the record has no such call"
        if state.grade is Grade.UNKNOWN:
            return state.grade_reason or "the record cannot say what this call was given"
        if facts.citation.unverifiable:
            return facts.citation.unverifiable
        if found.text is None or found.text.text is None:
            return "the text of the cited version is not in the evidence"
        if facts.span is not None and not _counts_in(found.text, facts.unit):
            return (
                f"only pieces of the version are known, counted in {found.text.unit}s, "
                f"and the citation counts {facts.unit}s"
            )
        return ""

    def _cited(self, facts: CitationFacts, found: Resolved) -> tuple[Span, ...]:
        """What is cited, in the version's unit."""
        text, span = found.text, facts.span
        if text is None:
            return ()
        if facts.citation.block_id is not None:
            return union(text.block(facts.citation.block_id))
        if span is None:
            return text.pieces
        if text.known is Known.WHOLE and facts.unit is not Unit.CHAR:
            return union(text.proving(span, facts.unit))
        return union([span])  # of characters also what the stored text does not reach

    def _whole(self, case: _Case, facts: CitationFacts) -> tuple[Span, ...]:
        """What of the version stands whole in the answer's request, in fields named too."""
        citation = facts.citation
        named = citation.fields if isinstance(citation, SourceCitation) else None
        wanted = frozenset(named or ())
        if not wanted:
            return self._standing.delivered(case.key, case.call)
        came: dict[Span, set[str]] = defaultdict(set)
        for delivery in self._standing.bodies(case.key):
            if self._standing.residency.holds(case.call, delivery.message):
                came[delivery.span] |= wanted if delivery.fields is None else delivery.fields
        return union(span for span, fields in came.items() if fields >= wanted)

    def _verdict(self, case: _Case, facts: CitationFacts) -> tuple[Verdict, str]:
        standing, key, spans = self._standing, case.key, case.spans
        whole = near(self._whole(case, facts), spans)
        if not subtract(spans, whole):
            return Verdict.READ, f"all of it stands in the request of call {case.call}"
        now = intersect(spans, near(standing.touched(key, case.call), spans))
        if now:
            reason = f"some of it stands in the request of call {case.call}"
            lacking = self._lacking_fields(case)
            if lacking:
                reason += f"; rows came without {', '.join(lacking)}"
            return Verdict.PARTLY_READ, reason
        before = standing.residency.last_before(
            {d.message for d in standing.holders(key, spans)}, case.call
        )
        other = self._other_version(key, case.call)
        if before:
            reason = f"last in the request of call {before}, and not in that of call {case.call}"
            if other:
                reason += (
                    f"; version {_short(other)} stands there now, version {_short(key)} was read"
                )
            return Verdict.FROM_MEMORY, reason
        if other:
            return (
                Verdict.WRONG_VERSION,
                f"version {_short(other)} stands in the request, never this span of {_short(key)}",
            )
        return self._never(case)

    def _lacking_fields(self, case: _Case) -> tuple[str, ...]:
        """The fields of the cited table that did not come with some row."""
        table = self._standing.deliveries.texts[case.key].version.table
        if table is None:
            return ()
        came = (
            d.fields
            for d in self._standing.holders(case.key, case.spans)
            if d.fields is not None and self._standing.residency.holds(case.call, d.message)
        )
        lacking = {name for fields in came for name in table.fields if name not in fields}
        return tuple(name for name in table.fields if name in lacking)

    def _never(self, case: _Case) -> tuple[Verdict, str]:
        standing, key = self._standing, case.key
        if intersect(case.spans, standing.previewed(key, case.call)):
            rest = subtract(case.spans, standing.previewed(key, case.call))
            how_much = "some" if rest else "all"
            return Verdict.PREVIEW_ONLY, f"only a preview in a listing covers {how_much} of it"
        ever = standing.ever(key, case.call)
        read = standing.asked_by(key, case.call)
        if read and not ever:
            return (
                Verdict.PLACEHOLDER_ONLY,
                f"it was asked for ({read}), and no body text of it ever stood in a request",
            )
        if standing.listed(key, case.call) and not ever:
            return Verdict.LISTED_ONLY, "it stood in a listing, and no body text of it was given"
        if ever:
            return Verdict.NEVER_READ, "other parts of this version were given, never this one"
        return Verdict.NEVER_READ, "no text of this version was ever given"

    def _other_version(self, key: VersionKey, call: int) -> VersionKey | None:
        texts = self._standing.deliveries.by_source.get(key.source_id, ())
        others = (text.version.key for text in texts if text.version.key != key)
        return next((o for o in others if self._standing.touched(o, call)), None)

    def _grade(self, case: _Case, verdict: Verdict) -> Grade:
        """A verdict that rests on a taken away result is as good as the record of that."""
        grade = self._standing.grade(case.call)
        if verdict is Verdict.READ:
            return grade
        lost = (p.grade for p in self._taken if p.source_id == case.key.source_id)
        return Grade.weakest(grade, *lost)

    def _shown(
        self, missing: tuple[Span, ...], facts: CitationFacts, found: Resolved
    ) -> tuple[Span, ...]:
        """Return *missing* in the unit of the citation."""
        if facts.unit is Unit.ROW and found.text is not None:
            rows = (
                Span(found.text.row_of(s.start), found.text.row_of(s.end - 1) + 1) for s in missing
            )
            return union(rows)
        block_id = facts.citation.block_id
        if facts.unit is Unit.BLOCK and block_id is not None and found.text is not None:
            return tuple(span.moved(-found.text.blocks[block_id].start) for span in missing)
        return missing

    # -- evidence -----------------------------------------------------------------------

    def _evidence(
        self, case: _Case, held: tuple[Delivery, ...], calls: tuple[int, ...]
    ) -> Evidence | None:
        """The place the verdict rests on: in the answer's request, else where it last stood."""
        if not calls:
            return None
        call = case.call if case.call in calls else calls[-1]
        present = [d for d in held if self._standing.residency.holds(call, d.message)]
        best = max(present, key=lambda d: _weight(d, case.spans))
        request = self._standing.request(call)
        part = self._standing.run.messages[best.message].parts[best.part]
        place = self._narrowed(best, case.spans, part.text)
        return Evidence(
            call=call,
            message=request.index(best.message),
            part=best.part,
            message_span=place,
            text=part.text[place.start : place.end],
        )

    def _narrowed(self, delivery: Delivery, spans: tuple[Span, ...], shown: str) -> Span:
        """The cited words inside the delivered place, where they stand there to the letter."""
        text = self._standing.deliveries.texts[delivery.version]
        both = intersect(spans, [delivery.span])
        if (
            text.known is not Known.WHOLE
            or not both
            or text.text is None
            or delivery.form is Form.NORMALIZED
        ):
            return delivery.message_span
        words = text.text[both[0].start : both[-1].end]
        offset = both[0].start - delivery.span.start
        guess = delivery.message_span.start + offset
        if shown.startswith(words, guess):
            return Span(guess, guess + len(words))
        at = shown.find(words, delivery.message_span.start, delivery.message_span.end)
        if at >= 0:
            return Span(at, at + len(words))
        before = text.text.count("\n", delivery.span.start, both[0].start)
        found = shown_lines(words, before, shown, delivery.message_span)
        return found or delivery.message_span


def _counts_in(text: VersionText, unit: Unit) -> bool:
    """Whether a span in *unit* can be led to what is known of the text."""
    return text.known is Known.WHOLE or unit is text.unit


def _weight(delivery: Delivery, spans: tuple[Span, ...]) -> tuple[int, bool]:
    shared = intersect(spans, [delivery.span])
    return sum(span.length for span in shared), delivery.fields is None


def _short(key: VersionKey) -> str:
    version = key.version_id
    return f"{version[:10]}…" if len(version) > 12 else version or "?"  # noqa: PLR2004
