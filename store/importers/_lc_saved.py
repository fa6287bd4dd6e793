"""Results that deepagents saved to files beside its records, because they were too long.

With a backend on the disk a result lies in ``large_tool_results``, a message in
``conversation_history``, under the name that its stub in a request gives.
Format facts: ``deepagents.middleware.filesystem`` 0.4 to 0.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._lc_thread import ThreadRecord, words_of

__all__ = ["FOLDERS", "give_saved"]

FOLDERS: Final = ("large_tool_results", "conversation_history")
_SAVED: Final = re.compile(r"saved (?:in|to) the filesystem at(?: this path)?: ([^\n]+)")
_LARGEST: Final = 64 << 20


def give_saved(folder: Path, records: Iterable[ThreadRecord]) -> set[Path]:
    """Give the *records* the files in *folder* that stubs in them name; return those files.

    Only the name is taken from a stub: nothing outside of the two folders is opened.
    """
    given: set[Path] = set()
    for record in records:
        for path in _named(record):
            above, _, name = path.rpartition("/")
            place = above.rpartition("/")[2]
            found = _text_of(folder, place, name) if place in FOLDERS else None
            if found is not None:
                record.files.append((path, found, f"{place}/{name}"))
                given.add(folder / place / name)
    return given


def _named(record: ThreadRecord) -> Iterator[str]:
    """Yield each path that a stub in a request names, once."""
    met: set[int] = set()
    paths: dict[str, None] = {}
    for call in record.calls:
        for said in call.request:
            if id(said) not in met and said.plain.role in ("tool", "user"):
                met.add(id(said))
                found = _SAVED.search(words_of(said.plain)[:4096])
                if found is not None:
                    paths[found[1].strip()] = None
    yield from paths


def _text_of(folder: Path, place: str, name: str) -> str | None:
    try:
        path = _files.inside(folder, f"{place}/{name}")
        if path.is_symlink():
            return None
        with _files.open_regular(path) as file:
            data = file.read(_LARGEST + 1)
        return data.decode() if len(data) <= _LARGEST else None
    except (OSError, ValueError):
        return None
