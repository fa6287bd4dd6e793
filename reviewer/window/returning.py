"""How the window was left, and where the reviewer was, to come back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from reviewer.window import i18n
from reviewer.window.place import Place
from reviewer.window.presenters import places
from store.records.findings import Audit

if TYPE_CHECKING:
    from reviewer.services.sessions import Session
    from reviewer.window.shell import Shell
    from store.entries import Entry

__all__ = ["Return", "left"]


def left(shell: Shell) -> Session:
    """Return the session of *shell* as it is left now."""
    desk, opener = shell.desk, shell.opener
    return msgspec.structs.replace(
        shell.session,
        geometry=shell.saveGeometry().data(),
        layout=shell.saveState().data() if shell.shows_docks else shell.session.layout,
        paths=tuple(opener.paths),
        store=opener.store,
        place=places.place_values(desk.audit(), desk.place) if desk.audits else {},
        language=i18n.language(),
        text_size=shell.text_size,
        baseline=shell.handlers.known.name,
    )


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

    def wants(self, entry: Entry) -> bool:
        """Tell whether the wanted place is in the run that *entry* leads to; from any thread."""
        path, _, run_id = self._run.rpartition("#")
        if not path:
            return False
        return entry.place == path or (bool(entry.run_id) and entry.run_id == run_id)

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
