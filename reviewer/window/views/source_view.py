"""A stored version with what of it was delivered, cited and missing."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from reviewer.display import one_line
from reviewer.window.cut_choice import CutChoice
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, trn
from reviewer.window.panels import Panel
from reviewer.window.place import Place
from reviewer.window.presenters.places import citation_place
from reviewer.window.presenters.source_text import (
    CitedPlace,
    SourceText,
    cited_places,
    compose_source,
    coverage_words,
    title_of,
)
from reviewer.window.presenters.words import integrity_words, span_words
from reviewer.window.views.following import follow_language
from reviewer.window.views.text_pane import TextPane
from store.records.findings import Audit, SourceFacts
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["PANEL", "SourceView"]

_TAB = "source"
_VERSION_COLUMNS = 16


class SourceView(QWidget):
    """One version of a source; its versions can be chosen, its gaps and citations walked."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._page: SourceText | None = None
        self._cited: tuple[CitedPlace, ...] = ()
        self._shown: tuple[int, VersionKey] | None = None
        self._source: SourceFacts | None = None
        self.setObjectName("source_view")
        self.title, self.facts = QLabel(self), QLabel(self)
        for name, label in (("source_title", self.title), ("source_facts", self.facts)):
            label.setObjectName(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.versions = CutChoice(_VERSION_COLUMNS, self)
        self.versions.setObjectName("source_versions")
        self.citations = QListWidget(self)
        self.citations.setObjectName("source_citations")
        self.pane = TextPane("source", self)
        self.pane.where = self._where
        self.pane.filled = self._fill
        self._lay_out()
        self.versions.activated.connect(self._on_version)
        self.citations.itemActivated.connect(self._on_citation)
        self.citations.itemClicked.connect(self._on_citation)
        desk.moved.connect(self._fill)
        desk.opened.connect(self._fill)
        desk.closed.connect(self._fill)
        self.retell()
        follow_language(self, self.retell)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(8, 6, 8, 2)
        head.addWidget(self.title, 1)
        head.addWidget(self.versions)
        column.addLayout(head)
        self.facts.setContentsMargins(8, 0, 8, 6)
        column.addWidget(self.facts)
        halves = QSplitter(Qt.Orientation.Vertical, self)
        halves.setObjectName("source_halves")
        halves.addWidget(self.pane)
        halves.addWidget(self.citations)
        halves.setStretchFactor(0, 4)
        halves.setStretchFactor(1, 1)
        column.addWidget(halves, 1)
        self.pane.set_tab_order(self.versions, self.citations)

    def retell(self) -> None:
        """Take every word anew: the language changed."""
        self.setAccessibleName(tr("Source"))
        self.versions.setAccessibleName(tr("Version"))
        self.citations.setAccessibleName(tr("Citations of this source"))
        self.pane.view.setAccessibleName(tr("Text of the stored version"))
        self._shown = None
        if self._page is None:
            # Also where it is out of sight, since it may have been seen before a run came.
            self._empty(tr("No run is open."))
        self._fill()

    def find_here(self) -> None:
        """Begin to find in this version."""
        self.pane.find_here()

    def selected_text(self) -> str:
        """Return what is selected, as it was recorded."""
        return self.pane.view.selected_text()

    # -- filling -----------------------------------------------------------------

    def _fill(self, *_: object) -> None:
        """Show the present version; at once if it is in sight, else when it is."""
        if not self.isVisible():
            return
        place, audits = self._desk.place, self._desk.audits
        audit = audits[place.run] if 0 <= place.run < len(audits) else None
        if audit is None:
            self._empty(tr("No run is open."))
            return
        key = place.source or self._key_kept(audit)
        found = self._facts(audit, key) if key is not None else None
        if found is None:
            self._empty(tr("Choose a source or a citation to see its stored text."))
            return
        source, at = found
        wanted = (id(audit), source.versions[at].version.key)
        if wanted != self._shown:
            self._shown, self._source = wanted, source
            self._compose(audit, source, at)
        self._reveal(place)

    def _key_kept(self, audit: Audit) -> VersionKey | None:
        """The version shown before, as long as the place names no other."""
        return self._shown[1] if self._shown is not None and self._shown[0] == id(audit) else None

    @staticmethod
    def _facts(audit: Audit, key: VersionKey) -> tuple[SourceFacts, int] | None:
        for source in audit.sources:
            for at, facts in enumerate(source.versions):
                if facts.version.key == key:
                    return source, at
        return None

    def _empty(self, words: str) -> None:
        self._page, self._shown, self._source, self._cited = None, None, None, ()
        self.title.setText(words)
        self.facts.clear()
        self.versions.clear()
        self.versions.hide()
        self.citations.clear()
        self.pane.view.set_text("")

    def _compose(self, audit: Audit, source: SourceFacts, at: int) -> None:
        facts = source.versions[at]
        page = compose_source(facts)
        self._page, self._cited = page, tuple(cited_places(audit, page))
        name = source.source_id if not source.title else f"{source.title} · {source.source_id}"
        self.title.setText(one_line(name))
        sign, _, words = integrity_words(facts.version.integrity)
        parts = [f"{sign} {words}"]
        if not page.stored and page.text:
            parts.append(tr("What is shown comes from elsewhere in the record."))
        parts.append(coverage_words(facts))
        parts.append(trn("{n} citation", "{n} citations", len(self._cited)))
        self.facts.setText(" · ".join(parts))
        self.facts.setAccessibleName(self.facts.text())
        self.versions.clear()
        for each in source.versions:
            self.versions.addItem(title_of(each.version))
            self.versions.setItemData(
                self.versions.count() - 1,
                one_line(each.version.key.version_id),
                Qt.ItemDataRole.AccessibleDescriptionRole,
            )
        self.versions.setCurrentIndex(at)
        self.versions.show()
        self._list()
        absent = tr("There is no text to show.")
        self.pane.bar.partial = not page.whole
        self.pane.view.empty_words = "" if page.whole else f"{sign} {words} {absent}"
        self.pane.view.set_text(
            page.text,
            page.marks(self._cited),
            page.gutter(self._cited),
            page.number_of,
            page.languages,
        )
        self.pane.bar.look()

    def _list(self) -> None:
        self.citations.clear()
        for one in self._cited:
            item = QListWidgetItem(one.words)
            item.setData(Qt.ItemDataRole.UserRole, one.index)
            self.citations.addItem(item)
        self.citations.setVisible(bool(self._cited))

    def _reveal(self, place: Place) -> None:
        page = self._page
        if page is None:
            return
        for row, one in enumerate(self._cited):
            if one.index == place.citation:
                self.citations.setCurrentRow(row)
                if one.spans:
                    self.pane.view.reveal(one.spans[0])
                return
        self.citations.setCurrentRow(-1)
        if place.source == page.facts.version.key and place.span is not None:
            spans = page.on_page(place.span, page.facts.unit)
            if spans:
                self.pane.view.reveal(Span(spans[0].start, spans[-1].end))

    # -- moving ------------------------------------------------------------------

    def next_gap(self) -> bool:
        """Show the next gap; return whether there is one."""
        return self._gap(forward=True)

    def previous_gap(self) -> bool:
        """Show the gap before; return whether there is one."""
        return self._gap(forward=False)

    def _gap(self, *, forward: bool) -> bool:
        gaps = self._page.gaps if self._page is not None else ()
        if not gaps:
            return False
        here = self.pane.view.selection().start
        if forward:
            gap = next((one for one in gaps if one.start > here), gaps[0])
            if self.pane.view.selection() not in gaps and gaps[0].start == here == 0:
                gap = gaps[0]
        else:
            gap = next((one for one in reversed(gaps) if one.start < here), gaps[-1])
        self.pane.view.reveal(gap)
        return True

    def _on_version(self, index: int) -> None:
        if self._source is None or not 0 <= index < len(self._source.versions):
            return
        key = self._source.versions[index].version.key
        place = replace(self._desk.place, source=key, span=None, citation=None, tab=_TAB)
        self._desk.go(place)

    def _on_citation(self, item: QListWidgetItem) -> None:
        index = item.data(Qt.ItemDataRole.UserRole)
        self._desk.go(citation_place(self._desk.audit(), self._desk.place.run, index, _TAB))

    def _where(self, span: Span) -> str:
        page = self._page
        if page is None:
            return ""
        first = page.in_version(span.start)
        last = page.in_version(max(span.end - 1, span.start))
        if first is None or last is None:
            return tr("not part of the version")
        end = first.start if not span.length else last.end
        return span_words(Span(first.start, max(end, first.start)), page.facts.unit)


PANEL = Panel(_TAB, "Source", "centre", 40, SourceView)
