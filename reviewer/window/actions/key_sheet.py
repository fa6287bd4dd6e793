"""The sheet of keys: every command with its key and its place in the menus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from reviewer.window.actions.menus import Menus, command_title, shown_keys
from reviewer.window.i18n import tr

__all__ = ["KeySheet"]


_COMMAND = 1
"""The column that gets the room that is left."""


class KeySheet(QDialog):
    """Lists the commands that have a key."""

    def __init__(self, menus: Menus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("key_sheet")
        self.setWindowTitle(tr("Keys"))
        commands = [command for command in menus.commands if command.keys]
        self.table = QTableWidget(len(commands), 3, self)
        self.table.setObjectName("key_table")
        self.table.setAccessibleName(tr("Keys"))
        self.table.setHorizontalHeaderLabels([tr("Key"), tr("Command"), tr("Menu")])
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        for row, command in enumerate(commands):
            texts = (shown_keys(command), command_title(command), menus.path(command))
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                self.table.setItem(row, column, item)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_COMMAND, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.verticalHeader().setDefaultSectionSize(round(1.6 * self.fontMetrics().height()))
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        button = close.button(QDialogButtonBox.StandardButton.Close)
        button.setText(tr("Close"))
        button.setObjectName("key_close")
        button.setAccessibleName(tr("Close"))
        close.rejected.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.addWidget(self.table)
        rows.addWidget(close)
        self.resize(620, 560)
