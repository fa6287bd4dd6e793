"""Everything that only SQLite needs; other databases take the plain engine.

The journal is a write-ahead log, so that a window can read while an audit is
saved.  Where a file system cannot do that SQLite stays with its own journal by
itself.  Each commit is forced to the disk: a run is one transaction, so it costs
nothing measurable.  Deleted evidence is overwritten, not only forgotten.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

__all__ = ["WRITES", "advice", "make_engine", "shown", "sqlite_url"]

WRITES = "reread_writes"
"""The execution option of a connection that is going to write."""

_WAIT_SECONDS = 60
_ADVICE = (
    ("disk is full", "Free some space; nothing of it was saved, what was there before is intact."),
    ("locked", "Another program is writing to it; try again when it has finished."),
    ("readonly", "Allow writing to the file and its folder, or choose another place."),
    ("unable to open", "Allow writing to the file and its folder, or choose another place."),
    ("not a database", "The file is something else: move it away, or choose another place."),
    ("malformed", "The file is damaged: move it away; runs are saved again from their evidence."),
)
_PRAGMAS = (
    "PRAGMA page_size = 16384",  # fewer overflow pages for long texts; counts in a new file only
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA secure_delete = ON",
)


def sqlite_url(path: Path) -> str:
    """Return the address of the SQLite database in the file *path*."""
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


def advice(error: Exception) -> str:
    """Return what a person can do about *error*, which a database raised."""
    words = str(error).lower()
    for sign, what in _ADVICE:
        if sign in words:
            return what
    return "Check the address of the database, and that it can be reached and written to."


def shown(address: str) -> str:
    """Return *address* without its password, for messages."""
    try:
        return make_url(address).render_as_string(hide_password=True)
    except ArgumentError:
        return "the address of the database"


def make_engine(address: str) -> Engine:
    """Return an engine for *address*; for SQLite the folder of its file is made.

    Raises ``OSError`` when the folder cannot be made and
    ``sqlalchemy.exc.ArgumentError`` for what is no address.
    """
    url = make_url(address)
    if url.get_backend_name() != "sqlite":
        return create_engine(url)
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": _WAIT_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    # Python's own transactions would begin too late and take the lock for writing
    # only at the first statement that writes, when another process may hold it.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
