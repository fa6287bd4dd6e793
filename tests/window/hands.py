"""Works a window as a person does: by the path through its menus, and by its keys."""

import re
from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from reviewer.window.shell import Shell

WAIT = 30_000


def title(action: QAction) -> str:
    """Return what a menu entry says, without the letter that opens it."""
    return re.sub(r"\(&\w\)", "", action.text()).replace("&", "")


class Hands:
    """Works one window."""

    def __init__(self, shell: Shell, qtbot: QtBot) -> None:
        self.shell = shell
        self.qtbot = qtbot

    def choose(self, *path: str) -> None:
        """Choose the menu entry at *path*, each part as it is shown."""
        actions = self.shell.menuBar().actions()
        for name in path[:-1]:
            menu = self._entry(actions, name).menu()
            assert isinstance(menu, QMenu), name
            actions = menu.actions()
        entry = self._entry(actions, path[-1])
        assert entry.isEnabled(), path
        entry.trigger()

    def press(self, key: str) -> None:
        """Press *key*.  Where the platform gives no window the keyboard, its command is given."""
        sequence = QKeySequence(key)
        held = [each for each in self.shell.menus.actions.values() if sequence in each.shortcuts()]
        assert len(held) == 1, f"{key} stands for {len(held)} commands"
        assert held[0].isEnabled(), key
        focus = QApplication.focusWidget()
        if focus is not None and focus.window() is self.shell and self.shell.isActiveWindow():
            QTest.keySequence(focus, sequence)
        else:
            held[0].trigger()

    def wait(self, true: Callable[[], bool]) -> None:
        """Wait until something is true."""
        self.qtbot.waitUntil(true, timeout=WAIT)

    @staticmethod
    def _entry(actions: list[QAction], name: str) -> QAction:
        found = [each for each in actions if title(each) == name and each.isVisible()]
        assert len(found) == 1, f"{name} among {[title(each) for each in actions]}"
        return found[0]
