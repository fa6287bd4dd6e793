"""What became of each citation of a run: the text it points at, its sentence, its verdict."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from reviewer.audit.compare_places import Places
from reviewer.audit.compare_sequence import ComparisonStopped
from reviewer.audit.compare_stores import counterparts, versions_by_source
from store.records.citations import SourceCitation
from store.records.comparisons import CitationDifference, Matched
from store.records.differences import (
    Doubt,
    Fate,
    Fated,
    Side,
    SourceChange,
    SourceDifference,
    Why,
)
from store.records.findings import Audit, CitationFacts
from store.records.sources import Version, VersionKey
from store.records.targets import citation_key
from store.records.text import Span

__all__ = ["Fates", "compare_citations", "sentence_of"]

_END = re.compile("[\u3002\uff01\uff1f\uff1b\n]+|[.!?;]+(?=\\s|$)")
"""What ends a sentence."""


def sentence_of(text: str, marked: Span) -> str:
    """Return the sentence of *text* in which *marked* stands, without white space around it.

    A mark behind the full stop belongs to the sentence before it.
    """
    before = [found.end() for found in _END.finditer(text, 0, marked.start)]
    start = next((stop for stop in reversed(before) if text[stop : marked.start].strip()), 0)
    behind = _END.search(text, marked.end)
    told = text[start : marked.start].rstrip()
    if told and _END.search(told[-1]):
        return text[start : marked.end].strip()
    return text[start : behind.end() if behind else len(text)].strip()


class Fates:
    """What became in B of the texts that run A cites; *sources* is the comparison of the stores.

    *complete* says that B holds all there is, so that a source it lacks is gone.
    """

    def __init__(
        self,
        a: Audit,
        b: Mapping[str, Sequence[Version]],
        sources: Sequence[SourceDifference],
        *,
        complete: bool,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._a = versions_by_source(a.run.versions)
        self._b = b
        self._names = counterparts(sources)
        self._gone = {
            one.a.source_id: one
            for one in sources
            if one.a is not None and one.change is SourceChange.REMOVED
        }
        self._complete = complete
        self._stopped = stopped
        self._places: dict[tuple[VersionKey, VersionKey], Places] = {}

    def of(self, facts: CitationFacts, other: CitationFacts | None = None) -> Fated:
        """Return the fate of the text of one citation.

        In the version that *other*, a citation of B, points at; else in the
        cited one where B holds it, else in the newest.
        """
        if self._stopped():
            raise ComparisonStopped
        a = self._version(facts)
        if a is None:
            why = Why.NO_PLACE if facts.source_id in self._a else Why.NO_SOURCE
            doubt = Doubt(Side.A, why, facts.source_id)
            return Fated(Fate.UNKNOWN, a=facts.span, unit=facts.unit, doubt=doubt)
        held = self._b.get(self._names.get(facts.source_id, ""), ())
        named = self._named(other)
        if not held and named is None:
            return self._without_source(facts, a)
        b = named or _same_or_newest(a, held)
        pair = (a.key, b.key)
        if pair not in self._places:
            self._places[pair] = Places(a, b, self._stopped)
        return self._places[pair].fate(facts.span, facts.unit, facts.citation.block_id)

    def _named(self, other: CitationFacts | None) -> Version | None:
        """Return the version of B that a citation of B points at."""
        held = self._b.get(other.source_id, ()) if other is not None else ()
        return next((one for one in held if other and one.key.version_id == other.version_id), None)

    def _version(self, facts: CitationFacts) -> Version | None:
        versions = self._a.get(facts.source_id, ())
        if facts.version_id:
            return next((one for one in versions if one.key.version_id == facts.version_id), None)
        return versions[-1] if len(versions) == 1 else None

    def _without_source(self, facts: CitationFacts, a: Version) -> Fated:
        gone = self._gone.get(facts.source_id)
        blank = Fated(Fate.UNKNOWN, a.key, a=facts.span, unit=facts.unit)
        if gone is not None and gone.twins:
            return Fated(Fate.AMBIGUOUS, a.key, a=facts.span, unit=facts.unit)
        if self._complete:
            return Fated(Fate.GONE, a.key, a=facts.span, unit=facts.unit)
        return Fated(
            blank.fate,
            a.key,
            a=facts.span,
            unit=facts.unit,
            doubt=Doubt(Side.B, Why.NO_SOURCE, facts.source_id),
        )


def _same_or_newest(a: Version, held: Sequence[Version]) -> Version:
    by_id = [one for one in held if one.key.version_id == a.key.version_id]
    by_hash = [one for one in held if a.sha256 and one.sha256 == a.sha256]
    return [*held, *by_hash, *by_id][-1]


def compare_citations(a: Audit, b: Audit | None, fates: Fates) -> Iterator[CitationDifference]:
    """Yield the citations of *a* in their order, each with the one of *b* like it; then *b*'s rest.

    Without *b* there is only the fate of the text.
    """
    others = _Others(b)
    # The same citation comes first, wherever it stands; what is left is paired by its sentence.
    taken = [others.by_key(facts) for facts in a.citations]
    for facts, same in zip(a.citations, taken, strict=True):
        fated = fates.of(facts, same)
        match: tuple[CitationFacts, Matched] | None
        if same is not None:
            points = _points_at(same, fated, facts) or not _is_placed(fated)
            match = same, Matched.KEY if points else Matched.SENTENCE
        else:
            match = others.like(facts, _sentence(a, facts), fated)
        yield _difference(a, b, facts, fated, match)
    for facts in others.left():
        yield CitationDifference(
            None, facts.index, None, verdict_b=facts.verdict, source_id=facts.source_id
        )


def _is_placed(fated: Fated) -> bool:
    return fated.fate.is_same_text


def _difference(
    a: Audit,
    b: Audit | None,
    facts: CitationFacts,
    fated: Fated,
    match: tuple[CitationFacts, Matched] | None,
) -> CitationDifference:
    if match is None or b is None:
        return CitationDifference(
            facts.index, None, fated, verdict_a=facts.verdict, source_id=facts.source_id
        )
    other, matched = match
    return CitationDifference(
        facts.index,
        other.index,
        fated,
        matched,
        facts.verdict,
        other.verdict,
        _sentence(a, facts) == _sentence(b, other),
        facts.source_id,
    )


def _sentence(audit: Audit, facts: CitationFacts) -> str:
    """Return the words that a citation stands behind: its sentence, else the whole answer."""
    answers = audit.run.answers
    if facts.answer >= len(answers):
        return ""
    text, marked = answers[facts.answer].text, facts.citation.answer_span
    if marked is None or marked.end > len(text):
        return text
    return sentence_of(text, marked)


class _Others:
    """The citations of B; each is given away once."""

    def __init__(self, b: Audit | None) -> None:
        self._free: dict[int, CitationFacts] = {}
        self._keys: dict[str, list[int]] = defaultdict(list)
        self._sentences: dict[str, list[int]] = defaultdict(list)
        for facts in b.citations if b is not None else ():
            self._free[facts.index] = facts
            self._keys[citation_key(facts)].append(facts.index)
            if b is not None and (sentence := _sentence(b, facts)):
                self._sentences[sentence].append(facts.index)

    def by_key(self, facts: CitationFacts) -> CitationFacts | None:
        """Return the one of which the record says the same."""
        for index in self._keys.get(citation_key(facts), ()):
            if index in self._free and _says(self._free[index]) == _says(facts):
                return self._free.pop(index)
        return None

    def like(
        self, facts: CitationFacts, sentence: str, fated: Fated
    ) -> tuple[CitationFacts, Matched] | None:
        """Return one for the same sentence: of the same text, else of the same source."""
        near = [
            self._free[index] for index in self._sentences.get(sentence, ()) if index in self._free
        ]
        for other in near:
            if fated.fate.is_same_text and _points_at(other, fated, facts):
                return self._free.pop(other.index), Matched.PLACE
        source = fated.version_b.source_id if fated.version_b else facts.source_id
        for other in near:
            if other.source_id == source:
                return self._free.pop(other.index), Matched.SENTENCE
        return None

    def left(self) -> Iterator[CitationFacts]:
        """Yield those that no citation of A is like."""
        yield from self._free.values()


def _points_at(other: CitationFacts, fated: Fated, facts: CitationFacts) -> bool:
    """Whether a citation of B points at the place where the text of A's now stands."""
    there = fated.version_b
    if _says(other) != _says(facts):
        return False
    if there is None or (other.source_id, other.version_id) != (
        there.source_id,
        there.version_id,
    ):
        return False
    if fated.b is None:
        same_block = other.citation.block_id == facts.citation.block_id
        return other.span is None and same_block and fated.fate is Fate.UNCHANGED
    return (other.span, other.unit) == (fated.b, fated.b_unit)


def _says(facts: CitationFacts) -> tuple[object, ...]:
    """Return what a citation says beside its place: another quotation is another citation."""
    cited = facts.citation
    if isinstance(cited, SourceCitation):
        return cited.quote, cited.fields
    return ()
