"""The answer, each citation as a chip with the sign, word and colour of its verdict."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QMouseEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTextEdit,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, trn
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.answer import (
    AnswerPage,
    Chip,
    TextRun,
    answer_pages,
    place_of_citation,
)
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.answer_notice import Notice
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label
from reviewer.window.views.record_text import RecordText
from reviewer.window.views.text_stand_ins import shown
from store.records.findings import Audit

__all__ = ["PANEL", "AnswerText", "AnswerView"]

_AT_FIRST = 60_000
"""How many characters of an answer are laid out at once; the rest on demand."""

_LINES = {
    "good": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "open": QTextCharFormat.UnderlineStyle.DashUnderline,
    "bad": QTextCharFormat.UnderlineStyle.WaveUnderline,
}
_TEXT_SIZE, _CHIP_SIZE = 1.12, 0.9
"""Sizes of the answer and of its chips, against the font of the program."""
_SCHEME, _ALL = "citation", "all"
_LISTED = 6


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

    def show_everything(self) -> None:
        """Show the rest of a long answer too."""
        if self._page is not None:
            self.show_page(self._page, everything=True)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The chips that are shown."""
        return tuple(self._chips.values())

    def mark(self, citation: int | None) -> None:
        """Mark a citation's words and chip as the present ones, and bring them into sight."""
        marks = []
        for start, end in self._spots.get(-1 if citation is None else citation, ()):
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
        look.setAnchorHref(f"{_SCHEME}:{chip.citation}")
        look.setForeground(colour(chip.tone))
        ground = QColor(colour(chip.tone))
        ground.setAlphaF(0.14)
        look.setBackground(ground)
        look.setFontWeight(QFont.Weight.DemiBold)
        look.setFontPointSize(self.font().pointSizeF() * _CHIP_SIZE)
        words = chip.text.replace(" ", "\u00a0")
        self.add_words("\u2009", payload=chip.citation)
        place = self.add_words(f"\u00a0{words}\u00a0", look, chip.citation)
        self.add_words("\u2009")
        self._chips[chip.citation] = chip
        self._spots.setdefault(chip.citation, []).append(place)

    def _add_rest(self, left: int) -> None:
        look = QTextCharFormat()
        look.setAnchor(True)
        look.setAnchorHref(f"{_ALL}:")
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
            self.anchorClicked.emit(QUrl(f"{_SCHEME}:{citation}"))

    def event(self, event: QEvent) -> bool:
        """Tell what a chip says."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self.viewport().mapFromGlobal(event.globalPos())
            chip = self._chips.get(_index(self.payload_at(self.cursorForPosition(at).position())))
            if chip is not None:
                QToolTip.showText(event.globalPos(), plain_tip(chip.tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _index(payload: object) -> int:
    return payload if isinstance(payload, int) else -1


class AnswerView(QWidget):
    """Every answer of the present run; a click or Enter on a chip goes to its citation."""

    def __init__(self, parent: QWidget | None, desk: Desk) -> None:
        super().__init__(parent)
        self._desk = desk
        self._audit: Audit | None = None
        self._pages: tuple[AnswerPage, ...] = ()
        self._shown = -1
        self.setObjectName("answer")
        self._choice = QComboBox()
        self._choice.setObjectName("answer_choice")
        self._title = plain_label("", "muted", selectable=False)
        self._text = AnswerText()
        self._notice = Notice()
        self._notice.chosen.connect(self._go_instead)
        self._below_title = QLabel()
        self._below_title.setTextFormat(Qt.TextFormat.PlainText)
        self._below = QListWidget()
        self._below.setObjectName("answer_below")
        head = QHBoxLayout()
        head.setContentsMargins(14, 8, 14, 2)
        head.addWidget(self._choice)
        head.addWidget(self._title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._notice)
        self._below_title.setContentsMargins(14, 6, 14, 2)
        layout.addWidget(self._below_title)
        layout.addWidget(self._below)
        self._choice.activated.connect(self._choose)
        self._text.anchorClicked.connect(self._follow)
        self._below.itemActivated.connect(self._go_to_item)
        self._below.itemClicked.connect(self._go_to_item)
        desk.moved.connect(self._move)
        desk.opened.connect(self._opened)
        desk.closed.connect(self._refresh)
        follow_language(self, self._retell)
        self._restyle = Soon(self, self._show_again)
        self._retell()

    # -- what is shown ----------------------------------------------------------------

    def _retell(self) -> None:
        self._text.setAccessibleName(tr("Answer with its citations"))
        self._choice.setAccessibleName(tr("Which answer"))
        self._below.setAccessibleName(tr("Citations without a place in the text"))
        self._below_title.setText(tr("Citations without a place in the text"))
        self._audit = None
        self._refresh()

    def _opened(self, _index: int) -> None:
        if self._audit is None:
            self._refresh()

    def _refresh(self) -> None:
        """Show what belongs to the desk's place."""
        self._move(self._desk.place)

    def _move(self, place: Place) -> None:
        held = self._desk.audits
        audit = held[place.run] if 0 <= place.run < len(held) else None
        if audit is not self._audit or audit is None:
            self._audit = audit
            self._pages = answer_pages(audit) if audit else ()
            self._shown = -1
            self._fill_choice()
        wanted = self._page_of(place)
        if wanted != self._shown:
            self._show(wanted)
        self._mark(place)

    def _page_of(self, place: Place) -> int:
        if self._audit is None or not self._pages:
            return -2
        if place.citation is not None and 0 <= place.citation < len(self._audit.citations):
            return self._audit.citations[place.citation].answer
        if place.call is not None and place.tab == "answer":
            found = [page.index for page in self._pages if page.call == place.call]
            if found:
                return found[-1]
        return self._shown if 0 <= self._shown < len(self._pages) else len(self._pages) - 1

    def _fill_choice(self) -> None:
        self._choice.clear()
        total = len(self._pages)
        self._choice.addItems([page.title(total) for page in self._pages])
        self._choice.setVisible(total > 1)
        self._title.setVisible(total <= 1)
        self._title.setText(self._pages[0].title(1) if total == 1 else "")

    def _show(self, number: int) -> None:
        self._shown = number
        self._text.setVisible(number >= 0)
        if number >= 0:
            self._choice.setCurrentIndex(number)
            self._text.show_page(self._pages[number])
        self._fill_below(self._pages[number].below if number >= 0 else ())
        self._fill_notice(number)

    def _fill_below(self, chips: tuple[Chip, ...]) -> None:
        self._below.clear()
        for chip in chips:
            label = f"{chip.label} · " if chip.label else ""
            item = QListWidgetItem(shown(f"{chip.text} · {label}{chip.source} · {chip.note}"))
            item.setForeground(colour(chip.tone))
            item.setToolTip(plain_tip(chip.tip))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, shown(chip.name))
            item.setData(Qt.ItemDataRole.UserRole, chip.citation)
            self._below.addItem(item)
        for part in (self._below, self._below_title):
            part.setVisible(bool(chips))
        row = self._below.sizeHintForRow(0) if chips else 0
        self._below.setMaximumHeight(row * min(len(chips), _LISTED) + 8)

    def _mark(self, place: Place) -> None:
        self._text.mark(place.citation)
        for row in range(self._below.count()):
            if self._below.item(row).data(Qt.ItemDataRole.UserRole) == place.citation:
                self._below.setCurrentRow(row)
                return
        self._below.setCurrentRow(-1)

    def _fill_notice(self, number: int) -> None:
        """Say what is not there, and what can be looked at instead."""
        calls = len(self._audit.run.calls) if self._audit else 0
        words = ""
        if self._audit is None:
            words = tr("No run is open.")
        elif number < 0:
            words = tr("This run holds no answer. What the model was given can still be read.")
        elif not self._pages[number].citations:
            words = tr(
                "This answer holds no citations, so nothing here can be followed to its source. "
                "What the model was given when it wrote it can still be read."
            )
        self._notice.tell(words, self._call(number), any_calls=calls > 0)

    def _call(self, number: int) -> int:
        if number >= 0:
            return self._pages[number].call
        return len(self._audit.run.calls) if self._audit else 0

    # -- going ------------------------------------------------------------------------

    def _go_instead(self, tab: str) -> None:
        self._desk.go(Place(self._desk.place.run, call=self._call(self._shown), tab=tab))

    def _choose(self, number: int) -> None:
        if number != self._shown:
            self._show(number)
            self._desk.go(Place(self._desk.place.run, call=self._pages[number].call, tab="answer"))

    def _follow(self, address: QUrl) -> None:
        if address.scheme() == _ALL:
            self._text.show_everything()
            self._mark(self._desk.place)
        elif address.scheme() == _SCHEME:
            self._go(int(address.path()))

    def _go_to_item(self, item: QListWidgetItem) -> None:
        self._go(item.data(Qt.ItemDataRole.UserRole))

    def _go(self, citation: int) -> None:
        if self._audit is not None:
            run = self._desk.place.run
            self._desk.go(place_of_citation(self._audit, citation, run, tab="answer"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_restyle"):
            self._restyle.ask()

    def _show_again(self) -> None:
        if self._shown >= 0:
            self._show(self._shown)
            self._mark(self._desk.place)


PANEL = Panel("answer", "Answer", "centre", 10, lambda desk, parent: AnswerView(parent, desk))
