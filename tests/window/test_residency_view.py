"""The residency map is walked by key and pointer, and leads to the model's input."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.audit.engine import audit
from reviewer.audit.residency import Cell
from reviewer.audit.rules._example import NOTICE, Story, cite
from reviewer.window import theme
from reviewer.window.desk import Desk
from reviewer.window.place import Place
from reviewer.window.views import residency as module
from reviewer.window.views.residency import PANEL, ResidencyView
from store.records.findings import Audit
from store.records.grades import Grade

_NONE = Qt.KeyboardModifier.NoModifier


def shown(qtbot: QtBot, found: Audit) -> tuple[Desk, ResidencyView]:
    desk = Desk()
    view = PANEL.factory(desk, None)
    assert isinstance(view, ResidencyView)
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    desk.add(found)
    return desk, view


def test_the_current_cell_is_said_in_words(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    source = next(s for s in incident.sources if s.source_id == "logs/gateway.log")
    desk.go(Place(call=5, source=source.versions[0].version.key))
    assert view.map.words() == "logs/gateway.log, call 5: placeholder"
    assert view.map.accessibleName() == f"Residency map: {view.map.words()}"


def test_arrows_home_and_end_walk_the_cells(qtbot: QtBot, incident: Audit) -> None:
    _, view = shown(qtbot, incident)
    QTest.keyClick(view.map, Qt.Key.Key_Home)
    assert view.map.current == (0, 1)
    QTest.keyClick(view.map, Qt.Key.Key_Right)
    QTest.keyClick(view.map, Qt.Key.Key_Down)
    assert view.map.current == (1, 2)
    QTest.keyClick(view.map, Qt.Key.Key_End)
    assert view.map.current == (1, len(incident.run.calls))
    QTest.keyClick(view.map, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.map.current == (len(incident.sources) - 1, len(incident.run.calls))


def test_enter_goes_to_the_model_view_of_that_call(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    QTest.keyClick(view.map, Qt.Key.Key_Home)
    for _ in range(2):
        QTest.keyClick(view.map, Qt.Key.Key_Right)
    QTest.keyClick(view.map, Qt.Key.Key_Return)
    place = desk.place
    assert (place.tab, place.call) == ("model", 3)
    assert place.source is not None
    assert place.source.source_id == "logs/gateway.log"
    assert place.message is not None


def test_a_click_chooses_the_cell_under_the_pointer(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    spot = view.map.cell_box(1, 6).center().toPoint()
    QTest.mouseClick(view.map.viewport(), Qt.MouseButton.LeftButton, _NONE, spot)
    assert view.map.current == (1, 6)
    assert desk.place.call == 6
    assert desk.place.source is not None
    assert desk.place.source.source_id == "logs/ledger.log"


def test_the_map_follows_the_desk_without_moving_it(qtbot: QtBot, incident: Audit) -> None:
    desk, view = shown(qtbot, incident)
    places: list[Place] = []
    desk.moved.connect(places.append)
    desk.go(Place(call=2))
    assert view.map.current[1] == 2
    assert places == [Place(call=2)]


def test_the_cell_that_is_chosen_keeps_its_place_while_zooming(
    qtbot: QtBot, incident: Audit
) -> None:
    _, view = shown(qtbot, incident)
    before = view.map.cell_size
    QTest.keyClick(view.map, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert view.map.cell_size < before
    point, not_inverted = view.map.cell_box(0, 2).center(), False
    turn = QWheelEvent(
        point,
        view.map.mapToGlobal(point),
        QPointF(0, 0).toPoint(),
        QPointF(0, 120).toPoint(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        not_inverted,
    )
    view.map.wheelEvent(turn)
    assert view.map.cell_size == before
    QTest.keyClick(view.map, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert view.map.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_each_state_looks_different_without_its_colour(
    qtbot: QtBot, incident: Audit, name: str
) -> None:
    theme.apply(name)
    _, view = shown(qtbot, incident)
    picture = view.map.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()
    seen: dict[Cell, bytes] = {}
    rows, calls = len(incident.sources), len(incident.run.calls)
    for row in range(rows):
        for call in range(1, calls):  # the last column is framed
            cell = view._table.cell(row, call) if view._table else Cell.ABSENT  # noqa: SLF001
            box = view.map.cell_box(row, call)
            part = picture.copy(
                round((box.left() + 3) * ratio),
                round((box.top() + 3) * ratio),
                round((box.width() - 6) * ratio),
                round((box.height() - 6) * ratio),
            ).convertToFormat(picture.Format.Format_Grayscale8)
            seen.setdefault(cell, bytes(part.constBits()))
    theme.apply("light")
    assert len(set(seen.values())) == len(seen) == len(Cell)


def test_a_request_that_nothing_proves_is_hatched_and_said(qtbot: QtBot) -> None:
    story = Story(grade=Grade.UNKNOWN)
    story.document("notice")
    story.read("notice")
    _, view = shown(qtbot, audit(story.answer()))
    assert "grade unknown" in view.map.words()
    notes = view.findChild(type(view._grades), "residency_grades")  # noqa: SLF001
    assert notes is not None
    assert notes.isVisible()


def test_a_run_without_sources_says_so_instead_of_an_empty_map(qtbot: QtBot) -> None:
    _, view = shown(qtbot, audit(Story().run()))
    assert not view.map.isVisible()
    assert "no map" in view._notice.text()  # noqa: SLF001


def test_a_large_run_is_worked_out_beside_the_interface(
    qtbot: QtBot, incident: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 0)
    desk, view = shown(qtbot, incident)
    assert not view.map.isVisible()
    qtbot.waitUntil(view.map.isVisible)
    desk.go(Place(call=2))
    assert view.map.current[1] == 2


def test_hostile_names_are_shown_as_they_are(qtbot: QtBot) -> None:
    story = Story()
    name = "<b>a</b>\u202e\n.md"
    story.document(name)
    story.read(name)
    _, view = shown(qtbot, audit(story.answer(cite(name, (0, 10)))))
    assert view.map.words().startswith("<b>a</b>\\u{202E}\u240a.md, call 2: full")


def test_the_words_follow_the_language(
    qtbot: QtBot, incident: Audit, speak: Callable[[str], None]
) -> None:
    _, view = shown(qtbot, incident)
    speak("zh_CN")
    assert "第 8 次调用" in view.map.words()
    assert "完整" in view.legend.accessibleName()


def test_five_hundred_sources_by_two_thousand_calls_are_one_image(qtbot: QtBot) -> None:
    story = Story()
    story.document("notice", NOTICE)
    story.read("notice")
    found = audit(story.answer())
    _, view = shown(qtbot, found)
    table = view._table  # noqa: SLF001
    assert table is not None
    states = np.tile(np.arange(5, dtype=np.uint8), 200_000).reshape(500, 2000)
    calls = tuple(replace(found.run.calls[0], index=n) for n in range(1, 2001))
    big = replace(
        table,
        rows=table.rows[:1] * 500,
        cells=states,
        grades=np.zeros(2000, np.uint8),
        closing=2000,
        _audit=replace(found, run=replace(found.run, calls=calls)),
    )
    view.map.show_table(big)
    view.map.zoom_to_fit()
    assert view.map.cell_size[0] <= 2
    view.map.viewport().grab()
    view.map.set_current(499, 2000)
    assert view.map.words().endswith("call 2000: full")
