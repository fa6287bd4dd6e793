"""ZIP archives, with every method that logs are written with: stored, deflate, Zstandard, bzip2.

The directory at the end is read, and of a member only its own bytes.  Format
facts: APPNOTE.TXT 6.3.10 of PKWARE (4.3.7 local header, 4.3.16 end record,
4.3.14 and 4.3.15 for ZIP64, 4.4.5 methods, 93 is Zstandard).  The module
`zipfile` reads the directory; members are read here, since before Python 3.14
it does not know method 93, and since a member may have several frames.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from store.importers import _files
from store.importers._archives import Archive, ArchiveError, Member, Members
from store.importers._unpacking import (
    PIECE,
    PackedError,
    Unpacker,
    bzip2,
    deflate,
    unpacked,
    zstandard,
)

__all__ = ["is_zip", "open_zip"]

_LOCAL: Final = struct.Struct("<4s2xHH16xHH")
_END: Final = struct.Struct("<4s4xHHIIH")
_END64_AT: Final = struct.Struct("<4s4xQ4x")
_END64: Final = struct.Struct("<4s36xQQ")
_FAR: Final = 0xFFFF + _END.size
"""Bytes from the end in which the end record begins: a comment may stand behind it."""
_DIRECTORY: Final = 64 << 20
"""Bytes of the largest directory that is read: it is held in memory."""
_UNKNOWN: Final = 0xFFFF_FFFF
"""A size of 32 bits that stands elsewhere in 64."""
_ENCRYPTED: Final = 1
_UTF8: Final = 1 << 11
_STORED: Final = 0
_METHODS: Final[dict[int, Callable[[], Unpacker]]] = {8: deflate, 12: bzip2, 93: zstandard}


def is_zip(head: bytes) -> bool:
    """Return whether a file with this head is a ZIP archive (also an empty one)."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def open_zip(path: Path, label: str) -> Archive:
    """Return the members of the archive at *path*.  Raises `ArchiveError` and `OSError`."""
    members = Members(label)
    with _files.open_regular(path) as stream:
        size = _directory_size(stream)
        if size > _DIRECTORY:
            raise ArchiveError(
                f"its list of members has {size} bytes; unpack it and give the folder"
            )
        stream.seek(0)
        try:
            infos = zipfile.ZipFile(stream).infolist()
        # Beside its own error: a name marked as UTF-8 that is none, and a newer version of ZIP.
        except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError) as error:
            raise _broken(error) from None
    for info in infos:
        _add(members, path, info)
    return Archive(members.found, tuple(members.problems))


def _broken(error: object) -> ArchiveError:
    return ArchiveError(
        f"an archive whose list of members cannot be read ({error}); fetch or copy it again"
    )


def _directory_size(stream: BinaryIO) -> int:
    """Return how many bytes the directory has, before anybody holds it in memory."""
    end = stream.seek(0, 2)
    stream.seek(max(0, end - _FAR - _END64_AT.size))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise _broken("its end is missing: it was cut short")
    size: int = _END.unpack_from(tail, at)[3]
    before = at - _END64_AT.size
    if before < 0 or not tail.startswith(b"PK\x06\x07", before):
        return size
    stream.seek(min(_END64_AT.unpack_from(tail, before)[1], end))
    data = stream.read(_END64.size)
    if len(data) < _END64.size or not data.startswith(b"PK\x06\x06"):
        raise _broken("its end is damaged")
    far: int = _END64.unpack(data)[1]
    return max(0 if size == _UNKNOWN else size, far)


def _add(members: Members, path: Path, info: zipfile.ZipInfo) -> None:
    name = _name(info)
    if info.is_dir():
        return
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        members.strange(name, "a link or device in an archive; not followed")
    elif info.flag_bits & _ENCRYPTED:
        members.strange(name, "encrypted; unpack it with its password and give it by itself")
    elif info.compress_type != _STORED and info.compress_type not in _METHODS:
        what = f"packed by method {info.compress_type}, which is not known here"
        members.strange(name, f"{what}; unpack it and give it by itself")
    else:
        members.add(Member(name, info.file_size, partial(_pieces, path, info)))


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name; one that is not marked as UTF-8 mostly is, when it can be read so."""
    # Behind a NUL, which ends a name for others, `zipfile` looks at nothing.
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            name = info.orig_filename
    return name


def _pieces(path: Path, info: zipfile.ZipInfo, step: int) -> Iterator[bytes]:
    """Yield the bytes of a member, checked against its declared size and its CRC-32."""
    given, crc = 0, 0
    try:
        for piece in _unchecked(path, info, step):
            given += len(piece)
            crc = zlib.crc32(piece, crc)
            if given > info.file_size:
                raise ArchiveError(f"larger than the {info.file_size} bytes it declares; not read")
            yield piece
    except (PackedError, OSError) as error:
        raise ArchiveError(f"{getattr(error, 'strerror', None) or error}") from None
    if given != info.file_size:
        raise ArchiveError(f"declares {info.file_size} bytes and holds {given}; copy it again")
    if crc != info.CRC:
        raise ArchiveError("its bytes are not those that were packed (CRC-32); copy it again")


def _unchecked(path: Path, info: zipfile.ZipInfo, step: int) -> Iterator[bytes]:
    if info.compress_type == _STORED:
        return _packed(path, info, step)
    make = _METHODS[info.compress_type]
    # Somewhat more than declared, so that a member which lies is told from one that does not.
    return unpacked(_packed(path, info, step), make, info.file_size + PIECE)


def _packed(path: Path, info: zipfile.ZipInfo, step: int) -> Iterator[bytes]:
    """Yield the packed bytes of a member.  Raises `ArchiveError` and `OSError`."""
    with _files.open_regular(path) as stream:
        stream.seek(info.header_offset)
        head = stream.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
            raise ArchiveError("does not stand where the list of members says; copy it again")
        _, flags, method, name, extra = _LOCAL.unpack(head)
        if method != info.compress_type or (flags & _ENCRYPTED):
            raise ArchiveError("is described in two ways that differ; not read")
        stream.seek(name + extra, 1)
        left = info.compress_size
        while left:
            data = stream.read(min(left, step))
            if not data:
                raise ArchiveError("ends too early: the archive was cut short; copy it again")
            left -= len(data)
            yield data
