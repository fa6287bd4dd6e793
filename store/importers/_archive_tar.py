"""TAR archives and single packed files: plain, or through gzip, Zstandard or bzip2.

A packed archive has no list of its members, so it is unpacked once, into a
temporary file that is gone when nobody needs the archive any more, and no
further than its limits.  The module `tarfile` reads headers only; it is given
no more than a piece at a time, since a header may claim any size.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, cast

from store.importers import _files
from store.importers._archives import Archive, ArchiveError, Member, Members
from store.importers._unpacking import (
    PIECE,
    PackedError,
    Unpacker,
    bzip2,
    gzip,
    unpacked,
    zstandard,
)
from store.records.runs import ProblemKind

__all__ = ["is_packed", "is_tar", "open_packed", "open_tar"]

_BLOCK: Final = tarfile.BLOCKSIZE
_TOTAL: Final = 20 << 30
"""Bytes to which a packed archive is unpacked at most."""
_IN_MEMORY: Final = 32 << 20
"""Bytes up to which it is unpacked without a temporary file."""
_PACKED: Final[dict[bytes, Callable[[], Unpacker]]] = {
    b"\x1f\x8b\x08": gzip,
    b"\x28\xb5\x2f\xfd": zstandard,
    b"BZh": bzip2,
}
_SUFFIXES: Final = (".gz", ".zst", ".zstd", ".bz2")


def is_tar(head: bytes) -> bool:
    """Return whether a file with this head is a TAR archive: its first header has its checksum."""
    if len(head) < _BLOCK or not head[0]:
        return False
    try:
        tarfile.TarInfo.frombuf(head[:_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


def is_packed(head: bytes) -> bool:
    """Return whether a file with this head is packed as a whole."""
    return head.startswith(tuple(_PACKED))


def open_tar(path: Path, label: str) -> Archive:
    """Return the members of the archive at *path*.  Raises `ArchiveError` and `OSError`."""
    return _listed(_files.open_regular(path), label)


def open_packed(path: Path, label: str) -> Archive:
    """Return what is packed at *path*: a TAR archive, or one file.

    That one is named as the packed file without its suffix.  Raises
    `ArchiveError` and `OSError`.
    """
    stream = _spooled(path)
    head = stream.read(_BLOCK)
    stream.seek(0)
    if is_tar(head):
        return _listed(stream, label)
    size = stream.seek(0, os.SEEK_END)
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    member = Member(name or "unpacked", size, partial(_pieces, stream, 0, size))
    return _closing(Archive({member.name: member}, single=member.name), stream)


def _spooled(path: Path) -> BinaryIO:
    """Unpack *path* into a temporary file."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    limit = min(_TOTAL, free // 2)
    made = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+b")  # noqa: SIM115
    spool = cast("BinaryIO", made)
    try:
        with _files.open_regular(path) as stream:
            make = next(each for magic, each in _PACKED.items() if stream.peek(4).startswith(magic))
            spool.writelines(unpacked(iter(partial(stream.read, PIECE), b""), make, limit))
    except PackedError as error:
        spool.close()
        raise ArchiveError(str(error)) from None
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    return spool


class _Careful(io.RawIOBase):
    """A stream of which a header gets no more than a piece: it may claim to be of any size."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= PIECE:
            raise ArchiveError(f"a header in it claims {size} bytes; not read")
        return self._stream.read(size)

    def seek(self, to: int, whence: int = 0, /) -> int:
        return self._stream.seek(to, whence)

    def tell(self) -> int:
        return self._stream.tell()


def _listed(stream: BinaryIO, label: str) -> Archive:
    members = Members(label)
    try:
        _list(stream, members)
    except (tarfile.TarError, ValueError, RecursionError) as error:
        what = f"what stands behind this place cannot be listed ({error}); copy it again"
        members.leave_out("", what, kind=ProblemKind.LOST)
    except ArchiveError:
        stream.close()
        raise
    return _closing(Archive(members.found, tuple(members.problems)), stream)


def _closing(archive: Archive, stream: BinaryIO) -> Archive:
    """Let what is unpacked go when nobody needs the archive any more."""
    weakref.finalize(archive, stream.close)
    return archive


def _list(stream: BinaryIO, members: Members) -> None:
    end = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    before = -1
    with tarfile.open(
        fileobj=_Careful(stream), mode="r:", encoding="utf-8", errors="surrogateescape"
    ) as archive:
        while (info := archive.next()) is not None:
            if archive.offset <= before:
                raise tarfile.ReadError("a header leads back to itself")
            before = archive.offset
            if info.isdir():
                continue
            if not info.isreg() or info.issparse():
                what = "a link, device or sparse file in an archive; not followed"
                members.strange(info.name, what)
            elif info.offset_data + info.size > end:
                what = "ends too early: the archive was cut short; copy it again"
                members.leave_out(info.name, what, ProblemKind.LOST)
            else:
                read = partial(_pieces, stream, info.offset_data, info.size)
                members.add(Member(info.name, info.size, read))


def _pieces(stream: BinaryIO, at: int, size: int, step: int) -> Iterator[bytes]:
    while size:
        try:
            stream.seek(at)
            data = stream.read(min(size, step))
        except (OSError, ValueError) as error:
            raise ArchiveError(f"cannot be read ({error})") from None
        if not data:
            raise ArchiveError("ends too early: the archive was cut short; copy it again")
        at += len(data)
        size -= len(data)
        yield data
