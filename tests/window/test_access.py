"""Everything in the window can be reached, left, heard, and told apart without its colour."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.window.i18n import set_language
from reviewer.window.place import Place
from reviewer.window.presenters import places, words
from reviewer.window.shell import Shell
from store.records.findings import Severity, Verdict
from store.records.sources import Integrity
from tests.window.driving import WAIT, rest

KINDS = (QAbstractButton, QLineEdit, QAbstractItemView, QComboBox, QTabBar, QAbstractScrollArea)
CUSTOM = ("text_view", "residency_map", "coverage_strip", "model_text", "source_text")
DOCK_BUTTONS = ("qt_dockwidget_closebutton", "qt_dockwidget_floatbutton")
"""Qt puts them on a dock for the mouse; the menu does the same by key."""
MUTE = {QAccessible.Role.NoRole}


def _start(shell: Shell, _sample: list[str], _qtbot: QtBot) -> None:
    assert shell.stack.currentWidget() is shell.start


def _empty(shell: Shell, sample: list[str], qtbot: QtBot) -> None:
    with qtbot.waitSignal(shell.settled, timeout=30_000):
        shell.open([sample[0] + "-not-there"])


def _loading(shell: Shell, _sample: list[str], _qtbot: QtBot) -> None:
    shell.opener.loading = True
    shell.opener.began.emit()


def _tab(name: str) -> Callable[[Shell, list[str], QtBot], None]:
    def show(shell: Shell, sample: list[str], qtbot: QtBot) -> None:
        with qtbot.waitSignal(shell.settled, timeout=30_000):
            shell.open(sample)
        shell.desk.go(places.citation_place(shell.desk.audit(0), 0, 2, name))
        shell.menus.actions["edit.find"].trigger()

    return show


STATES = {
    "start": _start,
    "empty": _empty,
    "loading": _loading,
    "answer": _tab("answer"),
    "model": _tab("model"),
    "residency": _tab("residency"),
    "source": _tab("source"),
    "bill": _tab("bill"),
    "compare": _tab("compare"),
}


def interactive(top: QWidget) -> Iterator[QWidget]:
    """Yield what can be worked with and is seen; a part of a compound widget is not one."""
    for widget in top.findChildren(QWidget):
        if not widget.isVisible() or not widget.isEnabled() or widget.window() is not top:
            continue
        name = widget.objectName()
        if name in CUSTOM or (isinstance(widget, KINDS) and not name.startswith("qt_")):
            part = type(widget).__name__ in ("QHeaderView", "QComboBoxListView")
            holder = widget.parentWidget()
            if not part and not isinstance(holder, QLineEdit | QComboBox | QTabBar):
                yield widget


def child(shell: Shell, name: str) -> QWidget:
    """Return the widget of that name that is seen."""
    return next(each for each in shell.findChildren(QWidget, name) if each.isVisible())


def walk(key: Qt.Key) -> list[QWidget]:
    """Press *key* until the keyboard is where it began, or far more often than there are stops."""
    first = QApplication.focusWidget()
    assert first is not None
    stops = [first]
    for _ in range(200):
        at = QApplication.focusWidget()
        assert at is not None
        QTest.keyClick(at, key)
        now = QApplication.focusWidget()
        assert now is not None, f"the keyboard was lost at {stops[-1].objectName()}"
        if now is first and len(set(stops)) > 1:
            return stops
        stops.append(now)
        # Tab may walk the items of a view, and leaves it behind the last.
        assert len(set(stops[-40:])) > 1 or len(stops) < 40, f"caught in {now.objectName()}"
    pytest.fail(f"{key} goes round without end: {[each.objectName() for each in stops[-8:]]}")


def check_reading_order(shell: Shell, walked: list[QWidget]) -> None:
    """The regions come one after another, and in each of them what is read first comes first."""
    assert shell.regions is not None
    docks = shell.regions.docks
    order: list[QWidget] = [docks["run"], shell.centre, docks["evidence"], docks["findings"]]
    where = [next(n for n, each in enumerate(order) if each.isAncestorOf(at)) for at in walked]
    turn = next((at for at in range(1, len(where)) if where[at] < where[at - 1]), 0)
    where = where[turn:] + where[:turn]
    assert where == sorted(where)
    stops = list(dict.fromkeys(walked[turn:] + walked[:turn]))
    for one, other in pairwise(stops):
        above = one.mapTo(shell, one.rect().bottomLeft()).y()
        top = other.mapTo(shell, other.rect().topLeft()).y()
        left, right = (each.mapTo(shell, each.rect().topLeft()).x() for each in (one, other))
        same = next(n for n, each in enumerate(order) if each.isAncestorOf(one))
        seen = not one.visibleRegion().isEmpty() and not other.visibleRegion().isEmpty()
        if seen and order[same].isAncestorOf(other):
            assert top >= above or right >= left, (one.objectName(), other.objectName())


@pytest.mark.parametrize("state", STATES)
def test_every_page_can_be_worked_without_eyes_and_without_a_mouse(
    shell: Shell, sample: list[str], qtbot: QtBot, state: str
) -> None:
    STATES[state](shell, sample, qtbot)
    rest()
    shell.activateWindow()
    qtbot.waitUntil(shell.isActiveWindow)
    found = list(interactive(shell))
    assert found
    for widget in found:
        spoken = QAccessible.queryAccessibleInterface(widget)
        assert widget.objectName(), type(widget).__name__
        assert spoken.text(QAccessible.Text.Name), widget.objectName()
        assert spoken.role() not in MUTE, widget.objectName()
    wanted = {each for each in found if each.focusPolicy() & Qt.FocusPolicy.TabFocus}
    only_holds = [each for each in found if each not in wanted]
    assert [
        each.objectName()
        for each in only_holds
        if not isinstance(each, QScrollArea | QTabBar) and each.focusProxy() is None
    ] == []
    next(iter(sorted(wanted, key=lambda each: each.objectName()))).setFocus()
    forward = walk(Qt.Key.Key_Tab)
    assert {each.objectName() for each in wanted} - {each.objectName() for each in forward} == set()
    backward = walk(Qt.Key.Key_Backtab)
    assert {each.objectName() for each in backward} == {each.objectName() for each in forward}
    if shell.regions is not None and shell.desk.audits:
        check_reading_order(shell, forward)
        check_reading_order(shell, backward[::-1])
    shell.opener.loading = False


@pytest.mark.parametrize("command", ["go.palette", "help.keys"])
def test_every_dialog_can_be_walked_and_left(
    opened: Shell, get_dialog: Callable[[str], QWidget], qtbot: QtBot, command: str
) -> None:
    opened.menus.actions[command].trigger()
    dialog = get_dialog({"go.palette": "palette", "help.keys": "key_sheet"}[command])
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    stops = {each.objectName() for each in walk(Qt.Key.Key_Tab)}
    for widget in interactive(dialog):
        assert widget.accessibleName(), widget.objectName()
        assert widget.objectName() in stops
    at = QApplication.focusWidget()
    assert at is not None
    QTest.keyClick(at, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_is_painted_says_its_present_item(
    opened: Shell, qtbot: QtBot, speak: Callable[[str], None], language: str
) -> None:
    speak(language)
    audit = opened.desk.audit(0)
    place = places.citation_place(audit, 0, 2, "residency")
    opened.desk.go(place)
    grid = child(opened, "residency_map")
    assert place.source is not None
    assert place.source.source_id in grid.accessibleName()
    strip = child(opened, "coverage_strip")
    assert re.search("[0-9]|一|one|all|全", strip.accessibleName())
    opened.desk.go(places.citation_place(audit, 0, 2, "source"))
    text = child(opened, "source_text")
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Down)
    assert re.search(r"[0-9]", text.accessibleDescription())


def test_no_state_is_told_by_colour_alone() -> None:
    for language in ("en", "zh_CN"):
        set_language(language)
        said = [(words.verdict_sign(each), words.verdict_word(each)) for each in Verdict]
        assert len(set(said)) == len(said)
        assert all(sign and word for sign, word in said)
        told = [words.severity_words(each) for each in Severity]
        told += [words.integrity_words(each) for each in Integrity]
        assert all(sign and word for sign, _, word in told)
        assert len({(sign, word) for sign, _, word in told}) == len(told)
        # Two looks never share a sign, so that who sees no colours tells them apart.
        looks: dict[str, set[str]] = {}
        for verdict in Verdict:
            looks.setdefault(words.verdict_sign(verdict), set()).add(words.tone(verdict))
        assert [sign for sign, tones in looks.items() if len(tones) > 1] == []


def test_a_place_without_evidence_is_spoken_too(opened: Shell) -> None:
    opened.desk.go(Place(run=0, call=1, tab="residency"))
    assert child(opened, "residency_map").accessibleName()


def usable(shell: Shell) -> list[QWidget]:
    """Return what a person can work with, apart from what Qt adds to its own widgets."""
    kinds = (QAbstractButton, QLineEdit, QAbstractItemView, QComboBox, QTabBar, QAbstractScrollArea)
    found: list[QWidget] = []
    for widget in shell.findChildren(QWidget):
        own = not widget.objectName().startswith("qt_") and not isinstance(widget, QAbstractSlider)
        parts = type(widget).__name__ in ("QHeaderView", "CloseButton", "QToolButton")
        parts = parts or isinstance(widget.window(), QFrame)  # what opens from a box or a line
        if isinstance(widget, kinds) and own and not parts:
            found.append(widget)
    return found


def _can_be_reached(widget: QWidget) -> bool:
    """Tell whether Tab leads to *widget*, or into it where it only holds others."""
    inside = widget.findChildren(QWidget) if isinstance(widget, QScrollArea) else []
    return any(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in [widget, *inside])


@pytest.mark.parametrize("open_first", [False, True])
def test_everything_that_can_be_used_has_a_name_and_is_reached_with_tab(
    shell: Shell, sample: list[str], qtbot: QtBot, *, open_first: bool
) -> None:
    if open_first:
        with qtbot.waitSignal(shell.settled, timeout=WAIT):
            shell.open(sample)
        rest()
    found = usable(shell)
    assert found
    unnamed = [
        f"{type(each).__name__} {each.objectName()}" for each in found if not each.accessibleName()
    ]
    assert unnamed == []
    assert [type(each).__name__ for each in found if not each.objectName()] == []
    unreached = [
        each.objectName()
        for each in found
        if not isinstance(each, QTabBar) and not _can_be_reached(each)
    ]
    assert unreached == []
