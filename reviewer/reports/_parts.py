"""Keeps a report whole where a part of it cannot be made, and small while it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from typing import TypeVar

from store.records.runs import Problem, ProblemKind

__all__ = ["Parts", "Records", "Spool"]

_T = TypeVar("_T")


class Parts:
    """Makes the parts of a report; one that fails is replaced by the reason, which is kept.

    ``failed`` are the names of such parts with their reasons.
    """

    def __init__(self, instead: Callable[[str, str, str], str]) -> None:
        self._instead = instead
        self.failed: list[tuple[str, str]] = []

    def made(self, name: str, make: Callable[[], str], mark: str = "") -> str:
        """Return what *make* makes, else words that say what is missing at *mark*, and why."""
        try:
            return make()
        except Exception as error:  # noqa: BLE001 - the rest of the report does not depend on it
            reason = f"{type(error).__name__}: {error}"
            self.failed.append((name, reason))
            return self._instead(name, reason, mark)


class Records:
    """Makes the records of a report for programs; one that fails becomes a problem.

    ``problems`` are those of what could not be made, of the kind that says
    that something could not be looked at; *where* names the run.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self.problems: list[Problem] = []

    def made(self, name: str, make: Callable[[], _T]) -> Iterator[_T]:
        """Yield what *make* makes, or nothing where it cannot."""
        try:
            record = make()
        except Exception as error:  # noqa: BLE001 - the rest of the report does not depend on it
            told = f"this part of the report could not be made: {name} "
            told += f"({type(error).__name__}: {error})"
            self.problems.append(Problem(self._where, told, ProblemKind.LOST))
        else:
            yield record


_IN_MEMORY = 4_000_000
_PIECE = 1 << 16


class Spool:
    """Takes text that stands behind what is known last, such as a list of contents.

    Beyond some megabytes it lies in a file without a name, which is gone with
    the process.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY, mode="w+b")  # noqa: SIM115 - see close

    def write(self, text: str) -> None:
        """Add *text*; what UTF-8 cannot hold is written as an escape."""
        self._file.write(text.encode("utf-8", "backslashreplace"))

    def taken(self) -> Iterator[str]:
        """Yield all that was written, in pieces that end with a line, and forget it."""
        self._file.seek(0)
        held = b""
        while piece := self._file.read(_PIECE):
            whole, end, rest = (held + piece).rpartition(b"\n")
            held = rest
            if end:
                yield (whole + end).decode("utf-8")
        yield held.decode("utf-8")
        self._file.close()

    def close(self) -> None:
        """Forget what was written."""
        self._file.close()
