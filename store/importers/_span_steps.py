"""What telemetry tells of a run, whichever product recorded it: spans, and the steps they are.

A `Traced` is a span as OpenTelemetry defines it; a `Step` is what a span of
any product says of a model call, a tool, a search or an agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from store.records.runs import Usage

__all__ = ["Kind", "Missing", "Noted", "Shortfall", "Step", "Traced"]


class Kind(StrEnum):
    """What a span stands for; only a ``GENERATION`` is a call of a model."""

    GENERATION = "generation"
    TOOL = "tool"
    RETRIEVAL = "retrieval"
    AGENT = "agent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Noted:
    """An event of a span, or a log record that names it.  ``at`` is nanoseconds since 1970."""

    name: str
    at: int = 0
    attributes: Mapping[str, object] = field(default_factory=dict)
    body: object = None
    dropped: int = 0


@dataclass(slots=True)
class Traced:
    """One span.

    Ids are lower-case hexadecimal where they were recorded as bytes, else as
    recorded; times are nanoseconds since 1970, 0 where not recorded.
    ``dropped`` and ``dropped_events`` are what its writer says it left out,
    ``tells_dropped`` whether its form has a place for that.
    ``error`` is empty where the span did not fail.  ``origin`` is its place.
    """

    trace_id: str
    span_id: str
    origin: str
    parent_id: str = ""
    name: str = ""
    start: int = 0
    end: int = 0
    attributes: dict[str, object] = field(default_factory=dict)
    events: list[Noted] = field(default_factory=list)
    dropped: int = 0
    dropped_events: int = 0
    tells_dropped: bool = False
    error: str = ""
    scope: str = ""
    resource: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Missing:
    """Stands among the messages of a request for those that the record lost, ``[start, end)``."""

    start: int
    end: int

    @property
    def named(self) -> str:
        """Which they are, counted from 0."""
        last = self.end - 1
        return str(last) if last == self.start else f"{self.start}-{last}"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Something of a step that is not in the record, and how it is told.

    ``request`` says that what the model was given may be touched, which the
    grade of the call must then say.
    """

    what: str
    request: bool = True


@dataclass(slots=True)
class Step:
    """What one span says, in the words of no product.

    For a generation ``request`` holds the messages (in any spelling that
    `_span_messages` reads) and ``response`` what the model wrote;
    ``raw_request`` and ``raw_response`` are the provider's own bodies where
    the record has them too.  For a tool they are its arguments and its
    result, for a retrieval the query and the list of documents.  ``None``
    means not recorded.  ``label`` is the name of the model, tool or agent.
    ``references`` say for a field where its content stands, and the shortfall
    that is none when it is found there.  ``is_whole`` says that the request is
    all there, whatever attributes its span lost.
    """

    kind: Kind
    span_id: str
    trace_id: str
    origin: str
    parent_id: str = ""
    name: str = ""
    label: str = ""
    start: int = 0
    end: int = 0
    session: str = ""
    instructions: object = None
    request: object = None
    response: object = None
    raw_request: object = None
    raw_response: object = None
    call_id: str = ""
    id: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    shortfalls: list[Shortfall] = field(default_factory=list)
    references: dict[str, tuple[str, str]] = field(default_factory=dict)
    is_whole: bool = False

    def lacks(self, what: str, *, request: bool = True) -> None:
        """Note that something is not in the record."""
        made = Shortfall(what, request)
        if made not in self.shortfalls:
            self.shortfalls.append(made)
