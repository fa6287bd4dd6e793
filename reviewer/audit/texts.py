"""The text of one version, and its units.

Inside the audit everything is searched in code points of the stored text;
what is reported counts in the version's own unit: lines for a version of
which only pieces are known, code points otherwise.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from reviewer.audit.exact import Record, canonical, exact
from reviewer.audit.intervals import union
from store.records.sources import Integrity, Selection, Version
from store.records.text import OutsideTextError, Span, TextIndex, Unit

__all__ = ["PLAIN_RESULT", "Row", "VersionText"]

PLAIN_RESULT = "tool:"
"""Source ids of results that are no document of their own (MODEL.md, "Source ids")."""

Row = Mapping[str, object]


class VersionText:
    """One version with what is asked of its text: ``None`` where none may be searched."""

    def __init__(self, version: Version) -> None:
        self.version = version
        searchable = version.integrity not in (Integrity.CHANGED, Integrity.MISSING)
        self.text: str | None = version.text if searchable else None
        self.by_line = version.unit is Unit.LINE
        self.is_plain_result = version.key.source_id.startswith(PLAIN_RESULT)

    @cached_property
    def index(self) -> TextIndex:
        """Offsets of the stored text."""
        return TextIndex(self.text or "")

    @cached_property
    def rows(self) -> tuple[Row, ...] | None:
        """The records of a table, ``None`` when it is no table or a line is no record."""
        if self.version.table is None or self.text is None:
            return None
        try:
            rows = tuple(json.loads(line) for line in self._body_lines)
        except (ValueError, RecursionError):
            return None
        return rows if self.records is not None else None

    @cached_property
    def records(self) -> tuple[Record, ...] | None:
        """The rows for comparison; a line that names a key twice is no record."""
        try:
            records = [exact(line) for line in self._body_lines]
        except (ValueError, RecursionError):
            return None
        kept = tuple(record for record in records if isinstance(record, dict))
        return kept if len(kept) == len(records) else None

    @cached_property
    def row_places(self) -> Mapping[str, Sequence[int]]:
        """The rows of each key, or of each whole record where the table has no key.

        Keys are in canonical form; rows without the key are left out.
        """
        key = self.version.table.key if self.version.table else None
        places: dict[str, list[int]] = {}
        for number, record in enumerate(self.records or ()):
            if not key or key in record:
                places.setdefault(canonical(record[key] if key else record), []).append(number)
        return places

    @cached_property
    def shapes(self) -> frozenset[frozenset[str]]:
        """The sets of fields that rows of the table have."""
        return frozenset(frozenset(record) for record in self.records or ())

    @cached_property
    def _body_lines(self) -> list[str]:
        lines = (self.text or "").split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def blocks(self) -> Mapping[str, Span]:
        """Where each block stands."""
        return {block.block_id: block.span for block in self.version.blocks}

    @property
    def whole(self) -> Span | None:
        """All of the version in its unit, ``None`` when its length is unknown."""
        if self.by_line:
            return None
        if self.version.chars is not None:
            return Span(0, self.version.chars)
        return Span(0, len(self.text)) if self.text is not None else None

    @property
    def row_count(self) -> int | None:
        """How many rows a table has."""
        if self.version.table is None:
            return None
        return self.version.table.rows if self.text is None else len(self._body_lines)

    def chars(self, selection: Selection) -> tuple[Span, ...] | None:
        """Return what *selection* asks for as code points of the stored text.

        Parts that do not exist are left out; ``None`` when the unit cannot be
        led back to the text.  An empty selection asks for everything.
        """
        if self.text is None:
            return None
        if selection.unit is Unit.BLOCK:
            return tuple(self.blocks[name] for name in selection.blocks if name in self.blocks)
        if not selection.ranges:
            return (Span(0, len(self.text)),)
        spans = (self.chars_of(span, selection.unit) for span in selection.ranges)
        return tuple(span for span in spans if span is not None)

    def chars_of(self, span: Span, unit: Unit) -> Span | None:
        """Return *span* in *unit* as code points of the stored text, as far as it exists."""
        if self.text is None:
            return None
        if unit is Unit.CHAR:
            return None if self.by_line else span.meet(Span(0, len(self.text)))
        if unit is Unit.LINE:
            return self._lines(span)
        if unit is Unit.ROW:
            return self._lines(Span(span.start + 1, span.end + 1))
        pages = [b.span for b in self.version.blocks if b.page and span.start <= b.page < span.end]
        return Span(min(pages).start, max(p.end for p in pages)) if pages else None

    def _lines(self, span: Span) -> Span | None:
        if self.by_line:
            numbers = self.version.line_numbers
            first, end = bisect_left(numbers, span.start), bisect_left(numbers, span.end)
            lines = Span(first + 1, end + 1)
        else:
            last = self.index.line_count + 1
            lines = Span(min(max(span.start, 1), last), min(max(span.end, 1), last))
        if lines.start == lines.end:
            return None
        try:
            return self.index.line_span(lines.start, lines.end)
        except OutsideTextError:
            return None

    def in_unit(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return code points *spans* in the version's unit; of lines only whole ones count."""
        if not self.by_line:
            return tuple(spans)
        numbers: list[int] = []
        for span in spans:
            numbers += self._whole_lines(span)
        return union(Span(number, number + 1) for number in numbers)

    def _whole_lines(self, span: Span) -> Sequence[int]:
        """Numbers of the lines whose characters, the line end aside, lie in *span*."""
        text = self.text or ""
        first = self.index.line_of(span.start)
        if self.index.line_span(first).start < span.start:
            first += 1
        last = min(self.index.line_of(span.end), len(self.version.line_numbers))
        if last >= 1:
            stop = self.index.line_span(last).end if last <= self.index.line_count else len(text)
            if text[stop - 1 : stop] == "\n":
                stop -= 1
            if span.end < stop or self.index.line_span(last).start >= span.end:
                last -= 1
        return self.version.line_numbers[first - 1 : last]

    def row_of(self, position: int) -> int:
        """Return the row, from 0, that holds code point *position* of a table's body."""
        return bisect_right(self._row_starts, position) - 1

    @cached_property
    def _row_starts(self) -> list[int]:
        return [self.index.line_span(n).start for n in range(1, self.index.line_count + 1)]
