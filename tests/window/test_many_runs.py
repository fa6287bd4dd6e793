"""A folder of many runs opens as a list at once, and each run is read when it is chosen."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.services.sessions import Session, load_session
from reviewer.window.shell import Shell
from reviewer.window.unread import AT_ONCE
from tests.window.driving import WAIT, is_told, menu_action, rest

MANY = 500


def write_session(place: Path, number: int, *, broken: bool = False) -> None:
    """Write a coding session of one question and one answer."""
    base = {
        "sessionId": f"11111111-2222-3333-4444-{number:012}",
        "version": "2.1.14",
        "cwd": "/repo",
        "isSidechain": False,
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    asked = {"role": "user", "content": f"Question {number}?"}
    said = {
        "role": "assistant",
        "content": [{"type": "text", "text": f"Answer {number}."}],
        "id": f"m{number}",
        "model": "claude-example",
        "usage": {"input_tokens": 9, "output_tokens": 2},
    }
    lines = [
        {**base, "type": "user", "uuid": "u0", "parentUuid": None, "message": asked},
        {**base, "type": "assistant", "uuid": "u1", "parentUuid": "u0", "message": said},
    ]
    del lines[1 if broken else 2 :]
    place.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder of 500 sessions, the last of which has no call."""
    made = tmp_path / "many"
    made.mkdir()
    for number in range(MANY):
        write_session(made / f"session-{number:04}.jsonl", number, broken=number == MANY - 1)
    return made


def open_many(shell: Shell, path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(path)])
    rest()


def read(shell: Shell, row: int, qtbot: QtBot) -> None:
    """Choose a row of the list of runs, as a click does."""
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.runs.activated.emit(row)
    rest()


def question(shell: Shell) -> str:
    message = shell.desk.audit().run.messages[0]
    return message.parts[0].text


def test_the_list_is_there_at_once_and_one_run_is_read(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    open_many(shell, folder, qtbot)
    assert len(shell.desk.audits) == 1
    assert shell.runs.count() == MANY
    assert shell.runs.isVisible()
    assert shell.runs.itemText(1).startswith("○ ")
    assert "499 more are read when they are chosen" in shell.runs.toolTip()


def test_a_run_is_read_when_it_is_chosen_and_gone_to(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    open_many(shell, folder, qtbot)
    read(shell, 300, qtbot)
    assert (len(shell.desk.audits), shell.desk.place.run) == (2, 1)
    assert question(shell) == "Question 300?"
    assert shell.runs.count() == MANY
    assert shell.runs.currentIndex() == 1
    shell.runs.activated.emit(0)
    assert shell.desk.place.run == 0
    assert len(shell.desk.audits) == 2


def test_the_next_run_is_read_with_a_key_and_found_in_the_palette(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    open_many(shell, folder, qtbot)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        menu_action(shell, "Go", "Next run").trigger()
    assert question(shell) == "Question 1?"
    found = [each for each in shell.handlers.entries() if each.more == "run, not read yet"]
    assert len(found) == MANY - 2
    wanted = next(each for each in found if "000000000042" in each.title or "0042" in each.title)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        wanted.choose()
    assert question(shell) == "Question 42?"


def test_one_that_holds_no_run_stays_on_the_list_and_says_so(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    open_many(shell, folder, qtbot)
    read(shell, MANY - 1, qtbot)
    assert len(shell.desk.audits) == 1
    assert shell.runs.count() == MANY
    assert shell.runs.itemText(MANY - 1).startswith("✗ ")
    assert is_told(shell, "no model call")


def test_reading_again_reads_what_was_read_and_lists_the_rest(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    open_many(shell, folder, qtbot)
    read(shell, 7, qtbot)
    write_session(folder / "session-0500.jsonl", 500)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        menu_action(shell, "File", "Read again").trigger()
    rest()
    assert sorted(audit.run.messages[0].parts[0].text for audit in shell.desk.audits) == [
        "Question 0?",
        "Question 7?",
    ]
    assert question(shell) == "Question 7?"
    assert shell.runs.count() == MANY + 1
    menu_action(shell, "File", "Close all runs").trigger()
    assert shell.runs.count() == 0


def test_a_window_that_comes_back_reads_the_run_where_the_reviewer_was(
    make_shell: Callable[..., Shell], folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    shell = make_shell()
    open_many(shell, folder, qtbot)
    read(shell, 9, qtbot)
    shell.close()
    session = load_session(tmp_path / "window.json")
    assert isinstance(session, Session)
    again = make_shell(session)
    with qtbot.waitSignal(again.settled, timeout=WAIT):
        again.restore()
    assert len(again.desk.audits) == 1
    assert question(again) == "Question 9?"


def test_a_run_of_many_is_followed_as_it_grows_and_no_other_is_read(
    shell: Shell, folder: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignals([shell.settled, shell.handlers.follower.looked], timeout=WAIT):
        shell.open([str(folder)])
    place = Path(next(iter(shell.opener.read_runs)))
    text = place.read_text("utf-8")
    more = text.replace('"u1"', '"u3"').replace('"u0"', '"u2"').replace('"m0"', '"m1"')
    more = more.replace('"parentUuid": null', '"parentUuid": "u1"')
    with qtbot.waitSignal(shell.desk.replaced, timeout=WAIT):
        place.write_text(text + more, "utf-8")
    qtbot.waitUntil(lambda: not shell.handlers.follower.busy, timeout=WAIT)
    assert len(shell.desk.audits) == 1
    assert len(shell.desk.audit().calls) == 2


def test_few_runs_are_read_one_after_another(shell: Shell, tmp_path: Path, qtbot: QtBot) -> None:
    for number in range(AT_ONCE):
        write_session(tmp_path / f"s{number}.jsonl", number)
    open_many(shell, tmp_path, qtbot)
    assert len(shell.desk.audits) == AT_ONCE
    assert shell.opener.unread_runs == []


def test_the_runs_of_an_archive_are_listed_and_read_like_those_of_a_folder(
    shell: Shell, folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    packed = tmp_path / "many.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for place in sorted(folder.iterdir())[:30]:
            archive.write(place, place.name)
    open_many(shell, packed, qtbot)
    assert (len(shell.desk.audits), shell.runs.count()) == (1, 30)
    read(shell, 20, qtbot)
    assert question(shell) == "Question 20?"


def test_a_listing_can_be_stopped(shell: Shell, folder: Path, qtbot: QtBot) -> None:
    shell.open([str(folder)])
    qtbot.waitUntil(lambda: shell.opener.paths == [str(folder)], timeout=WAIT)
    shell.opener.stop()
    assert not shell.opener.loading
    assert shell.opener.stopped
    qtbot.waitUntil(shell.empty.isVisible, timeout=WAIT)
    assert is_told(shell, "Reading was stopped")
