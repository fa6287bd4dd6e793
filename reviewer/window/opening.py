"""Opens what the user names: hands the work to the worker and takes the runs as they come."""

from __future__ import annotations

import gc
import os
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from reviewer.services.opening_runs import (
    Begun,
    Ended,
    Found,
    Step,
    Stopped,
    Unread,
    open_runs,
)
from reviewer.services.places import data_dir
from reviewer.services.team import whole_name
from reviewer.window import presenters
from reviewer.window.desk import Desk
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.requests import forget_requests
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from reviewer.window.unread import Listing, UnreadRun, looked_at
from store.records.runs import Problem

if TYPE_CHECKING:
    from store.entries import Entry

__all__ = ["Opener"]

_KIND = "open"
_Step = Step | Listing
_PREPARED = ("text_stand_ins", "text_lines", "text_find")
"""What views need and is large to load, although it knows nothing of Qt."""


class Opener(QObject):
    """What is open as paths, and the one way to open more."""

    began = Signal()
    """Reading begins."""
    told = Signal(object, int, int)
    """A function that says what is done, how much of how much."""
    problem = Signal(object)
    """A `Problem` was met."""
    found = Signal(int, object)
    """A run was added to the desk at this index; it was read from this path."""
    listed = Signal()
    """The runs that are listed and not read, `unread_runs`, are others."""
    ended = Signal()
    """Nothing more comes: it is finished, stopped or failed."""

    def __init__(
        self,
        desk: Desk,
        worker: Worker,
        wanted: Callable[[Entry], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._worker = worker
        self._wanted = wanted
        self._again: frozenset[str] = frozenset()
        self.paths: list[str] = []
        self.unread_runs: list[UnreadRun] = []
        """Of paths that hold many runs: those that are listed, and nobody asked for yet."""
        self.read_runs: dict[str, Entry] = {}
        """Those that were asked for, by their place."""
        self._came: set[str] = set()
        self._told: set[Problem] = set()
        self.many: set[str] = set()
        """The paths that hold them."""
        self.loading = False
        self.stopped = False
        """Whether the last reading was stopped before its end."""
        self.unread: set[str] = set()
        """The paths of which the reading was stopped: nobody reads on in them unasked."""
        self._reading = ""
        self._next: list[Callable[[], Sequence[str | Entry]]] = []

    @property
    def store(self) -> str | None:
        """A store with further evidence, which every path is read with."""
        return self._desk.store

    @store.setter
    def store(self, path: str | None) -> None:
        self._desk.store = path

    def open(self, paths: Sequence[str], store: str | None = None) -> None:
        """Open *paths* beside what is open; those that are open already are not read again."""
        wanted = [whole_name(path) for path in paths]
        new = [path for path in dict.fromkeys(wanted) if path not in self.paths]
        if store is not None:
            self.store = os.path.abspath(store)  # noqa: PTH100
        if new:
            self._begin(lambda: new)

    def open_sample(self) -> None:
        """Write the sample into the user's data folder and open it."""
        self._begin(_sample_paths)

    def read(self, run: UnreadRun) -> None:
        """Read one of the runs that are only listed."""
        self._begin(lambda: [run.entry])

    @property
    def followed(self) -> list[str]:
        """What is open and may grow: paths, and of those with many runs the runs that are read."""
        return [*(path for path in self.paths if path not in self.many), *self.read_runs]

    def reload(self) -> None:
        """Read everything that is open again."""
        paths, store = tuple(self.paths), self.store
        again = frozenset(self.read_runs)
        self.close_all()
        self._again = again
        self.open(paths, store)

    def stop(self) -> None:
        """Stop reading: what was read stays, what was not is told."""
        if not self.loading:
            return
        self._worker.cancel(_KIND)
        self._next.clear()
        self.stopped = True
        self.unread.add(self._reading)
        what = tr(
            "Reading was stopped: what is shown may not be all that is in it. Read it again to "
            "see the rest."
        )
        self.problem.emit(Problem(self._reading or tr("Reading"), what))
        self._end()

    def close_all(self) -> None:
        """Close every run."""
        self._worker.cancel(_KIND)
        self._next.clear()
        self.paths.clear()
        self.unread.clear()
        self._told.clear()
        self._forget_listed()
        self.store = None
        gc.unfreeze()
        forget_requests()
        was_loading, self.loading = self.loading, False
        self._desk.clear()
        if was_loading:
            self.ended.emit()

    def _forget_listed(self) -> None:
        self._again = frozenset()
        self.unread_runs.clear()
        self.read_runs.clear()
        self._came.clear()
        self.many.clear()
        self.listed.emit()

    # -- steps -------------------------------------------------------------------

    def _begin(self, paths: Callable[[], Sequence[str | Entry]]) -> None:
        store, again = self.store, self._again

        def wanted(entry: Entry) -> bool:
            return entry.place in again or self._wanted(entry)

        def work(token: CancelToken, hand_over: Callable[[_Step], None]) -> None:
            for step in _steps(paths, store, token, wanted):
                hand_over(self._judged(step))

        if self.loading:
            self._next.append(paths)
            return
        self.loading = True
        self.stopped = False
        self._reading = ""
        self.began.emit()
        self._worker.run(Operation(_KIND, work, self._done, self._failed, self._step))

    def _judged(self, step: _Step) -> _Step:
        judge = self._desk.judge
        return Found(step.path, judge(step.audit)) if judge and isinstance(step, Found) else step

    def _step(self, step: _Step) -> None:
        if isinstance(step, Listing):
            self._list(step)
        elif isinstance(step, Begun):
            self._reading = step.path
            if not self._take(step.path) and step.path not in self.paths:
                self.paths.append(step.path)
            self.told.emit(lambda: _words(step), step.number - 1, max(step.total, 1))
        elif isinstance(step, Found):
            self._came.add(step.path)
            index = self._desk.add(step.audit)
            self.found.emit(index, step.path)
        elif isinstance(step, Unread) and step.problem not in self._told:
            # What is true of all paths is told with each of them.
            self._told.add(step.problem)
            self.problem.emit(step.problem)

    def _list(self, listing: Listing) -> None:
        """Take the runs of a path that holds many."""
        if listing.path not in self.paths:
            self.paths.append(listing.path)
        self.many.add(listing.path)
        self.unread_runs += [UnreadRun(listing.path, entry) for entry in listing.entries]
        for problem in listing.problems:
            self.problem.emit(problem)
        self.listed.emit()

    def _take(self, place: str) -> bool:
        """Take a run that is being read now out of those that are only listed, if it is one."""
        found = next((run for run in self.unread_runs if run.entry.place == place), None)
        if found is not None:
            self.unread_runs.remove(found)
            self.read_runs[place] = found.entry
            self.listed.emit()
        return place in self.read_runs

    def _done(self, _result: object) -> None:
        self._end()

    def _failed(self, error: BaseException) -> None:
        what = tr(
            "could not be opened: {error}", error=f"{type(error).__name__}: {error}".strip(": ")
        )
        self.problem.emit(Problem(self._reading or tr("Opening"), what))
        self._end()

    def _put_back(self) -> None:
        """Put the runs back on the list of which nothing came: their name says so."""
        gone = [place for place in self.read_runs if place not in self._came]
        for place in gone:
            entry = self.read_runs.pop(place)
            path = next((each for each in self.many if place.startswith(each)), place)
            tried = not (self.stopped and place == self._reading)
            self.unread_runs.append(UnreadRun(path, entry, tried))
        if gone:
            self.listed.emit()

    def _end(self) -> None:
        self.loading = False
        self._put_back()
        if self._next:
            self._begin(self._next.pop(0))
        else:
            self.ended.emit()


def _steps(
    paths: Callable[[], Sequence[str | Entry]],
    store: str | None,
    token: CancelToken,
    wanted: Callable[[Entry], bool],
) -> Iterator[Begun | Found | Unread | Listing]:
    """Yield what the window shows; this runs in the worker thread."""
    _load_presenters()
    given, runs = paths(), 0
    for number, path in enumerate(given, 1):
        if token.cancelled:
            return
        many = None
        if isinstance(path, str):
            yield Begun(path, number, len(given), runs)
            many = looked_at(path, store, wanted, lambda: token.cancelled)
        if many is not None:
            yield many
        read = [path] if many is None else many.first
        for step in open_runs(read, store, stopped=lambda: token.cancelled):
            told = isinstance(step, Begun) and isinstance(path, str) and many is None
            runs += isinstance(step, Found)
            if not told and not isinstance(step, Ended | Stopped):
                # What a run holds does not point in circles: looking through millions of its
                # records for such, again and again, would hold the window up.
                gc.freeze()
                yield step


def _load_presenters() -> None:
    """Load what the views will need and what knows nothing of Qt, away from the interface."""
    import_module("reviewer.services.auditing")
    for module in pkgutil.iter_modules(presenters.__path__):
        import_module(f"{presenters.__name__}.{module.name}")
    for name in _PREPARED:
        import_module(f"reviewer.window.views.{name}")


def _sample_paths() -> Sequence[str]:
    from reviewer.services.sample import write_sample  # noqa: PLC0415 - only where it is asked for

    places: Sequence[Path] = write_sample(data_dir() / "sample")
    return [str(place) for place in places]


def _words(step: Begun) -> str:
    found = trn("{n} run so far", "{n} runs so far", step.runs)
    if step.total == 1:
        return tr("Reading {path}", path=step.path)
    return tr(
        "Reading {path} ({number} of {total}, {found})",
        path=step.path,
        number=step.number,
        total=step.total,
        found=found,
    )
