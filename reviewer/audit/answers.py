"""An answer as stretches of text and the citations that end there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from store.records.findings import CitationFacts
from store.records.text import Span

__all__ = ["TextRun", "in_place", "pieces"]


@dataclass(frozen=True, slots=True)
class TextRun:
    """A stretch of the answer's text; ``citations`` are those that mark it."""

    span: Span
    citations: tuple[int, ...]


def in_place(facts: CitationFacts, length: int) -> bool:
    """Return whether a citation marks words of an answer of *length* code points."""
    span = facts.citation.answer_span
    return span is not None and span.end <= length


def pieces(placed: Iterable[CitationFacts], length: int) -> Iterator[TextRun | CitationFacts]:
    """Yield all of an answer in order, each citation where the words end that it marks."""
    starts: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[CitationFacts]] = defaultdict(list)
    for facts in placed:
        span = facts.citation.answer_span
        if span is not None:
            starts[span.start].append(facts.index)
            ends[span.end].append(facts)
    at = 0
    marking: dict[int, None] = {}
    for edge in sorted({0, length, *starts, *ends}):
        if edge > at:
            yield TextRun(Span(at, edge), tuple(marking))
            at = edge
        for index in starts.get(edge, ()):
            marking[index] = None
        yield from _ending(ends.get(edge, ()), marking)


def _ending(found: Sequence[CitationFacts], marking: dict[int, None]) -> Iterator[CitationFacts]:
    for facts in sorted(found, key=lambda one: one.index):
        marking.pop(facts.index, None)
        yield facts
