"""Where a span of a version stands, in the units that other programs count in."""

from __future__ import annotations

from dataclasses import dataclass, field

from reviewer.audit.texts import Known, VersionText
from reviewer.reports._words import reference
from store.records.findings import Audit, CitationFacts, VersionFacts
from store.records.sources import Integrity, Selection, Version, VersionKey
from store.records.text import Span, TextIndex, Unit
from store.references import format_reference

__all__ = ["AROUND", "TextPlace", "VersionPlaces", "full_reference"]

AROUND = 32
"""Code points of a quotation's prefix and suffix."""

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A span of the whole text of one version.

    ``span`` counts code points.  Lines count from 1 and end at line feeds
    only; columns count UTF-16 code units from 1, behind a byte order mark
    where the line begins with one.  The end is the place behind the last
    character.  ``byte_span`` counts bytes of the version, ``None`` where its
    text was rebuilt and its exact bytes were never seen.
    """

    version: Version
    span: Span
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    byte_span: Span | None
    exact: str = field(repr=False)
    prefix: str = field(repr=False)
    suffix: str = field(repr=False)


def full_reference(facts: CitationFacts) -> str:
    """Return the cited place as `store.references` writes it, its hash whole."""
    block = facts.citation.block_id
    version = facts.version_id or ""
    ranges = () if facts.span is None else (facts.span,)
    place = Selection(facts.source_id, version, facts.unit, ranges)
    if block is not None:
        place = Selection(facts.source_id, version, Unit.BLOCK, blocks=(block,))
    try:
        return format_reference(place)
    except ValueError:  # no source is named, or a line 0: the record's own words are shown
        return reference(facts.source_id, version, facts.span, facts.unit, block)


class VersionPlaces:
    """The versions of one audit; each text is indexed once."""

    def __init__(self, audit: Audit) -> None:
        self._facts = {
            facts.version.key: facts for source in audit.sources for facts in source.versions
        }
        self._texts: dict[VersionKey, VersionText] = {}

    def facts(self, source_id: str | None, version_id: str | None) -> VersionFacts | None:
        """Return what is known of a version, ``None`` where the audit has none of that name."""
        if source_id is None or version_id is None:
            return None
        return self._facts.get(VersionKey(source_id, version_id))

    def cited(self, facts: CitationFacts) -> TextPlace | None:
        """Return where a citation points, ``None`` where no whole text holds that place."""
        known = self.facts(facts.source_id, facts.version_id)
        if known is None:
            return None
        text = self._text(known.version)
        if text.known is not Known.WHOLE or text.text is None:
            return None
        span = _span(text, facts)
        return None if span is None else _place(text.index, known.version, span)

    def _text(self, version: Version) -> VersionText:
        if version.key not in self._texts:
            self._texts[version.key] = VersionText(version)
        return self._texts[version.key]


def _span(text: VersionText, facts: CitationFacts) -> Span | None:
    """Return the cited span in code points, ``None`` where it is not wholly in the text."""
    whole = Span(0, len(text.text or ""))
    if facts.span is None:
        block = text.blocks.get(facts.citation.block_id or "")
        return block if block is not None and whole.covers(block) else None
    if facts.unit is Unit.CHAR:
        return facts.span if whole.covers(facts.span) else None
    # What lies outside the text is left out by `chars_of`; such a span has no place here.
    if facts.unit in {Unit.LINE, Unit.ROW}:
        first = 1 if facts.unit is Unit.LINE else 0
        if facts.span.start < first or facts.span.end > text.index.line_count + first:
            return None
    found = text.chars_of(facts.span, facts.unit)
    return Span(found[0].start, found[-1].end) if found else None


def _place(index: TextIndex, version: Version, span: Span) -> TextPlace:
    (first, left), (last, right) = _line(index, span.start), _line(index, span.end)
    stored = version.integrity is Integrity.INTACT
    return TextPlace(
        version=version,
        span=span,
        start_line=first,
        start_column=left,
        end_line=last,
        end_column=right,
        byte_span=Span(index.to_utf8(span.start), index.to_utf8(span.end)) if stored else None,
        exact=index.text[span.start : span.end],
        prefix=index.text[max(0, span.start - AROUND) : span.start],
        suffix=index.text[span.end : span.end + AROUND],
    )


def _line(index: TextIndex, position: int) -> tuple[int, int]:
    line = index.line_of(position)
    start = index.line_span(line, line).start
    if line == 1 and index.text.startswith(_MARK) and position > 0:
        start += 1
    return line, index.to_utf16(position) - index.to_utf16(start) + 1
