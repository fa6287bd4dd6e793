"""A line for a filter: proposes what fits, and underlines what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QStringListModel, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from reviewer.filter.columns import Columns
from reviewer.filter.completion import propose
from reviewer.window import theme
from reviewer.window.i18n import tr
from store.records.text import Span, TextIndex

__all__ = ["FilterEdit"]

_WAVE = 3


class FilterEdit(QLineEdit):
    """Takes a filter in the words of ``columns``.

    Positions are code points of the text, although Qt counts UTF-16 units.
    """

    typed = Signal(str)
    """The text was changed, by whatever way."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns: Columns = {}
        self._wrong: Span | None = None
        self._span = Span(0, 0)
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._popup.setObjectName("filter_proposals")
        self._completer.activated.connect(self._take)
        self.textEdited.connect(self._propose)
        self.textChanged.connect(self.typed)

    def retranslate(self) -> None:
        """Name what is here in the present language."""
        self._popup.setAccessibleName(tr("Proposals for the filter"))

    @property
    def wrong(self) -> Span | None:
        """The code points that are underlined."""
        return self._wrong

    def mark(self, wrong: Span | None) -> None:
        """Underline code points; an empty span marks the place where something is missing."""
        self._wrong = wrong
        self.update()

    def proposals(self) -> list[str]:
        """Return the words that are proposed at present."""
        return self._words.stringList()

    def _propose(self, _text: str = "") -> None:
        text = self.text()
        try:
            position = TextIndex(text).from_utf16(self.cursorPosition())
        except ValueError:  # between the halves of a character, while it is being typed
            return
        found = propose(text, position, self.columns)
        self._span = found.span
        words = list(found.words)
        if found.left_out:
            words.append(tr("… {n} more", n=found.left_out))
        self._words.setStringList(words)
        if words and self.isVisible() and self.hasFocus():
            self._completer.complete()
        else:
            self._popup.hide()

    def _take(self, word: str) -> None:
        """Put a proposal in the place of what was begun."""
        if word not in propose(self.text(), self._span.end, self.columns).words:
            return  # the line that counts what is left out
        text = self.text()
        before = f"{text[: self._span.start]}{word} "
        self.setText(before + text[self._span.end :].lstrip(" "))
        self.setCursorPosition(TextIndex(before).to_utf16(len(before)))
        self._propose()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001, N802 - Qt's signature
        """Let Tab leave the line: nothing holds the keyboard here."""
        self._popup.hide()
        return super().focusNextPrevChild(forward)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paint the line, and a wave and a wedge where it is wrong."""
        super().paintEvent(event)
        if self._wrong is None:
            return
        left, right = self._x(self._wrong.start), self._x(self._wrong.end)
        right = max(right, left + 2 * _WAVE)
        bottom = self.height() - _WAVE - 1
        painter = QPainter(self)
        painter.setPen(QPen(theme.colour("bad"), 1.5))
        points = [
            QPoint(x, bottom + (_WAVE if step % 2 else 0))
            for step, x in enumerate(range(left, right + 1, _WAVE))
        ]
        painter.drawPolyline(QPolygon(points))
        painter.end()

    def _x(self, position: int) -> int:
        """Return where a code point is painted: the text is scrolled with its cursor."""
        text = self.text()
        metrics = QFontMetrics(self.font())
        cursor = text.encode("utf-16-le", "surrogatepass")[: 2 * self.cursorPosition()]
        before = metrics.horizontalAdvance(cursor.decode("utf-16-le", "replace"))
        here = metrics.horizontalAdvance(text[: min(position, len(text))])
        return self.cursorRect().center().x() + here - before
