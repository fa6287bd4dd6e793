"""How the states of the residency map look: a colour, a pattern and a letter each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen

from reviewer.audit.residency import Cell
from reviewer.reports._drawing import LETTERS
from reviewer.window.theme import colour
from reviewer.window.views.text_paint import blend

__all__ = ["LETTERS_FROM", "colours", "draw_cell", "mosaic", "tiles"]

Pixels = NDArray[np.uint32]

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


def colours() -> NDArray[np.uint32]:
    """Return the colours of small cells by `Cell`, as Qt's images hold them (``0xffRRGGBB``)."""
    paper = colour("paper")
    found = []
    for cell in Cell:
        token = _TOKENS.get(cell)
        mixed = blend(0.06, colour("ink"), paper)
        if token is not None:
            mixed = blend(_SHARES[cell], colour(token), paper)
        found.append(mixed.rgb())
    return np.array(found, np.uint32)


def tiles(width: int, height: int, ratio: float, font: QFont) -> Pixels:
    """Return a picture of each state, by `Cell`: ``[state, y, x]`` in pixels of the screen."""
    across, down = max(1, round(width * ratio)), max(1, round(height * ratio))
    found = np.zeros((len(Cell), down, across), np.uint32)
    for cell in Cell:
        picture = QImage(across, down, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(ratio)
        picture.fill(colour("paper"))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_cell(painter, QRectF(0, 0, width, height), cell, font)
        painter.end()
        found[cell] = np.frombuffer(picture.constBits(), np.uint32).reshape(down, across)
    return found


def mosaic(states: NDArray[np.uint8], pictures: Pixels) -> Pixels:
    """Return one picture of a table of states, put together from the pictures of each.

    One image costs a tenth of painting thousands of small ones.
    """
    rows, columns = states.shape
    _, down, across = pictures.shape
    return np.ascontiguousarray(
        pictures[states].transpose(0, 2, 1, 3).reshape(rows * down, columns * across)
    )


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
        if cell is Cell.PARTIAL:
            box = box.adjusted(0, 0, 0, -box.height() * 0.2)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, LETTERS[cell])


def _patterned(painter: QPainter, inner: QRectF, cell: Cell) -> None:
    """Half full for a part, hatched for a preview, an empty frame for a placeholder."""
    tone = colour(_TOKENS[cell])
    paper = colour("paper")
    painter.setBrush(blend(0.18, tone, paper))
    painter.drawRoundedRect(inner, 2, 2)
    if cell is Cell.PARTIAL:
        lower = QRectF(inner.left(), inner.bottom() - inner.height() * 0.22, inner.width(), 0)
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
