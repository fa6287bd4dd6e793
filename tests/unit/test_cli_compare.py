"""``reread compare``: what it prints, and what its exit status says."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services.auditing import audit_paths
from reviewer.services.deciding import decision_log
from reviewer.services.sample import write_sample
from store.digest import run_digest
from store.records.findings import Audit
from store.records.reviews import citation_target
from tests.made import HOSTILE, Ended, command
from tests.unit.decisions import made

PROGRAM = Program(strict=True)
OLD = "Batches are limited to 200 records.\r\n单批上限为200条。\nThe rest stays.\n"
NEW = "Batches are limited to 250 records.\r\n单批上限为250条。\nThe rest stays.\nMore.\n"


def compare(*arguments: object) -> Ended:
    return command("compare", *map(str, arguments), program=PROGRAM)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of texts."""
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, texts in (
        (old, {"a.txt": OLD, "b.txt": "stays\n", "c.txt": "gets another name\n"}),
        (new, {"a.txt": NEW, "b.txt": "stays\n", "d.txt": "gets another name\n"}),
    ):
        folder.mkdir()
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode())
    return old, new


def test_two_files_that_are_the_same_end_with_0(folders: tuple[Path, Path]) -> None:
    old, new = folders
    ended = compare(old / "b.txt", new / "b.txt")
    assert (ended.status, ended.err) == (0, "")
    assert "SAME." in ended.out


def test_two_files_that_differ_end_with_1_and_show_the_words(folders: tuple[Path, Path]) -> None:
    old, new = folders
    ended = compare(old / "a.txt", new / "a.txt")
    assert ended.status == 1
    assert "DIFFERENT." in ended.out
    assert "- 1 │ Batches are limited to [-200-] records.␍" in ended.out
    assert "+ 1 │ Batches are limited to {+250+} records.␍" in ended.out
    assert "{+250+}条" in ended.out
    assert "+ 4 │ More." in ended.out
    assert "\x1b" not in ended.out


def test_two_folders_are_two_stores(folders: tuple[Path, Path]) -> None:
    ended = compare(*folders)
    assert (ended.status, ended.err) == (1, "")
    assert "Sources: 1 the same; 1 changed; 1 renamed" in ended.out
    assert "> renamed: c.txt@" in ended.out
    assert "is now d.txt@" in ended.out
    assert "[-200-]" in ended.out
    assert compare(folders[0], folders[0]).status == 0


def test_a_version_is_named_by_its_store_and_reference(folders: tuple[Path, Path]) -> None:
    old, new = folders
    ended = compare(f"{old}::a.txt", f"{new}::a.txt")
    assert ended.status == 1
    assert "[-200-]" in ended.out
    assert compare(f"{old}::c.txt", f"{new}::d.txt").status == 0
    missing = compare(f"{old}::none.txt", f"{new}::a.txt")
    assert missing.status == 3
    assert "no such source" in missing.err


def test_the_json_puts_both_texts_together_again(folders: tuple[Path, Path]) -> None:
    old, new = folders
    record = json.loads(compare(old / "a.txt", new / "a.txt", "--format", "json").out)
    assert record["schema"] == "reread.compare/1"
    assert (record["kind"], record["different"], record["undecided"]) == ("texts", True, False)
    for side, text in (("a", OLD), ("b", NEW)):
        spans = [piece[side] for piece in record["pieces"]]
        assert "".join(text[start:end] for start, end in spans) == text
    stores = json.loads(compare(*folders, "--format", "json").out)
    assert [one["change"] for one in stores["sources"]] == ["changed", "same", "renamed"]
    (text_record,) = stores["texts"]
    assert text_record["a"]["source_id"] == "a.txt"


def test_the_same_input_gives_the_same_bytes(folders: tuple[Path, Path]) -> None:
    for arguments in ((), ("--format", "json")):
        assert compare(*folders, *arguments).out == compare(*folders, *arguments).out


def test_a_result_is_written_to_a_file_outside_the_evidence(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    place = tmp_path / "result.json"
    ended = compare(*folders, "--format", "json", "--output", place)
    assert (ended.status, ended.out) == (1, "")
    assert json.loads(place.read_text("utf-8"))["different"]
    assert compare(*folders, "--output", folders[0] / "x").status == 2
    assert not (folders[0] / "x").exists()


def test_what_is_not_there_is_undecided_and_nothing_is_called_added(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    ended = compare(tmp_path / "none", folders[0])
    assert ended.status == 3
    assert "no such file or folder" in ended.err
    assert "added" not in ended.out
    assert "UNDECIDED" in ended.out


def test_an_empty_folder_is_no_store(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert compare(tmp_path / "empty", folders[0]).status == 3


def test_a_file_that_is_no_text_is_undecided(folders: tuple[Path, Path], tmp_path: Path) -> None:
    binary = tmp_path / "x.bin"
    binary.write_bytes(b"\0\1\2")
    assert compare(binary, folders[0] / "a.txt").status == 3
    assert compare(folders[0] / "a.txt", binary).status == 3


def test_a_text_and_a_store_cannot_be_compared(folders: tuple[Path, Path]) -> None:
    ended = compare(folders[0], folders[1] / "a.txt")
    assert ended.status == 2
    assert "::SOURCE@VERSION" in ended.err


def test_a_name_that_exists_is_a_path_whatever_stands_in_it(tmp_path: Path) -> None:
    for name in ("a#1", "b::c@d"):
        (tmp_path / name).write_text("text\n", "utf-8")
    assert compare(tmp_path / "a#1", tmp_path / "b::c@d").status == 0


def test_hostile_text_moves_no_cursor(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(HOSTILE.replace("\0", "").encode("utf-8", "replace"))
    (tmp_path / "b").write_bytes(
        f"{HOSTILE}\x1b]0;x\x07".replace("\0", "").encode("utf-8", "replace")
    )
    ended = compare(tmp_path / "a", tmp_path / "b")
    assert ended.status == 1
    assert not {"\x1b", "\u202e", "\x07"} & set(ended.out)
    record = compare(tmp_path / "a", tmp_path / "b", "--format", "json")
    assert not {"\x1b", "\u202e", "\x07"} & set(record.out)


def test_long_lists_and_lines_say_how_much_is_left_out(tmp_path: Path) -> None:
    a = "".join(f"line {number} of it\nfixed {number}\n" for number in range(60))
    (tmp_path / "a").write_text(a, "utf-8")
    (tmp_path / "b").write_text(a.replace("of it", "of them"), "utf-8")
    short = compare(tmp_path / "a", tmp_path / "b").out
    assert "… 50 more places of 60; --all shows them" in short
    whole = compare(tmp_path / "a", tmp_path / "b", "--all").out
    assert "--all" not in whole
    assert whole.count("{+them+}") == 60
    long = "word " * 2000
    (tmp_path / "a").write_text(f"{long}one {long}", "utf-8")
    (tmp_path / "b").write_text(f"{long}two {long}", "utf-8")
    line = compare(tmp_path / "a", tmp_path / "b").out
    assert "[-one-]" in line
    assert "characters, --all shows them" in line
    assert len(line) < 3000


def test_standard_input_can_be_one_side_only() -> None:
    assert compare("-", "-").status == 2


# -- runs ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample run folders."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


@pytest.fixture
def other(sample: Path, tmp_path: Path) -> Path:
    """The first sample run, recorded with another title of its own and one source more."""
    place = tmp_path / "again"
    shutil.copytree(sample / "incident-review", place)
    for each in (place, *place.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    text = b"One more note.\n"
    digest = sha256(text).hexdigest()
    objects = place / "store" / "objects" / digest[:2]
    objects.mkdir(parents=True, exist_ok=True)
    (objects / digest).write_bytes(text)
    line = {"source_id": "notes/more.md", "version_id": digest, "sha256": digest, "kind": "file",
            "bytes": len(text), "chars": len(text)}  # fmt: skip
    with (place / "store" / "versions.jsonl").open("a", encoding="utf-8") as versions:
        versions.write(json.dumps(line) + "\n")
    return place


def test_a_run_beside_its_copy_is_the_same(sample: Path, tmp_path: Path) -> None:
    shutil.copytree(sample / "lease-review", tmp_path / "copy")
    ended = compare(sample / "lease-review", tmp_path / "copy")
    assert ended.status == 0
    assert "they have one digest" in ended.out


def test_a_copy_is_not_called_the_same_where_stored_bytes_have_not_their_hash(
    sample: Path, tmp_path: Path
) -> None:
    shutil.copytree(sample / "incident-review", tmp_path / "copy")
    (record,) = (tmp_path / "copy" / "store").glob("objects/*/a16b2636*")
    record.write_bytes(b"pool = 999\n")
    ended = compare(sample / "incident-review", tmp_path / "copy")
    assert ended.status == 3
    assert "SAME" not in ended.out
    assert "UNDECIDED" in ended.out


def test_two_runs_end_with_1_and_tell_each_part(sample: Path) -> None:
    ended = compare(sample / "incident-review", sample / "lease-review", "--all")
    for words in ("Given to one", "Citations of one run only", "Answers", "Calls", "Taken away"):
        assert words in ended.out
    assert "DIFFERENT" in ended.out
    record = json.loads(
        compare(sample / "incident-review", sample / "lease-review", "--format", "json").out
    )
    assert record["kind"] == "runs"
    assert {each["a"] is None for each in record["citations"]} == {True, False}


def test_two_calls_of_one_run(sample: Path) -> None:
    run = sample / "incident-review"
    ended = compare(f"{run}#3", f"{run}#7")
    assert ended.status == 1
    assert "replaced by a placeholder or taken away (cleared)" in ended.out
    assert compare(f"{run}#3", f"{run}#3").status == 0
    assert compare(f"{run}#3", run).status == 2
    assert compare(f"{run}#3", f"{run}#99").status == 2


def test_a_cited_version_tells_what_became_of_its_citations(sample: Path) -> None:
    source = f"{sample / 'incident-review'}::runbooks/gateway.md"
    ended = compare(f"{source}@d34c5e48", f"{source}@30f1ead8")
    assert ended.status == 1
    assert "Citations of A: 1 changed" in ended.out
    ambiguous = compare(f"{source}@ffff", f"{source}@30f1ead8")
    assert ambiguous.status == 3


def test_decisions_are_told_and_carried_over_by_the_command(sample: Path, other: Path) -> None:
    run = sample / "incident-review"
    (found,) = (each for each in audit_paths([str(run)], tokens=False) if isinstance(each, Audit))
    log = decision_log(found.run)
    target = citation_target(found.citations[0])
    digest = run_digest(found.run)
    log.append(replace(made("accept", target, "Ann"), run_id=found.run.run_id, run_digest=digest))
    told = compare(run, other, "--decisions")
    assert "1 of 1 can be carried over to B" in told.out
    assert "carried over," not in told.err
    done = compare(run, other, "--carry")
    assert done.status == told.status
    assert "1 decision was carried over, 0 held there already" in done.err
    again = compare(run, other, "--carry")
    assert "0 decisions were carried over, 1 held there already" in again.err
    listed = command("decisions", str(other), "--verify", program=PROGRAM)
    assert "carried over by" in listed.out
    assert f"digest {digest[:12]}" in listed.out
    shown = json.loads(command("decisions", str(other), "--format", "json", program=PROGRAM).out)
    assert shown["chain"]["holds"]
    assert shown["decisions"][0]["carried"]["run"] == digest
    back = compare(run, run, "--carry")
    assert back.status == 3
    assert "one log" in back.err


def test_decisions_need_runs(folders: tuple[Path, Path], sample: Path) -> None:
    for option in ("--carry", "--decisions"):
        ended = compare(*folders, option)
        assert ended.status == 2
        assert "name a run" in ended.err
    run = sample / "incident-review"
    assert compare(f"{run}#1", f"{run}#2", "--carry").status == 2
