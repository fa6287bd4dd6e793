"""The findings: every citation and finding of the run, to work through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QVBoxLayout, QWidget

from reviewer.filter.tree import Tree
from reviewer.window.desk import Desk
from reviewer.window.i18n import language, tr, trn
from reviewer.window.models.roles import Role
from reviewer.window.models.rows import INLINE, Layout, RowModel
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.filters import shown_words
from reviewer.window.presenters.reviews import GROUPS, ReviewColumn, ReviewTable
from reviewer.window.tasks import Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.views.filter_bar import FilterBar
from reviewer.window.views.following import follow_language
from reviewer.window.views.row_table import RowTable
from store.records.findings import Audit
from store.records.grades import Grade

__all__ = ["PANEL", "FindingsView"]


class FindingsView(QWidget):
    """A filter, a choice of grouping and the table; a chosen row moves every other region."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findings")
        self._desk = desk
        self._table: ReviewTable | None = None
        self._loading: int | None = None
        self._worker = Worker(self)
        worker = self._worker
        self.destroyed.connect(lambda: worker.close())  # noqa: PLW0108 - without its argument
        self.model = RowModel(parent=self)
        self.model.run = self._run
        self.filter = FilterBar("findings_filter", self)
        self.group = QComboBox(self)
        self.group.setObjectName("findings_group")
        self.group.view().setObjectName("findings_group_choices")
        self.hidden = QLabel(self)
        self.hidden.setObjectName("findings_hidden")
        self.hidden.setTextFormat(Qt.TextFormat.PlainText)
        self.hidden.setContentsMargins(8, 0, 8, 4)
        self.hidden.hide()
        self.view = RowTable(self.model, self)
        self.view.setObjectName("findings_table")
        self._lay_out()
        self.filter.changed.connect(self._filtered)
        self.group.currentIndexChanged.connect(self._grouped)
        self.model.arranged.connect(self._arranged)
        self.model.waiting.connect(self._waiting)
        self.view.chosen.connect(self._chosen)
        self.view.asked.connect(self._menu)
        desk.moved.connect(self._follow)
        desk.opened.connect(self._opened)
        desk.closed.connect(self._closed)
        desk.decisions.changed.connect(self._decided)
        follow_language(self, self.retranslate)
        self.retranslate()
        self._load(desk.place)

    def _lay_out(self) -> None:
        self.filter.put_beside(self.group)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.filter)
        column.addWidget(self.hidden)
        column.addWidget(self.view, 1)
        # A verdict in another language stands behind its name in the record.
        verdict = 19 if language() == "en" else 25
        self.view.widths(verdict, 9, 13, 7, 4, 18, 46, 40, 34, 11, 10, 10)

    # -- steps --------------------------------------------------------------------

    @property
    def loaded(self) -> bool:
        """Whether the rows of the present run are shown, in the order that was asked for."""
        table, run = self._table, self._desk.place.run
        held = self._desk.audits
        return (
            table is not None and table.run == run and run < len(held) and table.audit is held[run]
        )

    def next_row(self) -> bool:
        """Choose the next row in the order shown; tell whether there is one."""
        return self.view.step(1)

    def previous_row(self) -> bool:
        """Choose the row before in the order shown; tell whether there is one."""
        return self.view.step(-1)

    def next_undecided(self) -> bool:
        """Choose the next row shown that nobody decided on, going round; tell if there is one."""
        table, lines = self._table, self.model.rowCount()
        if table is None:
            return False
        here, start = self.view.selected_line(), self.view.next_line(1)
        for line in (*range(start, lines), *range(min(start, lines))):
            row = self.model.table_row(line)
            if row is not None and line != here and table.undecided(row):
                self.view.choose(line)
                return True
        return False

    # -- following the desk -------------------------------------------------------

    def _opened(self, run: int) -> None:
        if run == self._desk.place.run:
            self._load(self._desk.place)

    def _closed(self) -> None:
        self._worker.cancel("load")
        self._loading = None
        self._table = None
        self.model.set_table(None)
        self.filter.set_columns({})

    def _follow(self, place: Place) -> None:
        if self._table is None or not self.loaded:
            self._load(place)
        self._show_place()

    def _load(self, place: Place) -> None:
        if place.run >= len(self._desk.audits) or place.run == self._loading:
            return
        audit, run = self._desk.audit(place.run), place.run
        if len(audit.citations) + len(audit.findings) <= INLINE:
            self._loaded(self._made(audit, run))
            return
        self._loading = run
        self._waiting()
        self._worker.run(
            Operation("load", lambda _token, _tell: self._made(audit, run), self._loaded)
        )

    def _made(self, audit: Audit, run: int) -> ReviewTable:
        return ReviewTable(audit, run, lambda: self._desk.decisions.states(run))

    def _decided(self, run: int) -> None:
        if self._table is not None and self._table.run == run:
            self.model.refresh("decision")

    def _loaded(self, table: ReviewTable) -> None:
        self._loading = None
        self._table = table
        self.filter.set_columns(table.columns)
        self.model.set_table(table)
        self.view.setColumnHidden(ReviewColumn.BASELINE, not table.compared)
        # It is compared on purpose: what it says stands where it is seen without scrolling.
        heads = self.view.horizontalHeader()
        heads.moveSection(heads.visualIndex(ReviewColumn.BASELINE), ReviewColumn.DECISION)
        if table.run == self._desk.place.run and not self.loaded:
            self._load(self._desk.place)  # it was read anew meanwhile

    def _show_place(self) -> None:
        row = self._table.row_of(self._desk.place) if self._table is not None else None
        shown = self.view.show_row(row)
        self._note(hides=row is not None and not shown)

    def _chosen(self, row: int) -> None:
        if self._table is not None:
            place = self._table.place(row)
            self._desk.go(replace(place, tab=self._desk.place.tab))
            self.hidden.hide()

    # -- what is shown ------------------------------------------------------------

    def _filtered(self, tree: Tree) -> None:
        self.model.arrange(replace(self.model.wish, tree=tree))

    def _grouped(self, _index: int) -> None:
        self.model.arrange(replace(self.model.wish, group=self.group.currentData() or ""))

    def _arranged(self) -> None:
        self._count()
        self._show_place()

    def _note(self, *, hides: bool) -> None:
        """Say why the row of the present place, or any row, is not to be seen."""
        nothing = self._table is not None and not len(self._table)
        self.hidden.setText(
            _nothing(self._table.audit)
            if nothing and self._table is not None
            else tr("The filter hides the row of the present place.")
        )
        self.hidden.setVisible(nothing or hides)

    def _count(self) -> None:
        words = shown_words(self.model.shown, self.model.total)
        audit = self._table.audit if self._table is not None else None
        if audit is not None:
            cited = trn("one citation", "{n} citations", len(audit.citations))
            found = trn("one finding", "{n} findings", len(audit.findings))
            self.filter.count.setToolTip(f"{cited}, {found}")
        self.filter.count.setText(words)

    def _waiting(self) -> None:
        self.filter.count.setText(tr("Looking …"))

    def _run(self, work: Callable[[], Layout], done: Callable[[Layout], None]) -> None:
        self._worker.run(Operation("findings", lambda _token, _tell: work(), done))

    def retranslate(self) -> None:
        """Show everything in the present language."""
        chosen = self.group.currentData() or ""
        titles = {"rule": tr("By rule"), "source": tr("By source"), "call": tr("By call")}
        self.group.blockSignals(True)  # noqa: FBT003 - Qt's signature
        self.group.clear()
        self.group.addItem(tr("Not grouped"), "")
        for name in GROUPS:
            self.group.addItem(titles[name], name)
        self.group.setCurrentIndex(self.group.findData(chosen))
        self.group.blockSignals(False)  # noqa: FBT003 - Qt's signature
        self.group.setAccessibleName(tr("Group the findings"))
        self.group.view().setAccessibleName(tr("Group the findings"))
        self.view.setAccessibleName(tr("Citations and findings"))
        self.filter.retranslate()
        self.model.retranslate()
        self._count()
        self._show_place()

    # -- the menu of a cell -------------------------------------------------------

    def _menu(self, index: QModelIndex, place: QPoint) -> None:
        menu = self.menu_of(index)
        if menu is not None:
            menu.popup(place)

    def menu_of(self, index: QModelIndex) -> QMenu | None:
        """Return the menu of a cell: its value as filter, or excluded."""
        row = index.data(Role.ROW)
        if row is None or self._table is None:
            return None
        column = self._table.headings()[index.column()].name
        value = self._table.value(row, column)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for exclude in (False, True):
            if value is None:
                continue
            words = self.filter.condition(column, value, exclude=exclude)
            title = (
                tr("Exclude: {condition}", condition=words)
                if exclude
                else tr("As filter: {condition}", condition=words)
            )
            entry = menu.addAction(title.replace("&", "&&"))
            entry.triggered.connect(
                lambda _=False, value=value, exclude=exclude: self.filter.narrow(
                    column, value, exclude=exclude
                )
            )
        if value is None:
            menu.addAction(tr("The cell has no value")).setEnabled(False)
        return menu


def _make(desk: Desk, parent: QWidget | None) -> QWidget:
    return FindingsView(desk, parent)


PANEL = Panel("findings", "Findings", "findings", 0, _make)


def _nothing(audit: Audit) -> str:
    """Say that nothing was found, and of how many calls that says nothing."""
    if not audit.calls:
        return tr("This run holds no model call, so there was nothing to check.")
    unknown = sum(call.grade is Grade.UNKNOWN for call in audit.calls)
    if not unknown:
        return tr("This run cites nothing, and no rule found anything.")
    return tr(
        "This run cites nothing, and no rule found anything; "
        "{n} of {total} calls could not be decided, since their requests are not proven.",
        n=f"{unknown:,}",
        total=f"{len(audit.calls):,}",
    )
