"""Rows of a program's own database, and the JSON that it keeps as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from store.importers._sqlite_copy import Database
from store.jsonin import JsonError, loads

__all__ = ["Row", "json_of", "rows_of"]

Row = Mapping[str, object]


def rows_of(database: Database, table: str, where: str = "", *values: object) -> Iterator[Row]:
    """Yield the rows of a table by the names of their columns; none where there is no table."""
    columns = database.columns(table)
    for row in database.rows(table, columns, where, values) if columns else ():
        yield dict(zip(columns, row, strict=True))


def json_of(value: object) -> object:
    """Return the JSON that a text holds, ``None`` for anything else."""
    if not isinstance(value, (str, bytes)) or not value:
        return None
    try:
        return loads(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)
    except JsonError:
        return None
