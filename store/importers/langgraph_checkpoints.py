"""LangGraph checkpoint databases (SQLite): the state before each model call of a thread.

A checkpoint holds the messages that a node was started with, not the request
that it sent: what an agent changed on the way, its system prompt and its tools
are not in it, and the grade says so.  The database is read from a private copy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import partial

from store.importers import _files
from store.importers._base import NO_CALLS, Importer, Listed, Probe, UnreadableError
from store.importers._lc_thread_run import run_of
from store.importers._lg_records import names_of, records_of
from store.importers._sqlite_copy import has_table_named
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "langgraph-checkpoints"


def recognise(probe: Probe) -> bool:
    """Return whether a database has a table of checkpoints."""
    return not probe.is_folder and (
        has_table_named(b"checkpoint_id", probe.path, probe.head)
        or has_table_named(b"thread_ts", probe.path, probe.head)
    )


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of each thread, of its branches and of its sub-graphs."""
    return _read(probe, None)


def listing(probe: Probe) -> Iterator[Listed]:
    """Yield the threads of a database; no state of them is decoded."""
    try:
        found = names_of(probe.path)
    except sqlite3.Error as error:
        raise _unreadable(probe, error) from None
    for thread, more in found:
        yield Listed(thread, thread, partial(_read, probe, thread), thread, more=more)


def _read(probe: Probe, wanted: str | None) -> Iterator[Run]:
    found = False
    try:
        for record in records_of(probe.path, wanted):
            found = True
            yield run_of(record, probe.label, _NAME, Layer.STATE)
    except sqlite3.Error as error:
        raise _unreadable(probe, error) from None
    if not found:
        raise UnreadableError(_files.shown(probe.label), NO_CALLS)


def _unreadable(probe: Probe, error: sqlite3.Error) -> UnreadableError:
    what = f"is a database that cannot be read ({error}); a copy of the whole file is needed"
    return UnreadableError(_files.shown(probe.label), what)


IMPORTER = Importer(
    name=_NAME,
    title="LangGraph checkpoint database (SQLite)",
    layer=Layer.STATE,
    grade=Grade.DERIVED,
    grade_note="derived where a graph of one's own starts a node from a saved state; inferred for "
    "agents of create_agent and deepagents, which may change the messages on the way, and where "
    "several steps were saved at once; unknown where results were cleared before the state was "
    "saved, and where the service edited the request itself",
    recognised_by="an SQLite database with the columns checkpoint_id or thread_ts, also where "
    "they are only in its write-ahead file",
    proves=(
        "databases of every generation of serialisation, delta channels among them, decoded "
        "without calling what they name; what middleware sent is not in the state, and the "
        "grade says so"
    ),
    order=30,
    recognise=recognise,
    read=read,
    listing=listing,
)
