"""How the states of the residency map look: a colour, a pattern and a letter each."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPixmap

from reviewer.window.presenters.cells import Cell
from reviewer.window.presenters.residency import LETTERS
from reviewer.window.theme import colour
from reviewer.window.views.text_paint import blend

__all__ = ["LETTERS_FROM", "colour_table", "draw_cell", "tiles"]

LETTERS_FROM = 13
"""Pixels of a cell from which on its letter can be read."""

_TOKENS = {
    Cell.FULL: "delivered",
    Cell.PARTIAL: "delivered",
    Cell.PREVIEW: "preview",
    Cell.PLACEHOLDER: "placeholder",
}
_SHARES = {Cell.FULL: 1.0, Cell.PARTIAL: 0.55, Cell.PREVIEW: 0.6, Cell.PLACEHOLDER: 0.75}
"""How strong a state looks where only its colour has room."""


def colour_table() -> list[int]:
    """Return the colours of small cells by `Cell`, as Qt's images hold them."""
    paper = colour("paper")
    found = []
    for cell in Cell:
        token = _TOKENS.get(cell)
        mixed = blend(0.06, colour("ink"), paper)
        if token is not None:
            mixed = blend(_SHARES[cell], colour(token), paper)
        found.append(mixed.rgb())
    return found


def tiles(width: int, height: int, ratio: float, font: QFont) -> Mapping[Cell, QPixmap]:
    """Return one picture for each state, drawn once and painted many times."""
    found = {}
    for cell in Cell:
        picture = QPixmap(round(width * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(colour("paper"))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_cell(painter, QRectF(0, 0, width, height), cell, font)
        painter.end()
        found[cell] = picture
    return found


def draw_cell(painter: QPainter, box: QRectF, cell: Cell, font: QFont) -> None:
    """Draw one cell: its ground by state, and its letter where there is room."""
    inner = box.adjusted(1, 1, -1, -1)
    ink = colour("ink")
    painter.setPen(Qt.PenStyle.NoPen)
    if cell is Cell.FULL:
        painter.setBrush(colour("delivered"))
        painter.drawRoundedRect(inner, 2, 2)
        ink = colour("paper")
    elif cell is not Cell.ABSENT:
        _patterned(painter, inner, cell)
    else:
        ink = colour("muted")
    if min(box.width(), box.height()) >= LETTERS_FROM:
        painter.setPen(ink)
        painter.setFont(font)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, LETTERS[cell])


def _patterned(painter: QPainter, inner: QRectF, cell: Cell) -> None:
    """Half full for a part, hatched for a preview, an empty frame for a placeholder."""
    tone = colour(_TOKENS[cell])
    paper = colour("paper")
    painter.setBrush(blend(0.18, tone, paper))
    painter.drawRoundedRect(inner, 2, 2)
    if cell is Cell.PARTIAL:
        lower = QRectF(inner.left(), inner.bottom() - inner.height() * 0.3, inner.width(), 0)
        lower.setBottom(inner.bottom())
        painter.setBrush(tone)
        painter.drawRect(lower)
    elif cell is Cell.PREVIEW:
        painter.setBrush(QBrush(blend(0.55, tone, paper), Qt.BrushStyle.BDiagPattern))
        painter.drawRect(inner)
    else:
        painter.setBrush(QColor(0, 0, 0, 0))
        painter.setPen(QPen(tone, 1.4, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(inner.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
