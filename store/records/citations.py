"""Places in an answer that point at a source: two kinds, two types."""

from __future__ import annotations

from dataclasses import dataclass

from store.records.text import Span, Unit

__all__ = ["AnswerCitation", "Citation", "SourceCitation"]


@dataclass(frozen=True, slots=True)
class SourceCitation:
    """Points at a span, block or page of a document.

    ``answer_span`` counts code points of the answer's text.  ``span`` counts
    in ``unit``; ``None`` where the record names no place.  ``version_id`` is
    ``None`` where the record names no version.
    """

    answer_span: Span | None
    source_id: str
    version_id: str | None = None
    span: Span | None = None
    unit: Unit = Unit.CHAR
    block_id: str | None = None
    quote: str | None = None
    fields: tuple[str, ...] | None = None
    label: str = ""
    malformed: str = ""
    """Why the recorded place is no place (a negative or reversed span); empty when it is one."""


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """Marks a span of the answer and names a whole source, or a whole block of it."""

    answer_span: Span | None
    source_id: str
    version_id: str | None = None
    block_id: str | None = None
    label: str = ""
    malformed: str = ""


Citation = SourceCitation | AnswerCitation
