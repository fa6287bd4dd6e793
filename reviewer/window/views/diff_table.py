"""Two texts side by side: changed words inside changed lines, and what is cited of them."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from reviewer.window.models.diff_model import LINE_A, LINE_B, SIGN, TEXT_A, TEXT_B, DiffModel, drawn
from reviewer.window.presenters.diff_rows import DiffRow
from reviewer.window.theme import colour
from reviewer.window.views.text_layout import text_font
from reviewer.window.views.text_paint import blend, format_of
from store.records.differences import Change
from store.records.text import Span, TextIndex

__all__ = ["DiffTable"]

_PADDING = 4
_LINE_DIGITS = 5
"""Digits beside the number of a line, for what is cited there."""
_SIGN_DIGITS = 3
_PAUSE = 150
_TINT = 0.10
_TONES = {Change.REMOVED: "bad", Change.ADDED: "good", Change.CHANGED: "open"}
_SMALLER = 0.95


class _TextDelegate(QStyledItemDelegate):
    """Draws one side of a row: its ground, its changed words, its cited words."""

    def __init__(self, model: DiffModel, table: QWidget) -> None:
        super().__init__(table)
        self._model = model
        self._table = table

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw a cell."""
        rows = self._model.rows
        if rows is None:
            return
        row, of_b = rows.row(index.row()), index.column() == TEXT_B
        rect = option.rect
        state = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setClipRect(rect)
        painter.fillRect(rect, _ground(row, selected=selected, of_b=of_b))
        text = self._model.text(row, of_b=of_b)
        if text is not None:
            layout = self._layout(row, index.row(), text, of_b=of_b)
            height = layout.boundingRect().height()
            top = rect.top() + (rect.height() - height) / 2
            painter.setPen(colour("ink"))
            layout.draw(painter, QPointF(rect.left() + _PADDING, top))
        painter.restore()

    def _layout(self, row: DiffRow, number: int, text: str, *, of_b: bool) -> QTextLayout:
        rows = self._model.rows
        whole = (rows.text_b if of_b else rows.text_a) if rows is not None else ""
        words = drawn(text) + ("⏎" if _feed_changed(row, whole, of_b=of_b) else "")
        index = TextIndex(words)
        layout = QTextLayout(words, self._table.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        start = _start(row, of_b=of_b)
        looks = [(span, _word_format(of_b=of_b)) for span in row.changed(of_b=of_b)]
        looks += [(m.span, _cited_format()) for m in self._model.marks(number, of_b=of_b)]
        formats = [_range(index, span, start, len(words), look) for span, look in looks]
        layout.setFormats([each for each in formats if each is not None])
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        return layout


class DiffTable(QTableView):
    """Shows a `DiffModel`; its font has one width, so that rows are cut where they end."""

    narrowed = Signal(int)
    """So many characters fit beside each other on one side now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare_text")
        self.diff = DiffModel(self)
        self.setModel(self.diff)
        self.setItemDelegateForColumn(TEXT_A, _TextDelegate(self.diff, self))
        self.setItemDelegateForColumn(TEXT_B, _TextDelegate(self.diff, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._told = 0
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._tell)
        self.diff.modelReset.connect(self._spread)
        self.set_size(self.font().pointSizeF())

    def set_size(self, size: float) -> None:
        """Take *size* points for the texts."""
        font = text_font(size * _SMALLER)
        if font != self.font():
            self.setFont(font)
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.35))
        self._spread()

    @property
    def columns(self) -> int:
        """How many characters fit on one side."""
        width = self.columnWidth(TEXT_A) - 2 * _PADDING
        return max(8, width // max(1, self.fontMetrics().horizontalAdvance("0")) - 1)

    def go(self, row: int) -> None:
        """Make *row* the present one, with what stands around it."""
        index = self.diff.index(row, TEXT_A)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def selected_text(self) -> str:
        """Return what is selected, as recorded: of equal rows once, of others both sides."""
        found: list[str] = []
        for index in sorted(self.selectionModel().selectedRows(), key=lambda each: each.row()):
            if self.diff.rows is not None:
                row = self.diff.rows.row(index.row())
                sides = [self.diff.text(row, of_b=of_b) for of_b in (False, True)]
                if row.change is Change.SAME:
                    sides = sides[:1]
                found += [side for side in sides if side is not None]
        return "\n".join(found)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Share the width between both sides."""
        super().resizeEvent(event)
        self._spread()

    def _spread(self) -> None:
        digit = self.fontMetrics().horizontalAdvance("0")
        rows = self.diff.rows
        lines = rows.lines if rows is not None else (0, 0)
        room = [_LINE_DIGITS + len(str(count)) for count in lines]
        fixed = {LINE_A: room[0], SIGN: _SIGN_DIGITS, LINE_B: room[1]}
        left = self.viewport().width()
        for column, digits in fixed.items():
            self.setColumnWidth(column, digits * digit + 2 * _PADDING)
            left -= self.columnWidth(column)
        for column in (TEXT_A, TEXT_B):
            self.setColumnWidth(column, max(10 * digit, left // 2))
        self._pause.start()

    def _tell(self) -> None:
        if self.columns != self._told:
            self._told = self.columns
            self.narrowed.emit(self._told)


def _ground(row: DiffRow, *, selected: bool, of_b: bool) -> object:
    paper = colour("paper")
    tone = _TONES.get(row.change)
    present = row.b if of_b else row.a
    if present is None:
        paper = colour("window")
    elif tone is not None:
        paper = blend(_TINT, colour(tone), paper)
    return blend(0.25, colour("accent"), paper) if selected else paper


def _feed_changed(row: DiffRow, text: str, *, of_b: bool) -> bool:
    """Tell whether the line feed at the end of a row is among the changed words of a line."""
    present, other = (row.b, row.a) if of_b else (row.a, row.b)
    if present is None or other is None or not row.piece.words:
        return False
    last = present.end - 1
    return text[last] == "\n" and any(
        span.start <= last < span.end for span in row.changed(of_b=of_b)
    )


def _start(row: DiffRow, *, of_b: bool) -> int:
    present = row.b if of_b else row.a
    return present.start if present is not None else 0


def _range(
    index: TextIndex, span: Span, start: int, length: int, look: QTextCharFormat
) -> QTextLayout.FormatRange | None:
    low, high = max(0, span.start - start), min(length, span.end - start)
    if low >= high:
        return None
    found = QTextLayout.FormatRange()
    found.start = index.to_utf16(low)
    found.length = index.to_utf16(high) - index.to_utf16(low)
    found.format = look
    return found


def _word_format(*, of_b: bool) -> QTextCharFormat:
    return format_of(["added" if of_b else "removed"])


def _cited_format() -> QTextCharFormat:
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    look.setUnderlineColor(colour("cited"))
    return look
