r"""The difference of two texts as lines for a terminal.

Lines of A begin with ``-``, of B with ``+``; what differs in a line stands in
``[-…-]`` and ``{+…+}``.  Everything is made visible: a ``\r`` at the end of a
line is a sign, and a last line without a line feed says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reviewer.display import visible
from reviewer.reports._comparison_words import PRECISIONS
from store.records.comparisons import VersionComparison
from store.records.differences import Change, Precision, TextPiece
from store.records.text import Span, TextIndex

__all__ = ["counts", "text_lines"]

_CONTEXT = 2
_SHOWN = 10
_LONGEST = 40
_WIDEST = 400
_EDGE = 60
_MARKS = 20


def counts(found: VersionComparison) -> str:
    """Return how much of two texts differs, in one sentence."""
    removed = added = changed = 0
    for piece in found.text.pieces:
        if piece.change is Change.SAME:
            continue
        lines_a = _lines(found.text_a, piece.a)
        lines_b = _lines(found.text_b, piece.b)
        changed += min(lines_a, lines_b)
        removed += max(0, lines_a - lines_b)
        added += max(0, lines_b - lines_a)
    places = sum(piece.change is not Change.SAME for piece in found.text.pieces)
    told = [(changed, "changed"), (removed, "removed"), (added, "added")]
    parts = [f"{count} line{'' if count == 1 else 's'} {word}" for count, word in told if count]
    where = f"in {places} place{'' if places == 1 else 's'}"
    return f"{', '.join(parts)}, {where}" if parts else "the texts are the same"


def _lines(text: str, span: Span) -> int:
    ended = text.count("\n", span.start, span.end)
    return ended + (span.length > 0 and text[span.end - 1] != "\n")


def text_lines(found: VersionComparison, indent: str, *, everything: bool) -> Iterator[str]:
    """Yield the changed lines with a little around them; what is left out is counted."""
    shown = _Shown(found, indent, everything=everything)
    pieces = found.text.pieces
    changed = [number for number, piece in enumerate(pieces) if piece.change is not Change.SAME]
    limit = len(changed) if everything else _SHOWN
    for number in changed[:limit]:
        yield from shown.around(pieces, number)
    left = len(changed) - limit
    if left > 0:
        places = "place" if left == 1 else "places"
        yield f"{indent}… {left} more {places} of {len(changed)}; --all shows them"


class _Shown:
    """Writes lines with their numbers."""

    def __init__(self, found: VersionComparison, indent: str, *, everything: bool) -> None:
        self._a = TextIndex(found.text_a)
        self._b = TextIndex(found.text_b)
        self._indent = indent
        self._everything = everything
        widest = max(self._a.line_count, self._b.line_count, 1)
        self._digits = len(str(widest))
        self._told = 0

    def around(self, pieces: tuple[TextPiece, ...], number: int) -> Iterator[str]:
        """Yield one changed piece between the lines before and behind it."""
        piece = pieces[number]
        yield f"{self._indent}── {self._place(piece)}"
        if piece.precision is not Precision.WORDS:
            yield f"{self._indent}   ({PRECISIONS[piece.precision]})"
        if number:
            yield from self._context(pieces[number - 1], last=True)
        yield from self._side(piece, self._a, "-")
        yield from self._side(piece, self._b, "+")
        if number + 1 < len(pieces):
            yield from self._context(pieces[number + 1], last=False)

    def _place(self, piece: TextPiece) -> str:
        sides = []
        for name, index, span in (("A", self._a, piece.a), ("B", self._b, piece.b)):
            first = index.line_of(span.start)
            last = index.line_of(max(span.start, span.end - 1))
            if not span.length:
                sides.append(f"before line {first} of {name}")
            else:
                lines = f"line {first}" if first == last else f"lines {first}-{last}"
                sides.append(f"{lines} of {name} [{span.start}:{span.end}]")
        return " · ".join(sides)

    def _context(self, piece: TextPiece, *, last: bool) -> Iterator[str]:
        if piece.change is not Change.SAME:
            return
        first = self._b.line_of(piece.b.start)
        end = self._b.line_of(piece.b.end - 1) + 1
        chosen = range(max(first, end - _CONTEXT), end) if last else range(first, end)[:_CONTEXT]
        for line in chosen:
            if line <= self._told:
                continue  # it stands behind the change before
            self._told = line
            span = self._b.line_span(line)
            yield from self._line(" ", line, [(self._b.text[span.start : span.end], False)])

    def _side(self, piece: TextPiece, index: TextIndex, sign: str) -> Iterator[str]:
        span = piece.a if sign == "-" else piece.b
        if not span.length:
            return
        first = index.line_of(span.start)
        lines = list(_lines_in_parts(index.text, span, _marks(piece, sign)))
        limit = len(lines) if self._everything else _LONGEST
        for number, parts in enumerate(lines[:limit], first):
            yield from self._line(sign, number, parts)
        if len(lines) > limit:
            yield f"{self._indent}{sign} … {len(lines) - limit} more lines; --all shows them"

    def _line(self, sign: str, number: int, parts: _Parts) -> Iterator[str]:
        whole = "".join(part for part, _ in parts)
        if whole.endswith("\n") and not parts[-1][1]:
            parts = [*parts[:-1], (parts[-1][0][:-1], False)]
        if not self._everything and len(whole) > _WIDEST:
            parts = list(_shortened(parts))
        begin, end = _SIGNS.get(sign, ("", ""))
        shown = "".join(f"{begin}{part}{end}" if mark else part for part, mark in parts)
        no_end = "" if whole.endswith("\n") else "   (no line feed at the end)"
        shown = visible(shown.replace("\n", "\u240a"))
        yield f"{self._indent}{sign} {number:>{self._digits}} │ {shown}{no_end}"


_Parts = list[tuple[str, bool]]
"""A line in parts; each says whether it differs from the other side."""

_SIGNS = {"-": ("[-", "-]"), "+": ("{+", "+}")}


def _shortened(parts: _Parts) -> Iterator[tuple[str, bool]]:
    """Yield *parts* without the middle of what is long; how much is left out is told."""
    marks = 0
    for number, (part, mark) in enumerate(parts):
        marks += mark
        if marks > _MARKS:
            left = sum(len(rest) for rest, _ in parts[number:])
            differ = sum(rest for _, rest in parts[number:])
            yield (
                f" … {left} more characters with {differ} more differences; --all shows them",
                False,
            )
            return
        left = len(part) - 2 * _EDGE
        if left > _EDGE:
            yield f"{part[:_EDGE]} … {left} characters, --all shows them … {part[-_EDGE:]}", mark
        else:
            yield part, mark


def _marks(piece: TextPiece, sign: str) -> list[Span]:
    """Return the spans of one side in which the words differ."""
    differ = (word for word in piece.words if word.change is not Change.SAME)
    spans = (word.a if sign == "-" else word.b for word in differ)
    return [span for span in spans if span.length]


def _lines_in_parts(text: str, span: Span, marks: Iterable[Span]) -> Iterator[_Parts]:
    """Yield the lines of *span* in parts; a mark that goes over a line end is cut there."""
    waiting = sorted(marks)
    start = span.start
    at = 0
    while start < span.end:
        found = text.find("\n", start, span.end)
        stop = span.end if found < 0 else found + 1
        parts: _Parts = []
        place = start
        while at < len(waiting) and waiting[at].start < stop:
            mark = Span(max(waiting[at].start, start), min(waiting[at].end, stop))
            parts += [(text[place : mark.start], False), (text[mark.start : mark.end], True)]
            place = mark.end
            if waiting[at].end > stop:
                break
            at += 1
        parts.append((text[place:stop], False))
        yield [part for part in parts if part[0]]
        start = stop
