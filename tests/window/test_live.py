"""A run that grows while it is open is followed, and the reviewer stays where they are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QModelIndex
from pytestqt.qtbot import QtBot

from reviewer.services.opening_runs import Found, open_runs
from reviewer.services.sessions import Session
from reviewer.window.place import Place
from reviewer.window.presenters.places import kept_place, still_there
from reviewer.window.shell import Shell
from reviewer.window.views.findings import FindingsView
from reviewer.window.views.run_tree import RunTree
from store.records.findings import Audit
from store.records.runs import ProblemKind
from tests.window.driving import WAIT


class Growing:
    """A run folder of which only a beginning is written so far."""

    def __init__(self, folder: Path, calls: int) -> None:
        self.folder = folder
        self.events = folder / "events.jsonl"
        self.lines = self.events.read_bytes().splitlines(keepends=True)
        self.write(calls)

    def upto(self, calls: int) -> bytes:
        """Return the events before model call *calls* + 1."""
        end = f'"index": {calls + 1},'.encode()
        at = next((n for n, one in enumerate(self.lines) if end in one[:60]), len(self.lines))
        return b"".join(self.lines[:at])

    def write(self, calls: int) -> None:
        """Write it up to *calls*."""
        self.events.write_bytes(self.upto(calls))

    def append(self, calls: int, *, half: int = 0) -> None:
        """Write on up to *calls*, and *half* bytes of what follows."""
        held = len(self.events.read_bytes())
        every = b"".join(self.lines)
        with self.events.open("ab") as stream:
            stream.write(every[held : len(self.upto(calls)) + half])

    def exchange(self, calls: int) -> None:
        """Put another file in the place of the one there."""
        other = self.folder / "events.new"
        other.write_bytes(self.upto(calls))
        other.replace(self.events)


@pytest.fixture
def growing(sample: list[str]) -> Growing:
    return Growing(Path(sample[0]), 5)


@pytest.fixture
def followed(shell: Shell, growing: Growing, qtbot: QtBot) -> Shell:
    follower = shell.handlers.follower
    with qtbot.waitSignals([shell.settled, follower.looked], timeout=WAIT):
        shell.open([str(growing.folder)])
    return shell


def calls(shell: Shell) -> int:
    return len(shell.desk.audit(0).calls)


def test_new_calls_are_shown_and_counted_and_the_place_stays(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    assert calls(followed) == 5
    followed.desk.go(Place(call=3, message=1, part=0, tab="model"))
    place = followed.desk.place
    growing.append(7)
    qtbot.waitUntil(lambda: calls(followed) == 7, timeout=WAIT)
    assert followed.desk.place == place
    assert followed.statusBar().currentMessage() == "2 new calls"
    assert len(followed.desk.audits) == 1
    assert followed.regions is not None
    tree = followed.regions.widgets["run"]
    assert isinstance(tree, RunTree)
    assert tree.calls.rowCount(QModelIndex()) == 7
    followed.desk.back()
    assert still_there(followed.desk.audit(), followed.desk.place)


def test_the_answer_and_its_citations_appear_when_they_are_written(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    assert not followed.desk.audit(0).citations
    growing.append(99)
    qtbot.waitUntil(lambda: calls(followed) == 8, timeout=WAIT)
    assert followed.regions is not None
    table = followed.regions.widgets["findings"]
    assert isinstance(table, FindingsView)
    audit = followed.desk.audit(0)
    qtbot.waitUntil(lambda: table.loaded, timeout=WAIT)
    assert table.model.total >= len(audit.citations) > 0


def test_a_file_that_is_replaced_is_followed_on(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    for count in (6, 7):
        growing.exchange(count)
        qtbot.waitUntil(lambda count=count: calls(followed) == count, timeout=WAIT)  # type: ignore[misc]
    growing.append(8)
    qtbot.waitUntil(lambda: calls(followed) == 8, timeout=WAIT)


def test_half_a_last_line_is_noted_and_no_alarm(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    followed.problems.clear()
    growing.append(6, half=20)
    qtbot.waitUntil(lambda: calls(followed) == 6, timeout=WAIT)
    cut = [each for each in followed.problems.problems if "cut short" in each.what]
    assert [each.kind for each in cut] == [ProblemKind.NOTED]
    growing.append(7)
    qtbot.waitUntil(lambda: calls(followed) == 7, timeout=WAIT)
    assert [each for each in followed.problems.problems if "cut short" in each.what] == []


def test_a_file_that_is_being_written_anew_takes_nothing_away_meanwhile(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    followed.desk.go(Place(call=5, tab="model"))
    growing.events.write_bytes(b"")
    with qtbot.waitSignal(followed.handlers.follower.looked, timeout=WAIT):
        pass
    assert calls(followed) == 5
    growing.write(2)
    with qtbot.waitSignal(followed.handlers.follower.looked, timeout=WAIT):
        pass
    growing.write(6)
    qtbot.waitUntil(lambda: calls(followed) == 6, timeout=WAIT)
    assert followed.desk.place == Place(call=5, tab="model")


def test_following_can_be_switched_off_and_on_again(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    action = followed.menus.actions["view.follow"]
    assert action.isChecked()
    action.trigger()
    assert not action.isChecked()
    assert followed.session.follow is False
    assert not followed.handlers.follower.watching
    growing.append(7)
    QCoreApplication.processEvents()
    assert calls(followed) == 5
    action.trigger()
    assert action.isChecked()
    qtbot.waitUntil(lambda: calls(followed) == 7, timeout=WAIT)


def test_a_window_that_was_told_not_to_follow_does_not(
    make_shell: Callable[..., Shell], growing: Growing, qtbot: QtBot
) -> None:
    shell = make_shell(Session(follow=False))
    with qtbot.waitSignal(shell.settled, timeout=WAIT):
        shell.open([str(growing.folder)])
    assert not shell.handlers.follower.watching
    assert not shell.menus.actions["view.follow"].isChecked()


def test_a_change_beside_the_run_reads_nothing_again(
    followed: Shell, growing: Growing, qtbot: QtBot
) -> None:
    audit = followed.desk.audit(0)
    with qtbot.waitSignal(followed.handlers.follower.looked, timeout=WAIT):
        (growing.folder.parent / "neighbour.txt").write_text("nothing of the run")
    assert followed.desk.audit(0) is audit
    assert followed.handlers.follower.watching


def test_a_place_is_found_again_by_what_is_there_and_not_by_its_number(sample: list[str]) -> None:
    audits = [each.audit for each in open_runs(sample[:1], tokens=False) if isinstance(each, Found)]
    whole: Audit = audits[0]
    growing = Growing(Path(sample[0]), 5)
    early = next(e.audit for e in open_runs([str(growing.folder)]) if isinstance(e, Found))
    assert kept_place(early, whole, Place(call=5, tab="model")) == Place(call=5, tab="model")
    back = kept_place(whole, early, Place(call=8, message=2, part=0, citation=1, tab="model"))
    assert back == Place(call=5, tab="model")
    for index, finding in enumerate(early.findings):
        found = kept_place(early, whole, Place(finding=index)).finding
        assert found is None or whole.findings[found].message == finding.message
