"""One reviewer at work on one log: decide, take back, do again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from uuid import uuid4

from store.errors import StoreError
from store.records.reviews import Decision, DecisionKind, Target, TargetState, current, standing
from store.records.runs import Problem
from store.reviews import DecisionLog, Reading

__all__ = ["Reviewing"]


def _now() -> datetime:
    return datetime.now(UTC)


class Reviewing:
    """Decides in the name of *reviewer*.

    Every method that decides writes to the disk before it returns, and raises
    `StoreError` when the decision was not kept; nothing is changed then.  What
    other reviewers decide is seen after `refresh`, and after each decision.
    """

    def __init__(
        self,
        log: DecisionLog,
        reviewer: str,
        *,
        run_id: str = "",
        run_digest: str = "",
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.reviewer = reviewer
        self._log = log
        self._run = (run_id, run_digest)
        self._now = now
        self._done: list[Decision] = []
        self._undone: list[Decision] = []
        self._own: tuple[Decision, ...] = ()
        self._reading = Reading()
        self._states: Mapping[Target, TargetState] = {}
        self.refresh()

    @property
    def states(self) -> Mapping[Target, TargetState]:
        """What stands, of all reviewers, as last read."""
        return self._states

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the log, as last read."""
        return self._reading.problems

    @property
    def can_undo(self) -> bool:
        """Whether a decision of this session still stands."""
        return self._last_standing() is not None

    @property
    def can_redo(self) -> bool:
        """Whether a decision was taken back and none was made since."""
        return bool(self._undone)

    def refresh(self) -> bool:
        """Read what was appended since; tell whether there was anything."""
        if not self._log.changed_since(self._reading.stamp):
            return False
        self._reading = self._log.read(self._reading)
        self._settle(self._reading.decisions)
        return True

    def decide(self, target: Target, kind: DecisionKind, note: str = "") -> Decision:
        """Decide on *target*.

        Raises `ValueError` for what is no decision: an undo (see `undo`), a
        note without text or one that is too long.
        """
        made = self._append(target, kind, note)
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
        self._append(last.target, DecisionKind.UNDO, "", last.id)
        if last in self._done:
            self._done.remove(last)
        self._undone.append(last)
        return last

    def redo(self) -> Decision | None:
        """Make the decision again that was taken back last; ``None`` where there is none."""
        if not self._undone:
            return None
        taken = self._undone[-1]
        made = self._append(taken.target, taken.kind, taken.note)
        self._undone.pop()
        self._done.append(made)
        return made

    def _append(self, target: Target, kind: DecisionKind, note: str, undoes: str = "") -> Decision:
        run_id, digest = self._run
        made = self._log.append(
            Decision(
                kind=kind,
                target=target,
                reviewer=self.reviewer,
                at=self._now(),
                id=uuid4().hex,
                note=note,
                undoes=undoes,
                run_id=run_id,
                run_digest=digest,
            )
        )
        try:
            self.refresh()
        except StoreError:
            # It is on disk; that the log cannot be read is told by the next refresh.
            self._settle((*self._reading.decisions, made))
        return made

    def _settle(self, decisions: tuple[Decision, ...]) -> None:
        self._states = current(decisions)
        self._own = tuple(each for each in standing(decisions) if each.reviewer == self.reviewer)

    def _last_standing(self) -> Decision | None:
        """Return the last decision of this session that was not taken back elsewhere."""
        own = {each.id for each in self._own}
        return next((each for each in reversed(self._done) if each.id in own), None)

    def _last_on(self, target: Target) -> Decision | None:
        return next((each for each in reversed(self._own) if each.target == target), None)
