"""Where pieces of a text meet in it, and something else stands between them in the view.

Two pieces that touch would together look like the whole text, though the view
says "shall not pay" where the text says "shall pay".  At such a seam one
character is given up, so that what is said of the text shows the seam.  At a
line break nothing is: headers and gutters of tools stand between lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from reviewer.audit.seeds import ENOUGH, Piece
from reviewer.audit.skeleton import Skeleton
from store.records.text import Span

__all__ = ["apart"]

_BEFORE = 8
"""So many pieces that reach a place are looked at: more only where a view repeats itself."""


def apart(pieces: Iterable[Piece], texts: Sequence[Skeleton], view: Skeleton) -> list[Piece]:
    """Return *pieces* of *texts* in *view*, by place, shortened behind each torn seam."""
    kept: list[Piece] = []
    ordered = sorted(pieces, key=lambda piece: (piece.text, piece.start, -piece.length))
    for number, own in groupby(ordered, key=lambda piece: piece.text):
        met: list[Piece] = []
        for piece in own:
            reaching = [one for one in met if _end(one) >= piece.start][-_BEFORE:]
            left: Piece | None = piece
            if reaching and not any(_joins(one, piece, texts[number], view) for one in reaching):
                left = _behind(piece, max(map(_end, reaching)) + 1)
            met = reaching
            if left is not None:
                met.append(left)
                kept.append(left)
    return sorted(kept, key=lambda piece: piece.at)


def _end(piece: Piece) -> int:
    return piece.start + piece.length


def _behind(piece: Piece, start: int) -> Piece | None:
    cut = start - piece.start
    if cut >= piece.length:
        return None
    return Piece(piece.at + cut, piece.text, start, piece.length - cut)


def _joins(first: Piece, second: Piece, text: Skeleton, view: Skeleton) -> bool:
    """Whether the view holds what stands around the seam as the text does."""
    shared = min(_end(first), _end(second)) - second.start
    if shared >= min(ENOUGH, second.length):
        return True
    ends, begins = first.at + first.length, second.at + shared
    if ends == begins:
        return True
    if not _breaks(text, second.start, _end(first)):
        return False
    return ends > begins or _breaks(view, ends - shared, begins)


def _breaks(skeleton: Skeleton, start: int, end: int) -> bool:
    """Whether a line ends between the characters before *start* and at *end*."""
    source, last = skeleton.source, len(skeleton.text)
    low = skeleton.back(Span(start - 1, start)).end if start else 0
    high = skeleton.back(Span(end, end + 1)).start if end < last else len(source)
    return source.find("\n", low, high) >= 0
