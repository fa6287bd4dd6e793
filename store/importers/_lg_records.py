"""All threads of a checkpoint database, each with its branches and its sub-graphs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.importers import _files
from store.importers._lc_thread import ThreadRecord
from store.importers._lg_calls import PathReader
from store.importers._lg_threads import Namespace, Threads
from store.importers._sqlite_copy import opened
from store.records.runs import Problem, ProblemKind

__all__ = ["names_of", "records_of"]

_STEPS = 200_000
"""Checkpoints that are read for the branches of one thread: each path begins at the first."""
_NAMED = 3
"""How many values that could not be decoded are named; the others are counted."""


def names_of(path: Path) -> list[tuple[str, bool]]:
    """Return each thread of a database, and whether other runs come with it.

    Raises `OSError` and `sqlite3.Error`.
    """
    found: dict[str, int] = {}
    with opened(path) as database:
        threads = Threads(database)
        for space in threads.namespaces() if threads.is_readable else ():
            found[space.thread] = found.get(space.thread, 0) + len(space.leaves())
    return [(thread, count > 1) for thread, count in found.items()]


def records_of(path: Path, wanted: str | None = None) -> Iterator[ThreadRecord]:
    """Yield the threads of the database at *path*, the thread itself before its parts.

    Only the thread that is *wanted*, where one is.  What could not be read is
    a problem of the last.  Raises `OSError`, and `sqlite3.Error` where nothing
    of it can be read.
    """
    with opened(path) as database:
        threads = Threads(database)
        last: ThreadRecord | None = None
        problems = [Problem(path.name, database.trouble)] if database.trouble else []
        try:
            for record in _all(threads, path.name, wanted):
                if last is not None:
                    yield last
                last = record
        except sqlite3.Error as error:
            what = f"the database is damaged ({error}); what stands before that place was read"
            problems.append(Problem(path.name, what))
        problems += _troubles(threads, path.name)
        if problems and last is None:
            last = ThreadRecord(path.stem)
        if last is not None:
            last.problems.extend(problems)
            yield last


def _troubles(threads: Threads, name: str) -> list[Problem]:
    """Say what could not be decoded: the first of each kind with its place."""
    places: dict[str, list[str]] = {}
    for place, what in threads.troubles:
        places.setdefault(what, []).append(place)
    made = []
    for what, found in places.items():
        shown = ", ".join(_files.shown(place) for place in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        made.append(Problem(f"{name}#{shown}{more}", f"a stored value was not read: {what}"))
    return made


def _all(threads: Threads, name: str, wanted: str | None) -> Iterator[ThreadRecord]:
    spaces: dict[str, list[Namespace]] = {}
    for space in threads.namespaces() if threads.is_readable else ():
        if wanted is not None and space.thread != wanted:
            continue
        spaces.setdefault(space.thread, []).append(space)
    for thread in sorted(spaces):
        try:
            found = _Thread(threads, spaces[thread], name).records()
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - one hostile thread must not hide the others
            what = f"internal error while reading ({type(error).__name__}); please report it"
            found = [ThreadRecord(thread, problems=[Problem(f"{name}#{thread}", what)])]
        yield from found


@dataclass(slots=True)
class _Thread:
    """One thread: what a sub-graph made is no call of the graph that it was made in."""

    threads: Threads
    spaces: list[Namespace]
    name: str
    left: int = 0
    """How many branches were not read."""
    _made: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By assistant message, the checkpoint and the namespace in which it is first met."""

    def records(self) -> list[ThreadRecord]:
        """Return the record of the thread, then of its branches and sub-graphs."""
        read: list[tuple[Namespace, ThreadRecord, PathReader]] = []
        for space in self.spaces:
            for record, reader in self._of(space):
                read.append((space, record, reader))
                for message, place in reader.made.items():
                    first = self._made.setdefault(message, (place, space.name))
                    if place < first[0]:
                        self._made[message] = (place, space.name)
        kept = []
        for space, record, reader in read:
            theirs = {key for key in reader.made if self._made[key][1] != space.name}
            record.calls = [call for call in record.calls if reader.call_key(call) not in theirs]
            if theirs and not record.calls:
                what = f"{len(theirs)} model calls were made in its sub-graphs, which have own runs"
                record.problems.append(Problem(self.name, what, ProblemKind.NOTED))
            if record.calls or not record.namespace:
                kept.append(record)
        if self.left and kept:
            what = f"{self.left} branches of this thread were not read: it has too many of them"
            kept[0].problems.append(Problem(self.name, what))
        return kept

    def _of(self, space: Namespace) -> Iterator[tuple[ThreadRecord, PathReader]]:
        """Yield the path to the latest checkpoint, then each other that has calls of its own."""
        known: set[str] = set()
        leaves = space.leaves()
        steps = 0
        for rank, leaf in enumerate(leaves):
            path = space.path(leaf)
            steps += len(path)
            if rank and steps > _STEPS:
                self.left += len(leaves) - rank
                return
            branch = leaf if rank else None
            title = "/".join(filter(None, (space.thread, space.name)))
            record = ThreadRecord(space.thread, space.name, branch, title)
            reader = PathReader(record, self.name, self.threads.decoder.kept)
            for each in path:
                checkpoint = self.threads.checkpoint(space, each)
                if checkpoint is not None:
                    reader.add(checkpoint, self.threads.tasks(space, each))
            reader.finish()
            if rank == 0 or not reader.made.keys() <= known:
                known |= reader.made.keys()
                yield record, reader
