"""The commands as a user starts them: a process, its exit status and what it prints."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviewer.services.sample import write_sample


@dataclass
class Ended:
    """What a command left behind."""

    status: int
    out: str
    err: str


def reread(*arguments: str, cwd: Path, stdin: bytes = b"") -> Ended:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - our own program with our own arguments
        [sys.executable, "-m", "reviewer", *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


def test_the_demo_works_in_a_plain_locale_and_names_its_page(tmp_path: Path) -> None:
    ended = reread("demo", "--no-window", "--into", "made", cwd=tmp_path)
    assert ended.status == 0, ended.err
    for word in (
        "from_memory",
        "placeholder_only",
        "wrong_version",
        "设备租赁合同审查",
        "compacted",
    ):
        assert word in ended.out
    page = (tmp_path / "made" / "sample.html").read_text("utf-8")
    assert "设备租赁合同审查" in page


def test_an_audit_with_findings_is_status_1_and_prints_only_results(sample: Path) -> None:
    ended = reread("audit", "lease-review", "--format", "json", cwd=sample)
    assert (ended.status, ended.err) == (1, "")
    (run,) = json.loads(ended.out)["runs"]
    assert run["path"] == "lease-review"
    assert run["counts"]["citations"] == len(run["citations"]) == 12


def test_the_same_input_gives_the_same_bytes(sample: Path) -> None:
    first = reread("audit", "lease-review", "--format", "json", cwd=sample)
    second = reread("audit", "lease-review", "--format", "json", cwd=sample)
    assert first.out == second.out


def test_a_missing_path_does_not_hide_the_others(sample: Path) -> None:
    ended = reread("audit", "nowhere.jsonl", "lease-review", "--fail-on", "never", cwd=sample)
    assert ended.status == 3
    assert "设备租赁合同审查" in ended.out
    assert ended.err.startswith("reread: nowhere.jsonl: ")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\x01\x02\xff" * 64, b'{"some": "json"}', b'{"event": "model_ca', b"[" * 10_000],
    ids=["empty", "binary", "unknown", "truncated", "nested"],
)
def test_wrong_input_is_one_clear_line_and_status_3(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(data)
    ended = reread("audit", "input", "--output", "audit.json", cwd=tmp_path)
    assert ended.status == 3
    assert ended.err.startswith("reread: input")
    assert "Traceback" not in ended.err
    assert [each.name for each in tmp_path.iterdir()] == ["input"]


def test_evidence_is_not_changed_by_an_audit(sample: Path) -> None:
    def state() -> list[tuple[str, int, int]]:
        found = [(path, path.stat()) for path in sorted(sample.rglob("*"))]
        return [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in found]

    before = state()
    assert reread("audit", ".", cwd=sample).status == 1
    assert reread("view", "lease-review", "--call", "7", cwd=sample).status == 0
    assert reread("sources", "lease-review", cwd=sample).status == 0
    assert state() == before


def test_a_view_shows_the_placeholder_that_was_sent_and_not_what_it_replaced(sample: Path) -> None:
    before = reread("view", "incident-review", "--call", "4", cwd=sample).out
    after = reread("view", "incident-review", "--call", "5", cwd=sample).out
    line = "2026-03-12T02:20:07Z gateway"
    assert line in before
    assert line not in after
    assert "[Old tool result content cleared]" in after
    assert "logs/gateway.log@" in before


def test_sources_show_what_was_never_given(sample: Path) -> None:
    ended = reread("sources", "incident-review", "--format", "json", cwd=sample)
    assert ended.status == 0
    (run,) = json.loads(ended.out)["runs"]
    states = {
        (source["source_id"], version["state_at_answer"])
        for source in run["sources"]
        for version in source["versions"]
    }
    assert ("notes/rota.md", "listed") in states
    assert ("logs/gateway.log", "placeholder") in states


def test_help_and_formats_need_nothing_heavy() -> None:
    for arguments in (["--help"], ["formats"]):
        code = (
            "import sys; from reviewer.app import main; "
            f"status = main({arguments!r}); sys.stdout.flush(); "
            "heavy = {'numpy', 'tiktoken', 'sqlmodel', 'sqlalchemy', 'PySide6', 'pygments'}; "
            "sys.exit(status or bool(heavy & set(sys.modules)))"
        )
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()


def test_the_reader_of_a_pipe_may_leave(sample: Path) -> None:
    program = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "reviewer", "audit", str(sample), "--format", "json"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    said = program.stderr.read().decode()
    program.stderr.close()
    assert program.wait(timeout=60) == 130
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
