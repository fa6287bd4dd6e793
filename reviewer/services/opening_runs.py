"""Opens and audits paths for somebody who watches: tells what it does, and can be stopped.

Made to run in a worker thread; nothing here knows a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.records.findings import Audit, Setting
from store.records.runs import Problem, ProblemKind
from store.stopping import StoppedError

if TYPE_CHECKING:
    # For types only: it brings every importer, and the window is there before them.
    from store.entries import Entry

__all__ = ["Begun", "Ended", "Found", "Stopped", "Unread", "open_runs"]


@dataclass(frozen=True, slots=True)
class Begun:
    """The path number *number* (from 1) of *total* is being read; *runs* were found so far."""

    path: str
    number: int
    total: int
    runs: int


@dataclass(frozen=True, slots=True)
class Found:
    """A run with model calls was read and audited."""

    path: str
    audit: Audit


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that could not be read, was changed, or deserves a note."""

    path: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Ended:
    """Everything was read; *runs* have model calls, *empty* have none."""

    runs: int
    empty: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """It was stopped after *runs* runs; the paths in *left* were not read to their end."""

    runs: int
    left: tuple[str, ...]


Step = Begun | Found | Unread | Ended | Stopped


def open_runs(
    paths: Sequence[str | Entry],
    store: str | None = None,
    *,
    stopped: Callable[[], bool] = lambda: False,
    tokens: bool = True,
) -> Iterator[Step]:
    """Yield what is met in *paths*, in their order, and at last `Ended` or `Stopped`.

    An entry of `reviewer.services.listing.list_runs` is read as a path is, alone;
    it goes by its place, and brings its evidence along.

    *stopped* is asked all the time: the run that was being read when it says so
    is not there.  A run without model calls is no `Found`, since there is
    nothing to audit in it; what it says of itself comes as `Unread`.
    """
    # The audit and its importers take their time to load: the window is there before them.
    from reviewer.services.auditing import audit_paths  # noqa: PLC0415
    from reviewer.services.listing import audit_entry  # noqa: PLC0415
    from reviewer.services.settings import settings_here  # noqa: PLC0415

    settings, broken = settings_here()
    runs = empty = 0
    told: set[tuple[str, str]] = set()
    if broken is not None:
        yield Unread(broken.where, broken)
    names = [each if isinstance(each, str) else each.place for each in paths]
    for place, (path, given) in enumerate(zip(names, paths, strict=True)):
        if stopped():
            yield Stopped(runs, tuple(names[place:]))
            return
        yield Begun(path, place + 1, len(paths), runs)
        if isinstance(given, str):
            found = audit_paths([path], store, tokens=tokens, settings=settings, stopped=stopped)
        else:
            found = audit_entry(given, tokens=tokens, settings=settings, stopped=stopped)
        try:
            for item in found:
                if isinstance(item, Audit):
                    runs += bool(item.run.calls)
                    empty += not item.run.calls
                yield from _steps(path, item, told)
                if stopped():
                    raise StoppedError  # noqa: TRY301 - as anything below may
        except StoppedError:
            yield Stopped(runs, tuple(names[place:]))
            return
    yield Ended(runs, empty)


def _steps(path: str, item: Audit | Problem, told: set[tuple[str, str]]) -> Iterator[Step]:
    problems = (item,) if isinstance(item, Problem) else item.run.problems
    for problem in problems:
        # The store and the tokenizer are looked at for each path, and say the same each time.
        if (problem.where, problem.what) not in told:
            told.add((problem.where, problem.what))
            yield Unread(path, problem)
    if isinstance(item, Audit):
        yield from _settings(path, item, told)
        if item.run.calls:
            yield Found(path, item)
        elif not problems:
            what = "no model call was found in this run: there is nothing to audit"
            yield Unread(path, Problem(item.run.path, what, ProblemKind.LOST))


def _settings(path: str, audit: Audit, told: set[tuple[str, str]]) -> Iterator[Unread]:
    """Yield what settings were in force: none of them may act unseen."""
    for setting in audit.settings:
        place = setting.origin if setting.line is None else f"{setting.origin}:{setting.line}"
        what = "; ".join(_in_force(setting))
        if (place, what) not in told:
            told.add((place, what))
            yield Unread(path, Problem(place, what, ProblemKind.NOTED))


def _in_force(setting: Setting) -> Iterator[str]:
    from reviewer.reports import value_words  # noqa: PLC0415 - the window is there before it

    yield f"in force: {setting.key} = {value_words(setting.value)}"
    if setting.off:
        yield f"findings left out by it: {setting.off}"
    if setting.moved:
        yield f"findings with another severity by it: {setting.moved}"
    if setting.refused:
        yield (
            f"findings that it would hide or lower, and does not: {setting.refused}, since a run "
            "may only make its own audit stricter"
        )
