"""The text view: what is selected on screen is what stands in the record."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.window.tips import plain_tip
from reviewer.window.views.text_moves import Caret
from reviewer.window.views.text_view import Gutter, Mark, TextView
from store.records.text import Span

PIECES = (
    "plain words ",
    "汉字",
    "かな",
    "👩‍👩‍👧",
    "👍🏽",
    "😀",
    "e\u0301",
    "\t",
    "\n",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x00",
    "\x1b[31m",
    "\x85",
    "\ufdd0",
    "\u202e",
    "\u200b",
    "\ud83d",
    "\udc00",
    "\u00a0",
    "<b>&amp;",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
BIDI = st.lists(st.sampled_from((*PIECES, "שלום", "العربية ", "12 ")), max_size=14).map("".join)
KEPT = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def view(qapp: QApplication) -> Iterator[TextView]:
    """Give a view that is shown and has the keyboard."""
    del qapp
    view = TextView()
    view.resize(900, 600)
    view.show()
    view.setFocus()
    yield view
    view.close()
    view.deleteLater()


def stops(view: TextView) -> list[int]:
    """Give every position at which the cursor can stand."""
    caret = Caret(view.layouts, 0, None, 1)
    found = [0]
    while caret.position < len(view.text):
        caret.sideways(forward=True)
        found.append(caret.position)
    return found


@KEPT
@given(TEXTS, st.data())
def test_dragging_from_one_character_to_another_selects_what_the_record_has_between(
    view: TextView, text: str, data: st.DataObject
) -> None:
    view.set_text(text)
    places = stops(view)
    first, last = (data.draw(st.sampled_from(places)) for _ in range(2))
    start, end = view.point_of(first), view.point_of(last)
    assert start is not None
    assert end is not None
    area = view.viewport()
    QTest.mousePress(area, Qt.MouseButton.LeftButton, pos=at_pixel(start))
    view.mouseMoveEvent(moved(end))
    QTest.mouseRelease(area, Qt.MouseButton.LeftButton, pos=at_pixel(end))
    wanted = Span(min(first, last), max(first, last))
    assert view.selection() == wanted
    assert view.selected_text() == text[wanted.start : wanted.end]


def at_pixel(point: QPointF) -> QPoint:
    """Give the pixel of a point, inside the line."""
    return QPoint(round(point.x()), round(point.y()))


def moved(point: QPointF) -> QMouseEvent:
    """Give a mouse event that drags to *point*."""
    button = Qt.MouseButton.LeftButton
    return QMouseEvent(
        QEvent.Type.MouseMove, point, point, button, button, Qt.KeyboardModifier.NoModifier
    )


@KEPT
@given(BIDI)
def test_walking_with_the_keyboard_passes_every_character_once(view: TextView, text: str) -> None:
    view.set_text(text)
    ends = [0]
    while view.selection().end < len(text):
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        assert view.selection().start == 0
        assert view.selected_text() == text[: view.selection().end]
        ends.append(view.selection().end)
        assert ends[-1] > ends[-2]
    assert ends == stops(view)
    for end in reversed(ends[:-1]):
        QTest.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        assert view.selection() == Span(0, end)


@KEPT
@given(BIDI, st.data())
def test_every_span_can_be_shown_and_copied_as_it_was_recorded(
    view: TextView, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    view.set_text(text, [Mark(Span(start, end), "cited", "here")])
    view.reveal(Span(start, end))
    assert view.selection() == Span(start, end)
    assert view.selected_text() == text[start:end]
    chosen = text[start:end]
    if chosen and not any("\ud800" <= char <= "\udfff" for char in chosen):
        view.copy()
        assert QGuiApplication.clipboard().text() == chosen


def test_a_copy_says_how_many_half_characters_the_clipboard_could_not_hold(
    view: TextView, qtbot: QtBot
) -> None:
    view.set_text("a\ud83d\u00a0\r\nb\udc00")
    view.select_all()
    with qtbot.waitSignal(view.notice) as said:
        view.copy()
    assert "2 half characters" in said.args[0]
    assert QGuiApplication.clipboard().text() == "a\ufffd\u00a0\r\nb\ufffd"
    assert view.selected_text() == "a\ud83d\u00a0\r\nb\udc00"


def test_a_halved_pair_in_a_record_stays_two_characters(view: TextView) -> None:
    text = "x\ud83d\ude00y"
    view.set_text(text)
    assert len(text) == 4
    assert stops(view) == [0, 1, 2, 3, 4]


def test_page_and_document_keys_reach_both_ends(view: TextView) -> None:
    text = "\n".join(f"line {n} 行" for n in range(500))
    view.set_text(text)
    QTest.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.selection() == Span(len(text), len(text))
    assert view.point_of(len(text)) is not None
    QTest.keyClick(view, Qt.Key.Key_PageUp)
    assert 0 < view.selection().start < len(text)
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert text[view.selection().start - 1] == "\n"
    QTest.keyClick(
        view,
        Qt.Key.Key_Home,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    assert view.selection().start == 0
    assert view.selected_text() == text[: view.selection().end]


def test_up_and_down_keep_to_the_column(view: TextView) -> None:
    view.set_text("0123456789\nab\n0123456789")
    view.reveal(Span(8, 8))
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.selection().start == 13
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.selection().start == 22
    QTest.keyClick(view, Qt.Key.Key_Up)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.selection().start == 8


@pytest.mark.parametrize("wraps", [False, True])
def test_the_cursor_walks_through_folds_without_losing_its_place(
    view: TextView, *, wraps: bool
) -> None:
    text = "head\n" + "x" * 4500 + "\ntail"
    view.set_text(text)
    view.set_wrap(wraps=wraps)
    view.reveal(Span(2003, 2003))
    for position in range(2004, 2008):
        QTest.keyClick(view, Qt.Key.Key_Right)
        assert view.selection().start == position
    for position in range(2006, 2002, -1):
        QTest.keyClick(view, Qt.Key.Key_Left)
        assert view.selection().start == position
    view.reveal(Span(0, 0))
    seen: list[int] = []
    while view.selection().start < len(text) and len(seen) < 200:
        before = view.selection().start
        QTest.keyClick(view, Qt.Key.Key_Down)
        assert view.point_of(view.selection().start) is not None
        seen.append(view.selection().start)
        if view.selection().start == before:
            break
    view.set_wrap(wraps=False)
    assert seen == sorted(seen)
    assert seen[-1] >= len(text) - 4


def test_a_double_click_takes_the_run_of_one_script(view: TextView) -> None:
    view.set_text("see 合同法 now")
    point = view.point_of(5)
    assert point is not None
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at_pixel(point))
    assert view.selected_text() == "合同法"


def test_a_click_tells_its_place_and_a_drag_does_not(view: TextView, qtbot: QtBot) -> None:
    view.set_text("one two three")
    point = view.point_of(4)
    assert point is not None
    with qtbot.waitSignal(view.clicked) as told:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at_pixel(point))
    assert told.args == [4]


def test_finding_counts_all_and_goes_round(view: TextView, qtbot: QtBot) -> None:
    view.set_text("合同 a 合同 b 合同\n" + "x" * 300_000 + " 合同")
    view.find("合同")
    qtbot.waitUntil(lambda: view.finding[2])
    assert view.finding == (1, 4, True)
    for number in (2, 3, 4, 1):
        view.find("合同", on=True)
        assert view.finding == (number, 4, True)
        assert view.selected_text() == "合同"
    view.find("合同", backwards=True, on=True)
    assert view.finding == (4, 4, True)
    view.find("nowhere")
    qtbot.waitUntil(lambda: view.finding[2])
    assert view.finding == (0, 0, True)
    view.find("")
    assert view.hits.length == 0


def test_a_large_text_is_shown_before_all_its_rows_are_known(view: TextView, qtbot: QtBot) -> None:
    text = "one line of many 汉字\n" * 60_000
    view.set_text(text)
    assert not view.complete
    wanted = Span(len(text) - 19, len(text) - 3)
    view.reveal(wanted)
    assert view.selection() == wanted
    qtbot.waitUntil(lambda: view.complete)
    assert view.point_of(wanted.start) is not None
    assert len(view.layouts.rows) == 60_001


def test_marks_speak_and_stand_ins_name_what_they_stand_for(view: TextView) -> None:
    view.set_text(
        "a\u202eb\r\n", [Mark(Span(0, 2), "delivered", "from d.md")], [Gutter(Span(0, 1), "d", "x")]
    )
    assert view.tip_at(0) == "from d.md"
    assert view.tip_at(1) == "from d.md\nU+202E RIGHT-TO-LEFT OVERRIDE, shown by a stand-in"
    assert view.tip_at(3) == "U+000D CARRIAGE RETURN, shown by a stand-in"


def test_a_screen_reader_is_given_the_line_of_the_cursor(view: TextView) -> None:
    view.set_text("first\nsecond <b>\u202e\nthird")
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.accessibleDescription() == "Line 2: second <b>◂"


def test_marked_text_is_drawn_apart_from_the_same_text_unmarked(view: TextView) -> None:
    pictures = []
    for kind in ("", "delivered", "preview", "placeholder", "cited", "gap", "current", "heading"):
        view.set_text("same words", [Mark(Span(0, 10), kind)] if kind else [])
        view.viewport().setFocus()
        pictures.append(bytes(view.viewport().grab().toImage().constBits()))
    assert len(set(pictures)) == len(pictures)


def test_evidence_never_becomes_markup_in_a_tip() -> None:
    assert "<img" not in plain_tip("<img src='http://x.invalid/a.png'>")
