"""Exact bytes by their hash: written once, checked at each reading."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import ChangedObjectError, MissingObjectError, StoreError
from store.objects import ObjectFolder


def test_bytes_come_back_exactly_under_their_hash(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path / "objects")
    data = "批处理\r\n\u2028\x00".encode()
    digest = folder.put(data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert (tmp_path / "objects" / digest[:2] / digest).read_bytes() == data
    assert folder.read(digest) == data
    assert folder.verify(digest) == len(data)


@given(st.integers(0, 30), st.integers(0, 30))
def test_a_range_is_the_bytes_between_its_ends_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, start: int, length: int
) -> None:
    folder = ObjectFolder(tmp_path_factory.getbasetemp() / "ranged")
    data = bytes(range(20))
    digest = folder.put(data)
    if start + length > len(data):
        with pytest.raises(ValueError, match="outside an object of 20 bytes"):
            folder.read(digest, start, start + length)
    else:
        assert folder.read(digest, start, start + length) == data[start : start + length]


def test_a_range_over_several_pieces_of_reading_is_exact(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    data = os.urandom(3 * 1024 * 1024 + 17)
    digest = folder.put(data)
    assert (
        folder.read(digest, 1024 * 1024 - 3, 2 * 1024 * 1024 + 5)
        == (data[1024 * 1024 - 3 : 2 * 1024 * 1024 + 5])
    )
    assert folder.read(digest, 5) == data[5:]


def test_a_changed_object_is_refused_even_for_a_range_that_did_not_change(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    digest = folder.put(b"first and last")
    folder.path(digest).chmod(0o644)
    folder.path(digest).write_bytes(b"first and lost")
    with pytest.raises(ChangedObjectError, match="not the one that names it"):
        folder.read(digest, 0, 5)
    with pytest.raises(ChangedObjectError):
        folder.put(b"first and last")
    assert folder.path(digest).read_bytes() == b"first and lost"


def test_an_object_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    digest = folder.put(b"once")
    before = folder.path(digest).stat()
    folder.put(b"once")
    after = folder.path(digest).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [path.name for path in folder.path(digest).parent.iterdir()] == [digest]


def test_an_object_is_read_only(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    assert not folder.path(folder.put(b"kept")).stat().st_mode & 0o222


def test_what_is_not_there_is_named_with_its_place(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    with pytest.raises(MissingObjectError) as caught:
        folder.read("0" * 64)
    assert str(folder.path("0" * 64)) in str(caught.value)
    assert not folder.has("0" * 64)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_name_that_is_no_hash_leads_nowhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="is no SHA-256"):
        ObjectFolder(tmp_path).read(name)


def test_a_link_is_not_followed_even_to_the_right_bytes(tmp_path: Path) -> None:
    outside = ObjectFolder(tmp_path / "outside")
    digest = outside.put(b"secret")
    inside = tmp_path / "run" / "objects"
    (inside / digest[:2]).mkdir(parents=True)
    (inside / digest[:2] / digest).symlink_to(outside.path(digest))
    with pytest.raises(MissingObjectError, match="link"):
        ObjectFolder(inside).read(digest)
    assert not ObjectFolder(inside).has(digest)


def test_a_linked_folder_is_not_followed(tmp_path: Path) -> None:
    outside = ObjectFolder(tmp_path / "outside")
    digest = outside.put(b"secret")
    run = tmp_path / "run"
    run.mkdir()
    (run / "objects").symlink_to(outside.root)
    with pytest.raises(MissingObjectError, match="link"):
        ObjectFolder(run / "objects", within=run).read(digest)
    shard = tmp_path / "other"
    shard.mkdir()
    (shard / digest[:2]).symlink_to(outside.root / digest[:2])
    with pytest.raises(MissingObjectError, match="link"):
        ObjectFolder(shard).read(digest)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_in_place_of_an_object_does_not_hang(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path)
    folder.path("0" * 64).parent.mkdir()
    os.mkfifo(folder.path("0" * 64))
    with pytest.raises(MissingObjectError, match="no regular file"):
        folder.read("0" * 64)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file stands where the folder should be")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        ObjectFolder(tmp_path / "objects").put(b"x")
    assert str(tmp_path) in caught.value.where
    assert caught.value.advice


def test_two_processes_that_put_the_same_bytes_both_succeed(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from store.objects import ObjectFolder\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for n in range(50): ObjectFolder(Path(sys.argv[1])).put(b'%d' % n * 1000)\n"
    )
    both = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", program, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.communicate("go\n")
    assert [process.returncode for process in both] == [0, 0]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 50
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == path.name for path in files)
