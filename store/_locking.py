"""A lock on an open file that ends with the process that holds it.

Where the system or the file system has no such lock, a file beside it stands
for it; that one may outlive a killed process, and the error says so.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from store.errors import StoreError

__all__ = ["PATIENCE", "locked"]

PATIENCE = 10.0
"""Seconds to wait for another process.  A lock is held for the time of one small write."""

_PAUSE = 0.005
_BUSY = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})
_NOT_HERE = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 40
    """A byte behind every log: what is locked there keeps nobody from reading."""

    def _take(handle: int, *, shared: bool) -> None:
        del shared
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _give(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    try:
        import fcntl
    except ImportError:  # a Python without it

        def _take(handle: int, *, shared: bool) -> None:
            raise OSError(errno.ENOSYS, "no locks", str((handle, shared)))

        def _give(handle: int) -> None:
            del handle

    else:

        def _take(handle: int, *, shared: bool) -> None:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(handle, kind | fcntl.LOCK_NB)

        def _give(handle: int) -> None:
            fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def locked(
    handle: int, path: str, *, shared: bool = False, patience: float = PATIENCE
) -> Iterator[None]:
    """Hold a lock on the open file *handle*, which lies at *path*.

    *shared* is for readers: several may hold it, and where there are no locks
    they go on without.  Raises `StoreError` when others hold it for longer
    than *patience* seconds.
    """
    until = time.monotonic() + patience
    beside = ""
    while True:
        try:
            _take(handle, shared=shared)
            break
        except OSError as error:
            if error.errno in _NOT_HERE:
                beside = "" if shared else f"{path}.lock"
                break
            if error.errno not in _BUSY:
                raise
        _wait(until, path, "Close the other program that has it open, and decide again.")
    if beside:
        with _beside(beside, until):
            yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            _give(handle)


@contextmanager
def _beside(path: str, until: float) -> Iterator[None]:
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            _wait(until, path, "If no other program works on this log, delete this file.")
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - a name, as above


def _wait(until: float, path: str, advice: str) -> None:
    if time.monotonic() >= until:
        raise StoreError("another program holds it", path, advice)
    time.sleep(_PAUSE)
