"""The watcher sees each event once, with what it sends, and nothing while it is told to rest."""

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QObject

from tests.window.watcher import Watcher, slowness

HOME = Path(__file__).parents[2]


def test_a_long_step_is_kept_with_its_receiver_and_what_was_done() -> None:
    watcher = Watcher(least=50)
    watcher.begin("open")
    slow = QObject()
    slow.setObjectName("slow")
    watcher.saw(80, slow, "Timer")
    watcher.saw(20, slow, "Paint")
    assert [str(each) for each in watcher.held] == ["80 ms: Timer to QObject slow (open)"]
    assert (watcher.longest, watcher.steps) == (80, 2)
    watcher.begin("close")
    assert (watcher.held, watcher.longest, watcher.steps) == ([], 0.0, 0)


def test_an_application_under_watch_measures_the_processor_and_not_the_clock() -> None:
    program = (
        "import os, time\n"
        "os.environ['QT_QPA_PLATFORM'] = 'offscreen'\n"
        "from PySide6.QtCore import QTimer\n"
        "from tests.window.watcher import WatchedApplication, Watcher\n"
        "app = WatchedApplication(['x'])\n"
        "app.watcher = watcher = Watcher(50)\n"
        "def busy():\n"
        "    until = time.thread_time() + 0.3\n"
        "    while time.thread_time() < until: pass\n"
        "watcher.do(lambda: time.sleep(0.4))\n"
        "watcher.do(busy)\n"
        "QTimer.singleShot(20, app.quit)\n"
        "app.exec()\n"
        "print(len(watcher.held), round(watcher.longest) > 50)\n"
    )
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HOME)  # noqa: S603
    assert told.stdout.split() == ["1", "True"]


def test_a_machine_that_is_as_fast_as_ever_excuses_nothing() -> None:
    assert slowness(best=1.0, yardstick=lambda: 1.0) == 1.0
    assert slowness(best=1.0, yardstick=lambda: 0.9) == 1.0


def test_a_machine_at_half_its_speed_excuses_half_of_a_step() -> None:
    assert slowness(best=1.0, yardstick=lambda: 2.0) == 2.0


def test_one_slow_moment_of_the_machine_excuses_nothing() -> None:
    moments = iter([9.0] + [1.0] * 99)
    assert slowness(best=1.0, yardstick=lambda: next(moments)) == 1.0
