"""What stands on the open runs, as every view sees it; views ask here, and others write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from reviewer.services.run_review import Shown
    from reviewer.window.presenters.decisions import Subject
    from store.records.reviews import Target, TargetState

__all__ = ["Decisions"]


class Decisions(QObject):
    """The decisions that are on the disk.

    What a view wants to be decided is no decision yet: it is shown as one when
    `show` has it.
    """

    changed = Signal(int)
    """What stands on this run may be another than before."""
    noted = Signal(object, str)
    """A view wants this note to be kept on this `Subject`."""
    kept = Signal(object, str)
    """A note that was wanted is on the disk."""
    named = Signal(str)
    """A view wants the reviewer to be called so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reviewer = ""
        self._shown: dict[int, Shown] = {}

    def show(self, run: int, shown: Shown) -> None:
        """Show that this stands on *run*."""
        self.reviewer = shown.reviewer or self.reviewer
        self._shown[run] = shown
        self.changed.emit(run)

    def forget(self) -> None:
        """Forget everything: no run is open."""
        self._shown.clear()

    def states(self, run: int) -> Mapping[Target, TargetState]:
        """Return what stands on *run*, by target."""
        shown = self._shown.get(run)
        return shown.states if shown else {}

    def state(self, subject: Subject | None) -> TargetState | None:
        """Return what stands on *subject*."""
        return None if subject is None else self.states(subject.run).get(subject.target)

    def digest(self, run: int) -> str:
        """Return the digest of the record of *run*, "" where it is not known yet."""
        shown = self._shown.get(run)
        return shown.digest if shown else ""
