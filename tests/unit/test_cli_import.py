"""``reread import``: whatever was read becomes a run folder that says the same, or nothing does."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services.importing import import_runs
from reviewer.services.sample import write_sample
from store.builder import RunBuilder
from store.opening import open_paths
from store.records.grades import Grade, Layer
from store.records.runs import OtherEvent, Part, PartKind, Problem, ProblemKind, Run, ToolResult
from store.records.sources import Excerpt, Integrity, SourceKind, Version, VersionKey
from store.records.text import Unit
from store.run_check import differences, raises_a_grade
from store.run_copy import copy_run
from store.run_writer import RunWriter
from store.walking import UNFINISHED
from tests.made import Ended, command


def _ended(*arguments: str) -> Ended:
    return command(*arguments, program=Program(strict=True))


def _dump(path: Path, text: str = "hello") -> Path:
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": "so"}]
    path.write_text(json.dumps(said))
    return path


def _only(path: Path) -> Run:
    (run,) = [each for each in open_paths([str(path)], derived=False) if isinstance(each, Run)]
    return run


def test_one_run_becomes_the_folder_that_was_named(tmp_path: Path) -> None:
    trace = _dump(tmp_path / "talk.json")
    into = tmp_path / "new" / "folder"
    ended = _ended("import", str(trace), "--into", str(into))
    assert ended.status == 0
    assert ended.out == f"wrote {into}: run talk.json, 1 call, read as message-dump\n"
    assert sorted(each.name for each in into.parent.iterdir()) == ["folder"]
    manifest = json.loads((into / "manifest.json").read_text())
    assert manifest["format"] == "reread.run/1"
    assert manifest["imported"]["format"] == "message-dump"


def test_an_import_makes_no_grade_better(tmp_path: Path) -> None:
    trace = _dump(tmp_path / "talk.json")
    _ended("import", str(trace), "--into", str(tmp_path / "out"))
    before, after = _only(trace), _only(tmp_path / "out")
    assert (after.layer, after.grade) == (Layer.STATE, Grade.INFERRED)
    assert after.calls[0].grade_reason == before.calls[0].grade_reason != ""
    assert after.messages[0].origin == before.messages[0].origin == "talk.json#messages/0"


def test_several_runs_become_a_folder_each(tmp_path: Path) -> None:
    for folder in write_sample(tmp_path / "in"):
        assert folder.is_dir()
    _dump(tmp_path / "in" / "talk.json")
    ended = _ended("import", str(tmp_path / "in"), "--into", str(tmp_path / "out"))
    assert ended.status == 0
    names = sorted(each.name for each in (tmp_path / "out").iterdir())
    assert names == ["incident-review", "lease-review", "talk.json"]
    ended = _ended("import", str(tmp_path / "in"), "--into", str(tmp_path / "b"), "--run", "none")
    assert ended.status == 2
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name", ["", "../../up", "a/b", "CON..", "名\0", "x" * 400, "."])
def test_what_a_run_calls_itself_leads_nowhere(tmp_path: Path, name: str) -> None:
    for place in ("a", "b"):
        folder = tmp_path / "in" / place
        folder.mkdir(parents=True)
        record = {"format": "reread.run/1", "run_id": name, "title": place}
        (folder / "manifest.json").write_text(json.dumps(record))
        line = {"event": "model_call", "index": 1, "request": {"messages": []}}
        (folder / "events.jsonl").write_text(json.dumps(line) + "\n")
    _ended("import", str(tmp_path / "in"), "--into", str(tmp_path / "out"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out"]
    made = sorted((tmp_path / "out").iterdir())
    assert len(made) == 2
    assert all((each / "manifest.json").is_file() for each in made)


# -- nothing is written over, and nothing stays half ------------------------------


def test_nothing_is_written_over_or_among_evidence(tmp_path: Path) -> None:
    (sample, other) = write_sample(tmp_path / "in")
    trace = _dump(tmp_path / "talk.json")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for into in (trace, tmp_path / "full", other, tmp_path / "link", sample / "new", sample):
        ended = _ended("import", str(sample), "--into", str(into))
        assert ended.status == 2
        assert ended.err.startswith("reread: --into ")
    assert (tmp_path / "full" / "x").read_text() == "kept"
    assert not (tmp_path / "elsewhere").exists()
    assert not (sample / "new").exists()


def test_a_run_that_cannot_be_found_writes_nothing(tmp_path: Path) -> None:
    ended = _ended("import", str(tmp_path / "nowhere"), "--into", str(tmp_path / "out"))
    assert ended.status == 3
    assert not (tmp_path / "out").exists()


def test_an_import_that_is_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _only(write_sample(tmp_path / "in")[0])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RunWriter, "finish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        copy_run(run, tmp_path / "out", "1")
    assert [each.name for each in tmp_path.iterdir()] == ["in"]


def test_an_import_that_is_killed_leaves_a_folder_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _only(write_sample(tmp_path / "in")[0])
    left = tmp_path / "left"

    def killed(writer: RunWriter) -> None:
        shutil.copytree(writer.folder, left)
        raise KeyboardInterrupt

    monkeypatch.setattr(RunWriter, "finish", killed)
    with pytest.raises(KeyboardInterrupt):
        copy_run(run, tmp_path / "out", "1")
    found = _only(left)
    assert found.title.startswith("unfinished")
    changed = [each.where for each in found.problems if each.kind is ProblemKind.CHANGED]
    assert changed == [f"{left}/store/versions.jsonl", f"{left}/events.jsonl"]


def test_an_import_that_is_killed_between_two_runs_says_that_others_are_missing(
    tmp_path: Path,
) -> None:
    write_sample(tmp_path / "in")
    out, left = tmp_path / "out", tmp_path / "left"
    for count, _ in enumerate(import_runs([str(tmp_path / "in")], str(out)), 1):
        if count == 1:
            shutil.copytree(out, left)
    assert sorted(each.name for each in out.iterdir()) == ["incident-review", "lease-review"]
    assert sorted(each.name for each in left.iterdir()) == [UNFINISHED, "incident-review"]
    found = list(open_paths([str(left)]))
    (told,) = [each for each in found if isinstance(each, Problem)]
    assert (told.where, told.kind) == (f"{left}/{UNFINISHED}", ProblemKind.LOST)
    assert "runs are missing" in told.what
    ended = _ended("import", str(tmp_path / "in"), "--into", str(left))
    assert ended.status == 2
    assert "an import that did not end, and others are missing; remove the folder" in ended.err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOTEMPTY, errno.EROFS])
def test_a_place_that_cannot_be_written_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(RunWriter, "finish", refuse)
    into = tmp_path / "out"
    ended = _ended("import", str(_dump(tmp_path / "talk.json")), "--into", str(into))
    assert ended.status == 2
    assert f"{into} cannot be written ({os.strerror(number)})" in ended.err
    assert not into.exists()


# -- what the format has no field for ---------------------------------------------


def _odd() -> Run:
    """Return a run with what no producer of run folders writes."""
    builder = RunBuilder("r", "odd", "made", Layer.TRANSCRIPT, "odd \ud83d", "parent", "branch")
    builder.message("system", [Part(PartKind.TEXT, "never sent")], "odd:0")
    parts = [
        Part(PartKind.TEXT, "x" * 2000 + "\ud83d", name="n", tool_call_id="t"),
        Part(PartKind.IMAGE, name="image/png", opaque_bytes=77),
        Part(PartKind.OPAQUE, "shown", "t", "n", "s", "source", "version", 5),
        Part(PartKind.SUMMARY, "\0 and 😀", source_id="s"),
        Part(PartKind.TOOL_RESULT, "", "t", "n", "error", opaque_bytes=3),
        Part(PartKind.TOOL_CALL, '{"a":  1}', "t", "read", "odd"),
    ]
    late = builder.message("user", [Part(PartKind.TEXT, "late")], "odd:2")
    first = builder.message("user", parts, "odd:1")
    builder.call([first, first], id="", grade=Grade.DERIVED, grade_reason="a rule")
    builder.call([first, late], response=[late], id="x", error="failed", grade=Grade.UNKNOWN)
    # A place that nobody told stays so.
    builder.tool_results.append(ToolResult("t", None, is_file_read=True, side_file="side.txt"))
    lines = VersionKey("f", "partial:1")
    builder.versions += [
        Version(lines, SourceKind.FILE, text="a\nb\nd", integrity=Integrity.RECONSTRUCTED,
                unit=Unit.LINE, line_numbers=(1, 2, 9)),
        Version(VersionKey("e", "v"), SourceKind.TEXT, integrity=Integrity.RECONSTRUCTED,
                excerpts=(Excerpt(7, "piece"), Excerpt(None, "y" * 3000, "b"))),
        Version(VersionKey("c", "0" * 64), SourceKind.TEXT, sha256="0" * 64,
                integrity=Integrity.CHANGED, chars=4),
    ]  # fmt: skip
    builder.problem("odd:7", "a line was lost", ProblemKind.LOST)
    builder.problem("elsewhere", "and this noted", ProblemKind.NOTED)
    builder.other_events.append(OtherEvent("strange", "odd:8", "{}"))
    return builder.finish()


def test_a_run_folder_holds_what_it_has_no_field_for(tmp_path: Path) -> None:
    run = _odd()
    copy_run(run, tmp_path / "out", "1")
    again = _only(tmp_path / "out")
    assert differences(run, again) == ()
    assert again.messages == run.messages
    assert again.versions == run.versions
    assert again.parent_run == "parent"
    assert not raises_a_grade(run, again)


def test_the_same_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        copy_run(_odd(), tmp_path / name, "1")
    found = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in files}
        for name in ("a", "b")
        for files in [[each for each in (tmp_path / name).rglob("*") if each.is_file()]]
    ]
    assert found[0] == found[1]


def test_a_difference_is_named_and_a_better_grade_is_told(tmp_path: Path) -> None:
    trace = _dump(tmp_path / "a.json")
    run, other = _only(trace), _only(_dump(tmp_path / "b.json", "other"))
    told = differences(run, other)
    assert "run_id: 'a.json' became 'b.json'" in told
    assert "call 1: not the same" in told
    assert raises_a_grade(_odd(), run)


def test_what_was_lost_before_is_lost_still(tmp_path: Path) -> None:
    copy_run(_odd(), tmp_path / "out", "1")
    ended = _ended("audit", str(tmp_path / "out"))
    assert ended.status == 3
    assert f"{tmp_path}/out:7: a line was lost" in ended.err


def test_a_claim_of_intact_bytes_is_not_believed(tmp_path: Path) -> None:
    copy_run(_odd(), tmp_path / "out", "1")
    store = tmp_path / "out" / "store" / "versions.jsonl"
    store.write_text(store.read_text().replace('"reconstructed"', '"intact"'))
    again = _only(tmp_path / "out")
    assert Integrity.INTACT not in {version.integrity for version in again.versions}
    assert Problem(f"{tmp_path}/out/store/versions.jsonl", _OTHER_HASH, ProblemKind.CHANGED) in (
        again.problems
    )


_OTHER_HASH = "no longer has the hash recorded in manifest.json; read as it is now, not trusted"
