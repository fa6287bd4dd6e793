"""The request of a session as it grows: what each call held, as changes against the call before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from store.records.runs import Splice

__all__ = ["Entry", "HeldRequest"]


@dataclass(slots=True, eq=False)
class Entry:
    """One message in the request.  ``names`` are the tool call and record ids it is found by."""

    message: int
    names: frozenset[str]


class HeldRequest:
    """Messages in order.  Every operation costs what it changes, not what is held.

    Taking entries out is the exception: it costs one pass, and happens only
    where a record says so.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._places: dict[str, int] = {}
        self._sent = 0
        self._changed: set[int] = set()
        self._removed: set[int] = set()
        self._replaced_all = False

    @property
    def entries(self) -> Sequence[Entry]:
        """What is held now."""
        return self._entries

    def append(self, entry: Entry) -> None:
        """Add a message at the end."""
        for name in entry.names:
            self._places[name] = len(self._entries)
        self._entries.append(entry)

    def find(self, name: str) -> Entry | None:
        """Return the entry that *name* stands in."""
        place = self._places.get(name)
        return None if place is None or place in self._removed else self._entries[place]

    def replace(self, name: str, message: int) -> None:
        """Let another message stand where *name* stands; `KeyError` where it stands nowhere."""
        place = self._places[name]
        self._entries[place].message = message
        if place < self._sent:
            self._changed.add(place)

    def remove(self, name: str) -> bool:
        """Take the message of *name* out; return whether it was there."""
        place = self._places.get(name)
        if place is None or place in self._removed:
            return False
        self._removed.add(place)
        return True

    def restart(self, entries: Iterable[Entry] = ()) -> None:
        """Hold *entries* and nothing else."""
        self._replaced_all = True
        self._entries, self._places = [], {}
        self._changed, self._removed = set(), set()
        for entry in entries:
            self.append(entry)

    def splices(self) -> tuple[Splice, ...]:
        """Return what changed since the last time, and count it as sent."""
        kept = self._sent if not self._replaced_all else 0
        made = self._changes(kept)
        if self._replaced_all:
            made = [Splice(0, self._sent, self._messages(0))] if self._sent or self._entries else []
        elif fresh := self._messages(kept):
            made.append(Splice(kept, kept, fresh))
        if self._removed:
            left = [one for at, one in enumerate(self._entries) if at not in self._removed]
            self._entries, self._places = [], {}
            for entry in left:
                self.append(entry)
        self._changed, self._removed, self._replaced_all = set(), set(), False
        self._sent = len(self._entries)
        return tuple(made)

    def _messages(self, start: int) -> tuple[int, ...]:
        return tuple(
            self._entries[place].message
            for place in range(start, len(self._entries))
            if place not in self._removed
        )

    def _changes(self, kept: int) -> list[Splice]:
        made: list[Splice] = []
        for place in sorted(at for at in self._changed | self._removed if at < kept):
            new = () if place in self._removed else (self._entries[place].message,)
            if made and made[-1].stop == place:
                made[-1] = Splice(made[-1].start, place + 1, made[-1].messages + new)
            else:
                made.append(Splice(place, place + 1, new))
        return made
