"""The answer, each citation as a chip with the sign, word and colour of its verdict."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.answer import AnswerPage, Chip, answer_pages, place_of_citation
from reviewer.window.presenters.claims import claims_at
from reviewer.window.theme import colour
from reviewer.window.tips import plain_tip
from reviewer.window.views.answer_notice import Notice
from reviewer.window.views.answer_text import ALL, SCHEME, AnswerText
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label
from reviewer.window.views.text_stand_ins import shown
from store.records.findings import Audit
from store.records.grades import Grade

__all__ = ["PANEL", "AnswerText", "AnswerView"]

_LISTED = 6


class AnswerView(QWidget):
    """Every answer of the present run; a click or Enter on a chip goes to its citation."""

    def __init__(self, parent: QWidget | None, desk: Desk) -> None:
        super().__init__(parent)
        self._desk = desk
        self._audit: Audit | None = None
        self._pages: tuple[AnswerPage, ...] = ()
        self._shown = -1
        self._below_chips: tuple[Chip, ...] = ()
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
        desk.decisions.changed.connect(self._decided)
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
            self._pages = self._made(audit, place.run) if audit else ()
            self._shown = -1
            self._fill_choice()
        wanted = self._page_of(place)
        if wanted != self._shown:
            self._show(wanted)
        self._mark(place)

    def _made(self, audit: Audit, run: int) -> tuple[AnswerPage, ...]:
        return answer_pages(audit, self._desk.decisions.states(run))

    def _decided(self, run: int) -> None:
        """Show what reviewers decided by now."""
        audit = self._audit
        if audit is None or run != self._desk.place.run or self._desk.audit(run) is not audit:
            return
        self._pages = self._made(audit, run)
        total = len(self._pages)
        for number, page in enumerate(self._pages):
            self._choice.setItemText(number, page.title(total))
        self._title.setText(self._pages[0].title(1) if total == 1 else "")
        if 0 <= self._shown < len(self._pages):
            page = self._pages[self._shown]
            self._text.take_page(page)
            if any(chip.decided for chip in (*page.below, *self._below_chips)):
                self._fill_below(page.below)
                self._mark(self._desk.place)

    def _page_of(self, place: Place) -> int:
        if self._audit is None or not self._pages:
            return -2
        if place.citation is not None and 0 <= place.citation < len(self._audit.citations):
            return self._audit.citations[place.citation].answer
        claims = claims_at(self._audit, place)
        if claims:
            return claims[0].answer
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
        self._below_chips = chips
        for chip in chips:
            label = f"{chip.label} · " if chip.label else ""
            item = QListWidgetItem(
                shown(f"{chip.text} · {label}{chip.source} · {chip.note}{_behind(chip)}")
            )
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
        claims = claims_at(self._audit, place) if self._audit is not None else ()
        here = [claim.span for claim in claims if claim.answer == self._shown]
        self._text.mark(place.citation, here)
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
            words = (
                tr("This run holds no answer. What the model was given can still be read.")
                if calls
                else tr("This run holds no model call: what a model was given is not recorded.")
            )
        elif not self._pages[number].citations and self._is_unknown(number):
            words = tr(
                "This answer holds no citations, so nothing here can be followed to its source. "
                "What the model was given when it wrote it is not proven by the record."
            )
        elif not self._pages[number].citations:
            words = tr(
                "This answer holds no citations, so nothing here can be followed to its source. "
                "What the model was given when it wrote it can still be read."
            )
        self._notice.tell(words, self._call(number), any_calls=calls > 0)

    def _is_unknown(self, number: int) -> bool:
        calls = self._audit.calls if self._audit else ()
        written_by = calls[self._call(number) - 1 : self._call(number)]
        return any(call.grade is Grade.UNKNOWN for call in written_by)

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
        if address.scheme() == ALL:
            self._text.show_everything()
            self._mark(self._desk.place)
        elif address.scheme() == SCHEME:
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


def _behind(chip: Chip) -> str:
    return f" · {chip.decision} {chip.decided}" if chip.decided else ""


PANEL = Panel("answer", "Answer", "centre", 10, lambda desk, parent: AnswerView(parent, desk))
