"""What stands on runs that are open together, each with a log of its own, for one report."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.services.lineage import Lineage, logs_of, not_of_this_record
from store.errors import StoreError
from store.records.findings import Audit
from store.records.reviews import Decision, LogEnd, Reviews, Target, TargetState, current, standing
from store.records.runs import Problem, ProblemKind, Run
from store.reviews import Log, Reading

__all__ = ["open_reviews"]


@dataclass(frozen=True, slots=True)
class _Read:
    """The decisions on one run, and the logs they stand in."""

    run: Run
    digest: str
    decisions: tuple[Decision, ...]
    ends: tuple[LogEnd, ...]


def open_reviews(audits: Sequence[Audit]) -> tuple[Reviews | None, tuple[Problem, ...]]:
    """Return what stands on *audits*, as the disk has it now, and what is wrong with the logs.

    ``None`` where there is no log.
    """
    problems: list[Problem] = []
    read = []
    for audit in audits:
        try:
            read.append(_read(audit.run, problems))
        except StoreError as error:
            problems.append(Problem(error.where, f"{error.what}; {error.advice}"))
    ends = list(dict.fromkeys(end for each in read for end in each.ends))
    if not ends:
        return None, tuple(problems)
    first, *more = ends
    by_run = _by_run(read, problems)
    reviews = Reviews(first.log, first.holds, first.records, first.last_hash, by_run, tuple(more))
    return reviews, tuple(dict.fromkeys(problems))


def _read(run: Run, problems: list[Problem]) -> _Read:
    lineage = Lineage(run)
    held, ends = [], []
    for log in logs_of(lineage):
        reading = log.read()
        if not reading.missing:
            problems += reading.problems
            ends.append(_end(log, reading))
            held.append(reading.decisions)
    every = list(heapq.merge(*held, key=lambda each: each.at))
    own = tuple(each for each in every if lineage.holds(each))
    left = len(standing(each for each in every if not lineage.holds(each)))
    where = ends[0].log if ends else ""
    if left:
        problems.append(Problem(where, not_of_this_record(left), ProblemKind.NOTED))
    earlier = sum(each.run_digest != lineage.digest for each in standing(own))
    if earlier:
        what = f"decisions made on an earlier record of run {run.run_id}: {earlier}"
        problems.append(Problem(where, what, ProblemKind.NOTED))
    return _Read(run, lineage.digest, own, tuple(ends))


def _end(log: Log, reading: Reading) -> LogEnd:
    last = reading.end if reading.records else ""
    return LogEnd(log.where, reading.holds, reading.records, last)


def _by_run(
    read: Sequence[_Read], problems: list[Problem]
) -> Mapping[str, Mapping[Target, TargetState]]:
    """Return what stands, by run id; of runs that share one only what stands on each alike."""
    found: dict[str, dict[Target, TargetState]] = {}
    for each in read:
        states = current(each.decisions)
        run_id = each.run.run_id
        others = [o for o in read if o.run.run_id == run_id and o.digest != each.digest]
        for other in others:
            theirs = current(other.decisions)
            unlike = [target for target in states if states[target] != theirs.get(target)]
            if unlike:
                count = len(unlike)
                what = (
                    f"decisions not shown, since another open run is called {run_id} too: {count}"
                )
                problems.append(Problem(each.run.path, what, ProblemKind.NOTED))
            states = {t: state for t, state in states.items() if t not in unlike}
        found.setdefault(run_id, {}).update(states)
    return found
