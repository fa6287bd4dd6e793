"""The ``store`` of a run folder: immutable versions and the exact bytes behind them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from store import jsonin
from store.importers import _files
from store.importers._fields import Fields, compact, pair
from store.importers._run_extension import EXTENSION
from store.records.runs import OtherEvent, Problem, ProblemKind
from store.records.sources import (
    Block,
    Excerpt,
    Integrity,
    RefreshFailure,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

__all__ = ["Objects", "StoreReader", "Stored"]

_LINES = 50_000_000
"""Lines of a version that are numbered at most; no text in memory has more."""
_HASH = re.compile("[0-9a-f]{64}")


class Stored(NamedTuple):
    """What lies under one hash.

    ``text`` is ``None`` when the bytes are absent, changed or no UTF-8; ``why``
    then says which, in one sentence.  ``size`` is the number of bytes there.
    """

    integrity: Integrity
    text: str | None = None
    size: int = 0
    why: str = ""


class Objects:
    """Exact bytes by their SHA-256, each read and checked once.

    *folder* is the root nothing may leave, *store* the place of ``objects``
    below it.
    """

    def __init__(self, folder: Path, store: str) -> None:
        self._folder = folder
        self._store = store
        self._known: dict[str, Stored] = {}

    def get(self, sha256: str) -> Stored:
        """Return what lies under *sha256*; never raises."""
        found = self._known.get(sha256)
        if found is None:
            found = self._known[sha256] = self._read(sha256)
        return found

    def _read(self, sha256: str) -> Stored:
        if not _HASH.fullmatch(sha256):
            return Stored(Integrity.MISSING, why="what names it is no SHA-256")
        name = f"{self._store}/objects/{sha256[:2]}/{sha256}"
        try:
            with _files.open_regular(_files.inside(self._folder, name)) as stream:
                data = stream.read()
        except (OSError, _files.OutsideError) as error:
            return Stored(Integrity.MISSING, why=_absence(error))
        if hashlib.sha256(data).hexdigest() != sha256:
            why = "its stored bytes differ from its hash; they are not searched"
            return Stored(Integrity.CHANGED, None, len(data), why)
        try:
            return Stored(Integrity.INTACT, data.decode(), len(data))
        except UnicodeDecodeError:
            return Stored(Integrity.INTACT, None, len(data), "its bytes are no UTF-8 text")


def _absence(error: Exception) -> str:
    if isinstance(error, _files.OutsideError):
        return "a path or a link leads out of the folder; not opened"
    if isinstance(error, FileNotFoundError):
        return "its bytes are not in the store"
    return f"its bytes cannot be read ({getattr(error, 'strerror', None) or error})"


@dataclass(slots=True)
class StoreReader:
    """Reads ``versions.jsonl``; `versions` and the other lists fill up line by line."""

    objects: Objects
    label: str
    versions: list[Version] = field(default_factory=list)
    refresh_failures: list[RefreshFailure] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    other_events: list[OtherEvent] = field(default_factory=list)
    _seen: dict[VersionKey, object] = field(default_factory=dict)

    def read(self, path: Path, watch: Callable[[bytes], None] | None = None) -> None:
        """Read the file at *path*; *watch* gets every byte.  Raises `OSError`."""
        with _files.open_regular(path) as stream:
            for line in _files.lines(stream):
                if watch is not None:
                    watch(line.data)
                self._line(line)

    def _line(self, line: _files.Line) -> None:
        where = f"{self.label}:{line.number}"
        if line.data.isspace():
            return
        try:
            value, tolerant = jsonin.load(line.data)
        except jsonin.JsonError as error:
            cut = "" if line.ended else " (the last line was cut short)"
            self._lost(where, f"a line that is no JSON{cut}: {error}; the rest was read")
            return
        if tolerant:
            self._noted(where, f"read tolerantly: {tolerant}")
        if not isinstance(value, dict):
            self._lost(where, "a line that is no JSON object; left out")
            return
        fields = Fields(value, lambda what: self._lost(where, what))
        if value.get("version_id") is None:
            self._event(value, fields, where)
        else:
            self._version(value, fields, where)

    def _event(self, value: Mapping[str, object], fields: Fields, where: str) -> None:
        failed = fields.inner("refresh_failed")
        if failed is None:
            self.other_events.append(OtherEvent("store event", where, compact(value)))
            return
        self.refresh_failures.append(
            RefreshFailure(
                source_id=fields.text("source_id") or "",
                kept=failed.text("kept"),
                error=failed.text("error") or "",
                at=failed.text("at"),
                after=len(self.versions),
            )
        )

    def _version(self, value: Mapping[str, object], fields: Fields, where: str) -> None:
        source_id, version_id = fields.text("source_id"), fields.text("version_id")
        if source_id is None or version_id is None:
            self._lost(where, "a version without source_id and version_id; left out")
            return
        key = VersionKey(source_id, version_id)
        if (more := fields.inner(EXTENSION)) is not None:
            self.versions.append(self._imported(key, fields, more, where))
            return
        if key in self._seen:
            self._again(key, value, where)
            return
        self._seen[key] = value
        sha256 = fields.text("sha256") or (version_id if _HASH.fullmatch(version_id) else "")
        stored = self.objects.get(sha256)
        if stored.why:
            self._report_bytes(key, stored, where)
        chars = fields.whole("chars")
        if stored.text is not None:
            if chars is not None and chars != len(stored.text):
                self._noted(where, f"recorded as {chars} code points, has {len(stored.text)}")
            chars = len(stored.text)
        self.versions.append(
            Version(
                key=key,
                kind=self._kind(fields, where),
                title=fields.text("title") or "",
                revision=fields.text("revision"),
                media_type=fields.text("media_type") or "text/plain; charset=utf-8",
                sha256=sha256,
                byte_length=_recorded_size(fields, stored),
                chars=chars,
                text=stored.text,
                integrity=stored.integrity,
                blocks=self._blocks(fields, where),
                table=_table(fields),
                acquired_at=fields.text("acquired_at"),
                origin=fields.text("origin") or "",
                supersedes=fields.text("supersedes"),
            )
        )
        if rest := fields.rest():
            self.other_events.append(OtherEvent("version: other fields", where, compact(rest)))

    def _imported(self, key: VersionKey, fields: Fields, more: Fields, where: str) -> Version:
        """Return a version that is no exact text: as another format told it, and no better."""
        named = more.text("integrity")
        kind = Integrity(named) if named in set(Integrity) else Integrity.MISSING
        starts = (pair(item) for item in more.items("line_numbers") or ())
        unit = more.text("unit")
        made = Version(
            key=key,
            kind=self._kind(fields, where),
            title=fields.text("title") or "",
            revision=fields.text("revision"),
            media_type=fields.text("media_type") or "text/plain; charset=utf-8",
            sha256=more.text("sha256") or "",
            byte_length=more.whole("bytes"),
            chars=more.whole("chars"),
            text=self._text(more, where),
            integrity=Integrity.RECONSTRUCTED if kind is Integrity.INTACT else kind,
            unit=Unit(unit) if unit in set(Unit) else Unit.CHAR,
            line_numbers=_counted(starts),
            excerpts=tuple(
                Excerpt(each.whole("start"), self._text(each, where) or "", each.text("block_id"))
                for each in more.objects("excerpts")
            ),
            blocks=self._blocks(fields, where),
            table=_table(fields),
            acquired_at=fields.text("acquired_at"),
            origin=fields.text("origin") or "",
            supersedes=fields.text("supersedes"),
        )
        for name in ("sha256", "bytes", "chars"):
            fields.any(name)
        return made

    def _text(self, fields: Fields, where: str) -> str | None:
        name = fields.text("object")
        if name is None:
            return fields.text("text")
        stored = self.objects.get(name)
        if stored.text is None:
            self._lost(where, f"object {name}: {stored.why}")
        return stored.text

    def _again(self, key: VersionKey, value: object, where: str) -> None:
        what = f"version {key.version_id} of {key.source_id} is recorded twice"
        if self._seen[key] == value:
            self._noted(where, f"{what}, with the same facts")
        else:
            self._lost(where, f"{what}, with other facts; the first counts")

    def _report_bytes(self, key: VersionKey, stored: Stored, where: str) -> None:
        kind = ProblemKind.LOST
        if stored.integrity is Integrity.CHANGED:
            kind = ProblemKind.CHANGED
        elif stored.integrity is Integrity.INTACT:
            kind = ProblemKind.NOTED
        what = f"version {key.version_id} of {key.source_id}: {stored.why}"
        self.problems.append(Problem(where, what, kind))

    def _kind(self, fields: Fields, where: str) -> SourceKind:
        kind = fields.text("kind") or SourceKind.TEXT
        try:
            return SourceKind(kind)
        except ValueError:
            self._noted(where, f'kind "{kind}" is not known here; taken as text')
            return SourceKind.TEXT

    def _blocks(self, fields: Fields, where: str) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for item in fields.items("blocks") or []:
            if not isinstance(item, dict):
                self._lost(where, "a block that is no object; left out")
                continue
            inner = Fields(item, lambda what: self._lost(where, what), "blocks.")
            name = inner.text("block_id")
            ends = pair([inner.whole("start"), inner.whole("end")])
            if name is None or ends is None or not 0 <= ends[0] <= ends[1]:
                self._lost(where, "a block without block_id, start and end; left out")
                continue
            blocks.append(Block(name, Span(*ends), inner.text("section"), inner.whole("page")))
        return tuple(blocks)

    def _lost(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what))

    def _noted(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what, ProblemKind.NOTED))


def _recorded_size(fields: Fields, stored: Stored) -> int | None:
    recorded = fields.whole("bytes")
    return stored.size if stored.integrity is Integrity.INTACT else recorded


def _counted(runs: Iterable[tuple[int, int] | None]) -> tuple[int, ...]:
    """Return the numbers of lines that are told as firsts and how many follow."""
    made: list[int] = []
    for run in runs:
        if run is not None and run[1] <= _LINES - len(made):
            made += range(run[0], run[0] + run[1])
    return tuple(made)


def _table(fields: Fields) -> Table | None:
    table = fields.inner("table")
    if table is None:
        return None
    return Table(table.texts("fields") or (), table.whole("rows") or 0, table.text("key"))
