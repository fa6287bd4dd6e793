"""The window comes back as it was left, whatever has become of what was open."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from reviewer.services.sessions import Session, load_session
from reviewer.window import theme
from reviewer.window.place import Place
from reviewer.window.shell import Shell
from tests.window.driving import WAIT


def test_the_window_comes_back_as_it_was_left(
    opened: Shell, make_shell: Callable[..., Shell], tmp_path: Path, qtbot: QtBot
) -> None:
    opened.resize(700, 600)
    opened.desk.go(Place(run=1, call=3, tab="model"))
    opened.set_text_size(125)
    opened.set_theme("dark")
    paths = tuple(opened.opener.paths)
    opened.close()
    session = load_session(tmp_path / "window.json")
    assert (session.paths, session.theme, session.text_size) == (paths, "dark", 125)
    again = make_shell(session)
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place == Place(run=1, call=3, tab="model")
    assert (again.height(), again.text_size) == (600, 125)
    assert theme.present() == "dark"
    again.set_theme("light")


def test_the_place_is_found_in_its_run_whatever_its_number_is(
    opened: Shell, make_shell: Callable[..., Shell], tmp_path: Path, qtbot: QtBot
) -> None:
    opened.desk.go(Place(run=1, call=3, tab="model"))
    paths = tuple(opened.opener.paths)
    opened.close()
    session = load_session(tmp_path / "window.json")
    again = make_shell(msgspec.structs.replace(session, paths=paths[1:]))
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place == Place(run=0, call=3, tab="model")
    again.close()
    again = make_shell(msgspec.structs.replace(session, paths=paths[:1]))
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert again.desk.place.citation == 0, "its run is not open: the beginning of the first that is"


def test_a_place_that_is_no_longer_there_leads_to_the_beginning(
    make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot
) -> None:
    session = Session(paths=tuple(sample), place={"run": 0, "call": 99, "tab": "model"})
    shell = make_shell(session)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.restore()
    assert shell.desk.place.citation == 0


def test_recent_runs_that_are_gone_are_greyed_and_say_so(
    make_shell: Callable[..., Shell], sample: list[str], qtbot: QtBot
) -> None:
    shell = make_shell(Session(recent=("/no/such/run", sample[0])))
    items = [shell.start.recent.item(row) for row in range(2)]
    qtbot.waitUntil(
        lambda: shell.start.recent.item(0).flags() == Qt.ItemFlag.NoItemFlags, timeout=WAIT
    )
    items = [shell.start.recent.item(row) for row in range(2)]
    assert "no longer there" in items[0].data(Qt.ItemDataRole.AccessibleTextRole)
    assert items[1].flags() & Qt.ItemFlag.ItemIsEnabled
    shell.start.recent.itemActivated.emit(items[0])
    assert not shell.opener.loading
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.start.recent.itemActivated.emit(items[1])
    assert len(shell.desk.audits) == 1


def test_a_damaged_session_is_a_fresh_start(tmp_path: Path) -> None:
    for held in (b"", b"{", b'{"paths": 3}', json.dumps({"place": []}).encode()):
        (tmp_path / "window.json").write_bytes(held)
        assert load_session(tmp_path / "window.json") == Session()
