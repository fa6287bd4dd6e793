"""What is opened or asked for is hostile: each case ends in one clear line, never inside Reread."""

import copy
import io
import json
import os
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer import app
from reviewer.app import Program
from reviewer.audit.intervals import intersect, near, subtract, union
from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.services.sample import write_sample
from store.opening import open_paths
from store.records.runs import Problem, Run
from store.records.text import Span
from tests.made import Ended, command

_POSIX = pytest.mark.skipif(os.name == "nt", reason="files of POSIX")
_LINE = b'{"event": "model_call", "index": 1, "request": {"messages": []}}\n'
_VALUES: list[object] = [
    None, True, -1, 0, 10**18, 10**25, 1.5, float("nan"), float("inf"), "", "\0", "\ud800",
    "\u202e\n\x1b[31m", "../../etc/passwd", "row", "line", "block", "page", [], {}, [2, 1], [-1, 5],
    [[1, 2]], [None], [{}], [0, 10**18], {"same_as": [1, 0]}, {"same_as": [0, -1]},
    {"type": "text"}, '{"doc_id": "a", "start": -5, "text": "a body of some length"}',
]  # fmt: skip


def _manifest(folder: Path, path: str) -> Path:
    folder.mkdir()
    record = {"format": "reread.run/1", "run_id": "r", "traces": [{"path": path}]}
    (folder / "manifest.json").write_text(json.dumps(record))
    return folder


def _audited(path: Path, *options: str) -> Ended:
    return command("audit", str(path), "--traceback", *options, program=Program(strict=True))


# -- names ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a\0b", "\ud800", "x" * 5000, "."])
def test_a_trace_that_cannot_be_a_file_of_the_folder_is_one_line(tmp_path: Path, name: str) -> None:
    ended = _audited(_manifest(tmp_path / "run", name))
    assert ended.status == 3
    assert ended.err.count("\n") == 1
    assert "rror inside" not in ended.err
    assert "internal error" not in ended.err


def test_exact_text_is_not_asked_of_a_name_that_no_file_can_have() -> None:
    ended = command("reread", "x" * 5000, "d03", program=Program())
    assert ended.status == 3
    assert "cannot be looked at" in ended.err


def test_a_byte_order_mark_before_the_first_event_hides_no_run(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xef\xbb\xbf" + _LINE)
    (found,) = open_paths([str(log)])
    assert isinstance(found, Run)
    assert len(found.calls) == 1


# -- events of any shape ----------------------------------------------------------


def _places(
    value: dict[str, object] | list[object], found: list[tuple[object, object]]
) -> list[tuple[object, object]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in inner:
        found.append((value, key))
        if isinstance(child, dict | list):
            _places(child, found)
    return found


def _spoiled(line: str, chance: random.Random) -> str:
    value = json.loads(line)
    holder, key = chance.choice(_places(value, []))
    if chance.random() < 0.3:
        del holder[key]  # type: ignore[attr-defined]
    else:
        holder[key] = copy.deepcopy(chance.choice(_VALUES))  # type: ignore[index]
    return json.dumps(value)


@pytest.mark.parametrize("seed", range(12))
def test_events_and_versions_with_wrong_types_are_audited_or_told(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same spoiled records each time
    folder = write_sample(tmp_path)[seed % 2]
    for name in ("events.jsonl", "store/versions.jsonl"):
        lines = (folder / name).read_text("utf-8").rstrip("\n").split("\n")
        spoiled = [_spoiled(one, chance) if chance.random() < 0.3 else one for one in lines]
        (folder / name).write_text("\n".join(spoiled) + "\n", "utf-8")
    for form in ("json", "html", "text"):
        ended = _audited(folder, "--format", form)
        assert ended.status in {0, 1, 3}
        assert "rror inside" not in ended.err
        assert "internal error" not in ended.err
        if form == "json":
            json.loads(ended.out)


# -- streams and outputs ----------------------------------------------------------


class _Full(io.BytesIO):
    """A disk that is full: what is written is held back, and refused when it is let go."""

    def flush(self) -> None:
        raise OSError(28, "No space left on device")

    def fileno(self) -> int:
        return self.spare

    spare = -1


@pytest.fixture
def full(tmp_path: Path) -> _Full:
    disk = _Full()
    disk.spare = os.open(tmp_path / "spare", os.O_CREAT | os.O_WRONLY)
    return disk


@pytest.mark.parametrize("arguments", [["formats"], ["--help"], ["explain", "PLC001"]])
def test_a_full_disk_behind_standard_output_is_one_line(full: _Full, arguments: list[str]) -> None:
    errors = io.BytesIO()

    class Ends(_Full):
        """After it was abandoned, what is held back goes nowhere."""

        def flush(self) -> None:
            if os.fstat(full.spare).st_ino != Path(os.devnull).stat().st_ino:
                super().flush()

    disk = Ends()
    disk.spare = full.spare
    assert run(arguments, Program(), Output(disk, errors), {}) == 2
    assert errors.getvalue().count(b"\n") == 1
    assert b"No space left on device" in errors.getvalue()


def test_diagnostics_that_cannot_be_written_leave_the_exit_status(full: _Full) -> None:
    assert run(["audit", "nowhere"], Program(), Output(io.BytesIO(), full), {}) == 3


def test_a_closed_standard_output_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert app.main(["formats"]) == 2


def test_closed_diagnostics_hinder_no_result(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert app.main(["formats"]) == 0
    assert b"reread.run" in capfdbinary.readouterr().out


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    (found,) = open_paths(["-"])
    assert isinstance(found, Problem)
    assert "standard input is closed" in found.what


@_POSIX
def test_a_pipe_or_device_named_as_output_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    link = tmp_path / "link.json"
    link.symlink_to(pipe)
    for place in (pipe, link):
        ended = command("audit", "x", "--output", str(place))
        assert ended.status == 2
        assert "this is no file" in ended.err
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["", "x" * 300 + ".json", "a\0b.json"])
def test_a_name_that_no_output_can_have_is_wrong_usage(name: str) -> None:
    ended = command("audit", "x", "--output", name)
    assert ended.status == 2
    assert ended.out == ""


# -- spans ------------------------------------------------------------------------

_SPANS = st.lists(
    st.builds(lambda start, size: Span(start, start + size), st.integers(0, 30), st.integers(0, 6))
)


@given(_SPANS, _SPANS)
def test_what_is_near_answers_as_the_whole_does(held: list[Span], wanted: list[Span]) -> None:
    joined, asked = union(held), union(wanted)
    close = near(joined, asked)
    assert intersect(asked, close) == intersect(asked, joined)
    assert subtract(asked, close) == subtract(asked, joined)
