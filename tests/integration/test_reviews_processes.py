"""Deciding while other programs decide, while the power goes, and while the disk is full."""

import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from store.records.runs import ProblemKind
from store.reviews import DecisionLog

DECIDE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from store.errors import StoreError
from store.records.reviews import Decision, DecisionKind, Target, TargetKind
from store.reviews import DecisionLog
log, who, many = DecisionLog(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
target = Target(TargetKind.CITATION, "a" * 32)
def decide(number):
    name = f"{who}-{number}"
    note = f"第 {number} 条 " * 40
    log.append(
        Decision(DecisionKind.FLAG, target, who, datetime.now(UTC), name, note=note)
    )
    return name
"""
LOOP = (
    DECIDE
    + """
print("ready", flush=True)
sys.stdin.readline()
for number in range(many):
    print(decide(number), flush=True)
"""
)
FULL = (
    DECIDE
    + """
import resource
before = decide(0)
size = log.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))
try:
    decide(1)
except StoreError as error:
    print(error.what)
assert log.path.stat().st_size == size
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
decide(2)
"""
)


def started(log: Path, who: str, many: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", LOOP, str(log), who, str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal on this system")
def test_nothing_that_was_acknowledged_is_lost_by_a_kill(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    acknowledged: list[str] = []
    chance = random.Random(4)  # noqa: S311 - the same moments in each run, as far as a machine can
    for turn in range(12):
        with started(log, f"reviewer{turn}", 100_000) as process:
            go(process)
            assert process.stdout is not None
            select.select([process.stdout], [], [], 30)
            until = time.monotonic() + chance.random() * 0.05
            while time.monotonic() < until:
                pass
            process.send_signal(signal.SIGKILL)
            told = process.stdout.read().split("\n")
        # The last name may be cut: only a whole line was acknowledged.
        acknowledged += told[:-1]
        found = DecisionLog(log).read()
        assert found.holds
        assert {problem.kind for problem in found.problems} <= {ProblemKind.NOTED}
        held = [each.id for each in found.decisions]
        assert [name for name in held if name in set(acknowledged)] == acknowledged
        # At most the one that was being written is there without having been acknowledged.
        assert len(held) <= len(acknowledged) + turn + 1
    assert acknowledged


def test_processes_that_decide_at_once_make_one_valid_chain(tmp_path: Path) -> None:
    log = tmp_path / "runs" / "decisions.jsonl"
    many = 60
    processes = [started(log, f"reviewer{number}", many) for number in range(3)]
    for process in processes:
        go(process)
    told = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    found = DecisionLog(log).verify()
    assert (found.holds, found.records, found.problems) == (True, 3 * many, ())
    held = [each.id for each in DecisionLog(log).read().decisions]
    assert sorted(held) == sorted(name for names in told for name in names)
    for names in told:
        assert [name for name in held if name in set(names)] == names


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit on this system")
def test_a_write_that_stops_half_way_leaves_the_log_valid(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    ended = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", FULL, str(log), "ann", "0"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "was not kept" in ended.stdout
    assert [each.id for each in DecisionLog(log).read().decisions] == ["ann-0", "ann-2"]
    assert DecisionLog(log).read().problems == ()
