"""Writes a result to a file: whole or not at all, and never onto evidence."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from reviewer.services.places import SETTINGS_FILE
from store.stopping import go_on

__all__ = ["RefusedError", "ResultFile", "checked_output"]


class RefusedError(Exception):
    """A result cannot be written there; the text names the place and says why."""


def checked_output(name: str, evidence: Sequence[str]) -> Path:
    """Return where to write, or raise `RefusedError` where that could touch evidence.

    Evidence is every input: the file itself, a folder with all it holds, and
    the folder of side files that a session file has beside it.
    """
    path = Path(name)
    if not name:
        raise RefusedError("the name is empty; name a file")
    try:
        is_folder, place = path.is_dir(), Path(os.path.realpath(path))
        has_folder = place.parent.is_dir()
        is_special = place.exists() and not place.is_file()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RefusedError(f"{name}: no file can have this name ({reason})") from None
    if is_folder:
        raise RefusedError(f"{name}: this is a folder; name a file in it")
    if is_special:
        # A result is moved into its place, which would put a file where a device or a pipe was.
        raise RefusedError(f"{name}: this is no file (a device, a pipe or a socket); name a file")
    if not has_folder:
        raise RefusedError(f"{name}: there is no folder {place.parent}; make it first")
    if _same(path, Path(SETTINGS_FILE)):
        raise RefusedError(f"{name}: these are the settings in force; choose another place")
    for given in evidence:
        if given == "-":
            continue
        held = Path(os.path.realpath(given))
        inside = held in place.parents or held.with_suffix("") in place.parents
        if held == place or inside or _same(path, held):
            raise RefusedError(
                f"{name}: this lies in the evidence {given}, which is only ever read; "
                "choose a place outside it"
            )
    return place


def _same(path: Path, held: Path) -> bool:
    with suppress(OSError):
        return path.samefile(held)
    return False


class ResultFile:
    """Takes a result beside its place and moves it there when it is whole.

    A context manager: left by an error, or without `keep`, nothing is written.
    """

    def __init__(self, place: Path, name: str) -> None:
        self._place = place
        self._name = name
        self._kept = False
        try:
            handle, made = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        except OSError as error:
            raise self._refused(error) from None
        self._made = Path(made)
        self._stream = os.fdopen(handle, "wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with suppress(OSError):  # on a full disk what is held back fits no more than the rest
                self._stream.close()
        finally:
            if not self._kept:
                self._made.unlink(missing_ok=True)

    def write(self, chunks: Iterable[str | bytes]) -> None:
        """Add to the result, text as UTF-8; what UTF-8 cannot hold is written as an escape."""
        for chunk in chunks:
            data = chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "backslashreplace")
            try:
                self._stream.write(data)
            except OSError as error:
                raise self._refused(error) from None

    def keep(self) -> None:
        """Put the whole result in its place, unless nobody waits for it any more."""
        go_on()
        try:
            self._stream.close()
            umask = os.umask(0)
            os.umask(umask)
            self._made.chmod(0o666 & ~umask)
            self._made.replace(self._place)
        except OSError as error:
            raise self._refused(error) from None
        self._kept = True

    def _refused(self, error: OSError) -> Exception:
        return RefusedError(f"{self._name}: cannot be written ({error.strerror or error})")
