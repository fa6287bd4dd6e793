"""What a report is, and what it may use beside the audits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from store.records.findings import Audit
from store.records.reviews import Reviews
from store.records.runs import Problem

__all__ = ["Meta", "Report"]


@dataclass(frozen=True, slots=True)
class Meta:
    """What the one who asks for a report says and gives.

    ``version`` is Reread's own.  ``style`` is a style sheet for pages.
    ``columns`` and ``colour`` speak of a terminal.  With ``everything`` no
    list is shortened.  ``reviews`` are the decisions shown beside the audits,
    ``None`` where none were asked for.  ``baseline`` is the file that findings
    were compared with, empty where there is none.
    """

    version: str
    style: str = ""
    columns: int = 100
    colour: bool = False
    everything: bool = False
    reviews: Reviews | None = None
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One output format; a module of `reviewer.reports` holds it as ``REPORT``.

    ``suffix`` is the file name ending that chooses it, with its dot.
    ``write`` yields the report as text that is safe where it is meant to be
    looked at.  It takes the audits one after another; *problems* may grow
    until the last audit was taken, so it is read after them.  ``tokens`` says
    that it tells how many tokens each call holds, which then must be counted.
    """

    name: str
    title: str
    suffix: str
    write: Callable[[Iterable[Audit], Sequence[Problem], Meta], Iterator[str]]
    tokens: bool = False
