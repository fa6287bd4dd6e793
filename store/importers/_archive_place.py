"""An archive as a folder: what recognition sees of it, and the files of one run at a time.

Recognition gets a folder of heads; reading gets whole files, and only those of
the run that is read.  Both lie among the temporary files of the system, never
beside the archive, and are gone when nobody needs them any more.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from store.importers._archive_tar import is_packed, is_tar, open_packed, open_tar
from store.importers._archive_zip import is_zip, open_zip
from store.importers._archives import Archive, ArchiveError, Member
from store.importers._base import HEAD_BYTES, Probe, UnreadableError
from store.importers._files import shown
from store.importers._probing import file_probe, folder_probe, reason
from store.records.runs import Problem

__all__ = ["ArchiveFolder", "is_archive"]

_TOTAL: Final = 20 << 30
"""Bytes that are taken out of an archive for one run at most."""
_WHOLE: Final = (b"PK\x03\x04", b"SQLite format 3\0", b"PAR1")
"""Files that are recognised by more than their head."""
_SUFFIXES: Final = (".gz", ".zst", ".zstd", ".bz2", ".tar", ".tgz", ".tzst", ".tbz2", ".zip")


def is_archive(head: bytes) -> bool:
    """Return whether a file with this head is an archive, or packed as a whole."""
    return is_zip(head) or is_packed(head) or is_tar(head)


class ArchiveFolder:
    """What lies in the archive at *path*; *label* is how the user named it.

    Raises `UnreadableError` where it cannot be listed, and `OSError`.
    """

    def __init__(self, path: Path, label: str, head: bytes) -> None:
        self._label = label
        self._path = path
        self._folders: dict[str, Path] = {}
        try:
            self._archive = _opened(path, label, head)
        except ArchiveError as error:
            raise UnreadableError(shown(label), str(error)) from None
        self.problems = [
            Problem(shown(each.where), each.what, each.kind) for each in self._archive.problems
        ]
        """What is wrong with its members, as far as they were looked at."""
        self._temporary = Path(tempfile.mkdtemp(prefix="reread-"))
        weakref.finalize(self, shutil.rmtree, self._temporary, ignore_errors=True)
        self.single = self._archive.single
        """The one file that is packed here without any archive, or an empty text."""

    @property
    def name(self) -> str:
        """The name of the archive without the endings that say what it is."""
        name = self._path.name
        while (shorter := _without_suffix(name)) != name:
            name = shorter
        return name or "archive"

    def heads(self) -> Path:
        """Return a folder with the head of every member, for recognition only."""
        root = self._temporary / "heads" / self.name
        root.mkdir(parents=True, exist_ok=True)
        for member in self._archive.members.values():
            try:
                self._head(root / member.name, member)
            except ArchiveError as error:
                self.problems.append(Problem(self._shown(member.name), str(error)))
        return root

    def _head(self, path: Path, member: Member) -> None:
        head = member.head()
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.size > HEAD_BYTES and head.startswith(_WHOLE):
            self._fits(member.size)
            member.copy(path)
        else:
            path.write_bytes(head)

    def size(self, name: str) -> int:
        """Return the size of a member as declared."""
        return self._archive.members[name].size

    @contextmanager
    def opened(
        self, name: str, label: str, *, is_folder: bool, alone: bool
    ) -> Iterator[tuple[Probe, list[Problem]]]:
        """Take what belongs to *name* out; give the probe of it, and what could not be taken.

        A folder is taken out with all that is in it.  So is the folder of a
        file, unless it is *alone*.  Raises `UnreadableError` and `OSError`.
        """
        keep = not (is_folder or alone)
        folder = name if is_folder else name.rpartition("/")[0]
        problems: list[Problem] = []
        try:
            if keep:
                root = self._kept(folder, problems)
            else:
                root = Path(tempfile.mkdtemp(dir=self._temporary))
                self._take(root, folder, name if alone and not is_folder else "", problems)
        except ArchiveError as error:
            raise UnreadableError(shown(label), str(error)) from None
        try:
            inner = name.removeprefix(folder).lstrip("/")
            path = self._home(root, folder) / inner
            if problems and not path.exists():
                raise UnreadableError(problems[0].where, problems[0].what)
            probe = folder_probe(path, label) if is_folder else file_probe(path, label)
            if isinstance(probe, Problem):
                raise UnreadableError(probe.where, probe.what)
            yield probe, problems
        finally:
            if not keep:
                shutil.rmtree(root, ignore_errors=True)

    def _kept(self, folder: str, problems: list[Problem]) -> Path:
        """Return a copy of *folder*, which stays until another one is asked for."""
        if folder not in self._folders:
            for old in self._folders.values():
                shutil.rmtree(old, ignore_errors=True)
            self._folders.clear()
            root = Path(tempfile.mkdtemp(dir=self._temporary))
            self._take(root, folder, "", problems)
            self._folders[folder] = root
        return self._folders[folder]

    def _home(self, root: Path, folder: str) -> Path:
        return root / (folder.rpartition("/")[2] or self.name)

    def _take(self, root: Path, folder: str, only: str, problems: list[Problem]) -> None:
        """Copy the files of *folder*, or *only* one of them, to *root*."""
        start = f"{folder}/" if folder else ""
        members = self._archive.members
        wanted = [only] if only else [name for name in members if name.startswith(start)]
        self._fits(sum(members[name].size for name in wanted))
        home = self._home(root, folder)
        home.mkdir(parents=True)
        for name in wanted:
            try:
                members[name].copy(home / name.removeprefix(start))
            except ArchiveError as error:
                if only:
                    raise
                # The run is read without it, and says where what it misses was.
                (home / name.removeprefix(start)).unlink(missing_ok=True)
                problems.append(Problem(self._shown(name), str(error)))
            except OSError as error:
                raise ArchiveError(f"cannot be unpacked ({reason(error)})") from None

    def _fits(self, size: int) -> None:
        room = min(_TOTAL, shutil.disk_usage(self._temporary).free // 2)
        if size > room:
            raise ArchiveError(
                f"takes {size} bytes unpacked, more than the {room} that may be used for it; "
                "unpack it yourself and give the folder"
            )

    def _shown(self, name: str) -> str:
        return shown(f"{self._label}/{name}")


def _opened(path: Path, label: str, head: bytes) -> Archive:
    if is_zip(head):
        return open_zip(path, label)
    return open_packed(path, label) if is_packed(head) else open_tar(path, label)


def _without_suffix(name: str) -> str:
    return next((name[: -len(each)] for each in _SUFFIXES if name.endswith(each)), name)
