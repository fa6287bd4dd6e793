"""Chooses the run a subcommand speaks of, where a path holds several."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

from reviewer.cli._command import UsageError
from reviewer.display import one_line
from store.records.findings import Audit

__all__ = ["add_run_option", "chosen"]


def add_run_option(parser: ArgumentParser) -> None:
    """Add ``--run``."""
    parser.add_argument(
        "--run", metavar="ID", dest="run_id", help="which run, if there are several"
    )


def chosen(audits: Sequence[Audit], run_id: str | None) -> Audit:
    """Return the one run that is meant, or raise `UsageError` with the ids there are."""
    found = [audit for audit in audits if run_id is None or audit.run.run_id == run_id]
    if len(found) == 1:
        return found[0]
    lines = "".join(
        f"  {one_line(audit.run.run_id)}  {len(audit.run.calls)} calls  "
        f"{one_line(audit.run.title)}\n"
        for audit in audits
    )
    if run_id is not None and not found:
        raise UsageError(f"there is no run {run_id} here; choose one with --run ID:\n{lines}")
    if run_id is not None:
        raise UsageError(f"{len(found)} runs are called {run_id}; name one file:\n{lines}")
    raise UsageError(f"there are {len(audits)} runs here; choose one with --run ID:\n{lines}")
