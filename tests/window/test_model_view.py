"""The model view and the source view: they follow the reviewer and lead further."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from reviewer.window.desk import Desk
from reviewer.window.place import Place
from reviewer.window.presenters.model_text import ModelText
from reviewer.window.presenters.places import citation_place, gap_step
from reviewer.window.views import model_view
from reviewer.window.views.model_view import ModelView
from reviewer.window.views.source_view import SourceView
from store.records.findings import Form, Verdict
from store.records.sources import Integrity
from tests.made import HOSTILE, made_audit


def in_sight(qtbot: QtBot, view: QWidget) -> None:
    """Show *view*."""
    qtbot.addWidget(view)
    view.resize(1000, 700)
    with qtbot.waitExposed(view):
        view.show()


@pytest.fixture
def model(qtbot: QtBot, desk: Desk) -> ModelView:
    """Give the model view, in sight."""
    view = ModelView(desk)
    in_sight(qtbot, view)
    return view


@pytest.fixture
def source(qtbot: QtBot, desk: Desk) -> SourceView:
    """Give the source view, in sight."""
    view = SourceView(desk)
    in_sight(qtbot, view)
    return view


def test_the_evidence_of_every_citation_is_selected_in_what_the_model_was_given(
    desk: Desk, model: ModelView
) -> None:
    shown = 0
    for run, one in enumerate(desk.audits):
        for facts in one.citations:
            if facts.evidence is None:
                continue
            desk.go(citation_place(one, run, facts.index, "model"))
            assert model.selected_text() == facts.evidence.text
            assert f"Call {facts.evidence.call} of" in model.banner.text()
            span = facts.evidence.message_span
            place = f"message {facts.evidence.message}, part 0, characters "
            assert model.pane.place.text().startswith(f"{place}[{span.start}, {span.end})")
            shown += 1
    assert shown >= 3


def test_a_click_on_a_delivered_piece_moves_to_its_source(desk: Desk, model: ModelView) -> None:
    one = desk.audits[0]
    facts = next(c for c in one.citations if c.verdict is Verdict.READ)
    assert facts.evidence is not None
    desk.go(replace(citation_place(one, 0, facts.index, "model"), source=None, span=None))
    text = model.pane.view
    point = text.point_of(text.selection().start + 2)
    assert point is not None
    where = QPoint(round(point.x()), round(point.y()))
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert desk.place.source is not None
    assert desk.place.source.source_id == facts.source_id
    assert desk.place.tab == "model"
    assert desk.place.message == facts.evidence.message
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert desk.place.tab == "source"
    desk.back()
    assert desk.place.tab == "model"


def test_the_switch_shows_what_changed_and_says_what_it_leaves_out(
    desk: Desk, model: ModelView
) -> None:
    one = desk.audits[0]
    call = len(one.run.calls)
    desk.go(Place(run=0, call=call, tab="model"))
    everything = model.pane.view.text
    model.changes.setChecked(True)
    assert len(model.pane.view.text) < len(everything)
    assert "not repeated here" in model.pane.view.text
    added = one.run.messages[one.run.request(call)[-1]].parts[0].text
    assert added in model.pane.view.text
    model.find_here()
    model.pane.bar.edit.setText("no such words")
    model.pane.bar.look()
    assert model.pane.bar.count.text() == "not in what is shown here"
    desk.go(Place(run=0, call=1, tab="model"))
    assert not model.changes.isEnabled()


def test_a_view_out_of_sight_composes_nothing_until_it_is_seen(
    desk: Desk, model: ModelView
) -> None:
    before = model.pane.view.text
    model.hide()
    desk.go(Place(run=1, call=2, tab="answer"))
    assert model.pane.view.text == before
    model.show()
    assert model.pane.view.text != before


def test_find_here_counts_hits_and_walks_them(desk: Desk, model: ModelView, qtbot: QtBot) -> None:
    desk.go(Place(run=0, call=len(desk.audits[0].run.calls), tab="model"))
    model.find_here()
    bar = model.pane.bar
    QTest.keyClicks(bar.edit, "gateway")
    qtbot.waitUntil(lambda: model.pane.view.finding[2])
    hits = model.pane.view.text.lower().count("gateway")
    assert bar.count.text() == f"1 of {hits}"
    QTest.keyClick(bar.edit, Qt.Key.Key_Return)
    assert bar.count.text() == f"2 of {hits}"
    QTest.keyClick(bar.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(bar.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == f"{hits} of {hits}"
    QTest.keyClick(bar.edit, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert model.pane.view.hits.length == 0


def test_hostile_text_is_copied_from_the_record(qtbot: QtBot) -> None:
    desk = Desk()
    desk.add(made_audit())
    view = ModelView(desk)
    in_sight(qtbot, view)
    desk.go(Place(run=0, call=2, message=0, part=0, tab="model"))
    text = view.pane.view
    start = text.text.index(HOSTILE)
    point = text.point_of(start)
    assert point is not None
    text.setFocus()
    text.reveal(type(text.selection())(start, start + len(HOSTILE)))
    assert view.selected_text() == HOSTILE
    text.copy()
    assert QGuiApplication.clipboard().text() == HOSTILE.replace("\ud83d", "\ufffd")
    assert "U+FFFD" in view.pane.place.text()


def test_a_run_without_calls_says_so(qtbot: QtBot) -> None:
    desk = Desk()
    view = ModelView(desk)
    in_sight(qtbot, view)
    assert view.banner.text() == "No run is open."
    bare = made_audit()
    desk.add(replace(bare, run=replace(bare.run, calls=()), citations=(), deliveries=()))
    assert "holds no model call" in view.banner.text()


# -- the source view --------------------------------------------------------------


def test_every_cited_span_is_selected_in_the_stored_version(desk: Desk, source: SourceView) -> None:
    shown = 0
    for run, one in enumerate(desk.audits):
        texts = {v.version.key: v.version for s in one.sources for v in s.versions}
        for facts in one.citations:
            place = citation_place(one, run, facts.index, "source")
            held = texts.get(place.source) if place.source is not None else None
            desk.go(place)
            if held is None or held.text is None or place.span is None:
                continue
            if held.integrity is not Integrity.INTACT or facts.unit.value != "char":
                continue
            if place.span.end > len(held.text):
                continue
            assert source.selected_text() == held.text[place.span.start : place.span.end]
            row = source.citations.currentItem()
            assert row is not None
            assert f"citation {facts.index + 1}:" in row.text()
            shown += 1
    assert shown >= 5


def test_gaps_are_walked_round_in_both_directions(desk: Desk, source: SourceView) -> None:
    one = desk.audits[0]
    facts = next(v for s in one.sources for v in s.versions if v.gaps and v.version.text)
    desk.go(Place(run=0, source=facts.version.key, tab="source"))
    gaps = [(facts.version.text or "")[gap.start : gap.end] for gap in facts.gaps]
    for wanted in (*gaps, gaps[0]):
        assert source.next_gap()
        assert source.selected_text() == wanted
    assert source.previous_gap()
    assert source.selected_text() == gaps[-1]
    step = gap_step(one, desk.place, 1)
    assert step is not None
    desk.go(step)
    assert source.selected_text() == gaps[0]


def test_a_changed_version_says_so_and_where_its_text_comes_from(
    desk: Desk, source: SourceView
) -> None:
    one = desk.audits[0]
    changed = next(
        v.version
        for s in one.sources
        for v in s.versions
        if v.version.integrity is Integrity.CHANGED
    )
    desk.go(Place(run=0, source=changed.key, tab="source"))
    assert "no longer have their recorded SHA-256" in source.facts.text()
    assert ("comes from elsewhere" in source.facts.text()) == bool(changed.text)
    assert source.pane.view.text == (changed.text or "")


def test_where_there_is_no_text_nothing_is_said_to_be_absent_from_it(qtbot: QtBot) -> None:
    made = made_audit()
    (facts,) = made.sources[0].versions
    lost = replace(facts.version, text=None, integrity=Integrity.MISSING)
    sources = (replace(made.sources[0], versions=(replace(facts, version=lost),)),)
    desk = Desk()
    desk.add(replace(made, sources=sources))
    view = SourceView(desk)
    in_sight(qtbot, view)
    desk.go(Place(run=0, source=lost.key, tab="source"))
    assert view.pane.view.text == ""
    assert "missing" in view.pane.view.empty_words
    assert not view.next_gap()
    view.find_here()
    view.pane.bar.edit.setText("a")
    view.pane.bar.look()
    assert view.pane.bar.count.text() == "there is no text to look in"


def test_choosing_another_version_moves_there(desk: Desk, source: SourceView) -> None:
    one = desk.audits[0]
    many = next(s for s in one.sources if len(s.versions) > 1)
    desk.go(Place(run=0, source=many.versions[0].version.key, tab="source"))
    assert source.versions.count() == len(many.versions)
    source.versions.setCurrentIndex(1)
    source.versions.activated.emit(1)
    assert desk.place.source == many.versions[1].version.key
    assert source.pane.view.text == many.versions[1].version.text


def test_a_citation_of_the_list_moves_to_its_place(desk: Desk, source: SourceView) -> None:
    one = desk.audits[0]
    key = citation_place(one, 0, 0, "source").source
    desk.go(Place(run=0, source=key, tab="source"))
    source.citations.itemActivated.emit(source.citations.item(0))
    assert desk.place == citation_place(one, 0, 0, "source")


def test_both_views_speak_chinese_after_a_switch(
    desk: Desk, model: ModelView, source: SourceView, speak: Callable[[str], None]
) -> None:
    desk.go(citation_place(desk.audits[0], 0, 0, "model"))
    speak("zh_CN")
    for words in (model.banner.text(), model.changes.text(), source.facts.text()):
        assert any("\u4e00" <= char <= "\u9fff" for char in words)
    assert "── 消息" in model.pane.view.text
    speak("en")
    assert "── message" in model.pane.view.text


def test_every_part_of_both_views_has_a_name_and_can_be_reached(
    model: ModelView, source: SourceView
) -> None:
    for view in (model, source):
        for widget in view.findChildren(QWidget):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(view):
                assert widget.accessibleName(), widget.objectName()
                assert widget.objectName()


def test_delivered_forms_are_words_as_well_as_colours(qtbot: QtBot) -> None:
    made = made_audit()
    cut = replace(made.deliveries[0], form=Form.TRUNCATED)
    desk = Desk()
    desk.add(replace(made, deliveries=(cut,)))
    view = ModelView(desk)
    in_sight(qtbot, view)
    desk.go(Place(run=0, call=2, tab="model"))
    (label,) = view.pane.view.gutter.held
    assert label.label.startswith("◐ ")
    assert "truncated: this is what came" in view.pane.view.tip_at(label.span.start)


def test_a_large_request_is_composed_by_the_worker_and_named_until_it_is_there(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_view, "_AT_ONCE", 0)
    view = ModelView(desk)
    in_sight(qtbot, view)
    desk.go(Place(call=1))
    assert view.pane.view.text == "", "nothing stands under the name of another call"
    assert "being put together" in view.pane.view.empty_words
    qtbot.waitUntil(lambda: bool(view.pane.view.text))
    assert "message 0" in view.pane.view.text
    assert view.pane.view.empty_words == ""


def test_of_calls_that_are_passed_over_only_the_last_is_shown(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_view, "_AT_ONCE", 0)
    view = ModelView(desk)
    in_sight(qtbot, view)
    shown: list[int] = []
    put = view._put  # noqa: SLF001 - counted on its way

    def counted(page: ModelText) -> None:
        shown.append(page.call)
        put(page)

    monkeypatch.setattr(view, "_put", counted)
    for call in (1, 2, 3):
        desk.go(Place(call=call))
    qtbot.waitUntil(lambda: bool(shown))
    assert shown == [3]
