"""A folder of text files as a store: each file one source with the version it has now."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import NO_CALLS, Importer, Probe
from store.records.grades import Grade, Layer
from store.records.runs import ProblemKind, Run
from store.records.sources import SourceKind, Version, VersionKey

__all__ = ["IMPORTER"]

_LARGEST = 512 * 1024 * 1024
"""Bytes of the largest file that is read: its text is held in memory."""


def _read(probe: Probe) -> Iterator[Run]:
    builder = RunBuilder("store", probe.label, IMPORTER.name, IMPORTER.layer)
    folder = _Folder(builder, probe.path, probe.label)
    folder.read()
    builder.problem(probe.label, NO_CALLS)
    if folder.hidden:
        builder.problem(
            probe.label,
            f"{folder.hidden} hidden files and folders (such as .git) left out",
            ProblemKind.NOTED,
        )
    yield builder.finish(Grade.UNKNOWN)


@dataclass(slots=True)
class _Folder:
    builder: RunBuilder
    root: Path
    label: str
    hidden: int = 0
    _pending: list[str] = field(default_factory=lambda: [""])

    def read(self) -> None:
        """Add a version for each text file, in the order of their relative paths."""
        found: list[str] = []
        while self._pending:
            self._list(self._pending.pop(), found)
        for relative in sorted(found):
            self._file(relative)

    def _list(self, folder: str, found: list[str]) -> None:
        try:
            entries = list(os.scandir(self.root / folder))
        except OSError as error:
            self._problem(folder, f"folder cannot be listed ({error.strerror or error})")
            return
        for entry in entries:
            relative = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("."):
                self.hidden += 1
            elif entry.is_symlink() and not self._followed(relative):
                continue
            elif entry.is_dir(follow_symlinks=False):
                self._pending.append(relative)
            elif entry.is_dir():
                self._noted(relative, "a link to a folder; left out")
            else:
                found.append(relative)

    def _followed(self, relative: str) -> bool:
        try:
            _files.inside(self.root, relative)
        except _files.OutsideError:
            self._noted(relative, "a link out of the folder; not followed")
            return False
        return True

    def _file(self, relative: str) -> None:
        try:
            with _files.open_regular(self.root / relative) as stream:
                size = os.fstat(stream.fileno()).st_size
                # One byte more than allowed: a file may grow while it is read.
                data = b"" if size > _LARGEST else stream.read(_LARGEST + 1)
        except OSError as error:
            self._problem(relative, f"cannot be read ({error.strerror or error})")
            return
        if max(size, len(data)) > _LARGEST:
            self._problem(relative, f"larger than {_LARGEST} bytes; not read")
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            self._noted(relative, "not text, left out")
            return
        sha256 = hashlib.sha256(data).hexdigest()
        self.builder.versions.append(
            Version(
                key=VersionKey(relative, sha256),
                kind=SourceKind.TEXT,
                title=relative,
                sha256=sha256,
                byte_length=len(data),
                chars=len(text),
                text=text,
                origin=relative,
            )
        )

    def _problem(self, relative: str, what: str) -> None:
        self.builder.problem(f"{self.label}/{_files.shown(relative)}", what)

    def _noted(self, relative: str, what: str) -> None:
        where = f"{self.label}/{_files.shown(relative)}"
        self.builder.problem(where, what, ProblemKind.NOTED)


IMPORTER = Importer(
    name="text-folder",
    title="Folder of text files, taken as a store",
    layer=Layer.STATE,
    grade=Grade.UNKNOWN,
    grade_note="holds sources and no model calls; give it with --store beside a trace",
    recognised_by="a folder in which nothing else was recognised",
    proves="texts with the hash of each, and no model call",
    order=1000,
    recognise=lambda probe: probe.is_folder,
    read=_read,
    last_resort=True,
)
