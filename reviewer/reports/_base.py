"""What a report is, and what it may use beside the audits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from store.records.findings import Audit
from store.records.reviews import Reviews
from store.records.runs import Problem, Run
from store.records.sources import Version

__all__ = ["Doing", "Meta", "Report"]


def _nowhere(run: Run, version: Version) -> str | None:
    del run, version
    return None


@dataclass(frozen=True, slots=True)
class Meta:
    """What the one who asks for a report says and gives.

    ``version`` is Reread's own.  ``style`` is a style sheet for pages.
    ``columns`` and ``colour`` speak of a terminal.  With ``everything`` no
    list is shortened.  ``reviews`` are the decisions shown beside the audits,
    ``None`` where none were asked for.  ``baseline_name`` is the file of
    findings that were known before, empty where no baseline was given.
    ``file_of`` gives the path of the file that holds the exact bytes of a
    version, written as the path of the run is, or ``None`` where none is known.
    ``rules`` are the id and the version of each rule that was asked.
    ``mask`` gives each text of a report for other programs as it may be shown.
    """

    version: str
    style: str = ""
    columns: int = 100
    colour: bool = False
    everything: bool = False
    reviews: Reviews | None = None
    baseline_name: str = ""
    file_of: Callable[[Run, Version], str | None] = _nowhere
    rules: tuple[tuple[str, int], ...] = ()
    mask: Callable[[str], str] = str


Writer = Callable[[Iterable[Audit], Sequence[Problem], Meta], Iterator[str]]
"""Yields a report as text that is safe where it is meant to be looked at.

It takes the audits one after another; the problems may grow until the last
audit was taken, so they are read after them.
"""


class Doing(bytes):
    """An empty piece of a report that tells what is done next and takes a while.

    ``words`` say it, as in "writing the file".
    """

    words: str

    def __new__(cls, words: str) -> Self:
        made = super().__new__(cls)
        made.words = words
        return made


BytesWriter = Callable[[Iterable[Audit], Sequence[Problem], Meta], Iterator[bytes]]
"""The same for a report that is no text."""


def _no_text(_audits: Iterable[Audit], _problems: Sequence[Problem], _meta: Meta) -> Iterator[str]:
    raise TypeError("this report is no text; its bytes are in chunks()")


@dataclass(frozen=True, slots=True)
class Report:
    """One output format; a module of `reviewer.reports` holds it as ``REPORT``.

    ``suffix`` is the file name ending that chooses it, with its dot.
    ``tokens`` says that it tells how many tokens each call holds, which then
    must be counted.  A report that is no text has ``write_bytes``.
    """

    name: str
    title: str
    suffix: str
    write: Writer = _no_text
    tokens: bool = False
    write_bytes: BytesWriter | None = None

    @property
    def binary(self) -> bool:
        """Tell whether this is no text, so that no terminal can show it."""
        return self.write_bytes is not None

    def chunks(
        self, audits: Iterable[Audit], problems: Sequence[Problem], meta: Meta
    ) -> Iterator[str | bytes]:
        """Yield the report, whatever it consists of, for a file or a pipe."""
        yield from (self.write_bytes or self.write)(audits, problems, meta)
