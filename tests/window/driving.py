"""What tests of the whole window share: finding a command, and what was told, as a person would."""

from pathlib import Path

from PySide6.QtCore import QDeadlineTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from reviewer.window.shell import Shell
from reviewer.window.turns import Turns

WAIT = 30_000
"""Milliseconds for what is done in the background."""
HOME = Path(__file__).parents[2]


def rest() -> None:
    """Let every window do what it has put off to later turns of the event loop."""
    until = QDeadlineTimer(WAIT)
    QApplication.processEvents()
    while not all(
        turns.complete
        for window in QApplication.topLevelWidgets()
        for turns in window.findChildren(Turns)
    ):
        assert not until.hasExpired(), "the window does not come to rest"
        QApplication.processEvents()


def menu_action(shell: Shell, *titles: str) -> QAction:
    """Return what stands under these titles of the menu bar, as a person would find it."""
    found = None
    actions = shell.menuBar().actions()
    for title in titles:
        found = next(each for each in actions if each.text().replace("&", "") == title)
        menus = [each for each in shell.findChildren(QMenu) if each.menuAction() is found]
        actions = menus[0].actions() if menus else []
    assert found is not None
    return found


def is_told(shell: Shell, words: str) -> bool:
    """Tell whether the bar of problems has one with these *words*, among whatever else it has."""
    return any(words in each.what for each in shell.problems.problems)
