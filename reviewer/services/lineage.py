"""Which logs hold the decisions on a run: a record that grew is known again by how it begins.

A log lies under the digest of the record that was decided on first.  A run that
is still going on has another digest after each call; so the log of an earlier
record is its log too, where the record says that it is the same run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from reviewer.services.places import data_dir
from reviewer.services.team import team_log
from store.digest import Beginnings, TextPool, run_digest
from store.errors import StoreError
from store.records.reviews import Decision, TargetKind
from store.records.runs import Run
from store.reviews import DecisionLog, Log

__all__ = ["LOG_NAME", "Lineage", "decisions_path", "logs_of", "not_of_this_record"]

LOG_NAME = "decisions.jsonl"
_LINE_BYTES = 1024 * 1024


def decisions_path(digest: str) -> Path:
    """Return where the decisions on the run of that digest lie, whether there are any or not."""
    return _runs() / digest / LOG_NAME


def _runs() -> Path:
    return data_dir() / "runs"


class Lineage:
    """What tells whether a decision was made on this record of a run, or on its beginning."""

    def __init__(self, run: Run, digest: str = "") -> None:
        """Take the record of *run*; its *digest* is made where it is not given.

        Raises `StoreError` for a run that has none.
        """
        pool = TextPool()
        self.run_id = run.run_id
        self.digest = digest or run_digest(run, pool)
        self._run = run
        self._pool = pool
        self._answers: dict[int, list[str]] = defaultdict(list)
        for answer in run.answers:
            self._answers[answer.call].append(answer.text)

    @cached_property
    def _beginnings(self) -> Beginnings:
        return Beginnings(self._run, self._pool)

    def mark(self, call: int | None, answer: str = "") -> str:
        """Return the `Beginnings.mark` that a decision made now carries."""
        return self._beginnings.mark(call, answer)

    def holds(self, decision: Decision) -> bool:
        """Tell whether *decision* speaks of this record, or of one that this one goes on from."""
        if decision.run_id != self.run_id:
            return False
        if decision.run_digest == self.digest:
            return True
        number = decision.upto.partition(":")[0]
        texts = [""]
        if decision.target.kind is TargetKind.CITATION:
            texts = self._answers.get(int(number), []) if number.isdecimal() else []
        return any(self._beginnings.holds(decision.upto, text) for text in texts)


def logs_of(lineage: Lineage, known: dict[Path, str] | None = None) -> tuple[Log, ...]:
    """Return the log that decisions on this record go to, and behind it others that hold some.

    A database that a team shares takes the decisions where one is named; what
    was decided in files before is still shown.  Of files there is more than one
    only where two reviewers began at once at different lengths of a run.
    *known* keeps the run ids of logs for the next look.
    """
    files = _files_of(lineage, {} if known is None else known)
    shared = team_log(lineage.run_id)
    if shared is None:
        return tuple(map(DecisionLog, files))
    return (shared, *(DecisionLog(path) for path in files if path.exists()))


def _files_of(lineage: Lineage, known: dict[Path, str]) -> list[Path]:
    own = decisions_path(lineage.digest)
    met: list[tuple[Decision, Path]] = []
    for path in _logs_with(lineage.run_id, known):
        if path == own:
            continue
        with suppress(StoreError):  # a log that cannot be read is told where it is the only one
            decisions = DecisionLog(path).read().decisions
            if any(lineage.holds(each) for each in decisions):
                met.append((decisions[0], path))
    related = [path for _, path in sorted(met, key=lambda one: (one[0].at, one[1]))]
    return [own, *related] if own.exists() or not related else related


def not_of_this_record(count: int) -> str:
    """Say how many decisions of a log were made on something else."""
    return f"decisions made on a record that this one does not go on from, not shown: {count}"


def _logs_with(run_id: str, known: dict[Path, str]) -> Iterator[Path]:
    """Yield the logs whose records name the run *run_id*."""
    try:
        folders = sorted(_runs().iterdir())
    except OSError:
        return
    for folder in folders:
        path = folder / LOG_NAME
        if path not in known:
            found = _run_id(path)
            if found is None:
                continue
            known[path] = found
        if known[path] == run_id:
            yield path


def _run_id(path: Path) -> str | None:
    """Return the run id that the first whole record of a log names; ``None`` where none does."""
    with suppress(OSError), path.open("rb") as stream:
        while line := stream.readline(_LINE_BYTES):
            with suppress(ValueError, RecursionError):
                record = json.loads(line)
                if isinstance(record, dict) and isinstance(record.get("run_id"), str):
                    return str(record["run_id"])
    return None
