"""The context bill as a person uses it: picture and table say the same, and lead everywhere."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.audit.engine import audit
from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.window.desk import Desk
from reviewer.window.place import Place
from reviewer.window.presenters.bill import BillColumn, BillTable, call_words, heights, summary
from reviewer.window.presenters.bill_words import LETTERS, kind_word
from reviewer.window.shell import Shell
from reviewer.window.views.bill import PANEL, BillView
from reviewer.window.views.bill_look import draw_kind
from store.records.bills import BillKind
from store.records.findings import Audit
from store.records.runs import Usage
from tests.window.driving import WAIT, menu_action

_NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    """Give the sample with its tokens counted."""
    paths = [str(place) for place in write_sample(tmp_path_factory.mktemp("sample"))]
    return [each for each in audit_paths(paths, strict=True) if isinstance(each, Audit)]


def shown(qtbot: QtBot, *audits: Audit) -> tuple[Desk, BillView]:
    desk = Desk()
    view = PANEL.factory(desk, None)
    assert isinstance(view, BillView)
    qtbot.addWidget(view)
    view.resize(900, 700)
    view.show()
    for each in audits:
        desk.add(each)
    return desk, view


def cells(view: BillView, column: BillColumn) -> list[str]:
    return [str(view.model.index(row, column).data()) for row in range(view.model.rowCount())]


def reporting(found: Audit, usages: list[int | None]) -> Audit:
    """Return *found* with calls that report so many input tokens."""
    calls = tuple(
        replace(call, usage=Usage(input_tokens=tokens))
        for call, tokens in zip(found.bill.calls, usages, strict=False)
    )
    rest = found.bill.calls[len(calls) :]
    return replace(found, bill=replace(found.bill, calls=(*calls, *rest)))


def test_picture_table_and_record_say_the_same(qtbot: QtBot, counted: list[Audit]) -> None:
    desk, view = shown(qtbot, counted[0])
    bill = counted[0].bill
    assert cells(view, BillColumn.RESIDENT) == [f"{call.resident:,}" for call in bill.calls]
    assert cells(view, BillColumn.PAID) == [f"{call.cumulative:,}" for call in bill.calls]
    found = heights(bill)
    assert found.resident.sum(axis=1).tolist() == [call.resident for call in bill.calls]
    assert found.paid.sum(axis=1).tolist() == [call.cumulative for call in bill.calls]
    desk.go(Place(call=3, tab="bill"))
    assert f"{bill.calls[2].resident:,} tokens in its request" in view.words.words
    assert view.words.words in view.chart.accessibleName().replace("\n", " ")


def test_the_break_names_its_place_its_cause_and_its_words(
    qtbot: QtBot, counted: list[Audit]
) -> None:
    desk, view = shown(qtbot, counted[0])
    (call,) = counted[0].bill.broken
    assert call.broken is not None
    desk.go(Place(call=call.call, tab="bill"))
    assert "✂ another text stands for a result (cleared)" in cells(view, BillColumn.PREFIX)
    assert f"byte {call.broken.byte:,}" in view.words.words
    assert all(each in view.words.words for each in call.broken.results)
    assert view.change.isVisible()
    view.change.selectAll()
    assert view.change.selected_record() == call.broken.was + call.broken.now
    desk.go(Place(call=1, tab="bill"))
    assert not view.change.isVisible()


def test_usage_that_is_missing_or_zero_is_never_a_zero(qtbot: QtBot, counted: list[Audit]) -> None:
    told = reporting(counted[0], [50, None, 0, 2000])
    _, view = shown(qtbot, told)
    assert cells(view, BillColumn.REPORTED)[:4] == ["50", "–", "–", "2,000"]
    tip = view.model.index(2, BillColumn.REPORTED).data(Qt.ItemDataRole.ToolTipRole)
    assert "nothing was measured" in tip
    found = heights(told.bill)
    assert found.reported[:4].tolist() == [50, -1, -1, 2000]
    assert found.paid_reported[:4].tolist() == [50, -1, -1, -1]
    assert "in 2 of 8 calls" in summary(told.bill)
    assert "What the others used is not known." in summary(told.bill)
    assert "not reported" in call_words(told.bill.calls[1])


def test_without_a_tokenizer_nothing_is_estimated(qtbot: QtBot, incident: Audit) -> None:
    bare = audit(incident.run)
    assert not bare.bill.encoding
    _, view = shown(qtbot, bare)
    assert set(cells(view, BillColumn.RESIDENT)) == {"–"}
    assert "not counted" in view.summary.words


def test_a_call_that_is_chosen_in_the_picture_or_the_table_moves_everything(
    opened: Shell, qtbot: QtBot
) -> None:
    menu_action(opened, "View", "Context bill").trigger()
    view = opened.findChild(BillView)
    assert view is not None
    qtbot.waitUntil(view.isVisible, timeout=WAIT)
    before = opened.desk.place
    spot = view.chart.bar_of(4).center().toPoint()
    QTest.mouseClick(view.chart.viewport(), Qt.MouseButton.LeftButton, _NONE, spot)
    assert (opened.desk.place.call, opened.desk.place.tab) == (4, "bill")
    assert opened.desk.place.citation == before.citation
    assert view.table.selected_line() == 3
    assert "call 4 of 8" in opened.where.text()
    view.table.setCurrentIndex(view.model.index(5, 0))
    assert opened.desk.place.call == 6
    assert view.chart.current == 6
    view.chart.setFocus()
    QTest.keyClick(view.chart, Qt.Key.Key_Left)
    assert opened.desk.place.call == 5
    QTest.keyClick(view.chart, Qt.Key.Key_End)
    assert opened.desk.place.call == 8
    QTest.keyClick(view.chart, Qt.Key.Key_Return)
    assert (opened.desk.place.call, opened.desk.place.tab) == (8, "model")
    opened.menus.actions["go.back"].trigger()
    assert opened.desk.place.tab == "bill"


def test_kinds_are_told_apart_without_their_colours(
    qtbot: QtBot, counted: list[Audit], speak: Callable[[str], None]
) -> None:
    assert len(set(LETTERS.values())) == len(BillKind)
    _, view = shown(qtbot, counted[0])
    for code in ("en", "zh_CN"):
        speak(code)
        words = [kind_word(kind) for kind in BillKind]
        assert len(set(words)) == len(words)
        held = {kind for call in counted[0].bill.calls for kind in call.by_kind}
        assert all(kind_word(kind) in view.legend.accessibleName() for kind in held)
    assert re.search("[\u4e00-\u9fff]", view.chart.accessibleName())
    assert draw_kind.__doc__ is not None


def test_a_bill_of_five_thousand_calls_draws_only_what_is_in_sight(
    qtbot: QtBot, counted: list[Audit]
) -> None:
    first = counted[0].bill.calls[0]
    calls = tuple(
        replace(first, call=at, resident=at, by_kind={BillKind.SYSTEM: at}) for at in range(1, 5001)
    )
    many = replace(counted[0], bill=replace(counted[0].bill, calls=calls))
    desk, view = shown(qtbot, many)
    desk.go(Place(call=2500, tab="bill"))
    chart = view.chart
    drawn = list(chart._in_sight())  # noqa: SLF001 - what a turn of drawing costs
    assert 2500 in drawn
    assert len(drawn) < 400
    assert chart.call_at(QPointF(chart.bar_of(2500).center())) == 2500
    assert view.model.rowCount() == 5000


def test_real_usage_is_shown_beside_the_estimate(shared: Path, qtbot: QtBot) -> None:
    path = shared / "data/claude-code/cc_2114_two_microcompact.jsonl"
    (real,) = (each for each in audit_paths([str(path)]) if isinstance(each, Audit))
    _, view = shown(qtbot, real)
    usages = [
        call.usage.input_tokens for call in real.bill.calls if call.usage.input_tokens is not None
    ]
    assert usages
    assert f"{usages[-1]:,}" in " ".join(cells(view, BillColumn.REPORTED))
    assert np.all(heights(real.bill).reported != 0)
    table = BillTable(real)
    assert json.dumps(table.values("reported")) == json.dumps(
        [call.usage.input_tokens or None for call in real.bill.calls]
    )
