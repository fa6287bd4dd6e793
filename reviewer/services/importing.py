"""Writes runs of any format as run folders, and makes sure of what was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewer import __version__
from reviewer.services.team import saved_runs
from store.opening import open_paths
from store.records.runs import Problem, Run
from store.run_check import differences, raises_a_grade
from store.run_copy import FolderExistsError, copy_run
from store.walking import UNFINISHED

__all__ = ["ImportRefused", "Imported", "import_runs"]

_NO_NAME: Final = re.compile(r"[^\w.-]+")
_LONGEST: Final = 80


class ImportRefused(Exception):
    """A run was not written; the text says why, and what to do.

    Those that were yielded before stand whole in their folders.
    """


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that was written to *folder*; *lost* says what the format could not hold."""

    run: Run
    folder: str
    lost: tuple[str, ...]


def import_runs(
    paths: Sequence[str], into: str, store: str | None = None, only: str | None = None
) -> Iterator[Imported | Problem]:
    """Write every run in *paths* and yield it, and what could not be read.

    One run is written to *into* itself, several are each a folder in it; a file
    beside them says until the end that they are not all of them.
    *store* names further evidence, which goes into each; *only* is the id or
    the place of one run.  Raises `ImportRefused`, and `OSError` where the
    system refuses what reading takes.
    """
    target = _checked(into, [*paths, *([store] if store else [])])
    first: Run | None = None
    names: set[str] = set()
    for item in open_paths(paths, store, only=only, saved=saved_runs, derived=False):
        if isinstance(item, Problem):
            yield item
        elif first is None and not names:
            first = item
        else:
            if first is not None:
                _mark(target)
                yield _imported(first, target / _name(first, names))
                first = None
            yield _imported(item, target / _name(item, names))
    if first is not None:
        yield _imported(first, target)
    elif names:
        _unmark(target)


def _mark(target: Path) -> None:
    """Say in *target* that not all runs are there, for whoever finds it after a crash."""
    told = (
        "reread import removes this file when every run is written.\n"
        "If no import is going on, it was interrupted, and runs are missing:\n"
        "remove this folder and import again.\n"
    )
    try:
        target.mkdir(parents=True, exist_ok=True)
        with (target / UNFINISHED).open("x", encoding="utf-8") as stream:
            stream.write(told)
    except OSError as error:
        raise ImportRefused(_unwritable(target, error)) from None


def _unmark(target: Path) -> None:
    try:
        (target / UNFINISHED).unlink()
    except OSError as error:
        raise ImportRefused(_unwritable(target / UNFINISHED, error)) from None


def _unwritable(place: Path, error: OSError) -> str:
    return (
        f"{place} cannot be written ({error.strerror or error}); free some space, or name "
        "another place"
    )


def _checked(into: str, evidence: Sequence[str]) -> Path:
    target = Path(into)
    try:
        real = target.resolve()
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise ImportRefused(f"{into} is there and is no folder; name one that is not there")
        if (target / UNFINISHED).is_file():
            raise ImportRefused(
                f"{into} holds runs of an import that did not end, and others are missing; remove "
                "the folder and import again, or name one that is not there yet"
            )
        if target.is_dir() and any(target.iterdir()):
            raise ImportRefused(f"{into} is not empty; name a folder that is not there yet")
        for name in evidence:
            place = Path(name).resolve()
            if real == place or place in real.parents:
                raise ImportRefused(f"{into} lies in {name}, which is evidence; name another place")
    except (OSError, ValueError, RuntimeError) as error:
        raise ImportRefused(f"{into} cannot be written ({error})") from None
    return target


def _name(run: Run, names: set[str]) -> str:
    """Return a name for the folder of *run* that no other one has."""
    base = _NO_NAME.sub("_", run.run_id).strip("._")[:_LONGEST] or "run"
    name, number = base, 1
    while name.lower() in names:
        number += 1
        name = f"{base}-{number}"
    names.add(name.lower())
    return name


def _imported(run: Run, folder: Path) -> Imported:
    """Write *run*, read what was written, and compare."""
    try:
        copy_run(run, folder, __version__)
    except FolderExistsError as error:
        raise ImportRefused(str(error)) from None
    except OSError as error:
        # Also where another one wrote to the same place at the same time, and was first.
        raise ImportRefused(_unwritable(folder, error)) from None
    found = [item for item in open_paths([str(folder)], derived=False) if isinstance(item, Run)]
    if len(found) != 1:
        lost: tuple[str, ...] = ("what was written cannot be read again",)
    else:
        lost = differences(run, found[0])
        if raises_a_grade(run, found[0]):
            lost = ("a call claims to be better proven than it was", *lost)
    return Imported(run, str(folder), lost)
