"""A second start hands its paths to the first, and never waits for long."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from reviewer.window.single import FirstStart, hand_over, server_name

HOME = Path(__file__).parents[2]


@pytest.fixture
def name() -> str:
    return f"reread-test-{uuid4().hex[:12]}"


def test_nobody_is_there_at_first(name: str) -> None:
    assert hand_over(name, ["/a"]) is False


def test_the_first_start_gets_the_paths_of_the_second(name: str, qtbot: QtBot) -> None:
    first = FirstStart(name)
    assert first.listens
    paths = ["/runs/设备 租赁", "/b\udcff"]
    program = (
        "import sys; from reviewer.window.single import hand_over; "
        f"sys.exit(0 if hand_over({name!r}, {paths!r}, '/store') else 1)"
    )
    with qtbot.waitSignal(first.asked, timeout=20_000) as asked:
        second = subprocess.Popen([sys.executable, "-c", program], cwd=HOME)  # noqa: S603 - ours
    assert asked.args == [paths, "/store"]
    assert second.wait(20) == 0
    first.close()


@pytest.mark.parametrize(
    "line", [b"nothing\n", b"[]\n", b'{"paths": "x"}\n', b'{"paths": [1]}\n', b"[" * 90_000 + b"\n"]
)
def test_what_is_no_request_is_not_obeyed(name: str, line: bytes, qtbot: QtBot) -> None:
    first = FirstStart(name)
    socket = QLocalSocket()
    with qtbot.assertNotEmitted(first.asked):
        socket.connectToServer(name)
        assert socket.waitForConnected(2000)
        with qtbot.waitSignal(socket.disconnected, timeout=5000):
            socket.write(line)
    first.close()


def test_each_data_folder_has_a_window_of_its_own() -> None:
    names = {server_name(Path("/a")), server_name(Path("/b")), server_name(Path("/a"))}
    assert len(names) == 2
    assert all(len(name) < 40 for name in names)
