"""What is open, and where the reviewer is: the one thing that every view knows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from reviewer.window.decisions import Decisions
from reviewer.window.place import Place
from store.records.findings import Audit

__all__ = ["Desk"]

_REMEMBERED = 500
"""Places kept to walk back through; the oldest are forgotten."""


class Desk(QObject):
    """The open audits and the present place, with the way that led there.

    ``store`` is a folder with further evidence of what is open.  ``judge``,
    where there is one, is asked for each audit before it comes here, in the
    thread that made it.

    Views follow ``moved`` and ask for moves with `go`.  A view that asks for
    one while it follows another is not heard: otherwise two views that each
    select what the other shows would lead each other in circles.
    """

    moved = Signal(object)
    """A `Place`, after every change of place."""
    opened = Signal(int)
    """A run was added at this index of ``audits``."""
    replaced = Signal(int)
    """The run at this index was read anew; the place may have become another one too."""
    closed = Signal()
    """Nothing is open any more."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.audits: list[Audit] = []
        self.store: str | None = None
        self.judge: Callable[[Audit], Audit] | None = None
        self.place = Place()
        self.decisions = Decisions(self)
        self._way: list[Place] = []
        self._at = -1
        self._moving = False

    # -- what is open ----------------------------------------------------------

    def add(self, audit: Audit) -> int:
        """Add a run and return its index; where the reviewer is stays as it is."""
        self.audits.append(audit)
        index = len(self.audits) - 1
        self.opened.emit(index)
        return index

    def replace(self, index: int, audit: Audit, kept: Callable[[Place], Place]) -> None:
        """Put *audit* in the place of run *index*; *kept* gives for old places those in it.

        The reviewer stays: nothing is added to the way.
        """
        self.audits[index] = audit
        self._way = [kept(place) if place.run == index else place for place in self._way]
        here = self.place.run == index
        place = kept(self.place) if here else self.place
        self.place = place
        self.replaced.emit(index)
        if here:
            self._move(place)

    def audit(self, index: int | None = None) -> Audit:
        """Return the audit of run *index*, by default of the present one.

        Raises `IndexError` where no such run is open.
        """
        index = self.place.run if index is None else index
        if not 0 <= index < len(self.audits):
            raise IndexError(f"no run {index}: {len(self.audits)} are open")
        return self.audits[index]

    def clear(self) -> None:
        """Close every run and forget the way."""
        self.audits.clear()
        self._way.clear()
        self._at = -1
        self.place = Place()
        self.decisions.forget()
        self.closed.emit()

    # -- where the reviewer is -------------------------------------------------

    def go(self, place: Place) -> None:
        """Move to *place* and remember it; nothing happens where the reviewer is there already."""
        if self._moving or (place == self.place and self._way):
            return
        del self._way[self._at + 1 :]
        self._way.append(place)
        del self._way[:-_REMEMBERED]
        self._at = len(self._way) - 1
        self._move(place)

    def back(self) -> None:
        """Move to the place before this one, if there is one."""
        if self.can_go_back and not self._moving:
            self._at -= 1
            self._move(self._way[self._at])

    def forward(self) -> None:
        """Move to the place that was left with `back`, if there is one."""
        if self.can_go_forward and not self._moving:
            self._at += 1
            self._move(self._way[self._at])

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether a place was left with `back`."""
        return self._at < len(self._way) - 1

    def _move(self, place: Place) -> None:
        self.place = place
        self._moving = True
        try:
            self.moved.emit(place)
        finally:
            self._moving = False
