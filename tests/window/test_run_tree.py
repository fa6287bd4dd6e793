"""The run: calls and sources side by side, the strip of a version, and where all of it leads."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.audit.strips import Strip, strip
from reviewer.services.auditing import audit_paths
from reviewer.window.desk import Desk
from reviewer.window.models.roles import Role
from reviewer.window.models.source_tree import FETCHED, SourceModel
from reviewer.window.place import Place
from reviewer.window.presenters.calls import CallColumn
from reviewer.window.presenters.sources import SourceColumn, SourceTree
from reviewer.window.views.run_tree import RunTree
from reviewer.window.views.strip_delegate import OPEN_END, position_at
from store.records.findings import Audit, State
from store.records.sources import VersionKey
from store.records.text import Span


@pytest.fixture
def view(desk: Desk, qtbot: QtBot) -> RunTree:
    view = RunTree(desk)
    qtbot.addWidget(view)
    view.resize(700, 800)
    view.show()
    return view


def came_back(view: RunTree) -> list[str]:
    model = view.calls
    return [str(model.index(row, CallColumn.FORM).data()) for row in range(model.rowCount())]


def root(view: RunTree, name: str) -> QModelIndex:
    model = view.sources
    found = [model.index(row, 0) for row in range(model.rowCount())]
    return next(index for index in found if index.data() == name)


def key(audit: Audit, source_id: str) -> VersionKey:
    source = next(each for each in audit.sources if each.source_id == source_id)
    return source.versions[-1].version.key


def test_each_call_says_in_which_form_its_tool_calls_came_back(view: RunTree) -> None:
    assert came_back(view) == [
        "☰ listing",
        "● full",
        "◐ truncated",
        "● full",
        "● full",
        "▢ placeholder",
        "⊘ refused",
        "–",
    ]


def test_the_tip_of_a_call_says_what_became_of_its_result(view: RunTree) -> None:
    tip = str(view.calls.index(1, CallColumn.FORM).data(Qt.ItemDataRole.ToolTipRole))
    assert "read_file (t2): all that was asked for" in tip
    assert "cleared from call 5 on, whole for the last time in call 4" in tip


def test_a_chosen_call_opens_its_model_view(view: RunTree, desk: Desk) -> None:
    view.call_view.setCurrentIndex(view.calls.index(3, 0))
    assert desk.place == Place(call=4, tab="model")


def test_a_chosen_source_opens_the_source_at_its_version(
    view: RunTree, desk: Desk, audits: list[Audit]
) -> None:
    view.source_view.setCurrentIndex(root(view, "logs/gateway.log"))
    assert desk.place == Place(source=key(audits[0], "logs/gateway.log"), tab="source")


def test_a_chosen_block_opens_the_source_at_its_span(view: RunTree, desk: Desk) -> None:
    desk.go(Place(run=1))
    source = root(view, "管理办法")
    view.sources.fetchMore(source)
    version = view.sources.index(0, 0, source)
    view.sources.fetchMore(version)
    block = view.sources.index(1, 0, version)
    view.source_view.setCurrentIndex(block)
    assert desk.place.tab == "source"
    assert desk.place.span == Span(42, 82)
    assert view.source_view.currentIndex().data() == block.data() == "管理办法#二#审批"


def test_read_shares_are_counts_in_their_unit(view: RunTree, desk: Desk) -> None:
    shares = {
        str(view.sources.index(row, 0).data()): view.sources.index(row, SourceColumn.SHARE).data()
        for row in range(view.sources.rowCount())
    }
    assert shares["logs/ledger.log"] == "844 of 2,186 characters · 38 %"
    assert shares["runbooks/gateway.md"] == "2 versions"
    assert shares["notes/rota.md"] == "0 of 90 characters · 0 %"
    desk.go(Place(run=1))
    table = root(view, "设备清单").siblingAtColumn(SourceColumn.SHARE)
    assert table.data() == "12 of 12 rows, whole or in part"


def test_a_strip_has_words_for_those_who_listen(view: RunTree) -> None:
    index = root(view, "logs/ledger.log").siblingAtColumn(SourceColumn.STRIP)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "38 % delivered, one gap, one place cited"
    assert isinstance(index.data(Role.STRIP), Strip)


def test_a_click_in_the_strip_leads_to_that_place(
    view: RunTree, desk: Desk, audits: list[Audit]
) -> None:
    index = root(view, "logs/gateway.log").siblingAtColumn(SourceColumn.STRIP)
    rect = view.source_view.visualRect(index)
    viewport = view.source_view.viewport()
    place = QPoint(rect.left() + rect.width() // 4, rect.center().y())
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert desk.place.source == key(audits[0], "logs/gateway.log")
    assert desk.place.span is not None
    three_pixels = 3 * 2980 / rect.width()  # the bar has an edge
    assert abs(desk.place.span.start - 2980 // 4) < three_pixels


def test_a_click_close_to_a_cited_place_leads_to_the_cited_span(audits: list[Audit]) -> None:
    found = strip(audits[0], key(audits[0], "logs/gateway.log"))
    assert found is not None
    assert position_at(found, 1380 * 200 / 2980 + 2, 200) == Span(1340, 1421)
    assert position_at(found, -5, 200) == Span(0, 1)
    assert position_at(found, 999, 200) == Span(2979, 2980)


def test_a_gap_too_small_for_a_pixel_is_painted_all_the_same(
    view: RunTree, audits: list[Audit], qtbot: QtBot
) -> None:
    facts = next(s for s in audits[0].sources if s.source_id == "logs/gateway.log").versions[0]
    holed = replace(facts, delivered=(Span(0, 1500), Span(1501, 2980)), gaps=(Span(1500, 1501),))
    source = replace(
        next(s for s in audits[0].sources if s.source_id == "logs/gateway.log"), versions=(holed,)
    )
    desk = Desk()
    desk.add(replace(audits[0], sources=(source,), citations=()))
    other = RunTree(desk)
    qtbot.addWidget(other)
    other.resize(700, 500)
    other.show()
    index = other.sources.index(0, SourceColumn.STRIP)
    rect = other.source_view.visualRect(index)
    picture = other.source_view.viewport().grab(rect).toImage()
    line = [picture.pixelColor(x, rect.height() // 2).name() for x in range(10, rect.width() - 10)]
    assert len(set(line)) > 1
    assert view.isVisible()


def test_the_filter_works_on_both_and_says_where_it_does_not_fit(
    view: RunTree, audits: list[Audit]
) -> None:
    view.filter.set_text("form == placeholder")
    assert came_back(view) == ["▢ placeholder"]
    assert view.call_title.text() == "Calls · 1 of 8 shown"
    assert view.source_title.text().endswith("the filter names columns that are not here")
    view.filter.set_text("state == placeholder and cited > 0")
    assert view.call_title.text().startswith("Calls · 8 of 8 shown · the filter names")
    cited = {facts.source_id for facts in audits[0].citations}
    held = [v for s in audits[0].sources if s.source_id in cited for v in s.versions[-1:]]
    wanted = [v for v in held if v.state_at_answer is State.PLACEHOLDER]
    assert view.sources.rowCount() == view.sources.shown == len(wanted) > 0
    view.filter.set_text("gateway")
    assert (view.calls.shown, view.sources.shown) == (0, 2)


def test_only_versions_that_are_asked_for_are_shown(view: RunTree) -> None:
    view.filter.set_text("source == runbooks/gateway.md and share > 50")
    source = root(view, "runbooks/gateway.md")
    assert view.sources.rowCount(source) == 1


def test_the_view_follows_the_desk_without_answering(
    view: RunTree, desk: Desk, audits: list[Audit]
) -> None:
    place = Place(call=3, source=audits[0].sources[0].versions[1].version.key, tab="model")
    desk.go(place)
    assert desk.place == place
    assert view.call_view.currentIndex().row() == 2
    assert view.source_view.currentIndex().parent().data() == "runbooks/gateway.md"
    desk.go(Place(run=1, call=2))
    assert view.calls.total == 7
    assert view.call_view.currentIndex().row() == 1
    desk.clear()
    assert (view.calls.total, view.sources.total) == (0, 0)


def test_the_language_changes_while_the_view_is_open(
    view: RunTree, speak: Callable[[str], None]
) -> None:
    speak("zh_CN")
    assert came_back(view)[1] == "● 完整"
    assert view.call_title.text() == "调用 · 显示 8／8"
    assert view.sources.headerData(0, Qt.Orientation.Horizontal) == "来源"


def test_every_control_has_a_name(view: RunTree) -> None:
    for control in (view.filter.edit, view.call_view, view.source_view):
        assert control.accessibleName(), control.objectName()


@pytest.mark.parametrize("run", [0, 1])
def test_the_model_of_sources_keeps_the_rules_of_qt(
    audits: list[Audit], run: int, qtlog: object, qapp: QApplication
) -> None:
    model = SourceModel(SourceTree(audits[run]))
    tester = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Warning, model
    )
    for row in range(model.rowCount()):
        model.fetchMore(model.index(row, 0))
    assert tester.model() is model
    qapp.processEvents()
    assert getattr(qtlog, "records", None) == []


def test_sources_are_fetched_as_they_are_looked_at(audits: list[Audit]) -> None:
    base = audits[0].sources[2]
    sources = tuple(replace(base, source_id=f"s{n}", versions=()) for n in range(3 * FETCHED))
    model = SourceModel(SourceTree(replace(audits[0], sources=sources)))
    assert model.rowCount() == FETCHED
    assert model.canFetchMore(QModelIndex())
    model.fetchMore(QModelIndex())
    assert model.rowCount() == 2 * FETCHED
    assert model.total == 3 * FETCHED


@pytest.mark.parametrize(
    "name", ["coverage-facts", "evidence-tools", "folded-reference", "retrieval-admission"]
)
def test_recorded_runs_are_shown_whole(shared: Path, name: str, qtbot: QtBot) -> None:
    desk = Desk()
    for found in audit_paths([str(shared / "data" / "scenarios" / name)], tokens=False):
        if isinstance(found, Audit):
            desk.add(found)
    view = RunTree(desk)
    qtbot.addWidget(view)
    view.show()
    view.source_view.expandAll()
    view.grab()
    assert view.calls.shown == len(desk.audit().calls)
    assert view.sources.shown == len(desk.audit().sources)


def test_a_version_of_unknown_length_does_not_look_whole(audits: list[Audit]) -> None:
    found = strip(audits[0], audits[0].sources[0].versions[-1].version.key)
    assert found is not None
    end = Span(found.extent.end - 1, found.extent.end)
    assert position_at(found, 100, 100) == end
    opened = replace(found, open_ended=True)
    assert position_at(opened, 100 - OPEN_END, 100) == end
    assert position_at(opened, 100, 100) == end
