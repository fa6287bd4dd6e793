"""The log of decisions in a database that a team shares.

The lines are those of the file (`store.reviews`), each bound to the one before
by its hash; the database keeps their order.  Two who decide at once want the
same next number: the database gives it to one, and the other reads what was
added and follows it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from sqlalchemy import Connection, Table, func, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from store._decision_lines import Walk, seal
from store.errors import StoreError
from store.migrations import migrate
from store.records.reviews import Decision
from store.reviews import LOG_BYTES, Reading, Stamp, Verification
from store.sqlite import WRITES, advice, make_engine, shown
from store.tables import METADATA, DecisionLine

__all__ = ["TeamLog"]

_TRIES = 100
"""Reviewers who decide in the same moment; each try means that one of them was served."""


class TeamLog:
    """The log of the runs with the id *run_id* in the database at *address*.

    A run that is going on has another digest after each call, and keeps its
    id; which decisions speak of a record of it, each decision says.

    It is one log with the methods of `store.reviews.DecisionLog`, and says the
    same of what it reads.  Every method raises `StoreError` when the database
    cannot do what was asked.
    """

    def __init__(self, address: str, run_id: str) -> None:
        self.where = f"{shown(address)} (decisions on {run_id})"
        self._run = run_id
        with self._told("the shared decisions cannot be reached"), ExitStack() as undo:
            self._engine = make_engine(address)
            undo.callback(self._engine.dispose)
            migrate(self._engine)
            undo.pop_all()

    def append(self, decision: Decision) -> Decision:
        """Add *decision* behind all others and return it with its hashes.

        When this returns, the database has committed it.  When it raises
        `StoreError` it was not added; where the connection broke while the
        database was asked to commit, the text says that this is not known.
        """
        made = self._append(decision, Reading())
        assert made is not None  # noqa: S101 - ids are looked at only for `append_new`
        return made[0]

    def append_new(self, decisions: Iterable[Decision]) -> tuple[Decision, ...]:
        """Add those of *decisions* whose ids the log does not hold, and return them.

        Each is committed before the next; when this raises `StoreError` the
        ones before are kept, and to do it again adds the rest.
        """
        added: list[Decision] = []
        reading = Reading()
        for decision in decisions:
            made = self._append(decision, reading, only_new=True)
            if made is not None:
                added.append(made[0])
                reading = made[1]
        return tuple(added)

    def _append(
        self, decision: Decision, reading: Reading, *, only_new: bool = False
    ) -> tuple[Decision, Reading] | None:
        """Add *decision*; returns it and what was read before, ``None`` where its id was there."""
        for _ in range(_TRIES):
            reading = self.read(reading)
            if only_new and any(each.id == decision.id for each in reading.decisions):
                return None
            sealed, line = seal(decision, reading.end, None)
            number = max(0, reading.stamp.size) + 1
            with self._told("the decision was not kept"), self._engine.connect() as connection:
                held = connection.execution_options(**{WRITES: True})
                row = {"run": self._run, "number": number, "line": line}
                try:
                    held.execute(insert(_lines()).values(row))
                except IntegrityError:
                    held.rollback()
                    continue
                self._commit(held)
            return sealed, reading
        raise StoreError(
            "the decision was not kept: others decide all the time", self.where, "Decide again."
        )

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except SQLAlchemyError as error:
            raise StoreError(
                f"it is not known whether the decision was kept ({_cause(error)})",
                self.where,
                "Look whether it is there, and decide again where it is not.",
            ) from error

    def read(self, after: Reading | None = None) -> Reading:
        """Return the decisions in their order and every problem met.

        *after* is an earlier reading of the same log: only what came later is
        then asked for.
        """
        with self._told("the decisions cannot be read"), self._engine.connect() as connection:
            return self._read(connection, after or Reading())

    def verify(self) -> Verification:
        """Read the log from its first line and say whether the chain holds.

        Raises `StoreError` where there is no decision: nothing was verified then.
        """
        found = self.read()
        if found.missing:
            raise StoreError("there is no log", self.where, "It is made by the first decision.")
        return Verification(found.holds, found.records, found.end, found.problems)

    def changed_since(self, stamp: Stamp) -> bool:
        """Tell whether anything was added since a reading with this stamp."""
        with self._told("the decisions cannot be read"), self._engine.connect() as connection:
            return self._stamp(connection) != stamp

    def lines(self, reading: Reading) -> bytes:
        """Return what *reading* was read from: the lines, one behind the other."""
        lines = _lines()
        wanted = (lines.c.run == self._run, lines.c.number <= reading.stamp.size)
        rows = select(lines.c.line).where(*wanted).order_by(lines.c.number)
        with self._told("the decisions cannot be read"), self._engine.connect() as connection:
            return b"".join(connection.execute(rows).scalars())

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # -- inside ----------------------------------------------------------------

    def _read(self, connection: Connection, after: Reading) -> Reading:
        lines = _lines()
        own = lines.c.run == self._run
        # First how far to read: a line that is added meanwhile belongs to the next reading.
        stamp = self._stamp(connection)
        before = after if self._goes_on(connection, after) else Reading()
        newer = (lines.c.number > before.stamp.size, lines.c.number <= stamp.size)
        rows = select(lines.c.line).where(own, *newer).order_by(lines.c.number)
        walk = Walk(self.where, before.chain)
        walk.take(io.BytesIO(b"".join(connection.execute(rows).scalars())))
        decisions = before.decisions[: before.settled[0]]
        problems = before.problems[: before.settled[1]]
        return Reading(
            decisions=(*decisions, *walk.decisions),
            problems=(*problems, *walk.problems),
            stamp=stamp,
            records=walk.end.records,
            end=walk.end.hash,
            chain=walk.chain,
            settled=(len(decisions) + walk.settled[0], len(problems) + walk.settled[1]),
        )

    def _goes_on(self, connection: Connection, after: Reading) -> bool:
        """Tell whether the database still holds the line that *after* ends with."""
        lines = _lines()
        wanted = (lines.c.run == self._run, lines.c.number == after.stamp.size)
        held = connection.execute(select(lines.c.line).where(*wanted)).scalar()
        return held is not None and held == after.chain.last

    def _stamp(self, connection: Connection) -> Stamp:
        """Return the number of the last line and the bytes of all, as what shows a change."""
        lines = _lines()
        last, size = func.max(lines.c.number), func.sum(func.length(lines.c.line))
        counted = select(last, size).where(lines.c.run == self._run)
        number, held = connection.execute(counted).one()
        if number is None:
            return Stamp()
        if held > LOG_BYTES:
            raise StoreError(
                f"it has {held} bytes, and a log is read up to {LOG_BYTES}",
                self.where,
                "Check what was written there.",
            )
        return Stamp(size=number, changed_ns=int(held))

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Turn what the database says into what a person can use."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = _cause(error)
            raise StoreError(f"{what} ({cause})", self.where, advice(cause)) from error
        except OSError as error:
            raise StoreError(
                f"{what} ({error.strerror or error})", self.where, advice(error)
            ) from error
        except ImportError as error:
            raise StoreError(
                f"{what}: the driver of this database is not installed ({error.name})",
                self.where,
                "Install reread[team], or the driver that the address names.",
            ) from error


def _lines() -> Table:
    return METADATA.tables[str(DecisionLine.__tablename__)]


def _cause(error: SQLAlchemyError) -> Exception:
    return getattr(error, "orig", None) or error
