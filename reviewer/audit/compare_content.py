"""Whether two versions have the same content, and what that rests on.

Same is only what was proven: equal SHA-256 of bytes that were checked, or
equal text that both records show.  What could not be looked at is a doubt.
"""

from __future__ import annotations

from typing import NamedTuple

from store.records.differences import Doubt, Proof, Side, Why
from store.records.sources import Integrity, Version
from store.records.text import Unit

__all__ = ["Content", "compare_content", "text_doubt"]


class Content(NamedTuple):
    """Whether the content is the same; ``None`` where that could not be compared."""

    same: bool | None
    proof: Proof | None = None
    doubt: Doubt | None = None


def compare_content(a: Version, b: Version) -> Content:
    """Compare what two versions hold."""
    doubt = _unreadable(a, b)
    if doubt is not None:
        # Another recorded hash is another state, also of bytes that nobody can look at.
        other = bool(a.sha256 and b.sha256 and a.sha256 != b.sha256)
        return Content(same=False) if other else Content(None, doubt=doubt)
    if _is_exact(a) and _is_exact(b):
        return Content(a.sha256 == b.sha256, Proof.HASH)
    if _known(a) == _known(b):
        mixed = _is_exact(a) is not _is_exact(b)
        return (
            Content(None, doubt=_rebuilt(a, b))
            if mixed
            else Content(same=True, proof=Proof.REBUILT)
        )
    return _compare_known(a, b)


def text_doubt(version: Version, side: Side) -> Doubt | None:
    """Return why the text of *version* cannot be looked at, ``None`` where it can."""
    name = version.key.source_id
    if version.integrity is Integrity.CHANGED and version.text is None:
        return Doubt(side, Why.BYTES_CHANGED, name)
    if version.text is None and not version.excerpts:
        return Doubt(side, Why.NOT_STORED, name)
    return None


def _unreadable(a: Version, b: Version) -> Doubt | None:
    found = [_unproven(a, Side.A), _unproven(b, Side.B)]
    doubts = [doubt for doubt in found if doubt is not None]
    if len(doubts) > 1 and doubts[0].why is doubts[1].why:
        return Doubt(Side.BOTH, doubts[0].why, doubts[1].what)
    return doubts[0] if doubts else None


def _unproven(version: Version, side: Side) -> Doubt | None:
    if version.integrity is Integrity.CHANGED:
        return Doubt(side, Why.BYTES_CHANGED, version.key.source_id)
    if _is_exact(version):
        return None
    return text_doubt(version, side)


def _is_exact(version: Version) -> bool:
    """Whether its exact bytes were seen and their hash was checked."""
    return version.integrity is Integrity.INTACT and bool(version.sha256)


def _known(version: Version) -> tuple[object, ...]:
    return version.unit, version.text, version.line_numbers, frozenset(version.excerpts)


def _rebuilt(a: Version, b: Version) -> Doubt:
    side = Side.BOTH
    if _is_exact(a) is not _is_exact(b):
        side = Side.B if _is_exact(a) else Side.A
    return Doubt(side, Why.REBUILT, b.key.source_id)


def _compare_known(a: Version, b: Version) -> Content:
    """Compare versions of which one at least was rebuilt, and which are not known alike."""
    if a.text is not None and b.text is not None and a.unit is b.unit is not Unit.LINE:
        # What numbered lines show has lost its line ends: only other words are another content.
        same_ink = a.text.split() == b.text.split()
        return Content(None, doubt=_rebuilt(a, b)) if same_ink else Content(same=False)
    if a.unit is b.unit is Unit.LINE and _lines_contradict(a, b):
        return Content(same=False)
    return Content(None, doubt=Doubt(Side.BOTH, Why.IN_PARTS, b.key.source_id))


def _lines_contradict(a: Version, b: Version) -> bool:
    known = dict(zip(a.line_numbers, (a.text or "").split("\n"), strict=False))
    others = zip(b.line_numbers, (b.text or "").split("\n"), strict=False)
    return any(known.get(number, line) != line for number, line in others)
