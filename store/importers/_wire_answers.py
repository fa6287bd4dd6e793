"""Citations on the side of the answer: a span of it, and whole sources that it names.

A place that names several sources is several citations: its first one stands
in the order of the places, the others come behind all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from store.importers._wire_documents import opaque_version
from store.importers._wire_offsets import Fitted
from store.records.citations import AnswerCitation, Citation
from store.records.sources import Version

__all__ = ["NEVER_SENT", "SEARCHED", "Answers", "Named"]

NEVER_SENT: Final = (
    "the service searched by itself, and the text of what it found is not on the wire"
)
"""Why what was read of a source cannot be told."""
SEARCHED: Final = (
    "the service searched by itself within this call, and what it found is not in the capture"
)
"""Why a request is more than what was sent."""


@dataclass(frozen=True, slots=True)
class Named:
    """A source as a citation names it; ``sealed`` says why what was read of it cannot be told."""

    source_id: str
    title: str = ""
    version_id: str | None = None
    block_id: str | None = None
    sealed: str = ""


@dataclass(slots=True)
class Answers:
    """Collects the citations of one answer, and versions for sources without text."""

    versions: dict[str, Version] = field(default_factory=dict)
    _first: list[Citation] = field(default_factory=list)
    _more: list[Citation] = field(default_factory=list)

    def add(self, place: Fitted, start: int, sources: Sequence[Named]) -> None:
        """Add the citation of a place; *start* is where its text begins in the answer."""
        span = None if place.span is None else place.span.moved(start)
        for number, named in enumerate(sources or [Named("?")]):
            made = AnswerCitation(
                span,
                named.source_id,
                named.version_id,
                block_id=named.block_id,
                label=named.title,
                malformed=place.malformed,
                unverifiable=named.sealed,
                offsets=place.offsets,
            )
            (self._more if number else self._first).append(made)

    def unread(self, source_id: str, title: str = "", sealed: str = NEVER_SENT) -> Named:
        """Return a source whose text is not in the capture, and keep that there is one."""
        version = self.versions.setdefault(source_id, opaque_version(source_id, title))
        return Named(source_id, title, version.key.version_id, sealed=sealed)

    def citations(self) -> list[Citation]:
        """Return all citations."""
        return [*self._first, *self._more]
