"""Exchanges that programs keep in SQLite: read from a copy, with what is not folded in yet."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run

LONG = "A long text about the sky, which is blue over all of it. " * 20
ASKED = {"model": "m", "messages": [{"role": "user", "content": LONG}]}
CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Góod"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 300},
}


def claude_tap(database: sqlite3.Connection) -> None:
    database.executescript(
        "CREATE TABLE sessions (id TEXT, started_at TEXT);"
        "CREATE TABLE records (session_id TEXT, record_index INTEGER, payload_json TEXT);"
        "CREATE TABLE record_blobs (session_id TEXT, hash TEXT, kind TEXT, payload_json TEXT);"
    )
    reference = {"__claude_tap_blob_ref__": {"version": 1, "kind": "json", "hash": "sha256:1"}}
    url = "https://api.openai.com"
    request = {"method": "POST", "path": "/v1/chat/completions", "headers": {}}
    record = {
        "request": {**request, "body": {"model": "m", "messages": [reference]}},
        "response": {"status": 200, "headers": {}, "body": CHAT},
        "upstream_base_url": url,
    }
    refs = [{"path": "/request/body/messages/0", "hash": "sha256:1"}]
    payload = {"__claude_tap_compact_record__": {"version": 1, "refs": refs}, "record": record}
    database.execute("INSERT INTO records VALUES ('s', 1, ?)", (json.dumps(payload),))
    kept = json.dumps(ASKED["messages"][0])
    database.execute("INSERT INTO record_blobs VALUES ('s', 'sha256:1', 'json', ?)", (kept,))


def bifrost(database: sqlite3.Connection) -> None:
    database.execute(
        "CREATE TABLE logs (id TEXT, timestamp TEXT, object_type TEXT, provider TEXT, model TEXT, "
        "input_history TEXT, responses_input_history TEXT, output_message TEXT, "
        "responses_output TEXT, params TEXT, tools TEXT, token_usage TEXT, error_details TEXT, "
        "raw_request TEXT, raw_response TEXT, status TEXT)"
    )
    message = {"role": "assistant", "content": "Góod"}
    values = {
        "id": "c1",
        "timestamp": "2026-01-01T00:00:00Z",
        "object_type": "chat.completion",
        "provider": "openai",
        "model": "m",
        "input_history": json.dumps(ASKED["messages"]),
        "output_message": json.dumps(message),
        "params": "{}",
        "token_usage": json.dumps(CHAT["usage"]),
        "status": "success",
    }
    insert(database, "logs", values)


def insert(database: sqlite3.Connection, table: str, values: Mapping[str, object]) -> None:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - our own names
    database.execute(statement, tuple(values.values()))


def llm_rows(database: sqlite3.Connection) -> None:
    database.executescript(
        "CREATE TABLE _llm_migrations (name TEXT);"
        "CREATE TABLE conversations (id TEXT);"
        "CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, "
        "prompt_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT, "
        "datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER);"
        "CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);"
        'CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);'
    )
    database.execute("INSERT INTO fragments VALUES (7, ?)", (LONG,))
    messages = [{"role": "user", "content": {"$r": [{"$": "f7"}]}}]
    kept = {"object": "chat.completion.chunk", "content": {"$": "r:a"}, "finish_reason": "stop"}
    row = {
        "id": "a",
        "model": "m",
        "prompt": "",
        "prompt_json": json.dumps({"messages": messages}),
        "response": "Góod",
        "response_json": json.dumps(kept),
        "conversation_id": "t",
        "input_tokens": 300,
    }
    insert(database, "responses", row)


def llm_turns(database: sqlite3.Connection) -> None:
    database.executescript(
        "CREATE TABLE _llm_migrations (name TEXT);"
        "CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT);"
        "CREATE TABLE parts (message_hash TEXT, position INTEGER, type TEXT, tool_name TEXT, "
        "text TEXT, payload TEXT);"
        "CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);"
        "CREATE TABLE turns (id TEXT PRIMARY KEY, parent_message_hash TEXT, tip_message_hash TEXT, "
        "model TEXT, input_tokens INTEGER, output_tokens INTEGER, response_json TEXT);"
    )
    database.execute("INSERT INTO fragments VALUES (7, ?)", (LONG,))
    insert(database, "messages", {"hash": "u", "role": "user"})
    insert(database, "messages", {"hash": "b", "parent_hash": "u", "role": "assistant"})
    payload = json.dumps({"text_ref": [{"fragment": 7}, {"literal": ""}]})
    part = {"position": 0, "type": "text"}
    insert(database, "parts", {**part, "message_hash": "u", "payload": payload})
    insert(database, "parts", {**part, "message_hash": "b", "text": "Góod"})
    turn = {"id": "a", "parent_message_hash": "u", "tip_message_hash": "b", "model": "m"}
    insert(database, "turns", {**turn, "input_tokens": 300})


Write = Callable[[sqlite3.Connection], None]
KINDS: list[tuple[Write, Grade]] = [
    (claude_tap, Grade.RECORDED),
    (bifrost, Grade.INFERRED),
    (llm_rows, Grade.INFERRED),
    (llm_turns, Grade.INFERRED),
]


def texts(run: Run) -> list[str]:
    return [part.text for message in run.messages for part in message.parts]


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
@pytest.mark.parametrize(("write", "grade"), KINDS)
def test_a_database_gives_its_exchanges_also_what_still_stands_in_its_log(
    tmp_path: Path, write: Write, grade: Grade, journal: str
) -> None:
    path = tmp_path / "kept.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        write(database)
        database.commit()
        before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
        # The program is still running: what it wrote last is not in the file itself.
        (run,) = open_paths([str(path)])
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    assert isinstance(run, Run), run
    assert texts(run) == [LONG, "Góod"]
    assert (run.calls[0].grade, run.calls[0].origin) == (grade, "kept.db#0")
    assert run.answers[0].text == "Góod"


@pytest.mark.parametrize(("write", "_grade"), KINDS)
def test_a_damaged_database_says_so_and_never_ends_the_program(
    tmp_path: Path, write: Write, _grade: Grade
) -> None:
    path = tmp_path / "whole.db"
    with closing(sqlite3.connect(path)) as database:
        write(database)
        database.commit()
    data = path.read_bytes()
    for size in (len(data) // 2, len(data) * 3 // 4):
        cut = tmp_path / f"{size}.db"
        cut.write_bytes(data[:size])
        found = list(open_paths([str(cut)]))
        problems = [item for item in found if isinstance(item, Problem)]
        problems += [p for run in found if isinstance(run, Run) for p in run.problems]
        assert any(problem.kind is ProblemKind.LOST for problem in problems)
        assert not any("internal error" in problem.what for problem in problems)


def test_what_a_gateway_really_sent_is_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "raw.db"
    with closing(sqlite3.connect(path)) as database:
        bifrost(database)
        raw = {"model": "m", "messages": [{"role": "user", "content": "Héllo"}]}
        database.execute(
            "UPDATE logs SET raw_request = ?, raw_response = ?", (json.dumps(raw), json.dumps(CHAT))
        )
        database.commit()
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    assert texts(run) == ["Héllo", "Góod"]
    assert run.calls[0].grade is Grade.RECORDED


def test_a_database_of_many_tables_is_known_wherever_they_are_defined(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with closing(sqlite3.connect(path)) as database:
        for number in range(300):
            database.execute(f"CREATE TABLE other_{number} ({', '.join('abcdefgh')})")
        llm_rows(database)
        database.commit()
    assert b"_llm_migrations" not in path.read_bytes()[: 64 * 1024]
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    assert texts(run) == [LONG, "Góod"]


def test_a_text_that_names_itself_without_end_is_left(tmp_path: Path) -> None:
    path = tmp_path / "ring.db"
    with closing(sqlite3.connect(path)) as database:
        llm_turns(database)
        database.execute("UPDATE messages SET parent_hash = 'b' WHERE hash = 'u'")
        database.commit()
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
