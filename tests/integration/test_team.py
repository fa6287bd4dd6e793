"""A database that a team shares: runs come back exactly, decisions follow one another."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from store.digest import run_digest
from store.errors import StoreError
from store.records.runs import ProblemKind
from store.repository import Repository
from store.sqlite import sqlite_url
from store.team import TeamLog
from tests.integration.postgres import running
from tests.unit.decisions import B, made
from tests.whole_records import HOSTILE, exactly, full_run

RUN = "c" * 64
DECIDE = """
import sys
from datetime import UTC, datetime
from store.records.reviews import Decision, DecisionKind, Target, TargetKind
from store.team import TeamLog
log, who = TeamLog(sys.argv[1], sys.argv[2]), sys.argv[3]
target = Target(TargetKind.CITATION, "a" * 32)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[4])):
    name = f"{who}-{number}"
    log.append(Decision(DecisionKind.FLAG, target, who, datetime.now(UTC), name))
    print(name, flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as address:
        yield address


@pytest.fixture(params=["postgresql", "sqlite"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "team.db")
    given: str = request.getfixturevalue("server")
    changed(given, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return given


@pytest.fixture
def log(address: str) -> Iterator[TeamLog]:
    opened = TeamLog(address, RUN)
    yield opened
    opened.close()


def changed(address: str, statement: str) -> None:
    engine = create_engine(address)
    try:
        with engine.begin() as connection:
            connection.execute(text(statement))
    finally:
        engine.dispose()


def deciding(address: str, who: str, many: int) -> subprocess.Popen[str]:
    """Start a program that decides when it is told to go."""
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", DECIDE, address, RUN, who, str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_run_comes_back_exactly_as_it_was_saved(address: str) -> None:
    run = full_run()
    with Repository(address) as repository:
        digest = repository.save(run)
        assert digest == run_digest(run)
        assert repository.save(run) == digest
    with Repository(address) as repository:
        assert exactly(repository.load(digest)) == exactly(run)
        assert [each.digest for each in repository.runs()] == [digest]
        assert repository.delete(digest)
        assert not repository.runs()


def test_decisions_come_back_in_their_order_and_the_chain_holds(log: TeamLog) -> None:
    assert log.read().missing
    with pytest.raises(StoreError, match="there is no log"):
        log.verify()
    sealed = [log.append(made("accept")), log.append(made("note", B, note=" ".join(HOSTILE)))]
    found = log.read()
    assert list(found.decisions) == sealed
    assert sealed[1].previous == sealed[0].hash
    assert log.verify().holds
    assert log.verify().records == 2


def test_what_is_there_already_is_not_added_again(log: TeamLog) -> None:
    first, second = made(), made("reject", reviewer="Bo")
    assert [each.id for each in log.append_new([first, second])] == [first.id, second.id]
    third = made("flag", B)
    assert [each.id for each in log.append_new([first, third, third])] == [third.id]
    assert log.verify().records == 3


def test_logs_of_other_runs_are_apart(log: TeamLog, address: str) -> None:
    log.append(made())
    other = TeamLog(address, "d" * 64)
    assert other.read().missing
    other.close()


def test_what_others_decide_is_seen_without_reading_all_again(log: TeamLog, address: str) -> None:
    first = log.append(made())
    reading = log.read()
    assert not log.changed_since(reading.stamp)
    colleague = TeamLog(address, RUN)
    second = colleague.append(made("reject", reviewer="Bo"))
    colleague.close()
    assert log.changed_since(reading.stamp)
    later = log.read(reading)
    assert later.decisions == (first, second)
    assert later.holds
    assert later == log.read()


def test_one_changed_character_is_noticed(log: TeamLog, address: str) -> None:
    for _ in range(3):
        log.append(made())
    taken = log.read()
    middle = taken.decisions[1].id
    cast = "convert_to({}, 'UTF8')" if address.startswith("postgresql") else "CAST({} AS BLOB)"
    back = (
        "convert_from(line, 'UTF8')" if address.startswith("postgresql") else "CAST(line AS TEXT)"
    )
    new = cast.format(f"replace({back}, '{middle}', 'other')")
    changed(address, f"UPDATE decision_lines SET line = {new} WHERE number = 2")  # noqa: S608 - ours
    assert [each.kind for each in log.read().problems] == [ProblemKind.CHANGED] * 2
    assert not log.verify().holds


def test_a_removed_decision_is_noticed_and_the_log_goes_on(log: TeamLog, address: str) -> None:
    for _ in range(3):
        log.append(made())
    changed(address, "DELETE FROM decision_lines WHERE number = 2")
    assert not log.verify().holds
    log.append(made())
    assert log.verify().records == 3


def test_a_log_that_was_emptied_is_read_anew(log: TeamLog, address: str) -> None:
    log.append(made())
    before = log.read()
    changed(address, "DELETE FROM decision_lines")
    assert log.changed_since(before.stamp)
    assert log.read(before).missing


def test_three_who_decide_at_once_lose_nothing(log: TeamLog, address: str) -> None:
    people = [deciding(address, who, 15) for who in ("Ann", "Bo", "Cy")]
    for each in people:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    said = [each.communicate("go\n", timeout=120)[0].split() for each in people]
    for each in people:
        assert each.wait() == 0
    found = log.read()
    assert found.holds
    assert sorted(each.id for each in found.decisions) == sorted(
        name for names in said for name in names
    )
    assert found.records == 45


def test_who_is_killed_loses_no_decision_that_was_acknowledged(log: TeamLog, address: str) -> None:
    with deciding(address, "Ann", 100000) as victim:
        assert victim.stdin is not None
        assert victim.stdout is not None
        victim.stdout.readline()
        victim.stdin.write("go\n")
        victim.stdin.flush()
        seen = [victim.stdout.readline().strip() for _ in range(10)]
        victim.send_signal(signal.SIGKILL)
        seen += victim.stdout.read().split()
    found = log.read()
    assert found.holds
    assert set(seen) <= {each.id for each in found.decisions}
    log.append(made())
    assert log.verify().holds


def test_a_server_that_is_not_there_is_told_and_its_password_is_not(tmp_path: Path) -> None:
    address = f"postgresql+psycopg://team:secret@/postgres?host={tmp_path}"
    with pytest.raises(StoreError) as told:
        TeamLog(address, RUN)
    assert "cannot be reached" in told.value.what
    assert "secret" not in str(told.value)


def test_a_member_may_be_kept_from_changing_what_was_decided(server: str) -> None:
    log = TeamLog(server, "e" * 64)
    log.append(made())
    log.close()
    for statement in (
        "DROP ROLE IF EXISTS member",
        "CREATE ROLE member LOGIN",
        "GRANT USAGE ON SCHEMA public TO member",
        "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO member",
    ):
        changed(server, statement)
    member = server.replace("//team@", "//member@")
    own = TeamLog(member, "e" * 64)
    own.append(made("reject", reviewer="Bo"))
    assert own.verify().records == 2
    own.close()
    for forbidden in ("UPDATE decision_lines SET number = 7", "DELETE FROM decision_lines"):
        with pytest.raises(Exception, match="permission denied"):
            changed(member, forbidden)
    changed(server, "DROP OWNED BY member")
    changed(server, "DROP ROLE member")
