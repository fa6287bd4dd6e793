"""Runs that are listed and not read: each is read when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.records.runs import Problem
from store.stopping import StoppedError

if TYPE_CHECKING:
    from store.entries import Entry

__all__ = ["AT_ONCE", "Listing", "UnreadRun", "looked_at"]

AT_ONCE = 12
"""So many runs of one path are read one after another; of more, each when it is chosen."""


@dataclass(slots=True)
class UnreadRun:
    """One of many runs of *path*; ``tried`` says that it could not be read as a run."""

    path: str
    entry: Entry
    tried: bool = False

    @property
    def name(self) -> str:
        """What it is called before it is read: its title, else its id, else its place."""
        entry = self.entry
        inside = entry.place.removeprefix(self.path).lstrip("/#") or entry.place
        return entry.title or entry.run_id or inside


@dataclass(frozen=True, slots=True)
class Listing:
    """The runs that one path holds; the first to read are ``first``."""

    path: str
    entries: tuple[Entry, ...]
    first: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()


def looked_at(
    path: str,
    store: str | None,
    wanted: Callable[[Entry], bool],
    stopped: Callable[[], bool],
) -> Listing | None:
    """List the runs of *path*; ``None`` where they are few or it was stopped.

    Of many the *wanted* ones are read at first, else the first one.  This runs in
    the worker thread.
    """
    from reviewer.services.listing import list_runs  # noqa: PLC0415 - the window is there before

    found = list_runs([path], store, stopped=stopped)
    try:
        begun = list(_until_many(found))
        if sum(not isinstance(each, Problem) for each in begun) <= AT_ONCE:
            return None
        every = [*begun, *found]
    except StoppedError:
        return None
    problems = tuple(each for each in every if isinstance(each, Problem))
    entries = tuple(each for each in every if not isinstance(each, Problem))
    first = tuple(filter(wanted, entries)) or entries[:1]
    return Listing(path, entries, first, problems)


def _until_many(found: Iterator[Entry | Problem]) -> Iterator[Entry | Problem]:
    """Yield what is found until it is clear that it is many."""
    count = 0
    for each in found:
        yield each
        count += not isinstance(each, Problem)
        if count > AT_ONCE:
            return
