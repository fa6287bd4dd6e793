"""The text of one answer with its chips; a chip also says what reviewers decided."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QMouseEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from reviewer.audit.answers import TextRun
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.answer import AnswerPage, Chip
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.record_text import RecordText
from store.records.text import Span

__all__ = ["ALL", "SCHEME", "AnswerText"]

_AT_FIRST = 60_000
"""How many characters of an answer are laid out at once; the rest on demand."""

_LINES = {
    "good": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "open": QTextCharFormat.UnderlineStyle.DashUnderline,
    "bad": QTextCharFormat.UnderlineStyle.WaveUnderline,
}
_TEXT_SIZE, _CHIP_SIZE = 1.12, 0.9
"""Sizes of the answer and of its chips, against the font of the program."""
_UNDECIDED = "\u2006"
"""Keeps room in a chip for the sign of a decision, which is one character as well."""
SCHEME, ALL = "citation", "all"
"""Of an address inside the text: a citation, and the rest of a long answer."""


class AnswerText(RecordText):
    """The text of one answer with its chips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("answer_text")
        self.document().setDocumentMargin(14)
        self._page: AnswerPage | None = None
        self._chips: dict[int, Chip] = {}
        self._spots: dict[int, list[tuple[int, int]]] = {}
        self._everything = False

    def show_page(self, page: AnswerPage, *, everything: bool = False) -> None:
        """Show *page*; of a very long answer its start, and the way to the rest."""
        self._page = page
        self._everything = everything
        limit = len(page.text) if everything else _AT_FIRST
        tones = {piece.citation: piece.tone for piece in page.pieces if isinstance(piece, Chip)}
        self._chips, self._spots = {}, {}
        self.empty()
        for piece in page.pieces:
            if isinstance(piece, Chip):
                self._add_chip(piece)
            elif piece.span.start < limit:
                self._add_run(page.text, piece, min(piece.span.end, limit), tones)
            if isinstance(piece, TextRun) and piece.span.end > limit:
                self._add_rest(len(page.text) - limit)
                break
        self.finish(spacing=150)

    def take_page(self, page: AnswerPage) -> None:
        """Take the page that is shown with other decisions."""
        self._page = page
        for piece in page.pieces:
            if isinstance(piece, Chip):
                self.decide(piece)

    def show_everything(self) -> None:
        """Show the rest of a long answer too."""
        if self._page is not None:
            self.show_page(self._page, everything=True)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The chips that are shown."""
        return tuple(self._chips.values())

    def decide(self, chip: Chip) -> None:
        """Show what is decided on a citation by now; everything else stays where it is."""
        held = self._chips.get(chip.citation)
        if held is None or (held.decision, held.decided) == (chip.decision, chip.decided):
            return
        self._chips[chip.citation] = chip
        if held.decision == chip.decision:
            return
        _, end = self._spots[chip.citation][-1]
        cursor = QTextCursor(self.document())
        cursor.setPosition(end - 2)
        cursor.setPosition(end - 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(chip.decision or _UNDECIDED, cursor.charFormat())

    def mark(self, citation: int | None, claims: Sequence[Span] = ()) -> None:
        """Mark a citation's words and chip, or *claims*, as the present ones, and show them."""
        marks = []
        spots = self._spots.get(-1 if citation is None else citation, [])
        for start, end in (*spots, *(spot for claim in claims for spot in self.places_of(claim))):
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            mark.cursor = cursor
            look = QTextCharFormat()
            look.setBackground(colour("accent"))
            look.setForeground(colour("on_accent"))
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)
        if marks and not self.hasFocus():
            cursor = QTextCursor(self.document())
            cursor.setPosition(marks[-1].cursor.selectionStart())
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    # -- filling ------------------------------------------------------------------

    def _add_run(self, text: str, run: TextRun, end: int, tones: dict[int, str]) -> None:
        look = QTextCharFormat()
        look.setFontPointSize(self.font().pointSizeF() * _TEXT_SIZE)
        if run.citations:
            tone = tones.get(run.citations[0], "open")
            look.setUnderlineStyle(_LINES[tone])
            look.setUnderlineColor(colour(tone))
        first = run.citations[0] if run.citations else None
        place = self.add_record(text[run.span.start : end], look, first)
        for citation in run.citations:
            self._spots.setdefault(citation, []).append(place)

    def _add_chip(self, chip: Chip) -> None:
        look = QTextCharFormat()
        look.setAnchor(True)
        look.setAnchorHref(f"{SCHEME}:{chip.citation}")
        look.setForeground(colour(chip.tone))
        ground = QColor(colour(chip.tone))
        ground.setAlphaF(0.14)
        look.setBackground(ground)
        look.setFontWeight(QFont.Weight.DemiBold)
        look.setFontPointSize(self.font().pointSizeF() * _CHIP_SIZE)
        words = chip.text.replace(" ", "\u00a0")
        self.add_words("\u2009", payload=chip.citation)
        sign = chip.decision or _UNDECIDED
        place = self.add_words(f"\u00a0{words}\u00a0{sign}\u00a0", look, chip.citation)
        self.add_words("\u2009")
        self._chips[chip.citation] = chip
        self._spots.setdefault(chip.citation, []).append(place)

    def _add_rest(self, left: int) -> None:
        look = QTextCharFormat()
        look.setAnchor(True)
        look.setAnchorHref(f"{ALL}:")
        look.setForeground(colour("accent"))
        words = trn("one more character", "{n} more characters", left)
        self.add_words(f"\n\n… {words} – {tr('show all')}", look)

    # -- Qt -----------------------------------------------------------------------

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """A click on cited words is a click on their chip; selecting them is not."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        if self.textCursor().hasSelection() or self.anchorAt(at):
            return
        citation = self.payload_at(self.cursorForPosition(at).position())
        if isinstance(citation, int) and event.button() is Qt.MouseButton.LeftButton:
            self.anchorClicked.emit(QUrl(f"{SCHEME}:{citation}"))

    def event(self, event: QEvent) -> bool:
        """Tell what a chip says."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self.viewport().mapFromGlobal(event.globalPos())
            chip = self._chips.get(_index(self.payload_at(self.cursorForPosition(at).position())))
            if chip is not None:
                tip = f"{chip.tip}\n{chip.decision} {chip.decided}" if chip.decided else chip.tip
                QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _index(payload: object) -> int:
    return payload if isinstance(payload, int) else -1
