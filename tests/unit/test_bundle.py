"""The container: a bag that any reader of RFC 8493 takes, and a check that misses no byte."""

import os
import shutil
from pathlib import Path

import bagit
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.bag_check import CheckedBag, check_bag
from store.bundle import decoded_path, encoded_path, files_below, write_tags
from store.errors import StoreError
from store.records.runs import ProblemKind

_FILES = {
    "a.txt": b"one\n",
    "deep/er/\xe4\xb8\x80 name.bin".encode().decode(): bytes(range(256)),
    "empty": b"",
    "line\nfeed\r.txt": b"x",
}


def _made(root: Path, files: dict[str, bytes] | None = None) -> Path:
    bag = root / "bag"
    for name, data in (files or _FILES).items():
        path = bag / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    write_tags(bag, {"External-Identifier": "two\nlines"}, lambda: None)
    return bag


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    return _made(tmp_path)


def _wrong(found: CheckedBag) -> set[str]:
    return {each.where for each in found.problems}


def test_a_bag_is_what_the_reader_of_the_library_of_congress_takes(bag: Path) -> None:
    made = bagit.Bag(str(bag))
    assert made.is_valid()
    assert made.info["External-Identifier"] == "two lines"
    assert made.info["Payload-Oxum"] == "261.4"
    assert not check_bag(bag).problems


def test_every_byte_of_every_file_counts(bag: Path) -> None:
    changed = 0
    for name in files_below(bag):
        path = bag / name
        data = path.read_bytes()
        step = 7 if len(data) > 300 else 1
        for place in range(0, len(data), step):
            path.write_bytes(data[:place] + bytes([data[place] ^ 0x20]) + data[place + 1 :])
            assert check_bag(bag).problems, (name, place)
            changed += 1
        path.write_bytes(data + b"\n")
        assert check_bag(bag).problems, name
        path.write_bytes(data[:-1])
        assert not data or check_bag(bag).problems, name
        path.write_bytes(data)
    assert changed > 500
    assert not check_bag(bag).problems


def test_no_file_may_go_come_or_move(bag: Path) -> None:
    for name in list(files_below(bag)):
        moved = bag / f"{name}.away"
        (bag / name).rename(moved)
        found = check_bag(bag)
        assert found.problems, name
        moved.rename(bag / name)
    (bag / "data" / "more.txt").write_bytes(b"")
    assert _wrong(check_bag(bag)) == {"data/more.txt", "bag-info.txt"}
    (bag / "data" / "more.txt").unlink()
    (bag / "more.txt").write_bytes(b"")
    assert _wrong(check_bag(bag)) == {"more.txt"}
    (bag / "more.txt").unlink()
    (bag / "data" / "new" / "inside").mkdir(parents=True)
    assert _wrong(check_bag(bag)) == {"data/new/inside"}


def test_a_folder_without_its_declaration_is_no_bag_and_could_not_be_checked(bag: Path) -> None:
    (bag / "bagit.txt").unlink()
    found = check_bag(bag)
    assert [each.kind for each in found.problems] == [ProblemKind.LOST]
    assert not found.tags


@pytest.mark.parametrize(
    "path",
    ["../out.txt", "data/../../out.txt", "/etc/hostname", "~/x", "C:/x", "data//a", "data/./a.txt"],
)
def test_no_line_of_a_manifest_leads_out_of_the_bag(bag: Path, path: str) -> None:
    manifest = bag / "manifest-sha256.txt"
    (bag.parent / "out.txt").write_bytes(b"secret")
    manifest.write_bytes(manifest.read_bytes() + f"{'0' * 64}  {path}\n".encode())
    told = [each.what for each in check_bag(bag).problems]
    assert any("leads out" in what for what in told)


@pytest.mark.parametrize(
    "line",
    [b"zz  data/a.txt\n", b"00 data/a.txt\n", b"data/a.txt\n", b"\xff\n", b"00  data/%41\n", b"x"],
)
def test_a_line_that_is_none_is_told_of(bag: Path, line: bytes) -> None:
    manifest = bag / "manifest-sha512.txt"
    manifest.write_bytes(manifest.read_bytes() + line)
    assert any(each.where.startswith("manifest-sha512.txt") for each in check_bag(bag).problems)


def test_a_digest_that_is_written_twice_or_in_capitals_does_not_pass(bag: Path) -> None:
    tags = bag / "tagmanifest-sha256.txt"
    data = tags.read_bytes()
    tags.write_bytes(data + data.split(b"\n")[0] + b"\n")
    assert any("twice" in each.what for each in check_bag(bag).problems)
    tags.write_bytes(data.upper())
    assert check_bag(bag).problems


@pytest.mark.parametrize("where", ["data/a.txt", "data/deep", "bag-info.txt"])
def test_nothing_is_read_through_a_link(bag: Path, where: str) -> None:
    path = bag / where
    kept = bag.parent / "kept"
    path.rename(kept)
    path.symlink_to(kept)
    assert any("link" in each.what for each in check_bag(bag).problems)


def test_a_pipe_in_a_bag_is_told_of_and_never_waited_for(bag: Path) -> None:
    os.mkfifo(bag / "data" / "pipe")
    assert check_bag(bag).problems


def test_an_unknown_digest_proves_nothing(bag: Path) -> None:
    shutil.move(bag / "manifest-sha256.txt", bag / "manifest-crc32.txt")
    told = {each.where for each in check_bag(bag).problems}
    assert {"manifest-sha256.txt", "manifest-crc32.txt"} <= told


def test_a_link_is_refused_while_a_bag_is_made(tmp_path: Path) -> None:
    (tmp_path / "bag" / "data").mkdir(parents=True)
    (tmp_path / "bag" / "data" / "x").symlink_to(tmp_path)
    with pytest.raises(StoreError, match="link"):
        write_tags(tmp_path / "bag", {}, lambda: None)


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1))
def test_any_name_is_written_on_one_line_and_read_again(name: str) -> None:
    written = encoded_path(name)
    assert "\n" not in written
    assert "\r" not in written
    assert decoded_path(written) == name


@pytest.mark.parametrize(
    "name",
    [
        "tagmanifest-.html",
        "tagmanifest-none.txt",
        "tagmanifest-sha256.txt.html",
        "tagmanifest-d/more.txt",
        "tags/tagmanifest-sha256.txt",
    ],
)
def test_a_name_like_that_of_a_manifest_hides_no_file(bag: Path, name: str) -> None:
    (bag / name).parent.mkdir(exist_ok=True)
    (bag / name).write_bytes(b"more")
    assert name in _wrong(check_bag(bag))
