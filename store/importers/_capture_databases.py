"""Exchanges that a program keeps in a SQLite database.

Bifrost: ``logs`` with what the gateway was
asked, and ``raw_request`` where that was switched on.  claude-tap: ``records``
whose larger parts stand in ``record_blobs``.  The database is read from a
private copy, with its write-ahead file.  That of llm has a file of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._capture_bundles import whole
from store.importers._capture_gateways import GATEWAY
from store.importers._capture_http import Interaction, Message
from store.importers._capture_json import is_pair, pair_of
from store.importers._capture_llm_log import LlmLog
from store.importers._capture_rows import Row, json_of, rows_of
from store.importers._sqlite_copy import MAGIC, Database, has_table_named, opened
from store.importers._wire import mapping, string

__all__ = ["Kept", "is_kept"]

_SIGNS: Final = (
    (b"_llm_migrations",),
    (b"record_blobs", b"payload_json"),
    (b"input_history", b"object_type"),
)
"""Names in the tables of each of them, as their definitions in the database have them."""

_PAGES: Final = 256
"""So many pages of definitions are looked at; no program defines more tables than fit there."""

IsResponse = Callable[[object], bool]


def is_kept(path: Path, head: bytes) -> bool:
    """Return whether the database that begins with *head* keeps exchanges."""
    if not head.startswith(MAGIC):
        return False
    if any(all(has_table_named(sign, path, head) for sign in signs) for signs in _SIGNS):
        return True
    defined = _definitions(path, head)
    return any(all(sign in defined for sign in signs) for signs in _SIGNS)


def _definitions(path: Path, head: bytes) -> bytes:
    """Return the pages on which tables are defined: of many tables they lie anywhere.

    Format: sqlite.org, "Database File Format", section 1.6 (b-tree pages).
    """
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    found, waiting, seen = b"", [1], set[int]()
    try:
        with _files.open_regular(path) as file:
            while waiting and len(seen) < _PAGES:
                number = waiting.pop()
                if number < 1 or number in seen:
                    continue
                seen.add(number)
                file.seek((number - 1) * size)
                page = file.read(size)
                waiting += _below(page, 100 if number == 1 else 0)
                found += page
    except (OSError, OverflowError):
        return found
    return found


def _below(page: bytes, at: int) -> list[int]:
    """Return the numbers of the pages that an inner page of a table leads to."""
    if page[at : at + 1] != b"\x05":
        return []
    count = int.from_bytes(page[at + 3 : at + 5], "big")
    places = range(at + 12, min(at + 12 + 2 * count, len(page) - 1), 2)
    cells = [int.from_bytes(page[place : place + 2], "big") for place in places]
    pages = [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
    return [*pages, int.from_bytes(page[at + 8 : at + 12], "big")]


@dataclass(slots=True)
class Kept:
    """Reads one database; ``problems`` are places in it, and what was not read there."""

    path: Path
    is_response: IsResponse
    problems: list[tuple[str, str]] = field(default_factory=list)

    def interactions(self) -> Iterator[Interaction]:
        """Yield the exchanges in the order in which they were kept, numbered from 0."""
        number = 0
        try:
            with opened(self.path) as database:
                if database.trouble:
                    self.problems.append(("", database.trouble))
                for found in self._found(database):
                    yield _numbered(found, number)
                    number += 1
        except (sqlite3.Error, OSError) as error:
            what = f"the database cannot be read further ({error}); {number} exchanges were read"
            self.problems.append(("", what))

    def _found(self, database: Database) -> Iterator[Interaction]:
        if {"payload_json", "record_index"} <= set(database.columns("records")):
            yield from _of_claude_tap(database)
        if "input_history" in database.columns("logs"):
            yield from _of_bifrost(database)
        if "prompt_json" in database.columns("responses"):
            yield from LlmLog(database, self.is_response).responses()
        if "tip_message_hash" in database.columns("turns"):
            yield from LlmLog(database, self.is_response).turns()


def _numbered(found: Interaction, number: int) -> Interaction:
    return Interaction(
        number,
        found.method,
        found.url,
        found.status,
        found.request,
        found.response,
        found.at,
        found.altered,
    )


# -- claude-tap -------------------------------------------------------------------------


def _of_claude_tap(database: Database) -> Iterator[Interaction]:
    for row in rows_of(database, "records", "ORDER BY session_id, record_index"):
        session = row.get("session_id")

        def blob(name: str, session: object = session) -> object:
            kept = rows_of(
                database, "record_blobs", "WHERE session_id = ? AND hash = ?", session, name
            )
            return next((json_of(each.get("payload_json")) for each in kept), None)

        record = whole(json_of(row.get("payload_json")), blob)
        if is_pair(record):
            yield pair_of(record, 0)
        else:
            yield Interaction(0, request=Message(trouble="this record holds no exchange"))


# -- Bifrost ----------------------------------------------------------------------------


def _of_bifrost(database: Database) -> Iterator[Interaction]:
    for row in rows_of(database, "logs", "ORDER BY timestamp, id"):
        yield _bifrost(row)


def _bifrost(row: Row) -> Interaction:
    raw, answered = json_of(row.get("raw_request")), json_of(row.get("raw_response"))
    kind = string(row.get("object_type"))
    asked = dict(mapping(json_of(row.get("params"))))
    chat, items = json_of(row.get("input_history")), json_of(row.get("responses_input_history"))
    if json_of(row.get("tools")):
        asked["tools"] = json_of(row.get("tools"))
    asked["model"] = row.get("model")
    is_chat = bool(chat) or not items
    asked["messages" if is_chat else "input"] = chat if is_chat else items
    body: object = raw if isinstance(raw, dict) else asked if chat or items else None
    trouble = "" if body is not None else "this row does not hold its request"
    error = json_of(row.get("error_details"))
    response = answered if isinstance(answered, (dict, list)) else _answer(row, is_chat=is_chat)
    if error and not response:
        response = {"error": mapping(error).get("error", error)}
    path = "/chat/completions" if is_chat else "/responses"
    return Interaction(
        0,
        method="POST",
        url="" if isinstance(raw, dict) and response else f"{string(row.get('provider'))}{path}",
        status=400 if row.get("status") == "error" else 200,
        request=Message(value=body, trouble=trouble),
        response=Message(value=response) if response else Message(),
        at=string(row.get("timestamp")) or None,
        altered="" if isinstance(raw, dict) or kind == "realtime.turn" else GATEWAY,
    )


def _answer(row: Row, *, is_chat: bool) -> object:
    """Return the answer that a gateway keeps, in the words of the interface that it offers."""
    usage = json_of(row.get("token_usage"))
    message, output = json_of(row.get("output_message")), json_of(row.get("responses_output"))
    name = row.get("id")
    if is_chat and isinstance(message, dict) and message:
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
        return {"id": name, "object": "chat.completion", "choices": [choice], "usage": usage}
    if isinstance(output, list) and output:
        told = {"input_tokens": mapping(usage).get("prompt_tokens")}
        told["output_tokens"] = mapping(usage).get("completion_tokens")
        common = {"id": name, "object": "response", "status": "completed"}
        return {**common, "output": output, "usage": told}
    return None
