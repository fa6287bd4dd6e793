"""The reviewers' logs on runs that are audited one after another, for a report to hand over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from reviewer.services.open_reviews import open_reviews
from reviewer.services.places import data_dir
from store.records.findings import Audit
from store.records.reviews import LogEnd, Reviews, Target, TargetState
from store.records.runs import Problem, ProblemKind

__all__ = ["OwnLogs"]


class OwnLogs:
    """The logs of the user's data folder on runs that are audited one after another.

    `reviews` grows with the audits that `checked` yields.  A log is named by
    its place in the data folder: where that lies is nobody's business to whom
    a report is handed over, and another place on another machine.
    """

    def __init__(self) -> None:
        self.reviews = Reviews("the data folder", holds=True, records=0, last_hash="")
        self._states: dict[str, Mapping[Target, TargetState]] = {}
        self._ends: dict[LogEnd, None] = {}

    def checked(self, found: Iterable[Audit | Problem]) -> Iterator[Audit | Problem]:
        """Yield *found*, before each audit the problems of its logs."""
        for item in found:
            if isinstance(item, Audit):
                reviews, problems = open_reviews([item])
                named = [replace(each, where=_named(each.where)) for each in problems]
                yield from named
                if reviews is not None:
                    own = LogEnd(reviews.log, reviews.holds, reviews.records, reviews.last_hash)
                    ends = [replace(e, log=_named(e.log)) for e in (own, *reviews.more)]
                else:
                    # A log that could not be read is not one without decisions.
                    lost = (each for each in named if each.kind is ProblemKind.LOST)
                    ends = [LogEnd(each.where, False, 0, "") for each in lost]  # noqa: FBT003
                self._take(item.run.run_id, reviews, ends)
            yield item

    def _take(self, run_id: str, reviews: Reviews | None, ends: list[LogEnd]) -> None:
        self._states[run_id] = reviews.by_run.get(run_id, {}) if reviews else {}
        self._ends |= dict.fromkeys(ends)
        if self._ends:
            first, *more = self._ends
            self.reviews.log, self.reviews.holds = first.log, first.holds
            self.reviews.records, self.reviews.last_hash = first.records, first.last_hash
            self.reviews.more = tuple(more)
        self.reviews.by_run = self._states


def _named(log: str) -> str:
    """Return the place of a log in the data folder; what lies elsewhere keeps its name."""
    path = Path(log)
    return path.relative_to(data_dir()).as_posix() if path.is_relative_to(data_dir()) else log
