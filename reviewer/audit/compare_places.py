"""What became of a place of one version in another: an outcome, never a boolean.

Only equality counts: the same text at the same place, or at one place that
its exact text, with the exact text around it where it is needed, tells from
all others in both versions.  Similar passages are offered and never taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice

from reviewer.audit.compare_content import compare_content, text_doubt
from reviewer.audit.compare_sequence import ComparisonStopped
from reviewer.audit.compare_similar import Similar, share_of
from reviewer.audit.compare_text import compare_text, longest
from reviewer.audit.texts import Known, VersionText
from store.records.differences import (
    Change,
    Doubt,
    Fate,
    Fated,
    Proof,
    Side,
    Suggestion,
    TextComparison,
    TextPiece,
    Why,
)
from store.records.sources import Integrity, Version
from store.records.text import Span, Unit

__all__ = ["Places"]

_ENOUGH = 12
"""A shorter text is told from others only by the text around it."""
_AROUND = 8
"""So much of the text around must be equal to tell one from others like it, white space aside."""
_REACH = 4096
"""Code points on each side that are looked at for that."""
_MOST = 50
"""A text that stands in more places is not told from others."""
_MANY = 20
"""Places that are handed back of an ambiguous text."""


class Places:
    """The places of version *a* in version *b*."""

    def __init__(self, a: Version, b: Version, stopped: Callable[[], bool] = lambda: False) -> None:
        self.content = compare_content(a, b)
        self._a = VersionText(a)
        self._b = VersionText(b)
        self._stopped = stopped

    @cached_property
    def difference(self) -> TextComparison:
        """How the known text of B differs from that of A, in code points of both."""
        return compare_text(self._a.text or "", self._b.text or "", stopped=self._stopped)

    def fate(self, span: Span | None, unit: Unit, block_id: str | None = None) -> Fated:
        """Return what became of *span*, or of a block, of version A.

        Without both it is the whole version.
        """
        a, b = self._a.version, self._b.version
        blank = Fated(Fate.UNKNOWN, a.key, b.key, a=span, unit=unit, b_unit=self._b.unit)
        if self.content.same:
            return replace(
                blank, fate=Fate.UNCHANGED, b=span, b_unit=unit, proof=self.content.proof
            )
        doubt = text_doubt(a, Side.A) or text_doubt(b, Side.B)
        if doubt is not None:
            return replace(blank, doubt=doubt)
        if span is None and block_id is None:
            return self._whole(blank)
        found = self._in_a(span, unit, block_id)
        if found is None or not found.length:
            return replace(blank, doubt=Doubt(Side.A, Why.NO_PLACE, a.key.source_id))
        return self._of_text(blank, found, self._in_b(span, unit, block_id))

    def _whole(self, blank: Fated) -> Fated:
        if self.content.same is None:
            return replace(blank, doubt=self.content.doubt)
        return replace(blank, fate=Fate.CHANGED)

    def _in_a(self, span: Span | None, unit: Unit, block_id: str | None) -> Span | None:
        return _single(self._a, span, unit, block_id)

    def _in_b(self, span: Span | None, unit: Unit, block_id: str | None) -> Span | None:
        return _single(self._b, span, unit, block_id)

    # -- exact text ------------------------------------------------------------------

    def _of_text(self, blank: Fated, place: Span, same_place: Span | None) -> Fated:
        old, new = self._a.text or "", self._b.text or ""
        words = old[place.start : place.end]
        if (
            same_place is not None
            and new[same_place.start : same_place.end] == words
            and (_tells(words) or self._is_same_line(place, same_place))
        ):
            return self._found(blank, Fate.UNCHANGED, same_place)
        found = list(islice(self._b_places(words), _MOST))
        if self._b.known is not Known.WHOLE:
            return self._in_parts(blank, found)
        if len(found) == 1 and _tells(words) and _count(old, words) == 1:
            return self._found(blank, Fate.MOVED, found[0])
        if found:
            by_context = self._by_context(place, found)
            if len(by_context) == 1:
                at, context = next(iter(by_context.items()))
                fate = Fate.UNCHANGED if at == same_place else Fate.MOVED
                return self._found(replace(blank, context=context), fate, at)
            if by_context or _tells(words):
                return replace(blank, fate=Fate.AMBIGUOUS, places=self._many(by_context or found))
        return self._replaced(blank, place, words)

    def _found(self, blank: Fated, fate: Fate, place: Span) -> Fated:
        span, unit = self._named(place, blank.unit)
        return replace(blank, fate=fate, b=span, b_unit=unit, proof=self._proof)

    def _named(self, place: Span, unit: Unit) -> tuple[Span | None, Unit]:
        """Return a span of B's search text in *unit*, where it is whole lines or rows."""
        text, index = self._b.text or "", self._b.index
        counted = self._b.known is Known.WHOLE and unit in (Unit.LINE, Unit.ROW)
        around = _lines_around(text, place)
        whole = text[around.start : around.end].rstrip("\n") == text[
            place.start : place.end
        ].rstrip("\n")
        if not counted or not whole:
            return self._out(place), self._b.unit
        lines = Span(index.line_of(place.start), index.line_of(place.end - 1) + 1)
        return (lines.moved(-1) if unit is Unit.ROW else lines), unit

    @property
    def _proof(self) -> Proof:
        whole = (self._a, self._b)
        exact = all(
            one.version.integrity is Integrity.INTACT and one.version.sha256 for one in whole
        )
        return Proof.TEXT if exact else Proof.REBUILT

    def _out(self, place: Span) -> Span | None:
        """Return a span of B's search text in the unit of B's version."""
        if self._b.unit is Unit.BLOCK:
            return None
        found = self._b.in_unit([place])
        return found[0] if len(found) == 1 else None

    def _b_places(self, words: str) -> Iterator[Span]:
        new = self._b.text or ""
        at = new.find(words)
        while at >= 0:
            place = Span(at, at + len(words))
            if self._is_one_piece(place, words):
                yield place
            at = new.find(words, at + 1)

    def _is_one_piece(self, place: Span, words: str) -> bool:
        """Whether a match lies in one known piece: pieces side by side are no text."""
        if self._b.known is Known.LINES:
            found = self._b.in_unit([place])
            return len(found) == 1 and found[0].length == words.rstrip("\n").count("\n") + 1
        if self._b.known is Known.PLACED:
            found = self._b.in_unit([place])
            return len(found) == 1 and found[0].length == place.length
        if self._b.known is Known.BLOCKS:
            return any(block.covers(place) for block in self._b.blocks.values())
        return True

    def _in_parts(self, blank: Fated, found: list[Span]) -> Fated:
        """Say that what is not at its place may be where nothing is known of B."""
        new = self._b.text or ""
        offered = (
            Suggestion(out, 100, new[place.start : place.end], self._b.unit)
            for place in found[:_MANY]
            if (out := self._out(place)) is not None
        )
        doubt = Doubt(Side.B, Why.IN_PARTS, self._b.version.key.source_id)
        return replace(blank, doubt=doubt, suggestions=tuple(offered))

    def _many(self, found: Iterable[Span]) -> tuple[Span, ...]:
        places = sorted(found)[:_MANY]
        return tuple(out for place in places if (out := self._out(place)) is not None)

    def _is_same_line(self, place: Span, same_place: Span) -> bool:
        """Whether the lines that hold the two places are equal, and hold them alike."""
        old, new = (
            _lines_around(self._a.text or "", place),
            _lines_around(self._b.text or "", same_place),
        )
        alike = place.start - old.start == same_place.start - new.start
        text_a, text_b = self._a.text or "", self._b.text or ""
        return alike and text_a[old.start : old.end] == text_b[new.start : new.end]

    def _by_context(self, place: Span, found: Iterable[Span]) -> dict[Span, int]:
        """Return which of the places in B the text around tells, and by how much of it."""
        old, new = self._a.text or "", self._b.text or ""
        told: dict[Span, int] = {}
        for other in found:
            if self._stopped():
                raise ComparisonStopped
            left, right = _shared_around(old, place, new, other)
            words = old[place.start - left : place.end + right]
            around = old[place.start - left : place.start] + old[place.end : place.end + right]
            enough = _tells(words) and _ink(around) >= _AROUND
            if enough and _count(old, words) == 1 and _count(new, words) == 1:
                told[other] = left + right
        return told

    # -- other text --------------------------------------------------------------------

    def _replaced(self, blank: Fated, place: Span, words: str) -> Fated:
        new = self._b.text or ""
        there = counterpart(self.difference, place)
        offered = self._similar.to(words)
        if not there.length:
            return replace(blank, fate=Fate.GONE, b=None, suggestions=offered)
        passage = new[there.start : there.end]
        first = Suggestion(there, share_of(words, passage), passage)
        others = tuple(each for each in offered if not each.span.overlaps(there))
        span, unit = self._named(there, blank.unit)
        offered = (first, *others)
        return replace(blank, fate=Fate.CHANGED, b=span, b_unit=unit, suggestions=offered)

    @cached_property
    def _similar(self) -> Similar:
        return Similar(self._b.text or "")


def counterpart(difference: TextComparison, place: Span) -> Span:
    """Return what stands in B for *place* of A, as the comparison lines them up; may be empty."""
    found = [span for piece in difference.pieces for span in _met(piece, place)]
    if not found:
        return Span(0, 0)
    return Span(min(span.start for span in found), max(span.end for span in found))


def _met(piece: TextPiece, place: Span) -> Iterator[Span]:
    both = piece.a.meet(place)
    if both is None:
        return
    if piece.words:
        for word in piece.words:
            yield from _met(word, place)
    elif piece.change is Change.SAME:
        yield both.moved(piece.b.start - piece.a.start)
    else:
        yield piece.b


def _single(text: VersionText, span: Span | None, unit: Unit, block_id: str | None) -> Span | None:
    """Return the one stretch of search text that is named, ``None`` where it is none or several."""
    if span is not None:
        found = text.proving(span, unit)
        inside = unit is not Unit.CHAR or sum(one.length for one in found) == span.length
        return found[0] if len(found) == 1 and inside else None
    if block_id is None or block_id not in text.blocks:
        return None
    found = text.block_chars(text.blocks[block_id])
    return found[0] if len(found) == 1 else None


def _tells(words: str) -> bool:
    return _ink(words) >= _ENOUGH


def _ink(words: str) -> int:
    return len("".join(words.split()))


def _shared_around(old: str, place: Span, new: str, other: Span) -> tuple[int, int]:
    """Return how many code points before and behind two places are equal, as far as is looked."""
    before = min(place.start, other.start, _REACH)
    left = longest(
        before, lambda n: old[place.start - n : place.start] == new[other.start - n : other.start]
    )
    behind = min(len(old) - place.end, len(new) - other.end, _REACH)
    right = longest(
        behind, lambda n: old[place.end : place.end + n] == new[other.end : other.end + n]
    )
    return left, right


def _count(text: str, words: str) -> int:
    """Return 0, 1 or 2: how often *words* stand in *text*, more being no news."""
    at = text.find(words)
    if at < 0:
        return 0
    return 1 if text.find(words, at + 1) < 0 else 2


def _lines_around(text: str, place: Span) -> Span:
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", max(place.start, place.end - 1))
    return Span(start, len(text) if end < 0 else end + 1)
