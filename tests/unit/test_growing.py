"""What a path holds is told apart from what it held before."""

import os
from pathlib import Path

from reviewer.services.growing import look_at


def test_a_file_that_grows_or_is_replaced_is_another_and_one_that_rests_is_not(
    tmp_path: Path,
) -> None:
    place = tmp_path / "log.jsonl"
    place.write_text("one\n")
    first = look_at(str(place))
    assert look_at(str(place)) == first
    with place.open("a") as stream:
        stream.write("two\n")
    grown = look_at(str(place))
    assert grown != first
    other = tmp_path / "other"
    other.write_text("one\ntwo\n")
    os.utime(other, ns=(grown.latest, grown.latest))
    other.replace(place)
    assert look_at(str(place)) != grown


def test_everything_in_a_folder_is_seen_and_nothing_outside_it(tmp_path: Path) -> None:
    folder, outside = tmp_path / "run", tmp_path / "outside"
    (folder / "store").mkdir(parents=True)
    outside.mkdir()
    (folder / "store" / "a.txt").write_text("a")
    (outside / "b.txt").write_text("b")
    (folder / "link").symlink_to(outside)
    seen = look_at(str(folder))
    assert list(seen.files) == [str(folder / "store" / "a.txt")]
    assert seen.folders == (str(folder), str(folder / "store"))


def test_the_side_files_of_a_session_are_seen_too(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text("{}\n")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "result.txt").write_text("x")
    assert str(tmp_path / "s" / "result.txt") in look_at(str(tmp_path / "s.jsonl")).files


def test_what_is_not_there_holds_nothing(tmp_path: Path) -> None:
    seen = look_at(str(tmp_path / "none"))
    assert (dict(seen.files), seen.folders, seen.latest) == ({}, (), 0)
