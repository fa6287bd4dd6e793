"""Where the reviewer was, to come back to when that run is open again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewer.window.place import Place
from reviewer.window.presenters import places
from store.records.findings import Audit

__all__ = ["Return"]


class Return:
    """A place in a run that is not open yet.

    A run is known by its path and id: its number depends on what else is
    opened, and on what is no longer there.
    """

    def __init__(self) -> None:
        self._place: Place | None = None
        self._run = ""

    def to(self, values: Mapping[str, object]) -> None:
        """Want the place that `places.place_values` told."""
        self._place = places.place_from_values(values)
        self._run = str(values.get("in_run", ""))

    def place(self, audit: Audit, index: int, first: int) -> Place | None:
        """Return where to go now that *audit* is open as *index*; ``None`` to stay.

        Without a wanted place that is the first place of the run *first*.
        """
        wanted = self._place
        if wanted is None:
            return places.first_place(audit, index) if index == first else None
        if self._run != places.run_key(audit) if self._run else wanted.run != index:
            return None
        self._place = None
        there = places.still_there(audit, wanted)
        return replace(wanted, run=index) if there else places.first_place(audit, index)

    def instead(self, audits: Sequence[Audit], first: int) -> Place | None:
        """Return where to go when everything is open and the wanted run was not among it."""
        missed, self._place = self._place is not None, None
        return places.first_place(audits[first], first) if missed and audits[first:] else None
