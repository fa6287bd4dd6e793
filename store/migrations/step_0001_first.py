"""The first schema: texts once, runs, and their lists."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

__all__ = ["apply"]


def apply(connection: Connection) -> None:
    """Create the tables."""
    metadata = MetaData()
    Table(
        "texts",
        metadata,
        Column("digest", LargeBinary, primary_key=True),
        Column("body", LargeBinary, nullable=False),
    )
    Table(
        "runs",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("digest", Text, nullable=False, unique=True),
        *_texts("run_id", "path", "format", "layer", "grade", "title"),
        Column("parent_run", Text),
        Column("branch", Text),
        *(
            Column(name, BigInteger, nullable=False)
            for name in ("calls", "messages", "versions", "answers")
        ),
        *_texts("body"),
    )
    Table(
        "run_texts",
        metadata,
        _run(),
        Column("text", LargeBinary, ForeignKey("texts.digest"), primary_key=True),
        Index("ix_run_texts_text", "text"),
    )
    _listed(metadata, "messages", *_texts("role"))
    _listed(
        metadata,
        "parts",
        Column("message", BigInteger, primary_key=True, autoincrement=False),
        *_texts("kind", "tool_call_id", "name"),
        Column("text", LargeBinary),
    )
    _listed(metadata, "calls", *_texts("model", "grade"))
    _listed(metadata, "tool_calls", *_texts("id", "name"))
    _listed(
        metadata, "tool_results", *_texts("tool_call_id", "status"), Column("text", LargeBinary)
    )
    _listed(
        metadata,
        "versions",
        *_texts("source_id", "version_id", "kind", "title", "sha256"),
        Column("text", LargeBinary),
    )
    _listed(metadata, "answers", Column("text", LargeBinary))
    _listed(metadata, "entries", Column("list", Text, primary_key=True))
    metadata.create_all(connection)


def _listed(
    metadata: MetaData, name: str, *columns: Column[str] | Column[bytes] | Column[int]
) -> None:
    position = Column("position", BigInteger, primary_key=True, autoincrement=False)
    Table(name, metadata, _run(), position, *_texts("body"), *columns)


def _run() -> Column[int]:
    return Column("run", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]
