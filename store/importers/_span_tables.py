"""Exports that are tables: rows as a JSON list, as lines, inside of an answer, CSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final

from store.importers import _files
from store.importers._base import Probe
from store.importers._heads import first_value
from store.importers._parquet import MAGIC, ParquetError, names_in_footer, rows_of
from store.importers._span_files import documents
from store.importers._wire import members
from store.records.runs import Problem, ProblemKind

__all__ = ["Row", "first_rows", "has_columns", "header_of", "is_table", "rows"]

_HOLDERS: Final = ("data", "rows", "events", "spans", "calls", "observations", "objects", "traces")
_LONGEST: Final = 1 << 28
"""No field of a CSV file is longer; what is ends there with a line that says so."""

Row = tuple[Mapping[str, object], str]
"""A row with its place in the file."""


def first_rows(head: bytes, *keys: str) -> list[Mapping[str, object]]:
    """Return the rows that a file begins with; *keys* are further names of what holds them."""
    value = first_value(head)
    if isinstance(value, list):
        return list(members(value))[:3]
    if not isinstance(value, dict):
        return []
    for key in (*keys, *_HOLDERS):
        found = list(members(value.get(key)))[:3]
        if found:
            return found
    return list(_listed(value))[:3] or [value]


def _listed(value: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the rows of an object that holds nothing but lists of them, under any names."""
    if value and all(isinstance(each, list) for each in value.values()):
        for each in value.values():
            yield from members(each)


def header_of(head: bytes) -> list[str]:
    """Return the names of the columns where *head* begins CSV; none otherwise."""
    line = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].decode("utf-8", "replace")
    if not line or line.lstrip()[:1] in "{[" or "," not in line:
        return []
    try:
        return next(csv.reader([line.rstrip("\r")]), [])
    except csv.Error:
        return []


def is_table(probe: Probe) -> bool:
    """Return whether a file is a table with names of columns: CSV or Parquet."""
    return probe.head.startswith(MAGIC) or bool(header_of(probe.head))


def has_columns(probe: Probe, *names: str) -> bool:
    """Return whether a table has all these columns."""
    if probe.head.startswith(MAGIC):
        return names_in_footer(probe.path, [name.encode() for name in names])
    return set(names) <= set(header_of(probe.head))


def rows(probe: Probe, problem: Callable[[Problem], None], *keys: str) -> Iterator[Row]:
    """Yield the rows of a file; what of it could not be read goes to *problem*."""
    if probe.head.startswith(MAGIC):
        yield from _parquet(probe, problem)
        return
    if header_of(probe.head):
        yield from _csv(probe, problem)
        return
    for document in documents(probe):
        for each in document.problems:
            problem(each)
        yield from _rows_of(document.value, document.origin, keys)


def _rows_of(value: object, origin: str, keys: tuple[str, ...]) -> Iterator[Row]:
    if isinstance(value, list):
        yield from ((each, origin) for each in value if isinstance(each, dict))
        return
    if not isinstance(value, dict):
        return
    holder = next((k for k in (*keys, *_HOLDERS) if any(members(value.get(k)))), None)
    if holder is None:
        yield from ((each, origin) for each in list(_listed(value)) or [value])
    else:
        yield from ((each, origin) for each in members(value[holder]))


def _parquet(probe: Probe, problem: Callable[[Problem], None]) -> Iterator[Row]:
    name = probe.path.name
    number = 0
    try:
        for number, row in enumerate(rows_of(probe.path), 1):
            held = {key: _plain(value) for key, value in row.items() if value is not None}
            yield held, f"{name}:{number}"
    except ParquetError as error:
        what = f"the rows after this one cannot be read: {error}"
        problem(Problem(f"{name}:{number}", what))


def _plain(value: object) -> object:
    """Return a moment as text; other values as they are."""
    return value.isoformat() if isinstance(value, datetime) else value


def _csv(probe: Probe, problem: Callable[[Problem], None]) -> Iterator[Row]:
    with _files.open_regular(probe.path) as file:
        text = file.read().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    name = probe.path.name
    before = csv.field_size_limit(_LONGEST)
    number = 1
    try:
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
            number += 1
            if None in row.values():
                what = "this row has fewer fields than the table has columns; it may break off"
                problem(Problem(f"{name}:{number}", what))
            yield {k: v for k, v in row.items() if k and v not in ("", None)}, f"{name}:{number}"
    except csv.Error as error:
        what = f"the rows after this one cannot be read: {error}"
        problem(Problem(f"{name}:{number}", what))
    else:
        if not text.endswith("\n"):
            what = "the last line of the table does not end; it may break off"
            problem(Problem(f"{name}:{number}", what, ProblemKind.NOTED))
    finally:
        csv.field_size_limit(before)
