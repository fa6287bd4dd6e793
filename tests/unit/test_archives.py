"""Archives: each run in one is read by itself, and nothing in one is trusted."""

import bz2
import gzip
import hashlib
import io
import json
import os
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from store.entries import Entry
from store.importers import _files
from store.importers._archive_zip import open_zip
from store.importers._archives import ArchiveError
from store.importers._base import HEAD_BYTES
from store.opening import list_paths, open_paths
from store.records.runs import Problem, ProblemKind, Run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Members = dict[str, bytes]


def log(run_id: str, text: str = "go") -> bytes:
    """Return the log of a run of one call."""
    started = {"event": "run_started", "run_id": run_id}
    message = {"role": "user", "parts": [{"type": "text", "content": text}]}
    call = {"event": "model_call", "index": 1, "request": {"messages": [message]}}
    return f"{json.dumps(started)}\n{json.dumps(call)}\n".encode()


def dump(text: str) -> bytes:
    """Return a message dump of one exchange."""
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": f"so {text}"}]
    return json.dumps(said).encode()


def tar_of(members: Members) -> bytes:
    """Return a TAR archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def zip_of(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a ZIP archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def zstd_zip(members: Members, frames: int = 1) -> bytes:
    """Return a ZIP archive of method 93, each member in as many frames."""
    made, directory = io.BytesIO(), b""
    for name, data in members.items():
        step = -(-len(data) // frames)
        packed = b"".join(zstd.compress(data[at : at + step]) for at in range(0, len(data), step))
        facts = struct.pack("<HHHHHIII", 63, 0, 93, 0, 0, zlib.crc32(data), len(packed), len(data))
        at = made.tell()
        called = name.encode()
        made.write(b"PK\x03\x04" + facts + struct.pack("<HH", len(called), 0) + called + packed)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + facts
        directory += struct.pack("<HHHHHII", len(called), 0, 0, 0, 0, 0, at) + called
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), made.tell(), 0)
    return made.getvalue() + directory + b"PK\x05\x06" + end


def _packed(pack: Callable[[bytes], bytes]) -> Callable[[Members], bytes]:
    return lambda members: pack(tar_of(members))


KINDS: dict[str, Callable[[Members], bytes]] = {
    "runs.zip": zip_of,
    "stored.zip": lambda members: zip_of(members, zipfile.ZIP_STORED),
    "bzip2.zip": lambda members: zip_of(members, zipfile.ZIP_BZIP2),
    "zstd.zip": zstd_zip,
    "frames.zip": lambda members: zstd_zip(members, 3),
    "runs.tar": tar_of,
    "runs.tar.gz": _packed(gzip.compress),
    "runs.tar.bz2": _packed(bz2.compress),
    "runs.tar.zst": _packed(zstd.compress),
}
RUNS: Members = {
    "a/one.json": dump("one"),
    "b/events.jsonl": log("folder"),
    "c.jsonl": log("file"),
    "notes.bin": b"\0\0",
}


def parted(items: Iterable[Run | Problem]) -> tuple[list[Run], list[Problem]]:
    """Part runs from problems."""
    found = list(items)
    return (
        [each for each in found if isinstance(each, Run)],
        [each for each in found if isinstance(each, Problem)],
    )


def _made(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_the_runs_in_an_archive_are_read_as_those_in_a_folder(tmp_path: Path, kind: str) -> None:
    path = _made(tmp_path / kind, KINDS[kind](RUNS))
    before = {each: each.stat().st_mtime_ns for each in tmp_path.iterdir()}
    runs, problems = parted(open_paths([str(path)]))
    assert [run.path for run in runs] == [f"{path}/{n}" for n in ("a/one.json", "b", "c.jsonl")]
    assert [run.run_id for run in runs] == ["one.json", "folder", "file"]
    assert all(run.calls for run in runs)
    assert [each.kind for each in problems] == [ProblemKind.NOTED]
    assert "1 other file" in problems[0].what
    assert {each: each.stat().st_mtime_ns for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_is_named_like_a_file_in_a_folder(tmp_path: Path, kind: str) -> None:
    path = _made(tmp_path / kind, KINDS[kind](RUNS))
    for name, run_id in (("c.jsonl", "file"), ("b", "folder"), ("a", "one.json")):
        runs, problems = parted(open_paths([f"{path}/{name}"]))
        assert [run.run_id for run in runs] == [run_id]
        assert not problems
    _, (problem,) = parted(open_paths([f"{path}/nowhere"]))
    assert "no run stands there" in problem.what
    _, (problem,) = parted(open_paths([f"{tmp_path}/nowhere/c.jsonl"]))
    assert "no such file or folder" in problem.what


def test_a_run_folder_packed_as_a_whole_is_that_run(tmp_path: Path) -> None:
    manifest = json.dumps({"format": "reread.run/1", "run_id": "whole"}).encode()
    members = {"manifest.json": manifest, "events.jsonl": log("whole")}
    for kind, make in KINDS.items():
        path = _made(tmp_path / kind, make(members))
        (run,) = open_paths([str(path)])
        assert isinstance(run, Run)
        assert (run.run_id, run.path) == ("whole", str(path))


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("zst", zstd.compress)])
def test_a_file_that_is_packed_alone_is_read(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    path = _made(tmp_path / f"talk.json.{suffix}", pack(dump("hello"))[:] + pack(b" "))
    (run,) = open_paths([str(path)])
    assert isinstance(run, Run)
    assert (run.path, run.run_id) == (str(path), "talk.json")


def test_an_archive_in_a_folder_is_looked_into_and_one_without_runs_is_left_out(
    tmp_path: Path,
) -> None:
    _made(tmp_path / "runs.zip", zip_of(RUNS))
    _made(tmp_path / "pictures.zip", zip_of({"a.png": b"\x89PNG\0"}))
    runs, problems = parted(open_paths([str(tmp_path)]))
    assert len(runs) == 3
    assert any("left out: pictures.zip" in each.what for each in problems)
    assert {each.kind for each in problems} == {ProblemKind.NOTED}


# -- a list ----------------------------------------------------------------------


def listed(path: Path) -> list[Entry]:
    """Return the entries of a path."""
    return [each for each in list_paths([str(path)]) if isinstance(each, Entry)]


@pytest.mark.parametrize("kind", ["runs.zip", "runs.tar.gz"])
def test_a_broken_run_in_an_archive_stops_no_other(tmp_path: Path, kind: str) -> None:
    members = {f"{name}.jsonl": log(str(name)) for name in range(5)}
    members["2.jsonl"] = log("2")[:80] + b"\xff{"
    path = _made(tmp_path / kind, KINDS[kind](members))
    entries = listed(path)
    assert [each.run_id for each in entries] == ["0", "1", "2", "3", "4"]
    for entry in reversed(entries):
        runs, problems = parted(entry.read())
        assert [run.run_id for run in runs] == [entry.run_id]
        assert not problems
        assert bool(runs[0].problems) is (entry.run_id == "2")


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the bytes that are read from now on."""
    read: list[int] = []
    really = _files._Asking.readinto  # noqa: SLF001 - every file is read through it

    def counting(self: Any, buffer: Any) -> int | None:  # noqa: ANN401 - any file and buffer
        size = really(self, buffer)
        read.append(size or 0)
        return size

    monkeypatch.setattr(_files._Asking, "readinto", counting)  # noqa: SLF001
    return read


def test_of_five_hundred_runs_one_is_read_and_of_the_others_only_heads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = os.urandom(100_000).hex()
    members = {f"{name:03}/events.jsonl": log(f"r{name}", text) for name in range(500)}
    archive = _made(tmp_path / "runs.zip", zip_of(members, zipfile.ZIP_STORED))
    for name, data in members.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True)
        _made(tmp_path / "folder" / name, data)
    read = _counted(monkeypatch)
    for place, heads in ((archive, 3), (tmp_path / "folder", 2)):
        read.clear()
        entries = listed(place)
        assert [each.run_id for each in entries] == [f"r{number}" for number in range(500)]
        # Recognition sees a head; the list sees a line of it.
        assert sum(read) < 500 * heads * (HEAD_BYTES + 5_000)
        read.clear()
        (run,) = entries[321].read()
        assert isinstance(run, Run)
        assert run.run_id == "r321"
        assert sum(read) < 3 * len(members["321/events.jsonl"])
        (again,) = open_paths([str(place)], only="r321")
        assert again == run


def test_a_run_that_no_list_tells_is_found_by_reading(tmp_path: Path) -> None:
    path = _made(tmp_path / "runs.zip", zip_of({"a.json": dump("a"), "b.json": dump("b")}))
    assert [each.run_id for each in listed(path)] == ["", ""]
    for wanted in ("b.json", f"{path}/b.json"):
        runs, problems = parted(open_paths([str(path)], only=wanted))
        assert [run.run_id for run in runs] == ["b.json"]
        assert not problems
    assert not list(open_paths([str(path)], only="c.json"))


# -- hostile ---------------------------------------------------------------------

_OUTSIDE = ["/etc/passwd", "../up.jsonl", "a/../../up.jsonl", "C:/x.jsonl", "..\\up.jsonl"]


@pytest.mark.parametrize("kind", ["stored.zip", "runs.tar"])
@pytest.mark.parametrize("name", [*_OUTSIDE, "x" * 300 + ".jsonl", "/".join("d" * 90)])
def test_a_name_that_leads_out_is_told_and_nothing_is_written_there(
    tmp_path: Path, kind: str, name: str
) -> None:
    path = _made(tmp_path / kind, KINDS[kind]({name: log("bad"), "ok.jsonl": log("good")}))
    runs, problems = parted(open_paths([str(path)]))
    assert [run.run_id for run in runs] == ["good"]
    (problem,) = problems
    assert problem.kind is ProblemKind.LOST
    assert problem.what.endswith("left out")
    assert sorted(each.name for each in tmp_path.iterdir()) == [kind]


def test_links_and_devices_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    made = io.BytesIO(tar_of({"ok.jsonl": log("good")}))
    with tarfile.open(fileobj=made, mode="a") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo(f"special{kind.decode()}.jsonl")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    runs, problems = parted(open_paths([str(_made(tmp_path / "a.tar", made.getvalue()))]))
    assert [run.run_id for run in runs] == ["good"]
    assert [each.what for each in problems] == [
        "a link, device or sparse file in an archive; not followed"
    ] * 4
    link = zipfile.ZipInfo("link.jsonl")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
        zipped.writestr("ok.jsonl", log("good"))
    runs, problems = parted(open_paths([str(_made(tmp_path / "a.zip", data.getvalue()))]))
    assert [run.run_id for run in runs] == ["good"]
    assert [each.what for each in problems] == ["a link or device in an archive; not followed"]


def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    inner = zip_of({"a.jsonl": log("inner")})
    path = _made(tmp_path / "a.zip", zip_of({"in.zip": inner, "ok.jsonl": log("good")}))
    runs, problems = parted(open_paths([str(path)]))
    assert [run.run_id for run in runs] == ["good"]
    assert ["archive in an archive" in each.what for each in problems] == [True]
    path = _made(tmp_path / "a.zip.gz", gzip.compress(inner))
    _, (problem,) = parted(open_paths([str(path)]))
    assert "archive in an archive" in problem.what


def test_a_member_that_can_be_packed_no_tighter_is_read(tmp_path: Path) -> None:
    # Deflate stores such bytes as they are, and its stream then begins with a zero.
    noise = hashlib.shake_128(b"noise").digest(200_000)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=0) as made:
        made.writestr("noise.bin", noise)
    assert path.read_bytes()[30 + len("noise.bin")] == 0
    (member,) = open_zip(path, "a.zip").members.values()
    assert member.data() == noise


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_bomb_is_stopped_where_no_record_grows_so(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    data = pack(b'[{"role": "user", "content": "' + b" " * (80 << 20))
    for name, made in (
        ("a.json.gz", data),
        ("a.zip", zstd_zip({"a.json": b"[" + bytes(80 << 20)})),
    ):
        items = list(open_paths([str(_made(tmp_path / name, made))]))
        assert any("unpacked no further" in str(each) or "rror" not in str(each) for each in items)
        assert not any(isinstance(each, Run) for each in items)


@pytest.mark.parametrize("make", [zip_of, zstd_zip, KINDS["runs.tar.gz"], KINDS["bzip2.zip"]])
def test_what_grows_much_and_not_too_much_is_read_to_its_end(
    tmp_path: Path, make: Callable[[Members], bytes]
) -> None:
    data = dump("x") + b" " * (3 << 20) + b"\n" * 77
    (run,) = open_paths([str(_made(tmp_path / "a.bin", make({"a.json": data})))])
    assert isinstance(run, Run)
    assert not run.problems


def test_a_member_that_lies_about_its_size_is_not_read(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a.json": dump("x" * 5000)}))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 40)
    path = _made(tmp_path / "a.zip", bytes(data))
    (member,) = open_zip(path, "a.zip").members.values()
    with pytest.raises(ArchiveError, match="larger than the 40 bytes it declares"):
        member.data()


@pytest.mark.parametrize("cut", [1, 30, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_was_cut_short_says_so(tmp_path: Path, kind: str, cut: int) -> None:
    data = KINDS[kind]({f"{name}.jsonl": log(str(name)) for name in range(3)})
    if kind == "runs.tar":
        cut += 10_240 - 5 * 1024  # what stands behind the last member is padding
    runs, problems = parted(open_paths([str(_made(tmp_path / kind, data[:-cut]))]))
    assert all(run.calls for run in runs)
    assert problems or len(runs) == 3
    assert all("internal error" not in each.what for each in problems)


def test_bytes_that_changed_in_an_archive_are_not_read(tmp_path: Path) -> None:
    data = zip_of({"a.json": dump("needle"), "b.json": dump("b")}, zipfile.ZIP_STORED)
    path = _made(tmp_path / "a.zip", data.replace(b"needle", b"noodle", 1))
    runs, problems = parted(open_paths([str(path)]))
    assert [run.run_id for run in runs] == ["b.json"]
    assert any("CRC-32" in each.what for each in problems)


def test_names_that_are_no_utf8_are_shown_escaped_and_read(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a\udcff\n.jsonl")
    data = log("good")
    info.size = len(data)
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(data))
    (entry,) = listed(_made(tmp_path / "a.tar", made.getvalue()))
    assert entry.place.endswith("a.tar/a\\xdcff\\x0a.jsonl")
    assert [run.run_id for run in parted(entry.read())[0]] == ["good"]


def test_a_header_that_leads_back_ends(tmp_path: Path) -> None:
    data = bytearray(tar_of({"a.jsonl": log("a"), "b.jsonl": log("b")}))
    at = data.index(b"b.jsonl")
    data[at + 124 : at + 136] = b"\xff" * 11 + b"\x00"  # a size below zero, in base 256
    header = data[at : at + 512]
    header[148:156] = b" " * 8
    data[at + 148 : at + 156] = f"{sum(header):06o}\0 ".encode()
    runs, problems = parted(open_paths([str(_made(tmp_path / "a.tar", bytes(data)))]))
    assert [run.run_id for run in runs] == ["a"]
    assert problems
    assert all("internal error" not in each.what for each in problems)


def test_a_run_is_named_by_the_end_of_its_place_or_that_of_its_file() -> None:
    entry = Entry("a/logs.zip/b.eval#samples/1", "f", None, lambda: iter(()), origin="samples/1")
    named = ["a/logs.zip/b.eval#samples/1", "samples/1", "1", "b.eval", "logs.zip/b.eval"]
    assert [each for each in named if entry.is_called(each)] == named
    others = ["", "ogs.zip/b.eval", "a/logs.zip", "eval", "samples", "b.eval#samples"]
    assert not [each for each in others if entry.is_called(each)]
