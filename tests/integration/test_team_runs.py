"""Runs in the database of a team: opened by their digest and judged as from their files."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from reviewer.app import Program
from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.services.sample import write_sample
from reviewer.services.team import DATABASE_VARIABLE
from store.sqlite import sqlite_url
from tests.integration.postgres import running
from tests.made import Ended


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def team(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    address: str = (
        sqlite_url(tmp_path / "team.db")
        if request.param == "sqlite"
        else request.getfixturevalue("server")
    )
    monkeypatch.setenv(DATABASE_VARIABLE, address)
    return address


def reread(*arguments: str) -> Ended:
    out, err = io.BytesIO(), io.BytesIO()
    status = run(list(arguments), Program(strict=True), Output(out, err), {})
    return Ended(status, out.getvalue().decode(), err.getvalue().decode())


def judged(path: str) -> dict[str, object]:
    """Return what an audit says of the run at *path*, but for where it lies."""
    found = json.loads(reread("audit", path, "--format", "json").out)
    (one,) = found["runs"]
    told = json.dumps(one).replace(json.dumps(path)[1:-1], "PLACE")
    value: dict[str, object] = json.loads(told)
    return value


def names(shared: Path) -> dict[str, str]:
    """Return runs of real agents, one of each kind that is recorded otherwise."""
    return {
        "session": str(shared / "data/claude-code/cc_2120_one_microcompact.jsonl"),
        "folder": str(shared / "data/scenarios/context-bill"),
    }


@pytest.mark.usefixtures("team")
@pytest.mark.parametrize("kind", ["session", "folder"])
def test_a_shared_run_is_judged_as_it_is_from_its_files(shared: Path, kind: str) -> None:
    path = names(shared)[kind]
    put = reread("share", path)
    assert put.status == 0, put.err
    name = put.out.split()[0]
    assert name.startswith("team:")
    own, theirs = judged(path), judged(name)
    assert theirs["path"] == "PLACE"
    for place in ("problems", "calls"):
        # These name the files in which the record stood.
        own.pop(place), theirs.pop(place)
    assert theirs == own


@pytest.mark.usefixtures("team")
def test_what_is_shared_is_listed_and_can_be_taken_out_again(tmp_path: Path) -> None:
    write_sample(tmp_path / "sample")
    put = reread("share", str(tmp_path / "sample"))
    both = [line.split()[0] for line in put.out.splitlines()]
    listed = reread("share")
    assert all(name in listed.out for name in both)
    assert reread("share", str(tmp_path / "sample")).out == put.out
    assert reread("share", "--remove", both[0]).status == 0
    assert both[0] not in reread("share").out
    assert reread("audit", both[1][:17], "--fail-on", "never").status == 0
    gone = reread("audit", both[0])
    assert gone.status == 3
    assert "no shared run has this digest" in gone.err


def test_without_a_database_the_name_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DATABASE_VARIABLE, raising=False)
    ended = reread("audit", "team:0123")
    assert ended.status == 3
    assert DATABASE_VARIABLE in ended.err
    assert reread("share", str(tmp_path)).status == 3


@pytest.mark.usefixtures("team")
def test_a_file_of_such_a_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (_, folder) = write_sample(tmp_path / "sample")
    folder.rename(tmp_path / "team:0")
    monkeypatch.chdir(tmp_path)
    assert reread("audit", "team:0", "--fail-on", "never").status == 0


@pytest.mark.usefixtures("team")
def test_a_run_that_was_changed_in_the_database_is_not_judged(tmp_path: Path, team: str) -> None:
    write_sample(tmp_path / "sample")
    name = reread("share", str(tmp_path / "sample" / "lease-review")).out.split()[0]
    engine = create_engine(team)
    try:
        with engine.begin() as connection:
            connection.execute(text("UPDATE runs SET title = 'another'"))
    finally:
        engine.dispose()
    ended = reread("audit", name)
    assert ended.status == 3
    assert "is not what was saved" in ended.err
    reread("share", "--remove", name)
