"""opencode sessions: its database, its storage folder, an export, or rows of its tables.

The transcript holds every tool result as the tool gave it and says when the
client cleared one, so that what each step was given can be computed.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from store import jsonin
from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_files import SavedFiles
from store.importers._agent_json import document
from store.importers._base import NO_CALLS, Importer, Listed, Probe, UnreadableError
from store.importers._json_lines import JsonLines, too_deep
from store.importers._opencode_records import (
    Records,
    read_database,
    read_export,
    read_rows,
    sessions_in,
    with_parts,
)
from store.importers._opencode_run import session_run
from store.importers._sqlite_copy import MAGIC, has_table_named
from store.importers._wire import mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "opencode"
_DATABASE: Final = "opencode.db"
_EXPORT: Final = re.compile(rb'\A\s*(?:\[\s*)?\{\s*"info"\s*:\s*\{')
_OWN: Final = re.compile(rb'"(?:ses|msg)_\w{6,40}"')
_ROWS: Final = re.compile(
    rb'\A\s*\[\s*\{[^{}]{0,2000}"session_id"\s*:\s*"ses_[^{}]{0,2000}"data"\s*:'
)
_STREAM: Final = re.compile(rb'\A\s*\{[^\n]{0,400}"sessionID"\s*:\s*"ses_[^\n]{0,400}"part"\s*:')
_STORED: Final = ("message", "part")
_OUTPUTS: Final = "tool-output"
_BOM: Final = b"\xef\xbb\xbf"


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is one of the places that opencode keeps sessions in."""
    if probe.is_folder:
        return bool(_storage(probe.path, probe.names)) or (
            _DATABASE in probe.names or bool(_row_files(probe.names))
        )
    if probe.head.startswith(MAGIC):
        return all(has_table_named(name, probe.path, probe.head) for name in _TABLES)
    head = probe.head.removeprefix(_BOM)
    if _EXPORT.match(head):
        return bool(_OWN.search(head))
    return bool(_ROWS.match(head) or _STREAM.match(head))


_TABLES: Final = (b"message", b"part", b"session")


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each session, subagents' included, by session id."""
    records = Records(probe.label)
    saved = None
    try:
        if probe.is_folder:
            saved = _read_folder(probe, records)
        elif probe.head.startswith(MAGIC):
            read_database(probe.path, records)
            saved = _Outputs(probe.path.parent / _OUTPUTS)
        elif _STREAM.match(probe.head.removeprefix(_BOM)):
            _read_stream(probe, records)
        else:
            _read_document(probe, records)
    except (OSError, sqlite3.Error) as error:
        raise UnreadableError(_files.shown(probe.label), f"cannot be read ({error})") from None
    yield from _runs(probe, records, saved)


def listing(probe: Probe) -> Iterator[Listed]:
    """Yield the sessions of a database; where other files may hold more of them, nothing."""
    path = probe.path / _DATABASE if probe.is_folder else probe.path
    if probe.is_folder:
        others = _storage(probe.path, probe.names) or _row_files(probe.names)
        held = _DATABASE in probe.names and not others
    else:
        held = probe.head.startswith(MAGIC)
    try:
        found = sessions_in(path) if held else {}
    except (OSError, sqlite3.Error) as error:
        raise UnreadableError(_files.shown(probe.label), f"cannot be read ({error})") from None
    for name, title in found.items():
        yield Listed(name, name, partial(_read_session, probe, path, name), title, more=False)


def _read_session(probe: Probe, path: Path, session: str) -> Iterator[Run]:
    records = Records(probe.label)
    try:
        read_database(path, records, session)
    except (OSError, sqlite3.Error) as error:
        raise UnreadableError(_files.shown(probe.label), f"cannot be read ({error})") from None
    yield from _runs(probe, records, _Outputs(path.parent / _OUTPUTS))


def _runs(probe: Probe, records: Records, saved: _Outputs | None) -> Iterator[Run]:
    problems = list(records.problems)
    sessions = [one for _, one in sorted(records.sessions.items()) if one.messages]
    if not sessions:
        problems.append(Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED))
        empty = RunBuilder(probe.path.stem, probe.label, _FORMAT, Layer.TRANSCRIPT)
        yield replace(empty.finish(), problems=tuple(problems))
    for session in sessions:
        builder = RunBuilder(
            session.id or probe.path.stem,
            probe.label,
            _FORMAT,
            Layer.TRANSCRIPT,
            title=string(session.info.get("title")),
            parent_run=string(session.info.get("parentID")) or None,
        )
        run = session_run(session, builder, saved)
        if not run.calls:
            problems.append(Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED))
        yield replace(run, problems=(*problems, *run.problems))
        problems = []


# -- files ---------------------------------------------------------------------------------------


def _read_document(probe: Probe, records: Records) -> None:
    value = document(probe)
    if _ROWS.match(probe.head.removeprefix(_BOM)):
        read_rows(value if isinstance(value, list) else (), records, probe.path.name)
        _read_beside(probe, records)
    else:
        read_export(value, records)


def _read_beside(probe: Probe, records: Records) -> None:
    """Take the other of two files of rows: messages without parts hold no text."""
    for own, other in (("messages", "parts"), ("parts", "messages")):
        name = probe.path.name
        if not name.endswith(f"{own}.json"):
            continue
        beside = probe.path.with_name(f"{name.removesuffix(f'{own}.json')}{other}.json")
        value = _json(beside, records, beside.name) if beside.is_file() else None
        if isinstance(value, list):
            read_rows(value, records, beside.name)
        else:
            what = f"the {other} stand in another file; open it together with this one"
            records.tell("", what, ProblemKind.NOTED)


def _read_stream(probe: Probe, records: Records) -> None:
    """Take the events of ``opencode run --format json``: each holds a part."""
    lines = JsonLines(probe.label)
    for line in lines.read(probe.path):
        part = mapping(line.value.get("part"))
        if part:
            named = {"sessionID": line.value.get("sessionID"), **part}
            records.add_part(named, f"{probe.path.name}:{line.number}")
    records.problems += lines.problems


def _json(path: Path, records: Records, where: str) -> object:
    """Return the JSON value of a small file, or ``None`` where it is none: that is told."""
    try:
        with _files.open_regular(path) as file:
            data = file.read()
        value = jsonin.loads(data)
    except (OSError, jsonin.JsonError) as error:
        records.tell(where, f"cannot be read ({error}); the rest was read")
        return None
    if too_deep(data, value):
        records.tell(where, "is nested too deeply to be read; the rest was read")
        return None
    return value


# -- folders -----------------------------------------------------------------------------------


def _storage(path: Path, names: frozenset[str]) -> Path | None:
    """Return the storage folder: *path* itself, or ``storage`` in it.

    Up to 2025 messages and parts lay in the folder ``session`` as well.
    """
    for folder, held in ((path, names), (path / "storage", None)):
        inner = _files.names_in(folder) if held is None and "storage" in names else held or ()
        if "session" in inner and (
            {*inner, *_files.names_in(folder / "session")}.intersection(_STORED)
        ):
            return folder
    return None


def _row_files(names: frozenset[str]) -> list[str]:
    """Return the files of messages whose parts lie beside them."""
    return sorted(
        name
        for name in names
        if name.endswith("messages.json")
        and f"{name.removesuffix('messages.json')}parts.json" in names
    )


def _read_folder(probe: Probe, records: Records) -> _Outputs:
    storage = _storage(probe.path, probe.names)
    if storage is not None:
        _read_storage(storage, records)
    if _DATABASE in probe.names:
        # The database was made from the storage folder: what stands in both counts once.
        read_database(probe.path / _DATABASE, records)
    for name in _row_files(probe.names):
        for each in (name, f"{name.removesuffix('messages.json')}parts.json"):
            value = _json(probe.path / each, records, each)
            read_rows(value if isinstance(value, list) else (), records, each)
    return _Outputs(probe.path / _OUTPUTS)


def _read_storage(storage: Path, records: Records) -> None:
    """Take the storage folder; what belongs to what stands in the records, not in the paths."""
    for path in _files_in(storage / "session", storage, records):
        where = path.relative_to(storage).as_posix()
        value = mapping(_json(path, records, where))
        if string(value.get("id")).startswith("ses"):
            records.add_session(value)
        else:
            _add(value, where, records)
    for name in _STORED:
        for path in _files_in(storage / name, storage, records):
            where = path.relative_to(storage).as_posix()
            _add(mapping(_json(path, records, where)), where, records)


def _add(value: object, where: str, records: Records) -> None:
    held = mapping(value)
    if string(held.get("messageID")):
        records.add_part(held, where)
    elif string(held.get("role")):
        info, parts = with_parts(held)
        records.add_message(info, where)
        inline = {"sessionID": info.get("sessionID"), "messageID": info.get("id")}
        for part in parts:
            records.add_part({**inline, **part}, where)


def _files_in(folder: Path, root: Path, records: Records) -> Iterator[Path]:
    """Yield the JSON files below *folder* in order; a link out of *root* is not followed."""
    real = root.resolve()
    pending = [folder]
    while pending:
        place = pending.pop()
        for path in sorted(place.iterdir() if place.is_dir() else (), reverse=True):
            if real not in path.resolve().parents:
                records.tell(path.name, "a link out of the folder; not followed", ProblemKind.NOTED)
            elif path.is_dir():
                pending.append(path)
            elif path.suffix == ".json" and path.is_file():
                yield path


@dataclass(frozen=True, slots=True)
class _Outputs(SavedFiles):
    """The whole outputs that opencode saved beside a session, by file name."""

    folder: Path

    def name_in(self, path: str) -> str:
        """Return the name of the saved output that *path* is, or an empty string."""
        name = path.replace("\\", "/").rpartition("/")[2]
        saved = f"/{_OUTPUTS}/" in path.replace("\\", "/") and name.startswith("tool_")
        return name if saved and self.bytes_of(name) is not None else ""

    def bytes_of(self, name: str) -> bytes | None:
        """Return its bytes, if it is there."""
        try:
            with _files.open_regular(_files.inside(self.folder, name)) as file:
                return file.read()
        except (OSError, _files.OutsideError):
            return None


IMPORTER = Importer(
    name=_FORMAT,
    title="opencode session",
    layer=Layer.TRANSCRIPT,
    grade=Grade.DERIVED,
    grade_note=(
        "the record says when each result was cleared and what a summary stands for; inferred "
        "for the calls that summarise and where only parts are there"
    ),
    recognised_by=(
        "SQLite with the tables session, message and part; a storage folder of that name; an "
        "export with info, messages and parts; rows of message and part"
    ),
    proves="five sessions from rows of messages and parts, 39 calls replayed",
    order=24,
    recognise=recognise,
    read=read,
    listing=listing,
    shares=True,
)
