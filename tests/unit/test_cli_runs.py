"""``reread runs``, and the one run that other commands are asked for."""

import json
import zipfile
from pathlib import Path

import pytest

from reviewer.app import Program
from reviewer.services.sample import write_sample
from tests.made import Ended, command


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as made:
        for folder in write_sample(tmp_path / "sample"):
            for each in sorted(folder.rglob("*")):
                if each.is_file():
                    made.write(each, each.relative_to(tmp_path / "sample").as_posix())
        said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "b"}]
        made.writestr("talk.json", json.dumps(said))
    return path


def _ended(*arguments: str) -> Ended:
    return command(*arguments, program=Program(strict=True))


def test_a_list_tells_what_can_be_read_and_how_it_is_called(archive: Path) -> None:
    ended = _ended("runs", str(archive))
    assert ended.status == 0
    assert "incident-review" in ended.out
    assert f"{archive}/talk.json" in ended.out
    assert "1 of 3 is one whose run only reading tells" in ended.out
    record = json.loads(_ended("runs", str(archive), "--format", "json").out)
    assert record["schema"] == "reread.runs/1"
    assert [each["run_id"] for each in record["runs"]] == ["incident-review", "lease-review", None]
    assert [each["more"] for each in record["runs"]] == [False, False, True]


def test_a_list_without_anything_is_not_nothing_found(tmp_path: Path) -> None:
    ended = _ended("runs", str(tmp_path))
    assert ended.status == 3
    assert "no run found; give the trace" in ended.err


@pytest.mark.parametrize("wanted", ["lease-review", "{}/lease-review", "runs.zip/lease-review"])
@pytest.mark.parametrize("arguments", [["audit", "--format", "json"], ["sources"], ["bill"]])
def test_the_run_that_is_asked_for_is_the_only_one(
    archive: Path, wanted: str, arguments: list[str]
) -> None:
    ended = _ended(arguments[0], str(archive), *arguments[1:], "--run", wanted.format(archive))
    assert ended.status in {0, 1}
    assert "lease-review" in ended.out
    assert "incident-review" not in ended.out
    assert ended.err == ""


def test_of_many_runs_a_view_reads_two_and_asks_which(archive: Path) -> None:
    ended = _ended("view", str(archive), "--call", "1")
    assert ended.status == 2
    assert "there are several runs here" in ended.err
    assert "incident-review" in ended.err
    assert "talk.json" not in ended.err
    assert "hello" in _ended("view", str(archive), "--call", "1", "--run", "talk.json").out


@pytest.mark.parametrize("name", ["audit", "bill", "decisions", "sources", "view"])
def test_a_run_that_is_not_there_is_wrong_usage(archive: Path, name: str) -> None:
    more = ["--call", "1"] if name == "view" else []
    ended = _ended(name, str(archive), *more, "--run", "none")
    assert ended.status == 2
    assert f"there is no run none here; reread runs {archive} lists what there is" in ended.err


def test_a_run_in_an_archive_is_judged_as_it_is_in_its_folder(archive: Path) -> None:
    found = [
        json.loads(_ended("audit", place, "--format", "json").out)["runs"][0]
        for place in (f"{archive}/incident-review", f"{archive.parent}/sample/incident-review")
    ]
    for run in found:
        del run["path"], run["problems"]
    assert found[0] == found[1]
