"""What is opened, dropped on the window, stopped and closed, and what is told of it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.services.opening_runs import Found, open_runs
from reviewer.window import opening
from reviewer.window.place import Place
from reviewer.window.shell import Shell
from store.records.runs import Problem, ProblemKind
from tests.benchmarks.synthetic import write_trace
from tests.window.driving import WAIT, is_told, menu_action, rest
from tests.window.watcher import LIMIT, WatchedApplication


def drop_on(shell: Shell, data: QMimeData) -> tuple[bool, bool]:
    """Drag *data* over the window and let it fall; return whether each was taken."""
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(QPoint(40, 40), copy, data, left, none)
    enter.setAccepted(False)
    QApplication.sendEvent(shell, enter)
    fall = QDropEvent(QPointF(40, 40), copy, data, left, none)
    fall.setAccepted(False)
    QApplication.sendEvent(shell, fall)
    return enter.isAccepted(), fall.isAccepted()


def test_the_sample_is_opened_through_the_menu_by_the_worker(shell: Shell, qtbot: QtBot) -> None:
    threads: list[str] = []
    shell.opener.told.connect(lambda *_: threads.append(threading.current_thread().name))
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        menu_action(shell, "File", "Open the sample").trigger()
        assert shell.stack.currentWidget() is shell.loading
    assert [audit.run.run_id for audit in shell.desk.audits] == ["incident-review", "lease-review"]
    assert shell.stack.currentWidget() is shell.tabs
    assert set(threads) == {threading.main_thread().name}
    assert shell.desk.place.citation == 0
    assert "call 8 of 8" in shell.where.text()
    assert "recorded" in shell.grade.text()
    assert not shell.strip.isVisible()


def test_opening_keeps_to_small_steps_on_the_interface_thread(
    shell: Shell, sample: list[str], qtbot: QtBot, qapp: WatchedApplication
) -> None:
    assert qapp.watcher is not None
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample)
    rest()
    assert qapp.watcher.steps > 100
    assert qapp.watcher.longest <= LIMIT


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the worker stop after the first run until the event is set."""
    event = threading.Event()
    real = open_runs

    def slowly(paths: list[str], store: str | None, **options: object) -> Iterator[object]:
        for step in real(paths, store, **options):  # type: ignore[arg-type]
            yield step
            if isinstance(step, Found):
                event.wait(20)

    monkeypatch.setattr(opening, "open_runs", slowly)
    yield event
    event.set()


def test_what_was_read_is_shown_while_the_rest_is_read_and_cancel_stops_it(
    shell: Shell, sample: list[str], gate: threading.Event, qtbot: QtBot
) -> None:
    shell.open(sample)
    qtbot.waitUntil(lambda: shell.stack.currentWidget() is shell.tabs, timeout=WAIT)
    assert len(shell.desk.audits) == 1
    reader = shell.worker.working
    assert reader is not None
    assert shell.strip.isVisible()
    assert "Reading" in shell.strip.doing.text()
    with qtbot.waitSignal(shell.settled, timeout=1000):
        qtbot.mouseClick(shell.strip.button, Qt.MouseButton.LeftButton)
    assert not shell.opener.loading
    assert not shell.strip.isVisible()
    assert shell.problems.isVisible()
    assert is_told(shell, "stopped")
    gate.set()
    qtbot.waitUntil(lambda: not reader.is_alive(), timeout=WAIT)
    assert len(shell.desk.audits) == 1


def test_a_cancel_ends_the_reading_of_one_large_run_and_shows_nothing_of_it(
    shell: Shell, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "large.jsonl"
    write_trace(path, 1500, 400, refer=True)
    shell.open([str(path)])
    qtbot.waitUntil(lambda: str(path) in shell.opener.paths, timeout=WAIT)  # it has begun
    reader = shell.worker.working
    assert reader is not None
    with qtbot.waitSignal(shell.settled, timeout=1000):
        shell.menus.actions["file.stop"].trigger()
    qtbot.waitUntil(lambda: not reader.is_alive(), timeout=WAIT)
    assert shell.desk.audits == []
    assert shell.stack.currentWidget() is shell.empty
    assert shell.empty.title.text() == "Reading was stopped"
    assert is_told(shell, "stopped")
    shell.handlers.follower.watch()  # as after every reading
    assert shell.handlers.follower.watching is False
    assert not shell.handlers.follower.busy


def test_after_a_cancel_the_next_run_is_opened_at_once(
    shell: Shell, sample: list[str], gate: threading.Event, qtbot: QtBot
) -> None:
    shell.open(sample[:1])
    qtbot.waitUntil(lambda: len(shell.desk.audits) == 1, timeout=WAIT)
    shell.handlers.stop()
    shell.open(sample[1:])
    qtbot.waitUntil(lambda: len(shell.desk.audits) == 2, timeout=WAIT)
    gate.set()
    qtbot.waitUntil(lambda: not shell.opener.loading, timeout=WAIT)


def test_a_broken_file_is_told_in_the_bar_and_the_others_are_opened(
    shell: Shell, sample: list[str], tmp_path: Path, qtbot: QtBot
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\x00\x01\x02")
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(broken), sample[1]])
    assert len(shell.desk.audits) == 1
    assert shell.problems.isVisible()
    assert "1 thing could not be read" in shell.problems.words.text()
    qtbot.mouseClick(shell.problems.show_list, Qt.MouseButton.LeftButton)
    assert shell.problems.list.isVisible()
    shown = str(shell.problems.list.model().index(0, 0).data())
    assert shown.startswith("lost: ")
    assert "broken.jsonl" in shown
    qtbot.mouseClick(shell.problems.dismiss, Qt.MouseButton.LeftButton)
    assert not shell.problems.isVisible()


def test_a_note_alone_raises_no_bar_and_evidence_in_it_is_data(shell: Shell) -> None:
    shell.problems.add([Problem("x", "y", ProblemKind.NOTED)])
    assert not shell.problems.isVisible()
    shell.problems.add([Problem("<b>a</b>\n\x1b[2J", "\u202etext", ProblemKind.LOST)])
    shell.problems.show_list.setChecked(True)
    shown = str(shell.problems.list.model().index(1, 0).data())
    assert shown == "lost: <b>a</b>␊␛[2J: \\u{202E}text"


def test_where_there_is_no_run_with_calls_the_window_says_so(
    shell: Shell, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("only a text")
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(folder)])
    assert shell.stack.currentWidget() is shell.empty
    assert shell.empty.what.text() == str(folder)
    assert is_told(shell, "no run found")
    qtbot.mouseClick(shell.empty.buttons["file.close_all"], Qt.MouseButton.LeftButton)
    assert shell.stack.currentWidget() is shell.start


def test_a_sample_that_cannot_be_written_is_told(
    shell: Shell, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "_sample_paths", full)
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.opener.open_sample()
    assert is_told(shell, "No space left on device")
    assert shell.stack.currentWidget() is shell.start


def test_whatever_is_dropped_on_the_window_is_opened(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in sample])
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        assert drop_on(shell, data) == (True, True)
    assert len(shell.desk.audits) == 2


def test_addresses_and_text_that_are_dropped_are_not_taken(shell: Shell) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/run.jsonl")])
    assert drop_on(shell, data) == (False, False)
    assert not shell.opener.loading


def test_what_is_open_already_is_not_opened_twice(opened: Shell, sample: list[str]) -> None:
    opened.open(sample)
    assert not opened.opener.loading
    assert len(opened.desk.audits) == 2


def test_two_openings_do_not_get_in_each_others_way(
    shell: Shell, sample: list[str], qtbot: QtBot
) -> None:
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open(sample[:1])
        shell.open(sample[1:])
    assert len(shell.desk.audits) == 2
    assert not is_told(shell, "stopped")


def test_reading_again_comes_back_to_the_place(opened: Shell, qtbot: QtBot) -> None:
    opened.desk.go(Place(run=1, call=2, tab="model"))
    with qtbot.waitSignal(opened.settled, timeout=WAIT):
        menu_action(opened, "File", "Read again").trigger()
    assert opened.desk.place == Place(run=1, call=2, tab="model")
    assert len(opened.desk.audits) == 2


def test_closing_everything_leads_back_to_the_start(opened: Shell) -> None:
    menu_action(opened, "File", "Close all runs").trigger()
    assert opened.stack.currentWidget() is opened.start
    assert opened.start.recent.isVisible()
    assert not any(dock.isVisible() for dock in opened.findChildren(QDockWidget))
    assert opened.where.text() == ""
