"""What reviewers decided on the selected citation or finding, and the ways to decide on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QTextCharFormat
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.actions import ACTIONS
from reviewer.window.actions.menus import command_title, shown_keys
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.place import Place
from reviewer.window.presenters.decisions import (
    DecisionRow,
    Subject,
    decision_rows,
    decision_sign,
    decision_tone,
    decision_word,
    subject_at,
)
from reviewer.window.theme import colour
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label, tint
from reviewer.window.views.note_edit import NoteEdit
from reviewer.window.views.record_text import RecordText
from reviewer.window.views.text_stand_ins import shown
from store.records.reviews import NAME_CHARS

__all__ = ["DecisionBox"]

_COMMANDS = ("decide.accept", "decide.reject", "decide.flag", "decide.note")
_COLUMNS = 2
_TALLEST = 110
"""Pixels that decisions and notes take at most before they scroll."""


class DecisionBox(QFrame):
    """Stays below the evidence, so that a decision is always one key or one click away."""

    asked = Signal(str)
    """The id of a command was asked for."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decision_box")
        self._desk = desk
        self._subject: Subject | None = None
        self._drafts: dict[Subject, str] = {}
        self.state = plain_label("", selectable=False)
        self.state.setObjectName("decision_state")
        font = self.state.font()
        font.setWeight(QFont.Weight.DemiBold)
        self.state.setFont(font)
        self.rows = RecordText(fitted=_TALLEST)
        self.rows.setObjectName("decision_rows")
        self.buttons = {name: self._button(name) for name in _COMMANDS}
        self.note = NoteEdit(self)
        self.name_label = QLabel()
        self.name_label.setObjectName("reviewer_label")
        self.name_label.setTextFormat(Qt.TextFormat.PlainText)
        self.name = QLineEdit()
        self.name.setObjectName("reviewer_name")
        self.name.setMaxLength(NAME_CHARS)
        self.name_label.setBuddy(self.name)
        self._lay_out()
        self.note.wanted.connect(self._keep)
        self.note.left.connect(self._leave_note)
        self.name.editingFinished.connect(lambda: desk.decisions.named.emit(self.name.text()))
        desk.moved.connect(self._move)
        desk.opened.connect(lambda _run: self._move(desk.place))
        desk.replaced.connect(lambda _run: self._move(desk.place))
        desk.closed.connect(self._closed)
        desk.decisions.changed.connect(self._changed)
        desk.decisions.kept.connect(self._kept)
        follow_language(self, self.retranslate)
        self._restyle = Soon(self, self._show)
        self.retranslate()

    def _button(self, command: str) -> QPushButton:
        button = QPushButton()
        button.setObjectName(command.replace(".", "_"))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.asked.emit(command))
        return button

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(4)
        for at, button in enumerate(self.buttons.values()):
            grid.addWidget(button, at // _COLUMNS, at % _COLUMNS)
        who = QHBoxLayout()
        who.addWidget(self.name_label)
        who.addWidget(self.name, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(5)
        column.addWidget(self.state)
        column.addWidget(self.rows)
        column.addWidget(self.note)
        column.addLayout(grid)
        column.addLayout(who)

    # -- what is asked for ---------------------------------------------------------

    def edit_note(self) -> None:
        """Open the editor for a note on what is selected, with what was begun there."""
        if self._subject is not None:
            self.note.open(self._drafts.get(self._subject, ""))

    def edit_name(self) -> None:
        """Let the reviewer say who decides."""
        self.name.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.name.selectAll()

    # -- what is shown -------------------------------------------------------------

    def retranslate(self) -> None:
        """Show every text in the present language."""
        self.setAccessibleName(tr("Decision"))
        self.rows.setAccessibleName(tr("What reviewers decided and noted"))
        for command in ACTIONS:
            if command.id in self.buttons:
                button, title = self.buttons[command.id], command_title(command)
                button.setText(f"{title}  ({shown_keys(command)})")
                button.setAccessibleName(title)
        self.name_label.setText(tr("Decided by"))
        self.name.setAccessibleName(tr("Name that decisions are made under"))
        self.name.setToolTip(tr("The name is what you say it is; nothing proves it"))
        self.note.retranslate()
        self._subject = self._subject_at(self._desk.place)
        self._show()

    def _subject_at(self, place: Place) -> Subject | None:
        held = self._desk.audits
        return subject_at(held[place.run], place) if 0 <= place.run < len(held) else None

    def _move(self, place: Place) -> None:
        subject = self._subject_at(place)
        if subject != self._subject:
            self._put_draft_away()
            self._subject = subject
            draft = self._drafts.get(subject) if subject is not None else None
            if draft:
                self.note.open(draft, focus=False)
            self._show()

    def _closed(self) -> None:
        self._put_draft_away()
        self._drafts.clear()
        self._subject = None
        self._show()

    def _changed(self, run: int) -> None:
        if self._subject is not None and self._subject.run == run:
            self._show()

    def _show(self) -> None:
        subject, decisions = self._subject, self._desk.decisions
        state = decisions.state(subject)
        if subject is None:
            self.state.setText(tr("Nothing is selected that can be decided on."))
            tint(self.state, "muted")
        else:
            words = f"{decision_sign(state)} {decision_word(state)}"
            self.state.setText(shown(f"{words} · {subject.words}"))
            tint(self.state, decision_tone(state))
        self.state.setAccessibleName(self.state.text())
        digest = decisions.digest(subject.run) if subject else ""
        self._fill(decision_rows(state, decisions.reviewer, digest))
        for button in self.buttons.values():
            button.setEnabled(subject is not None)
        if not self.name.hasFocus():
            self.name.setText(decisions.reviewer)

    def _fill(self, rows: tuple[DecisionRow, ...]) -> None:
        self.rows.empty()
        self.rows.setVisible(bool(rows))
        quiet, plain = QTextCharFormat(), QTextCharFormat()
        quiet.setForeground(colour("muted"))
        plain.setForeground(colour("ink"))
        for at, row in enumerate(rows):
            look = QTextCharFormat()
            look.setForeground(colour(row.tone))
            self.rows.add_words("\n" if at else "")
            self.rows.add_words(f"{row.sign} {row.word} ", look)
            self.rows.add_words(f"{row.reviewer} · {row.at} UTC", quiet)
            if row.earlier:
                self.rows.add_words(f" · {tr('on an earlier record of this run')}", quiet)
            if row.stood:
                self.rows.add_words(f" · {row.stood}", quiet)
            if row.note:
                self.rows.add_words("\n  ")
                self.rows.add_record(row.note, plain)
        self.rows.finish()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_restyle"):
            self._restyle.ask()

    # -- notes ---------------------------------------------------------------------

    def _put_draft_away(self) -> None:
        """Keep what was begun, to go on with when the reviewer is back."""
        text = self.note.text() if not self.note.isHidden() else ""
        if self._subject is not None and text.strip():
            self._drafts[self._subject] = text
        self.note.put_away()

    def _keep(self, text: str) -> None:
        if self._subject is not None:
            self._drafts[self._subject] = text
            self._desk.decisions.noted.emit(self._subject, text)

    def _kept(self, subject: Subject, text: str) -> None:
        """Forget the draft of a note that is on the disk."""
        if self._drafts.get(subject) == text:
            del self._drafts[subject]
        if subject == self._subject and self.note.text() == text:
            self.note.put_away()

    def _leave_note(self) -> None:
        if self._subject is not None:
            self._drafts.pop(self._subject, None)
        self.note.put_away()
