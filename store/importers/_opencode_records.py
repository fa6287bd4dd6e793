"""Sessions of opencode, from whichever of its places: database, storage folder, export, rows.

All of them hold the same three records: a session, its messages, the parts of
a message.  Format facts: opencode, ``packages/opencode/src/session`` and
``src/storage`` of all versions since the parts stand by themselves.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from store import jsonin
from store.importers import _files, _sqlite_copy
from store.importers._json_lines import too_deep
from store.importers._wire import count, mapping, members, string
from store.records.runs import Problem, ProblemKind
from store.stopping import go_on

__all__ = [
    "Message",
    "Records",
    "Session",
    "read_database",
    "read_export",
    "read_rows",
    "sessions_in",
    "with_parts",
]

_SESSION: Final = "session_id"
_TEXT: Final = "the record of a message or part is no JSON object; it was left out"


@dataclass(slots=True)
class Message:
    """A message and its parts, each by its id."""

    id: str
    origin: str = ""
    info: Mapping[str, object] = field(default_factory=dict)
    parts: dict[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def role(self) -> str:
        """Who speaks; where no record says so, an assistant is known by what only it has."""
        known = string(self.info.get("role"))
        if known:
            return known
        kinds = {string(part.get("type")) for part in self.parts.values()}
        return "assistant" if kinds & {"step-start", "step-finish", "tool", "reasoning"} else "user"

    @property
    def created(self) -> int:
        """When it was made, in milliseconds; 0 where that is not recorded."""
        return count(mapping(self.info.get("time")).get("created")) or 0

    def ordered(self) -> list[Mapping[str, object]]:
        """Return the parts in their order, which is that of their ids."""
        return [part for _, part in sorted(self.parts.items())]


@dataclass(slots=True)
class Session:
    """A session; ``info`` is its own record, empty where only its messages are there."""

    id: str
    info: Mapping[str, object] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)

    def ordered(self) -> list[Message]:
        """Return the messages in the order they were made."""
        return sorted(self.messages.values(), key=lambda one: (one.created, one.id))


@dataclass(slots=True)
class Records:
    """Everything that one place holds; *label* is how problems call it."""

    label: str
    sessions: dict[str, Session] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def session(self, session_id: str) -> Session:
        """Return the session of this id."""
        return self.sessions.setdefault(session_id, Session(session_id))

    def message(self, session_id: str, message_id: str, origin: str) -> Message:
        """Return the message of this id."""
        held = self.session(session_id).messages
        return held.setdefault(message_id, Message(message_id, origin))

    def tell(self, where: str, what: str, kind: ProblemKind = ProblemKind.LOST) -> None:
        """Note what could not be read."""
        place = f"{self.label}#{where}" if where else self.label
        self.problems.append(Problem(_files.shown(place), what, kind))

    # -- the three records ---------------------------------------------------------------

    def add_session(self, info: Mapping[str, object]) -> None:
        """Take a session's own record."""
        if string(info.get("id")):
            self.session(string(info.get("id"))).info = info

    def add_message(self, info: Mapping[str, object], origin: str) -> None:
        """Take a message's own record."""
        session, name = string(info.get("sessionID")), string(info.get("id"))
        if name:
            self.message(session, name, origin).info = info

    def add_part(self, part: Mapping[str, object], origin: str) -> None:
        """Take a part."""
        session, message = string(part.get("sessionID")), string(part.get("messageID"))
        if message:
            held = self.message(session, message, origin).parts
            held[string(part.get("id")) or f"{len(held):08d}"] = part


# -- an export ---------------------------------------------------------------------------------


def read_export(value: object, records: Records) -> None:
    """Take what ``opencode export`` writes, or the list of messages of its server."""
    info = mapping(mapping(value).get("info"))
    records.add_session(info)
    session = string(info.get("id"))
    held = mapping(value).get("messages") if isinstance(value, dict) else value
    for number, entry in enumerate(members(held)):
        origin = f"messages[{number}]"
        own = {"sessionID": session, **mapping(entry.get("info"))}
        records.add_message(own, origin)
        for part in members(entry.get("parts")):
            named = {"sessionID": own["sessionID"], "messageID": own.get("id"), **part}
            records.add_part(named, origin)


def with_parts(
    message: Mapping[str, object],
) -> tuple[Mapping[str, object], list[dict[str, object]]]:
    """Return a message of the first versions as one of today, and the parts that stand in it."""
    about = mapping(message.get("metadata"))
    info = {key: held for key, held in message.items() if key not in ("parts", "metadata")}
    if about:
        named = ("sessionID", "time")
        info = {**info, **{key: about[key] for key in named if key in about}}
        info |= mapping(about.get("assistant"))
    return info, [_part(part) for part in members(message.get("parts"))]


def _part(part: Mapping[str, object]) -> dict[str, object]:
    asked = mapping(part.get("toolInvocation"))
    if not asked:
        return dict(part)
    done = asked.get("state") == "result"
    state = {"status": "completed" if done else "running", "input": asked.get("args")}
    state["output"] = asked.get("result")
    names = {"callID": asked.get("toolCallId"), "tool": asked.get("toolName")}
    return {"type": "tool", **names, "state": state}


# -- rows of the database --------------------------------------------------------------------------


def read_rows(rows: Iterable[object], records: Records, origin: str) -> None:
    """Take rows of the tables ``message`` and ``part`` as a query gives them."""
    for number, each in enumerate(rows):
        row = mapping(each)
        go_on()
        data = _data(row.get("data"))
        where = f"{origin}[{number}]"
        if data is None:
            records.tell(where, _TEXT)
            continue
        named = {"id": row.get("id"), "sessionID": row.get("session_id"), **data}
        if "message_id" in row:
            records.add_part({"messageID": row.get("message_id"), **named}, where)
        else:
            made = {"created": _whole(row.get("time_created"))}
            records.add_message({"time": made, **named}, where)


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:  # noqa: PLR2004
        return int(value)
    return count(value)


def _data(value: object) -> Mapping[str, object] | None:
    if isinstance(value, dict):
        return value
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if not isinstance(raw, bytes):
        return None
    try:
        found = jsonin.loads(raw)
    except jsonin.JsonError:
        return None
    return found if isinstance(found, dict) and not too_deep(raw, found) else None


def sessions_in(path: Path) -> dict[str, str]:
    """Return the titles of the sessions that the database at *path* has messages of, by id.

    It is empty where the database cannot be read by session.  Raises as `read_database`.
    """
    with _sqlite_copy.opened(path) as database:
        if not all(_SESSION in database.columns(table) for table in ("message", "part")):
            return {}
        ids = database.rows("message", (_SESSION,), "GROUP BY 1 ORDER BY 1")
        found = {string(row[0]): "" for row in ids}
        if {"id", "title"} <= {*database.columns("session")}:
            for name, title in database.rows("session", ("id", "title")):
                if string(name) in found:
                    found[string(name)] = string(title)
    return {} if "" in found else found


def read_database(path: Path, records: Records, session: str = "") -> None:
    """Take what the database at *path* holds, of all sessions or of one.

    It is read from a private copy.  Raises `OSError`, and `sqlite3.Error` where
    it is no database.
    """
    with _sqlite_copy.opened(path) as database:
        if database.trouble:
            records.tell("", database.trouble)
        wanted = {
            "session": ("id", "parent_id", "directory", "title", "version", "revert"),
            "message": ("id", "session_id", "time_created", "data"),
            "part": ("id", "message_id", "session_id", "data"),
        }
        for table, columns in wanted.items():
            there = [name for name in columns if name in database.columns(table)]
            key = "id" if table == "session" else _SESSION
            where = (f"WHERE {key} = ?", (session,)) if session and key in there else ("", ())
            try:
                _take(table, _table(database, table, there, where), records)
            except sqlite3.Error as error:
                what = f"the table {table} cannot be read to its end ({error}); the rest was read"
                records.tell(table, what)


def _table(
    database: _sqlite_copy.Database,
    table: str,
    columns: list[str],
    where: tuple[str, tuple[str, ...]],
) -> Iterator[dict[str, object]]:
    for row in database.rows(table, columns, *where) if columns else ():
        yield dict(zip(columns, row, strict=True))


def _take(table: str, rows: Iterator[dict[str, object]], records: Records) -> None:
    if table != "session":
        read_rows(rows, records, table)
        return
    for row in rows:
        named = {"parentID": row.pop("parent_id", None), **row}
        records.add_session(named)
