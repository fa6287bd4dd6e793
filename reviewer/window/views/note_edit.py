"""A small editor for a note, with its two buttons; it gives the keyboard back when it goes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from reviewer.window.i18n import tr
from store.records.reviews import NOTE_CHARS

__all__ = ["NoteEdit"]

_LINES = 4
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Words(QPlainTextEdit):
    """Plain text; Ctrl+Enter and Esc end it, Tab leaves it."""

    ended = Signal(bool)
    """With a note to keep, or without."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("note_text")
        self.setTabChangesFocus(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Take the two keys that end a note."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in _ENTER and control:
            self.ended.emit(True)  # noqa: FBT003 - Qt's signature
        elif event.key() == Qt.Key.Key_Escape:
            self.ended.emit(False)  # noqa: FBT003 - Qt's signature
        else:
            super().keyPressEvent(event)


class NoteEdit(QWidget):
    """Writes one note.  It stays, with its words, until somebody says that the note was kept."""

    wanted = Signal(str)
    """This is to be kept."""
    left = Signal()
    """Nothing is to be kept."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("note_edit")
        self.words = _Words(self)
        height = self.words.fontMetrics().lineSpacing() * _LINES
        self.words.setFixedHeight(height + 2 * self.words.frameWidth() + 8)
        self.keep = QPushButton(self)
        self.keep.setObjectName("note_keep")
        self.cancel = QPushButton(self)
        self.cancel.setObjectName("note_cancel")
        self._before: QWidget | None = None
        row = QHBoxLayout()
        for button in (self.keep, self.cancel):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.words)
        column.addLayout(row)
        self.words.ended.connect(self._ended)
        self.words.textChanged.connect(self._changed)
        self.keep.clicked.connect(lambda: self._ended(kept=True))
        self.cancel.clicked.connect(lambda: self._ended(kept=False))
        self.hide()

    def open(self, text: str, *, focus: bool = True) -> None:
        """Show the editor, with *text* where it was not open already."""
        if self.isHidden():
            self._before = QApplication.focusWidget()
            self.words.setPlainText(text)
            self._changed()
            self.show()
        if focus:
            self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.words.moveCursor(self.words.textCursor().MoveOperation.End)

    def text(self) -> str:
        """Return what is written."""
        return self.words.toPlainText()

    def put_away(self) -> None:
        """Empty the editor and hide it; the keyboard goes back to where it was."""
        inside = QApplication.focusWidget()
        mine = inside is not None and (inside is self or self.isAncestorOf(inside))
        before, self._before = self._before, None
        if mine and before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.words.clear()
        self.hide()

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.words.setAccessibleName(tr("Note"))
        hint = tr("A note on what is selected. Ctrl+Enter keeps it, Esc leaves it.")
        self.words.setPlaceholderText(hint)
        self.keep.setText(tr("Keep"))
        self.cancel.setText(tr("Leave"))
        self.keep.setAccessibleName(tr("Keep note (Ctrl+Enter)"))
        self.cancel.setAccessibleName(tr("Leave the note (Esc)"))
        for button in (self.keep, self.cancel):
            button.setToolTip(button.accessibleName())
        self._changed()

    def _changed(self) -> None:
        """A note says something, and no more than a record may hold."""
        text = self.text()
        over = len(text) - NOTE_CHARS
        self.keep.setEnabled(bool(text.strip()) and over <= 0)
        long = tr("{n} characters too long", n=over) if over > 0 else self.keep.accessibleName()
        self.keep.setToolTip(long)

    def _ended(self, kept: bool) -> None:  # noqa: FBT001 - Qt's signature
        if not kept:
            self.left.emit()
        elif self.keep.isEnabled():
            self.wanted.emit(self.text())
