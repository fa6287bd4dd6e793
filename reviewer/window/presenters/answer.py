"""An answer as runs of text and chips: one chip for each citation, where its words end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from reviewer.audit.answers import TextRun, pieces
from reviewer.display import one_line
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.decisions import (
    decision_name,
    decision_sign,
    decision_word,
    state_of,
)
from reviewer.window.presenters.words import (
    tone,
    verdict_meaning,
    verdict_sign,
    verdict_word,
)
from store.records.findings import Audit, CitationFacts
from store.records.reviews import Target, TargetState
from store.records.sources import VersionKey

__all__ = ["AnswerPage", "Chip", "answer_pages", "chip_decided", "place_of_citation"]

States = Mapping[Target, TargetState]


@dataclass(frozen=True, slots=True)
class Chip:
    """One citation, as sign, word and colour.  ``note`` says why it stands below the text.

    ``decision`` is the sign of what reviewers decided, "" where nobody did,
    and ``decided`` says it in words; a note alone decides nothing
    (``is_decided``).
    """

    citation: int
    tone: str
    sign: str
    word: str
    source: str
    label: str
    tip: str
    note: str = ""
    decision: str = ""
    decided: str = ""
    is_decided: bool = False

    @property
    def text(self) -> str:
        """What the chip says inside the text."""
        return f"{self.sign} {self.word}"

    @property
    def name(self) -> str:
        """What a screen reader says of it."""
        said = tr("citation {index}: {word}, {source}", **self._values())
        return f"{said}, {self.decided}" if self.decided else said

    def _values(self) -> dict[str, object]:
        return {"index": self.citation + 1, "word": self.word, "source": self.source}


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """One answer: its text as recorded, in order, and the citations without a place in it."""

    index: int
    call: int
    text: str = field(repr=False)
    pieces: tuple[TextRun | Chip, ...] = field(repr=False)
    below: tuple[Chip, ...]
    citations: int

    @property
    def decided(self) -> int:
        """How many of its citations somebody decided on."""
        chips = (*(piece for piece in self.pieces if isinstance(piece, Chip)), *self.below)
        return sum(chip.is_decided for chip in chips)

    def title(self, total: int) -> str:
        """Return the answer's name among *total*."""
        held = trn("one citation", "{n} citations", self.citations)
        if self.decided:
            held += tr(", ") + trn("one decided", "{n} decided", self.decided)
        return tr(
            "Answer {number} of {total} · call {call} · {held}",
            number=self.index + 1,
            total=total,
            call=self.call,
            held=held,
        )


def answer_pages(audit: Audit, states: States | None = None) -> tuple[AnswerPage, ...]:
    """Return every answer of a run; *states* are what reviewers decided on it."""
    held: dict[int, list[CitationFacts]] = defaultdict(list)
    for facts in audit.citations:
        held[facts.answer].append(facts)
    pages = []
    for index, answer in enumerate(audit.run.answers):
        placed, below = _sorted(held[index], len(answer.text), states or {})
        page = AnswerPage(
            index=index,
            call=answer.call,
            text=answer.text,
            pieces=tuple(_pieces(placed, len(answer.text), states or {})),
            below=below,
            citations=len(held[index]),
        )
        pages.append(page)
    return tuple(pages)


def place_of_citation(audit: Audit, index: int, run: int, tab: str | None = None) -> Place:
    """Return the place of a citation: its call, its source, and the text that it rests on."""
    facts = audit.citations[index]
    source = VersionKey(facts.source_id, facts.version_id) if facts.version_id else None
    found = facts.evidence
    return Place(
        run,
        call=found.call if found else facts.call_at_answer,
        message=found.message if found else None,
        part=found.part if found else None,
        message_span=found.message_span if found else None,
        source=source,
        citation=index,
        tab=tab,
    )


def _sorted(
    citations: list[CitationFacts], length: int, states: States
) -> tuple[list[CitationFacts], tuple[Chip, ...]]:
    """Part the citations that have a place in the text from those that are listed below it."""
    placed: list[CitationFacts] = []
    below: list[Chip] = []
    for facts in citations:
        span = facts.citation.answer_span
        if span is None:
            below.append(_chip(facts, states, tr("marks no words of the answer")))
        elif span.end > length:
            below.append(_chip(facts, states, tr("its place lies outside the answer's text")))
        else:
            placed.append(facts)
    return placed, tuple(below)


def _pieces(placed: list[CitationFacts], length: int, states: States) -> Iterator[TextRun | Chip]:
    for piece in pieces(placed, length):
        yield piece if isinstance(piece, TextRun) else _chip(piece, states)


def chip_decided(chip: Chip, facts: CitationFacts, states: States) -> Chip:
    """Return *chip* with what reviewers decided by now."""
    state = state_of(states, facts, None)
    if state is None:
        return replace(chip, decision="", decided="", is_decided=False)
    return replace(
        chip,
        decision=decision_sign(state),
        decided=decision_word(state),
        is_decided=decision_name(state) != "undecided",
    )


def _chip(facts: CitationFacts, states: States, note: str = "") -> Chip:
    word = verdict_word(facts.verdict)
    source = one_line(facts.source_id)
    tip = f"{source}\n{verdict_sign(facts.verdict)} {word}: {verdict_meaning(facts.verdict)}"
    made = Chip(
        citation=facts.index,
        tone=tone(facts.verdict),
        sign=verdict_sign(facts.verdict),
        word=word,
        source=source,
        label=one_line(facts.citation.label),
        tip=tip,
        note=note,
    )
    return chip_decided(made, facts, states)
