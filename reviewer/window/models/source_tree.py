"""The model of the tree of sources; children are fetched as they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from reviewer.filter.tree import EVERYTHING, Tree
from reviewer.window.models.roles import Role, answer
from reviewer.window.presenters.sources import SourceColumn, SourceNode, SourceTree
from store.records.sources import VersionKey

if TYPE_CHECKING:
    from reviewer.filter.arrays import Arrays

__all__ = ["FETCHED", "SourceModel"]

FETCHED = 500
"""How many children are added at a time; a tree view slows down with those it knows."""

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class SourceModel(QAbstractItemModel):
    """Sources, their versions and their blocks, with one column each of `SourceColumn`."""

    def __init__(self, tree: SourceTree | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = tree
        self.filter: Tree = EVERYTHING
        self._arrays: Arrays | None = None
        self._titles: Sequence[str] = tree.headings() if tree else ()
        self._roots: list[SourceNode] = tree.roots() if tree else []
        self._fetched: dict[SourceNode | None, int] = {None: min(FETCHED, len(self._roots))}

    def set_tree(self, tree: SourceTree | None) -> None:
        """Show other sources; the filter stays."""
        self.tree = tree
        self._arrays = None
        self.arrange(self.filter)

    def arrange(self, wanted: Tree) -> None:
        """Show the sources of which some version is wanted, with these versions."""
        self.filter = wanted
        tree = self.tree
        self.beginResetModel()
        self._titles = tree.headings() if tree else ()
        if tree is None:
            self._roots = []
        elif wanted == EVERYTHING:
            self._roots = tree.roots()
        else:
            self._roots = tree.roots(self._entries(tree, wanted))
        self._fetched = {None: min(FETCHED, len(self._roots))}
        self.endResetModel()

    def _entries(self, tree: SourceTree, wanted: Tree) -> list[int]:
        from reviewer.filter.arrays import Arrays, Query  # noqa: PLC0415 - numpy, when needed

        if self._arrays is None:
            self._arrays = Arrays(tree)
        return [int(entry) for entry in self._arrays.rows(Query(wanted))]

    @property
    def shown(self) -> int:
        """How many sources are shown."""
        return len(self._roots)

    @property
    def total(self) -> int:
        """How many sources there are."""
        return len(self.tree.audit.sources) if self.tree is not None else 0

    def index_of(self, key: VersionKey) -> QModelIndex:
        """Return the item of a version, or of its source where it has no other."""
        for at, root in enumerate(self._roots):
            if root.source.source_id != key.source_id:
                continue
            while at >= self._fetched[None]:
                self.fetchMore(_NO_INDEX)
            item = self.index(at, 0)
            versions = self._children(root)
            for place, node in enumerate(versions):
                if len(versions) > 1 and node.version and node.version.version.key == key:
                    while place >= self._fetched.get(root, 0):
                        self.fetchMore(item)
                    return self.index(place, 0, item)
            return item
        return QModelIndex()

    # -- Qt's questions -----------------------------------------------------------

    def index(self, row: int, column: int, parent: _Index = _NO_INDEX) -> QModelIndex:
        """Return the item at *row* and *column* below *parent*."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._children(self._node(parent))[row])

    def parent(self, index: _Index) -> QModelIndex:  # type: ignore[override]
        """Return the item above."""
        node = self._node(index)
        if node is None or node.parent is None:
            return QModelIndex()
        return self.createIndex(node.parent.index, 0, node.parent)

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many children were fetched."""
        return 0 if parent.column() > 0 else self._fetched.get(self._node(parent), 0)

    def columnCount(self, _parent: _Index = _NO_INDEX) -> int:  # noqa: N802 - Qt's name
        """Return how many columns there are."""
        return len(SourceColumn)

    def hasChildren(self, parent: _Index = _NO_INDEX) -> bool:  # noqa: N802 - Qt's name
        """Tell whether there are children, without fetching them."""
        node = self._node(parent)
        if node is None:
            return bool(self._roots)
        return parent.column() == 0 and self._below(node)

    def _below(self, node: SourceNode) -> bool:
        return self.tree is not None and bool(
            node.children if node.children is not None else self.tree.has_children(node)
        )

    def canFetchMore(self, parent: _Index) -> bool:  # noqa: N802 - Qt's name
        """Tell whether some children are not there yet."""
        node = self._node(parent)
        if node is not None and (parent.column() > 0 or not self._below(node)):
            return False
        return self._fetched.get(node, 0) < len(self._children(node))

    def fetchMore(self, parent: _Index) -> None:  # noqa: N802 - Qt's name
        """Add the next children."""
        node = self._node(parent)
        held = self._fetched.get(node, 0)
        end = min(held + FETCHED, len(self._children(node)))
        if end > held:
            self.beginInsertRows(parent, held, end - 1)
            self._fetched[node] = end
            self.endInsertRows()

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Look up what an item is in *role*."""
        node = self._node(index)
        if node is None or self.tree is None:
            return None
        if role == Role.NODE:
            return node
        if role == Role.PLACE:
            return self.tree.place(node)
        cells = self.tree.made(node).cells
        if role == Role.STRIP:
            return node.strip if index.column() == SourceColumn.STRIP else None
        return answer(cells[index.column()], role)

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the title of a column."""
        wanted = orientation is Qt.Orientation.Horizontal and section < len(self._titles)
        return self._titles[section] if wanted and role == Qt.ItemDataRole.DisplayRole else None

    def _node(self, index: _Index) -> SourceNode | None:
        return index.internalPointer() if index.isValid() else None

    def _children(self, node: SourceNode | None) -> Sequence[SourceNode]:
        if node is None:
            return self._roots
        return self.tree.children(node) if self.tree is not None else ()
