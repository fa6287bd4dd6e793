"""The only door to the database: records in, records out.

A run is saved in one transaction: all of it or nothing.  It is named by the
digest of its content, so saving it twice, or from two programs at once, leaves
one copy.  Importing this module loads SQLModel, which takes a third of a second:
import it where a run is saved or loaded, not where a program starts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Self

from sqlalchemy import Connection, Table, delete, exists, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import SQLModel

from store._rows_of_run import ENTRY_LISTS, LISTS, PARTS, Kept, list_rows, run_record, run_row
from store.digest import TextPool, run_digest
from store.errors import StoreError
from store.migrations import migrate
from store.records.grades import Grade, Layer
from store.records.runs import Part, Run
from store.records.summaries import RunSummary
from store.sqlite import WRITES, advice, make_engine, shown
from store.tables import METADATA, EntryRow, PartRow, RunRow, RunText, TextRow

__all__ = ["Repository"]

_ROWS = 1000
"""Rows in one statement: the memory of a save stays that of the run."""
_ATTEMPTS = 3
"""Where writers are not kept apart, the one that loses tries again and finds the other's rows."""


class Repository:
    """The saved runs in the database at *address* (``store.sqlite.sqlite_url(path)``).

    Opening creates or migrates the schema.  Every method raises `StoreError`
    when the database cannot do what was asked.
    """

    def __init__(self, address: str) -> None:
        self._where = shown(address)
        try:
            with self._told():
                self._engine = make_engine(address)
                migrate(self._engine)
        except StoreError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        engine = getattr(self, "_engine", None)
        if engine is not None:
            engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def save(self, run: Run) -> str:
        """Save *run* and return its digest.  One that is there already is left as it is."""
        pool = TextPool()
        with self._told():
            digest = run_digest(run, pool)
            for attempt in range(_ATTEMPTS):
                try:
                    with self._begin(writes=True) as connection:
                        if _run_number(connection, digest) is None:
                            _insert_run(connection, run, digest, Kept(pool))
                    break
                except IntegrityError:
                    if attempt == _ATTEMPTS - 1:
                        raise
        return digest

    def load(self, digest: str) -> Run:
        """Return the run of that digest, exactly as it was saved.

        Raises `StoreError` also when there is none, when a stored text no
        longer has its hash, or the whole its digest.
        """
        with self._told(), self._begin() as connection:
            row = connection.execute(select(_of(RunRow)).where(_of(RunRow).c.digest == digest))
            found = row.mappings().one_or_none()
            if found is None:
                raise StoreError(
                    f"no saved run has the digest {digest}",
                    self._where,
                    "Open the run's own files, or name one that `runs` lists.",
                )
            number = found["id"]
            kept = Kept(texts=self._texts(connection, number))
            try:
                run = run_record(dict(found), kept, _lists(connection, number, kept))
                same = run_digest(run) == digest
            except (KeyError, TypeError, ValueError, StoreError) as error:
                raise self._damaged(f"rows of the run {digest}") from error
        # Texts have hashes of their own; what else a run holds has only this one.
        if not same:
            raise self._damaged(f"run {digest}")
        return run

    def runs(self) -> list[RunSummary]:
        """Return what is saved, in the order in which it was saved."""
        with self._told(), self._begin() as connection:
            rows = connection.execute(select(_of(RunRow)).order_by(_of(RunRow).c.id)).mappings()
            return [
                RunSummary(
                    **{name: row[name] for name in RunSummary.__slots__}
                    | {"layer": Layer(row["layer"]), "grade": Grade(row["grade"])}
                )
                for row in rows
            ]

    def has(self, digest: str) -> bool:
        """Return whether a run of that digest is saved."""
        with self._told(), self._begin() as connection:
            return _run_number(connection, digest) is not None

    def delete(self, digest: str) -> bool:
        """Delete a run and the texts that only it used; return whether it was there."""
        texts, used = _of(TextRow), _of(RunText)
        with self._told(), self._begin(writes=True) as connection:
            number = _run_number(connection, digest)
            if number is None:
                return False
            its = connection.execute(select(used.c.text).where(used.c.run == number))
            digests = list(its.scalars())
            connection.execute(delete(_of(RunRow)).where(_of(RunRow).c.id == number))
            unused = ~exists().where(used.c.text == texts.c.digest)
            for some in _batches(digests):
                connection.execute(delete(texts).where(texts.c.digest.in_(some), unused))
            return True

    # -- inside -----------------------------------------------------------------

    def _texts(self, connection: Connection, number: int) -> dict[bytes, str]:
        texts, used = _of(TextRow), _of(RunText)
        rows = connection.execute(
            select(texts.c.digest, texts.c.body)
            .join(used, used.c.text == texts.c.digest)
            .where(used.c.run == number)
        )
        found: dict[bytes, str] = {}
        for digest, body in rows:
            if hashlib.sha256(body).digest() != digest:
                raise self._damaged(f"text {digest.hex()}")
            found[digest] = body.decode("utf-8", "surrogatepass")
        return found

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"damaged: {what} is not what was saved",
            self._where,
            "Delete the run from the database and open its own files again.",
        )

    @contextmanager
    def _begin(self, *, writes: bool = False) -> Iterator[Connection]:
        connection = self._engine.connect().execution_options(**{WRITES: writes})
        with connection, connection.begin():
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the database says into what a person can use."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise StoreError(
                f"the database failed ({cause})", self._where, advice(cause)
            ) from error
        except OSError as error:
            raise StoreError(
                f"the folder cannot be used ({error.strerror})", self._where, advice(error)
            ) from error
        except ImportError as error:
            raise StoreError(
                f"the driver of this database is not installed ({error.name})",
                self._where,
                "Install it into the environment of the program.",
            ) from error
        except RecursionError as error:
            raise StoreError(
                "a value of the run is nested too deeply",
                self._where,
                "The run can be audited from its own files.",
            ) from error


def _of(table: type[SQLModel]) -> Table:
    """Return the Core table of a table class."""
    return METADATA.tables[str(table.__tablename__)]


def _run_number(connection: Connection, digest: str) -> int | None:
    runs = _of(RunRow)
    found = connection.execute(select(runs.c.id).where(runs.c.digest == digest)).scalar()
    return None if found is None else int(found)


def _insert_run(connection: Connection, run: Run, digest: str, kept: Kept) -> None:
    made = connection.execute(insert(_of(RunRow)).values(run_row(run, digest, kept)))
    assert made.inserted_primary_key is not None  # noqa: S101 - the table has one
    number = made.inserted_primary_key[0]
    for table, rows in list_rows(run, kept):
        _insert(connection, _of(table), (row | {"run": number} for row in rows))
    for some in _batches(kept.used):
        texts = _of(TextRow)
        known = set(
            connection.execute(select(texts.c.digest).where(texts.c.digest.in_(some))).scalars()
        )
        new = [name for name in some if name not in known]
        bodies = (kept.used[name].encode("utf-8", "surrogatepass") for name in new)
        _insert(
            connection,
            texts,
            ({"digest": name, "body": body} for name, body in zip(new, bodies, strict=True)),
        )
        _insert(connection, _of(RunText), ({"run": number, "text": name} for name in some))


def _insert(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    for some in _batches(rows):
        connection.execute(insert(table), some)


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(items)
    while some := list(islice(rest, _ROWS)):
        yield some


def _lists(connection: Connection, number: int, kept: Kept) -> dict[str, object]:
    found: dict[str, object] = {}
    parts: dict[int, list[Part]] = {}
    for row in _rows(connection, PartRow, number):
        parts.setdefault(row["message"], []).append(PARTS.record(row, kept))
    for one in LISTS:
        rows = _rows(connection, one.table, number)
        if one.name == "messages":
            made = [
                one.record(row, kept, parts=tuple(parts.get(row["position"], ()))) for row in rows
            ]
        else:
            made = [one.record(row, kept) for row in rows]
        found[one.name] = tuple(made)
    entries: dict[str, list[object]] = {name: [] for name in ENTRY_LISTS}
    for row in _rows(connection, EntryRow, number):
        entries[row["list"]].append(ENTRY_LISTS[row["list"]].record(row, kept))
    return found | {name: tuple(records) for name, records in entries.items()}


def _rows(connection: Connection, table: type[SQLModel], number: int) -> Iterable[Any]:
    core = _of(table)
    rows = select(core).where(core.c.run == number).order_by(*core.primary_key.columns)
    return connection.execute(rows).mappings()
