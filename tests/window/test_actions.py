"""Every command stands in the registry once, and everything is built from it."""

import ast
import inspect
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from reviewer.window.actions import ACTIONS, MENUS
from reviewer.window.actions.palette import Entry, Palette, matching
from reviewer.window.handlers import Handlers
from reviewer.window.shell import Shell

HOME = Path(__file__).parents[2]


def test_every_command_has_an_id_of_its_own() -> None:
    assert [name for name, count in Counter(each.id for each in ACTIONS).items() if count > 1] == []


def test_no_key_gives_two_commands() -> None:
    keys = [QKeySequence(key).toString() for each in ACTIONS for key in each.keys]
    assert "" not in keys
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_every_handler_exists_and_takes_what_its_command_gives() -> None:
    for command in ACTIONS:
        parameters = inspect.signature(getattr(Handlers, command.handler)).parameters
        assert len(parameters) == (2 if command.argument else 1), command.id


def test_every_command_stands_in_a_menu_with_its_key(shell: Shell) -> None:
    found = {
        action.objectName(): action
        for menu in shell.menuBar().findChildren(QMenu)
        for action in menu.actions()
        if action.objectName()
    }
    assert {command.id for command in ACTIONS} <= set(found)
    for command in ACTIONS:
        assert command.menu in MENUS
        shown = [key.toString() for key in found[command.id].shortcuts()]
        assert shown == [QKeySequence(key).toString() for key in command.keys]


def test_no_key_is_set_outside_the_registry() -> None:
    """Views may not take single letters from what others offer."""
    found = []
    for path in sorted((HOME / "reviewer" / "window").rglob("*.py")):
        if path.parent.name == "actions":
            continue
        names = {
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Name | ast.Attribute)
        }
        found += [str(path)] if names & {"QShortcut", "setShortcut", "setShortcuts"} else []
    assert found == []


def test_single_letters_write_in_a_line_and_walk_elsewhere(opened: Shell, qtbot: QtBot) -> None:
    opened.activateWindow()
    line = QLineEdit(opened.centralWidget())
    line.show()
    line.setFocus()
    before = opened.desk.place
    for key in (Qt.Key.Key_J, Qt.Key.Key_BracketRight):
        qtbot.keyClick(line, key)
    assert line.text() != ""
    assert opened.desk.place == before
    line.deleteLater()
    opened.menus.actions["go.next"].trigger()
    assert opened.desk.place.citation == 1


def test_the_palette_finds_by_every_word_and_chooses_with_return(qtbot: QtBot) -> None:
    chosen: list[str] = []
    entries = [
        Entry(name, "more", lambda name=name: chosen.append(name))  # type: ignore[misc]
        for name in ("Open the sample", "Close all runs", "Open trace file")
    ]
    assert [each.title for each in matching(entries, "OPEN file")] == ["Open trace file"]
    named = Entry("简体中文", "", lambda: None, also="Chinese")
    assert matching([*entries, named], "chin") == [named]
    assert matching(entries, "nothing of that") == []
    palette = Palette(entries)
    qtbot.addWidget(palette)
    qtbot.keyClicks(palette.line, "open")
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert chosen == ["Open trace file"]


def test_the_palette_shows_what_cannot_be_done_now_and_does_not_do_it(qtbot: QtBot) -> None:
    chosen: list[str] = []
    palette = Palette([Entry("Back", "", lambda: chosen.append("back"), "not now")])
    qtbot.addWidget(palette)
    spoken = palette.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Back, (not now)"
    assert palette.grab().toImage().width() > 0
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert chosen == []


def test_the_palette_offers_sources_calls_and_rules(opened: Shell) -> None:
    entries = opened.handlers.entries()
    titles = [each.title for each in entries]
    assert {"Call 1", "Call 8", "CIT001", "Open the sample"} <= set(titles)
    audit = opened.desk.audit(0)
    assert len(audit.sources) <= sum("source of" in each.more for each in entries)
    next(each for each in entries if each.title == "Call 3").choose()
    assert (opened.desk.place.call, opened.desk.place.tab) == (3, "model")


def test_the_key_sheet_lists_every_key_of_this_window(
    opened: Shell, get_dialog: Callable[[str], object]
) -> None:
    opened.menus.actions["help.keys"].trigger()
    sheet = get_dialog("key_sheet")
    table = sheet.table  # type: ignore[attr-defined]
    assert table.rowCount() == sum(1 for each in opened.menus.commands if each.keys)
    assert "Ctrl+K" in {table.item(row, 0).text() for row in range(table.rowCount())}
