"""The decisions of a team: one row for each line of a log."""

from __future__ import annotations

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text

__all__ = ["apply"]


def apply(connection: Connection) -> None:
    """Create the table."""
    metadata = MetaData()
    Table(
        "decision_lines",
        metadata,
        Column("run", Text, primary_key=True),
        Column("number", Integer, primary_key=True, autoincrement=False),
        Column("line", LargeBinary, nullable=False),
    )
    metadata.create_all(connection)
