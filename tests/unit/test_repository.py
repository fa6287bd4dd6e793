"""Saved runs come back exactly, whatever text they hold."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from store import digest as digests
from store.builder import RunBuilder
from store.digest import run_digest
from store.errors import StoreError
from store.migrations import latest
from store.records.grades import Grade, Layer
from store.records.runs import (
    Part,
    PartKind,
    Problem,
    Run,
    ToolResult,
)
from store.records.sources import (
    Excerpt,
    SourceKind,
    Version,
    VersionKey,
)
from store.repository import Repository
from store.sqlite import sqlite_url
from store.tables import METADATA, Escaped
from tests.whole_records import (
    HOSTILE,
    any_of,
    changed_in_one_field,
    exactly,
    full_run,
    record_classes,
    set_fields,
)


def some_run(said: str = "hello", run_id: str = "r", path: str = "here/run") -> Run:
    builder = RunBuilder(run_id, path, "test", Layer.CLIENT)
    first = builder.message("user", [Part(PartKind.TEXT, said)], f"{path}:1")
    second = builder.message("assistant", [Part(PartKind.TEXT, "answer " * 100)], f"{path}:2")
    builder.call([first], response=[second], settings={"tools": ["t" * 1000]})
    builder.call([first, second], settings={"tools": ["t" * 1000]})
    return builder.finish()


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with Repository(sqlite_url(tmp_path / "data" / "reread.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Repository]:
    with Repository("sqlite://") as opened:
        yield opened


@given(run=any_of(Run))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_every_run_comes_back_as_it_was_saved(in_memory: Repository, run: Run) -> None:
    digest = in_memory.save(run)
    loaded = in_memory.load(digest)
    assert exactly(loaded) == exactly(run)
    assert run_digest(loaded) == digest
    assert in_memory.delete(digest)


@given(versions=st.lists(any_of(Version), max_size=3).map(tuple))
@settings(max_examples=60)
def test_every_version_comes_back_with_its_excerpts(
    in_memory: Repository, versions: tuple[Version, ...]
) -> None:
    run = replace(some_run(), versions=versions)
    digest = in_memory.save(run)
    assert exactly(in_memory.load(digest)) == exactly(run)
    assert in_memory.delete(digest)


def test_excerpts_come_back_in_their_order_with_and_without_place_and_name(
    in_memory: Repository,
) -> None:
    excerpts = (
        Excerpt(7, "long " * 100, "doc#b1"),
        Excerpt(None, "", "doc#b2"),
        Excerpt(0, ""),
        Excerpt(None, "lone \ud83d", ""),
        Excerpt(None, "lone \ud83d", None),
        Excerpt(10**30, "\ud83d\ude00 \x00 \x1a0000"),
    )
    version = Version(VersionKey("d", "v"), SourceKind.TEXT, excerpts=excerpts)
    digest = in_memory.save(replace(some_run(), versions=(version,)))
    (loaded,) = in_memory.load(digest).versions
    assert exactly(loaded) == exactly(version)
    assert in_memory.delete(digest)


def test_no_field_of_any_record_is_lost_in_the_database(in_memory: Repository) -> None:
    run = full_run()
    every = {(kind.__name__, one.name) for kind in record_classes() for one in fields(kind)}
    assert set_fields(run) == every
    assert exactly(in_memory.load(in_memory.save(run))) == exactly(run)


# -- the digest -------------------------------------------------------------------


def test_the_digest_does_not_depend_on_where_the_run_lies() -> None:
    here, there = some_run(path="here/run"), some_run(path="/far/away")
    here = replace(here, problems=(Problem("here/run:3", "here/run is cut short"),))
    there = replace(there, problems=(Problem("/far/away:3", "/far/away is cut short"),))
    assert here != there
    assert run_digest(here) == run_digest(there)


def test_the_digest_depends_on_every_field_that_is_content() -> None:
    run = full_run()
    digest = run_digest(run)
    by_field = [(name, run_digest(one)) for name, one in changed_in_one_field(run)]
    places = {name for name, found in by_field if found == digest}
    assert {name.partition(".")[2] for name in places} == {"path", "origin", "where"}
    content = [found for name, found in by_field if name not in places]
    assert len(set(content)) == len(content) > 100


def test_settings_nested_deeper_than_any_stack_are_told(repository: Repository) -> None:
    nested: dict[str, object] = {}
    for _ in range(200_000):
        nested = {"a": nested}
    run = some_run()
    run = replace(run, calls=(replace(run.calls[0], settings=nested), *run.calls[1:]))
    for use in (run_digest, repository.save):
        with pytest.raises(StoreError, match="nested too deeply") as caught:
            use(run)
        assert caught.value.where == run.path
    assert repository.runs() == []


def test_settings_that_no_json_can_hold_are_told(repository: Repository) -> None:
    run = replace(some_run(), tool_results=(ToolResult("a", declared={"a": object()}),))
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        repository.save(run)


def test_two_lone_surrogates_are_not_the_character_they_would_make() -> None:
    assert run_digest(some_run("\ud83d\ude00")) != run_digest(some_run("😀"))


def test_a_field_that_keeps_its_default_does_not_enter_the_digest() -> None:
    known = "a digest changes only with the content, so decisions find their run again"
    run = Run(run_id=known, path="p", format="f", layer=Layer.WIRE, grade=Grade.RECORDED)
    assert run_digest(run) == "b6832a8a547f59ff918aba65cc3d1f22dbbea89100788d085652dc2fb49a012b"


def test_a_text_is_hashed_once_however_often_it_stands_in_the_run() -> None:
    long = "shared " * 100
    run = replace(
        some_run(long),
        tool_results=tuple(ToolResult(str(n), "".join(["shared "] * 100)) for n in range(50)),
    )
    pool = digests.TextPool()
    run_digest(run, pool)
    assert list(pool.texts).count(long) == 1
    assert len([one for one in pool.texts if one.startswith("shared")]) == 1


# -- keeping ------------------------------------------------------------------------


def test_a_run_that_is_saved_twice_is_there_once(repository: Repository) -> None:
    assert repository.save(some_run()) == repository.save(some_run(path="/elsewhere"))
    (summary,) = repository.runs()
    assert (summary.calls, summary.messages, summary.path) == (2, 2, "here/run")
    assert repository.has(summary.digest)


def test_texts_are_stored_once_and_go_with_the_last_run_that_used_them(
    tmp_path: Path, repository: Repository
) -> None:
    one, two = repository.save(some_run("a")), repository.save(some_run("b"))
    engine = create_engine(sqlite_url(tmp_path / "data" / "reread.db"))

    def bodies() -> set[bytes]:
        with engine.connect() as connection:
            return set(connection.execute(text("select body from texts")).scalars())

    shared_text = b"answer " * 100
    assert {b"a", b"b", shared_text} < bodies()
    assert repository.delete(one)
    assert b"a" not in bodies()
    assert shared_text in bodies()
    assert repository.load(two) == some_run("b")
    assert repository.delete(two)
    assert bodies() == set()
    assert not repository.delete(two)
    with engine.connect() as connection:
        for table in METADATA.tables.values():
            if table.name != "schema_version":
                assert connection.execute(table.select()).first() is None
    engine.dispose()


def test_a_run_that_is_not_saved_is_named(repository: Repository) -> None:
    with pytest.raises(StoreError, match="no saved run has the digest abc"):
        repository.load("abc")


def test_a_text_that_changed_in_the_database_is_refused(
    tmp_path: Path, repository: Repository
) -> None:
    digest = repository.save(some_run("the number is 41"))
    engine = create_engine(sqlite_url(tmp_path / "data" / "reread.db"))
    with engine.begin() as connection:
        connection.execute(
            text("update texts set body = :new where body = :old"),
            {"new": b"the number is 42", "old": b"the number is 41"},
        )
    engine.dispose()
    with pytest.raises(StoreError, match="damaged"):
        repository.load(digest)


@pytest.mark.parametrize("one", HOSTILE)
def test_a_string_is_escaped_without_loss(one: str) -> None:
    column = Escaped()
    dialect = sqlite.dialect()
    written = column.process_bind_param(one, dialect)
    assert written is not None
    assert "\x00" not in written
    written.encode()
    assert column.process_result_value(written, dialect) == one


# -- the schema ---------------------------------------------------------------------


def test_the_steps_make_exactly_the_tables_that_the_classes_describe(tmp_path: Path) -> None:
    stepped = sqlite_url(tmp_path / "stepped.db")
    Repository(stepped).close()
    created = create_engine(sqlite_url(tmp_path / "created.db"))
    METADATA.create_all(created)
    described = []
    for engine in (create_engine(stepped), created):
        found = inspect(engine)
        described.append(
            {
                name: (
                    sorted(
                        (c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)
                    ),
                    sorted(found.get_pk_constraint(name)["constrained_columns"]),
                    sorted(str(sorted(fk.items(), key=str)) for fk in found.get_foreign_keys(name)),
                    sorted(str(index["column_names"]) for index in found.get_indexes(name)),
                )
                for name in found.get_table_names()
            }
        )
        engine.dispose()
    assert described[0] == described[1]


@pytest.mark.parametrize("table", METADATA.sorted_tables, ids=lambda table: table.name)
def test_every_table_can_be_made_by_postgresql_and_no_count_overflows(table: object) -> None:
    written = str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[arg-type, no-untyped-call]
    assert "BLOB" not in written
    assert "VARCHAR" not in written
    for name in ("position", "message", "calls", "messages", "versions", "answers"):
        assert f"\t{name} INTEGER" not in written


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    address = sqlite_url(tmp_path / "new.db")
    Repository(address).close()
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text("update schema_version set number = :n"), {"n": latest() + 1})
    engine.dispose()
    with pytest.raises(StoreError, match="newer program") as caught:
        Repository(address)
    assert caught.value.advice


# -- what can go wrong ----------------------------------------------------------------


def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"not a database, but somebody's notes\n" * 100)
    with pytest.raises(StoreError, match="not a database") as caught:
        Repository(sqlite_url(path))
    assert str(path) in caught.value.where
    assert path.read_bytes() == b"not a database, but somebody's notes\n" * 100


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreError, match="folder cannot be used"):
        Repository(sqlite_url(tmp_path / "data" / "reread.db"))


def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path) -> None:
    address = sqlite_url(tmp_path / "small.db")
    with Repository(address) as repository:
        kept = repository.save(some_run("small"))
        with repository._engine.connect() as connection:  # noqa: SLF001 - the limit of a full disk
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
        big = some_run("x" * 1_000_000, "big")
        with pytest.raises(StoreError, match="full") as caught:
            repository.save(big)
        assert "space" in caught.value.advice
        assert [one.digest for one in repository.runs()] == [kept]
        assert repository.load(kept) == some_run("small")


@pytest.mark.parametrize(
    "address",
    ["nosuchdatabase://user:secret@host/name", "secret", "mssql+nodriver://user:secret@host/name"],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        Repository(address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "module",
    ["store.references", "store.objects", "store.results", "store.digest", "store.builder"],
)
def test_nothing_but_the_repository_loads_the_database_library(module: str) -> None:
    program = (
        f"import sys, {module}; sys.exit('sqlmodel' in sys.modules or 'sqlalchemy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0  # noqa: S603 - our own program
