"""A checkpoint database is somebody else's file: hostile, alive, and not ours to change."""

import hashlib
import json
import pickle
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from store.importers._base import UnreadableError
from store.importers._sqlite_copy import BusyError, opened
from store.importers.langgraph_checkpoints import IMPORTER
from store.opening import open_paths
from store.records.runs import Problem, ProblemKind, Run
from tests.langchain import requested
from tests.unit.langgraph_databases import (
    Saver,
    ai,
    database,
    ext,
    human,
    packed,
    probe_of,
    runs_of,
    tool,
)


def listed(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Return each file of a folder with its hash, size and time of change."""
    return {
        path.name: (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_size,
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.iterdir())
    }


@pytest.mark.parametrize("wal", [False, True])
def test_nothing_of_the_database_or_beside_it_is_changed(tmp_path: Path, *, wal: bool) -> None:
    with closing(database(tmp_path / "db.sqlite", wal=wal)) as connection:
        saver = Saver(connection)
        saver.turn([human("Hi")], [ai("", "a1", "c1")], [tool("饺子", "c1")], [ai("Done.", "a2")])
        before = listed(tmp_path)
        assert len(before) == (3 if wal else 1)
        (run,) = runs_of(tmp_path / "db.sqlite")
        assert listed(tmp_path) == before
    assert requested(run) == [["Hi"], ["Hi", "", "饺子"]]


def test_rows_and_tables_that_are_only_in_the_write_ahead_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(sqlite3.connect(path)) as empty:
        empty.execute("PRAGMA journal_mode=WAL")
    with closing(sqlite3.connect(path)) as keeper:
        keeper.execute("PRAGMA wal_autocheckpoint=0")
        keeper.execute("BEGIN").connection.commit()
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("PRAGMA wal_autocheckpoint=0")
            writer.execute("CREATE TABLE unrelated (x)")
            keeper.execute("SELECT count(*) FROM unrelated").fetchone()
        with closing(database(path, wal=True)) as connection:
            Saver(connection).turn([human("Hi")], [ai("Done.", "a1")])
            assert b"checkpoint_id" not in path.read_bytes()
            before = listed(tmp_path)
            (run,) = runs_of(path)
            assert listed(tmp_path) == before
    assert requested(run) == [["Hi"]]


@pytest.mark.parametrize("wal", [False, True])
def test_a_program_that_goes_on_writing_is_read_as_of_one_moment(
    tmp_path: Path, *, wal: bool
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path, wal=wal)) as connection:
        Saver(connection, "t0").turn([human("Hi", "h0")], [ai("Done.", "a0")])
    stop = threading.Event()
    writer = threading.Thread(target=write_on, args=(path, stop))
    writer.start()
    try:
        counts: list[int] = []
        while len(counts) < 25 or (counts[-1] < 2 and len(counts) < 500):
            try:
                runs = runs_of(path)
            except BusyError:
                continue  # it says so, and the program ends some time
            for run in runs:
                # Without a write-ahead file a change may have been under way.
                assert all("journal" in problem.what for problem in run.problems)
                assert run.problems == () or not wal
                assert requested(run) in ([], [["Hi"]])
            counts.append(len(runs))
    finally:
        stop.set()
        writer.join()
    assert counts == sorted(counts)
    assert counts[-1] > 1


def write_on(path: Path, stop: threading.Event) -> None:
    """Save threads until told to stop, folding the write-ahead file in every now and then."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        for number in range(1, 200):
            if stop.is_set():
                return
            name = f"t{number:04d}"
            Saver(connection, name).turn([human("Hi", f"h{number}")], [ai("Done.", f"a{number}")])
            if number % 7 == 0 and not stop.is_set():
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def traps(marker: Path) -> Iterator[tuple[str, bytes]]:
    """Yield values that would leave *marker* behind if anything of them were called or imported."""
    target = str(marker)
    for code, members in {
        0: ("os", "mkdir", target),
        1: ("os", "mkdir", [target]),
        2: ("os", "mkdir", {"path": target}),
        3: ("pathlib", "Path", target, "mkdir"),
        4: ("reread_trap", "Trap", {"x": 1}),
        5: ("reread_trap", "Trap", {"x": 1}, "model_validate_json"),
    }.items():
        yield "msgpack", packed({"channel_values": {"x": ext(code, *members)}})
    for lc in (1, 2):
        named = {"lc": lc, "type": "constructor", "id": ["os", "mkdir"], "kwargs": {"path": target}}
        with_args = {**named, "method": "mkdir", "args": [target]}
        yield "json", json.dumps({"channel_values": {"x": named, "y": with_args}}).encode()
    yield "pickle", pickle.dumps(_Maker(target))
    yield "msgpack", pickle.dumps(_Maker(target))
    yield "json", pickle.dumps(_Maker(target))


class _Maker:
    def __init__(self, target: str) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.mkdir, (Path(self.target),)  # type: ignore[return-value]


def test_nothing_that_a_checkpoint_names_is_imported_or_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "called"
    code = tmp_path / "code"
    code.mkdir()
    source = f"import pathlib\npathlib.Path({str(marker)!r}).mkdir()\n"
    (code / "reread_trap.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(code))
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        for number, (kind, blob) in enumerate(traps(marker)):
            connection.execute(
                "INSERT INTO checkpoints VALUES (?, '', ?, NULL, ?, ?, ?)",
                (f"t{number:02d}", f"c{number}", kind, blob, b"{}"),
            )
            connection.execute(
                "INSERT INTO writes VALUES (?, '', ?, 'k', '', 0, 'messages', ?, ?)",
                (f"t{number:02d}", f"c{number}", kind, blob),
            )
        connection.commit()
    runs = runs_of(path)
    assert not marker.exists()
    told = " ".join(problem.what for run in runs for problem in run.problems)
    assert "pickle" in told
    assert "never opened" in told


BOMBS = {
    "an array of four thousand million members": b"\xdd\xff\xff\xff\xff",
    "a map of as many": b"\xdf\xff\xff\xff\xff",
    "a text of four gigabytes": b"\xdb\xff\xff\xff\xffx",
    "nested a hundred thousand times": b"\x91" * 100_000 + b"\x01",
    "extensions within extensions": b"",
    "no msgpack": b"\xc1",
    "cut off": packed({"channel_values": {"messages": ["x" * 100]}})[:40],
    "bytes that are no text": b"\xa2\xff\xfe",
    "a list for a state": packed([1, 2, 3]),
    "a number for its values": packed({"channel_values": 3, "channel_versions": 4}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_value_that_is_no_state_is_named_and_the_others_are_read(
    tmp_path: Path, name: str
) -> None:
    blob = BOMBS[name]
    if name == "extensions within extensions":
        inner = b"\x01"
        for _ in range(300):
            inner = msgspec.msgpack.encode(msgspec.msgpack.Ext(7, inner))
        blob = inner
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        Saver(connection, "sound").turn([human("Hi")], [ai("Done.", "a1")])
        connection.execute(
            "INSERT INTO checkpoints VALUES ('broken', '', 'c', NULL, 'msgpack', ?, ?)",
            (blob, b"[" * 50_000),
        )
        connection.commit()
    broken, sound = runs_of(path)
    assert (broken.run_id, broken.calls) == ("broken", ())
    assert requested(sound) == [["Hi"]]
    assert all(len(problem.what) < 300 for problem in sound.problems)
    if name != "a number for its values":
        assert sound.problems


ENDLESS = (
    "CREATE VIEW checkpoints AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT x AS thread_id, '' AS checkpoint_ns, x AS checkpoint_id, NULL AS parent_checkpoint_id, "
    "'json' AS type, '{}' AS checkpoint, '{}' AS metadata FROM n"
)
COMPUTED = (
    "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, "
    "type, checkpoint AS (zeroblob(1000000000)), metadata)"
)


@pytest.mark.parametrize(
    "schema",
    [
        ENDLESS,
        COMPUTED,
        "CREATE TABLE checkpoints (checkpoint_id)",
        "CREATE TABLE other (checkpoint_id)",
    ],
)
def test_a_table_that_is_none_ends_in_a_line(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "db.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(schema)
        connection.commit()
    (found,) = open_paths([str(path)])
    assert isinstance(found, Problem)
    assert "no model call" in found.what or "not known here" in found.what


def test_a_thread_with_branches_without_end_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.importers._lg_records._STEPS", 50)
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")])
        fork = saver.last
        for number in range(40):
            answer = ai("Done.", f"a{number}")
            saver.save({"messages": [*held, answer]}, parent=fork, name=f"b{number:03d}")
    runs = runs_of(path)
    assert 10 < len(runs) < 40
    (problem,) = runs[0].problems
    assert problem.what.startswith(f"{40 - len(runs)} branches of this thread were not read")


def test_a_table_without_an_index_is_not_searched_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.importers._sqlite_copy._ENDLESS", 2)
    path = tmp_path / "db.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, "
            "parent_checkpoint_id, type, checkpoint, metadata)"
        )
        rows = [("t", "", str(n), str(n - 1), "json", "{}", "{}") for n in range(2000)]
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
    found = list(open_paths([str(path)]))
    problems = [item for item in found if isinstance(item, Problem)]
    problems += [each for item in found if isinstance(item, Run) for each in item.problems]
    assert any("interrupted" in problem.what for problem in problems)


def test_a_database_that_was_cut_in_half_says_so(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        for number in range(60):
            Saver(connection, f"t{number:03d}").turn(
                [human("long " * 400, f"h{number}")], [ai("Done.", f"a{number}")]
            )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    found = list(open_paths([str(path)]))
    problems = [item for item in found if isinstance(item, Problem)]
    problems += [each for item in found if isinstance(item, Run) for each in item.problems]
    assert any(each.kind is ProblemKind.LOST for each in problems)
    assert any("malformed" in each.what or "cannot be read" in each.what for each in problems)


def test_a_journal_may_name_another_file_and_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        Saver(connection).turn([human("Hi")], [ai("Done.", "a1")])
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    name = str(precious).encode()
    checksum = sum(name).to_bytes(4, "big")
    magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    head = magic + (0).to_bytes(4, "big") * 2 + (1).to_bytes(4, "big") + (512).to_bytes(4, "big")
    head += (4096).to_bytes(4, "big")
    tail = name + len(name).to_bytes(4, "big") + checksum + magic
    (tmp_path / "db.sqlite-journal").write_bytes(head.ljust(512, b"\0") + tail)
    before = listed(tmp_path)
    (run,) = runs_of(path)
    assert listed(tmp_path) == before
    assert requested(run) == [["Hi"]]
    assert any("journal" in problem.what for problem in run.problems)


def test_a_write_ahead_file_that_is_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    outside.mkdir()
    with closing(database(outside / "db.sqlite", wal=True)) as connection:
        Saver(connection).turn([human("Secret")], [ai("Done.", "a1")])
        (folder / "db.sqlite").write_bytes((outside / "db.sqlite").read_bytes())
        (folder / "db.sqlite-wal").symlink_to(outside / "db.sqlite-wal")
        with opened(folder / "db.sqlite") as copy:
            assert copy.columns("checkpoints") == ()


def test_another_database_that_speaks_of_checkpoints_is_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE message (id, text)")
        connection.execute("INSERT INTO message VALUES (1, 'CREATE TABLE x (checkpoint_id)')")
        connection.commit()
    assert b"checkpoint_id" in path.read_bytes()
    assert not IMPORTER.recognise(probe_of(path))


def test_what_is_no_database_at_all_is_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000 + b"checkpoint_id")
    assert IMPORTER.recognise(probe_of(path))
    with pytest.raises(UnreadableError, match="database"):
        list(IMPORTER.read(probe_of(path)))
    path.write_bytes(b"no database with a checkpoint_id")
    assert not IMPORTER.recognise(probe_of(path))
