"""Turns the registry into `QAction`s and menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from reviewer.window.actions import ACTIONS, MENUS, Command
from reviewer.window.i18n import tr

_MNEMONIC = re.compile(r"\(&\w\)")
"""A key behind a title, where it is no letter of it; it is not part of the words."""

__all__ = ["Menus", "command_title", "shown_keys"]

_NEVER_TRANSLATED = "language"
"""The choice whose entries stand in their own language."""

_EACH_FOR_ITSELF = ("region", "highlight", "follow")
"""Choices of which any number can be checked."""
_OF_PARTS = ("show_tab", "toggle_region")
"""Handlers of commands that are there only with the part of the window they speak of."""


def command_title(command: Command) -> str:
    """Return the title of *command* in the present language."""
    return command.title if command.choice == _NEVER_TRANSLATED else tr(command.title)


def shown_keys(command: Command) -> str:
    """Return the first key of *command* as this system writes it."""
    if not command.keys:
        return ""
    return QKeySequence(command.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)


class Menus:
    """The menus of a window; every command is a `QAction` of it.

    Single letters are keys of the window too: a line edit takes them first,
    as Qt does for every key that writes something.
    """

    def __init__(self, window: QMainWindow, run: Callable[[Command], None]) -> None:
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._submenus: dict[str, QMenu] = {}
        self._choices: dict[str, QActionGroup] = {}
        for name in MENUS:
            menu = window.menuBar().addMenu("")
            menu.setObjectName(f"menu_{name}")
            self._menus[name] = menu
        for command in ACTIONS:
            self._add(command, run)
        self.show_parts(frozenset())
        self.retranslate()

    @property
    def commands(self) -> tuple[Command, ...]:
        """Every command that the window has now."""
        return tuple(each for each in ACTIONS if self.actions[each.id].isVisible())

    def show_parts(self, parts: frozenset[str]) -> None:
        """Show the commands of these tabs and regions, and of no others."""
        for command in ACTIONS:
            if command.handler in _OF_PARTS:
                self.actions[command.id].setVisible(command.argument in parts)
        for title, menu in self._submenus.items():
            inside = [each for each in ACTIONS if each.submenu == title]
            shown = any(self.actions[each.id].isVisible() for each in inside)
            menu.menuAction().setVisible(shown)

    def retranslate(self) -> None:
        """Show every title in the present language."""
        for name, title in MENUS.items():
            self._menus[name].setTitle(tr(title))
        for title, menu in self._submenus.items():
            menu.setTitle(tr(title))
        for command in ACTIONS:
            self.actions[command.id].setText(command_title(command))

    def enable(self, states: frozenset[str]) -> None:
        """Enable what can be done in these states."""
        for command in ACTIONS:
            self.actions[command.id].setEnabled(command.when in states)

    def check(self, choices: Mapping[str, frozenset[str]]) -> None:
        """Mark which arguments of each choice are the present ones."""
        for command in ACTIONS:
            if command.choice in choices:
                checked = command.argument in choices[command.choice]
                self.actions[command.id].setChecked(checked)

    def path(self, command: Command) -> str:
        """Return where *command* stands in the menus, as ``Menu › Submenu``."""
        titles = [_MNEMONIC.sub("", tr(MENUS[command.menu])).replace("&", "")]
        if command.submenu:
            titles.append(tr(command.submenu))
        return " › ".join(titles)

    def _add(self, command: Command, run: Callable[[Command], None]) -> None:
        action = QAction(self._window)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda: run(command))
        if command.handler == "quit":
            action.setMenuRole(QAction.MenuRole.QuitRole)
        if command.choice:
            action.setCheckable(True)
            self._group(command.choice).addAction(action)
        menu = self._menus[command.menu]
        before = [each for each in ACTIONS if each.menu == command.menu]
        place = before.index(command)
        new_group = place > 0 and before[place - 1].group != command.group
        if new_group:
            menu.addSeparator()
        if command.submenu:
            if command.submenu not in self._submenus:
                self._submenus[command.submenu] = menu.addMenu("")
            menu = self._submenus[command.submenu]
        menu.addAction(action)
        self.actions[command.id] = action

    def _group(self, choice: str) -> QActionGroup:
        if choice not in self._choices:
            self._choices[choice] = QActionGroup(self._window)
            self._choices[choice].setExclusive(choice not in _EACH_FOR_ITSELF)
        return self._choices[choice]
