"""What the commands of the menu File do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from reviewer.window.exporting import Exporter
from reviewer.window.i18n import tr
from reviewer.window.known import KnownBefore
from reviewer.window.presenters import places

if TYPE_CHECKING:
    from reviewer.window.shell import Shell

__all__ = ["FileCommands"]


class FileCommands:
    """One method for each handler that the registry names in this menu."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.exporter = Exporter(shell)
        self.known = KnownBefore(shell)

    def open_folder(self) -> None:
        """Ask for a run folder and open it."""
        chosen = QFileDialog.getExistingDirectory(self._shell, tr("Open run folder"))
        if chosen:
            self._shell.opener.open([chosen])

    def open_file(self) -> None:
        """Ask for trace files and open them."""
        chosen, _ = QFileDialog.getOpenFileNames(self._shell, tr("Open trace file"))
        if chosen:
            self._shell.opener.open(chosen)

    def open_sample(self) -> None:
        """Write the sample and open it."""
        self._shell.opener.open_sample()

    def export(self) -> None:
        """Write a report on the open runs."""
        self.exporter.ask()

    def baseline(self) -> None:
        """Ask for findings that were known before, and compare with them."""
        self.known.ask()

    def no_baseline(self) -> None:
        """Compare with none."""
        self.known.forget()

    def reload(self) -> None:
        """Read everything that is open again and come back to this place."""
        desk = self._shell.desk
        if desk.audits:
            self._shell.returning.to(places.place_values(desk.audit(), desk.place))
        self._shell.opener.reload()

    def stop(self) -> None:
        """Stop reading."""
        self._shell.opener.stop()

    def close_all(self) -> None:
        """Close every run."""
        self._shell.opener.close_all()

    def quit(self) -> None:
        """Close the window."""
        self._shell.close()
