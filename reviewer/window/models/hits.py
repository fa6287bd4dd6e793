"""What was found everywhere, as lines below the headings of their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont

from reviewer.services.finding_text import Group, Hit
from reviewer.window.i18n import tr
from reviewer.window.models.roles import Role
from reviewer.window.presenters.everywhere import group_words, hit_mark, hit_words
from store.records.findings import Audit

__all__ = ["EXCERPT", "HitModel"]

EXCERPT = 1
"""The column that shows the hit between what stands around it."""

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class HitModel(QAbstractTableModel):
    """Three groups, each a heading and its hits; empty before anything was looked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.audits: Sequence[Audit] = ()
        self.counts: Mapping[Group, int] = {}
        self.row_height = 0
        self._hits: dict[Group, list[Hit]] = {}
        self._bold = QFont()
        self._bold.setBold(True)

    def begin(self, audits: Sequence[Audit]) -> None:
        """Begin with the headings and no hit; without audits there is nothing at all."""
        self.beginResetModel()
        self.audits = tuple(audits)
        self.counts = dict.fromkeys(Group, 0)
        self._hits = {group: [] for group in Group} if audits else {}
        self.endResetModel()

    def add(self, hits: Sequence[Hit], counts: Mapping[Group, int]) -> None:
        """Put *hits* below their headings, which count all there are so far."""
        self.counts = counts
        for group, held in self._hits.items():
            new = [hit for hit in hits if hit.why.group is group]
            if new:
                first = self.heading_row(group) + 1 + len(held)
                self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
                held.extend(new)
                self.endInsertRows()
            row = self.heading_row(group)
            self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    def retranslate(self) -> None:
        """Show everything in the present language."""
        self.beginResetModel()
        self.endResetModel()

    def heading_row(self, group: Group) -> int:
        """Return the row of the heading of *group*."""
        row = 0
        for each, held in self._hits.items():
            if each is group:
                break
            row += 1 + len(held)
        return row

    def hit(self, row: int) -> Hit | None:
        """Return the hit at *row*, ``None`` for a heading."""
        found = self._at(row)
        return found if isinstance(found, Hit) else None

    def _at(self, row: int) -> Hit | Group | None:
        for group, held in self._hits.items():
            if row == 0:
                return group
            if row <= len(held):
                return held[row - 1]
            row -= 1 + len(held)
        return None

    # -- Qt's questions -----------------------------------------------------------

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many lines there are."""
        return 0 if parent.isValid() else sum(1 + len(held) for held in self._hits.values())

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many columns there are."""
        return 0 if parent.isValid() else 3

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Look up what an item is in *role*."""
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, self.row_height) if self.row_height else None
        found = self._at(index.row()) if index.isValid() else None
        if isinstance(found, Group):
            if role == Qt.ItemDataRole.FontRole:
                return self._bold
            if role == Qt.ItemDataRole.DisplayRole and index.column() == 0:
                return group_words(found, self.counts[found], len(self._hits[found]))
        elif isinstance(found, Hit) and role == Qt.ItemDataRole.DisplayRole:
            return hit_words(self.audits, found)[index.column()]
        elif isinstance(found, Hit) and role == Role.MARK and index.column() == EXCERPT:
            return hit_mark(found)
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the heading of a column."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (tr("Where"), tr("What stands there"), tr("What the model had of it"))[section]
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings of groups cannot be selected."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.hit(index.row()) is None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return super().flags(index) | Qt.ItemFlag.ItemNeverHasChildren
