"""Opening what a user names: one clear line for each that cannot be read."""

import io
import json
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from store import walking
from store.entries import Found
from store.importers import _files
from store.importers._base import NO_CALLS, Probe, UnreadableError
from store.importers.run_folder import IMPORTER
from store.opening import is_about_calls, open_paths
from store.records.runs import Problem, ProblemKind, Run
from store.records.sources import SourceKind

_POSIX = pytest.mark.skipif(os.name == "nt", reason="names and modes of POSIX")


def _log(path: Path, run_id: str = "good", text: str = "go") -> Path:
    started = {"event": "run_started", "run_id": run_id}
    message = {"role": "user", "parts": [{"type": "text", "content": text}]}
    call = {"event": "model_call", "index": 1, "request": {"messages": [message]}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{json.dumps(started)}\n{json.dumps(call)}\n", encoding="utf-8")
    return path


def _parted(items: Iterator[Run | Problem]) -> tuple[list[Run], list[Problem]]:
    runs: list[Run] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Run):
            runs.append(item)
        else:
            problems.append(item)
    return runs, problems


def _only_problem(path: Path | str, good: Path) -> Problem:
    """Open *path* before a good one, and give the one problem it makes."""
    runs, problems = _parted(open_paths([str(path), str(good)]))
    assert [run.run_id for run in runs] == ["good"]
    (problem,) = problems
    assert "\n" not in problem.where + problem.what
    return problem


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return _log(tmp_path / "good" / "events.jsonl")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "an empty file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 40, "a binary file"),
        (b'{"some": "json", "of": ["no", "known", "kind"]}', "JSON of a kind that is not known"),
        (b"[" * 10_000 + b"]" * 10_000, "JSON of a kind that is not known"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "JSON of a kind that is not known"),
        (b"only some words", "not a trace that can be read"),
        (b'{"events": [{"ev', "JSON of a kind that is not known"),
    ],
)
def test_a_file_that_is_no_trace_is_one_problem(
    tmp_path: Path, good: Path, data: bytes, told: str
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    problem = _only_problem(path, good)
    assert problem.where == str(path)
    assert told in problem.what
    assert problem.kind is ProblemKind.LOST


def test_a_missing_path_is_one_problem(tmp_path: Path, good: Path) -> None:
    assert "no such file or folder" in _only_problem(tmp_path / "nowhere", good).what


def test_a_path_no_system_can_hold_is_one_problem(good: Path) -> None:
    assert "cannot be looked at" in _only_problem("a\0b", good).what
    assert "cannot be looked at" in _only_problem("x" * 5000, good).what


def test_an_empty_folder_is_one_problem(tmp_path: Path, good: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no run and no text file" in _only_problem(tmp_path / "empty", good).what


@_POSIX
def test_a_pipe_is_never_opened(tmp_path: Path, good: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not opened" in _only_problem(tmp_path / "pipe", good).what


@_POSIX
def test_special_files_in_a_folder_are_counted_and_not_opened(tmp_path: Path) -> None:
    _log(tmp_path / "f" / "a.jsonl")
    os.mkfifo(tmp_path / "f" / "pipe")
    (tmp_path / "f" / "broken").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind(str(tmp_path / "f" / "s"))
        runs, problems = _parted(open_paths([str(tmp_path / "f")]))
    assert len(runs) == 1
    assert [(each.what[:7], each.kind) for each in problems] == [("3 other", ProblemKind.NOTED)]


@_POSIX
@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is closed to this user"
)
def test_a_folder_without_rights_is_one_problem(tmp_path: Path, good: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        assert "cannot be listed" in _only_problem(closed, good).what
    finally:
        closed.chmod(0o700)


def test_a_system_that_refuses_is_one_problem(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _log(tmp_path / "closed.jsonl")
    really = _files.open_regular

    def refuse(wanted: Path, buffer: int = 1024) -> io.BufferedReader:
        if wanted == path:
            raise PermissionError(13, "Permission denied")
        return really(wanted, buffer)

    monkeypatch.setattr(_files, "open_regular", refuse)
    assert _only_problem(path, good).what == "cannot be read (Permission denied)"


def test_a_file_that_disappears_while_it_is_read_is_one_problem(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _log(tmp_path / "r" / "events.jsonl")
    really = Found.read  # the moment between recognising and reading

    def read(found: Found) -> Iterator[Run | Problem]:
        if found.probe.path == path:
            path.unlink()
        return really(found)

    monkeypatch.setattr(Found, "read", read)
    runs, problems = _parted(open_paths([str(path), str(good)]))
    assert [len(run.calls) for run in runs] == [0, 1]
    assert any("cannot be read" in each.what for each in runs[0].problems)
    assert not problems


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError, KeyError])
def test_a_fault_in_an_importer_does_not_hide_the_other_inputs(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(_probe: Probe) -> Iterator[Run]:
        raise error("inside")

    bad = tmp_path / "bad.vendor"
    bad.write_bytes(b"vendor")
    broken = replace(
        IMPORTER, name="broken", recognise=lambda probe: probe.head == b"vendor", read=fail
    )
    monkeypatch.setattr(walking, "importers", lambda: (broken, IMPORTER))
    problem = _only_problem(bad, good)
    assert problem.what == f"internal error while reading ({error.__name__}); please report it"


def test_a_fault_in_recognition_is_told_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_probe: Probe) -> bool:
        raise RecursionError

    monkeypatch.setattr(walking, "importers", lambda: (replace(IMPORTER, recognise=fail),))
    _, problems = _parted(open_paths([str(_log(tmp_path / "a.jsonl"))]))
    assert "internal error while reading (RecursionError)" in problems[0].what


def test_an_importer_may_say_itself_what_is_wrong(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(probe: Probe) -> Iterator[Run]:
        raise UnreadableError(probe.label, "encrypted; export it again")

    bad = tmp_path / "bad.vendor"
    bad.write_bytes(b"vendor")
    broken = replace(
        IMPORTER, name="broken", recognise=lambda probe: probe.head == b"vendor", read=refuse
    )
    monkeypatch.setattr(walking, "importers", lambda: (broken, IMPORTER))
    assert _only_problem(bad, good) == Problem(str(bad), "encrypted; export it again")


@_POSIX
@pytest.mark.parametrize(
    "name", [b"a\nb.json", "emoji \U0001f600.json".encode(), b"\xff\xfe.json", b"\x1b[31m.json"]
)
def test_odd_names_are_told_on_one_printable_line(tmp_path: Path, good: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(b"{}")
    where = _only_problem(path, good).where
    assert where.isprintable()
    assert where.encode().endswith(b".json")


def test_a_trace_with_an_odd_name_is_read(tmp_path: Path) -> None:
    path = _log(tmp_path / "a\nb \U0001f600" / "events.jsonl")
    runs, problems = _parted(open_paths([str(path.parent)]))
    assert [run.path for run in runs] == [str(path.parent)]
    assert not problems


def test_a_line_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    path = _log(tmp_path / "a.jsonl", text="x" * 50_000_000)
    runs, _ = _parted(open_paths([str(path)]))
    assert len(runs[0].messages[0].parts[0].text) == 50_000_000


def test_events_nested_ten_thousand_deep_are_one_problem_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    path = _log(tmp_path / "a.jsonl")
    with path.open("ab") as log:
        log.write(b'{"event": "note", "deep": ' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")
        log.write(b'{"event": "answer", "call": 1, "text": "t"}\n')
    runs, _ = _parted(open_paths([str(path)]))
    assert [answer.text for answer in runs[0].answers] == ["t"]
    (problem,) = runs[0].problems
    assert problem.where.endswith("a.jsonl:3")


def test_a_folder_of_runs_is_read_in_the_order_of_paths(tmp_path: Path) -> None:
    for name in ("b", "a", "c/d"):
        _log(tmp_path / name / "events.jsonl", run_id=name)
    (tmp_path / "notes.txt").write_text("n", encoding="utf-8")
    runs, problems = _parted(open_paths([str(tmp_path)]))
    assert [run.run_id for run in runs] == ["a", "b", "c/d"]
    assert [run.path for run in runs] == [f"{tmp_path}/{name}" for name in ("a", "b", "c/d")]
    assert [each.kind for each in problems] == [ProblemKind.NOTED]


def test_a_stroke_behind_the_name_of_a_folder_changes_no_place(tmp_path: Path) -> None:
    _log(tmp_path / "a" / "events.jsonl", run_id="a")
    (tmp_path / "a" / "torn.jsonl").write_text("{", encoding="utf-8")
    for given in (tmp_path, tmp_path / "a"):
        assert list(open_paths([f"{given}/"])) == list(open_paths([str(given)]))


def test_runs_come_as_they_are_read(tmp_path: Path) -> None:
    first = _log(tmp_path / "a" / "events.jsonl", run_id="a")
    second = _log(tmp_path / "b" / "events.jsonl", run_id="b")
    items = open_paths([str(first), str(second)])
    run = next(items)
    assert isinstance(run, Run)
    assert run.run_id == "a"
    second.unlink()
    assert isinstance(next(items), Problem)


@_POSIX
def test_links_out_of_a_folder_and_round_in_it_are_not_followed(tmp_path: Path) -> None:
    _log(tmp_path / "outside" / "events.jsonl", run_id="outside")
    _log(tmp_path / "in" / "a" / "events.jsonl", run_id="a")
    (tmp_path / "in" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    runs, problems = _parted(open_paths([str(tmp_path / "in")]))
    assert [run.run_id for run in runs] == ["a"]
    assert [(each.what, each.kind) for each in problems] == [
        ("a link out of the folder; not followed", ProblemKind.NOTED)
    ]


def test_a_folder_deeper_than_any_stack_is_walked(tmp_path: Path) -> None:
    place = tmp_path
    for _ in range(60):
        place = place / "deeper"
    _log(place / "events.jsonl")
    limit = sys.getrecursionlimit()
    runs, _ = _parted(open_paths([str(tmp_path)]))
    assert [run.run_id for run in runs] == ["good"]
    assert sys.getrecursionlimit() == limit


def test_standard_input_is_read_like_a_file(tmp_path: Path) -> None:
    data = _log(tmp_path / "a.jsonl").read_bytes()
    runs, problems = _parted(open_paths(["-"], stdin=io.BytesIO(data)))
    assert [(run.run_id, run.path) for run in runs] == [("good", "-")]
    assert not problems
    _, problems = _parted(open_paths(["-"], stdin=io.BytesIO(b"")))
    assert problems == [Problem("-", "an empty file: there is nothing to audit")]


# -- stores ----------------------------------------------------------------------


def _texts(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "b.md").write_bytes("二\r\n".encode())
    (folder / "a.txt").write_bytes(b"one")
    (folder / "picture").write_bytes(b"\x89PNG\x00")
    (folder / "latin").write_bytes(b"Gr\xf6\xdfe")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_bytes(b"x")
    return folder


def test_a_folder_of_texts_is_a_store_and_no_run(tmp_path: Path) -> None:
    runs, problems = _parted(open_paths([str(_texts(tmp_path / "s"))]))
    (run,) = runs
    assert not problems
    assert not run.calls
    assert [version.key.source_id for version in run.versions] == ["a.txt", "sub/b.md"]
    assert run.versions[1].text == "二\r\n"
    assert {version.kind for version in run.versions} == {SourceKind.TEXT}
    lost = [each.what for each in run.problems if each.kind is ProblemKind.LOST]
    assert lost == [
        "no run found: 2 text files opened as a store; give the trace, and this folder with --store"
    ]
    noted = [each.what for each in run.problems if each.kind is ProblemKind.NOTED]
    assert noted.count("not text, left out") == 2
    assert any("1 hidden" in what for what in noted)


def test_one_text_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    ((run,), _) = _parted(open_paths([str(tmp_path)]))
    (told,) = [each for each in run.problems if each.kind is ProblemKind.LOST]
    assert told.what.startswith("no run found: 1 text file opened as a store; give the trace")
    assert is_about_calls(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"role": "user", "content": "x",\n "n": %s}]', "of 5,000 digits is too long to be read"),
        ('{"n": %s', "of 5,000 digits is too long to be read"),
        ('{"n": 1}\n{"n": %s}\n', "a kind that is not known here"),
        ('{"n": 1.%s}', "a kind that is not known here"),
        ('{"n": "%s"}', "a kind that is not known here"),
    ],
)
def test_a_number_that_is_too_long_is_named_and_not_the_kind(
    tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "a.json").write_text(text.replace("%s", "1" * 5000))
    (_, (problem,)) = _parted(open_paths([str(tmp_path / "a.json")]))
    assert told in problem.what
    (tmp_path / "a.json").write_text('{"n": ' + "1" * 100_000 + "}")
    (_, (problem,)) = _parted(open_paths([str(tmp_path / "a.json")]))
    assert "(a number of more than 65,530 digits is too long to be read, line 1" in problem.what


def test_a_store_gives_its_versions_to_every_run(tmp_path: Path, good: Path) -> None:
    other = _log(tmp_path / "other.jsonl", run_id="other")
    store = _texts(tmp_path / "s")
    runs, problems = _parted(open_paths([str(good), str(other)], store=str(store)))
    for run in runs:
        assert [version.key.source_id for version in run.versions] == ["a.txt", "sub/b.md"]
        assert not run.problems
    assert {each.kind for each in problems} == {ProblemKind.NOTED}


def test_a_run_folder_and_its_store_are_stores_too(shared: Path, good: Path) -> None:
    folder = shared / "data" / "scenarios" / "evidence-tools"
    for store in (folder, folder / "store"):
        runs, problems = _parted(open_paths([str(good)], store=str(store)))
        assert len(runs[0].versions) == 12
        assert not problems


@pytest.mark.parametrize("name", ["nowhere", "empty", "good/events.jsonl"])
def test_a_store_without_evidence_is_a_problem(tmp_path: Path, good: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    runs, problems = _parted(open_paths([str(good)], store=str(tmp_path / name)))
    assert len(runs) == 1
    assert {each.kind for each in problems} == {ProblemKind.LOST}
    assert len(problems) == 1


def test_the_store_of_a_run_folder_alone_cannot_be_audited(shared: Path) -> None:
    folder = shared / "data" / "scenarios" / "evidence-tools" / "store"
    (run,) = open_paths([str(folder)])
    assert isinstance(run, Run)
    assert NO_CALLS in {each.what for each in run.problems}


@_POSIX
def test_a_link_out_of_a_store_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_bytes(b"secret")
    store = _texts(tmp_path / "s")
    (store / "link.txt").symlink_to(tmp_path / "secret.txt")
    (run,) = open_paths([str(store)])
    assert isinstance(run, Run)
    assert "link.txt" not in {version.key.source_id for version in run.versions}
    what = "a link out of the folder; not followed"
    assert Problem(f"{store}/link.txt", what, ProblemKind.NOTED) in run.problems


def test_files_that_nobody_can_read_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    _log(tmp_path / "run" / "events.jsonl")
    (tmp_path / "notes").mkdir()
    for number in range(7):
        (tmp_path / "notes" / f"note {number}.bin").write_bytes(b"\0")
    _, (problem,) = _parted(open_paths([str(tmp_path)]))
    assert problem.what == (
        "7 other files of no kind that can be read; left out: notes/note 0.bin, notes/note 1.bin, "
        "notes/note 2.bin, notes/note 3.bin, notes/note 4.bin and 2 more; reread audit FILE on one "
        "says why"
    )
