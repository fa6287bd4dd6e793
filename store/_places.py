"""From a selection to the exact pieces of a version's text, in each unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from store._rows import RowError, chosen_fields, row_spans
from store.records.sources import Block, Selection, SourceKind, Version
from store.records.text import OutsideTextError, Span, TextIndex, Unit

__all__ = ["Piece", "PlaceError", "pieces_of"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a version: where it stands, in the version's unit, and its exact text.

    The text is what stands at ``span``, except where fields were chosen: then
    it is the record at ``span`` with only those.  ``span`` is ``None`` for a
    named block of which the record gives no place.
    """

    span: Span | None
    text: str = field(repr=False)


class PlaceError(ValueError):
    """The version has no such place; ``reason`` is one of the fixed words of a refusal."""

    def __init__(self, reason: str, what: str) -> None:
        super().__init__(what)
        self.reason = reason


def pieces_of(version: Version, text: str, selection: Selection) -> tuple[Piece, ...]:
    """Return the pieces of *text* that *selection* names, in its order.

    *text* is the text of *version*, already checked.  A selection without
    ranges is everything.  Raises `PlaceError`.
    """
    if version.unit is Unit.LINE:
        return _known_lines(version, text, selection)
    return tuple(_WAYS[selection.unit](version, text, selection))


def _chars(version: Version, text: str, selection: Selection) -> Iterator[Piece]:
    # Bounds are the recorded length; a text that is longer is not what was recorded.
    length = len(text) if version.chars is None else min(version.chars, len(text))
    for span in selection.ranges or (Span(0, len(text)),):
        if selection.ranges and span.end > length:
            raise PlaceError(
                "outside the version", f"[{span.start}:{span.end}] of {length} characters"
            )
        yield _piece(text, span)


def _lines(_: Version, text: str, selection: Selection) -> Iterator[Piece]:
    index = TextIndex(text)
    for span in selection.ranges or (Span(1, index.line_count + 1),):
        try:
            yield _piece(text, index.line_span(span.start, span.end))
        except OutsideTextError:
            raise PlaceError(
                "no such line", f"{span.start}-{span.end - 1} of {index.line_count} lines"
            ) from None


def _rows(version: Version, text: str, selection: Selection) -> Iterator[Piece]:
    if version.table is None and version.kind is not SourceKind.TABLE:
        raise PlaceError("no such row", "it is no table")
    rows = row_spans(text)
    if version.table is not None and version.table.rows:
        rows = rows[: version.table.rows]
    for span in selection.ranges or (Span(0, len(rows)),):
        if span.end > len(rows):
            raise PlaceError("no such row", f"{span.start}:{span.end} of {len(rows)} rows")
        for number in range(span.start, span.end):
            place = rows[number]
            yield Piece(place, _row(text[place.start : place.end], number, selection.fields))


def _row(line: str, number: int, fields: tuple[str, ...] | None) -> str:
    if not line.strip():
        raise PlaceError("no such row", f"line {number + 1} of the table is empty")
    if fields is None:
        return line
    try:
        chosen = chosen_fields(line, fields)
    except RowError as error:
        raise PlaceError("no such field", f"row {number}: {error}") from error
    return chosen + "\n" * line.endswith("\n")


def _blocks(version: Version, text: str, selection: Selection) -> Iterator[Piece]:
    wanted = set(selection.blocks)
    found: dict[str, list[Block]] = {}
    for block in version.blocks:
        if block.block_id in wanted or not wanted:
            found.setdefault(block.block_id, []).append(block)
    for name in selection.blocks or found:
        places = found.get(name, [])
        if not places:
            raise PlaceError("no such block", repr(name))
        if len({block.span for block in places}) > 1:
            raise PlaceError("ambiguous block", f"{name!r} stands at {len(places)} places")
        yield _block(text, places[0])


def _pages(version: Version, text: str, selection: Selection) -> Iterator[Piece]:
    numbers = {block.page for block in version.blocks if block.page is not None}
    if not numbers:
        raise PlaceError("no such page", "it has no page numbers")
    for span in selection.ranges or (Span(min(numbers), max(numbers) + 1),):
        if selection.ranges and not all(page in numbers for page in range(span.start, span.end)):
            raise PlaceError("no such page", f"{span.start}-{span.end - 1}")
        yield from _page_pieces(version, text, span)


def _page_pieces(version: Version, text: str, pages: Span) -> Iterator[Piece]:
    """Yield the text from the first to the last block of *pages*, with what stands between.

    Where blocks of other pages stand between, the blocks come one by one.
    """
    paged = [block for block in version.blocks if block.page is not None]
    its = [block for block in paged if pages.start <= (block.page or 0) < pages.end]
    if not its:
        return
    span = Span(min(block.span.start for block in its), max(block.span.end for block in its))
    if any(block.span.overlaps(span) for block in paged if block not in its):
        yield from (_block(text, block) for block in its)
    else:
        yield _block(text, replace(its[0], span=span))


_WAYS: dict[Unit, Callable[[Version, str, Selection], Iterator[Piece]]] = {
    Unit.CHAR: _chars,
    Unit.LINE: _lines,
    Unit.ROW: _rows,
    Unit.BLOCK: _blocks,
    Unit.PAGE: _pages,
}


def _known_lines(version: Version, text: str, selection: Selection) -> tuple[Piece, ...]:
    """Pick lines of a version of which only some are known."""
    index = TextIndex(text)
    known = {number: place for place, number in enumerate(version.line_numbers, 1)}
    if not selection.ranges and selection.unit in {Unit.CHAR, Unit.LINE}:
        spans = _runs(version.line_numbers)
    elif selection.unit is Unit.LINE:
        spans = list(selection.ranges)
    else:
        raise PlaceError(
            "text not stored", f"only lines of it are known, and no {selection.unit} positions"
        )
    pieces: list[Piece] = []
    for span in spans:
        lines: list[str] = []
        for number in range(span.start, span.end):
            if number not in known:
                raise PlaceError("no such line", f"line {number} is not among those known")
            place = index.line_span(known[number])
            lines.append(text[place.start : place.end])
        pieces.append(Piece(span, "".join(lines)))
    return tuple(pieces)


def _runs(numbers: tuple[int, ...]) -> list[Span]:
    """Return ascending *numbers* as spans of neighbours."""
    spans: list[Span] = []
    for number in numbers:
        if spans and spans[-1].end == number:
            spans[-1] = Span(spans[-1].start, number + 1)
        else:
            spans.append(Span(number, number + 1))
    return spans


def _block(text: str, block: Block) -> Piece:
    if block.span.end > len(text):
        raise PlaceError(
            "outside the version",
            f"block {block.block_id!r} [{block.span.start}:{block.span.end}] "
            f"of {len(text)} characters",
        )
    return _piece(text, block.span)


def _piece(text: str, span: Span) -> Piece:
    return Piece(span, text[span.start : span.end])
