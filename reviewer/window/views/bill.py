"""The context bill: what each request held in tokens, as a picture and as a table."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent, QTextCharFormat
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.models.rows import RowModel
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.bill import BillTable, summary
from reviewer.window.presenters.bill_words import kind_word
from reviewer.window.theme import colour
from reviewer.window.views.bill_chart import BillChart
from reviewer.window.views.bill_look import draw_kind
from reviewer.window.views.following import RESTYLED, Soon, follow_language, plain_label
from reviewer.window.views.record_text import RecordText
from reviewer.window.views.row_table import RowTable
from store.records.bills import Bill, BillKind
from store.records.findings import Audit

__all__ = ["PANEL", "BillView"]

_ABREAST = 5
"""Kinds of the legend in one row."""
_LEAST_ROWS = 4
_MARGIN = 10
_TALLEST = 120
"""Pixels of what broke a prefix, before it scrolls."""
_WIDTHS = (5, 11, 10, 12, 11, 12, 12, 34, 48, 12)


class _Sample(QWidget):
    """A piece of a bar as it stands in the picture."""

    def __init__(self, kind: BillKind) -> None:
        super().__init__()
        self._kind = kind
        size = round(self.fontMetrics().height() * 1.15)
        self.setFixedSize(QSize(size, size))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's name
        """Draw it."""
        painter = QPainter(self)
        draw_kind(painter, QRectF(self.rect()), self._kind)
        painter.end()


class _Legend(QWidget):
    """The kinds that the bill has, and what the signs mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bill_legend")
        self._kinds: tuple[BillKind, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        column.addLayout(self._grid)

    def tell(self, bill: Bill) -> None:
        """Name the kinds of *bill*."""
        held = {kind for call in bill.calls for kind in call.by_kind}
        self._kinds = tuple(kind for kind in BillKind if kind in held)
        self.retell()

    def retell(self) -> None:
        """Take words and sizes anew."""
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.setParent(None)
                widget.deleteLater()
        for at, kind in enumerate(self._kinds):
            row, column = divmod(at, _ABREAST)
            words = plain_label(kind_word(kind), selectable=False)
            words.setWordWrap(False)
            self._grid.addWidget(_Sample(kind), row, 2 * column)
            self._grid.addWidget(words, row, 2 * column + 1)
        self._grid.setColumnStretch(2 * _ABREAST, 1)
        kinds = tr(", ").join(kind_word(kind) for kind in self._kinds)
        self.setAccessibleName(tr("Legend: {words}", words=kinds))


class BillView(QWidget):
    """Summary, picture and table; a call that is chosen in one is chosen everywhere."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bill")
        self._desk = desk
        self._audit: Audit | None = None
        self._call = 0
        self.summary = plain_label("")
        self.summary.setObjectName("bill_summary")
        self.legend = _Legend()
        self.signs = plain_label("", "muted", selectable=False)
        self.added = QCheckBox()
        self.added.setObjectName("bill_added")
        self.chart = BillChart()
        self.model = RowModel(parent=self)
        self.table = RowTable(self.model)
        self.table.setObjectName("bill_table")
        self.table.widths(*_WIDTHS)
        self.table.setMinimumHeight(_LEAST_ROWS * self.table.verticalHeader().defaultSectionSize())
        self.words = plain_label("")
        self.words.setObjectName("bill_words")
        self.change = RecordText(fitted=_TALLEST)
        self.change.setObjectName("bill_change")
        self.change.document().setDocumentMargin(_MARGIN)
        self._lay_out()
        self.added.toggled.connect(lambda on: self.chart.add_up(added=on))
        self.chart.chosen.connect(self._go)
        self.chart.opened.connect(lambda call: self._go(call, "model"))
        self.table.chosen.connect(lambda row: self._go(row + 1))
        self.table.activated.connect(lambda _index: self._go(self.chart.current, "model"))
        desk.moved.connect(self._move)
        desk.opened.connect(lambda _index: self._move(desk.place))
        desk.replaced.connect(lambda _index: self._move(desk.place))
        desk.closed.connect(lambda: self._move(desk.place))
        self._restyle = Soon(self, self._again)
        follow_language(self, self.retell)
        self.retell()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.signs, 1)
        head.addWidget(self.added)
        top = QVBoxLayout()
        top.setContentsMargins(12, 7, 10, 4)
        top.setSpacing(6)
        top.addWidget(self.summary)
        top.addWidget(self.legend)
        top.addLayout(head)
        self.words.setContentsMargins(12, 4, 12, 2)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setObjectName("bill_splitter")
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.chart)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(splitter, 1)
        column.addWidget(self.words)
        column.addWidget(self.change)

    # -- what is shown ------------------------------------------------------------------

    def retell(self) -> None:
        """Show every text in the present language."""
        self.added.setText(tr("Added up over the calls"))
        self.added.setAccessibleName(tr("Added up over the calls"))
        self.table.setAccessibleName(tr("Context bill, call by call"))
        self.change.setAccessibleName(tr("What broke the shared prefix"))
        signs = tr("◆ reported · ? not reported · ✂ the shared prefix broke")
        self.signs.setText(signs)
        self.signs.setAccessibleName(signs)
        self.legend.retell()
        self.chart.retell()
        self.model.retranslate()
        self._audit = None
        self._move(self._desk.place)

    def _move(self, place: Place) -> None:
        held = self._desk.audits
        audit = held[place.run] if 0 <= place.run < len(held) else None
        if not self.isVisible():
            return  # a long bill is put together when it is looked at
        if audit is not self._audit or audit is None:
            self._audit = audit
            self._load(audit, place.run)
        if place.call is not None:
            self.chart.set_current(place.call)
            self.table.show_row(place.call - 1)
        if self._call != self.chart.current:
            self._tell()

    def _load(self, audit: Audit | None, run: int) -> None:
        bill = audit.bill if audit is not None else Bill()
        words = summary(bill) if bill.calls else tr("There is no call to bill.")
        self.summary.setText(words)
        self.summary.setAccessibleName(words)
        self.legend.tell(bill)
        self.chart.show_bill(bill)
        self.model.set_table(BillTable(audit, run) if audit is not None else None)
        for widget in (self.chart, self.legend, self.signs, self.added, self.table):
            widget.setVisible(bool(bill.calls))
        self._tell()

    def _tell(self) -> None:
        """Say what is known of the current call, and show what broke its prefix."""
        self._call = self.chart.current
        words = self.chart.words().replace("\n", " ")
        self.words.setText(words)
        self.words.setAccessibleName(words)
        self.words.setVisible(bool(words))
        calls = self._audit.bill.calls if self._audit is not None else ()
        broken = calls[self._call - 1].broken if calls else None
        self.change.setVisible(broken is not None)
        if broken is None:
            return
        gone, come = QTextCharFormat(), QTextCharFormat()
        gone.setFontStrikeOut(True)
        gone.setForeground(colour("bad"))
        come.setFontUnderline(True)
        come.setForeground(colour("good"))
        self.change.empty()
        self.change.add_words(tr("It was: "))
        self.change.add_record(broken.was, gone)
        self.change.add_words("\n" + tr("It is now: "))
        self.change.add_record(broken.now, come)
        self.change.finish()

    def _again(self) -> None:
        self.legend.retell()
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Show what belongs to the desk's place now."""
        super().showEvent(event)
        self._move(self._desk.place)

    # -- going --------------------------------------------------------------------------

    def _go(self, call: int, tab: str = "bill") -> None:
        here = self._desk.place
        gone = replace(here, call=call, message=None, part=None, message_span=None, tab=tab)
        self._desk.go(gone)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() in RESTYLED and hasattr(self, "_restyle"):
            self._restyle.ask()


PANEL = Panel("bill", "Context bill", "centre", 60, BillView)
