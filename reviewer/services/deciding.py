"""Where the decisions on a run lie, who decides, and what an audit shows of a log.

The log of a run lies in the user's data folder under the digest of the run
(`reviewer.services.lineage`), never beside the evidence.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reviewer.services.lineage import Lineage, decisions_path, logs_of
from store.digest import run_digest
from store.errors import StoreError
from store.records.findings import Audit
from store.records.reviews import (
    Decision,
    Reviews,
    Target,
    citation_target,
    current,
    finding_target,
    standing,
)
from store.records.runs import Problem, ProblemKind, Run
from store.reviews import DecisionLog, Log, Reading

__all__ = [
    "REVIEWER_VARIABLE",
    "ShownLog",
    "decision_log",
    "decisions_path",
    "reviewer_name",
    "targets",
]

REVIEWER_VARIABLE = "REREAD_REVIEWER"
"""The environment variable that names the reviewer."""


def decision_log(run: Run) -> Log:
    """Return the log that decisions on *run* go to, which may be that of its beginning.

    Raises `StoreError` for a run that has no digest.
    """
    return logs_of(Lineage(run))[0]


def reviewer_name(chosen: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """Return the name that decisions are made under.

    The one *chosen* in the settings, else that of ``REREAD_REVIEWER``, else the
    login name.  Raises `StoreError` where none is known: every decision has a
    name.
    """
    for name in (chosen, environment.get(REVIEWER_VARIABLE, "")):
        if name.strip():
            return name.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        raise StoreError(
            "it is not known who decides",
            REVIEWER_VARIABLE,
            "Set this environment variable to your name.",
        ) from None


def targets(audit: Audit) -> dict[Target, tuple[int | None, int | None]]:
    """Return what can be decided on in *audit*: the index of the citation, or of the finding.

    Of two that nothing in the record tells apart, the first.
    """
    found: dict[Target, tuple[int | None, int | None]] = {}
    for index, facts in enumerate(audit.citations):
        found.setdefault(citation_target(facts), (index, None))
    for index, finding in enumerate(audit.findings):
        target = finding_target(finding)
        if target is not None:
            found.setdefault(target, (None, index))
    return found


class ShownLog:
    """A log that is shown beside audits: `reviews` for reports, ``problems`` as they are met."""

    def __init__(self, name: str, reading: Reading) -> None:
        self.problems = list(reading.problems)
        if reading.missing:
            self.problems.append(Problem(name, "there is no such log of decisions"))
        by_run: dict[str, list[Decision]] = {}
        for each in reading.decisions:
            by_run.setdefault(each.run_id, []).append(each)
        self._standing = standing(reading.decisions)
        self._name = name
        self._met: set[tuple[str, Target]] = set()
        self.reviews = Reviews(
            log=name,
            holds=reading.holds and not reading.missing,
            records=reading.records,
            last_hash=reading.end if reading.records else "",
            by_run={run_id: current(held) for run_id, held in by_run.items()},
        )

    @classmethod
    def read(cls, name: str) -> ShownLog:
        """Read the log in the file *name*; one that cannot be read becomes a problem."""
        try:
            return cls(name, DecisionLog(Path(name)).read())
        except StoreError as error:
            shown = cls(name, Reading())
            shown.problems = [Problem(name, f"{error.what}; {error.advice}")]
            return shown

    def checked(self, found: Iterable[Audit | Problem]) -> Iterator[Audit | Problem]:
        """Yield *found* with the problems of the log, before, between and after the audits.

        Decisions on another record of a run (its digest differs) and decisions
        on nothing that was audited are said to be such.
        """
        yield from self.problems
        for item in found:
            if isinstance(item, Audit):
                yield from self._elsewhere(item)
            yield item
        left = [each for each in self._standing if (each.run_id, each.target) not in self._met]
        if left:
            what = f"{_counted(len(left))} on nothing that was audited here: not shown"
            yield Problem(self._name, what, ProblemKind.NOTED)

    def _elsewhere(self, audit: Audit) -> Iterator[Problem]:
        here = targets(audit)
        run_id = audit.run.run_id
        held = [each for each in self._standing if each.run_id == run_id and each.target in here]
        self._met |= {(run_id, each.target) for each in held}
        if not held:
            return
        try:
            digest = run_digest(audit.run)
        except StoreError as error:
            yield Problem(error.where, error.what, ProblemKind.NOTED)
            return
        other = [each for each in held if each.run_digest != digest]
        if other:
            what = (
                f"{_counted(len(other))} made on another record of run {run_id} than the one "
                "audited here; the citation or finding is the same"
            )
            yield Problem(self._name, what, ProblemKind.NOTED)


def _counted(count: int) -> str:
    return "1 decision" if count == 1 else f"{count} decisions"
