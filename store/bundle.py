"""The container of a bundle: a BagIt 1.0 bag (RFC 8493), written and checked.

``bagit.txt`` is written last: a bag that was not finished is none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from store.errors import StoreError
from store.objects import open_plain, sync_folder

__all__ = [
    "ALGORITHMS",
    "DECLARATION",
    "PAYLOAD",
    "Fixity",
    "decoded_path",
    "empty_folders_below",
    "encoded_path",
    "files_below",
    "fixity",
    "write_tags",
]

ALGORITHMS = ("sha256", "sha512")
DECLARATION = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
PAYLOAD = "data"
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fixity:
    """Size and digests of one file, by algorithm."""

    size: int
    digests: Mapping[str, str]


def encoded_path(name: str) -> str:
    """Return *name* as a manifest writes it: only percent sign, CR and LF are encoded (2.1.3)."""
    return name.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def decoded_path(text: str) -> str:
    """Return the name that a manifest writes as *text*.  Raises `ValueError` for any other sign."""
    head, *rest = text.split("%")
    signs = {"25": "%", "0D": "\r", "0d": "\r", "0A": "\n", "0a": "\n"}
    for part in rest:
        if part[:2] not in signs:
            raise ValueError(f"%{part[:2]} stands for nothing in a bag")
        head += signs[part[:2]] + part[2:]
    return head


def fixity(
    path: Path,
    within: Path,
    algorithms: Iterable[str] = ALGORITHMS,
    into: BinaryIO | None = None,
    check: Callable[[], None] = lambda: None,
) -> Fixity:
    """Return the digests of a regular file below *within*, copying it *into* another on the way.

    Raises `StoreError` for what is no regular file or is reached by a link.
    """
    hashes = {name: hashlib.new(name) for name in algorithms}
    size = 0
    for chunk in _chunks(path, within):
        check()
        size += len(chunk)
        for each in hashes.values():
            each.update(chunk)
        if into is not None:
            into.write(chunk)
    return Fixity(size, {name: each.hexdigest() for name, each in hashes.items()})


def _chunks(path: Path, within: Path) -> Iterator[bytes]:
    # Apart, so that a copy that cannot be written is not taken for evidence that cannot be read.
    with open_plain(path, within) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def files_below(folder: Path) -> Iterator[str]:
    """Yield every file below *folder* by its relative name with ``/``, in one order.

    Raises `StoreError` for a link and for what is neither file nor folder:
    what lies behind it is in no bag.
    """
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            entries = sorted(os.scandir(folder / inside), key=lambda each: each.name)
        except OSError as error:
            where = str(folder / inside)
            what = f"the folder cannot be read ({error.strerror or error})"
            raise StoreError(what, where, "Check that you may read it.") from error
        below = []
        for entry in entries:
            name = f"{inside}/{entry.name}" if inside else entry.name
            if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
                raise StoreError(
                    "it is a link, or no file",
                    str(folder / name),
                    "A bundle holds files only: put the file itself there, or move it away.",
                )
            if entry.is_dir():
                below.append(name)
            else:
                yield name
        waiting += reversed(below)


def empty_folders_below(folder: Path) -> Iterator[str]:
    """Yield every folder below *folder* that holds nothing, not even a folder, in one order.

    No manifest can list them.
    """
    for inside, folders, files in os.walk(folder):
        folders.sort()
        if not folders and not files:
            yield Path(inside).relative_to(folder).as_posix()


def write_tags(bag: Path, about: Mapping[str, str], check: Callable[[], None]) -> None:
    """Make the folder *bag*, which holds its payload already, a bag.

    *about* are the lines of ``bag-info.txt``; ``Payload-Oxum`` is added.
    """
    payload = {
        f"{PAYLOAD}/{name}": fixity(bag / PAYLOAD / name, bag, check=check)
        for name in sorted(files_below(bag / PAYLOAD))
    }
    size = sum(each.size for each in payload.values())
    lines = {**about, "Payload-Oxum": f"{size}.{len(payload)}"}
    tags = {"bag-info.txt": "".join(f"{key}: {_one_line(value)}\n" for key, value in lines.items())}
    for algorithm in ALGORITHMS:
        tags[f"manifest-{algorithm}.txt"] = manifest(payload, algorithm)
    for name, text in tags.items():
        (bag / name).write_bytes(text.encode())
    covered = {
        "bagit.txt": Fixity(
            len(DECLARATION),
            {name: hashlib.new(name, DECLARATION).hexdigest() for name in ALGORITHMS},
        ),
        **{name: fixity(bag / name, bag) for name in tags},
    }
    for algorithm in ALGORITHMS:
        name = f"tagmanifest-{algorithm}.txt"
        (bag / name).write_bytes(manifest(covered, algorithm).encode())
    (bag / "bagit.txt").write_bytes(DECLARATION)
    sync_folder(bag)


def manifest(files: Mapping[str, Fixity], algorithm: str) -> str:
    """Return a manifest: a line for each file, in the order of their names."""
    return "".join(
        f"{files[name].digests[algorithm]}  {encoded_path(name)}\n" for name in sorted(files)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
