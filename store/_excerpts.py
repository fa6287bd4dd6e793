"""From a selection to exact pieces of a version of which only excerpts are known.

Nothing is given back that no excerpt holds, nothing across a gap, and nothing
about which two excerpts disagree: the refusal then says what is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from store._places import Piece, PlaceError, pieces_of
from store.records.sources import Excerpt, Selection, Version
from store.records.text import Span, Unit

__all__ = ["excerpt_pieces"]

_SHOWN = 10


def excerpt_pieces(version: Version, selection: Selection) -> tuple[Piece, ...]:
    """Return the pieces of *version* that *selection* names, in its order.

    Spans must lie inside excerpts whose place is known, joined where they
    touch or overlap; blocks may also be named excerpts without a place.  The
    whole, lines, rows and pages need excerpts that join to all of a version of
    known length.  Raises `PlaceError`.
    """
    if selection.unit is Unit.BLOCK and selection.blocks:
        return tuple(_block(version, name) for name in selection.blocks)
    if selection.unit is Unit.CHAR and selection.ranges:
        return tuple(Piece(span, _at(version, span)) for span in selection.ranges)
    if version.chars is None or version.unit is not Unit.CHAR or selection.unit is Unit.BLOCK:
        raise _refused(version)
    return pieces_of(version, _at(version, Span(0, version.chars)), selection)


def _at(version: Version, span: Span) -> str:
    """Return what stands at *span*.  Raises `PlaceError` unless excerpts hold all of it."""
    if version.chars is not None and span.end > version.chars:
        raise PlaceError(
            "outside the version", f"[{span.start}:{span.end}] of {version.chars} characters"
        )
    placed = _placed(version)
    if not span.length and not any(0 <= span.start - start <= len(text) for start, text in placed):
        raise _refused(version)
    whole = ""
    for start, text in placed:
        reached = span.start + len(whole)
        if start > reached:
            break
        whole += text[reached - start : span.end - start]
    if len(whole) < span.length:
        raise _refused(version)
    _check_agreement(placed, span, whole)
    return whole


def _check_agreement(placed: Iterable[tuple[int, str]], span: Span, whole: str) -> None:
    for start, text in placed:
        both = span.meet(Span(start, start + len(text)))
        if both is None:
            continue
        here = text[both.start - start : both.end - start]
        if here != whole[both.start - span.start : both.end - span.start]:
            raise PlaceError(
                "text not stored",
                f"the pieces that are known contradict each other in [{both.start}:{both.end}]",
            )


def _block(version: Version, name: str) -> Piece:
    """Return the one text of the block *name*, with its place where that is known."""
    named = [excerpt for excerpt in version.excerpts if excerpt.block_id == name]
    spans = {block.span for block in version.blocks if block.block_id == name}
    spans = spans or {_span(excerpt) for excerpt in named if excerpt.start is not None}
    texts = {excerpt.text for excerpt in named if excerpt.start is None}
    texts |= {_at(version, span) for span in spans}
    if not texts:
        raise _refused(version)
    if len(spans) > 1:
        raise PlaceError("ambiguous block", f"{name!r} stands at {len(spans)} places")
    if len(texts) > 1:
        raise PlaceError("ambiguous block", f"{name!r} is known with {len(texts)} texts")
    return Piece(spans.pop() if spans else None, texts.pop())


def _placed(version: Version) -> list[tuple[int, str]]:
    return sorted((one.start, one.text) for one in version.excerpts if one.start is not None)


def _span(excerpt: Excerpt) -> Span:
    start = excerpt.start or 0
    return Span(start, start + len(excerpt.text))


def _refused(version: Version) -> PlaceError:
    """Say what is known instead: how many pieces, where, and their names."""
    placed = [_span(one) for one in version.excerpts if one.start is not None]
    loose = [one for one in version.excerpts if one.start is None]
    known = []
    if placed:
        spans = [f"[{span.start}:{span.end}]" for span in _union(placed)]
        length = "" if version.chars is None else f" of {version.chars} characters"
        known.append(f"{len(placed)} at {_listed(spans)}{length}")
    if loose:
        names = dict.fromkeys(repr(one.block_id) for one in loose if one.block_id is not None)
        blocks = f" (blocks {_listed(list(names))})" if names else ""
        known.append(f"{len(loose)} without a place{blocks}")
    return PlaceError("text not stored", f"only pieces of it are known: {', '.join(known)}")


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _union(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
