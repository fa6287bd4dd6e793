"""The tables of the database; they describe the schema and never leave the store.

Every text stands once, under its SHA-256.  What is looked up or sorted by has
a column, the rest of a record is its JSON: numbers that a record may choose
freely stand there, where none is too large.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import BigInteger, Integer, LargeBinary, MetaData, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

__all__ = [
    "METADATA",
    "AnswerRow",
    "CallRow",
    "DecisionLine",
    "EntryRow",
    "Escaped",
    "MessageRow",
    "PartRow",
    "ResultRow",
    "RunRow",
    "RunText",
    "SchemaVersion",
    "TextRow",
    "ToolCallRow",
    "VersionRow",
]

METADATA = MetaData()

_UNSAFE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


class Escaped(TypeDecorator[str]):
    r"""Any string as text that every database holds.

    SQLite refuses lone surrogates and PostgreSQL NUL as well: they are written
    as U+001A and four hexadecimal digits, and so is U+001A itself.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - the signature is given
        """Return what the database is given."""
        if value is None or (value.isascii() and "\x00" not in value and "\x1a" not in value):
            return value
        return _UNSAFE.sub(lambda found: f"\x1a{ord(found[0]):04x}", value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002 - the signature is given
        """Return the string that was given."""
        if value is None or "\x1a" not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


class _Table(SQLModel):
    metadata = METADATA


class SchemaVersion(_Table, table=True):
    """One row: the number of the last migration step."""

    __tablename__ = "schema_version"
    number: int = Field(
        primary_key=True, sa_type=Integer, sa_column_kwargs={"autoincrement": False}
    )


class TextRow(_Table, table=True):
    """A text once, as UTF-8 (lone surrogates as three bytes), under its SHA-256."""

    __tablename__ = "texts"
    digest: bytes = Field(primary_key=True, sa_type=LargeBinary)
    body: bytes = Field(sa_type=LargeBinary)


class RunRow(_Table, table=True):
    """A run: what a list of runs shows, and the rest of the record."""

    __tablename__ = "runs"
    id: int | None = Field(default=None, primary_key=True, sa_type=Integer)
    digest: str = Field(unique=True, sa_type=Text)
    run_id: str = Field(sa_type=Escaped)
    path: str = Field(sa_type=Escaped)
    format: str = Field(sa_type=Escaped)
    layer: str = Field(sa_type=Text)
    grade: str = Field(sa_type=Text)
    title: str = Field(sa_type=Escaped)
    parent_run: str | None = Field(sa_type=Escaped, nullable=True)
    branch: str | None = Field(sa_type=Escaped, nullable=True)
    calls: int = Field(sa_type=BigInteger)
    messages: int = Field(sa_type=BigInteger)
    versions: int = Field(sa_type=BigInteger)
    answers: int = Field(sa_type=BigInteger)
    body: str = Field(sa_type=Escaped)


class RunText(_Table, table=True):
    """Which texts a run uses, so that deleting a run deletes what only it used."""

    __tablename__ = "run_texts"
    run: int = Field(primary_key=True, sa_type=Integer, foreign_key="runs.id", ondelete="CASCADE")
    text: bytes = Field(
        primary_key=True, sa_type=LargeBinary, foreign_key="texts.digest", index=True
    )


class _Listed(_Table):
    """One record of a list of a run, at its place in the list."""

    run: int = Field(primary_key=True, sa_type=Integer, foreign_key="runs.id", ondelete="CASCADE")
    position: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    body: str = Field(sa_type=Escaped)


class MessageRow(_Listed, table=True):
    """A unique message without its parts."""

    __tablename__ = "messages"
    role: str = Field(sa_type=Escaped)


class PartRow(_Listed, table=True):
    """A part of a message; ``position`` counts in the message."""

    __tablename__ = "parts"
    message: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    kind: str = Field(sa_type=Text)
    tool_call_id: str = Field(sa_type=Escaped)
    name: str = Field(sa_type=Escaped)
    text: bytes | None = Field(sa_type=LargeBinary, nullable=True)


class CallRow(_Listed, table=True):
    """A model call: its changes to the request before stand in the body."""

    __tablename__ = "calls"
    model: str = Field(sa_type=Escaped)
    grade: str = Field(sa_type=Text)


class ToolCallRow(_Listed, table=True):
    """A call of a tool."""

    __tablename__ = "tool_calls"
    id: str = Field(sa_type=Escaped)
    name: str = Field(sa_type=Escaped)


class ResultRow(_Listed, table=True):
    """What a tool returned; no text where the record does not hold it."""

    __tablename__ = "tool_results"
    tool_call_id: str = Field(sa_type=Escaped)
    status: str = Field(sa_type=Escaped)
    text: bytes | None = Field(sa_type=LargeBinary, nullable=True)


class VersionRow(_Listed, table=True):
    """A version of a source; the first two columns are for looking up, the key is in the body."""

    __tablename__ = "versions"
    source_id: str = Field(sa_type=Escaped)
    version_id: str = Field(sa_type=Escaped)
    kind: str = Field(sa_type=Text)
    title: str = Field(sa_type=Escaped)
    sha256: str = Field(sa_type=Escaped)
    text: bytes | None = Field(sa_type=LargeBinary, nullable=True)


class AnswerRow(_Listed, table=True):
    """An answer; its citations stand in the body."""

    __tablename__ = "answers"
    text: bytes | None = Field(sa_type=LargeBinary, nullable=True)


class EntryRow(_Listed, table=True):
    """A record of one of the short lists; ``list`` names the field of the run."""

    __tablename__ = "entries"
    list: str = Field(primary_key=True, sa_type=Text)


class DecisionLine(_Table, table=True):
    """One line of the log of decisions on the runs of an id, with its line feed.

    Numbered from 1 without a gap.  Rows are added and never changed: a team
    may take the right to do more away from its members.
    """

    __tablename__ = "decision_lines"
    run: str = Field(primary_key=True, sa_type=Escaped)
    number: int = Field(
        primary_key=True, sa_type=Integer, sa_column_kwargs={"autoincrement": False}
    )
    line: bytes = Field(sa_type=LargeBinary)
