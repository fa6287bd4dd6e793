"""Exactly what one call was given, message by message, and where each piece comes from."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.model_text import ModelText, ModelTexts
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.following import follow_language
from reviewer.window.views.text_pane import TextPane
from reviewer.window.views.text_stand_ins import shown
from store.records.findings import Audit, Delivery
from store.records.text import Span

__all__ = ["PANEL", "ModelView"]

_TAB = "model"
_KIND = "compose"
_AT_ONCE = 500_000
"""The weight of a request up to which it is composed at once: some ten milliseconds."""


class ModelView(QWidget):
    """The request of one call; with a switch, what changed since the call before."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._texts: ModelTexts | None = None
        self._page: ModelText | None = None
        self._shown: tuple[int, bool, str] | None = None
        self._worker = worker = Worker()  # without a parent: it ends its thread after the view
        self.destroyed.connect(lambda _gone: worker.close())
        self.setObjectName("model_view")
        self.banner = QLabel(self)
        self.banner.setObjectName("model_grade")
        self.banner.setTextFormat(Qt.TextFormat.PlainText)
        self.banner.setWordWrap(True)
        self.changes = QCheckBox(self)
        self.changes.setObjectName("model_changes")
        self.pane = TextPane("model", self)
        self.pane.where = self._where
        self.pane.filled = self._fill
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(8, 6, 8, 6)
        head.setSpacing(4)
        head.addWidget(self.banner)
        head.addWidget(self.changes)
        column.addLayout(head)
        column.addWidget(self.pane, 1)
        self.pane.set_tab_order(self.changes, None)
        self.changes.toggled.connect(self._fill)
        self.pane.view.clicked.connect(self._on_clicked)
        self.pane.view.chosen.connect(self._on_chosen)
        desk.moved.connect(self._fill)
        desk.opened.connect(self._fill)
        desk.closed.connect(self._fill)
        self.retell()
        follow_language(self, self.retell)

    def retell(self) -> None:
        """Take every word anew: the language changed."""
        self.changes.setText(tr("What changed since the call before"))
        self.changes.setAccessibleName(tr("What changed since the call before"))
        self.pane.view.setAccessibleName(tr("What the model was given"))
        self.setAccessibleName(tr("Model view"))
        self._shown = None
        if self._page is None:
            self._empty(None)  # also where it is out of sight, since it may have been seen
        self._fill()

    def find_here(self) -> None:
        """Begin to find in what the call was given."""
        self.pane.find_here()

    def selected_text(self) -> str:
        """Return what is selected, as it was recorded."""
        return self.pane.view.selected_text()

    # -- filling -----------------------------------------------------------------

    def _fill(self, *_: object) -> None:
        """Show the request of the present call; at once if it is in sight, else when it is."""
        if not self.isVisible():
            return
        audit = self._audit()
        if audit is None or not audit.run.calls:
            self._empty(audit)
            return
        if self._texts is None or self._texts.audit is not audit:
            self._texts, self._shown = ModelTexts(audit), None
        call = self._call(audit)
        wanted = (call, self.changes.isChecked(), audit.run.run_id)
        self.changes.setEnabled(call > 1)
        if wanted == self._shown:
            self._reveal(self._desk.place)
            return
        self._shown = wanted
        self.banner.setText(self._texts.banner(call))
        self.banner.setAccessibleName(self.banner.text())
        if self._texts.is_heavy(call, _AT_ONCE):
            self._compose(self._texts, call, changes=self.changes.isChecked())
        else:
            self._worker.cancel(_KIND)
            self._put(self._texts.compose(call, changes=self.changes.isChecked()))

    def _compose(self, texts: ModelTexts, call: int, *, changes: bool) -> None:
        """Have a large request composed; until then say so, and show no other in its place."""
        self._say(tr("What call {call} was given is being put together…", call=call))

        def work(token: CancelToken, _hand_over: object) -> ModelText:
            return texts.compose(call, changes=changes, check=token.check)

        self._worker.run(Operation(_KIND, work, self._put, self._failed))

    def _failed(self, error: BaseException) -> None:
        self._say(tr("It could not be put together: {error}", error=repr(error)))

    def _say(self, words: str) -> None:
        """Show *words* in place of a text."""
        self._page = None
        self.pane.view.empty_words = shown(words)
        self.pane.view.set_text("")

    def _put(self, page: ModelText) -> None:
        self._page = page
        self.pane.view.empty_words = ""
        self.pane.view.set_text(page.text, page.marks, page.gutter, page.number_of, page.languages)
        self.pane.bar.partial = self.changes.isChecked()
        self.pane.bar.look()
        self._reveal(self._desk.place)

    def _empty(self, audit: Audit | None) -> None:
        self._worker.cancel(_KIND)
        self._page, self._shown, self._texts = None, None, None
        self.banner.setText(
            tr("No run is open.")
            if audit is None
            else tr("This run holds no model call: what a model was given is not recorded.")
        )
        self.changes.setEnabled(False)
        self.pane.view.empty_words = ""
        self.pane.view.set_text("")

    def _audit(self) -> Audit | None:
        place, audits = self._desk.place, self._desk.audits
        return audits[place.run] if 0 <= place.run < len(audits) else None

    def _call(self, audit: Audit) -> int:
        call = self._desk.place.call
        if call is None:
            call = max((one.call for one in audit.run.answers), default=len(audit.run.calls))
        return min(max(call, 1), len(audit.run.calls))

    def _reveal(self, place: Place) -> None:
        if self._page is None or place.message is None:
            return
        span = self._page.span_of(place.message, place.part, place.message_span)
        if span is None:
            return
        whole = place.message_span is None
        self.pane.view.reveal(Span(span.start, span.start) if whole else span)

    # -- moving ------------------------------------------------------------------

    def _on_clicked(self, position: int) -> None:
        self._go(position, _TAB)

    def _on_chosen(self, position: int) -> None:
        self._go(position, "source")

    def _go(self, position: int, tab: str) -> None:
        """Move to what stands at *position*: the message, and the source it came from."""
        spot = self._page.spot(position) if self._page is not None else None
        if self._page is None or spot is None or spot.piece.gone:
            return
        place = replace(
            self._desk.place,
            call=self._page.call,
            message=spot.piece.message,
            part=spot.piece.part,
            message_span=None,
            citation=None,
            finding=None,
            tab=_TAB,
        )
        found: Delivery | None = self._page.delivery_at(position)
        if found is not None:
            place = replace(
                place,
                message_span=found.message_span,
                source=found.version,
                span=found.span,
                tab=tab,
            )
        elif tab == _TAB:
            return
        self._desk.go(place)

    def _where(self, span: Span) -> str:
        found = self._page.recorded(span) if self._page is not None else None
        if found is None:
            return tr("between parts of messages")
        piece, inside = found
        return tr(
            "message {message}, part {part}, characters [{start}, {end})",
            message=piece.message,
            part=piece.part,
            start=inside.start,
            end=inside.end,
        )


PANEL = Panel(_TAB, "Model view", "centre", 20, ModelView)
