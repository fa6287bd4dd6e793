"""The database that a team shares, where one is named."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.team import TeamLog

__all__ = ["DATABASE_VARIABLE", "database_address", "team_log"]

DATABASE_VARIABLE = "REREAD_DATABASE"
"""The environment variable with the address of the database."""


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
