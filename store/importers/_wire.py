"""What a provider's file makes of one exchange: a model call in the words of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from store.importers._capture_http import Interaction
from store.records.citations import Citation
from store.records.grades import Grade
from store.records.runs import EditKind, Part, ToolCall, ToolResult, Usage
from store.records.sources import Manifest, Version

__all__ = [
    "Edit",
    "Exchange",
    "KeptFile",
    "Provider",
    "RecordedCall",
    "Turn",
    "Wire",
    "count",
    "items",
    "mapping",
    "members",
    "string",
]


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that the service was given to keep."""

    name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Wire:
    """An exchange whose bodies are parsed and, except in events, whose credentials are masked.

    ``request`` is empty where it is not recorded (``has_request``).
    ``response`` is the JSON of the whole response, or ``None``; ``events``
    are name and data of a streamed one.  ``trouble`` says what of it could
    not be read.  ``files`` are those that earlier exchanges gave the service to
    keep, by each of their names.
    """

    interaction: Interaction
    request: Mapping[str, object]
    response: object = None
    events: tuple[tuple[str, object], ...] = ()
    has_request: bool = True
    trouble: str = ""
    files: Mapping[str, KeptFile] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The address without its query, in small letters."""
        return self.interaction.url.partition("?")[0].lower()

    @property
    def first(self) -> Mapping[str, object]:
        """The response, or the first event of it that is an object."""
        if isinstance(self.response, dict):
            return self.response
        return next((data for _, data in self.events if isinstance(data, dict)), {})


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as it was on the wire."""

    role: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """What the service took out of a request before the model read it."""

    kind: EditKind
    tool_call_ids: tuple[str, ...]
    grade: Grade
    reason: str


class RecordedCall(TypedDict, total=False):
    """What may be recorded of a call; as in `RunBuilder.call`."""

    id: str
    model: str
    grade: Grade
    grade_reason: str
    usage: Usage
    finish_reason: str
    error: str
    settings: Mapping[str, object]
    at: str | None


@dataclass(slots=True)
class Exchange:
    """One model call.

    ``instructions`` are system messages, ``sent`` the messages of the body,
    ``read`` the messages that the model read, where they are others than
    those.  ``added`` are those that the service put behind them within the
    call (results of its own tools).  ``written`` are the ids of the tool calls
    that the response makes.  ``previous`` names an earlier response
    whose conversation the service puts before ``sent``.  ``is_call`` is false
    for what asks no model (counting, uploading).  ``names`` are further names
    of the response, and ``held`` those of earlier ones that the request sends
    again.  ``kept`` is what the service was asked to keep under ``id``.
    """

    provider: str
    instructions: list[Turn] = field(default_factory=list)
    sent: list[Turn] = field(default_factory=list)
    read: list[Turn] | None = None
    added: list[Turn] = field(default_factory=list)
    response: list[Turn] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    tool_results: list[ToolResult] = field(default_factory=list)
    written: tuple[str, ...] = ()
    versions: list[Version] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    answer: str = ""
    citations: list[Citation] = field(default_factory=list)
    id: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    grade: Grade = Grade.RECORDED
    reasons: list[str] = field(default_factory=list)
    previous: str = ""
    names: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    kept: list[Turn] = field(default_factory=list)
    is_call: bool = True

    def doubt(self, grade: Grade, reason: str) -> None:
        """Lower the grade of the request, for *reason*."""
        self.grade = Grade.weakest(self.grade, grade)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def facts(self, at: str | None) -> RecordedCall:
        """Return what is recorded of the call beside its messages; *at* is its moment."""
        return {
            "id": self.id,
            "model": self.model,
            "grade": self.grade,
            "grade_reason": "; ".join(self.reasons),
            "usage": self.usage,
            "finish_reason": self.finish_reason,
            "error": self.error,
            "settings": self.settings,
            "at": at,
        }


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider's wire format; a module ``_provider_NAME`` holds it as ``PROVIDER``.

    ``is_response`` tells its responses, and first events of them, by their
    form alone; ``is_request`` its requests by address and form.  ``order``
    decides who is asked first (small first: most specific).
    """

    name: str
    order: int
    is_request: Callable[[Wire], bool]
    is_response: Callable[[Mapping[str, object]], bool]
    read: Callable[[Wire], Exchange]


def mapping(value: object) -> Mapping[str, object]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def members(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list."""
    return (item for item in items(value) if isinstance(item, dict))


def string(value: object) -> str:
    """Return a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """Return a whole number from 0, or ``None``."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and isinstance(value, int) else None
