"""Exact bytes by their SHA-256, in a folder: ``14/1454125600…``.

An object is written once and never again.  It is read only after its hash was
checked, through no link, and never from outside its folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from store.errors import ChangedObjectError, MissingObjectError, StoreError

__all__ = ["ObjectFolder", "open_plain", "sha256_hex", "sync_folder"]

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1024 * 1024
_RESTORE = "Restore it from the producer's copy; other objects are not affected."
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of *data* as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


class ObjectFolder:
    """The objects below *root*.

    No component below *within* (by default *root* itself) may be a link: for
    the objects of a run folder give the run folder.  Nothing is created before
    the first `put`.
    """

    def __init__(self, root: Path, within: Path | None = None) -> None:
        self.root = root
        self.within = root if within is None else within

    def path(self, digest: str) -> Path:
        """Return where the object *digest* lies, whether it is there or not.

        Raises `StoreError` for what is no SHA-256, so that no name in a record
        can lead elsewhere.
        """
        if not _DIGEST.fullmatch(digest):
            raise StoreError(
                f"{digest[:80]!r} is no SHA-256",
                str(self.root),
                "An object is named by 64 lower-case hexadecimal digits.",
            )
        return self.root / digest[:2] / digest

    def has(self, digest: str) -> bool:
        """Return whether a file of that name is there; its bytes are not checked."""
        return self._is_plain(self.path(digest))

    def read(self, digest: str, start: int = 0, end: int | None = None) -> bytes:
        """Return bytes ``[start, end)`` of an object, after the hash of all of it was checked.

        The memory used is that of the range.  Raises `MissingObjectError`,
        `ChangedObjectError`, and ``ValueError`` for a range outside the object.
        """
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: [{start}, {end})")
        kept: list[bytes] = []
        size = 0
        for chunk in self._checked(digest):
            first = max(start - size, 0)
            last = len(chunk) if end is None else min(max(end - size, 0), len(chunk))
            if first < last:
                kept.append(chunk[first:last])
            size += len(chunk)
        if max(start, end or 0) > size:
            raise ValueError(f"range [{start}, {end}) outside an object of {size} bytes")
        return b"".join(kept)

    def verify(self, digest: str) -> int:
        """Return the size in bytes of an object whose hash was checked.  Raises as `read`."""
        return sum(map(len, self._checked(digest)))

    def put(self, data: bytes) -> str:
        """Keep *data* and return its SHA-256.

        The object appears whole or not at all, also when two processes put it
        at once.  One that is already there is checked and left as it is.
        """
        digest = sha256_hex(data)
        path = self.path(digest)
        if self.has(digest):
            self.verify(digest)
            return digest
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(path, data)
        except OSError as error:
            raise StoreError(
                f"cannot be written ({error.strerror})",
                str(path),
                "Check that the folder may be written to and the disk has space.",
            ) from error
        return digest

    def _write(self, path: Path, data: bytes) -> None:
        _refuse_links(path, self.within)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)

    def _checked(self, digest: str) -> Iterator[bytes]:
        """Yield the object in pieces; the generator fails at its end when the hash differs.

        Hence every caller runs it to its end before anything leaves this class.
        """
        path = self.path(digest)
        seen = hashlib.sha256()
        with open_plain(path, self.within) as file:
            while chunk := file.read(_CHUNK):
                seen.update(chunk)
                yield chunk
        if seen.hexdigest() != digest:
            raise ChangedObjectError(
                f"its bytes have the SHA-256 {seen.hexdigest()}, not the one that names it",
                str(path),
                _RESTORE,
            )

    def _is_plain(self, path: Path) -> bool:
        try:
            _refuse_links(path, self.within)
            return stat.S_ISREG(path.lstat().st_mode)
        except (OSError, MissingObjectError):
            return False


@contextmanager
def open_plain(path: Path, within: Path) -> Iterator[BinaryIO]:
    """Open a regular file below *within* for reading, through no link.

    Raises `MissingObjectError` for anything else.
    """
    _refuse_links(path, within)
    try:
        # A link or a pipe put there after the check is refused by the flags and the mode.
        handle = os.open(path, _FLAGS)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise MissingObjectError("it is no regular file", str(path), _RESTORE)
            yield file
    except OSError as error:
        raise MissingObjectError(
            f"it cannot be read ({error.strerror or error})", str(path), _RESTORE
        ) from error


def _refuse_links(path: Path, within: Path) -> None:
    reached = within
    for name in path.relative_to(within).parts:
        reached = reached / name
        if reached.is_symlink() or (hasattr(reached, "is_junction") and reached.is_junction()):
            raise MissingObjectError(
                "it is a link, and evidence is not read through links",
                str(reached),
                "Put the file itself there.",
            )


def sync_folder(folder: Path) -> None:
    """Make the new name last; not every system can, and the bytes are safe without it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
