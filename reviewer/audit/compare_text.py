"""Two texts: first which lines are the same, then which words of the lines that are not.

The pieces partition both texts, so that each can be put together again from
them.  The work is bounded; where the search was given up, the piece says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

from reviewer.audit.compare_sequence import Block, ComparisonStopped, blocks
from reviewer.audit.compare_words import CUT, ink, lines_of, words_of
from store.records.differences import Change, Precision, TextComparison, TextPiece
from store.records.text import Span

__all__ = ["ComparisonStopped", "compare_text", "longest"]

_ALIKE = 20
"""Of a hundred code points so many must be the same, or lines count as replaced by others."""
_STEP = 20_000
_NEAR = 1000
"""So far back is a cut between words looked for; without one the words are cut from the start."""
_FILLING = 2
"""Between two changes so few code points without a letter or a number are no island."""


def compare_text(
    a: str, b: str, *, words: bool = True, stopped: Callable[[], bool] = lambda: False
) -> TextComparison:
    """Return how *b* differs from *a*; without *words* by line only.

    Raises `ComparisonStopped` soon after *stopped* says so.
    """
    if a == b:
        whole = Span(0, len(a))
        return TextComparison((TextPiece(Change.SAME, whole, whole),) if a else ())
    lines_a, lines_b = lines_of(a), lines_of(b)
    found = blocks(*_numbered(lines_a, lines_b), stopped)
    starts_a, starts_b = _starts(lines_a), _starts(lines_b)
    pieces: list[TextPiece] = []
    for block in found:
        piece = _piece(block, starts_a, starts_b)
        if words and piece.change is Change.CHANGED and not block.bounded:
            piece = _with_words(piece, a, b, stopped)
        pieces.append(piece)
    return TextComparison(tuple(pieces))


def _numbered(a: Sequence[str], b: Sequence[str]) -> tuple[list[int], list[int]]:
    names: dict[str, int] = {}
    return (
        [names.setdefault(item, len(names)) for item in a],
        [names.setdefault(item, len(names)) for item in b],
    )


def _starts(items: Sequence[str]) -> list[int]:
    """Return where each item starts, and the end; in steps: other threads want their turn."""
    found = [0]
    for start in range(0, len(items), _STEP):
        sizes = map(len, items[start : start + _STEP])
        found += islice(accumulate(sizes, initial=found[-1]), 1, None)
    return found


def _piece(block: Block, starts_a: Sequence[int], starts_b: Sequence[int]) -> TextPiece:
    span_a = Span(starts_a[block.a], starts_a[block.a_end])
    span_b = Span(starts_b[block.b], starts_b[block.b_end])
    precision = Precision.BOUNDED if block.bounded else Precision.WORDS
    return TextPiece(_change(span_a, span_b, same=block.same), span_a, span_b, (), precision)


def _change(a: Span, b: Span, *, same: bool) -> Change:
    if same:
        return Change.SAME
    if not b.length:
        return Change.REMOVED
    return Change.CHANGED if a.length else Change.ADDED


def _with_words(piece: TextPiece, a: str, b: str, stopped: Callable[[], bool]) -> TextPiece:
    left, right = a[piece.a.start : piece.a.end], b[piece.b.start : piece.b.end]
    head, tail = _shared_ends(left, right)
    found = list(_words(left, right, head, tail, stopped))
    bounded = any(word.precision is Precision.BOUNDED for word in found)
    if bounded:
        return TextPiece(piece.change, piece.a, piece.b, (), Precision.BOUNDED)
    same = ink(left[w.a.start : w.a.end] for w in found if w.change is Change.SAME)
    if 200 * same < _ALIKE * (_ink_of(left) + _ink_of(right)):
        return TextPiece(piece.change, piece.a, piece.b, (), Precision.UNLIKE)
    moved = (TextPiece(w.change, w.a.moved(piece.a.start), w.b.moved(piece.b.start)) for w in found)
    return TextPiece(piece.change, piece.a, piece.b, tuple(moved))


def _ink_of(text: str) -> int:
    starts = range(0, len(text), _NEAR)
    return sum(len("".join(text[start : start + _NEAR].split())) for start in starts)


def _shared_ends(a: str, b: str) -> tuple[int, int]:
    """Return how much is equal at both ends, up to places where no word can begin before.

    A line may be as long as a text; its words need not be cut where nothing differs.
    """
    most = min(len(a), len(b))
    head = longest(most, lambda size: a[:size] == b[:size])
    head = _last_cut(a, head)
    most -= head
    tail = longest(most, lambda size: not size or a[-size:] == b[-size:])
    cut = CUT.search(a, len(a) - tail)
    return head, len(a) - cut.end() if cut else 0


def _last_cut(text: str, before: int) -> int:
    """Return the last place up to *before* at which a word ends for sure."""
    start = max(0, before - _NEAR)
    return max((cut.end() for cut in CUT.finditer(text, start, before)), default=0)


def longest(most: int, holds: Callable[[int], bool]) -> int:
    """Return the greatest size up to *most* that holds, where smaller ones hold as well."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _words(
    a: str, b: str, head: int, tail: int, stopped: Callable[[], bool]
) -> Iterator[TextPiece]:
    words_a, words_b = words_of(a[head : len(a) - tail]), words_of(b[head : len(b) - tail])
    found = blocks(*_numbered(words_a, words_b), stopped)
    starts_a = [head + start for start in _starts(words_a)]
    starts_b = [head + start for start in _starts(words_b)]
    ends = [TextPiece(Change.SAME, Span(0, head), Span(0, head))] if head else []
    ends += [_piece(block, starts_a, starts_b) for block in found]
    if tail:
        span = Span(len(a) - tail, len(a))
        ends.append(TextPiece(Change.SAME, span, Span(len(b) - tail, len(b))))
    yield from _joined(_without_islands(ends, a))


def _without_islands(pieces: Sequence[TextPiece], a: str) -> Iterator[TextPiece]:
    """Yield *pieces*; a space or comma alone between two changes is part of them."""
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        words = a[piece.a.start : piece.a.end]
        island = (
            piece.change is Change.SAME
            and 0 < number < last
            and Change.SAME not in (pieces[number - 1].change, pieces[number + 1].change)
            and len(words) <= _FILLING
            and "\n" not in words
            and not any(map(str.isalnum, words))
        )
        yield TextPiece(Change.CHANGED, piece.a, piece.b) if island else piece


def _joined(pieces: Iterator[TextPiece]) -> Iterator[TextPiece]:
    held: TextPiece | None = None
    for piece in pieces:
        if held is None:
            held = piece
            continue
        same = held.change is Change.SAME
        if same is not (piece.change is Change.SAME):
            yield held
            held = piece
            continue
        a, b = Span(held.a.start, piece.a.end), Span(held.b.start, piece.b.end)
        bounded = Precision.BOUNDED in (held.precision, piece.precision)
        precision = Precision.BOUNDED if bounded else Precision.WORDS
        held = TextPiece(_change(a, b, same=same), a, b, (), precision)
    if held is not None:
        yield held
