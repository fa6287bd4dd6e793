"""What a report for people says of one run, in plain text; pages differ only in how it looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.answers import TextRun, in_place, pieces
from reviewer.audit.residency import Residency
from reviewer.audit.strips import cited_text, place_of
from reviewer.audit.texts import VersionText
from reviewer.excerpts import LARGEST, Cut, Excerpt
from reviewer.reports import _words as words
from reviewer.reports._base import Meta
from reviewer.reports._decided import of_citation, opinion_lines
from reviewer.reports._facts import digest_of
from store.records.findings import (
    Audit,
    CitationFacts,
    Delivery,
    Evidence,
    Form,
    Verdict,
    VersionFacts,
)
from store.records.runs import ProblemKind
from store.records.sources import Integrity, VersionKey
from store.records.text import Span

__all__ = [
    "INDEX",
    "WORDS",
    "Answers",
    "CitationText",
    "Contents",
    "Passage",
    "problem_counts",
    "run_facts",
    "verdict_counts",
    "verdict_sign",
    "worst_first",
]

WORDS = {
    "title": "What the model read",
    "lead": (
        "For each citation: was the cited text inside the model's input when it wrote the "
        "sentence? Only text that was found in the request counts as read."
    ),
    "claims": (
        "This report speaks of the model's input, as far as the record proves it. It does not say "
        "whether the answer is right."
    ),
    "runs": "Runs",
    "no runs": "No run could be audited.",
    "problems": "What could not be read, or is not as it was",
    "answers": "The answer and its citations",
    "plain": "Answers",
    "strips unproven": (
        "The record cannot say of every call what stood in its request: what is drawn came, and "
        "may not have stayed."
    ),
    "citations": "Citations",
    "findings": "Findings",
    "no findings": "No rule was broken",
    "rules broken": "What these rules say",
    "rule unknown": "This rule is not one of the rules that Reread has here.",
    "settings": "Settings in force",
    "jump": "Findings by severity",
    "map": "Which source stood in which call's request",
    "sources": "Sources and versions",
    "placeholders": "Placeholders",
    "all reads": "Reads",
    "reads": "Reads that did not deliver all they asked for",
    "tokens": "What the requests cost",
    "made by": "Made by Reread",
    "about": "What this report was made with",
    "decisions": "Decisions of reviewers",
    "no decisions": "No log of decisions is shown here.",
    "numbers": "The number in a mark is that of the citation below; they count from 0.",
    "request": "In the model's input",
    "earlier": "In the input of an earlier call, not in that of the answer",
    "stored": "In the stored version",
    "same": "The stored version holds the same words at the cited place.",
    "more characters": "more characters; the JSON report holds all of it",
    "strips": (
        "Upper band of a strip: the version from its start to its end, filled where it was "
        "delivered in some call, striped where only a preview came, pale where nothing came. "
        "Lower band: what stood in the request of the last answer. At the foot: the cited places."
    ),
}
"""What the pages say, in one place."""


def verdict_sign(verdict: Verdict) -> str:
    """Return the sign of a verdict; those without one of their own failed."""
    return words.VERDICT_SIGNS.get(verdict, "✗")


def verdict_counts(audit: Audit) -> list[tuple[Verdict, int]]:
    """Return how many citations have each verdict by its word, the best first."""
    counted = Counter(facts.verdict.word for facts in audit.citations)
    verdicts = {facts.verdict.word: facts.verdict for facts in audit.citations}
    order = {"good": 0, "open": 1, "bad": 2}
    found = sorted(counted, key=lambda word: (order[words.good(verdicts[word])], word))
    return [(verdicts[word], counted[word]) for word in found]


INDEX = ("run", "grade", "verdicts", "findings", "problems")
"""The columns of the list of runs."""


def problem_counts(audit: Audit) -> str:
    """Return in words what of a run could not be read, or is not as it was; a dash for nothing."""
    counted = Counter(problem.kind for problem in audit.run.problems)
    return (
        ", ".join(f"{counted[kind]} {kind.value}" for kind in ProblemKind if counted[kind]) or "–"
    )


def worst_first(audit: Audit) -> list[int]:
    """Return the places of the findings, the worst first, else in their order."""
    order = {severity: rank for rank, severity in enumerate(words.FINDING_SIGNS)}
    found = audit.findings
    return sorted(range(len(found)), key=lambda place: order[found[place].severity])


def run_facts(audit: Audit) -> list[tuple[str, str]]:
    """Return what names a run and its record, name and value."""
    run = audit.run
    facts = [
        ("run", run.run_id),
        ("path", run.path),
        ("format", run.format),
        ("layer", run.layer.value),
    ]
    facts += [("part of", run.parent_run)] if run.parent_run else []
    facts += [("branch", run.branch)] if run.branch else []
    digest = digest_of(run)
    facts.append(("digest of the record", f"sha256:{digest}" if digest else "none"))
    return facts


class Passage(NamedTuple):
    """A text with what stands around it; ``where`` says where it was found.

    ``kind`` is ``request`` for the input of the answer, ``earlier`` for that
    of a call before it, ``stored`` for the version.
    """

    kind: str
    where: str
    cut: Cut


class _Cited(NamedTuple):
    """The cited place in the text of a version."""

    held: VersionFacts
    text: VersionText
    span: Span

    @property
    def whole(self) -> str:
        return (self.text.text or "")[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class CitationText:
    """One citation as it is told.

    ``request`` is the text in the model's input it rests on, ``stored`` the
    cited place of the stored version where its words differ from those or
    stand alone; ``same`` says that they are the same.  ``findings`` are the
    places of the findings about it in the list.
    """

    facts: CitationFacts
    place: str
    claim: str | None
    quote: str | None
    notes: tuple[str, ...]
    request: Passage | None
    stored: Passage | None
    same: bool
    findings: tuple[int, ...]
    decided: tuple[str, ...]

    @property
    def version(self) -> VersionKey:
        """The version it names."""
        return VersionKey(self.facts.source_id, self.facts.version_id or "")


class Answers(NamedTuple):
    """One answer: its text as recorded, in order, and the citations without a place in it."""

    number: int
    call: int
    text: str
    pieces: tuple[TextRun | CitationFacts, ...]
    below: tuple[CitationFacts, ...]


_EXCERPT = 1200

_KEPT = 16
"""Versions whose lines are kept counted: neighbouring citations often name the same."""


class Contents:
    """One run, and what leads from each thing in it to the others."""

    def __init__(self, audit: Audit, meta: Meta) -> None:
        self.audit = audit
        self.meta = meta
        self.versions: Mapping[VersionKey, VersionFacts] = {
            facts.version.key: facts for source in audit.sources for facts in source.versions
        }
        self.marks = {key: number for number, key in enumerate(self.versions)}
        self.sources: dict[str, int] = {}
        for key, number in self.marks.items():
            self.sources.setdefault(key.source_id, number)
        self.citing: dict[VersionKey, list[CitationFacts]] = {}
        for facts in audit.citations:
            key = VersionKey(facts.source_id, facts.version_id or "")
            self.citing.setdefault(key, []).append(facts)
        self._about: dict[int, list[int]] = {}
        for number, finding in enumerate(audit.findings):
            if finding.where.citation is not None:
                self._about.setdefault(finding.where.citation, []).append(number)
        self._texts: dict[VersionKey, VersionText] = {}

    # -- answers ----------------------------------------------------------------------

    def answers(self) -> list[Answers]:
        """Return the answers with citations, and the last; with ``everything`` all of them."""
        held: dict[int, list[CitationFacts]] = {}
        for facts in self.audit.citations:
            held.setdefault(facts.answer, []).append(facts)
        found = []
        last = len(self.audit.run.answers) - 1
        for number, answer in enumerate(self.audit.run.answers):
            if number not in held and number != last and not self.meta.everything:
                continue
            length = len(answer.text)
            placed = [facts for facts in held.get(number, ()) if in_place(facts, length)]
            below = [facts for facts in held.get(number, ()) if not in_place(facts, length)]
            shown = tuple(pieces(placed, length))
            found.append(Answers(number, answer.call, answer.text, shown, tuple(below)))
        return found

    # -- citations --------------------------------------------------------------------

    def citation(self, place: int) -> CitationText:
        """Return the citation at *place* in the list with its evidence."""
        facts = self.audit.citations[place]
        found = facts.evidence
        cited = self._cited(facts)
        same = bool(found and cited and cited.whole == found.text)
        state = of_citation(self.meta, self.audit, facts)
        return CitationText(
            facts=facts,
            place=words.cited_place(facts),
            claim=self._claims[place],
            quote=words.quotation(facts),
            notes=tuple(_notes(facts)),
            request=self._request(facts, found, cited) if found else None,
            stored=None if same or cited is None else self._stored(cited),
            same=same and facts.verdict is Verdict.READ,
            findings=tuple(self._about.get(facts.index, ())),
            decided=tuple(opinion_lines(state)),
        )

    def _limit(self) -> int:
        return LARGEST if self.meta.everything else _EXCERPT

    @cached_property
    def _claims(self) -> list[str | None]:
        return words.claims(self.audit)

    def _request(self, facts: CitationFacts, found: Evidence, cited: _Cited | None) -> Passage:
        place = (
            f"call {found.call}, message {found.message}, part {found.part}, characters "
            f"{found.message_span.start} to {found.message_span.end}"
        )
        pieces = self._pieces(facts, found, cited) if cited else 1
        place += f"; one of {pieces} pieces of it in this request" if pieces > 1 else ""
        kind = "request" if found.call == facts.call_at_answer else "earlier"
        message = self._messages.get((found.call, found.message))
        parts = self.audit.run.messages[message].parts if message is not None else ()
        if found.part < len(parts):
            span, text = found.message_span, parts[found.part].text
            if text[span.start : span.end] == found.text:
                return Passage(kind, place, Excerpt(text, span).cut(self._limit()))
        alone = Excerpt(found.text, Span(0, len(found.text)))
        return Passage(kind, place, alone.cut(self._limit()))

    def _pieces(self, facts: CitationFacts, found: Evidence, cited: _Cited) -> int:
        """Return how many deliveries in the same request hold some of the cited place."""
        place = place_of(facts, cited.text)
        return sum(
            self._residency.holds(found.call, delivery.message)
            for delivery in self._deliveries.get(cited.held.version.key, ())
            if place is None or place.overlaps(delivery.span)
        )

    @cached_property
    def _residency(self) -> Residency:
        return Residency(self.audit.run.calls, len(self.audit.run.messages))

    @cached_property
    def _deliveries(self) -> Mapping[VersionKey, list[Delivery]]:
        found: dict[VersionKey, list[Delivery]] = {}
        for delivery in self.audit.deliveries:
            if delivery.form is not Form.PREVIEW:
                found.setdefault(delivery.version, []).append(delivery)
        return found

    @cached_property
    def _messages(self) -> Mapping[tuple[int, int], int]:
        """Return which message of the run stands where evidence points: by call and place in it."""
        wanted: dict[int, set[int]] = {}
        for facts in self.audit.citations:
            if facts.evidence is not None:
                wanted.setdefault(facts.evidence.call, set()).add(facts.evidence.message)
        found: dict[tuple[int, int], int] = {}
        calls = sorted(call for call in wanted if 1 <= call <= len(self.audit.run.calls))
        for call, request in zip(calls, self.audit.run.requests(set(calls)), strict=True):
            for place in wanted[call]:
                if place < len(request):
                    found[call, place] = request[place]
        return found

    def _cited(self, facts: CitationFacts) -> _Cited | None:
        """Return the cited place of the stored version, as far as its text may be shown."""
        held = self.versions.get(VersionKey(facts.source_id, facts.version_id or ""))
        if held is None or (held.version.text is None and not held.version.excerpts):
            return None
        text = self._texts.get(held.version.key)
        if text is None:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            text = self._texts[held.version.key] = VersionText(held.version)
        span = cited_text(facts, text)
        return None if span is None or text.text is None else _Cited(held, text, span)

    def _stored(self, cited: _Cited) -> Passage:
        excerpt = Excerpt(cited.text.text or "", cited.span)
        return Passage("stored", _stored_words(cited.held), excerpt.cut(self._limit()))


def _stored_words(held: VersionFacts) -> str:
    version = held.version
    if version.integrity is Integrity.INTACT and not version.sha256:
        return "text of the record itself, no stored bytes to check"
    known = f", sha256:{version.sha256}" if version.sha256 else ""
    if version.integrity is Integrity.CHANGED:
        return f"text of the record itself; the stored bytes are changed{known}"
    return f"stored bytes {version.integrity.value}{known}"


def _notes(facts: CitationFacts) -> Iterator[str]:
    yield f"call {facts.call_at_answer}"
    yield f"grade {facts.grade.value}"
    yield f"anchor {words.anchor(facts)}"
    yield f"{facts.side}-side"
    if facts.pattern:
        yield f"found in the text by the pattern {facts.pattern}"
    if facts.delivered_in:
        yield f"delivered in call {words.call_ranges(facts.delivered_in)}"
    if facts.missing:
        yield f"missing {words.spans(facts.missing, 6)}"
