"""Where a reviewer is: one value that every view of the window reads."""

from __future__ import annotations

from dataclasses import dataclass

from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place a reviewer can be at; what does not apply is None.

    ``run`` is the index of the open run, from 0; ``call`` is the number of one
    of its calls, from 1 as in the records; ``message`` is a position in that
    call's request and ``part`` one in that message, both from 0.
    ``message_span`` counts code points of the part, ``span`` counts in the
    unit of the version ``source``.  ``citation`` and ``finding`` are indices
    into those of the audit.  ``tab`` is one of "answer", "model", "residency"
    and "source".
    """

    run: int = 0
    call: int | None = None
    message: int | None = None
    part: int | None = None
    message_span: Span | None = None
    source: VersionKey | None = None
    span: Span | None = None
    citation: int | None = None
    finding: int | None = None
    tab: str | None = None
