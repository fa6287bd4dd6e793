"""What the selected citation or finding rests on, in three steps under one another."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QTextCharFormat
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reviewer.audit.strips import Strip, strip
from reviewer.excerpts import LARGEST, SHORT, Excerpt
from reviewer.window.desk import Desk
from reviewer.window.fitting import FittingButton
from reviewer.window.i18n import tr, trn
from reviewer.window.place import Place
from reviewer.window.presenters.cards import Button, Card, Line, Step
from reviewer.window.presenters.evidence import card
from reviewer.window.theme import colour
from reviewer.window.turns import Turns
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label, tint
from reviewer.window.views.record_text import RecordText
from reviewer.window.views.strip import CoverageStrip
from reviewer.window.views.text_stand_ins import shown
from store.records.findings import Audit
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["EvidenceView", "ExcerptBox"]

_TALLEST = 260
"""Pixels that an excerpt takes at most before it scrolls."""

_PATIENCE = 100
"""Milliseconds for which the card of the last place may stand while the next one is made."""
_ALL = "all"
_LONGEST_LARGE = 9
"""Characters of a word in the largest letters that is never broken."""


class ExcerptBox(RecordText):
    """The words themselves, marked, inside what stands around them; a long one opens on demand."""

    def __init__(self, excerpt: Excerpt, name: str) -> None:
        super().__init__(fitted=_TALLEST)
        self._excerpt = excerpt
        self.setObjectName("excerpt")
        self.setAccessibleName(name)
        self.document().setDocumentMargin(8)
        self.anchorClicked.connect(self._open)
        self._fill(SHORT)

    def _open(self, _address: QUrl) -> None:
        self._fill(LARGEST)
        self.setFocus()

    def _fill(self, limit: int) -> None:
        cut = self._excerpt.cut(limit)
        around, words = QTextCharFormat(), QTextCharFormat()
        around.setForeground(colour("muted"))
        words.setForeground(colour("ink"))
        ground = QColor(colour("current"))
        ground.setAlphaF(0.16)
        words.setBackground(ground)
        words.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        words.setUnderlineColor(colour("current"))
        self.empty()
        if cut.head:
            self.add_words("…", around)
        self.add_record(cut.before, around)
        self.add_record(cut.words, words)
        # Line ends at the end of all would only look like room that was forgotten.
        self.add_record(cut.after if cut.tail else cut.after.rstrip("\n"), around)
        if cut.tail:
            self.add_words("…", around)
        if cut.left_out:
            self._add_more(cut.left_out, limit)
        self.finish()

    def _add_more(self, left: int, limit: int) -> None:
        more = QTextCharFormat()
        more.setForeground(colour("accent"))
        count = trn("(+1 character)", "(+{n} characters)", left)
        if limit < LARGEST:
            more.setAnchor(True)
            more.setAnchorHref(f"{_ALL}:")
            self.add_words(f"… {count} {tr('show more')}", more)
        else:
            self.add_words(f"… {count} {tr('the button below shows all')}", more)


class StepFrame(QFrame):
    """One step: a number, a bar in the colour of its state, and what belongs to it."""

    def __init__(self, tone: str) -> None:
        super().__init__()
        self._tone = tone
        self.setFrameShape(QFrame.Shape.NoFrame)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw the ground and the bar; the sign in the first line says the same."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour("line"))
        painter.setBrush(colour("paper"))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)
        painter.fillRect(0, 5, 3, self.height() - 10, colour(self._tone))
        painter.end()


class EvidenceView(QScrollArea):
    """The card of the present citation or finding."""

    renewed = Signal()
    """Another card is shown, with other things to work with."""

    def __init__(self, parent: QWidget | None, desk: Desk) -> None:
        super().__init__(parent)
        self._desk = desk
        self._key: tuple[object, ...] = ()
        self._turns = Turns(self)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(_PATIENCE)
        self._late.timeout.connect(self._grey)
        self.setObjectName("evidence_card")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        desk.moved.connect(self._move)
        desk.opened.connect(lambda _index: self._move(desk.place))
        desk.closed.connect(lambda: self._move(desk.place))
        follow_language(self, self._again)
        self._restyle = Soon(self, self._again)
        self._again()

    def _again(self) -> None:
        self._key = ()
        self.setAccessibleName(tr("Evidence"))
        self._move(self._desk.place)

    def _move(self, place: Place) -> None:
        held = self._desk.audits
        audit = held[place.run] if 0 <= place.run < len(held) else None
        key = (id(audit), place.citation, place.finding if place.citation is None else None)
        if key == self._key:
            return
        self._key = key
        self._late.start()
        self._turns.begin(self._made(audit, place))

    def _grey(self) -> None:
        """Let the card of another place not be taken for that of this one on a slow machine."""
        held = self.widget()
        if not self._turns.complete and held is not None:
            held.setEnabled(False)

    @property
    def complete(self) -> bool:
        """Whether the card of the present place is shown; until then it is that of the last one."""
        return self._turns.complete

    def finish(self) -> None:
        """Show the card of the present place now."""
        self._turns.finish()

    def _made(self, audit: Audit | None, place: Place) -> Iterator[None]:
        """Make the card piece by piece, and show it when it is whole."""
        yield  # whoever walks fast sees only the cards where he rests
        found = card(audit, place) if audit else None
        body = QWidget()
        body.setObjectName("evidence_body")
        layout = QVBoxLayout(body)
        layout.setContentsMargins(12, 10, 12, 12)
        layout.setSpacing(8)
        if found is None or audit is None:
            layout.addWidget(_nothing())
        else:
            self._add_head(layout, found)
            yield
            lane = strip(audit, found.source) if found.source else None
            if lane is not None:
                layout.addWidget(self._lane(body, lane, found))
            for number, step in enumerate(found.steps, 1):
                yield
                layout.addWidget(self._step(number, step))
            yield
        layout.addStretch(1)
        self._late.stop()
        self.setWidget(body)
        # The height of an excerpt is known when its width is: the card is not shown before.
        for frame in body.findChildren(StepFrame):
            _lay_out(frame)
        _lay_out(body)
        self.verticalScrollBar().setValue(0)
        self.renewed.emit()

    def _add_head(self, layout: QVBoxLayout, found: Card) -> None:
        layout.addWidget(plain_label(found.title, "muted", selectable=False))
        layout.addWidget(_verdict(found.verdict))
        if found.meaning:
            layout.addWidget(plain_label(found.meaning))
        layout.addWidget(plain_label(found.reason))
        for note in found.notes:
            layout.addWidget(plain_label(note, "muted"))
        layout.addWidget(plain_label(found.grade, "muted"))
        if found.buttons:
            layout.addLayout(self._buttons(found.buttons, "finding"))

    def _lane(self, body: QWidget, lane: Strip, found: Card) -> CoverageStrip:
        here = next((step.place.span for step in _ways(found) if step.place.tab == "source"), None)
        bar = CoverageStrip(body)
        bar.show_strip(lane, here)
        bar.chosen.connect(lambda position: self._go_to_source(found.source, lane, position))
        return bar

    def _go_to_source(self, source: VersionKey | None, lane: Strip, position: int) -> None:
        piece = next((span for span, _ in lane.cited if span.start == position), None)
        held = lane.at(position)
        span = piece or (held.span if held else Span(position, position))
        place = self._desk.place
        self._desk.go(
            Place(
                place.run,
                call=place.call,
                source=source,
                span=span,
                citation=place.citation,
                finding=place.finding,
                tab="source",
            )
        )

    # -- steps --------------------------------------------------------------------------

    def _step(self, number: int, step: Step) -> StepFrame:
        frame = StepFrame(step.line.tone)
        frame.setObjectName(f"step_{step.id}")
        frame.setAccessibleName(step.title)
        layout = QVBoxLayout(frame)
        layout.setContentsMargins(14, 8, 10, 10)
        layout.setSpacing(5)
        title = plain_label(f"{number}  {step.title}", selectable=False)
        font = title.font()
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        layout.addWidget(title)
        if step.line.words:
            layout.addWidget(plain_label(_said(step.line), step.line.tone))
        if step.where:
            layout.addWidget(plain_label(step.where, "muted"))
        if step.excerpt is not None:
            box = ExcerptBox(step.excerpt, step.title)
            box.setObjectName(f"excerpt_{step.id}")
            layout.addWidget(box)
        for note in step.notes:
            layout.addWidget(plain_label(note, "muted"))
        if step.buttons:
            layout.addLayout(self._buttons(step.buttons, step.id))
        return frame

    def _buttons(self, buttons: tuple[Button, ...], origin: str) -> QVBoxLayout:
        """One under the other: side by side they would be wider than the region."""
        column = QVBoxLayout()
        column.setSpacing(4)
        for way in buttons:
            button = FittingButton(way.words)
            button.setObjectName(f"go_{origin}_{way.place.tab}")
            button.setAccessibleName(way.words)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, place=way.place: self._desk.go(place))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return column

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_restyle"):
            self._restyle.ask()


def _lay_out(widget: QWidget) -> None:
    layout = widget.layout()
    if layout is not None:
        layout.activate()


def _ways(found: Card) -> tuple[Button, ...]:
    return (*found.buttons, *(button for step in found.steps for button in step.buttons))


def _said(line: Line) -> str:
    return f"{line.sign} {line.words}" if line.sign else line.words


def _verdict(line: Line) -> QLabel:
    label = plain_label(_said(line), line.tone, longest=_LONGEST_LARGE)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.35)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    label.setObjectName("verdict")
    return label


def _nothing() -> QLabel:
    words = tr("Select a citation or a finding to see what it rests on.")
    label = plain_label(shown(words), selectable=False)
    tint(label, "muted")
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setContentsMargins(0, 40, 0, 0)
    return label
