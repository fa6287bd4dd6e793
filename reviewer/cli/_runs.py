"""Chooses the run a subcommand speaks of, where a path holds several."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import islice

from reviewer.cli._command import UsageError
from reviewer.display import one_line
from store.records.findings import Audit
from store.records.runs import Problem, ProblemKind

__all__ = ["add_run_option", "asked", "chosen", "first_two"]


def add_run_option(parser: ArgumentParser) -> None:
    """Add ``--run``."""
    parser.add_argument(
        "--run",
        metavar="ID",
        dest="run_id",
        help="which run, by its id or its place (reread runs lists both); others are not read",
    )


def asked(
    found: Iterator[Audit | Problem], paths: Sequence[str], run_id: str | None
) -> Iterator[Audit | Problem]:
    """Yield *found*.  Raises `UsageError` at the end where the run that was asked for is not there.

    Where something could not be read it may be there all the same: that is told already.
    """
    missing = run_id is not None
    for item in found:
        told = not isinstance(item, Problem) or item.kind is ProblemKind.LOST
        missing = missing and not told
        yield item
    if missing:
        where = " ".join(paths)
        raise UsageError(f"there is no run {run_id} here; reread runs {where} lists what there is")


def first_two(audits: Iterator[Audit]) -> list[Audit]:
    """Return the runs with model calls up to the second: that one says already that one is meant.

    Of hundreds of runs the others are not read, only to say so.
    """
    return list(islice((audit for audit in audits if audit.run.calls), 2))


def chosen(audits: Sequence[Audit], run_id: str | None) -> Audit:
    """Return the one run that is meant, or raise `UsageError` with the ids there are."""
    if len(audits) == 1:
        return audits[0]
    lines = "".join(
        f"  {one_line(audit.run.run_id)}  {len(audit.run.calls)} calls  "
        f"{one_line(audit.run.title)}\n"
        for audit in audits
    )
    if run_id is not None:
        what = f"{len(audits)} runs are called {run_id}; name one file, or one by its place"
        raise UsageError(f"{what}:\n{lines}")
    raise UsageError(
        f"there are several runs here; choose one with --run ID (reread runs lists them all), "
        f"such as:\n{lines}"
    )
