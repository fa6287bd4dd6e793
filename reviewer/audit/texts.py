"""The text of one version, and its units.

Inside the audit everything is searched in code points of one text, here
called *search text*.  For a stored version that is its text.  Of other
versions only pieces are known, and the search text joins them:

* by line: what numbered lines showed; spans of the version count lines;
* placed: excerpts with a place; spans count code points of the whole version;
* by block: excerpts with no place but a name; only blocks can be asked for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property

from reviewer.audit.exact import Record, canonical, exact
from reviewer.audit.intervals import union
from store.records.sources import Excerpt, Selection, Version
from store.records.text import Span, TextIndex, Unit

__all__ = ["CONTEXT", "PLAIN_RESULT", "Known", "Row", "VersionText"]

PLAIN_RESULT = "tool:"
"""Source ids of results that are no document of their own."""
CONTEXT = "context:"
"""Source ids of messages whose numbered entries an answer cites; they are no document either."""

Row = Mapping[str, object]


class Known(Enum):
    """What is known of a version's text."""

    NOTHING = auto()
    WHOLE = auto()
    LINES = auto()
    PLACED = auto()
    BLOCKS = auto()


class VersionText:
    """One version with what is asked of its text: ``None`` where none may be searched."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.is_plain_result = version.key.source_id.startswith((PLAIN_RESULT, CONTEXT))
        self.text: str | None = None
        self.known = Known.NOTHING
        self._places: tuple[_Piece, ...] = ()
        self.blocks: Mapping[str, Span] = {b.block_id: b.span for b in version.blocks}
        # text of changed bytes is only there where a hash proves it to be the right one
        if version.text is not None:
            self.text = version.text
            self.known = Known.LINES if version.unit is Unit.LINE else Known.WHOLE
        elif version.excerpts:
            self._take_excerpts(version.excerpts)

    def _take_excerpts(self, excerpts: Sequence[Excerpt]) -> None:
        placed = [(e.start, e.text) for e in excerpts if e.start is not None]
        loose = [e for e in excerpts if e.start is None and e.block_id is not None]
        if loose or not placed:
            named = [e for e in excerpts if e.block_id is not None]
            self.known = Known.BLOCKS if named else Known.NOTHING
            self.text = "\n".join(e.text for e in named) if named else None
            ends = list(_ends(e.text for e in named))
            self.blocks = {
                e.block_id or "": Span(end - len(e.text), end)
                for e, end in zip(named, ends, strict=True)
            }
            return
        self.known = Known.PLACED
        self._places = tuple(_joined(placed))
        self.text = "\n".join(piece.text for piece in self._places)
        self.blocks = {
            e.block_id: Span(e.start, e.start + len(e.text))
            for e in excerpts
            if e.block_id is not None and e.start is not None
        }

    # -- what there is -------------------------------------------------------------

    @property
    def unit(self) -> Unit:
        """What spans of the version count."""
        return {Known.LINES: Unit.LINE, Known.BLOCKS: Unit.BLOCK}.get(self.known, Unit.CHAR)

    @property
    def whole(self) -> Span | None:
        """All of the version in its unit, ``None`` when its length is unknown."""
        if self.known in (Known.LINES, Known.BLOCKS):
            return None
        if self.version.chars is not None:
            return Span(0, self.version.chars)
        return Span(0, len(self.text or "")) if self.known is Known.WHOLE else None

    @cached_property
    def pieces(self) -> tuple[Span, ...]:
        """What is known of the version, in its unit."""
        if self.known is Known.LINES:
            return union(Span(number, number + 1) for number in self.version.line_numbers)
        if self.known is Known.PLACED:
            return union(Span(p.start, p.start + len(p.text)) for p in self._places)
        if self.known is Known.BLOCKS:
            return union(self.blocks.values())
        return (self.whole,) if self.whole else ()

    @cached_property
    def index(self) -> TextIndex:
        """Offsets of the search text."""
        return TextIndex(self.text or "")

    @cached_property
    def rows(self) -> tuple[Row, ...] | None:
        """The records of a table, ``None`` when it is no table or a line is no record."""
        if self.version.table is None or self.text is None or self.known is not Known.WHOLE:
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

    @property
    def row_count(self) -> int | None:
        """How many rows a table has."""
        if self.version.table is None:
            return None
        return self.version.table.rows if self.text is None else len(self._body_lines)

    # -- into the search text ---------------------------------------------------------

    def chars(self, selection: Selection) -> tuple[Span, ...]:
        """Return what *selection* asks for as spans of the search text.

        Parts that do not exist or are not known are left out.  A selection
        that names nothing asks for everything.
        """
        if self.text is None:
            return ()
        if selection.unit is Unit.BLOCK:
            named = (self.blocks[name] for name in selection.blocks if name in self.blocks)
            return tuple(span for block in named for span in self.block_chars(block))
        if not selection.ranges:
            return (Span(0, len(self.text)),)
        return tuple(
            found for span in selection.ranges for found in self.chars_of(span, selection.unit)
        )

    def block_chars(self, block: Span) -> tuple[Span, ...]:
        """Return a span of `blocks` as spans of the search text."""
        return (block,) if self.known is Known.BLOCKS else self.chars_of(block, Unit.CHAR)

    def block(self, name: str) -> tuple[Span, ...]:
        """Return where block *name* stands, in the version's unit."""
        return self.in_unit(self.block_chars(self.blocks[name])) if name in self.blocks else ()

    def chars_of(self, span: Span, unit: Unit) -> tuple[Span, ...]:
        """Return *span* in *unit* as spans of the search text, as far as it is known."""
        if self.text is None or self.known is Known.BLOCKS:
            return ()
        if unit is Unit.CHAR:
            return tuple(self._from_chars(span))
        if unit is Unit.LINE:
            return self._lines(span)
        if unit is Unit.ROW:
            return self._lines(Span(span.start + 1, span.end + 1))
        pages = [b.span for b in self.version.blocks if b.page and span.start <= b.page < span.end]
        if not pages:
            return ()
        extent = Span(min(pages).start, max(page.end for page in pages))
        return tuple(self._from_chars(extent))

    def proving(self, span: Span, unit: Unit) -> tuple[Span, ...]:
        r"""Return what must be found of *span*: of lines all but the ``\n`` that ends the last."""
        found = self.chars_of(span, unit)
        last = found[-1] if found else Span(0, 0)
        ends = unit is Unit.LINE and (self.text or "").startswith("\n", max(last.end - 1, 0))
        if not ends or last.length <= 1:
            return found
        return (*found[:-1], Span(last.start, last.end - 1))

    def _from_chars(self, span: Span) -> Iterator[Span]:
        if self.known is Known.WHOLE:
            inside = span.meet(Span(0, len(self.text or "")))
            if inside:
                yield inside
        elif self.known is Known.PLACED:
            for piece in self._places:
                both = span.meet(Span(piece.start, piece.start + len(piece.text)))
                if both:
                    yield both.moved(piece.at - piece.start)

    def _lines(self, span: Span) -> tuple[Span, ...]:
        if self.known is Known.LINES:
            numbers = self.version.line_numbers
            first, end = bisect_left(numbers, span.start), bisect_left(numbers, span.end)
            if first == end:
                return ()
            return (Span(self._contents[first].start, self._contents[end - 1].end),)
        if self.known is not Known.WHOLE:
            return ()
        last = self.index.line_count + 1
        lines = Span(min(max(span.start, 1), last), min(max(span.end, 1), last))
        return (self.index.line_span(lines.start, lines.end),) if lines.length else ()

    @cached_property
    def _contents(self) -> tuple[Span, ...]:
        r"""The lines of a version known by line, without their ``\n``, which joins them."""
        text = self.text or ""
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        ends = [*(start - 1 for start in starts[1:]), len(text)]
        return tuple(map(Span, starts, ends))

    # -- out of the search text ---------------------------------------------------------

    def in_unit(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return *spans* of the search text in the version's unit; of lines only whole ones."""
        if self.known is Known.LINES:
            numbers = (number for span in spans for number in self._whole_lines(span))
            return union(Span(number, number + 1) for number in numbers)
        if self.known is Known.PLACED:
            return union(found for span in spans for found in self._to_chars(span))
        return tuple(spans)

    def _to_chars(self, span: Span) -> Iterator[Span]:
        for piece in self._places:
            both = span.meet(Span(piece.at, piece.at + len(piece.text)))
            if both:
                yield both.moved(piece.start - piece.at)

    def _whole_lines(self, span: Span) -> Sequence[int]:
        """Numbers of the lines whose characters, the line end aside, lie in *span*."""
        first = bisect_left(self._contents, span.start, key=lambda line: line.start)
        end = bisect_right(self._contents, span.end, key=lambda line: line.end)
        return self.version.line_numbers[first:end]

    def row_of(self, position: int) -> int:
        """Return the row, from 0, that holds code point *position* of a table's body."""
        return bisect_right(self._row_starts, position) - 1

    @cached_property
    def _row_starts(self) -> list[int]:
        return [self.index.line_span(n).start for n in range(1, self.index.line_count + 1)]


class _Piece:
    """A known stretch: ``start`` in the version, ``at`` in the search text."""

    __slots__ = ("at", "start", "text")

    def __init__(self, start: int, text: str, at: int) -> None:
        self.start = start
        self.text = text
        self.at = at


def _joined(placed: Iterable[tuple[int, str]]) -> Iterator[_Piece]:
    """Join excerpts that overlap or touch; where they contradict, the later one stands alone."""
    at = 0
    start, text = -1, ""
    for place, words in sorted(placed):
        overlap = start + len(text) - place
        if start >= 0 and overlap >= 0 and text[len(text) - overlap :].startswith(words[:overlap]):
            text += words[overlap:]
            continue
        if start >= 0:
            yield _Piece(start, text, at)
            at += len(text) + 1
        start, text = place, words
    if start >= 0:
        yield _Piece(start, text, at)


def _ends(texts: Iterable[str]) -> Iterator[int]:
    at = 0
    for text in texts:
        at += len(text)
        yield at
        at += 1
