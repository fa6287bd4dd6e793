"""A report of many citations over much text: its memory, and Ctrl+C in the middle of it."""

import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from reviewer.reports import Meta, reports
from reviewer.services.sample import write_sample
from store.opening import open_paths
from store.records.findings import Audit
from store.records.runs import Run
from tests.benchmarks.cited import write_cited_run

SOURCES, CHARS, CITATIONS = 12, 400_000, 600


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "cited"
    write_cited_run(folder, sources=SOURCES, chars=CHARS, citations=CITATIONS)
    return folder


@pytest.fixture(scope="module")
def found(cited: Path) -> Audit:
    (run,) = open_paths([str(cited)])
    assert isinstance(run, Run)
    made = audit(run)
    assert len(made.citations) == CITATIONS
    return made


@pytest.mark.parametrize("name", ["html", "md"])
def test_a_report_holds_little_beside_the_audit_it_tells(found: Audit, name: str) -> None:
    tracemalloc.start()
    try:
        size = sum(map(len, reports()[name].write([found], [], Meta("1"))))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size > 400 * CITATIONS
    assert peak < SOURCES * CHARS / 2 + 6_000_000


def test_a_report_of_many_runs_holds_one_of_them(found: Audit) -> None:
    def written(runs: int) -> int:
        def audits() -> Iterator[Audit]:
            for _ in range(runs):
                yield found

        tracemalloc.start()
        try:
            for _ in reports()["html"].write(audits(), [], Meta("1")):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # The first megabytes lie in memory, the rest in a file.
    assert written(12) < written(4) + 3_000_000


@contextmanager
def taken() -> Iterator[None]:
    """Let what is started here hear of Ctrl+C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_ends_with_130_and_leaves_no_half_file(cited: Path, tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    command = [sys.executable, "-m", "reviewer", "report", str(cited), "--progress"]
    with (
        taken(),
        subprocess.Popen(  # noqa: S603
            [*command, "--output", str(place)], stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert first == f"reread: reading {cited}\n"
    assert rest.endswith("reread: cancelled\n")
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


LOST = """
import os, signal, sys, weakref
from reviewer import app
from reviewer.services import auditing

class Thing:
    pass

def asked(_):
    os.kill(os.getpid(), signal.SIGINT)

def load():
    held = weakref.ref(Thing(), asked)
    return before()

before, auditing.load_tokenizer = auditing.load_tokenizer, load
sys.exit(app.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize("to", ["file", "screen"])
def test_a_ctrl_c_that_python_drops_in_a_callback_is_none_the_less_heard(
    tmp_path: Path, to: str
) -> None:
    (run, _) = write_sample(tmp_path / "sample")
    out = tmp_path / "out"
    out.mkdir()
    way = ["report", "--output", str(out / "r.html")] if to == "file" else ["bill"]
    with taken():
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-c", LOST, *way, str(run)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert "Exception ignored" in ended.stderr
    assert ended.stderr.endswith("reread: cancelled\n")
    assert ended.returncode == 130
    assert list(out.iterdir()) == []


EXEC = """
import os, signal, sys
from reviewer import app
from reviewer.services import auditing

def load():
    exec("os.kill(os.getpid(), signal.SIGINT)")

auditing.load_tokenizer = load
sys.exit(app.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_while_a_dataclass_is_made_ends_with_130_too(tmp_path: Path) -> None:
    (run, _) = write_sample(tmp_path / "sample")
    with taken():
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-c", EXEC, "bill", str(run)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.stderr == "reread: cancelled\n"
    assert ended.returncode == 130
