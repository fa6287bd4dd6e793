"""The residency map: which source stood in which request, in which form."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from reviewer.audit.residency import Cell
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.residency import ResidencyTable, cell_word, residency_table
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.following import RESTYLED, follow_language, plain_label
from reviewer.window.views.residency_look import draw_cell
from reviewer.window.views.residency_map import ResidencyMap
from reviewer.window.views.text_stand_ins import shown
from store.records.findings import Audit

__all__ = ["PANEL", "Legend", "ResidencyView"]

_AT_ONCE = 4_000
"""Messages, deliveries and cells/100 up to which the table is made without a worker."""


def _words(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


class Legend(QWidget):
    """What the cells mean, in the order from most to least."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("residency_legend")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(12)
        self.retell()

    def retell(self) -> None:
        """Take words and colours anew."""
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.setParent(None)
                widget.deleteLater()
        words = []
        for cell in sorted(Cell, reverse=True):
            self._row.addWidget(_Sample(cell))
            self._row.addWidget(_words(cell_word(cell)))
            words.append(cell_word(cell))
        self._row.addWidget(_words(tr("✓ cited")))
        self._row.addStretch(1)
        self.setAccessibleName(tr("Legend: {words}", words=", ".join(words)))


class _Sample(QWidget):
    """One cell as it stands in the map."""

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self._cell = cell
        size = round(self.fontMetrics().height() * 1.15)
        self.setFixedSize(QSize(size, size))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw the cell."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setPixelSize(max(8, round(self.height() * 0.6)))
        draw_cell(painter, QRectF(self.rect()), self._cell, font)
        painter.end()


class ResidencyView(QWidget):
    """The map with its legend, and the current cell in words."""

    def __init__(self, parent: QWidget | None, desk: Desk) -> None:
        super().__init__(parent)
        self._desk = desk
        self._audit: Audit | None = None
        self._table: ResidencyTable | None = None
        self._worker: Worker | None = None
        self.setObjectName("residency")
        self.map = ResidencyMap()
        self.legend = Legend()
        self._words = plain_label("")
        self._words.setObjectName("residency_words")
        self._grades = plain_label("", "muted", selectable=False)
        self._grades.setObjectName("residency_grades")
        self._notice = plain_label("", "muted", selectable=False)
        self._notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._buttons = tuple(self._zoom_buttons())
        head = QHBoxLayout()
        head.setContentsMargins(12, 7, 10, 7)
        head.addWidget(self.legend, 1)
        for button in self._buttons:
            head.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        self._grades.setContentsMargins(12, 0, 12, 6)
        layout.addWidget(self._grades)
        layout.addWidget(self.map, 1)
        layout.addWidget(self._notice, 1)
        self._words.setContentsMargins(12, 5, 12, 6)
        layout.addWidget(self._words)
        self.map.chosen.connect(self._choose)
        self.map.current_changed.connect(lambda *_: self._tell())
        desk.moved.connect(self._move)
        desk.opened.connect(lambda _index: self._move(desk.place))
        desk.closed.connect(lambda: self._move(desk.place))
        follow_language(self, self._retell)
        self._retell()

    def _zoom_buttons(self) -> list[QToolButton]:
        found = []
        for name, words, work in (
            ("zoom_out", "−", lambda: self.map.zoom(-1)),
            ("zoom_in", "+", lambda: self.map.zoom(1)),
            ("zoom_fit", "⤢", self.map_fit),
        ):
            button = QToolButton()
            button.setObjectName(name)
            button.setText(words)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(work)
            found.append(button)
        return found

    def map_fit(self) -> None:
        """Show the whole map."""
        self.map.zoom_to_fit()

    def _retell(self) -> None:
        names = (tr("Zoom out"), tr("Zoom in"), tr("Show the whole map"))
        keys = ("Ctrl+-", "Ctrl++", "Ctrl+0")
        for button, name, key in zip(self._buttons, names, keys, strict=True):
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({key})")
        self.legend.retell()
        self._move(self._desk.place)
        self._tell_grades()
        self._tell()

    # -- what is shown ------------------------------------------------------------------

    def _move(self, place: Place) -> None:
        held = self._desk.audits
        audit = held[place.run] if 0 <= place.run < len(held) else None
        if audit is not self._audit:
            self._audit = audit
            self._load(audit)
        elif self._table is not None or audit is None:
            self._follow(place)
        if audit is None:
            self._say(tr("No run is open."))

    def _load(self, audit: Audit | None) -> None:
        self._say("")
        self._put(None)
        if audit is None:
            return
        size = len(audit.run.messages) + len(audit.deliveries)
        size += len(audit.sources) * len(audit.calls) // 100
        if size <= _AT_ONCE:
            self._put(residency_table(audit))
            return
        self._say(tr("Working out which source stood in which call …"))
        if self._worker is None:
            self._worker = worker = Worker()
            self.destroyed.connect(lambda: worker.close(0))
        self._worker.run(
            Operation(
                "residency",
                lambda _token, _tell: residency_table(audit),
                done=self._put,
                failed=lambda error: self._say(
                    tr("The map could not be made: {error}", error=error)
                ),
            )
        )

    def _put(self, table: ResidencyTable | None) -> None:
        self._table = table
        self.map.show_table(table)
        empty = table is None or not table.cells.size
        self.map.setVisible(not empty)
        self._notice.setVisible(empty)
        self._tell_grades()
        if table is not None and empty:
            self._say(tr("This run records no model call with a source, so there is no map."))
        if not empty:
            self._say("")
            self._follow(self._desk.place)
        self._tell()

    def _tell_grades(self) -> None:
        """Explain the lane under the numbers where not every request is on record."""
        mixed = self._table is not None and bool(self._table.grades.any())
        words = tr(
            "The line under a call says how far the record proves its request: whole recorded, "
            "dashed derived, dotted inferred; a hatched column is not proven at all."
        )
        self._grades.setText(words)
        self._grades.setAccessibleName(words)
        self._grades.setVisible(mixed)

    def _say(self, words: str) -> None:
        self._notice.setText(shown(words))
        self._notice.setAccessibleName(words)

    def _follow(self, place: Place) -> None:
        if self._table is None or self._audit is None:
            return
        answer = self._table.closing
        if place.citation is not None and 0 <= place.citation < len(self._audit.citations):
            answer = self._audit.citations[place.citation].call_at_answer
        self.map.set_answer(answer)
        row, call = self.map.current
        if place.source is not None:
            row = self._table.places.get(place.source.source_id, row)
        if place.call is not None:
            call = place.call
        self.map.set_current(row, call)

    def _tell(self) -> None:
        words = self.map.words()
        self._words.setText(shown(words))
        self._words.setAccessibleName(shown(words))
        self._words.setVisible(bool(words))

    def _choose(self, row: int, call: int) -> None:
        if self._table is not None:
            self._desk.go(self._table.place(row, call, self._desk.place.run))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_buttons"):
            self.legend.retell()


PANEL = Panel(
    "residency", "Residency map", "centre", 30, lambda desk, parent: ResidencyView(parent, desk)
)
