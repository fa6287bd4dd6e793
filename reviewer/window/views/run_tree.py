"""The run: its calls and its sources, under one filter."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QSplitter,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from reviewer.filter.columns import by_name
from reviewer.filter.tree import EVERYTHING, Tree, columns_of
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr
from reviewer.window.models.roles import Role
from reviewer.window.models.rows import RowModel
from reviewer.window.models.source_tree import SourceModel
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.calls import CallTable
from reviewer.window.presenters.filters import shown_words
from reviewer.window.presenters.sources import SourceColumn, SourceNode, SourceTree
from reviewer.window.views.filter_bar import FilterBar
from reviewer.window.views.following import follow_language
from reviewer.window.views.row_table import RowTable
from reviewer.window.views.scaling import keep_columns
from reviewer.window.views.strip_delegate import StripDelegate
from store.records.findings import Audit
from store.records.text import Span

__all__ = ["PANEL", "RunTree"]

_OPEN_UP_TO = 30
"""So many sources that a filter leaves are shown with their versions."""


class RunTree(QWidget):
    """Calls above, sources below; a filter on columns of one leaves the other as it is."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("run_tree")
        self._desk = desk
        self._run: int | None = None
        self._audit: Audit | None = None
        self._following = False
        self.filter = FilterBar("run_filter", self)
        self.calls = RowModel(parent=self)
        self.call_view = RowTable(self.calls, self)
        self.call_view.setObjectName("run_calls")
        self.sources = SourceModel(parent=self)
        self.source_view = QTreeView(self)
        self.source_view.setObjectName("run_sources")
        self.call_title = QLabel(self)
        self.call_title.setObjectName("run_calls_title")
        self.source_title = QLabel(self)
        self.source_title.setObjectName("run_sources_title")
        self._strips = StripDelegate(self)
        self._set_up_sources()
        self._lay_out()
        self.filter.changed.connect(self._filtered)
        self.calls.arranged.connect(self._count)
        self.call_view.chosen.connect(self._call_chosen)
        self.source_view.selectionModel().selectionChanged.connect(self._source_chosen)
        self._strips.clicked.connect(self._strip_clicked)
        desk.moved.connect(self._follow)
        desk.opened.connect(self._opened)
        desk.closed.connect(self._closed)
        follow_language(self, self.retranslate)
        self._load(desk.place)
        self.retranslate()

    def _set_up_sources(self) -> None:
        view = self.source_view
        view.setModel(self.sources)
        view.setUniformRowHeights(True)
        view.setAlternatingRowColors(True)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.setItemDelegateForColumn(SourceColumn.STRIP, self._strips)
        header = view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        digit = view.fontMetrics().horizontalAdvance("0")
        for column, characters in zip(SourceColumn, (18, 10, 32, 16, 6), strict=True):
            header.resizeSection(column, characters * digit)
        keep_columns(view)

    def _lay_out(self) -> None:
        self.call_view.widths(4, 15, 15, 8, 9, 10, 16)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("run_splitter")
        splitter.setChildrenCollapsible(False)
        pairs = ((self.call_title, self.call_view), (self.source_title, self.source_view))
        for title, view in pairs:
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setWordWrap(True)
            title.setContentsMargins(6, 2, 6, 2)
            title.setBuddy(view)
            part = QWidget(splitter)
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(title)
            column.addWidget(view, 1)
            splitter.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.filter)
        column.addWidget(splitter, 1)
        QWidget.setTabOrder(self.filter.earlier, self.call_view)
        QWidget.setTabOrder(self.call_view, self.source_view)
        self.filter.count.hide()

    # -- following the desk -------------------------------------------------------

    def _opened(self, run: int) -> None:
        if run == self._desk.place.run:
            self._load(self._desk.place)

    def _closed(self) -> None:
        self._run, self._audit = None, None
        self.calls.set_table(None)
        self.sources.set_tree(None)
        self.filter.set_columns({})
        self._count()

    def _load(self, place: Place) -> None:
        if place.run >= len(self._desk.audits):
            return
        audit = self._desk.audit(place.run)
        self._run, self._audit = place.run, audit
        calls, sources = CallTable(audit, place.run), SourceTree(audit, place.run)
        self.calls.set_table(calls)
        self.sources.set_tree(sources)
        self.filter.set_columns(by_name([*calls.columns.values(), *sources.columns.values()]))
        self._filtered(self.filter.tree)

    def _follow(self, place: Place) -> None:
        held = self._desk.audits
        same = self._run == place.run and place.run < len(held)
        if not same or held[place.run] is not self._audit:
            self._load(place)
        self._show_place()

    def _show_place(self) -> None:
        place = self._desk.place
        table = self.calls.table
        if isinstance(table, CallTable):
            self.call_view.show_row(table.row_of(place))
        self._following = True
        try:
            self._show_source(place)
        finally:
            self._following = False

    def _show_source(self, place: Place) -> None:
        view = self.source_view
        node = self._selected().data(Role.NODE)
        if place.source is None:
            view.setCurrentIndex(QModelIndex())
            view.clearSelection()
        elif not (isinstance(node, SourceNode) and node.key == place.source):
            # Where a block or the source of this version is chosen, it stays so.
            index = self.sources.index_of(place.source)
            view.setCurrentIndex(index)
            view.scrollTo(index)

    # -- choosing -----------------------------------------------------------------

    def _call_chosen(self, row: int) -> None:
        table = self.calls.table
        if table is not None:
            self._desk.go(table.place(row))

    def _selected(self) -> QModelIndex:
        rows = self.source_view.selectionModel().selectedRows()
        return rows[0] if rows else QModelIndex()

    def _source_chosen(self) -> None:
        node = self._selected().data(Role.NODE)
        if not self._following and isinstance(node, SourceNode) and node.key is not None:
            self._desk.go(self._selected().data(Role.PLACE))

    def _strip_clicked(self, node: SourceNode, span: Span) -> None:
        if self.sources.tree is not None:
            self._desk.go(replace(self.sources.tree.place(node), span=span))

    # -- what is shown ------------------------------------------------------------

    def _filtered(self, tree: Tree) -> None:
        named = columns_of(tree)
        calls, sources = self.calls.table, self.sources.tree
        if calls is not None:
            fits = named <= calls.columns.keys()
            wish = replace(self.calls.wish, tree=tree if fits else EVERYTHING)
            if wish != self.calls.wish:
                self.calls.arrange(wish)
        if sources is not None:
            fits = named <= sources.columns.keys()
            if self.sources.filter != (tree if fits else EVERYTHING):
                self.sources.arrange(tree if fits else EVERYTHING)
            if tree != EVERYTHING and fits and self.sources.shown <= _OPEN_UP_TO:
                self.source_view.expandAll()
        self._count()
        self._show_place()

    def _count(self) -> None:
        tree = self.filter.tree
        parts = (
            (self.call_title, tr("Calls"), self.calls, self.calls.wish.tree),
            (self.source_title, tr("Sources"), self.sources, self.sources.filter),
        )
        for label, title, model, used in parts:
            words = f"{title} · {shown_words(model.shown, model.total)}"
            if tree != used:
                words += " · " + tr("the filter names columns that are not here")
            label.setText(words)

    def retranslate(self) -> None:
        """Show everything in the present language."""
        self.filter.retranslate()
        self.call_view.setAccessibleName(tr("Calls"))
        self.source_view.setAccessibleName(tr("Sources"))
        self.calls.retranslate()
        if self.sources.tree is not None:
            self.sources.arrange(self.sources.filter)
        self._count()
        self._show_place()


def _make(desk: Desk, parent: QWidget | None) -> QWidget:
    return RunTree(desk, parent)


PANEL = Panel("run", "Run", "run", 0, _make)
