"""Asks for a link to follow."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from reviewer.window.i18n import tr
from reviewer.window.links import LinkError, is_link, parse_link
from reviewer.window.pages import plain_label

__all__ = ["LinkDialog"]

_WIDTH = 620


class LinkDialog(QDialog):
    """One line; what is wrong with it is said below, and only a whole link can be opened."""

    def __init__(self, follow: Callable[[str], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("link_dialog")
        self.setWindowTitle(tr("Open link"))
        self._follow = follow
        self.line = QLineEdit()
        self.line.setObjectName("link_line")
        self.line.setAccessibleName(tr("A reread: address"))
        self.line.setPlaceholderText(tr("A reread: address"))
        self.words = plain_label("link_words", tone="muted")
        self.buttons = QDialogButtonBox()
        kinds = QDialogButtonBox.ButtonRole
        self.go = self.buttons.addButton(tr("Go there"), kinds.AcceptRole)
        self.go.setObjectName("link_go")
        self.go.setAccessibleName(tr("Go there"))
        leave = self.buttons.addButton(tr("Cancel"), kinds.RejectRole)
        leave.setObjectName("link_cancel")
        leave.setAccessibleName(tr("Cancel"))
        rows = QVBoxLayout(self)
        for widget in (self.line, self.words, self.buttons):
            rows.addWidget(widget)
        self.line.textChanged.connect(self._look)
        self.buttons.accepted.connect(self._accepted)
        self.buttons.rejected.connect(self.reject)
        held = QGuiApplication.clipboard().text()
        self.line.setText(held.strip() if is_link(held) else "")
        self._look(self.line.text())
        self.resize(_WIDTH, self.sizeHint().height())

    def _look(self, text: str) -> None:
        why = ""
        try:
            parse_link(text)
        except LinkError as error:
            why = str(error)
        self.go.setEnabled(not why)
        self.words.setText(why if text else "")

    def _accepted(self) -> None:
        text = self.line.text()
        self.accept()
        self._follow(text)
