"""One reviewer at work on one run: decide, take back, do again."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from store.errors import StoreError
from store.records.reviews import Decision, DecisionKind, Target, TargetState, current, standing
from store.records.runs import Problem
from store.reviews import Log, Reading

__all__ = ["Reviewing"]


def _now() -> datetime:
    return datetime.now(UTC)


def _all(_decision: Decision) -> bool:
    return True


class Reviewing:
    """Decides in the name of `reviewer`.

    Every method that decides writes to the disk before it returns, and raises
    `StoreError` when the decision was not kept; nothing is changed then.  What
    other reviewers decide is seen after `refresh`, and after each decision.
    """

    def __init__(
        self,
        log: Log,
        reviewer: str,
        *,
        run_id: str = "",
        run_digest: str = "",
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._reviewer = reviewer
        self._run = (run_id, run_digest)
        self._now = now
        self._done: list[Decision] = []
        self._undone: list[Decision] = []
        self._own: tuple[Decision, ...] = ()
        self._left_out: tuple[Decision, ...] = ()
        self._states: Mapping[Target, TargetState] = {}
        self._logs: tuple[Log, ...] = (log,)
        self._readings = [Reading()]
        self._holds: Callable[[Decision], bool] = _all
        self.refresh()

    @property
    def reviewer(self) -> str:
        """Who decides."""
        return self._reviewer

    @reviewer.setter
    def reviewer(self, name: str) -> None:
        self._reviewer = name
        self._settle()

    @property
    def logs(self) -> tuple[Log, ...]:
        """The log that is written to, and behind it others that are read."""
        return self._logs

    @property
    def states(self) -> Mapping[Target, TargetState]:
        """What stands, of all reviewers, as last read."""
        return self._states

    @property
    def left_out(self) -> tuple[Decision, ...]:
        """What stands in the logs, and was made on something that is not this record."""
        return self._left_out

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the logs, as last read."""
        return tuple(each for reading in self._readings for each in reading.problems)

    @property
    def can_undo(self) -> bool:
        """Whether a decision of this session still stands."""
        return self._last_standing() is not None

    @property
    def can_redo(self) -> bool:
        """Whether a decision was taken back and none was made since."""
        return bool(self._undone)

    def use(self, logs: Sequence[Log], run_digest: str, holds: Callable[[Decision], bool]) -> None:
        """Go on with these logs, on the record *run_digest* of the same run.

        The first is written to.  Only decisions that *holds* is true of are
        taken for decisions on this record.
        """
        read = {log.where: reading for log, reading in zip(self._logs, self._readings, strict=True)}
        self._logs = tuple(logs)
        self._readings = [read.get(log.where, Reading()) for log in logs]
        self._run = (self._run[0], run_digest)
        self._holds = holds
        self.refresh()
        self._settle()

    def refresh(self) -> bool:
        """Read what was appended since; tell whether there was anything."""
        changed = False
        for at, log in enumerate(self._logs):
            if log.changed_since(self._readings[at].stamp):
                self._readings[at] = log.read(self._readings[at])
                changed = True
        if changed:
            self._settle()
        return changed

    def decide(
        self, target: Target, kind: DecisionKind, note: str = "", upto: str = ""
    ) -> Decision:
        """Decide on *target*; *upto* is the `Decision.upto` of it.

        Raises `ValueError` for what is no decision: an undo (see `undo`), a
        note without text or one that is too long.  What stands already is not
        written again.
        """
        last = self._decided(target)
        if last is not None and (last.kind, last.note, last.upto) == (kind, note, upto):
            return last
        made = self._append(target, kind, note, upto)
        self._done.append(made)
        self._undone.clear()
        return made

    def undo(self, target: Target | None = None) -> Decision | None:
        """Take back the last decision of this session, or this reviewer's last one on *target*.

        An event is added, nothing is removed.  Returns the decision that was
        taken back, ``None`` where there is none.
        """
        self.refresh()
        last = self._last_standing() if target is None else self._last_on(target)
        if last is None:
            return None
        self._append(last.target, DecisionKind.UNDO, "", last.upto, last.id)
        if last in self._done:
            self._done.remove(last)
        self._undone.append(last)
        return last

    def redo(self) -> Decision | None:
        """Make the decision again that was taken back last; ``None`` where there is none."""
        if not self._undone:
            return None
        taken = self._undone[-1]
        made = self._append(taken.target, taken.kind, taken.note, taken.upto)
        self._undone.pop()
        self._done.append(made)
        return made

    def _append(
        self, target: Target, kind: DecisionKind, note: str, upto: str, undoes: str = ""
    ) -> Decision:
        run_id, digest = self._run
        made = self._logs[0].append(
            Decision(
                kind=kind,
                target=target,
                reviewer=self._reviewer,
                at=self._now(),
                id=uuid4().hex,
                note=note,
                undoes=undoes,
                run_id=run_id,
                run_digest=digest,
                upto=upto,
            )
        )
        try:
            self.refresh()
        except StoreError:
            # It is on disk; that the log cannot be read is told by the next refresh.
            self._settle(made)
        return made

    def _settle(self, *more: Decision) -> None:
        """Tell what stands: each log in its own order, several by their times."""
        every = [reading.decisions for reading in self._readings]
        merged = [*heapq.merge(*every, key=lambda each: each.at), *more]
        held = [each for each in merged if self._holds(each)]
        self._states = current(held)
        self._own = tuple(each for each in standing(held) if each.reviewer == self._reviewer)
        others = [each for each in merged if not self._holds(each)]
        self._left_out = standing(others) if others else ()

    def _last_standing(self) -> Decision | None:
        """Return the last decision of this session that was not taken back elsewhere."""
        own = {each.id for each in self._own}
        return next((each for each in reversed(self._done) if each.id in own), None)

    def _decided(self, target: Target) -> Decision | None:
        """Return this reviewer's decision on *target* that stands, as made on this record."""
        made = (each for each in reversed(self._own) if each.target == target)
        last = next((each for each in made if each.kind is not DecisionKind.NOTE), None)
        return last if last is not None and last.run_digest == self._run[1] else None

    def _last_on(self, target: Target) -> Decision | None:
        return next((each for each in reversed(self._own) if each.target == target), None)
