"""Words are coloured where they stand, only in sight, and away from the interface thread."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.window import theme
from reviewer.window.presenters.syntax import pieces
from reviewer.window.shell import Shell
from reviewer.window.views.text_highlight import Languages
from reviewer.window.views.text_view import TextView
from store.records.text import Span, TextIndex

LINE = '{"n": 1, "名": "值 😀"}\r\n'


@pytest.fixture
def view(qtbot: QtBot) -> TextView:
    made = TextView()
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    return made


def all_json(text: str) -> Languages:
    """Return what says that all of *text* is JSON."""
    return lambda _stretch: [(Span(0, len(text)), "json")]


def coloured(view: TextView, row: int) -> dict[str, str]:
    """Return the words of a row that are drawn in a colour of syntax, cut out of the record."""
    names = {QColor(theme.colour(f"syntax.{one}")).name(): one for one in ("string", "number")}
    names[QColor(theme.colour("syntax.name")).name()] = "name"
    names[QColor(theme.colour("syntax.keyword")).name()] = "keyword"
    span = view.layouts.rows.span(row)
    line = view.text[span.start : span.end]
    laid = view.layouts[row].layout
    index = TextIndex(laid.text())
    found = {}
    for one in laid.formats():
        role = names.get(one.format.foreground().color().name())
        if role is not None:
            start, end = index.from_utf16(one.start), index.from_utf16(one.start + one.length)
            found[line[start:end]] = role
    return found


def test_the_words_in_sight_are_coloured_where_they_stand_in_the_record(
    view: TextView, qtbot: QtBot
) -> None:
    text = LINE * 4
    view.set_text(text, languages=all_json(text))
    qtbot.waitUntil(lambda: bool(view.syntax_in(Span(0, 20))))
    qtbot.waitUntil(lambda: bool(coloured(view, 2)))
    assert coloured(view, 2) == {'"n"': "name", "1": "number", '"名"': "name", '"值 😀"': "string"}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(['"a\u202e"', "12", "\r\n", "\x00", '"\ud83d"', "😀", "{", "}", ":",
                                 '"\u200b汉"', " ", "\u2028", "\n", '"\\"'])))  # fmt: skip
def test_what_is_coloured_is_what_the_lexer_said_of_the_same_code_points(
    view: TextView, parts: list[str]
) -> None:
    text = "".join(parts)
    whole = Span(0, len(text))
    said = pieces(text, whole, whole, "json", lambda: None)
    view.set_text(text, languages=all_json(text))
    view._highlighter._take(whole, said)  # noqa: SLF001 - what the worker would hand over
    while view._colouring.isActive():  # noqa: SLF001 - row by row, as long as there is time
        view._colour_more()  # noqa: SLF001 - what the timer does
    seen = [row for row, _top in view.visible()]
    assert not said or view.layouts.coloured.issuperset(seen)
    for row in seen:
        span = view.layouts.rows.span(row)
        laid = view.layouts[row]
        for piece in said:
            inside = Span(piece.start, piece.end).meet(span)
            if inside is None or not inside.length:
                continue
            start, length = laid.utf16(inside.moved(-span.start))
            index = TextIndex(laid.layout.text())
            assert index.from_utf16(start) == inside.start - span.start
            assert index.from_utf16(start + length) == inside.end - span.start
            covered = {
                at
                for one in laid.layout.formats()
                for at in range(one.start, one.start + one.length)
            }
            assert set(range(start, start + length)) <= covered


def test_of_a_large_text_only_a_stretch_is_looked_at(view: TextView, qtbot: QtBot) -> None:
    text = LINE * 50_000
    view.set_text(text, languages=all_json(text))
    qtbot.waitUntil(lambda: bool(view.syntax_in(Span(0, 20))))
    assert view._highlighter.asked == 1  # noqa: SLF001
    assert not view.syntax_in(Span(10_000, 900_000))


def test_scrolling_asks_once_where_the_view_comes_to_rest(view: TextView, qtbot: QtBot) -> None:
    text = LINE * 5_000
    view.set_text(text, languages=all_json(text))
    qtbot.waitUntil(lambda: view.complete)
    bar = view.verticalScrollBar()
    for at in range(0, 4_000, 400):
        bar.setValue(at)
        QApplication.processEvents()
    place = view.layouts.rows.span(bar.value() + 3)
    qtbot.waitUntil(lambda: bool(view.syntax_in(place)))
    assert view._highlighter.asked <= 3  # noqa: SLF001


def test_without_a_language_nobody_works(view: TextView, qtbot: QtBot) -> None:
    view.set_text(LINE)
    qtbot.wait(80)
    assert view._highlighter.asked == 0  # noqa: SLF001
    assert coloured(view, 0) == {}


def test_the_menu_switches_colours_off_and_on(opened: Shell) -> None:
    assert opened.regions is not None
    action = opened.menus.actions["view.highlight"]
    assert action.isChecked()
    views = opened.findChildren(TextView)
    action.trigger()
    assert not action.isChecked()
    assert views
    assert not any(view.highlights for view in views)
    assert not opened.session.highlights
    action.trigger()
    assert action.isChecked()
    assert all(view.highlights for view in views)
