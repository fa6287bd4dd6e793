"""Numbered steps from any older schema to the present one.

A step is a module ``step_NNNN_words.py`` with a function ``apply(connection)``.
It describes the tables as they are after it, by itself: a later change of
`store.tables` must not change what an older step did.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, inspect, select

from store.errors import StoreError
from store.sqlite import WRITES

__all__ = ["latest", "migrate"]

_NUMBER = Table(
    "schema_version",
    MetaData(),
    Column("number", Integer, primary_key=True, autoincrement=False),
)


def latest() -> int:
    """Return the number of the last step that this program knows."""
    return max(_steps())


def migrate(engine: Engine) -> None:
    """Bring the database to the latest step, in one transaction.

    Raises `StoreError` for a database that a newer program wrote.
    """
    with engine.connect() as connection, connection.begin():
        if _reached(connection, engine) == latest():
            return
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        reached = _reached(connection, engine)
        _NUMBER.create(connection, checkfirst=True)
        for number, apply in sorted(_steps().items()):
            if number > reached:
                apply(connection)
                connection.execute(_NUMBER.delete())
                connection.execute(_NUMBER.insert().values(number=number))


def _reached(connection: Connection, engine: Engine) -> int:
    if not inspect(connection).has_table(_NUMBER.name):
        return 0
    reached = connection.execute(select(_NUMBER.c.number)).scalar() or 0
    if reached > latest():
        raise StoreError(
            f"it was written by a newer program (schema {reached}, this one knows {latest()})",
            engine.url.render_as_string(hide_password=True),
            "Update the program, or choose another database.",
        )
    return int(reached)


@cache
def _steps() -> dict[int, Callable[[Connection], None]]:
    return {
        int(module.name.split("_")[1]): import_module(f"{__name__}.{module.name}").apply
        for module in pkgutil.iter_modules(__path__)
        if module.name.startswith("step_")
    }
