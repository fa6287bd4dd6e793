"""Opens what the user names: hands the work to the worker and takes the runs as they come."""

from __future__ import annotations

import gc
import os
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

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
from store.records.runs import Problem

__all__ = ["Opener"]

_KIND = "open"
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
    ended = Signal()
    """Nothing more comes: it is finished, stopped or failed."""

    def __init__(self, desk: Desk, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._worker = worker
        self.paths: list[str] = []
        self.loading = False
        self.stopped = False
        """Whether the last reading was stopped before its end."""
        self.unread: set[str] = set()
        """The paths of which the reading was stopped: nobody reads on in them unasked."""
        self._reading = ""
        self._next: list[Callable[[], Sequence[str]]] = []

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

    def reload(self) -> None:
        """Read everything that is open again."""
        paths, store = tuple(self.paths), self.store
        self.close_all()
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
        self.store = None
        gc.unfreeze()
        forget_requests()
        was_loading, self.loading = self.loading, False
        self._desk.clear()
        if was_loading:
            self.ended.emit()

    # -- steps -------------------------------------------------------------------

    def _begin(self, paths: Callable[[], Sequence[str]]) -> None:
        store = self.store

        def work(token: CancelToken, hand_over: Callable[[Step], None]) -> None:
            for step in _steps(paths, store, token):
                hand_over(self._judged(step))

        if self.loading:
            self._next.append(paths)
            return
        self.loading = True
        self.stopped = False
        self._reading = ""
        self.began.emit()
        self._worker.run(Operation(_KIND, work, self._done, self._failed, self._step))

    def _judged(self, step: Step) -> Step:
        judge = self._desk.judge
        return Found(step.path, judge(step.audit)) if judge and isinstance(step, Found) else step

    def _step(self, step: Step) -> None:
        if isinstance(step, Begun):
            self._reading = step.path
            if step.path not in self.paths:
                self.paths.append(step.path)
            self.told.emit(lambda: _words(step), step.number - 1, max(step.total, 1))
        elif isinstance(step, Found):
            index = self._desk.add(step.audit)
            self.found.emit(index, step.path)
        elif isinstance(step, Unread):
            self.problem.emit(step.problem)

    def _done(self, _result: object) -> None:
        self._end()

    def _failed(self, error: BaseException) -> None:
        what = tr(
            "could not be opened: {error}", error=f"{type(error).__name__}: {error}".strip(": ")
        )
        self.problem.emit(Problem(self._reading or tr("Opening"), what))
        self._end()

    def _end(self) -> None:
        self.loading = False
        if self._next:
            self._begin(self._next.pop(0))
        else:
            self.ended.emit()


def _steps(
    paths: Callable[[], Sequence[str]], store: str | None, token: CancelToken
) -> Iterator[Begun | Found | Unread]:
    """Yield what the window shows; this runs in the worker thread."""
    _load_presenters()
    for step in open_runs(paths(), store, stopped=lambda: token.cancelled):
        if not isinstance(step, Ended | Stopped):
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
