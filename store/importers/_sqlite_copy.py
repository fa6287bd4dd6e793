"""A foreign SQLite database, read from a private copy of it and of its write-ahead file.

Opened in place a database gives wrong rows (``immutable=1`` beside a live
write-ahead file) or changes what lies beside it (``mode=ro`` makes a ``-shm``,
``mode=rw`` folds the write-ahead file in).  So both files are read as bytes
and copied to a folder of our own, and only the copy is opened.  A rollback
journal is not copied: it may name another file, which SQLite would delete.

The copy is of one moment: the database is read before and after the
write-ahead file, which only ever grows until the database itself is changed.
Format facts: sqlite.org, "Database File Format" and "WAL-mode File Format".
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import xxhash

from store.importers import _files
from store.stopping import go_on

__all__ = ["MAGIC", "BusyError", "Database", "has_table_named", "opened"]

MAGIC: Final = b"SQLite format 3\0"
_WAL_MAGIC: Final = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_JOURNAL_MAGIC: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_WAL_HEADER: Final = 32
_PIECE: Final = 1 << 20
_TRIES: Final = 40
_HALVES: Final = 3
"""So many times a change may be under way before what is there is read all the same."""
_HALF: Final = (
    "a change was being written to it (there is a journal): rows may be half there; "
    "read it again when its program has finished"
)
_LONGEST: Final = 256 << 20
"""Bytes of one value: a text of a conversation that is longer is no text of a conversation."""
_TABLES: Final = "SELECT sql FROM sqlite_master WHERE type = 'table'"
_STEPS: Final = 100_000
_ENDLESS: Final = 20_000
"""So many times ``_STEPS`` instructions, and a table is no table that a program wrote."""


class BusyError(OSError):
    """The database was being written all the time it was tried to copy it."""


class Database:
    """Reads tables of a private copy.  Views and computed columns are not evaluated."""

    def __init__(self, connection: sqlite3.Connection, trouble: str = "") -> None:
        self._connection = connection
        self.trouble = trouble
        """What the copy may lack, empty where it is whole."""

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the stored columns of a plain table; none where there is no such table."""
        plain = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        plain += " AND sql NOT LIKE 'CREATE VIRTUAL%'"
        if not next(self._asked(plain, (table,)))[0]:
            return ()
        asked = "SELECT name, hidden FROM pragma_table_xinfo(?)"
        found = list(self._asked(asked, (table,)))
        # A computed column may compute for ever; a table with one is left alone.
        return () if any(hidden for _, hidden in found) else tuple(str(name) for name, _ in found)

    def rows(
        self, table: str, columns: Sequence[str], where: str = "", values: Sequence[object] = ()
    ) -> Iterator[tuple[object, ...]]:
        """Return *columns* of a table as they are stored: text that is no UTF-8 comes as bytes.

        Raises `sqlite3.Error` where the file is damaged.
        """
        names = ", ".join(_quoted(name) for name in columns)
        asked = f"SELECT {names} FROM {_quoted(table)}"  # noqa: S608 - both names are quoted
        return self._asked(f"{asked} {where}", tuple(values))

    def _asked(self, asked: str, values: Sequence[object]) -> Iterator[tuple[object, ...]]:
        try:
            for row in self._connection.execute(asked, tuple(values)):
                go_on()
                yield row
        except UnicodeDecodeError:
            # What SQLite says of a damaged file quotes it, and the quotation is no text.
            raise sqlite3.DatabaseError("its description of itself is damaged") from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def has_table_named(name: bytes, path: Path, head: bytes) -> bool:
    """Return whether a table of a database, or a column of one, is called *name*.

    Its first bytes tell, since they describe it.  Where the description is not
    within them, or only in the write-ahead file, the bytes of the name must do.
    """
    if not head.startswith(MAGIC):
        return False
    tables = _described(head)
    if tables:
        return any(name in sql for sql in tables)
    if tables is None and name in head:
        return True
    beside = _beside(path, "-wal")
    if beside is None:
        return False
    try:
        with _files.open_regular(beside) as file:
            return name in file.read(64 * 1024)
    except OSError:
        return False


def _described(head: bytes) -> list[bytes] | None:
    """Return the statements that made the tables; ``None`` where they are not in the head."""
    # Write-ahead mode needs files of its own; for what lies on these pages it makes no difference.
    data = head[:18] + b"\1\1" + head[20:]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            connection.deserialize(data)
            _guard(connection)
            rows = connection.execute(_TABLES)
            return [row[0].encode() for row in rows if isinstance(row[0], str)]
        except (sqlite3.Error, UnicodeDecodeError):
            return None


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a private copy of the database at *path*; the copy is gone afterwards.

    Raises `OSError`, `BusyError` where it never stood still, and
    `sqlite3.Error` where it is no database.
    """
    with tempfile.TemporaryDirectory(prefix="reread-") as folder:
        copy = Path(folder, "copy.db")
        trouble = _copied(path, copy)
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            _guard(connection)
            yield Database(connection, trouble)
        finally:
            connection.close()


def _guard(connection: sqlite3.Connection) -> None:
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON"):
        connection.execute(f"PRAGMA {pragma}")
    left = iter(range(_ENDLESS))
    connection.set_progress_handler(lambda: int(next(left, None) is None), _STEPS)


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _beside(path: Path, suffix: str) -> Path | None:
    """Return the file that belongs to a database by its name, unless a link leads out to it."""
    try:
        real = path.resolve()
        beside = _files.inside(real.parent, real.name + suffix)
    except (OSError, _files.OutsideError):
        return None
    return beside if beside.is_file() else None


def _copied(path: Path, copy: Path) -> str:
    """Copy the database and its write-ahead file as of one moment; say what may be lacking.

    A transaction that changes the database itself has a journal until its last
    page is written: none may be there between two readings that are alike.
    """
    halves = 0
    for _ in range(_TRIES):
        go_on()
        before = _copy(path, copy)
        whole = _copy_wal(path, Path(f"{copy}-wal"))
        half = _has_journal(path)
        if not (whole and _digest(path) == before):
            continue
        halves += half
        if not half:
            return ""
        if halves >= _HALVES:
            return _HALF
    raise BusyError("it was written all the time; try again when its program is idle")


def _copy(path: Path, copy: Path) -> bytes:
    digest = xxhash.xxh3_128()
    with _files.open_regular(path, _PIECE) as file, copy.open("wb") as target:
        while piece := file.read(_PIECE):
            digest.update(piece)
            target.write(piece)
    return digest.digest()


def _digest(path: Path) -> bytes:
    digest = xxhash.xxh3_128()
    with _files.open_regular(path, _PIECE) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.digest()


def _copy_wal(path: Path, copy: Path) -> bool:
    """Copy the write-ahead file, if there is one; return whether it was one and the same."""
    copy.unlink(missing_ok=True)
    beside = _beside(path, "-wal")
    if beside is None:
        return _beside(path, "-wal") is None
    try:
        with _files.open_regular(beside, _PIECE) as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(_WAL_HEADER)
            if not size or header[:4] not in _WAL_MAGIC:
                return True  # empty or begun anew: SQLite reads nothing from it
            with copy.open("wb") as target:
                target.write(header)
                left = size - len(header)
                while left > 0 and (piece := file.read(min(left, _PIECE))):
                    target.write(piece)
                    left -= len(piece)
            file.seek(0)
            return file.read(_WAL_HEADER) == header
    except FileNotFoundError:
        return False


def _has_journal(path: Path) -> bool:
    """Return whether a change to the database is under way, or was left there half done."""
    beside = _beside(path, "-journal")
    if beside is None:
        return False
    try:
        with _files.open_regular(beside) as file:
            return file.read(len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC
    except OSError:
        return False
