"""The command palette: every action, source, call and rule under one line of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.i18n import tr, trn
from reviewer.window.pages import plain_label

__all__ = ["Entry", "Palette", "matching"]

_Index = QModelIndex | QPersistentModelIndex
_MORE = Qt.ItemDataRole.UserRole
_MOST = 200
"""Entries shown at once; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the palette: what it is, more about it, and what choosing it does.

    An entry with a reason in ``cannot`` is shown and cannot be chosen.  ``also`` are
    words that it is found by and that are not shown.
    """

    title: str
    more: str
    choose: Callable[[], None]
    cannot: str = ""
    also: str = ""


def matching(entries: Sequence[Entry], text: str) -> list[Entry]:
    """Return the entries that hold every word of *text*, those that begin with it first."""
    words = text.casefold().split()
    found = [
        entry
        for entry in entries
        if all(word in f"{entry.title} {entry.more} {entry.also}".casefold() for word in words)
    ]
    begin = text.strip().casefold()
    return sorted(found, key=lambda entry: not entry.title.casefold().startswith(begin))


class _TwoTexts(QStyledItemDelegate):
    """Draws what an entry is at the left and more about it at the right, each cut with a sign."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802 - Qt's name
        """Leave some air between the lines."""
        return super().sizeHint(option, index) + QSize(0, 6)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one entry."""
        metrics = option.fontMetrics
        room = option.rect.adjusted(6, 0, -6, 0)
        more = str(index.data(_MORE) or "")
        more = metrics.elidedText(more, Qt.TextElideMode.ElideMiddle, room.width() * 3 // 5)
        taken = metrics.horizontalAdvance(more)
        left = QStyleOptionViewItem(option)
        left.rect = option.rect.adjusted(0, 0, -(taken + 18), 0)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ground = QPalette.ColorRole.Highlight if chosen else QPalette.ColorRole.Base
        painter.fillRect(option.rect, option.palette.color(ground))
        super().paint(painter, left, index)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.PlaceholderText
        painter.setPen(option.palette.color(role))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, more)


class Palette(QDialog):
    """Shows entries that match what is typed; Return chooses, Escape closes."""

    def __init__(
        self,
        entries: Sequence[Entry],
        parent: QWidget | None = None,
        of_text: Callable[[str], Sequence[Entry]] = lambda _text: (),
    ) -> None:
        """Offer *entries*, and before them those that *of_text* makes of what is typed."""
        super().__init__(parent)
        self._of_text = of_text
        self.setObjectName("palette")
        self.setWindowTitle(tr("Command palette"))
        self._entries = entries
        self._shown: list[Entry] = []
        self.line = QLineEdit()
        self.line.setObjectName("palette_line")
        self.line.setAccessibleName(tr("Command, source, call or rule"))
        self.line.setPlaceholderText(tr("Command, source, call or rule"))
        self.list = QListWidget()
        self.list.setObjectName("palette_list")
        self.list.setAccessibleName(tr("What matches"))
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_TwoTexts(self.list))
        self.more = plain_label("palette_more", tone="muted")
        rows = QVBoxLayout(self)
        for widget in (self.line, self.list, self.more):
            rows.addWidget(widget)
        self.line.textChanged.connect(self._fill)
        self.line.installEventFilter(self)
        self.line.returnPressed.connect(self.choose)
        self.list.itemActivated.connect(self.choose)
        self.resize(620, 420)
        self._fill("")

    def _fill(self, text: str) -> None:
        found = [*self._of_text(text), *matching(self._entries, text)]
        self._shown = found[:_MOST]
        self.list.clear()
        for entry in self._shown:
            item = QListWidgetItem(entry.title)
            more = f"{entry.more} ({entry.cannot})".lstrip() if entry.cannot else entry.more
            item.setData(_MORE, more)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.title}, {more}")
            if entry.cannot:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        first = next((row for row, entry in enumerate(self._shown) if not entry.cannot), -1)
        self.list.setCurrentRow(first)
        left = len(found) - len(self._shown)
        if left:
            self.more.setText(tr("{n} more: type to narrow them down", n=left))
        else:
            self.more.setText(trn("{n} entry", "{n} entries", len(found)))

    def choose(self) -> None:
        """Close and do what the current entry says."""
        row = self.list.currentRow()
        if not 0 <= row < len(self._shown) or self._shown[row].cannot:
            return
        entry = self._shown[row]
        self.accept()
        entry.choose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Let the arrow keys of the line move through the list."""
        if watched is self.line and isinstance(event, QKeyEvent) and self._moves(event):
            return True
        return super().eventFilter(watched, event)

    def _moves(self, event: QKeyEvent) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if event.type() != QEvent.Type.KeyPress or event.key() not in steps:
            return False
        step = steps[Qt.Key(event.key())]
        row = self.list.currentRow() + step
        while 0 <= row < len(self._shown) and self._shown[row].cannot:
            row += step
        if 0 <= row < len(self._shown):
            self.list.setCurrentRow(row)
        return True
