"""What an importer is, and what it may ask of the one who opens a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.records.grades import Grade, Layer
from store.records.runs import Problem, Run

__all__ = ["HEAD_BYTES", "Importer", "Probe", "UnreadableError"]

HEAD_BYTES = 64 * 1024
"""How much of a file recognition may look at: a first line can be longer, so bytes, not lines."""


class UnreadableError(Exception):
    """An input as a whole cannot be read.  The text says what, and what to do."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.problem = Problem(where, what)


@dataclass(frozen=True, slots=True)
class Probe:
    """What recognition sees of a path: never more than its head and the names beside it.

    ``label`` is the path as the user gave it, ``names`` the entries of a
    folder (empty for a file), ``head`` the first bytes of a file.
    """

    path: Path
    label: str
    is_folder: bool
    head: bytes = field(default=b"", repr=False)
    size: int = 0
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Importer:
    """One readable format; a module of `store.importers` holds it as ``IMPORTER``.

    ``order`` decides who is asked first (small first: most specific).
    ``recognise`` answers from the probe alone and never raises.  ``read``
    yields runs; what cannot be read becomes a problem of the run, or an
    `UnreadableError` when nothing at all can be said.  ``claims`` returns, for
    a folder that was recognised, whether a path below belongs to it (so that
    nobody else is asked about it).
    """

    name: str
    title: str
    layer: Layer
    grade: Grade
    grade_note: str
    recognised_by: str
    order: int
    recognise: Callable[[Probe], bool]
    read: Callable[[Probe], Iterator[Run]]
