"""What each of two runs was given of the same text: spans that one read and the other did not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reviewer.audit.compare_content import compare_content
from reviewer.audit.compare_text import compare_text
from reviewer.audit.compare_words import lines_of
from reviewer.audit.intervals import intersect, subtract, union
from store.records.comparisons import ReadDifference
from store.records.differences import Change, Doubt, Side, TextPiece, Why
from store.records.findings import SourceFacts, VersionFacts
from store.records.sources import Version, VersionKey
from store.records.text import Span, Unit

__all__ = ["compare_reads"]


def compare_reads(
    a: Iterable[SourceFacts],
    b: Iterable[SourceFacts],
    names: Mapping[str, str],
    unproven: tuple[Collection[VersionKey], Collection[VersionKey]] = ((), ()),
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[ReadDifference]:
    """Yield what was read of each source of which either run was given some.

    *names* gives for a source of A the id that it goes by in B.  *unproven*
    are the versions of A and of B of which some stands only in requests that
    the record does not prove: what was read of them cannot be compared.
    """
    for one in _compared(a, b, names, stopped):
        doubtful_a, doubtful_b = one.version_a in unproven[0], one.version_b in unproven[1]
        if not doubtful_a and not doubtful_b:
            yield one
            continue
        key = one.version_a or one.version_b
        side = Side.BOTH if doubtful_a and doubtful_b else Side.A if doubtful_a else Side.B
        doubt = Doubt(side, Why.GRADE_UNKNOWN, key.source_id if key else "")
        yield replace(one, doubt=doubt)


def _compared(
    a: Iterable[SourceFacts],
    b: Iterable[SourceFacts],
    names: Mapping[str, str],
    stopped: Callable[[], bool],
) -> Iterator[ReadDifference]:
    left = {source.source_id: _read(source) for source in a}
    right = {source.source_id: _read(source) for source in b}
    paired = {name: names.get(name, name) for name in left}
    for name in sorted(left):
        yield from _source(left[name], right.get(paired[name], []), stopped)
    for name in sorted(right.keys() - set(paired.values())):
        yield from _source([], right[name], stopped)


def _read(source: SourceFacts) -> list[VersionFacts]:
    """Return the versions of which some was given."""
    return [
        facts
        for facts in source.versions
        if facts.delivered or facts.delivered_rows or facts.delivered_blocks
    ]


def _source(
    a: Sequence[VersionFacts], b: Sequence[VersionFacts], stopped: Callable[[], bool]
) -> Iterator[ReadDifference]:
    left, right = list(a), list(b)
    for ours in a:
        theirs = next((each for each in right if _is_same(ours, each)), None)
        if theirs is not None:
            left.remove(ours)
            right.remove(theirs)
            yield from _pair(ours, theirs, stopped)
    if len(left) == len(right) == 1:
        yield from _pair(left[0], right[0], stopped)
        return
    yield from (_alone(ours, Side.A) for ours in left)
    yield from (_alone(theirs, Side.B) for theirs in right)


def _is_same(a: VersionFacts, b: VersionFacts) -> bool:
    return compare_content(a.version, b.version).same is True


def _alone(facts: VersionFacts, side: Side) -> ReadDifference:
    spans, blocks = facts.delivered or facts.delivered_rows or (), facts.delivered_blocks
    unit = facts.unit if facts.delivered or not facts.delivered_rows else Unit.ROW
    blocks = blocks if facts.unit is Unit.BLOCK else ()
    key = facts.version.key
    if side is Side.A:
        return ReadDifference(key, None, unit, unit, only_a=spans, blocks_a=blocks)
    return ReadDifference(None, key, unit, unit, only_b=spans, blocks_b=blocks)


def _pair(
    a: VersionFacts, b: VersionFacts, stopped: Callable[[], bool]
) -> Iterator[ReadDifference]:
    same = _is_same(a, b)
    keys = a.version.key, b.version.key
    if a.unit is b.unit is Unit.BLOCK:
        yield _blocks(a, b, same=same)
        return
    map_ = None if same else _Map.of(a.version, b.version, stopped)
    if not same and map_ is None:
        doubt = Doubt(Side.BOTH, Why.IN_PARTS, a.version.key.source_id)
        yield ReadDifference(*keys, a.unit, b.unit, (), a.delivered, b.delivered, doubt=doubt)
        return
    told = _shares(a.delivered, b.delivered, map_)
    yield ReadDifference(*keys, a.unit, b.unit, *told, same_version=same)
    rows_a, rows_b = a.delivered_rows, b.delivered_rows
    if same and rows_a is not None and rows_b is not None and rows_a != rows_b:
        # Rows of which only some fields came are no whole text, and yet were read.
        told = _shares(rows_a, rows_b, None)
        yield ReadDifference(*keys, Unit.ROW, Unit.ROW, *told, same_version=True)


def _blocks(a: VersionFacts, b: VersionFacts, *, same: bool) -> ReadDifference:
    ours, theirs = a.delivered_blocks, b.delivered_blocks
    return ReadDifference(
        a.version.key,
        b.version.key,
        Unit.BLOCK,
        Unit.BLOCK,
        blocks_a=tuple(name for name in ours if not same or name not in theirs),
        blocks_b=tuple(name for name in theirs if not same or name not in ours),
        same_version=same,
    )


_Spans = tuple[Span, ...]


def _shares(a: _Spans, b: _Spans, map_: _Map | None) -> tuple[_Spans, _Spans, _Spans]:
    """Return what both read, in A's numbers, then what A and B alone read, each in its own."""
    if map_ is None:
        shared = intersect(a, b)
        return shared, subtract(a, shared), subtract(b, shared)
    in_b = intersect(map_.forth(a), b)
    shared = map_.back(in_b)
    return shared, subtract(a, shared), subtract(b, in_b)


class _Map:
    """Leads from spans of one version to those of the same text in another."""

    def __init__(self, pairs: Sequence[tuple[Span, Span]]) -> None:
        self._pairs = pairs

    @classmethod
    def of(cls, a: Version, b: Version, stopped: Callable[[], bool]) -> _Map | None:
        """Return the map, ``None`` where too little is known of one of the two."""
        if a.text is None or b.text is None:
            return None
        if Unit.LINE in (a.unit, b.unit):
            lines_a, lines_b = _lines(a), _lines(b)
            both = [number for number in lines_a if number in lines_b]
            equal = [n for n in both if lines_a[n][0] == lines_b[n][0]]
            return cls([(lines_a[n][1], lines_b[n][1]) for n in equal])
        pieces = compare_text(a.text, b.text, stopped=stopped).pieces
        return cls([(piece.a, piece.b) for piece in _equal(pieces)])

    def forth(self, spans: Iterable[Span]) -> _Spans:
        """Return where the text of *spans* stands in the other version."""
        return union(_moved(spans, self._pairs))

    def back(self, spans: Iterable[Span]) -> _Spans:
        """Return where the text of *spans* of the other version stands in the first."""
        return union(_moved(spans, [(b, a) for a, b in self._pairs]))


def _moved(spans: Iterable[Span], pairs: Sequence[tuple[Span, Span]]) -> Iterator[Span]:
    at = 0
    for span in union(spans):
        while at < len(pairs) and pairs[at][0].end <= span.start:
            at += 1
        probe = at
        while probe < len(pairs) and pairs[probe][0].start < span.end:
            here, there = pairs[probe]
            both = here.meet(span)
            if both == here:
                yield there
            elif both and here.length == there.length:
                yield both.moved(there.start - here.start)
            probe += 1


def _equal(pieces: Iterable[TextPiece]) -> Iterator[TextPiece]:
    for piece in pieces:
        if piece.change is Change.SAME:
            yield piece
        yield from (word for word in piece.words if word.change is Change.SAME)


def _lines(version: Version) -> dict[int, tuple[str, Span]]:
    """Return the known lines by number: their text, and what they are in the version's unit."""
    found: dict[int, tuple[str, Span]] = {}
    if version.unit is Unit.LINE:
        lines = zip(version.line_numbers, (version.text or "").split("\n"), strict=False)
        return {number: (line, Span(number, number + 1)) for number, line in lines}
    start = 0
    for number, line in enumerate(lines_of(version.text or ""), 1):
        found[number] = (line.rstrip("\n"), Span(start, start + len(line)))
        start += len(line)
    return found
