"""Opens whatever a user names: says what each path is, reads it, survives what is wrong with it.

Runs are yielded as soon as they are read, or listed without being read.
Whatever cannot be read becomes one `Problem` and does not stop the other
inputs.  Nothing is written but temporary copies: of standard input, and of
what lies in archives.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from store.entries import Entry, Found, internal
from store.evidence import derive
from store.importers import _files, importers
from store.importers._base import NO_CALLS
from store.importers._probing import folder_probe, reason
from store.records.runs import Problem, ProblemKind, Run
from store.records.sources import RefreshFailure, Version, VersionKey
from store.stopping import Stopped, stoppable
from store.walking import find, find_file, on_disk, recognised

__all__ = ["is_about_calls", "list_paths", "open_paths"]

_NO_RUN = re.compile(r"no run found: (?:[0-9]+) text files? opened as a store;")

_Opened = Iterator[Run | Problem]
Saved = Callable[[str], _Opened | None]
"""Looks a name up in some other place than the files."""


def open_paths(  # noqa: PLR0913 - all that opening depends on, by name
    paths: Sequence[str],
    store: str | None = None,
    *,
    only: str | None = None,
    stdin: BinaryIO | None = None,
    stopped: Stopped | None = None,
    saved: Saved | None = None,
    derived: bool = True,
) -> Iterator[Run | Problem]:
    """Yield the runs in *paths*, and a problem for each input that cannot be read.

    ``-`` is standard input.  *store* is a run folder, its ``store`` or a
    folder of text files, whose versions are added to every run.  Runs come in
    the order of *paths*; within a folder, by path and then by run id.  *only*
    is the id or the place of one run (see `list_paths`): the others are not
    read, unless no list tells which it is.  Where *stopped* is given it is
    asked at each piece that is read, each message and each call; `StoppedError`
    is raised when it says so, and the run that was being read is not there.
    *saved* is asked first for each path: what it returns is the runs that are
    kept elsewhere under that name, ``None`` that the name is that of a file.
    Without *derived* a run is only what its record says, and has no evidence
    that its tools' results show.
    """
    evidence = _Store(derived=derived)
    found = _open_all(paths, store, only, stdin, saved or _no_saved, evidence)
    return found if stopped is None else stoppable(found, stopped)


def list_paths(
    paths: Sequence[str],
    store: str | None = None,
    *,
    stdin: BinaryIO | None = None,
    stopped: Stopped | None = None,
    saved: Saved | None = None,
) -> Iterator[Entry | Problem]:
    """Yield what can be read in *paths*, in their order, without reading it.

    Each entry is read when it is asked to, with the evidence in *store* added;
    what fails then is its own failure.  The rest is as with `open_paths`.
    """
    found = _list_all(paths, store, stdin, saved or _no_saved, _Store())
    return found if stopped is None else stoppable(found, stopped)


def _no_saved(_path: str) -> None:
    return None


def _open_all(  # noqa: PLR0913, PLR0917 - as above
    paths: Sequence[str],
    store: str | None,
    only: str | None,
    stdin: BinaryIO | None,
    saved: Saved,
    evidence: _Store,
) -> _Opened:
    if only is not None:
        yield from _only(_list_all(paths, store, stdin, saved, evidence), only)
        return
    if store is not None:
        yield from evidence.read(store)
    for path in paths:
        kept = saved(path)
        for item in _find(path, stdin) if kept is None else ():
            yield from evidence.finished(item.read() if isinstance(item, Found) else iter((item,)))
        yield from evidence.finished(kept or iter(()))


def _list_all(
    paths: Sequence[str],
    store: str | None,
    stdin: BinaryIO | None,
    saved: Saved,
    evidence: _Store,
) -> Iterator[Entry | Problem]:
    if store is not None:
        yield from evidence.read(store)
    for path in paths:
        kept = saved(path)
        if kept is not None:
            yield Entry(path, "", None, partial(evidence.finished, kept))
            continue
        for found in _find(path, stdin):
            for item in found.entries() if isinstance(found, Found) else (found,):
                if isinstance(item, Problem):
                    yield item
                else:
                    yield replace(item, read=partial(_read_entry, item, evidence))


def _read_entry(entry: Entry, evidence: _Store) -> _Opened:
    return evidence.finished(entry.read())


def _only(entries: Iterator[Entry | Problem], wanted: str) -> _Opened:
    """Yield the runs that are called *wanted*, reading as few others as can be."""
    untold: list[Entry] = []
    found = False
    for entry in entries:
        if isinstance(entry, Problem):
            yield entry
        elif entry.is_called(wanted):
            for item in entry.read():
                named = isinstance(item, Problem) or item.run_id == wanted or entry.is_at(wanted)
                found = found or (named and isinstance(item, Run))
                if named:
                    yield item
        elif entry.more:
            untold.append(entry)
    for entry in () if found else untold:
        for item in entry.read():
            if isinstance(item, Problem) or item.run_id == wanted:
                yield item


def is_about_calls(problem: Problem) -> bool:
    """Tell whether a problem says only that there is no model call: for a store that is none."""
    return problem.what == NO_CALLS or bool(_NO_RUN.match(problem.what))


@dataclass(slots=True)
class _Store:
    """Versions from elsewhere, which every run gets, and whether more are *derived* from it."""

    derived: bool = True

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

    def finished(self, items: _Opened) -> _Opened:
        """Yield *items*, each run with these versions and the evidence in its results."""
        for item in items:
            if isinstance(item, Problem):
                yield item
            else:
                run = self.added(item)
                yield _with_evidence(run) if self.derived else run


def _open_store(path: str) -> _Opened:
    """Open evidence without a run: what keeps versions as such, else a folder of texts."""
    if not os.path.isdir(path):  # noqa: PTH112 - a name may hold bytes that are no text
        yield Problem(_files.shown(path), "there is no such folder; --store takes a folder")
        return
    probe = folder_probe(Path(path), path.rstrip("/") or path)
    if isinstance(probe, Problem):
        yield probe
        return
    importer = recognised(probe)
    items = list(on_disk(importer, probe).read()) if importer else []
    if any(isinstance(item, Run) and item.versions for item in items):
        yield from items
        return
    for each in importers():
        if each.last_resort and each.recognise(probe):
            yield from on_disk(each, probe).read()
            return


def _find(path: str, stdin: BinaryIO | None) -> Iterator[Found | Problem]:
    return _standard_input(stdin) if path == "-" else find(path)


def _standard_input(given: BinaryIO | None) -> Iterator[Found | Problem]:
    """Copy standard input to a file, since recognition and reading each need its start."""
    stream = given or (sys.stdin.buffer if sys.stdin is not None else None)
    if stream is None:
        yield Problem("-", "standard input is closed; give it a trace, or name a file")
        return
    held = _Temporary()
    path = held.folder / "stdin"
    try:
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
    except OSError as error:
        what = f"standard input cannot be copied to {held.folder} ({reason(error)})"
        yield Problem("-", what)
        return
    yield from find_file(path, "-", held)


class _Temporary:
    """A folder that is gone when nobody holds it any more."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="reread-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


def _with_evidence(run: Run) -> Run:
    """Return *run* with the evidence in its tools' results; a failure there leaves it as it was."""
    try:
        return derive(run)
    except Exception as error:  # noqa: BLE001 - the run that was read must not be lost
        problem = Problem(_files.shown(run.path), internal(error))
        return replace(run, problems=(*run.problems, problem))
