"""The database that a team shares, where one is named: its decisions, and its runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.records.runs import Problem, Run
from store.records.summaries import RunSummary

if TYPE_CHECKING:
    from store.repository import Repository
    from store.team import TeamLog

__all__ = [
    "DATABASE_VARIABLE",
    "PREFIX",
    "database_address",
    "saved_runs",
    "share",
    "shared_runs",
    "team_log",
    "unshare",
    "whole_name",
]

DATABASE_VARIABLE = "REREAD_DATABASE"
"""The environment variable with the address of the database."""


PREFIX = "team:"
"""How the name of a run in the shared database begins; its digest follows, or enough of it."""


def database_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of the shared database, "" where none is named."""
    return environment.get(DATABASE_VARIABLE, "").strip()


def team_log(run_id: str, environment: Mapping[str, str] = os.environ) -> TeamLog | None:
    """Return the shared log of the decisions on *run_id*, ``None`` where no database is named.

    Raises `StoreError` where the database cannot be reached.
    """
    address = database_address(environment)
    return _opened(address, run_id) if address else None


@cache
def _opened(address: str, run_id: str) -> TeamLog:
    # Loads SQLAlchemy, which takes a third of a second; without a database nobody waits for it.
    from store.team import TeamLog  # noqa: PLC0415

    return TeamLog(address, run_id)


def _repository() -> Repository:
    """Open the shared database; raises `StoreError` where none is named or it cannot be reached."""
    address = database_address()
    if not address:
        raise StoreError(
            "no database is named",
            DATABASE_VARIABLE,
            f"Set {DATABASE_VARIABLE} to the address of the database that the team shares.",
        )
    # As above: loads SQLAlchemy.
    from store.repository import Repository  # noqa: PLC0415

    return Repository(address)


def share(run: Run) -> str:
    """Save *run* with its evidence in the shared database and return the name it has there."""
    with _repository() as repository:
        return PREFIX + repository.save(run)


def shared_runs() -> list[RunSummary]:
    """Return what is shared, in the order in which it was saved."""
    with _repository() as repository:
        return repository.runs()


def unshare(name: str) -> RunSummary:
    """Take a run out of the shared database; decisions on it stay.

    Raises `StoreError` where the name is that of no run, or of several.
    """
    with _repository() as repository:
        found = _named(name, repository.runs())
        repository.delete(found.digest)
        return found


def saved_runs(path: str) -> Iterator[Run | Problem] | None:
    """Return the runs of the shared database that *path* names, ``None`` where it names none.

    A file of such a name is a file.
    """
    if not path.startswith(PREFIX) or os.path.lexists(path):
        return None
    return _loaded(path)


def whole_name(path: str) -> str:
    """Return *path* as it is understood from any folder, as the name of a shared run is."""
    if path.startswith(PREFIX) and not os.path.lexists(path):
        return path
    return os.path.abspath(path)  # noqa: PTH100 - does not touch what is there


def _loaded(path: str) -> Iterator[Run | Problem]:
    try:
        with _repository() as repository:
            run = repository.load(_named(path, repository.runs()).digest)
    except StoreError as error:
        yield Problem(path, f"{error.what}; {error.advice}")
        return
    yield replace(run, path=path)


def _named(name: str, runs: Sequence[RunSummary]) -> RunSummary:
    start = name.removeprefix(PREFIX)
    found = [each for each in runs if start and each.digest.startswith(start)]
    if len(found) == 1:
        return found[0]
    what = "several shared runs begin so" if found else "no shared run has this digest"
    raise StoreError(what, name, "`reread share` without a path lists what is shared.")
