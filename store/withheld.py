"""Evidence whose bytes are not for others: reading takes credentials out of it."""

from __future__ import annotations

from pathlib import Path

from store.importers import importers
from store.importers._probing import file_probe

__all__ = ["credentials_in"]


def credentials_in(path: Path, format_: str) -> int:
    """Return how many credentials reading the file at *path* as *format_* takes out.

    What cannot be looked at, as a member of an archive, counts as one.
    """
    importer = next((each for each in importers() if each.name == format_), None)
    if importer is None or importer.credentials is None:
        return 0
    try:
        return importer.credentials(file_probe(path, str(path)))
    except OSError:
        return 1
