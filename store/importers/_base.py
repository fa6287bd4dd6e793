"""What an importer is, and what it may ask of the one who opens a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.records.grades import Grade, Layer
from store.records.runs import Problem, Run

__all__ = [
    "HEAD_BYTES",
    "NO_CALLS",
    "HandOver",
    "Importer",
    "Listed",
    "Probe",
    "UnreadableError",
    "runs_in",
]

HEAD_BYTES = 64 * 1024
"""How much of a file recognition may look at: a first line can be longer, so bytes, not lines."""


NO_CALLS = "holds no model call, so nothing in it can be audited; give the trace of the run as well"
"""What is said of evidence without a run; no problem where evidence is what was asked for."""


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
class HandOver:
    """A trace in another format that an importer found and cannot read itself.

    Whoever opens paths reads *path* by its content and passes each run through
    ``complete``, which adds the evidence that was found around the trace.
    """

    path: Path
    label: str
    complete: Callable[[Run], Run]


@dataclass(frozen=True, slots=True)
class Listed:
    """One of the runs that a file or folder holds, told without reading it.

    ``run_id`` is what the run will call itself, or empty where only reading
    tells; ``origin`` names its place (a member, a line) and is unique there.
    ``size`` are the bytes that reading it takes, as far as known.  ``more``
    says that other runs come with it (subagents, branches) which are not
    listed.  ``read`` is as that of the importer.
    """

    run_id: str
    origin: str
    read: Callable[[], Iterator[Run | HandOver]] = field(repr=False, compare=False)
    title: str = ""
    size: int | None = None
    more: bool = False


def runs_in(listing: Iterable[Listed]) -> Iterator[Run]:
    """Read what is listed, one after the other: the ``read`` of an importer that lists."""
    for listed in listing:
        yield from (item for item in listed.read() if isinstance(item, Run))


@dataclass(frozen=True, slots=True)
class Importer:
    """One readable format; a module of `store.importers` holds it as ``IMPORTER``.

    ``order`` decides who is asked first (small first: most specific).
    ``recognise`` answers from the probe alone and never raises.  ``read``
    yields runs; what cannot be read becomes a problem of the run, or an
    `UnreadableError` when nothing at all can be said.  A `HandOver` asks for a
    trace of another format to be read.  A folder that was recognised is read as
    a whole: nobody else is asked about what lies in it.  ``last_resort`` is for
    what can read any folder: it is asked when nothing in the folder was found.

    ``listing`` is for what holds many runs: it yields them from heads, a
    directory or an index, and what of it cannot be listed; it raises as
    ``read`` does, and need not be there.
    ``proves`` says for the manual what the samples at hand prove of it.
    ``heads_tell`` says that it looks at nothing but heads of files.
    ``alone`` says that of a file nothing else is looked at, neither beside it
    nor in a folder of its name: then nothing else is taken out of an archive.
    ``credentials`` counts what reading takes out of a file because it may be a
    credential: the bytes of such a file are not for others.
    ``shares`` says that a folder may hold traces of other formats beside its
    own: those are read as well, and may be records of the same runs.
    """

    name: str
    title: str
    layer: Layer
    grade: Grade
    grade_note: str
    recognised_by: str
    order: int
    recognise: Callable[[Probe], bool]
    read: Callable[[Probe], Iterator[Run | HandOver]]
    last_resort: bool = False
    listing: Callable[[Probe], Iterator[Listed | Problem]] | None = None
    heads_tell: bool = False
    proves: str = ""
    alone: bool = False
    credentials: Callable[[Probe], int] | None = None
    shares: bool = False
