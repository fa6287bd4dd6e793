"""The coverage strip: what of a version was given, from its start to its end, as a lane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from reviewer.audit.intervals import union
from reviewer.audit.strips import Piece, Strip, strip_of
from reviewer.reports._drawing import COLUMNS, MIXED, STRIP_BAND, Box, Lane, runs_of
from reviewer.reports._words import counted, reference, share
from store.records.findings import Audit, CitationFacts, VersionFacts
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["VersionStrip", "coverage_lane", "strip_columns", "strip_words", "version_strips"]

_ANSWER_BAND = (11.0, 4.0)
_CITED_BAND = (16.0, 4.0)
_LEAST = 0.004
"""The least share of the width that a box takes: what is there can be seen."""

_PIECES = 150
"""With more pieces than this the strip is drawn in columns."""


class VersionStrip(NamedTuple):
    """One version that has places, and its strip."""

    name: str
    facts: VersionFacts
    strip: Strip


def version_strips(audit: Audit) -> Iterator[VersionStrip]:
    """Yield the strip of each version that has one, in the order of the sources."""
    citing: dict[VersionKey, list[CitationFacts]] = {}
    for cited in audit.citations:
        citing.setdefault(VersionKey(cited.source_id, cited.version_id or ""), []).append(cited)
    for facts in (facts for source in audit.sources for facts in source.versions):
        key = facts.version.key
        found = strip_of(facts, citing.get(key, ()))
        if found is not None:
            name = reference(key.source_id, key.version_id, None, facts.unit, None)
            yield VersionStrip(name, facts, found)


def coverage_lane(facts: VersionFacts, strip: Strip) -> Lane:
    """Return the strip of a version in three bands.

    Above what was delivered in some call, below it what stood in the request
    of the answer, at the foot the cited places.
    """
    now = tuple(Piece("answer", span) for span in union(facts.delivered_at_answer))
    boxes = [
        *_band(_piece_runs(strip), STRIP_BAND),
        *_band(_piece_runs(replace(strip, pieces=now)), _ANSWER_BAND),
    ]
    cited = union(span for span, _ in strip.cited)
    boxes += [
        Box(*_ends(span, strip.extent), *_CITED_BAND, "cited") for span in _drawn(cited, strip)
    ]
    height = _CITED_BAND[0] + _CITED_BAND[1] if cited else _CITED_BAND[0] - 1
    return Lane(height, tuple(boxes), (), strip_words(facts, strip))


def _piece_runs(strip: Strip) -> Iterator[tuple[float, float, str]]:
    """Yield shares and look of each piece; of many pieces, of as many columns as can be told."""
    if len(strip.pieces) <= _PIECES:
        yield 0, 1, "ground" if strip.open_ended else "gap"
        # What is short is drawn last, and never too thin to be seen.
        for piece in sorted(strip.pieces, key=lambda p: (-p.span.length, p.kind)):
            yield *_ends(piece.span, strip.extent), piece.kind
        return
    for run in runs_of(strip_columns(strip, COLUMNS)):
        yield run.first / COLUMNS, (run.last + 1) / COLUMNS, run.look


def _band(runs: Iterable[tuple[float, float, str]], band: tuple[float, float]) -> Iterator[Box]:
    top, height = band
    for start, end, look in runs:
        yield Box(start, end, top, height, look)


def _ends(span: Span, extent: Span) -> tuple[float, float]:
    size = max(1, extent.length)
    start, end = (span.start - extent.start) / size, (span.end - extent.start) / size
    end = min(1.0, max(end, start + _LEAST))
    return max(0.0, min(start, end - _LEAST)), end


def _drawn(spans: Sequence[Span], strip: Strip) -> Sequence[Span]:
    """Return cited *spans*, joined where they are too many and lie closer than can be drawn."""
    least = int(strip.extent.length * _LEAST)
    joined: list[Span] = []
    for span in spans if len(spans) > _PIECES else ():
        if joined and span.start - joined[-1].end < least:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined or spans


def strip_columns(strip: Strip, columns: int) -> list[str]:
    """Return the look of each of *columns* equal stretches of a strip; one is never rounded up."""
    start, size = strip.extent.start, strip.extent.length / columns
    edges = [start + place * size for place in range(columns + 1)]
    bodies = next((p.kind for p in strip.pieces if p.kind in _BODIES), _BODIES[0])
    looks = []
    for body, preview in zip(
        _covered(strip, bodies, edges), _covered(strip, "preview", edges), strict=True
    ):
        if max(body, preview) < _TINY:
            looks.append("ground" if strip.open_ended else "gap")
        elif max(body, preview) > size - _TINY:
            looks.append(bodies if body > preview else "preview")
        else:
            looks.append(MIXED)
    return looks


_BODIES = ("delivered", "answer")
_TINY = 1e-6


def _covered(strip: Strip, kind: str, edges: Sequence[float]) -> list[float]:
    """Return how much of each stretch between *edges* pieces of a kind cover."""
    spans = union(piece.span for piece in strip.pieces if piece.kind == kind)
    found = [0.0] * (len(edges) - 1)
    at = 0
    for place, (start, end) in enumerate(pairwise(edges)):
        while at < len(spans) and spans[at].end <= start:
            at += 1
        inside = at
        while inside < len(spans) and spans[inside].start < end:
            found[place] += min(end, spans[inside].end) - max(start, spans[inside].start)
            inside += 1
    return found


def strip_words(facts: VersionFacts, strip: Strip) -> str:
    """Return a strip in a line: what was delivered, at the answer too, and what is cited."""
    unit = strip.unit.value
    total, now = strip.extent.length, facts.delivered_at_answer
    if strip.open_ended:
        known = sum(span.length for span in facts.delivered)
        parts = [f"{counted(known, unit)} delivered, of an unknown length"]
        parts.append(f"{counted(sum(span.length for span in now), unit)} at the answer")
    else:
        gaps = sum(piece.kind == "gap" for piece in strip.pieces)
        parts = [f"{share(facts.delivered, total)} of {counted(total, unit)} delivered"]
        parts += [f"{share(now, total)} at the answer", counted(gaps, "gap")]
    previews = sum(piece.kind == "preview" for piece in strip.pieces)
    parts += [counted(previews, "preview")] if previews else []
    parts.append(f"{counted(len(strip.cited), 'cited place')}")
    return ", ".join(parts)
