"""Places in an answer that point at a source: two kinds, two types."""

from __future__ import annotations

from dataclasses import dataclass

from store.records.text import Span, Unit

__all__ = ["AnswerCitation", "Citation", "Offsets", "SourceCitation"]


@dataclass(frozen=True, slots=True)
class Offsets:
    """A place as a provider counts it, and which way of counting leads to the words it means.

    ``start`` and ``end`` are as recorded, in ``documented``: ``codepoint``,
    ``utf16``, ``utf8byte``, ``block``, ``page``, ``point`` (between two
    characters) or ``marker`` (a number in the text).  ``inclusive`` says that
    ``end`` is the last one inside.  ``fits`` are the units under which the
    place holds the words, the documented one first; ``drift`` is how far from
    ``start`` they stand, in documented units, and ``None`` where they stand
    nowhere or in several places.
    """

    start: int
    end: int
    documented: str
    fits: tuple[str, ...] = ()
    drift: int | None = None
    inclusive: bool = False


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
    unverifiable: str = ""
    """Why no record could prove what it says (encrypted, never on the wire); empty otherwise."""
    offsets: Offsets | None = None


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """Marks a span of the answer and names a whole source, or a whole block of it."""

    answer_span: Span | None
    source_id: str
    version_id: str | None = None
    block_id: str | None = None
    label: str = ""
    malformed: str = ""
    unverifiable: str = ""
    offsets: Offsets | None = None


Citation = SourceCitation | AnswerCitation
