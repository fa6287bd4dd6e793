"""Exact reread from a store on the disk, checked at each reading.

A store is a run folder, a folder with ``versions.jsonl``, a folder of text
files, or any recorded run whose evidence is in the record itself.  What was
read when it was opened proves nothing about now: where a version has bytes of
its own they are read and hashed again.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reviewer.services.team import saved_runs
from store import jsonin
from store.errors import MissingObjectError
from store.objects import ObjectFolder, open_plain
from store.opening import open_paths
from store.records.runs import Grant, Problem, Run
from store.records.sources import Version, VersionKey
from store.results import Results, allows

__all__ = ["OpenStore", "VersionFiles", "open_store", "results_of"]

_TEXT_FOLDER = "text-folder"
_STDIN = "-"
_LARGEST_MANIFEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenStore:
    """What a store holds, and what could not be read of it."""

    results: Results
    runs: tuple[Run, ...]
    problems: tuple[Problem, ...]


def open_store(path: str, store: str | None = None) -> OpenStore:
    """Open the store at *path*; *store* names further evidence.

    Never raises for what is wrong with it: that is in ``problems``.
    """
    runs: list[Run] = []
    problems: list[Problem] = []
    for found in open_paths([path], store, saved=saved_runs):
        if isinstance(found, Run):
            runs.append(found)
            problems += found.problems
        else:
            problems.append(found)
    folders = [path] if store is None else [path, store]
    return OpenStore(results_of(runs, folders), tuple(runs), tuple(problems))


def results_of(runs: Iterable[Run], folders: Iterable[str] = ()) -> Results:
    """Return the results of *runs*, whose bytes are read again from where the runs lie.

    *folders* are further places of evidence.  A source is inside the grant when
    a run that holds it allows it; a run without a recorded grant allows its own.
    """
    runs = list(runs)
    named = dict.fromkeys([*(run.path for run in runs), *folders])
    roots = dict.fromkeys(_root(Path(path)) for path in named if path != _STDIN)
    texts = dict.fromkeys(run.path for run in runs if run.format == _TEXT_FOLDER) | dict.fromkeys(
        folders
    )
    places: list[_Objects | _Texts] = [*map(_Objects, roots)]
    places += [_Texts(Path(path)) for path in texts if os.path.isdir(path)]  # noqa: PTH112
    versions = [version for run in runs for version in run.versions]
    return Results(versions, _grant(runs), _Bytes(versions, places))


class VersionFiles:
    """Names the file that holds the bytes of a version; each run is looked at once."""

    def __init__(self) -> None:
        self._places: dict[str, _Objects] = {}

    def __call__(self, run: Run, version: Version) -> str | None:
        """Return its path, which begins as that of the run; ``None`` where there is no file."""
        if run.path == _STDIN:
            return None
        root = _root(Path(run.path))
        if str(root) not in self._places:
            self._places[str(root)] = _Objects(root)
        return self._places[str(root)].path(version)


def _root(path: Path) -> Path:
    # Unlike `Path.is_dir` this raises for no name, however long or strange.
    return path if os.path.isdir(path) else path.parent  # noqa: PTH112


def _grant(runs: list[Run]) -> Grant | None:
    grants = {run.grant for run in runs}
    if len(grants) <= 1:
        return next(iter(grants), None)
    allowed = {
        glob.escape(version.key.source_id)
        for run in runs
        for version in run.versions
        if allows(run.grant, version.key.source_id)
    }
    # A pattern that matches nothing: an empty scope would restrict nothing.
    return Grant(tuple(sorted(allowed)) or ("[!\x00-\U0010ffff]",))


class _Bytes:
    """Gives the bytes of a version as they are now.

    A version that had bytes of its own when the store was opened must have
    them still: that its text is in memory is no evidence.
    """

    def __init__(self, versions: Iterable[Version], places: list[_Objects | _Texts]) -> None:
        self._home: dict[VersionKey, _Objects | _Texts] = {}
        for version in versions:
            for place in places:
                if place.holds(version):
                    self._home.setdefault(version.key, place)
                    break

    def __call__(self, version: Version) -> bytes | None:
        home = self._home.get(version.key)
        return None if home is None else home.read(version)


class _Objects:
    """The objects of a run folder or of its ``store``."""

    def __init__(self, root: Path) -> None:
        places = dict.fromkeys((_recorded_store(root), "store", "."))
        self._folders = [ObjectFolder(root / place / "objects", root) for place in places]

    def holds(self, version: Version) -> bool:
        """Whether an object of the version's hash is there, right or wrong."""
        return self._folder(version) is not None

    def read(self, version: Version) -> bytes:
        """Return its bytes, checked."""
        folder = self._folder(version) or self._folders[0]
        return folder.read(version.sha256)

    def path(self, version: Version) -> str | None:
        """Return where its bytes lie, ``None`` where they do not."""
        folder = self._folder(version)
        return None if folder is None else str(folder.path(version.sha256))

    def _folder(self, version: Version) -> ObjectFolder | None:
        if len(version.sha256) != 64:  # noqa: PLR2004 - the digits of a SHA-256
            return None
        return next((one for one in self._folders if one.has(version.sha256)), None)


class _Texts:
    """A folder of text files; a source is the relative path of its file."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def holds(self, version: Version) -> bool:
        """Whether the source is a file of the folder."""
        path = self._path(version)
        return path is not None and path.is_file()

    def read(self, version: Version) -> bytes:
        """Return the bytes of the file as they are now."""
        path = self._path(version)
        if path is None:
            raise MissingObjectError(
                "it leads out of its folder now", version.key.source_id, "Put the file back."
            )
        with open_plain(path, self._root) as file:
            return file.read()

    def _path(self, version: Version) -> Path | None:
        try:
            path = (self._root / version.key.source_id).resolve()
        except (OSError, ValueError, RuntimeError):
            return None
        return path if self._root in path.parents else None


def _recorded_store(root: Path) -> str:
    """Return where ``manifest.json`` says that the store is, if that is inside the folder."""
    try:
        with open_plain(root / "manifest.json", root) as file:
            manifest = jsonin.loads(file.read(_LARGEST_MANIFEST))
    except (MissingObjectError, jsonin.JsonError):
        return "store"
    store = manifest.get("store") if isinstance(manifest, dict) else None
    place = store.get("path") if isinstance(store, dict) else None
    if not isinstance(place, str) or "\0" in place or Path(place).is_absolute():
        return "store"
    return "store" if ".." in Path(place).parts else place
