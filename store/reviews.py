"""The log of decisions: a file that only grows, each line bound to the one before by its hash.

A decision that `DecisionLog.append` returned is on disk.  Several processes
may append at once.  Nothing in the file is ever written over: what an
interrupted write left stays, and the next record names it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from store._decision_lines import START, Chain, Walk, seal
from store._locking import PATIENCE, locked
from store.errors import StoreError
from store.objects import sync_folder
from store.records.reviews import Decision
from store.records.runs import Problem, ProblemKind

__all__ = ["LOG_BYTES", "DecisionLog", "Log", "Reading", "Stamp", "Verification"]

LOG_BYTES = 256 * 1024 * 1024
"""A larger log is not read into memory: it is half a million decisions, or no log."""

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_GROW = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_NO_SPACE = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file looks like from outside; equal stamps mean that nothing was appended."""

    file: tuple[int, int] = (0, 0)
    size: int = -1
    changed_ns: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """A log as it was read: its decisions in order, and what is wrong with it.

    A problem of kind ``CHANGED`` is a break of the chain, ``NOTED`` a write
    that was interrupted, ``LOST`` a record that this Reread cannot read.  A
    decision whose line no longer has its hash is not among the decisions.
    ``end`` is the hash of the last record.
    """

    decisions: tuple[Decision, ...] = ()
    problems: tuple[Problem, ...] = ()
    stamp: Stamp = Stamp()
    records: int = 0
    end: str = START
    chain: Chain = field(default=Chain(), repr=False)
    settled: tuple[int, int] = field(default=(0, 0), repr=False)

    @property
    def missing(self) -> bool:
        """Whether there was no file."""
        return self.stamp == Stamp()

    @property
    def holds(self) -> bool:
        """Whether each record follows the one before it, unchanged."""
        return all(problem.kind is not ProblemKind.CHANGED for problem in self.problems)


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the chain holds, where it breaks, and the hash that stands for all of it."""

    holds: bool
    records: int
    last_hash: str
    problems: tuple[Problem, ...] = ()


class Log(Protocol):
    """A log of decisions, wherever it lies.  Every method may raise `StoreError`."""

    @property
    def where(self) -> str:
        """Where it lies, for people; two logs in one place are one log."""

    def append(self, decision: Decision) -> Decision:
        """Keep *decision* behind all others, for good, and return it with its hashes."""

    def append_new(self, decisions: Iterable[Decision]) -> tuple[Decision, ...]:
        """Keep those of *decisions* whose ids are not there yet, and return them."""

    def read(self, after: Reading | None = None) -> Reading:
        """Return the decisions in their order; *after* spares reading what was read."""

    def verify(self) -> Verification:
        """Say whether each record follows the one before it, unchanged."""

    def changed_since(self, stamp: Stamp) -> bool:
        """Tell whether anything was added since a reading with this stamp."""

    def lines(self, reading: Reading) -> bytes:
        """Return what *reading* was read from, byte for byte."""


class DecisionLog:
    """The log in the file *path*, which need not exist: it is made by the first decision.

    One object may be used by one thread at a time; objects and processes may
    be as many as there are reviewers.
    """

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self.path = path
        self.where = str(path)
        self._patience = patience
        self._chain = Chain()

    def append(self, decision: Decision) -> Decision:
        """Write *decision* behind all others and return it with its hashes.

        When this returns, the decision is on disk.  When it raises
        `StoreError` it is not in the log, which is as it was before.
        """
        for _ in range(_TRIES):
            with (
                self._growing() as handle,
                locked(handle, self.where, patience=self._patience),
            ):
                # While we waited the file may have been taken away, with all who write to it.
                if self._is_in_place(handle):
                    return self._append(handle, decision)
        raise self._refused("it is taken away again and again", "Find out what removes it.")

    def append_new(self, decisions: Iterable[Decision]) -> tuple[Decision, ...]:
        """Write those of *decisions* whose ids the log does not hold, and return them.

        Nobody else writes between the look and the writing.  Each is on disk
        before the next; when this raises `StoreError` the ones before are
        kept, and to do it again adds the rest.
        """
        wanted = list(decisions)
        if not wanted:
            return ()
        for _ in range(_TRIES):
            with (
                self._growing() as handle,
                locked(handle, self.where, patience=self._patience),
            ):
                if self._is_in_place(handle):
                    return tuple(self._append_new(handle, wanted))
        raise self._refused("it is taken away again and again", "Find out what removes it.")

    def _append_new(self, handle: int, decisions: Iterable[Decision]) -> Iterator[Decision]:
        try:
            known = {each.id for each in self._walk(handle, Chain()).decisions}
        except OSError as error:
            raise self._unreadable(error) from error
        for decision in decisions:
            if decision.id not in known:
                known.add(decision.id)
                yield self._append(handle, decision)

    def read(self, after: Reading | None = None) -> Reading:
        """Return the decisions in their order and every problem met.

        *after* is an earlier reading of the same log: only what came later is
        then read from the file.  A log that is not there is an empty one.
        Raises `StoreError` for a file that cannot be read.
        """
        try:
            handle = os.open(self.path, _READ)
        except FileNotFoundError:
            return Reading()
        except OSError as error:
            raise self._unreadable(error) from error
        try:
            with locked(handle, self.where, shared=True, patience=self._patience):
                return self._read(handle, after or Reading())
        except OSError as error:
            raise self._unreadable(error) from error
        finally:
            os.close(handle)

    def verify(self) -> Verification:
        """Read the log from its first byte and say whether the chain holds.

        Raises `StoreError` where there is no log, or none that can be read:
        nothing was verified then.
        """
        found = self.read()
        if found.missing:
            raise self._refused("there is no log", "It is made by the first decision.")
        return Verification(found.holds, found.records, found.end, found.problems)

    def changed_since(self, stamp: Stamp) -> bool:
        """Tell whether anything was appended since a reading with this stamp; costs one look."""
        try:
            return _stamp(self.path.stat()) != stamp
        except OSError:
            return stamp != Stamp()

    def lines(self, reading: Reading) -> bytes:
        """Return what *reading* was read from: the log only grows, so that is its beginning.

        Raises `StoreError` for a file that cannot be read.
        """
        if reading.missing:
            return b""
        try:
            with self.path.open("rb") as stream:
                return stream.read(reading.stamp.size)
        except OSError as error:
            raise self._unreadable(error) from error

    # -- reading ---------------------------------------------------------------

    def _read(self, handle: int, after: Reading) -> Reading:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise self._refused("it is no regular file", "Name the log itself.")
        if facts.st_size > LOG_BYTES:
            raise self._refused(
                f"it has {facts.st_size} bytes, and a log is read up to {LOG_BYTES}",
                "Check that this is a log of decisions.",
            )
        same = after.stamp.file == _stamp(facts).file
        chain = self._resumed(handle, after.chain if same else Chain())
        kept = after if chain.offset else Reading()
        walk = self._walk(handle, chain)
        self._chain = walk.chain
        decisions = kept.decisions[: kept.settled[0]]
        problems = kept.problems[: kept.settled[1]]
        return Reading(
            decisions=(*decisions, *walk.decisions),
            problems=(*problems, *walk.problems),
            stamp=_stamp(facts),
            records=walk.end.records,
            end=walk.end.hash,
            chain=walk.chain,
            settled=(len(decisions) + walk.settled[0], len(problems) + walk.settled[1]),
        )

    def _resumed(self, handle: int, chain: Chain) -> Chain:
        """Return *chain* if the file still holds what it ends with, else a new one."""
        if not chain.last:
            return Chain()
        os.lseek(handle, chain.offset - len(chain.last), os.SEEK_SET)
        return chain if os.read(handle, len(chain.last)) == chain.last else Chain()

    def _walk(self, handle: int, chain: Chain) -> Walk:
        walk = Walk(self.where, chain)
        os.lseek(handle, chain.offset, os.SEEK_SET)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            walk.take(stream)
        return walk

    # -- writing ---------------------------------------------------------------

    @contextmanager
    def _growing(self) -> Iterator[int]:
        try:
            self._make_folder()
            handle = os.open(self.path, _GROW, 0o666)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise self._refused("it is no regular file", "Move it away; a log is made anew.")
            yield handle
        finally:
            os.close(handle)

    def _make_folder(self) -> None:
        """Make the folder of the log so that it lasts."""
        missing = []
        folder = self.path.parent
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            sync_folder(each.parent)

    def _is_in_place(self, handle: int) -> bool:
        try:
            return _stamp(self.path.stat()).file == _stamp(os.fstat(handle)).file
        except OSError:
            return False

    def _append(self, handle: int, decision: Decision) -> Decision:
        try:
            size = os.fstat(handle).st_size
            walk = self._walk(handle, self._resumed(handle, self._chain))
        except OSError as error:
            raise self._unreadable(error) from error
        between = b"" if walk.closed else b"\n"
        sealed, line = seal(decision, walk.end.hash, walk.torn())
        self._write(handle, size, between + line)
        if not size:
            sync_folder(self.path.parent)
        self._chain = Chain()
        if walk.chain.offset == size:
            lines, records = walk.end.lines + 1, walk.end.records + 1
            self._chain = Chain(size + len(line), lines, records, sealed.hash, line)
        return sealed

    def _write(self, handle: int, size: int, data: bytes) -> None:
        """Write *data* behind *size* bytes, all of it or nothing."""
        try:
            left = data
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        except BaseException as error:
            # Nobody was told of this record, and nobody else wrote: we hold the lock.
            with suppress(OSError):
                os.ftruncate(handle, size)
            if isinstance(error, OSError):
                raise self._unwritable(error) from error
            raise

    # -- what is said when it does not work ------------------------------------

    def _refused(self, what: str, advice: str) -> StoreError:
        return StoreError(what, self.where, advice)

    def _unreadable(self, error: OSError) -> StoreError:
        what = f"the decisions cannot be read ({error.strerror or error})"
        return self._refused(what, "Check that it is a file that you may read.")

    def _unwritable(self, error: OSError) -> StoreError:
        what = f"the decision was not kept: it cannot be written ({error.strerror or error})"
        if error.errno in _NO_SPACE:
            return self._refused(what, "Free some space on the disk and decide again.")
        return self._refused(what, "Check that you may write there, then decide again.")


def _stamp(facts: os.stat_result) -> Stamp:
    return Stamp((facts.st_dev, facts.st_ino), facts.st_size, facts.st_mtime_ns)
