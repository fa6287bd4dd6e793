"""Opening what somebody else wrote: read-only, regular files only, never outside a folder.

A named pipe would block for ever and a device may do anything, so only what
`os.fstat` calls a regular file is read.  Files are never mapped into memory:
one that is cut short while it is mapped ends the process.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from io import BufferedReader, FileIO
from itertools import count
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from store.stopping import go_on

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "LONG_LINES",
    "Line",
    "OutsideError",
    "inside",
    "lines",
    "names_in",
    "open_regular",
    "sha256_of",
    "shown",
]

LONG_LINES = 4 << 20
"""Buffer for logs: a line that fits is copied once less."""
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class OutsideError(ValueError):
    """A path leaves the folder it belongs to, by its spelling or through a link."""


class Line(NamedTuple):
    r"""One line: its number from 1, and its bytes with the ``\n`` that ends it, if one does."""

    number: int
    data: bytes

    @property
    def ended(self) -> bool:
        r"""Whether a ``\n`` ends the line; the last one may have been cut short."""
        return self.data.endswith(b"\n")


class _Asking(FileIO):
    """A file that asks at each piece of it whether anybody still waits for what it holds."""

    def readinto(self, buffer: Buffer, /) -> int | None:
        go_on()
        return super().readinto(buffer)

    def readall(self) -> bytes:
        go_on()
        return super().readall()


def open_regular(path: Path, buffer: int = 1 << 16) -> BufferedReader:
    """Open *path* for reading, *buffer* bytes at a time.

    Raises `OSError`, also for what is no regular file; reading from it raises
    `StoppedError` where nobody waits any more.
    """
    # A pipe without a writer must not block, a terminal must not become ours.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not a regular file")
    return BufferedReader(_Asking(handle, "rb"), buffer)


def lines(stream: BinaryIO) -> Iterator[Line]:
    r"""Yield the lines of *stream*, one in memory at a time, split on ``\n`` alone."""
    # The "\n" stays: to take it off would copy every line, and lines can be long.
    return map(Line, count(1), stream)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.  Raises `OSError`."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def inside(folder: Path, relative: str) -> Path:
    """Return the path of *relative* in *folder*.

    Raises `OutsideError` when it is absolute, climbs out or is led out by a
    link.  The path need not exist.
    """
    pure = PureWindowsPath(relative)
    if not relative or "\0" in relative or pure.drive or pure.root or ".." in pure.parts:
        raise OutsideError(relative)
    path = folder / relative
    try:
        real = path.resolve()
        root = folder.resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself; no name a file can have
        raise OutsideError(relative) from None
    if real != root and root not in real.parents:
        raise OutsideError(relative)
    return path


def names_in(folder: Path) -> frozenset[str]:
    """Return the names in *folder*; none when it cannot be listed."""
    try:
        return frozenset(each.name for each in folder.iterdir())
    except OSError:
        return frozenset()


def shown(name: str) -> str:
    """Return *name* on one printable line: control characters and stray bytes are escaped."""
    return _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", name)
