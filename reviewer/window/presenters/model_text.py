"""What one call was given, as one text with a way from each position to the record and back.

Between the pieces of evidence stand headings of the program's own.  They are
marked as such, so that no evidence can pass for one.  Positions of the text
and of the parts are code points.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reviewer.display import one_line
from reviewer.reports import reference
from reviewer.window.i18n import tr, tr_message
from reviewer.window.presenters.changes import Change, Step, steps
from reviewer.window.presenters.marks import Gutter, Mark, Spans
from reviewer.window.presenters.part_words import message_words, part_words, placeholder_words
from reviewer.window.presenters.requests import request_of
from reviewer.window.presenters.syntax import language_of, looks_like_json
from reviewer.window.presenters.words import grade_meaning, grade_word
from store.records.findings import Audit, Delivery, Form, PlaceholderFacts
from store.records.runs import Message, Part, PartKind
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["ModelText", "ModelTexts", "Piece", "Spot"]

FORM_KINDS: Mapping[Form, str] = {
    Form.FULL: "delivered",
    Form.NORMALIZED: "delivered",
    Form.TRUNCATED: "delivered",
    Form.PREVIEW: "preview",
    Form.PLACEHOLDER: "placeholder",
}
"""How a piece in sight is marked; that a piece is all that is left of more, its label says."""


FORM_SIGNS: Mapping[Form, str] = {
    Form.FULL: "●",
    Form.NORMALIZED: "≈",
    Form.PREVIEW: "◌",
    Form.TRUNCATED: "◐",
    Form.PLACEHOLDER: "□",
}
"""A sign for each form, where there is no room for `form_words`; a tip holds those."""


def form_words(form: Form) -> str:
    """Return what a form is called."""
    return {
        Form.FULL: tr("in full"),
        Form.NORMALIZED: tr("in full, white space differs"),
        Form.PREVIEW: tr("as a preview"),
        Form.TRUNCATED: tr("truncated: this is what came"),
        Form.PLACEHOLDER: tr("kept by a placeholder"),
    }[form]


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a message in the composed text.

    ``body`` is where its text stands.  ``message`` is its position in the
    request, ``number`` its place in `Run.messages`, ``line`` the line of the
    page, from 1, on which its text begins.  ``gone`` is set for what
    only the call before held: ``message`` is then its position there.
    """

    body: Span
    message: int
    number: int
    part: int
    line: int
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A position of the composed text in the record: a code point of one part."""

    piece: Piece
    position: int


@dataclass(frozen=True, slots=True)
class ModelText:
    """The composed text with what belongs to it; pieces ascend and do not overlap."""

    call: int
    text: str = field(repr=False)
    pieces: tuple[Piece, ...]
    marks: Spans[Mark] = field(repr=False)
    gutter: Spans[Gutter] = field(repr=False)
    deliveries: Mapping[tuple[int, int], Sequence[Delivery]] = field(repr=False)
    headings: Mapping[int, Span] = field(repr=False)

    def spot(self, position: int) -> Spot | None:
        """Return where in the record a position stands, ``None`` in a heading."""
        at = bisect_right(self.pieces, position, key=lambda piece: piece.body.start) - 1
        if at < 0 or position > self.pieces[at].body.end:
            return None
        piece = self.pieces[at]
        ends = position == piece.body.end > piece.body.start
        if ends and self.text[position - 1] == "\n":
            return None  # a heading begins where a text ends with its line
        return Spot(piece, position - piece.body.start)

    def number_of(self, line: int, start: int) -> str:
        """Return which line of its part a line of the page is; headings have none."""
        spot = self.spot(start)
        return "" if spot is None else str(line - spot.piece.line + 1)

    def recorded(self, span: Span) -> tuple[Piece, Span] | None:
        """Return *span* in the part that holds all of it, ``None`` where none does."""
        spot = self.spot(span.start)
        if spot is None or span.end > spot.piece.body.end:
            return None
        return spot.piece, span.moved(-spot.piece.body.start)

    def span_of(self, message: int, part: int | None, span: Span | None) -> Span | None:
        """Return where a span of a part stands, or all of the part or message.

        ``None`` where the text does not hold the message.
        """
        held = [p for p in self.pieces if p.message == message and not p.gone]
        if part is not None:
            held = [p for p in held if p.part == part]
        if not held:
            return self.headings.get(message)
        if span is None or part is None:
            heading = self.headings.get(message)
            start = held[0].body.start if heading is None or part is not None else heading.start
            return Span(start, held[-1].body.end)
        body = held[0].body
        start, end = body.start + span.start, body.start + span.end
        return Span(min(start, body.end), min(end, body.end))

    def languages(self, stretch: Span) -> Sequence[tuple[Span, str]]:
        """Return the parts that meet *stretch* and are written in a language that is known.

        A part that looks like JSON is JSON; one that came from a source is
        what the name of that source says.
        """
        first = max(bisect_right(self.pieces, stretch.start, key=lambda p: p.body.start) - 1, 0)
        end = bisect_right(self.pieces, stretch.end, key=lambda p: p.body.start)
        return [
            (piece.body, language)
            for piece in self.pieces[first:end]
            if piece.body.overlaps(stretch) and (language := self._language(piece)) is not None
        ]

    def _language(self, piece: Piece) -> str | None:
        start, end = piece.body.start, piece.body.end
        ends = self.text[start : min(start + _ENDS, end)] + self.text[max(end - _ENDS, start) : end]
        if looks_like_json(ends):
            return "json"
        held = self.deliveries.get((piece.number, piece.part), ())
        return language_of(held[0].version.source_id) if held else None

    def delivery_at(self, position: int) -> Delivery | None:
        """Return the shortest delivered piece that holds *position*."""
        spot = self.spot(position)
        if spot is None:
            return None
        held = self.deliveries.get((spot.piece.number, spot.piece.part), ())
        holding = [
            one
            for one in held
            if one.message_span.start <= spot.position < max(one.message_span.end, 1)
        ]
        return min(holding, key=lambda one: one.message_span.length, default=None)


_ENDS = 1_000
"""Code points at each end of a part by which it is told whether it looks like JSON."""
_MESSAGE_COST = 6000
"""Characters that take as long to compose as the headings and marks of one message."""


def _go_on() -> None:
    """Never stop."""


class ModelTexts:
    """Composes what the calls of one audit were given."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit

    def banner(self, call: int) -> str:
        """Return in words how far the record proves this request, and by which rule."""
        held = self.audit.run.calls[call - 1]
        reason = tr_message(held.grade_reason) or grade_meaning(held.grade)
        return one_line(
            tr(
                "Call {call} of {calls} · request {grade}: {reason}",
                call=call,
                calls=len(self.audit.run.calls),
                grade=grade_word(held.grade),
                reason=reason,
            )
        )

    def is_heavy(self, call: int, most: int) -> bool:
        """Tell whether more than *most* is to be composed.

        It counts characters, and what each message costs in them, as far as it has to.
        """
        messages, weight = self.audit.run.messages, 0
        for number in request_of(self.audit.run, call):
            weight += _MESSAGE_COST + sum(len(part.text) for part in messages[number].parts)
            if weight > most:
                return True
        return False

    def compose(
        self, call: int, *, changes: bool = False, check: Callable[[], None] = _go_on
    ) -> ModelText:
        """Return what call *call* was given; with *changes* against the call before it.

        Then messages that did not change are named and not repeated.  *check*
        is called before each message and may raise to stop.  Raises
        `IndexError` for a call that the run does not have.
        """
        run = self.audit.run
        if not 1 <= call <= len(run.calls):
            raise IndexError(f"no call {call}: this run has {len(run.calls)}")
        page = _Page(self, call, check)
        for step in steps(run, call, changes=changes):
            page.add(step)
        return page.finished()

    @cached_property
    def by_part(self) -> Mapping[tuple[int, int], Sequence[Delivery]]:
        """Deliveries by message (in `Run.messages`) and part."""
        found: dict[tuple[int, int], list[Delivery]] = {}
        for one in self.audit.deliveries:
            found.setdefault((one.message, one.part), []).append(one)
        return found

    @cached_property
    def units(self) -> Mapping[VersionKey, Unit]:
        """The unit in which spans of each version count."""
        return {v.version.key: v.unit for s in self.audit.sources for v in s.versions}

    @cached_property
    def results(self) -> Mapping[str, str | None]:
        """What each tool returned, by tool call."""
        return {one.tool_call_id: one.text for one in self.audit.run.tool_results}

    @cached_property
    def replaced(self) -> Mapping[str, PlaceholderFacts]:
        """What is known of results that did not stand whole to the end, by tool call."""
        return {one.tool_call_id: one for one in self.audit.placeholders}

    def placeholder(self, part: Part, call: int) -> PlaceholderFacts | None:
        """Return what *part* stands in for in the request of *call*, if it is a placeholder."""
        facts = self.replaced.get(part.tool_call_id)
        if facts is None or facts.removed or part.kind is PartKind.TOOL_CALL:
            return None
        if self.results.get(part.tool_call_id) == part.text:
            return None
        early = facts.first_call is not None and call < facts.first_call
        whole_later = facts.last_full_call is not None and call <= facts.last_full_call
        return None if early or whole_later else facts


class _Page:
    """A composed text in the making."""

    def __init__(self, texts: ModelTexts, call: int, check: Callable[[], None]) -> None:
        self._texts = texts
        self._call = call
        self._check = check
        self._blocks: list[str] = []
        self._length = 0
        self._line = 1
        self._pieces: list[Piece] = []
        self._marks: list[Mark] = []
        self._gutter: list[Gutter] = []
        self._headings: dict[int, Span] = {}

    def finished(self) -> ModelText:
        self._cited()
        return ModelText(
            call=self._call,
            text="".join(self._blocks),
            pieces=tuple(self._pieces),
            marks=Spans(self._marks),
            gutter=Spans(self._gutter),
            deliveries=self._texts.by_part,
            headings=self._headings,
        )

    def add(self, step: Step) -> None:
        messages = self._texts.audit.run.messages
        if step.change is Change.SAME_NOT_SHOWN:
            chars = sum(len(p.text) for n in step.numbers for p in messages[n].parts)
            first, last = step.first, step.first + len(step.numbers) - 1
            self._heading(
                tr(
                    "── messages {first} to {last} as in the call before: {chars} characters, "
                    "not repeated here ──",
                    first=first,
                    last=last,
                    chars=f"{chars:,}",
                )
            )
            return
        for place, number in enumerate(step.numbers, step.first):
            self._check()
            self._message(messages[number], place, number, step.change)

    def _heading(self, words: str) -> Span:
        if self._blocks and not self._blocks[-1].endswith("\n"):
            self._put("\n")
        span = self._put(one_line(words))
        self._put("\n")
        self._marks.append(Mark(span, "heading", tr("A heading of Reread, not part of the record")))
        return span

    def _put(self, text: str) -> Span:
        span = Span(self._length, self._length + len(text))
        self._blocks.append(text)
        self._length = span.end
        self._line += text.count("\n")
        return span

    def _message(self, message: Message, place: int, number: int, change: Change) -> None:
        gone = change is Change.REMOVED
        heading = self._heading(message_words(message, place, change))
        if not gone:
            self._headings[place] = heading
        for order, part in enumerate(message.parts):
            self._heading(part_words(order, part))
            line = self._line
            body = self._put(part.text)
            if not part.text.endswith("\n"):
                self._put("\n")
            self._pieces.append(Piece(body, place, number, order, line, gone=gone))
            self._mark_part(part, (number, order), body, change)

    def _mark_part(self, part: Part, at: tuple[int, int], body: Span, change: Change) -> None:
        if change is Change.ADDED:
            self._marks.append(Mark(body, "added", tr("New in this call")))
        elif change is Change.REMOVED:
            self._marks.append(Mark(body, "removed", tr("No longer in this call's request")))
        facts = None
        if change is not Change.REMOVED:
            facts = self._texts.placeholder(part, self._call)
        if facts is not None:
            self._marks.append(Mark(body, "placeholder", placeholder_words(facts)))
            self._gutter.append(Gutter(body, tr("placeholder"), "placeholder"))
        for one in self._texts.by_part.get(at, ()):
            self._delivery(one, body)

    def _delivery(self, one: Delivery, body: Span) -> None:
        key = one.version
        unit = self._texts.units.get(key, Unit.CHAR)
        place = one_line(reference(key.source_id, key.version_id, one.span, unit, None))
        span = one.message_span.moved(body.start)
        kind = FORM_KINDS[one.form]
        words = tr(
            "{place} · {form} · found by {address}",
            place=place,
            form=form_words(one.form),
            address=one.address,
        )
        self._marks.append(Mark(span, kind, words))
        self._gutter.append(Gutter(span, f"{FORM_SIGNS[one.form]} {place}", kind))

    def _cited(self) -> None:
        for facts in self._texts.audit.citations:
            evidence = facts.evidence
            if evidence is None or evidence.call != self._call:
                continue
            for piece in self._pieces:
                here = (piece.message, piece.part) == (evidence.message, evidence.part)
                if here and not piece.gone:
                    span = evidence.message_span.moved(piece.body.start)
                    words = tr(
                        "Citation {n}: {reason}", n=facts.index + 1, reason=tr_message(facts.reason)
                    )
                    self._marks.append(Mark(span, "cited", one_line(words)))
