"""Notices that a path on the disk holds something else than before.

Made to run in a worker thread; nothing is opened, and nothing outside the path
is looked at but the folder of side files that a session file has beside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MOST_FILES", "Seen", "look_at"]

MOST_FILES = 20_000
"""Files of one path that are looked at; of a larger folder the rest is not watched."""
_NOT_WALKED = frozenset({".git", ".hg", ".svn"})

_State = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a path held: size, time of change (ns) and identity of every file, and its folders."""

    files: Mapping[str, _State]
    folders: tuple[str, ...]

    @property
    def latest(self) -> int:
        """The latest time at which a file was changed, in nanoseconds; 0 without files."""
        return max((state[1] for state in self.files.values()), default=0)


def look_at(path: str, check: Callable[[], None] = lambda: None) -> Seen:
    """Return what *path* holds now; what cannot be looked at is not there.

    *check* is called for each folder and may raise.
    """
    files: dict[str, _State] = {}
    folders: list[str] = []
    state = _state(path)
    if state is not None:
        files[path] = state
    beside = str(Path(path).with_suffix("")) if state is not None else path
    for folder, names in _walk(beside):
        check()
        folders.append(folder)
        for name in names:
            if len(files) >= MOST_FILES:
                return Seen(files, tuple(folders))
            place = os.path.join(folder, name)  # noqa: PTH118 - names may hold bytes that are no text
            found = _state(place)
            if found is not None:
                files[place] = found
    return Seen(files, tuple(folders))


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    for place, below, names in os.walk(folder, followlinks=False):
        below[:] = sorted(name for name in below if name not in _NOT_WALKED)
        yield place, sorted(names)


def _state(path: str) -> _State | None:
    """Return the state of a file, ``None`` where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    is_file = (found.st_mode & 0o170000) == 0o100000  # noqa: PLR2004 - the bits of a plain file
    return (found.st_size, found.st_mtime_ns, found.st_ino) if is_file else None
