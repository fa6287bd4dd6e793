"""Opens whatever a user names: says what each path is, reads it, survives what is wrong with it.

Runs are yielded as soon as they are read.  Whatever cannot be read becomes one
`Problem` and does not stop the other inputs.  Nothing is written, except a
temporary copy of standard input.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from store.evidence import derive
from store.importers import _files, importers
from store.importers._base import NO_CALLS, HandOver, Importer, Probe, UnreadableError
from store.importers._probing import file_probe, folder_probe, reason, unknown
from store.records.runs import Problem, ProblemKind, Run
from store.records.sources import RefreshFailure, Version, VersionKey
from store.stopping import Stopped, stoppable

__all__ = ["is_about_calls", "open_paths"]

_NOT_WALKED = frozenset({".git", ".hg", ".svn", "reread.toml"})
"""Names that are passed over in silence: no evidence, and the settings of an audit."""

_NAMED = 5
"""How many files that nobody can read are named; the others are counted."""

_NO_RUN = re.compile(r"no run found: (?:[0-9]+) text files opened as a store;")

_Opened = Iterator[Run | Problem]
Saved = Callable[[str], _Opened | None]
"""Looks a name up in some other place than the files."""


def open_paths(
    paths: Sequence[str],
    store: str | None = None,
    *,
    stdin: BinaryIO | None = None,
    stopped: Stopped | None = None,
    saved: Saved | None = None,
) -> Iterator[Run | Problem]:
    """Yield the runs in *paths*, and a problem for each input that cannot be read.

    ``-`` is standard input.  *store* is a run folder, its ``store`` or a
    folder of text files, whose versions are added to every run.  Runs come in
    the order of *paths*; within a folder, by path and then by run id.  Where
    *stopped* is given it is asked at each piece that is read, each message and
    each call; `StoppedError` is raised when it says so, and the run that was
    being read is not there.  *saved* is asked first for each path: what it
    returns is the runs that are kept elsewhere under that name, ``None`` that
    the name is that of a file.
    """
    found = _open_all(paths, store, stdin, saved or _no_saved)
    return found if stopped is None else stoppable(found, stopped)


def _no_saved(_path: str) -> None:
    return None


def _open_all(
    paths: Sequence[str], store: str | None, stdin: BinaryIO | None, saved: Saved
) -> _Opened:
    evidence = _Store()
    if store is not None:
        yield from evidence.read(store)
    for path in paths:
        found = saved(path)
        if found is None:
            found = _standard_input(stdin) if path == "-" else _open(path)
        for item in found:
            yield _with_evidence(evidence.added(item)) if isinstance(item, Run) else item


def is_about_calls(problem: Problem) -> bool:
    """Tell whether a problem says only that there is no model call: for a store that is none."""
    return problem.what == NO_CALLS or bool(_NO_RUN.match(problem.what))


@dataclass(slots=True)
class _Store:
    """Versions from elsewhere, which every run gets."""

    versions: list[Version] = field(default_factory=list)
    refresh_failures: list[RefreshFailure] = field(default_factory=list)

    def read(self, path: str) -> Iterator[Problem]:
        """Take in a store, telling what is wrong with it."""
        told = False
        for item in _open_store(path):
            if isinstance(item, Problem):
                told = told or item.kind is ProblemKind.LOST
                yield item
                continue
            self.versions += item.versions
            self.refresh_failures += item.refresh_failures
            yield from (each for each in item.problems if each.what != NO_CALLS)
        if not (self.versions or told):
            yield Problem(_files.shown(path), "no version of any source found in this store")

    def added(self, run: Run) -> Run:
        """Return *run* with these versions, its own first."""
        known: set[VersionKey] = {version.key for version in run.versions}
        more = tuple(version for version in self.versions if version.key not in known)
        if not more and not self.refresh_failures:
            return run
        failures = (*run.refresh_failures, *self.refresh_failures)
        return replace(run, versions=(*run.versions, *more), refresh_failures=failures)


def _open_store(path: str) -> _Opened:
    """Open evidence without a run: what keeps versions as such, else a folder of texts."""
    if not os.path.isdir(path):  # noqa: PTH112 - a name may hold bytes that are no text
        yield Problem(_files.shown(path), "there is no such folder; --store takes a folder")
        return
    probe = folder_probe(Path(path), _label(path))
    if isinstance(probe, Problem):
        yield probe
        return
    importer = _importer_of(probe)
    items = list(_read(importer, probe)) if importer else []
    if any(isinstance(item, Run) and item.versions for item in items):
        yield from items
        return
    for each in importers():
        if each.last_resort and each.recognise(probe):
            yield from _read(each, probe)
            return


def _open(path: str) -> _Opened:
    """Open one path as the user gave it."""
    where = _files.shown(path)
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        yield Problem(where, "there is no such file or folder; check the spelling")
    except (OSError, ValueError) as error:
        yield Problem(where, f"cannot be looked at ({reason(error)})")
    else:
        if stat.S_ISDIR(mode):
            yield from _folder(Path(path), _label(path))
        elif stat.S_ISREG(mode):
            yield from _file(Path(path), path)
        else:
            yield Problem(
                where, "neither a file nor a folder (a pipe, socket or device); not opened"
            )


def _label(folder: str) -> str:
    """Return how a folder is called before the names in it: one stroke stands between."""
    return folder.rstrip("/") or folder


# -- files ---------------------------------------------------------------------


def _file(path: Path, label: str) -> _Opened:
    """Open a file that the user named or that a manifest hands over."""
    where = _files.shown(label)
    try:
        probe = file_probe(path, label)
    except OSError as error:
        yield Problem(where, f"cannot be read ({reason(error)})")
        return
    importer = _importer_of(probe)
    if importer is not None:
        yield from _read(importer, probe)
    else:
        yield Problem(where, unknown(probe))


def _standard_input(given: BinaryIO | None) -> _Opened:
    """Copy standard input to a file, since recognition and reading each need its start."""
    stream = given or (sys.stdin.buffer if sys.stdin is not None else None)
    if stream is None:
        yield Problem("-", "standard input is closed; give it a trace, or name a file")
        return
    with tempfile.TemporaryDirectory(prefix="reread-") as folder:
        path = Path(folder, "stdin")
        try:
            with path.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        except OSError as error:
            yield Problem("-", f"standard input cannot be copied to {folder} ({reason(error)})")
            return
        yield from _file(path, "-")


# -- folders -------------------------------------------------------------------


def _folder(path: Path, label: str) -> _Opened:
    """Open a folder: as a whole, else what is in it, else as a store."""
    where = _files.shown(label)
    probe = folder_probe(path, label)
    if isinstance(probe, Problem):
        yield probe
        return
    importer = _importer_of(probe)
    if importer is not None:
        yield from _read(importer, probe)
        return
    walk = _Walk(path.resolve())
    yield from walk.inside(path, label)
    if not walk.found:
        yield from _without_run(probe, walk.problems)
        return
    yield from walk.problems
    if walk.others:
        yield Problem(where, walk.left_out(label), ProblemKind.NOTED)


def _without_run(probe: Probe, problems: list[Problem]) -> _Opened:
    """Open a folder without any trace as a store, and say that this is no run."""
    where = _files.shown(probe.label)
    for importer in importers():
        if not (importer.last_resort and importer.recognise(probe)):
            continue
        for item in _read(importer, probe):
            if isinstance(item, Problem):
                yield item
            elif item.versions:
                told = (
                    f"no run found: {len(item.versions)} text files opened as a store;"
                    " give the trace, and this folder with --store"
                )
                others = [each for each in item.problems if each.what != NO_CALLS]
                places = {each.where for each in others}
                yield from (each for each in problems if each.where not in places)
                yield replace(item, problems=(Problem(where, told), *others))
                return
    yield from problems
    yield Problem(where, "no run and no text file found in this folder")


@dataclass(slots=True)
class _Walk:
    """Goes through a folder, however deep, and never out of it."""

    root: Path
    found: int = 0
    others: int = 0
    named: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)

    def inside(self, path: Path, label: str) -> _Opened:
        """Yield what can be read in the folder at *path*, ordered by path."""
        pending = [(path, label)]
        while pending:
            place, name = pending.pop()
            if not self._is_new(place, name):
                continue
            probe = self._probe(place, name)
            if probe is None:
                continue
            importer = _importer_of(probe) if place != path else None
            if importer is not None:
                self.found += 1
                yield from _read(importer, probe)
            elif probe.is_folder:
                names = sorted(probe.names - _NOT_WALKED, reverse=True)
                pending += [(place / each, f"{name}/{each}") for each in names]
            else:
                self._leave_out(name)

    def left_out(self, label: str) -> str:
        """Say which files of the folder *label* nobody can read, the first by name."""
        names = [_files.shown(name.removeprefix(label).lstrip("/")) for name in self.named]
        more = self.others - len(names)
        files = "file" if self.others == 1 else "files"
        return (
            f"{self.others} other {files} of no kind that can be read; left out: "
            f"{', '.join(names)}{f' and {more} more' if more else ''}; "
            "reread audit FILE on one says why"
        )

    def _leave_out(self, name: str) -> None:
        self.others += 1
        if len(self.named) < _NAMED:
            self.named.append(name)

    def _is_new(self, place: Path, name: str) -> bool:
        """Return whether to look at *place*: not twice, and not outside the folder."""
        try:
            real = place.resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            self._leave_out(name)
            return False
        if real != self.root and self.root not in real.parents:
            what = "a link out of the folder; not followed"
            self.problems.append(Problem(_files.shown(name), what, ProblemKind.NOTED))
            return False
        if real in self._seen:
            return False
        self._seen.add(real)
        return True

    def _probe(self, place: Path, name: str) -> Probe | None:
        if place.is_dir():
            probe = folder_probe(place, name)
            if isinstance(probe, Probe):
                return probe
            self.problems.append(probe)
            return None
        if not place.is_file():
            self._leave_out(name)  # pipes, sockets, devices, broken links: opening may block
            return None
        try:
            return file_probe(place, name)
        except OSError as error:
            what = f"cannot be read ({reason(error)})"
            self.problems.append(Problem(_files.shown(name), what))
            return None


# -- importers -----------------------------------------------------------------


def _importer_of(probe: Probe) -> Importer | None:
    for importer in importers():
        try:
            if not importer.last_resort and importer.recognise(probe):
                return importer
        except Exception as error:  # noqa: BLE001 - told by `_read`, like any other failure
            return replace(importer, read=partial(_fail, error))
    return None


def _fail(error: Exception, _probe: Probe) -> Iterator[Run]:
    raise error


def _read(importer: Importer, probe: Probe) -> _Opened:
    """Yield the runs of an importer; its failures become problems.

    This is the one place that catches everything: one hostile or unforeseen
    input must not hide what the other inputs hold.  The runs of one file are
    put in order; those of a folder come as they are read, since all of them
    may be too many to hold.
    """
    handed: list[HandOver] = []
    runs: list[Run] = []
    failure: Problem | None = None
    where = _files.shown(probe.label)
    try:
        for item in importer.read(probe):
            if isinstance(item, HandOver):
                handed.append(item)
            elif probe.is_folder:
                yield item
            else:
                runs.append(item)
    except UnreadableError as error:
        failure = error.problem
    except OSError as error:
        failure = Problem(where, f"cannot be read ({reason(error)})")
    except Exception as error:  # noqa: BLE001 - see above
        failure = Problem(where, _internal(error))
    yield from sorted(runs, key=lambda run: (run.path, run.run_id))
    for each in handed:
        yield from _handed_over(each)
    if failure is not None:
        yield failure


def _internal(error: Exception) -> str:
    return f"internal error while reading ({type(error).__name__}); please report it"


def _handed_over(trace: HandOver) -> _Opened:
    complete: Callable[[Run], Run] = trace.complete
    opened = _folder if trace.path.is_dir() else _file
    for item in opened(trace.path, trace.label):
        yield complete(item) if isinstance(item, Run) else item


def _with_evidence(run: Run) -> Run:
    """Return *run* with the evidence in its tools' results; a failure there leaves it as it was."""
    try:
        return derive(run)
    except Exception as error:  # noqa: BLE001 - the run that was read must not be lost
        problem = Problem(_files.shown(run.path), _internal(error))
        return replace(run, problems=(*run.problems, problem))
