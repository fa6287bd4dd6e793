"""Spans in a SQLite database: that of a Phoenix server, or a data frame that was written to one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from store.importers import _files
from store.importers._base import Probe, UnreadableError
from store.importers._span_tables import Row
from store.importers._sqlite_copy import MAGIC, Database, has_table_named, opened
from store.importers._wire import string

__all__ = ["database_rows", "is_database", "is_span_database"]

_FRAME: Final = "context.span_id"
_SERVER: Final = "trace_rowid"
_COLUMNS: Final = (
    *("id", "trace_rowid", "span_id", "parent_id", "name", "span_kind", "start_time", "end_time"),
    *("attributes", "events", "status_code", "status_message"),
)


def is_database(head: bytes) -> bool:
    """Return whether *head* begins a SQLite database."""
    return head.startswith(MAGIC)


def is_span_database(probe: Probe) -> bool:
    """Return whether a database names a column that only spans have."""
    return any(has_table_named(n.encode(), probe.path, probe.head) for n in (_FRAME, _SERVER))


def database_rows(probe: Probe) -> Iterator[Row]:
    """Yield the spans of a database as rows.  Raises `UnreadableError`."""
    try:
        with opened(probe.path) as database:
            if _SERVER in database.columns("spans"):
                yield from _of_server(database, probe.path.name)
            else:
                yield from _of_frames(database, probe.path.name)
    except sqlite3.Error as error:
        what = f"is a database that cannot be read ({error}); a copy of the whole file is needed"
        raise UnreadableError(_files.shown(probe.label), what) from None


def _of_server(database: Database, name: str) -> Iterator[Row]:
    """Yield the spans of a Phoenix server: each names its trace by the row it stands in."""
    traces = {row[0]: row[1] for row in database.rows("traces", ("id", "trace_id"))}
    known = database.columns("spans")
    columns = [column for column in _COLUMNS if column in known]
    for values in database.rows("spans", columns):
        row: dict[str, object] = {**dict(zip(columns, values, strict=True))}
        context = {"trace_id": traces.get(row["trace_rowid"]), "span_id": row.get("span_id")}
        row["id"] = None
        yield {**row, "context": context}, name


def _of_frames(database: Database, name: str) -> Iterator[Row]:
    for kind, table in list(database.rows("sqlite_master", ("type", "name"))):
        if kind != "table":
            continue
        columns = database.columns(string(table))
        if _FRAME in columns:
            for values in database.rows(string(table), columns):
                pairs = zip(columns, values, strict=True)
                yield {key: value for key, value in pairs if value is not None}, name
