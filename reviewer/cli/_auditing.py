"""Runs an audit for a subcommand and keeps account of what its exit status must say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from reviewer.cli._exit import Exit
from reviewer.cli._output import Output
from store.records.findings import Audit, BaselineState, Severity
from store.records.runs import Problem, ProblemKind

__all__ = ["Account", "FailOn", "names_any"]


class FailOn(StrEnum):
    """From which severity on findings make the exit status 1."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NEVER = "never"


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_LIMITS = {FailOn.NEVER: -1, FailOn.ERROR: 0, FailOn.WARNING: 1, FailOn.NOTE: 2}


def names_any(problem: Problem, sources: Collection[str]) -> bool:
    """Tell whether *problem* speaks of one of *sources*."""
    told = f"{problem.where} {problem.what}"
    return any(source in told for source in sources if source)


@dataclass(slots=True)
class Account:
    """What was met so far.  Problems are printed as they come, one line each.

    With ``only_lost`` no other problem is printed: the command shows less than
    what was opened, and what does not concern it is no news.
    """

    output: Output
    only_lost: bool = False
    problems: list[Problem] = field(default_factory=list)
    runs: int = 0
    audited: int = 0
    lost: bool = False
    worst: int = 3

    def audits(self, found: Iterator[Audit | Problem]) -> Iterator[Audit]:
        """Yield the audits of *found* and account for everything in it."""
        for item in found:
            if isinstance(item, Problem):
                self.problems.append(item)
                self.report(item)
                continue
            for problem in item.run.problems:
                self.report(problem)
            self.runs += 1
            self.audited += bool(item.run.calls)
            failing = (f for f in item.findings if f.baseline is not BaselineState.UNCHANGED)
            ranks = (_RANKS[finding.severity] for finding in failing)
            self.worst = min(self.worst, *ranks, 3)
            yield item

    def report(self, problem: Problem) -> None:
        """Account for one problem and print it; a lost one decides the exit status."""
        lost = problem.kind is ProblemKind.LOST
        self.lost = self.lost or lost
        if lost or not self.only_lost:
            self.output.note(f"{problem.where}: {problem.what}")

    def concerning(self, problems: Iterable[Problem], sources: Collection[str]) -> None:
        """Print those problems that `report` kept back and that name one of *sources*."""
        for problem in problems:
            if problem.kind is not ProblemKind.LOST and names_any(problem, sources):
                self.output.note(f"{problem.where}: {problem.what}")

    def status(self, paths: list[str], fail_on: FailOn = FailOn.NEVER) -> Exit:
        """Return the exit status; says so where there was nothing to audit at all."""
        if not self.audited:
            if not self.lost:
                self.output.note(
                    f"{', '.join(paths)}: nothing to audit: no run with a model call was found; "
                    "reread formats lists what can be read"
                )
            return Exit.UNDECIDED
        if self.lost:
            return Exit.UNDECIDED
        return Exit.FINDINGS if self.worst <= _LIMITS[fail_on] else Exit.OK
