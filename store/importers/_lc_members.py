"""Which files of a folder tell of LangChain's threads, and what each of them holds."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._base import HEAD_BYTES, Probe
from store.importers._capture_coding import undone
from store.importers._lc_containers import find, messages_in
from store.importers._lc_dialects import Plain, message_of
from store.importers._lc_log import CallLog, looks_like_log
from store.importers._lc_thread import ThreadRecord
from store.importers._lg_records import records_of
from store.importers._ls_runs import Runs, looks_like_runs
from store.importers._ls_threads import threads_of
from store.importers._sqlite_copy import has_table_named
from store.jsonin import JsonError, loads
from store.records.runs import Problem

__all__ = ["FORMATS", "Member", "Members", "members_of"]

_SUFFIXES: Final = frozenset(
    {
        *(".sqlite", ".sqlite3", ".db", ".json", ".jsonl", ".ndjson", ".gz", ".zst", ".bin"),
        *(".parquet", ".multipart", ".txt", ".log", ""),
    }
)
_LOOKED_AT: Final = 1000
"""A folder with more files than these is many records, each read by itself."""
FORMATS: Final = {
    "states": "langgraph-checkpoints",
    "traces": "langsmith",
    "log": "langchain-calls",
}
_LINE: Final = re.compile(r":[0-9]+\Z")
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_PARTITIONS: Final = ("export_id=", "tenant_id=", "session_id=", "year=", "month=", "day=")
_DEEP: Final = 8


@dataclass(frozen=True, slots=True)
class Member:
    """A file of the family: ``kind`` is ``states``, ``traces``, ``log`` or ``dump``."""

    path: Path
    name: str
    kind: str


def members_of(probe: Probe) -> list[Member]:
    """Return the files of a folder that tell of threads, by name; none of too many files."""
    paths = list(islice(_paths(probe), _LOOKED_AT + 1))
    if len(paths) > _LOOKED_AT:
        return []
    return [Member(path, name, kind) for path, name in paths if (kind := _kind(path))]


def _paths(probe: Probe) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder, and those in the partitions of a bulk export below it."""
    waiting = [(probe.path, "", sorted(probe.names), 0)]
    while waiting:
        folder, above, names, depth = waiting.pop()
        for name in names:
            path = folder / name
            partition = name.startswith(_PARTITIONS) or (depth and name == "runs")
            if partition and depth < _DEEP and path.is_dir():
                if _is_inside(path, probe.path):
                    inner = sorted(_files.names_in(path))
                    waiting.append((path, f"{above}{name}/", inner, depth + 1))
            elif _is_looked_at(path) and _is_inside(path, probe.path):
                yield path, f"{above}{name}"


def _is_looked_at(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES and path.is_file()


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _kind(path: Path) -> str:
    try:
        head = _head(path)
    except OSError:
        return ""
    if has_table_named(b"checkpoint_id", path, head) or has_table_named(b"thread_ts", path, head):
        return "states"
    if looks_like_runs(path, head):
        return "traces"
    if looks_like_log(head):
        return "log"
    return "dump" if _is_dump(head) else ""


def _is_dump(head: bytes) -> bool:
    """Return whether a head may begin messages: the whole of the file decides."""
    return head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"[", b"{") and b'"content"' in head


def _head(path: Path) -> bytes:
    with _files.open_regular(path) as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(_PACKED):
        return (undone("", head).body or b"")[:HEAD_BYTES]
    return head


def _whole(path: Path) -> bytes:
    with _files.open_regular(path) as file:
        data = file.read()
    return (undone("", data).body or b"") if data.startswith(_PACKED) else data


def _from(member: Member, records: Iterable[ThreadRecord]) -> list[ThreadRecord]:
    found = list(records)
    for record in found:
        record.sources = [(member.name, FORMATS[member.kind])]
    return found


@dataclass(slots=True)
class Members:
    """Reads the members of a folder: states, traces, logs; what cannot be read is a problem."""

    label: str
    states: list[ThreadRecord] = field(default_factory=list)
    logs: list[ThreadRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    runs: Runs = field(default_factory=Runs)

    def read(self, member: Member) -> None:
        """Take in a member; whatever is wrong with it does not stop the others."""
        try:
            if member.kind == "states":
                self.states += _from(member, records_of(member.path))
            elif member.kind == "traces":
                self.runs.add_file(member.path, member.name)
            elif member.kind == "log":
                log = CallLog(member.name)
                log.read(_whole(member.path))
                self.logs += _from(member, log.finish())
        except (OSError, sqlite3.Error) as error:
            self._lost(member, f"cannot be read ({error})")
        except Exception as error:  # noqa: BLE001 - one hostile record must not hide the others
            what = f"internal error while reading ({type(error).__name__}); please report it"
            self._lost(member, what)

    def _lost(self, member: Member, what: str) -> None:
        self.problems.append(Problem(_files.shown(f"{self.label}/{member.name}"), what))

    def traces(self) -> list[ThreadRecord]:
        """Return the threads that all traces together tell of."""
        self.problems += self.runs.problems
        found = threads_of(self.runs)
        for record in found:
            places = [call.origin for call in record.calls]
            places += [said.origin for said in record.results.values()]
            names = (_LINE.sub("", place.partition("#")[0]) for place in places)
            record.sources = [(name, FORMATS["traces"]) for name in dict.fromkeys(names)]
        return found

    def dumped(self, member: Member) -> list[list[Plain]]:
        """Return the conversations in a dump of messages."""
        try:
            value = loads(_whole(member.path))
        except (OSError, JsonError):
            return []
        found = [messages_in(held.value) for held in find(value).held]
        return [[p for each in one if (p := message_of(each)) is not None] for one in found]
