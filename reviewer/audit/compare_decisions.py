"""Which decisions on one run hold for another: only where they speak of the same text.

A decision on a citation speaks of the sentence, the text cited for it and the
verdict; one on a finding of what the finding rests on.  Where any of it is
another, or could not be compared, a person has to decide anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from store.records.comparisons import (
    CitationDifference,
    DecisionFate,
    Matched,
    Obstacle,
)
from store.records.differences import (
    Doubt,
    Fate,
    Fated,
    Proof,
    Side,
    SourceChange,
    SourceDifference,
    Why,
)
from store.records.findings import Audit, Finding
from store.records.runs import Run
from store.records.targets import Target, TargetKind, citation_target, finding_target

__all__ = ["decision_fates"]


def decision_fates(
    standing: Iterable[tuple[str, Target]],
    a: Audit,
    b: Audit | None,
    citations: Sequence[CitationDifference],
    sources: Sequence[SourceDifference],
) -> Iterator[DecisionFate]:
    """Yield the fate of each decision: *standing* gives the id of its event and its target.

    *citations* and *sources* are the comparison of both; without *b* nothing
    can be carried over.
    """
    fates = _Fates(a, b, citations, sources)
    for event, target in standing:
        fate = fates.of(target)
        yield replace(fate, event=event)


class _Fates:
    def __init__(
        self,
        a: Audit,
        b: Audit | None,
        citations: Sequence[CitationDifference],
        sources: Sequence[SourceDifference],
    ) -> None:
        self._a = a
        self._b = b
        self._citations = {one.a: one for one in citations if one.a is not None}
        self._sources = {one.a.source_id: one for one in sources if one.a is not None}
        self._cited: dict[Target, int] = {}
        for facts in a.citations:
            self._cited.setdefault(citation_target(facts), facts.index)
        self._found: dict[Target, Finding] = {}
        for finding in a.findings:
            target = finding_target(finding)
            if target is not None:
                self._found.setdefault(target, finding)
        self._kept: dict[Target, DecisionFate] = {}

    def of(self, target: Target) -> DecisionFate:
        """Return what becomes of a decision on *target*."""
        if target not in self._kept:
            found = self._citation if target.kind is TargetKind.CITATION else self._finding
            self._kept[target] = found(target)
        return self._kept[target]

    # -- citations ---------------------------------------------------------------------

    def _citation(self, target: Target) -> DecisionFate:
        index = self._cited.get(target)
        one = self._citations.get(index) if index is not None else None
        if one is None or one.fated is None:
            return DecisionFate("", target, obstacle=Obstacle.NOT_IN_A)
        blank = DecisionFate("", target, fated=one.fated)
        obstacle = self._obstacle(one)
        if obstacle is not None or one.b is None or self._b is None:
            return replace(blank, obstacle=obstacle or Obstacle.NOTHING)
        return replace(blank, to=citation_target(self._b.citations[one.b]))

    def _obstacle(self, one: CitationDifference) -> Obstacle | None:
        if one.fated is None or not one.fated.fate.is_same_text:
            return Obstacle.TEXT
        if one.b is None:
            return Obstacle.NOTHING
        if one.matched is Matched.SENTENCE:
            return Obstacle.TEXT
        if not one.same_sentence:
            return Obstacle.SENTENCE
        return Obstacle.VERDICT if one.verdict_changed else None

    # -- findings ----------------------------------------------------------------------

    def _finding(self, target: Target) -> DecisionFate:
        finding = self._found.get(target)
        if finding is None:
            return DecisionFate("", target, obstacle=Obstacle.NOT_IN_A)
        cited = finding.where.citation
        one = self._citations.get(cited) if cited is not None else None
        if one is not None:
            return self._of_citation(target, finding, one)
        fated = self._text(finding)
        if fated is None:
            return DecisionFate("", target, obstacle=Obstacle.NO_TEXT)
        blank = DecisionFate("", target, fated=fated)
        if not fated.fate.is_same_text:
            return replace(blank, obstacle=Obstacle.TEXT)
        others = self._b.findings if self._b is not None else ()
        if not any(_says_the_same(finding, other) for other in others):
            return replace(blank, obstacle=Obstacle.NOTHING)
        return replace(blank, to=target)

    def _of_citation(
        self, target: Target, finding: Finding, one: CitationDifference
    ) -> DecisionFate:
        """A finding about a citation holds where the decision on that citation would."""
        blank = DecisionFate("", target, fated=one.fated)
        obstacle = self._obstacle(one)
        if obstacle is not None:
            return replace(blank, obstacle=obstacle)
        for other in self._b.findings if self._b is not None else ():
            same_place = other.where.citation == one.b and other.rule == finding.rule
            to = finding_target(other)
            if same_place and to is not None and other.severity is finding.severity:
                return replace(blank, to=to)
        return replace(blank, obstacle=Obstacle.NOTHING)

    def _text(self, finding: Finding) -> Fated | None:
        """Return what became of the text that a finding rests on: its result, else its source."""
        call, source = finding.where.tool_call_id, finding.where.source_id
        if call and self._b is not None:
            result = _result_fate(self._a.run, self._b.run, call)
            if result is not None:
                return result
        one = self._sources.get(source or "")
        return None if one is None else _source_fate(one)


def _says_the_same(finding: Finding, other: Finding) -> bool:
    return (finding.fingerprint, finding.severity, finding.message) == (
        other.fingerprint,
        other.severity,
        other.message,
    )


def _source_fate(one: SourceDifference) -> Fated:
    fates = {
        SourceChange.SAME: Fate.UNCHANGED,
        SourceChange.CHANGED: Fate.CHANGED,
        SourceChange.REMOVED: Fate.GONE,
    }
    # Of a source with another name the finding would speak of that name: nothing is taken over.
    fate = fates.get(one.change, Fate.UNKNOWN)
    proof = one.proof if fate is Fate.UNCHANGED else None
    return Fated(fate, one.a, one.b, proof=proof, doubt=one.doubt)


def _result_fate(a: Run, b: Run, call: str) -> Fated | None:
    """Return what became of the result of one tool call; ``None`` where A holds none."""
    ours, theirs = _results(a, call), _results(b, call)
    if not ours:
        return None
    if not theirs:
        return Fated(Fate.UNKNOWN, doubt=Doubt(Side.B, Why.NOT_STORED, call))
    if len(ours) > 1 or len(theirs) > 1:
        return Fated(Fate.AMBIGUOUS)
    return Fated(
        Fate.UNCHANGED if ours == theirs else Fate.CHANGED,
        proof=Proof.TEXT if ours == theirs else None,
    )


def _results(run: Run, call: str) -> list[str]:
    """Return the known texts of the results of *call*."""
    texts: Mapping[str, None] = dict.fromkeys(
        result.text
        for result in run.tool_results
        if result.tool_call_id == call and result.text is not None
    )
    return list(texts)
