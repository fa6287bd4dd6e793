"""What every test of the window gets: a clean language, and a watch on what it leaves behind."""

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("PySide6.QtWidgets", exc_type=ImportError)

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from reviewer.services.auditing import audit_paths
from reviewer.services.sample import write_sample
from reviewer.services.sessions import Session
from reviewer.window import i18n
from reviewer.window.desk import Desk
from reviewer.window.handlers import Handlers
from reviewer.window.shell import Shell
from store.records.findings import Audit
from tests.window.driving import WAIT, rest
from tests.window.watcher import WatchedApplication, Watcher

_HARMLESS = ("This plugin does not support propagateSizeHints()",)
"""What Qt says of a screen that is not there."""


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    """Give an application that is watched."""
    return WatchedApplication


@pytest.fixture(autouse=True)
def _no_step_is_long(
    qapp: QApplication, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Fail a test with a step of the interface thread above `LIMIT` milliseconds.

    A step is an event, or what a test does of a command or a move by calling it.
    """
    assert isinstance(qapp, WatchedApplication)
    _watch(qapp, monkeypatch, Handlers, "run")
    for name in ("go", "back", "forward"):
        _watch(qapp, monkeypatch, Desk, name)
    # Looking for cycles in all that a long run of tests holds is no step of the window.
    gc.disable()
    qapp.watcher = watcher = Watcher()
    watcher.begin(request.node.name)
    yield
    qapp.watcher = None
    gc.enable()
    assert [str(each) for each in watcher.held] == []


def _watch(app: WatchedApplication, patch: pytest.MonkeyPatch, kind: type, name: str) -> None:
    """Measure what *name* of *kind* does."""
    real = getattr(kind, name)

    def watched(self: QObject, *given: object) -> object:
        return app.measured(self, name, lambda: real(self, *given))

    patch.setattr(kind, name, watched)


@pytest.fixture(autouse=True)
def _nothing_is_left(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a running timer, a listener or a warning of Qt behind."""
    threads = set(threading.enumerate())
    listeners = list(i18n.changed)
    font = qapp.font()
    yield
    log = request.node.qt_log_capture if hasattr(request.node, "qt_log_capture") else None
    i18n.set_language("en")
    qapp.setFont(font)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.unfreeze()
    gc.collect()
    left = [each for each in threading.enumerate() if each not in threads]
    for each in left:  # told to end, they end at their next opportunity
        each.join(WAIT / 1000)
    assert [each.name for each in left if each.is_alive()] == [], "threads were left behind"
    assert i18n.changed == listeners, "somebody still listens to the language"
    timers = [
        each
        for top in QApplication.topLevelWidgets()
        for each in top.findChildren(QTimer)
        if each.isActive()
    ]
    assert timers == [], "timers still run"
    said = [] if log is None else [record.message for record in log.records]
    assert [each for each in said if each not in _HARMLESS] == [], "Qt warned"


@pytest.fixture
def speak() -> Callable[[str], None]:
    """Give a function that changes the language and lets every view take it up."""

    def changed(code: str) -> None:
        i18n.set_language(code)
        rest()

    return changed


@pytest.fixture
def sample(tmp_path: Path) -> list[str]:
    """Give the paths of the two sample runs."""
    return [str(place) for place in write_sample(tmp_path / "sample")]


@pytest.fixture(scope="session")
def audits(tmp_path_factory: pytest.TempPathFactory) -> list[Audit]:
    """Give the audits of the two sample runs."""
    paths = [str(place) for place in write_sample(tmp_path_factory.mktemp("sample"))]
    found = audit_paths(paths, tokens=False, strict=True)
    return [each for each in found if isinstance(each, Audit)]


@pytest.fixture(scope="session")
def incident(audits: list[Audit]) -> Audit:
    """Give the audit of the first of them."""
    return audits[0]


@pytest.fixture
def desk(qapp: QApplication, audits: list[Audit]) -> Iterator[Desk]:
    """Give a desk with the sample on it, for a view of its own."""
    desk = Desk(qapp)
    for audit in audits:
        desk.add(audit)
    yield desk
    desk.deleteLater()


@pytest.fixture
def make_shell(qtbot: QtBot, tmp_path: Path) -> Callable[..., Shell]:
    """Give a function that makes a window with a session file of its own."""

    def made(session: Session | None = None) -> Shell:
        shell = Shell(session or Session(), tmp_path / "window.json")
        qtbot.addWidget(shell)
        shell.show()
        return shell

    return made


@pytest.fixture
def shell(make_shell: Callable[..., Shell]) -> Shell:
    """Give a window with nothing open."""
    return make_shell()


@pytest.fixture
def opened(shell: Shell, sample: list[str], qtbot: QtBot) -> Shell:
    """Give a window with the sample open, and looked at for what it has become since."""
    with qtbot.waitSignals([shell.settled, shell.handlers.follower.looked], timeout=WAIT):
        shell.open(sample)
    rest()
    return shell


@pytest.fixture
def get_dialog(qtbot: QtBot) -> Callable[[str], QWidget]:
    """Give a function that finds the open dialog of a name; it is closed at the end."""

    def found(name: str) -> QWidget:
        dialog = next(
            each
            for each in QApplication.topLevelWidgets()
            if each.objectName() == name and each.isVisible()
        )
        qtbot.addWidget(dialog)
        return dialog

    return found
