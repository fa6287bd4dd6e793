"""How marks look: each kind has a colour and, for those who see no colours, a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTextCharFormat, QTextLayout

from reviewer.window.presenters.syntax import ROLES
from reviewer.window.theme import colour
from reviewer.window.views.text_marks import segments
from reviewer.window.views.text_stand_ins import stand_in_places
from store.records.text import Span

__all__ = [
    "BARS",
    "blend",
    "chosen_format",
    "draw_bar",
    "format_of",
    "formats",
    "ink",
    "stand_in_format",
]

_TOKENS = {"added": "good", "removed": "bad", "heading": "muted"}
_UNDERLINES = {
    "delivered": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "preview": QTextCharFormat.UnderlineStyle.DashUnderline,
    "placeholder": QTextCharFormat.UnderlineStyle.DotLine,
    "cited": QTextCharFormat.UnderlineStyle.WaveUnderline,
}
_HATCHES = {
    "preview": Qt.BrushStyle.BDiagPattern,
    "placeholder": Qt.BrushStyle.Dense7Pattern,
    "gap": Qt.BrushStyle.FDiagPattern,
    "removed": Qt.BrushStyle.HorPattern,
}
_TINTS = {"delivered": 0.10, "cited": 0.22, "added": 0.16, "found": 0.32, "heading": 0.12}
_TINT = 0.26

BARS = ("delivered", "preview", "placeholder", "gap", "cited", "added", "removed")
"""Kinds that have a bar beside their rows and in the overview, in this order from the left."""


def ink(kind: str) -> QColor:
    """Return the colour of a kind."""
    return colour(_TOKENS.get(kind, kind))


def blend(share: float, over: QColor, under: QColor) -> QColor:
    """Return *over* laid thinly on *under*: 0 is *under*, 1 is *over*."""
    rest = 1 - share
    return QColor(
        round(share * over.red() + rest * under.red()),
        round(share * over.green() + rest * under.green()),
        round(share * over.blue() + rest * under.blue()),
    )


def format_of(kinds: Sequence[str]) -> QTextCharFormat:
    """Return how text looks that has marks of *kinds*; the last decides where two would clash."""
    found = QTextCharFormat()
    paper = colour("paper")
    for kind in kinds:
        if kind in ROLES:
            found.setForeground(colour(kind))
            continue
        tint = blend(_TINTS.get(kind, _TINT), ink(kind), paper)
        if kind in _HATCHES:
            found.setBackground(QBrush(blend(0.45, ink(kind), paper), _HATCHES[kind]))
        elif kind == "current":
            found.setFontOverline(True)
            found.setFontUnderline(True)
            found.setUnderlineColor(ink(kind))
        else:
            found.setBackground(QBrush(tint))
        if kind in _UNDERLINES:
            found.setUnderlineStyle(_UNDERLINES[kind])
            found.setUnderlineColor(ink(kind))
        if kind == "heading":
            found.setForeground(colour("ink"))
            found.setFontItalic(True)
        if kind == "removed":
            found.setFontStrikeOut(True)
    return found


def stand_in_format(kinds: Sequence[str]) -> QTextCharFormat:
    """Return how a stand-in looks: as a sign of its own, never as a letter of the text."""
    found = format_of(kinds)
    found.setForeground(colour("paper"))
    found.setBackground(QBrush(colour("open")))
    return found


def chosen_format() -> QTextCharFormat:
    """Return how selected text looks."""
    found = QTextCharFormat()
    found.setBackground(colour("accent"))
    found.setForeground(colour("on_accent"))
    return found


def draw_bar(painter: QPainter, kind: str, bar: QRectF) -> None:
    """Draw the bar of *kind*: solid, hatched, dotted, hollow or ticked."""
    tone = ink(kind)
    painter.setPen(Qt.PenStyle.NoPen)
    if kind in ("delivered", "added", "found"):
        painter.fillRect(bar, tone)
    elif kind == "preview":
        painter.fillRect(bar, QBrush(tone, Qt.BrushStyle.BDiagPattern))
    elif kind == "placeholder":
        painter.fillRect(bar, QBrush(tone, Qt.BrushStyle.Dense4Pattern))
    elif kind == "cited":
        painter.setPen(QPen(tone, 1.5))
        middle = bar.center().y()
        painter.drawLine(bar.topLeft(), bar.topRight())
        painter.drawLine(QLineF(bar.left(), middle, bar.right(), middle))
    elif kind == "removed":
        painter.fillRect(bar, QBrush(tone, Qt.BrushStyle.HorPattern))
    else:
        painter.setPen(QPen(tone, 1))
        painter.drawRect(bar.adjusted(0.5, 0, -0.5, 0))
    painter.setPen(Qt.PenStyle.NoPen)


def formats(
    span: Span,
    text: str,
    kinds: Sequence[tuple[Span, str]],
    to_utf16: Callable[[Span], tuple[int, int]],
) -> list[QTextLayout.FormatRange]:
    """Return how the pieces of *text* look, which stands at *span*, under marks of *kinds*."""
    signs = {place + span.start for place in stand_in_places(text)}
    marks = [*kinds, *((Span(place, place + 1), "") for place in signs)]
    found = []
    for piece, held in segments(span, marks):
        one = QTextLayout.FormatRange()
        one.start, one.length = to_utf16(piece.moved(-span.start))
        real = [kind for kind in held if kind]
        one.format = stand_in_format(real) if "" in held else format_of(real)
        found.append(one)
    return found
