"""One agent run: model calls in order, and the tools, results and answers around them.

A trace repeats itself, so a run holds each unique message once, and each call
says only what changed in its request against the call before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from store.records.citations import Citation
from store.records.grades import Grade, Layer
from store.records.sources import Manifest, RefreshFailure, Selection, Version

__all__ = [
    "Admission",
    "Answer",
    "Budget",
    "Call",
    "ContextEdit",
    "EditKind",
    "Grant",
    "Message",
    "OtherEvent",
    "Part",
    "PartKind",
    "Problem",
    "ProblemKind",
    "Run",
    "Splice",
    "ToolCall",
    "ToolResult",
    "Usage",
]


class PartKind(StrEnum):
    """What a part of a message is.

    ``SUMMARY`` is text that a compaction wrote in place of earlier messages.
    ``OPAQUE`` stands for content that cannot be shown (encrypted, binary).
    """

    TEXT = "text"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"
    IMAGE = "image"
    REASONING = "reasoning"
    SUMMARY = "summary"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message.

    ``text`` is the text the model got: for a tool call its arguments, for a
    tool result its payload.  ``source_id`` and ``version_id`` are set where
    the record itself says what a document part is.  ``opaque_bytes`` is the
    size of what is not text.
    """

    kind: PartKind
    text: str = field(default="", repr=False)
    tool_call_id: str = ""
    name: str = ""
    status: str = ""
    source_id: str = ""
    version_id: str = ""
    opaque_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """A message as a request held it.  ``origin`` is its place in the evidence (``file:line``)."""

    role: str
    parts: tuple[Part, ...]
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace positions ``[start, stop)`` of the previous call's request by ``messages``.

    ``messages`` are indexes into `Run.messages`.
    """

    start: int
    stop: int
    messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as reported; ``None`` means not reported, never zero.

    ``input_tokens`` is the whole input, cached parts included.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One model call, numbered from 1 in the order sent.

    ``splices`` turn the request of the call before into this one; they are
    ascending, do not overlap, and count positions in the request before.
    ``response`` are indexes into `Run.messages`.  ``grade`` says how far the
    record proves the request, ``grade_reason`` by which rule, in one sentence.
    """

    index: int
    splices: tuple[Splice, ...]
    response: tuple[int, ...] = ()
    id: str = ""
    origin: str = ""
    model: str = ""
    grade: Grade = Grade.RECORDED
    grade_reason: str = ""
    usage: Usage = Usage()
    finish_reason: str = ""
    error: str = ""
    settings: Mapping[str, object] = field(default_factory=dict, repr=False)
    at: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool.  ``arguments`` is the recorded JSON text; ``by_call`` the model call."""

    id: str
    name: str
    arguments: str = field(default="", repr=False)
    by_call: int | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned: obtained, which is not yet delivered.

    ``text`` is the result as the tool gave it, or ``None`` when the record
    does not hold it.  ``is_file_read`` is set where the tool reads one file
    (not a shell, an edit or a search).  ``side_file`` names the file that a
    result was saved to.  ``declared`` are the coverage facts the producer
    claims, keys as in RUN_FOLDER.md.
    """

    tool_call_id: str
    text: str | None = field(default=None, repr=False)
    status: str = ""
    selections: tuple[Selection, ...] = ()
    declared: Mapping[str, object] = field(default_factory=dict)
    is_file_read: bool = False
    side_file: str = ""
    origin: str = ""

    @property
    def failed(self) -> bool:
        """Whether its status says that the tool failed."""
        return self.status.lower() in {"error", "failed", "failure", "cancelled", "timeout"}


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a budget let a result into the context."""

    tool_call_id: str
    admitted: bool
    result_tokens: int | None = None
    limit: int | None = None
    reason: str = ""
    origin: str = ""


class EditKind(StrEnum):
    """How a client changed what a request holds of a result."""

    CLEAR = "clear"
    FOLD = "fold"
    COMPACT = "compact"
    TRUNCATE = "truncate"
    PERSIST = "persist"


@dataclass(frozen=True, slots=True)
class ContextEdit:
    """Results that were replaced or removed in requests.

    From the request of ``before_call`` on; ``None`` where the record proves
    the edit and not its time.  ``grade`` says how far the record proves it.
    """

    before_call: int | None
    kind: EditKind
    tool_call_ids: tuple[str, ...]
    by: str = ""
    grade: Grade = Grade.RECORDED
    reason: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Text the user was given; ``call`` is the model call that wrote it."""

    call: int
    text: str = field(repr=False)
    citations: tuple[Citation, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a run was allowed to read: shell patterns on ``source_id``, case kept."""

    scope: tuple[str, ...] = ()
    account: str | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits that a run declared; 0 means no limit."""

    max_context_tokens: int = 0
    max_request_tokens: int = 0
    max_tool_calls: int = 0
    max_read_chars: int = 0


class ProblemKind(StrEnum):
    """What a problem means for the audit.

    ``LOST``: something could not be read, so that the audit could not decide
    (exit status 3).  ``CHANGED``: it no longer has its recorded hash; read,
    marked, not trusted.  ``NOTED``: nothing is lost, a person should know.
    """

    LOST = "lost"
    CHANGED = "changed"
    NOTED = "noted"


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong while reading: where, what, and what to do about it."""

    where: str
    what: str
    kind: ProblemKind = ProblemKind.LOST


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """An event or record this program does not know: kept and shown, never dropped."""

    name: str
    origin: str
    raw: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """One agent run with the evidence it used.

    ``grade`` is the weakest grade of its calls.  ``format`` names the importer
    that read it; ``path`` is as given by the user.
    """

    run_id: str
    path: str
    format: str
    layer: Layer
    grade: Grade
    title: str = ""
    parent_run: str | None = None
    branch: str | None = None
    messages: tuple[Message, ...] = field(default=(), repr=False)
    calls: tuple[Call, ...] = field(default=(), repr=False)
    tool_calls: tuple[ToolCall, ...] = field(default=(), repr=False)
    tool_results: tuple[ToolResult, ...] = field(default=(), repr=False)
    manifests: tuple[Manifest, ...] = field(default=(), repr=False)
    admissions: tuple[Admission, ...] = ()
    edits: tuple[ContextEdit, ...] = ()
    answers: tuple[Answer, ...] = field(default=(), repr=False)
    versions: tuple[Version, ...] = field(default=(), repr=False)
    refresh_failures: tuple[RefreshFailure, ...] = ()
    grant: Grant | None = None
    budget: Budget | None = None
    problems: tuple[Problem, ...] = ()
    other_events: tuple[OtherEvent, ...] = field(default=(), repr=False)

    def requests(self, wanted: Collection[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Yield the expanded requests of the calls in *wanted* (all without), in order.

        A request is given as indexes into ``messages``.  Each costs its
        length; read ``splices`` where only changes matter.
        """
        held: list[int] = []
        for call in self.calls:
            for splice in reversed(call.splices):
                held[splice.start : splice.stop] = splice.messages
            if wanted is None or call.index in wanted:
                yield tuple(held)

    def request(self, index: int) -> tuple[int, ...]:
        """Return the messages of call *index* (from 1) as indexes into ``messages``."""
        return next(self.requests({index}), ())
