"""The facts a rule may ask for.

Rules see facts, never importers, files or the database.  `AuditView` is what
the engine gives them; a test may give anything of the same shape.
"""

from __future__ import annotations

from typing import Protocol

from reviewer.audit.searches import Search
from reviewer.audit.settings import Settings
from reviewer.audit.strays import Stray
from store.records.bills import Bill
from store.records.findings import (
    CallFacts,
    CitationFacts,
    ClaimFacts,
    PlaceholderFacts,
    ReadFacts,
    SourceFacts,
)
from store.records.runs import Run
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["AuditView", "Requests"]


class Requests(Protocol):
    """What stands in which request."""

    @property
    def closing_call(self) -> int:
        """The call of the last answer, else the last call; 0 in a run without calls."""
        ...

    def delivered(self, key: VersionKey, call: int) -> tuple[Span, ...]:
        """Return the spans of a version that stand whole in the request of *call*."""
        ...

    def touched(self, key: VersionKey, call: int) -> tuple[Span, ...]:
        """Return the spans of a version of which some stands in the request of *call*."""
        ...

    def arrival(self, tool_call_id: str) -> int | None:
        """Return the first call whose request holds a result of this id."""
        ...


class AuditView(Protocol):
    """One audited run, as rules see it."""

    @property
    def run(self) -> Run:
        """The record."""
        ...

    @property
    def calls(self) -> tuple[CallFacts, ...]:
        """Every call in figures."""
        ...

    @property
    def sources(self) -> tuple[SourceFacts, ...]:
        """Every source with its versions."""
        ...

    @property
    def reads(self) -> tuple[ReadFacts, ...]:
        """Every read."""
        ...

    @property
    def placeholders(self) -> tuple[PlaceholderFacts, ...]:
        """Every result that did not stand whole to the end."""
        ...

    @property
    def citations(self) -> tuple[CitationFacts, ...]:
        """Every citation with its verdict."""
        ...

    @property
    def strays(self) -> tuple[Stray, ...]:
        """Every place of an answer that has the shape of a citation and leads nowhere."""
        ...

    @property
    def claims(self) -> tuple[ClaimFacts, ...]:
        """Every number, date, name and quotation of the answers, and where it stands."""
        ...

    @property
    def bill(self) -> Bill:
        """What the requests cost; tokens are ``None`` where they were not counted."""
        ...

    @property
    def searches(self) -> tuple[Search, ...]:
        """What searches asked for and what came."""
        ...

    @property
    def requests(self) -> Requests:
        """What stands in which request."""
        ...

    @property
    def settings(self) -> Settings:
        """What a user set for rules."""
        ...
