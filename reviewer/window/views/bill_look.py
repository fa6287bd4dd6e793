"""How the kinds of a bill look: a colour, a pattern and a letter each."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter

from reviewer.window.presenters.bill_words import LETTERS
from reviewer.window.theme import colour
from reviewer.window.views.text_paint import blend
from store.records.bills import BillKind
from store.records.grades import Grade

__all__ = ["GRADE_PENS", "LETTERS_FROM", "draw_kind"]

LETTERS_FROM = 12
"""Pixels of a piece, both ways, from which on its letter can be read."""

_PATTERNED_FROM = 7
"""Pixels of width from which on a pattern can be seen."""
_SOLID = Qt.BrushStyle.SolidPattern
_LOOKS: Mapping[BillKind, tuple[str, Qt.BrushStyle]] = {
    BillKind.SYSTEM: ("muted", _SOLID),
    BillKind.INSTRUCTION: ("open", Qt.BrushStyle.BDiagPattern),
    BillKind.DOCUMENT: ("delivered", Qt.BrushStyle.DiagCrossPattern),
    BillKind.TOOL_RESULT: ("delivered", _SOLID),
    BillKind.PLACEHOLDER: ("placeholder", Qt.BrushStyle.Dense6Pattern),
    BillKind.SUMMARY: ("preview", _SOLID),
    BillKind.ANSWER: ("cited", _SOLID),
    BillKind.TOOL_CALL: ("cited", Qt.BrushStyle.HorPattern),
    BillKind.REASONING: ("preview", Qt.BrushStyle.FDiagPattern),
    BillKind.OTHER: ("ink", Qt.BrushStyle.Dense7Pattern),
}
GRADE_PENS: Mapping[Grade, Qt.PenStyle] = {
    Grade.RECORDED: Qt.PenStyle.SolidLine,
    Grade.DERIVED: Qt.PenStyle.DashLine,
    Grade.INFERRED: Qt.PenStyle.DotLine,
    Grade.UNKNOWN: Qt.PenStyle.NoPen,
}
"""The line under the number of a call, as in the residency map."""


def draw_kind(painter: QPainter, box: QRectF, kind: BillKind) -> None:
    """Draw a piece of a bar: its ground by kind, an edge, and its letter where there is room."""
    token, pattern = _LOOKS[kind]
    tone, paper = colour(token), colour("paper")
    if pattern is _SOLID or box.width() < _PATTERNED_FROM:
        painter.fillRect(box, tone)
    else:
        painter.fillRect(box, blend(0.16, tone, paper))
        painter.fillRect(box, QBrush(tone, pattern))
    if box.height() > 1:
        painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), paper)
    if min(box.width(), box.height()) >= LETTERS_FROM:
        if pattern is not _SOLID:  # a letter on a pattern could not be read
            size = painter.fontMetrics().height() * 0.9
            painter.fillRect(_middle(box, size), blend(0.16, tone, paper))
        painter.setPen(paper if pattern is _SOLID else colour("ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, LETTERS[kind])


def _middle(box: QRectF, size: float) -> QRectF:
    side = min(size, box.width(), box.height())
    return QRectF(box.center().x() - side / 2, box.center().y() - side / 2, side, side)
