"""What of a version was delivered and cited, as pieces of one line from its start to its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewer.audit.intervals import subtract, union
from reviewer.audit.texts import VersionText
from store.records.findings import Audit, CitationFacts, VersionFacts
from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = ["Piece", "Strip", "cited_text", "facts_of", "place_of", "strip", "strip_of"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a version in its unit: ``delivered``, ``preview`` or ``gap``."""

    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Strip:
    """One version from end to end.

    ``extent`` is what the strip shows, in ``unit``; ``open_ended`` where the
    length of the version is not known and the strip ends with what is.
    ``cited`` are the cited spans with the index of their citation.
    """

    unit: Unit
    extent: Span
    open_ended: bool
    pieces: tuple[Piece, ...]
    cited: tuple[tuple[Span, int], ...]

    def at(self, position: int) -> Piece | None:
        """Return the piece that holds *position*."""
        held = (p for p in self.pieces if p.span.start <= position < p.span.end)
        return next(held, None)


def facts_of(audit: Audit, key: VersionKey) -> VersionFacts | None:
    """Return what is known of a version, ``None`` where the run has no such version."""
    found = (s for s in audit.sources if s.source_id == key.source_id)
    return next((v for s in found for v in s.versions if v.version.key == key), None)


def strip(audit: Audit, key: VersionKey) -> Strip | None:
    """Return the strip of a version; ``None`` where there is nothing that has a place."""
    facts = facts_of(audit, key)
    if facts is None:
        return None
    citing = (c for c in audit.citations if VersionKey(c.source_id, c.version_id or "") == key)
    return strip_of(facts, citing)


def strip_of(facts: VersionFacts, citing: Iterable[CitationFacts]) -> Strip | None:
    """Return the strip of a version that *citing* cite; see `strip`."""
    if facts.unit is Unit.BLOCK:
        return None
    cited = tuple(_cited(facts, citing))
    extent = _extent(facts, (span for span, _ in cited))
    if extent is None:
        return None
    return Strip(
        unit=facts.unit,
        extent=extent,
        open_ended=not facts.length_known,
        pieces=tuple(_pieces(facts, extent)),
        cited=cited,
    )


def _extent(facts: VersionFacts, cited: Iterable[Span]) -> Span | None:
    if facts.length_known:
        end = max((span.end for span in (*facts.delivered, *facts.gaps)), default=0)
        return Span(0, end) if end else None
    known = [*facts.delivered, *facts.previewed, *cited]
    known += [Span(number, number + 1) for number in facts.version.line_numbers[-1:]]
    first = 1 if facts.unit is Unit.LINE else 0
    last = max((span.end for span in known), default=first)
    return Span(first, last) if last > first else None


def _pieces(facts: VersionFacts, extent: Span) -> Iterator[Piece]:
    delivered = union(facts.delivered)
    previews = subtract(facts.previewed, delivered)
    gaps = subtract([extent], [*delivered, *previews]) if facts.length_known else ()
    found = [
        *(Piece("delivered", span) for span in delivered),
        *(Piece("preview", span) for span in previews),
        *(Piece("gap", span) for span in gaps),
    ]
    yield from sorted(found, key=lambda piece: piece.span)


def _cited(facts: VersionFacts, citing: Iterable[CitationFacts]) -> Iterator[tuple[Span, int]]:
    text: VersionText | None = None
    for citation in citing:
        text = text or VersionText(facts.version)
        span = place_of(citation, text)
        if span is not None:
            yield span, citation.index


def place_of(facts: CitationFacts, text: VersionText) -> Span | None:
    """Return the cited span in the unit of its version, ``None`` where it has no place there.

    Rows, lines and pages of a stored text are led to its characters.
    """
    block = facts.citation.block_id
    if block is not None:
        held = union(text.block(block))
    elif facts.span is None or facts.unit is text.unit:
        return facts.span
    else:
        held = union(text.in_unit(text.chars_of(facts.span, facts.unit)))
    return Span(held[0].start, held[-1].end) if held else None


def cited_text(facts: CitationFacts, text: VersionText) -> Span | None:
    """Return where the cited words stand in ``text.text``, ``None`` where that is not known."""
    place = place_of(facts, text)
    if text.text is None or place is None:
        return None
    found = text.block_chars(place) if facts.unit is Unit.BLOCK else text.chars_of(place, text.unit)
    return Span(found[0].start, found[-1].end) if found else None
