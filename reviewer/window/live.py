"""Follows runs that grow while they are open, without moving the reviewer.

A change that the system tells of is looked at in the worker: only what really
differs is read again.  Nothing is asked of the disk while nothing changes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from reviewer.services.growing import Seen, look_at
from reviewer.window.i18n import tr, trn
from reviewer.window.presenters.places import kept_place
from reviewer.window.tasks import CancelToken, Operation
from reviewer.window.tasks.worker import Worker
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind

if TYPE_CHECKING:
    from reviewer.window.shell import Shell
    from store.entries import Entry

__all__ = ["Follower"]

_KIND = "follow"
_PAUSE = 300
"""Milliseconds between a change and the look at it, so that a burst of changes is one."""
_SHARE = 3
"""So many times as long as the last reading took nothing is read again."""
_MOST_WATCHED = 1_000
_CLOCK = 10_000_000
"""Nanoseconds by which the time of a change may lag behind the clock."""
_LIVE = 60_000_000_000
"""Nanoseconds: a file that was written to so shortly before it was opened is taken for live."""
_CUT = "cut short"
"""What importers say of a last line without an end, which a live file has most of the time."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read again from a path, and what the path held just before."""

    path: str
    seen: Seen
    audits: tuple[Audit, ...]
    problems: tuple[Problem, ...]


class Follower(QObject):
    """Watches the open paths of one window."""

    looked = Signal()
    """A change was looked at, and what came of it is shown."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._worker = Worker(self)
        self._watcher: QFileSystemWatcher | None = None
        self._paths: dict[int, str] = {}
        self._seen: dict[str, Seen] = {}
        self._began: dict[str, int] = {}
        self._shrunk: dict[str, Seen] = {}
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self._changed: set[str] = set()
        self._busy = False
        self._now = 0
        self._started = 0.0
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._look)
        shell.opener.began.connect(self._begin)
        shell.opener.found.connect(self._found)
        shell.desk.closed.connect(self._forget)
        shell.settled.connect(self.watch)

    @property
    def watching(self) -> bool:
        """Whether a change on the disk would be heard of."""
        return self._watcher is not None

    @property
    def busy(self) -> bool:
        """Whether a change is being looked at."""
        return self._busy

    def watch(self) -> None:
        """Watch every open path, and look at those that may have changed already."""
        if self._shell.session.follow and self._shell.opener.paths:
            self._changed |= set(self._shell.opener.followed)
            self._look()

    def stop(self) -> None:
        """Watch nothing any more."""
        self._worker.cancel(_KIND)
        self._pause.stop()
        self._changed.clear()
        self._busy = False
        if self._watcher is not None:
            self._watcher.deleteLater()
            self._watcher = None

    def close(self) -> None:
        """End for good."""
        self.stop()
        self._worker.close()

    # -- what is open --------------------------------------------------------------

    def _begin(self) -> None:
        """Remember when reading begins: what changes from then on may not have been read."""
        self._now = time.time_ns() - _CLOCK

    def _found(self, index: int, path: object) -> None:
        self._paths[index] = str(path)
        self._began.setdefault(str(path), self._now)

    def _forget(self) -> None:
        self.stop()
        for held in (self._paths, self._seen, self._began, self._shrunk, self._problems):
            held.clear()

    # -- looking -------------------------------------------------------------------

    def _told(self, _place: str) -> None:
        """Something changed at a watched place: which of the paths, the look tells."""
        self._changed |= set(self._shell.opener.followed)
        if not self._busy and not self._pause.isActive():
            self._pause.start()

    def _look(self) -> None:
        opener = self._shell.opener
        wanted = self._changed - opener.unread
        paths = [path for path in opener.followed if path in wanted]
        self._changed.clear()
        if self._busy or opener.loading or not paths:
            self._changed |= set(paths)
            return
        seen, began, store = dict(self._seen), dict(self._began), opener.store
        shrunk, judge = dict(self._shrunk), self._shell.desk.judge
        held = {path: self._audits_of(path) for path in paths}
        entries = dict(opener.read_runs)

        def work(token: CancelToken, _hand_over: object) -> list[_Read]:
            found = []
            for path in paths:
                now = look_at(path, token.check)
                before = seen.get(path)
                fresh = before is None and now.latest < began.get(path, 0)
                if fresh or (before is not None and now == before and path not in shrunk):
                    found.append(_Read(path, now, (), ()))
                    continue
                given = entries.get(path, path)
                again = _read(given, store, now, held=held[path], token=token, judge=judge)
                found.append(again)
            return found

        self._busy = True
        self._started = time.monotonic()
        self._worker.run(Operation(_KIND, work, self._take, self._failed))

    def _audits_of(self, path: str) -> tuple[Audit, ...]:
        audits = self._shell.desk.audits
        return tuple(audits[at] for at, own in self._paths.items() if own == path)

    def _take(self, read: Sequence[_Read]) -> None:
        self._busy = False
        took = int((time.monotonic() - self._started) * 1000)
        self._pause.setInterval(max(_PAUSE, _SHARE * took))
        calls = sum(self._show(each) for each in read)
        if calls:
            self._shell.say(trn("one new call", "{n} new calls", calls))
        self._watch_again()
        if self._changed or self._shrunk:
            self._changed |= set(self._shrunk)
            self._pause.start()
        self.looked.emit()

    def _failed(self, error: BaseException) -> None:
        self._busy = False
        self._shell.say(tr("A run that grows could not be read again: {error}", error=str(error)))
        self.looked.emit()

    def _watch_again(self) -> None:
        """Watch what is there now: a file that was replaced is no longer the one watched."""
        if self._watcher is None:
            self._watcher = QFileSystemWatcher(self)
            self._watcher.fileChanged.connect(self._told)
            self._watcher.directoryChanged.connect(self._told)
        wanted: dict[str, None] = {}
        for path, seen in self._seen.items():
            wanted[str(Path(path).parent)] = None
            wanted.update(dict.fromkeys(seen.folders))
            wanted.update(dict.fromkeys(seen.files))
        watched = {*self._watcher.files(), *self._watcher.directories()}
        # What lies in an archive has a place of which the system knows nothing.
        new = [
            place
            for place in list(wanted)[:_MOST_WATCHED]
            if place not in watched and os.path.exists(place)  # noqa: PTH110 - never raises
        ]
        if new:
            self._watcher.addPaths(new)

    # -- showing -------------------------------------------------------------------

    def _show(self, read: _Read) -> int:
        """Show what was read again, and return how many calls are new."""
        if read.path not in self._seen:
            self._hush(read)
        self._seen[read.path] = read.seen
        if not read.audits and not read.problems:
            return 0
        held = {at: own for at, own in self._paths.items() if own == read.path}
        pairs = self._pairs(read, held)
        if _shorter(self._shell.desk.audits, pairs) and self._shrunk.get(read.path) != read.seen:
            # It may be in the middle of being written anew: what is shown stays until it rests.
            self._shrunk[read.path] = read.seen
            return 0
        self._shrunk.pop(read.path, None)
        calls = 0
        for index, audit in pairs:
            calls += max(0, self._put(index, audit, read.path))
        self._tell(read)
        return calls

    def _hush(self, read: _Read) -> None:
        """Make a note of the alarm about the half line at the end of a file just written to."""
        bar = self._shell.problems
        if read.seen.latest > self._began.get(read.path, 0) - _LIVE:
            cut = [p for p in bar.problems if p.where.startswith(read.path) and _CUT in p.what]
            if cut:
                bar.replace(cut, [_quiet(each) for each in cut])

    def _pairs(self, read: _Read, held: dict[int, str]) -> list[tuple[int | None, Audit]]:
        """Return each audit with the index of the run that it takes the place of, if any."""
        names: dict[tuple[str, str], int] = {}
        for index in held:
            run = self._shell.desk.audit(index).run
            names.setdefault((run.run_id, run.path), index)
        return [(names.pop((a.run.run_id, a.run.path), None), a) for a in read.audits]

    def _put(self, index: int | None, audit: Audit, path: str) -> int:
        desk = self._shell.desk
        if index is None:
            self._paths[desk.add(audit)] = path
            return len(audit.run.calls)
        old = desk.audit(index)
        if audit is old:
            return 0
        desk.replace(index, audit, lambda place: kept_place(old, audit, place))
        return len(audit.run.calls) - len(old.run.calls)

    def _tell(self, read: _Read) -> None:
        """Put what is wrong with the path now in the place of what was wrong before."""
        bar = self._shell.problems
        old = self._problems.get(read.path)
        if old is None:
            old = tuple(each for each in bar.problems if each.where.startswith(read.path))
        bar.replace(old, read.problems)
        self._problems[read.path] = read.problems


def _shorter(audits: Sequence[Audit], pairs: Sequence[tuple[int | None, Audit]]) -> bool:
    """Tell whether a run has lost calls."""
    return any(
        index is not None and len(audit.run.calls) < len(audits[index].run.calls)
        for index, audit in pairs
    )


def _read(  # noqa: PLR0913 - what is read, and what it is held against
    given: str | Entry,
    store: str | None,
    seen: Seen,
    *,
    held: Sequence[Audit],
    token: CancelToken,
    judge: Callable[[Audit], Audit] | None,
) -> _Read:
    """Read a path again; this runs in the worker thread."""
    from reviewer.services.opening_runs import Found, Unread, open_runs  # noqa: PLC0415

    audits: list[Audit] = []
    problems: list[Problem] = []
    path = given if isinstance(given, str) else given.place
    for step in open_runs([given], store, stopped=lambda: token.cancelled):
        token.check()
        if isinstance(step, Found):
            audits.append(_kept(judge(step.audit) if judge else step.audit, held))
        elif isinstance(step, Unread):
            problems.append(_quiet(step.problem))
    if held and not audits:
        what = tr("could not be read again just now; what is shown is how it was before")
        problems = [Problem(path, what, ProblemKind.NOTED)]
    return _Read(path, seen, tuple(audits), tuple(problems))


def _kept(audit: Audit, held: Sequence[Audit]) -> Audit:
    """Return the audit that is shown where the record is the same: compared here, not in view."""
    own = audit.run.run_id, audit.run.path
    same = (old for old in held if (old.run.run_id, old.run.path) == own and old.run == audit.run)
    return next(same, audit)


def _quiet(problem: Problem) -> Problem:
    """Return a note in place of an alarm where the end of a live file is only half written."""
    return replace(problem, kind=ProblemKind.NOTED) if _CUT in problem.what else problem
