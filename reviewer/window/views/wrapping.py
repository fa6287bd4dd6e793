"""Labels whose long words break, so that large text never asks for more width than there is.

A reference or a hash has no space to break at.  What is shown has places to
break at, of no width; what is copied has not.
"""

from __future__ import annotations

import re

from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QLabel, QMenu

from reviewer.window.i18n import tr
from reviewer.window.views.text_stand_ins import shown

__all__ = ["WrappingLabel", "breakable"]

_BREAK = "\u200b"
"""A place to break at.  One in a recorded text has a stand-in and cannot be taken for it."""
_LONGEST = 12
"""Characters of a word that is never broken, where nothing else is said."""
_WORD = re.compile(r"[^\s\u2e80-\uffef]+")
_AFTER = re.compile(r"(?<=[/\\@_:#=&|)\]\-…])(?=.)|(?<=[a-z])(?=[A-Z])")
_PIECE = re.compile(r"[^\u200b]+")
_EVERY = 8
"""Characters between two places to break at where nothing else offers one."""


def breakable(words: str, longest: int = _LONGEST) -> str:
    """Return *words* with places to break at where more than *longest* have no space."""
    return _WORD.sub(lambda found: _in_pieces(found[0], longest), words)


def _in_pieces(word: str, longest: int) -> str:
    if len(word) <= longest:
        return word
    return _PIECE.sub(lambda found: _cut(found[0], longest), _AFTER.sub(_BREAK, word))


def _cut(piece: str, longest: int) -> str:
    if len(piece) <= longest:
        return piece
    return _BREAK.join(piece[at : at + _EVERY] for at in range(0, len(piece), _EVERY))


class WrappingLabel(QLabel):
    """A label of plain words; ``words`` is what it says and what is copied from it."""

    def __init__(self, words: str = "", longest: int = _LONGEST) -> None:
        super().__init__()
        self._longest = longest
        self.setWordWrap(True)
        self.setText(words)

    def setText(self, words: str) -> None:  # noqa: N802 - Qt's name
        """Show *words* as they are, and break them where they are long."""
        self.words = shown(words)
        super().setText(breakable(self.words, self._longest))

    def text(self) -> str:
        """Return what it says, without the places to break at."""
        return self.words

    def select_all(self) -> None:
        """Select everything that it says."""
        self.setSelection(0, len(super().text()))

    def selected_text(self) -> str:
        """Return what is selected, without the places to break at."""
        return self.selectedText().replace(_BREAK, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Copy what it says, not what makes it break."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begin a new selection: the one that is there is never dragged away as it is shown."""
        if self.hasSelectedText():
            self.setSelection(0, 0)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Offer what was selected where the system pastes what is selected."""
        super().mouseReleaseEvent(event)
        clipboard = QGuiApplication.clipboard()
        if self.hasSelectedText() and clipboard.supportsSelection():
            clipboard.setText(self.selected_text(), QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Offer to copy."""
        menu = QMenu(self)
        menu.addAction(tr("Copy"), self._copy).setEnabled(self.hasSelectedText())
        menu.addAction(tr("Select all"), self.select_all)
        menu.exec(event.globalPos())
        menu.deleteLater()

    def _copy(self) -> None:
        if self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selected_text())
