"""The strip of a version in words, for tips and for those who listen."""

from __future__ import annotations

from reviewer.audit.strips import Piece, Strip
from reviewer.reports._words import share
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.words import span_words
from store.records.text import Unit

__all__ = ["piece_words", "strip_words"]


def piece_words(piece: Piece, unit: Unit) -> str:
    """Return what a piece is and where."""
    kind = {
        "delivered": tr("delivered"),
        "preview": tr("preview only"),
        "gap": tr("never given"),
    }[piece.kind]
    return f"{kind}: {span_words(piece.span, unit)}"


def strip_words(strip: Strip) -> str:
    """Return the whole strip in a line."""
    delivered = [piece.span for piece in strip.pieces if piece.kind == "delivered"]
    if strip.open_ended:
        parts = [trn("one piece delivered", "{n} pieces delivered", len(delivered))]
        parts.append(tr("length unknown"))
    else:
        parts = [tr("{share} delivered", share=share(delivered, strip.extent.length))]
        gaps = sum(piece.kind == "gap" for piece in strip.pieces)
        parts.append(trn("one gap", "{n} gaps", gaps))
    previews = sum(piece.kind == "preview" for piece in strip.pieces)
    if previews:
        parts.append(trn("one preview", "{n} previews", previews))
    parts.append(trn("one place cited", "{n} places cited", len(strip.cited)))
    return ", ".join(parts)
