"""Two texts: first which lines are the same, then which words of the lines that are not.

The pieces partition both texts, so that each can be put together again from
them.  The work is bounded; where the search was given up, the piece says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from reviewer.audit.compare_landmarks import SHORT, stretches
from reviewer.audit.compare_sequence import Block, ComparisonStopped, blocks
from reviewer.audit.compare_words import first_cut, ink, last_cut, lines_of, words_of
from store.records.differences import Change, Precision, TextComparison, TextPiece
from store.records.text import Span

__all__ = ["ComparisonStopped", "compare_text", "longest"]

_ALIKE = 20
"""Of a hundred code points so many must be the same, or lines count as replaced by others."""
_STEP = 20_000
_AT_ONCE = 1000
"""Code points whose white space is taken out at once."""
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
    if len(left) + len(right) <= SHORT and _certainly_unlike(words_of(left), words_of(right)):
        return TextPiece(piece.change, piece.a, piece.b, (), Precision.UNLIKE)
    found = list(_joined(_without_islands(list(_words(left, right, stopped)), left)))
    bounded = any(word.precision is Precision.BOUNDED for word in found)
    same = ink(left[w.a.start : w.a.end] for w in found if w.change is Change.SAME)
    if 200 * same < _ALIKE * (_ink_of(left) + _ink_of(right)):
        precision = Precision.BOUNDED if bounded else Precision.UNLIKE
        return TextPiece(piece.change, piece.a, piece.b, (), precision)
    moved = tuple(_moved(word, piece.a.start, piece.b.start) for word in found)
    precision = Precision.COARSE if bounded else Precision.WORDS
    return TextPiece(piece.change, piece.a, piece.b, moved, precision)


def _certainly_unlike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the words are too few in common whatever their order."""
    common = Counter(a) & Counter(b)
    same = sum(count * ink([word]) for word, count in common.items())
    return 200 * same < _ALIKE * (ink(a) + ink(b))


def _moved(piece: TextPiece, by_a: int, by_b: int) -> TextPiece:
    return replace(piece, a=piece.a.moved(by_a), b=piece.b.moved(by_b))


def _ink_of(text: str) -> int:
    starts = range(0, len(text), _AT_ONCE)
    return sum(len("".join(text[start : start + _AT_ONCE].split())) for start in starts)


def _shared_ends(a: str, b: str) -> tuple[int, int]:
    """Return how much is equal at both ends, up to places where no word can begin before.

    A line may be as long as a text; its words need not be cut where nothing differs.
    """
    most = min(len(a), len(b))
    head = longest(most, lambda size: a[:size] == b[:size])
    head = last_cut(a, 0, head)
    most -= head
    tail = longest(most, lambda size: not size or a[-size:] == b[-size:])
    return head, len(a) - first_cut(a, len(a) - tail, len(a))


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


def _words(a: str, b: str, stopped: Callable[[], bool]) -> Iterator[TextPiece]:
    """Yield what is the same of two texts, and what is not, word by word where it is short."""
    head, tail = _shared_ends(a, b)
    a_end, b_end = len(a) - tail, len(b) - tail
    if head:
        yield TextPiece(Change.SAME, Span(0, head), Span(0, head))
    for stretch in stretches(a[head:a_end], b[head:b_end], stopped):
        span_a, span_b = stretch.a.moved(head), stretch.b.moved(head)
        if stretch.same:
            yield TextPiece(Change.SAME, span_a, span_b)
        elif stretch.is_long:
            change = _change(span_a, span_b, same=False)
            yield TextPiece(change, span_a, span_b, (), Precision.BOUNDED)
        else:
            left, right = a[span_a.start : span_a.end], b[span_b.start : span_b.end]
            for word in _words_of_short(left, right, stopped):
                yield _moved(word, span_a.start, span_b.start)
    if tail:
        yield TextPiece(Change.SAME, Span(a_end, len(a)), Span(b_end, len(b)))


def _words_of_short(a: str, b: str, stopped: Callable[[], bool]) -> Iterator[TextPiece]:
    words_a, words_b = words_of(a), words_of(b)
    starts_a, starts_b = _starts(words_a), _starts(words_b)
    for block in blocks(*_numbered(words_a, words_b), stopped):
        yield _piece(block, starts_a, starts_b)


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
        yield replace(piece, change=Change.CHANGED) if island else piece


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
