"""What an audit found, as facts that every report and view reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from store.records.bills import Bill
from store.records.citations import Citation
from store.records.grades import Grade
from store.records.kinds import PlaceholderKind
from store.records.runs import Run
from store.records.sources import Selection, Version, VersionKey
from store.records.text import Span, Unit

__all__ = [
    "Anchor",
    "Audit",
    "BaselineState",
    "CallFacts",
    "CitationFacts",
    "ClaimFacts",
    "ClaimKind",
    "Coverage",
    "Delivery",
    "Evidence",
    "Finding",
    "Form",
    "Grounding",
    "Outcome",
    "PlaceholderFacts",
    "PlaceholderKind",
    "ReadFacts",
    "Retention",
    "Setting",
    "Severity",
    "SourceFacts",
    "State",
    "Tokens",
    "Verdict",
    "VersionFacts",
    "Wanted",
    "Where",
]


class Form(StrEnum):
    """In which form a piece of a version stands in a request."""

    FULL = "full"
    NORMALIZED = "normalized"
    PREVIEW = "preview"
    TRUNCATED = "truncated"
    PLACEHOLDER = "placeholder"


class Verdict(StrEnum):
    """What holds for a citation: the first that is true, in this order.

    ``WRONG_HASH`` and ``WRONG_VERSION`` both read ``wrong_version`` in the
    output; use ``word``.
    """

    UNRESOLVED = "unresolved"
    OUT_OF_BOUNDS = "out_of_bounds"
    WRONG_HASH = "wrong_version(hash)"
    QUOTE_DIFFERS = "quote_differs"
    UNVERIFIABLE = "unverifiable"
    READ = "read"
    PARTLY_READ = "partly_read"
    FROM_MEMORY = "from_memory"
    WRONG_VERSION = "wrong_version"
    PREVIEW_ONLY = "preview_only"
    PLACEHOLDER_ONLY = "placeholder_only"
    LISTED_ONLY = "listed_only"
    NEVER_READ = "never_read"

    @property
    def word(self) -> str:
        """The verdict as it is written everywhere."""
        return self.value.partition("(")[0]


class Anchor(StrEnum):
    """Where a quotation was found."""

    EXACT = "exact"
    RELOCATED = "relocated"
    NORMALISED = "normalised"
    AMBIGUOUS = "ambiguous"
    ORPHAN = "orphan"
    NONE = "none"


class State(StrEnum):
    """How a version stands in the request of the last answer; the first that is true."""

    FULL = "full"
    PARTIAL = "partial"
    PREVIEW = "preview"
    PLACEHOLDER = "placeholder"
    LISTED = "listed"
    ABSENT = "absent"


class Outcome(StrEnum):
    """What became of a read, judged in the first request that holds the result's id."""

    FAILED = "failed"
    REFUSED = "refused"
    UNDELIVERED = "undelivered"
    DELIVERED = "delivered"
    TRUNCATED = "truncated"
    PLACEHOLDER = "placeholder"


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One piece of a version inside a unique message.

    The same delivery holds in every request that holds the message.  ``span``
    counts in the version's unit; ``message_span`` code points of the part's
    decoded text.  ``fields`` is ``None`` when a row came whole.  ``address``
    says what gave the place: ``selection``, ``payload`` or ``text``.
    """

    message: int
    part: int
    message_span: Span
    version: VersionKey
    span: Span
    form: Form
    address: str
    fields: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a request: estimated over its visible text, and as reported."""

    estimated: int | None = None
    encoding: str = ""
    reported_input: int | None = None


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call in figures.  ``messages`` counts the whole request."""

    index: int
    id: str
    origin: str
    model: str
    grade: Grade
    grade_reason: str
    messages: int
    chars: int
    utf8_bytes: int
    tokens: Tokens
    shared_prefix_bytes: int


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What became of one version over the whole run; spans in ``unit``.

    ``delivered`` holds no previews.  ``delivered_rows`` is ``None`` unless the
    version is a table.  ``gaps`` is the rest of the version, empty when its
    length is unknown; ``length_known`` tells the two apart.  With unit
    ``BLOCK`` only named blocks are known, and ``delivered_blocks`` speaks for
    the spans.
    """

    version: Version
    unit: Unit
    listed: bool
    previewed: tuple[Span, ...]
    delivered: tuple[Span, ...]
    gaps: tuple[Span, ...]
    delivered_at_answer: tuple[Span, ...]
    state_at_answer: State
    delivered_rows: tuple[Span, ...] | None = None
    length_known: bool = True
    delivered_blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """One source with its versions in the order they were recorded."""

    source_id: str
    kind: str
    title: str
    versions: tuple[VersionFacts, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage facts recomputed from the request.

    ``missing``, ``duplicate`` and ``unexpected`` hold keys (row numbers where
    a table has none, block ids for blocks) or spans as ``(start, end)``.
    ``None`` stands for "could not be recomputed".
    """

    requested: int | None = None
    loaded: int | None = None
    byte_complete: bool | None = None
    filtered_count: int | None = None
    input_complete: bool | None = None
    reason: str | None = None
    missing: tuple[object, ...] = ()
    duplicate: tuple[object, ...] = ()
    unexpected: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """One read: what was asked, what came, what the producer claimed.

    ``call`` is the first call whose request holds the result's id, else the
    call that asked.  ``agrees`` is ``None`` where nothing was declared.
    """

    tool_call_id: str
    tool: str
    call: int | None
    selection: Selection
    outcome: Outcome
    grade: Grade
    declared: Mapping[str, object]
    recomputed: Coverage
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class PlaceholderFacts:
    """Text standing where a result's body stood.

    ``kept`` are spans of the original result that the placeholder still
    holds.  ``first_call`` is ``None`` where the time is not recorded,
    ``last_full_call`` where the body is in no request.  ``removed`` is set
    when nothing stands in its place.  ``reread_whole`` says that all of it
    came again, not only some.  ``stand_ins`` are the places (message of
    `Run.messages`, part) of what stands for it.
    """

    tool_call_id: str
    kind: PlaceholderKind
    first_call: int | None
    last_full_call: int | None
    original_chars: int | None
    kept: tuple[Span, ...]
    recoverable: bool
    reread_at_call: int | None
    grade: Grade
    byte_stable: bool = True
    removed: bool = False
    tool: str = ""
    source_id: str = ""
    is_file_read: bool = False
    reason: str = ""
    reread_whole: bool = False
    stand_ins: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text in the model's input that a citation rests on; ``text`` is the exact excerpt."""

    call: int
    message: int
    part: int
    message_span: Span
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CitationFacts:
    """One citation judged.

    ``span`` is the cited span in ``unit`` (from the record, the block or the
    quotation's anchor).  ``delivered_in`` lists the calls up to the answer
    whose request holds some of it.  ``answer`` is the place of its answer in
    `Run.answers`.  ``pattern`` names what found it in the text of the answer;
    it is empty where the record itself holds the citation.
    """

    index: int
    citation: Citation
    side: str
    source_id: str
    version_id: str | None
    span: Span | None
    unit: Unit
    anchor: Anchor
    verdict: Verdict
    grade: Grade
    reason: str
    call_at_answer: int
    delivered_in: tuple[int, ...] = ()
    missing: tuple[Span, ...] = ()
    evidence: Evidence | None = None
    answer: int = 0
    pattern: str = ""


class Wanted(StrEnum):
    """What a policy wants to become of the results of a tool.

    ``NEVER``: they stay.  ``FIRST``: they go first, since they can be fetched
    again.  ``LATE``: they go when nothing else is left.  ``UNSAID``: in between.
    """

    NEVER = "never"
    FIRST = "first"
    LATE = "late"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Retention:
    """What became of the results of one tool over a run.

    ``results`` are those that stood in some request, in any form; ``chars``
    counts their code points as obtained.  ``taken`` were replaced or removed
    later, or instead; ``first_taken`` is the first call without one, ``None``
    where none was taken or the time is not recorded; ``read_again`` of them
    came again in part or whole.  ``cut`` were cut or refused as they came, and
    of ``unproven`` the record cannot say it.
    """

    tool: str
    wanted: Wanted
    results: int
    chars: int
    taken: int
    chars_taken: int
    first_taken: int | None
    read_again: int
    cut: int
    unproven: int

    @property
    def stayed(self) -> int:
        """Results that stood whole to the end."""
        return self.results - self.taken - self.cut - self.unproven


class ClaimKind(StrEnum):
    """What sort of thing an answer says that can be looked for in its request."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    IDENTIFIER = "identifier"
    ADDRESS = "address"
    QUOTATION = "quotation"
    CODE = "code"


class Grounding(StrEnum):
    """Where a claim of an answer stands in the request of the call that wrote it; the first true.

    ``FOUND``: in its text, in what the user said, in what the model itself
    did, or the model worked it out from what is there.  ``PLACEHOLDER``: only
    in what a placeholder kept, or in a preview.  ``CLEARED``: only in text
    that had been taken away by then.  ``NOWHERE``: in no request.
    ``UNVERIFIABLE``: the request, or something in it, cannot be read.
    """

    FOUND = "found"
    PLACEHOLDER = "placeholder"
    CLEARED = "cleared"
    NOWHERE = "nowhere"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """One claim of an answer and where it stands.

    ``span`` counts code points of the answer's text, ``answer`` is its place
    in `Run.answers`.  ``last_call`` is the last call whose request held text
    that was cleared since, and ``tool_call_id`` whose result that was, as far
    as it was one.  ``obtained`` names a result that holds the claim and never
    stood in a request up to the answer.  ``is_own`` marks a proposal of the
    model's: that it stands nowhere says nothing.
    """

    answer: int
    call: int
    span: Span
    kind: ClaimKind
    text: str
    grounding: Grounding
    grade: Grade
    reason: str
    last_call: int | None = None
    tool_call_id: str | None = None
    obtained: str | None = None
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a finding; what does not apply is ``None``.

    ``claims`` are the places in `Audit.claims` of what it says of an answer.
    """

    call: int | None = None
    message: int | None = None
    source_id: str | None = None
    citation: int | None = None
    tool_call_id: str | None = None
    claims: tuple[int, ...] = ()


class BaselineState(StrEnum):
    """What a baseline says of a finding; ``ABSENT`` was found then and is not found now."""

    NEW = "new"
    UNCHANGED = "unchanged"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation of one rule at one place, with the grade of its evidence.

    ``baseline`` is ``None`` where it was compared with none.
    """

    rule: str
    severity: Severity
    grade: Grade
    message: str
    where: Where
    fingerprint: str = ""
    baseline: BaselineState | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that was in force, and what it did to the findings.

    ``key`` is its place in the file ``origin``, ``reason`` what the file says
    why.  ``off`` findings were left
    out by it, ``moved`` got another severity.  ``is_evidence`` says that it
    stands in the run itself; such a setting may only make an audit stricter,
    and ``refused`` counts the findings that it asked to hide or to lower.
    """

    key: str
    value: bool | int | float | str | tuple[str, ...]
    origin: str
    line: int | None = None
    reason: str = ""
    is_evidence: bool = False
    off: int = 0
    moved: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything the audit of one run found.

    ``settings`` are those in force that a user or the run itself made; without
    any, every rule has its defaults.  ``absent`` are findings of a baseline
    that are found no more, as far as it tells of them.
    """

    run: Run = field(repr=False)
    calls: tuple[CallFacts, ...]
    sources: tuple[SourceFacts, ...]
    reads: tuple[ReadFacts, ...]
    placeholders: tuple[PlaceholderFacts, ...]
    citations: tuple[CitationFacts, ...]
    findings: tuple[Finding, ...]
    deliveries: tuple[Delivery, ...] = field(default=(), repr=False)
    claims: tuple[ClaimFacts, ...] = field(default=(), repr=False)
    retention: tuple[Retention, ...] = field(default=(), repr=False)
    bill: Bill = field(default=Bill(), repr=False)
    settings: tuple[Setting, ...] = ()
    absent: tuple[Finding, ...] = ()
