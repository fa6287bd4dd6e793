"""A short recorded text with marks and chips: what is copied is the record, never the widget."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from PySide6.QtCore import QMimeData, QSize, Qt, QUrl
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from reviewer.display import whole_characters
from reviewer.window.views.text_stand_ins import shown
from store.records.text import Span, TextIndex

__all__ = ["RecordText"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text in the document from ``at`` on, in UTF-16; ``record`` is ``None`` for our own words."""

    at: int
    end: int
    record: str | None = field(repr=False)
    payload: object


class RecordText(QTextBrowser):
    """Shows text as characters and nothing else.

    Nothing is interpreted, fetched or opened.  With *fitted* the widget is as
    high as its text, up to that many pixels.  A text of more than some hundred
    thousand characters belongs into the text view instead.
    """

    def __init__(self, parent: QWidget | None = None, *, fitted: int = 0) -> None:
        super().__init__(parent)
        self._pieces: list[_Piece] = []
        self._fitted = fitted
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        if fitted:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    # -- filling ------------------------------------------------------------------

    def empty(self) -> None:
        """Take everything out."""
        self._pieces = []
        self.clear()

    def add_record(
        self, text: str, look: QTextCharFormat | None = None, payload: object = None
    ) -> tuple[int, int]:
        """Append recorded *text*; return where it stands in the document, in UTF-16."""
        return self._add(text, text, look, payload)

    def add_words(
        self, words: str, look: QTextCharFormat | None = None, payload: object = None
    ) -> tuple[int, int]:
        """Append words of our own, which are never copied."""
        return self._add(words, None, look, payload)

    def _add(
        self, text: str, record: str | None, look: QTextCharFormat | None, payload: object
    ) -> tuple[int, int]:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        at = cursor.position()
        cursor.insertText(shown(text), look or QTextCharFormat())
        piece = _Piece(at, cursor.position(), record, payload)
        self._pieces.append(piece)
        return piece.at, piece.end

    def finish(self, spacing: int = 115) -> None:
        """Show the text from its start, its lines *spacing* per cent high."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        block = QTextBlockFormat()
        block.setLineHeight(spacing, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(block)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._fit()

    # -- asking -------------------------------------------------------------------

    def payload_at(self, position: int) -> object:
        """Return what was given with the piece at a position of the document."""
        place = bisect_right(self._pieces, position, key=lambda piece: piece.at) - 1
        if place < 0 or position >= self._pieces[place].end:
            return None
        return self._pieces[place].payload

    def places_of(self, span: Span) -> list[tuple[int, int]]:
        """Return where *span* stands in the document; it counts through all that is recorded."""
        found, start = [], 0
        for piece in self._pieces:
            record = piece.record or ""
            here = Span(start, start + len(record)).meet(span) if record else None
            if here is not None:
                index = TextIndex(shown(record))
                ends = (index.to_utf16(at - start) for at in (here.start, here.end))
                first, last = (piece.at + end for end in ends)
                found.append((first, last))
            start += len(record)
        return found

    def selected_record(self) -> str:
        """Return what is selected, as recorded."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        found = []
        for piece in self._pieces:
            low, high = max(start, piece.at), min(end, piece.end)
            if piece.record is not None and low < high:
                index = TextIndex(shown(piece.record))
                first, last = index.from_utf16(low - piece.at), index.from_utf16(high - piece.at)
                found.append(piece.record[first:last])
        return "".join(found)

    # -- Qt -----------------------------------------------------------------------

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802 - Qt's name
        """Give what is copied and dragged: the record."""
        data = QMimeData()
        words, _ = whole_characters(self.selected_record())  # half of one is no text elsewhere
        data.setText(words)
        return data

    def loadResource(self, type: int, name: QUrl | str) -> object:  # noqa: A002, ARG002, N802 - Qt's
        """Fetch nothing, ever."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the height that the text needs at this width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for little; the layout gives the rest."""
        return QSize(240, self.height() if self._fitted else 200)

    def _fit(self) -> None:
        if self._fitted:
            self.document().setTextWidth(self.viewport().width())
            high = round(self.document().size().height()) + 2 * self.frameWidth() + 1
            # A bar that comes and goes would change the width, and with it the height.
            policy = Qt.ScrollBarPolicy
            scrolls = high > self._fitted
            self.setVerticalScrollBarPolicy(
                policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff
            )
            self.setFixedHeight(max(1, min(high, self._fitted)))
