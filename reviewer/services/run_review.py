"""The decisions on one open run, for a program that shows them: finds the logs, keeps up, decides.

Everything here may wait for a disk: it is for a worker thread, and one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.services.deciding import reviewer_name
from reviewer.services.lineage import Lineage, decisions_path, logs_of, not_of_this_record
from reviewer.services.reviewing import Reviewing
from store.errors import StoreError
from store.records.reviews import Decision, DecisionKind, Target, TargetState
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["RunReview", "Shown"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands on a run as it is on the disk, with what is wrong there.

    ``reviewer`` is who decides, "" where nobody knows.  ``digest`` is that of
    the record: a decision with another was made on an earlier one.
    """

    states: Mapping[Target, TargetState] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    reviewer: str = ""
    digest: str = ""


class RunReview:
    """Decides on one run, and sees what others decide on it."""

    def __init__(self, run: Run, chosen: str = "") -> None:
        """Take a run; *chosen* is the name of the reviewer in the settings."""
        self.chosen = chosen
        self._run = run
        self._lineage: Lineage | None = None
        self._work: Reviewing | None = None
        self._known: dict[Path, str] = {}
        self._looked: int | None = None
        self._shown: Shown | None = None

    def take(self, run: Run) -> None:
        """Go on with *run*, the same one read again."""
        self._run = run
        self._lineage = None
        self._looked = None

    def look(self) -> Shown | None:
        """Return what stands now, ``None`` where that is what was returned before."""
        try:
            self._refresh()
        except StoreError as error:
            shown = self._told((Problem(error.where, f"{error.what}; {error.advice}"),))
        else:
            shown = self._told(())
        if shown == self._shown:
            return None
        self._shown = shown
        return shown

    def decide(
        self,
        target: Target,
        kind: DecisionKind,
        note: str = "",
        *,
        call: int | None = None,
        answer: str = "",
    ) -> Decision:
        """Decide; the target speaks of *call*, and stands in *answer* where it is a citation.

        Raises `StoreError` where the decision was not kept, `ValueError` for
        what is none.
        """
        work, lineage = self._ready()
        return work.decide(target, kind, note, lineage.mark(call, answer))

    def undo(self, target: Target | None) -> Decision | None:
        """Take back the reviewer's last decision on *target*; else the last of this session."""
        work, _ = self._ready()
        taken = work.undo(target) if target is not None else None
        return taken or work.undo()

    def redo(self) -> Decision | None:
        """Make the decision again that was taken back last."""
        work, _ = self._ready()
        return work.redo()

    def _ready(self) -> tuple[Reviewing, Lineage]:
        """Return who decides, with a name and the right log."""
        work, lineage = self._refresh(again=True)
        work.reviewer = reviewer_name(self.chosen)
        return work, lineage

    def _refresh(self, *, again: bool = False) -> tuple[Reviewing, Lineage]:
        """Find the logs where that may have changed, and read what is new in them."""
        new = self._lineage is None
        lineage = self._lineage = self._lineage or Lineage(self._run)
        if self._work is None:
            log = logs_of(lineage, self._known)[0]
            self._work = Reviewing(log, self._name(), run_id=self._run.run_id)
        looked = _changed(decisions_path(lineage.digest).parent.parent)
        if new or again or looked != self._looked:
            self._looked = looked
            logs = logs_of(lineage, self._known)
            if new or [log.where for log in logs] != [log.where for log in self._work.logs]:
                self._work.use(logs, lineage.digest, lineage.holds)
        self._work.refresh()
        self._work.reviewer = self._name()
        return self._work, lineage

    def _name(self) -> str:
        try:
            return reviewer_name(self.chosen)
        except StoreError:
            return ""

    def _told(self, problems: tuple[Problem, ...]) -> Shown:
        work, lineage = self._work, self._lineage
        if work is None or lineage is None:
            return Shown(problems=problems, reviewer=self._name())
        left = len(work.left_out)
        if left:
            what = not_of_this_record(left)
            problems += (Problem(work.logs[0].where, what, ProblemKind.NOTED),)
        return Shown(work.states, (*work.problems, *problems), work.reviewer, lineage.digest)


def _changed(folder: Path) -> int:
    """Return when something was last put into *folder*; -1 where it is not there."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return -1
