"""Saving while other programs save, and while the power goes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from store.builder import RunBuilder
from store.digest import run_digest
from store.records.grades import Layer
from store.records.runs import Part, PartKind, Run
from store.repository import Repository
from store.sqlite import sqlite_url

MAKE_RUN = """
import os, signal, sys
from store.builder import RunBuilder
from store.records.grades import Layer
from store.records.runs import Part, PartKind
builder = RunBuilder("r", "p", "test", Layer.CLIENT)
for n in range(3000):
    builder.message("user", [Part(PartKind.TEXT, f"message {n} " * 20)])
    builder.call(range(n + 1))
run = builder.finish()
"""
SAVE = (
    MAKE_RUN
    + """
from store.repository import Repository
print("ready", flush=True)
sys.stdin.readline()
print(Repository(sys.argv[1]).save(run))
"""
)
KILLED = (
    MAKE_RUN
    + """
from sqlalchemy import event
from store.repository import Repository
repository = Repository(sys.argv[1])
left = int(sys.argv[2])
@event.listens_for(repository._engine, "before_cursor_execute")
def _(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
@event.listens_for(repository._engine, "commit")
def _(_):
    if left < 10**6 and sys.argv[3] == "commit":
        os.kill(os.getpid(), signal.SIGKILL)
repository.save(run)
"""
)


def big_run() -> Run:
    builder = RunBuilder("r", "p", "test", Layer.CLIENT)
    for n in range(3000):
        builder.message("user", [Part(PartKind.TEXT, f"message {n} " * 20)])
        builder.call(range(n + 1))
    return builder.finish()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal on this system")
@pytest.mark.parametrize(
    ("statement", "end"), [(3, ""), (6, ""), (9, ""), (14, ""), (17, ""), (100_000, "commit")]
)
def test_a_save_that_is_killed_leaves_nothing_of_the_run(
    tmp_path: Path, statement: int, end: str
) -> None:
    address = sqlite_url(tmp_path / "reread.db")
    Repository(address).close()
    killed = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", KILLED, address, str(statement), end], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    run = big_run()
    with Repository(address) as repository:
        assert repository.runs() == []
        assert repository.load(repository.save(run)) == run


def test_two_programs_that_save_the_same_run_at_once_leave_one_copy(tmp_path: Path) -> None:
    address = sqlite_url(tmp_path / "reread.db")
    both = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", SAVE, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate()[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    run = big_run()
    assert printed == [run_digest(run)] * 2
    with Repository(address) as repository:
        assert [one.digest for one in repository.runs()] == [run_digest(run)]
        assert repository.load(run_digest(run)) == run
