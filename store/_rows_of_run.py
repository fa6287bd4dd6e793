"""A run as rows of the tables, and rows as a run again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlmodel import SQLModel

from store.codec import decode, encode
from store.digest import TextPool, json_text
from store.records.runs import (
    Admission,
    Answer,
    Call,
    ContextEdit,
    Message,
    OtherEvent,
    Part,
    Problem,
    Run,
    ToolCall,
    ToolResult,
)
from store.records.sources import Manifest, RefreshFailure, Version
from store.tables import (
    AnswerRow,
    CallRow,
    EntryRow,
    MessageRow,
    PartRow,
    ResultRow,
    ToolCallRow,
    VersionRow,
)

__all__ = ["ENTRY_LISTS", "LISTS", "PARTS", "Kept", "Listed", "list_rows", "run_record", "run_row"]

_INLINE = 256
"""Code points: shorter strings inside a record stand in its row."""


@dataclass(frozen=True, slots=True)
class Listed:
    """How a list of a run is kept: ``columns`` are the fields that have one of their own."""

    name: str
    kind: type
    table: type[SQLModel]
    columns: tuple[str, ...] = ()
    has_text: bool = False

    def row(self, record: Any, kept: Kept, **places: int) -> dict[str, Any]:  # noqa: ANN401 - a record of `kind`
        """Return the row of *record*; *places* are its numbers in the run."""
        row: dict[str, Any] = {name: _plain(getattr(record, name)) for name in self.columns}
        if self.has_text:
            row["text"] = kept.digest(record.text)
        if isinstance(record, Version):
            row["source_id"] = record.key.source_id
            row["version_id"] = record.key.version_id
        row["body"] = json_text(encode(record, kept, _ASIDE[self.name]))
        return row | places

    def record(self, row: Mapping[str, Any], kept: Kept, **ready: object) -> Any:  # noqa: ANN401 - a record of `kind`
        """Return the record that *row* holds; *ready* are fields kept elsewhere."""
        values = json.loads(row["body"])
        values.update((name, row[name]) for name in self.columns)
        if self.has_text:
            ready["text"] = kept.text(row["text"])
        return decode(self.kind, values, kept, **ready)


LISTS = (
    Listed("messages", Message, MessageRow, ("role",)),
    Listed("calls", Call, CallRow, ("model", "grade")),
    Listed("tool_calls", ToolCall, ToolCallRow, ("id", "name")),
    Listed("tool_results", ToolResult, ResultRow, ("tool_call_id", "status"), has_text=True),
    Listed("versions", Version, VersionRow, ("kind", "title", "sha256"), has_text=True),
    Listed("answers", Answer, AnswerRow, (), has_text=True),
)
ENTRIES: dict[str, type] = {
    "manifests": Manifest,
    "admissions": Admission,
    "edits": ContextEdit,
    "refresh_failures": RefreshFailure,
    "problems": Problem,
    "other_events": OtherEvent,
}
PARTS = Listed("parts", Part, PartRow, ("kind", "tool_call_id", "name"), has_text=True)
ENTRY_LISTS = {name: Listed(name, kind, EntryRow) for name, kind in ENTRIES.items()}
_ASIDE = {
    one.name: frozenset(one.columns) | ({"text"} if one.has_text else set())
    for one in (*LISTS, PARTS, *ENTRY_LISTS.values())
} | {"messages": frozenset({"role", "parts"})}
_RUN_COLUMNS = ("run_id", "path", "format", "layer", "grade", "title", "parent_run", "branch")
_RUN_ASIDE = frozenset({*_RUN_COLUMNS, *ENTRIES, *(one.name for one in LISTS)})


def run_row(run: Run, digest: str, kept: Kept) -> dict[str, Any]:
    """Return the row of the run itself."""
    return {name: _plain(getattr(run, name)) for name in _RUN_COLUMNS} | {
        "digest": digest,
        "calls": len(run.calls),
        "messages": len(run.messages),
        "versions": len(run.versions),
        "answers": len(run.answers),
        "body": json_text(encode(run, kept, _RUN_ASIDE)),
    }


def run_record(row: Mapping[str, Any], kept: Kept, lists: Mapping[str, object]) -> Run:
    """Return the run of *row* with its *lists*."""
    values = json.loads(row["body"])
    values.update((name, row[name]) for name in _RUN_COLUMNS)
    return decode(Run, values, kept, **lists)


def list_rows(run: Run, kept: Kept) -> Iterator[tuple[type[SQLModel], Iterator[dict[str, Any]]]]:
    """Yield each table with its rows, without the number of the run."""
    for one in LISTS:
        records = getattr(run, one.name)
        yield one.table, (one.row(record, kept, position=at) for at, record in enumerate(records))
    yield (
        PartRow,
        (
            PARTS.row(part, kept, message=message, position=at)
            for message, held in enumerate(run.messages)
            for at, part in enumerate(held.parts)
        ),
    )
    for name, entry in ENTRY_LISTS.items():
        yield (
            EntryRow,
            (
                {"list": name} | entry.row(record, kept, position=at)
                for at, record in enumerate(getattr(run, name))
            ),
        )


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


class Kept:
    """Strings for the database: long ones go to the table of texts, once.

    ``used`` collects them while a run is written; while one is read, ``texts``
    gives them back.
    """

    def __init__(
        self, pool: TextPool | None = None, texts: Mapping[bytes, str] | None = None
    ) -> None:
        self.used: dict[bytes, str] = {}
        self._pool = pool or TextPool()
        self._texts = texts or {}
        self._free: dict[str, Mapping[str, object]] = {}

    def digest(self, text: str | None) -> bytes | None:
        """Return what names *text* in the table of texts."""
        if text is None:
            return None
        digest = self._pool.digest(text)
        self.used[digest] = text
        return digest

    def text(self, digest: bytes | None) -> str | None:
        """Return the text of that name.  Raises ``KeyError``."""
        return None if digest is None else self._texts[digest]

    def put(self, text: str) -> object:
        """Return the text itself or the name of a long one."""
        if len(text) <= _INLINE:
            return text
        digest = self._pool.digest(text)
        self.used[digest] = text
        return {"sha256": digest.hex()}

    def get(self, mark: object) -> str:
        """Return the text that *mark* is or names."""
        if isinstance(mark, str):
            return mark
        assert isinstance(mark, dict)  # noqa: S101 - `put` writes nothing else
        return self._texts[bytes.fromhex(mark["sha256"])]

    def put_free(self, value: Mapping[str, object]) -> object:
        """Return the JSON of *value*, or the name of a long one."""
        return self.put(self._pool.free(value))

    def get_free(self, mark: object) -> Mapping[str, object]:
        """Return the value; calls that share their settings share them again."""
        text = self.get(mark)
        if text not in self._free:
            self._free[text] = json.loads(text)
        return self._free[text]
