"""The window as a person meets it: its start, its keys, its colours and sizes."""

import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
)
from pytestqt.qtbot import QtBot

from reviewer.window import theme
from reviewer.window.place import Place
from reviewer.window.shell import Shell
from tests.window.driving import HOME, menu_action


def test_the_first_start_shows_three_choices_and_no_empty_views(shell: Shell) -> None:
    assert shell.stack.currentWidget() is shell.start
    assert [each.accessibleName() for each in shell.start.choices] == [
        "Open a run folder",
        "Open a trace file",
        "Open the sample",
    ]
    assert not shell.start.recent.isVisible()
    assert shell.findChildren(QDockWidget) == []
    assert not menu_action(shell, "Go", "Back").isEnabled()


def test_the_start_page_waits_for_nothing_that_only_an_audit_needs() -> None:
    program = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]); "
        "from reviewer.services.sessions import Session; from reviewer.window.shell import Shell; "
        "shell = Shell(Session()); shell.show(); app.processEvents(); "
        "print(*sorted({'numpy', 'tiktoken', 'sqlmodel', 'pygments', 'reviewer.audit.engine', "
        "'store.importers', 'reviewer.reports', 'reviewer.window.views'} & set(sys.modules))); "
        "shell.close()"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_labels_show_what_they_are_given_as_it_is(opened: Shell) -> None:
    rich = [
        (label.objectName(), type(label.parent()).__name__, label.text())
        for label in opened.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and label.text()
    ]
    assert rich == []


def test_text_grows_and_shrinks_and_comes_back(opened: Shell) -> None:
    size = opened.where.font().pointSizeF()
    opened.menus.actions["view.larger"].trigger()
    assert opened.where.font().pointSizeF() > size
    for _ in range(20):
        opened.menus.actions["view.larger"].trigger()
    assert opened.text_size == 300
    opened.menus.actions["view.normal"].trigger()
    assert opened.where.font().pointSizeF() == pytest.approx(size)


def test_colours_change_while_the_window_runs(opened: Shell) -> None:
    for choice in ("dark", "contrast", "light"):
        menu = {"dark": "Dark", "contrast": "High contrast", "light": "Light"}[choice]
        menu_action(opened, "View", "Colours", menu).trigger()
        assert menu_action(opened, "View", "Colours", menu).isChecked()
        paper = theme.THEMES[theme.present()]["paper"]
        assert opened.palette().base().color().name() == paper


def test_what_the_style_sheet_speaks_of_takes_the_new_colours_and_is_not_set_again(
    opened: Shell, qapp: QApplication, qtbot: QtBot
) -> None:
    sheet = qapp.styleSheet()
    for choice in ("dark", "light"):
        opened.menus.actions[f"view.theme.{choice}"].trigger()
        muted, good = theme.THEMES[choice]["muted"], theme.THEMES[choice]["good"]
        qtbot.waitUntil(lambda muted=muted: ink(opened.grade) == muted)  # type: ignore[misc]
        verdict = opened.findChild(QLabel, "verdict")
        qtbot.waitUntil(lambda good=good: ink(opened.findChild(QLabel, "verdict")) == good)  # type: ignore[misc]
        assert verdict is not None
    assert qapp.styleSheet() == sheet


def ink(label: QLabel | None) -> str:
    return label.palette().windowText().color().name() if label is not None else ""


def test_the_place_is_copied_as_a_reference(opened: Shell) -> None:
    opened.menus.actions["edit.copy_ref"].trigger()
    text = QGuiApplication.clipboard().text()
    facts = opened.desk.audit().citations[0]
    assert facts.span is not None
    assert f"[{facts.span.start}:{facts.span.end}]" in text
    assert "run incident-review" in text
    assert facts.verdict.word in text


def test_keys_walk_citations_calls_and_the_way_back(opened: Shell) -> None:
    keys = opened.menus.actions
    keys["go.next"].trigger()
    keys["go.next"].trigger()
    assert opened.desk.place.citation == 2
    keys["go.previous"].trigger()
    assert opened.desk.place.citation == 1
    keys["go.previous_call"].trigger()
    assert opened.desk.place.call == 7
    keys["go.next_call"].trigger()
    keys["go.next_call"].trigger()
    assert opened.desk.place.call == 8
    assert "no further call" in opened.statusBar().currentMessage()
    keys["go.back"].trigger()
    assert opened.desk.place.call == 7
    keys["go.forward"].trigger()
    assert opened.desk.place.call == 8


def test_runs_are_chosen_from_a_list_by_key_and_in_the_palette(opened: Shell) -> None:
    assert opened.runs.isVisible()
    assert opened.runs.itemText(1) == "2. 设备租赁合同审查"
    opened.runs.activated.emit(1)
    assert (opened.desk.place.run, opened.desk.place.citation) == (1, 0)
    assert opened.windowTitle().startswith("设备租赁合同审查")
    opened.menus.actions["go.previous_run"].trigger()
    assert (opened.desk.place.run, opened.runs.currentIndex()) == (0, 0)
    next(each for each in opened.handlers.entries() if each.more == "open run").choose()
    assert opened.desk.place.run == 0


def test_gaps_are_walked_round_the_source(opened: Shell) -> None:
    audit = opened.desk.audit()
    facts = next(
        facts for source in audit.sources for facts in source.versions if len(facts.gaps) > 0
    )
    opened.desk.go(Place(source=facts.version.key, tab="source"))
    seen = []
    for _ in range(len(facts.gaps) + 1):
        opened.menus.actions["go.next_gap"].trigger()
        seen.append(opened.desk.place.span)
    assert seen[:-1] == sorted(facts.gaps)
    assert seen[-1] == seen[0]
    opened.menus.actions["go.previous_gap"].trigger()
    assert opened.desk.place.span == max(facts.gaps)
