"""What a comparison of two versions, stores, runs or calls found: A, the older side, and B."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from store.records.differences import (
    Change,
    Doubt,
    Fate,
    Fated,
    Side,
    SourceDifference,
    TextComparison,
    Why,
)
from store.records.findings import Finding, PlaceholderFacts, PlaceholderKind, Verdict
from store.records.runs import ContextEdit, Problem
from store.records.sources import VersionKey
from store.records.targets import Target
from store.records.text import Span, Unit

__all__ = [
    "AnswerDifference",
    "CallComparison",
    "CallDifference",
    "CitationDifference",
    "Comparison",
    "DecisionFate",
    "EditDifference",
    "FindingDifference",
    "Kind",
    "Matched",
    "Obstacle",
    "PlaceholderDifference",
    "ReadDifference",
    "RequestPiece",
    "RunComparison",
    "SideFacts",
    "StoreComparison",
    "VersionComparison",
]


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two texts, which are versions of a source where ``version_a`` and ``version_b`` name them.

    ``citations`` are those of runs on side A that point at version A.
    """

    text_a: str = field(repr=False)
    text_b: str = field(repr=False)
    text: TextComparison
    version_a: VersionKey | None = None
    version_b: VersionKey | None = None
    citations: tuple[CitationDifference, ...] = ()
    decisions: tuple[DecisionFate, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreComparison:
    """Two stores, source by source, by id; ``citations`` are those of a run on side A."""

    sources: tuple[SourceDifference, ...]
    citations: tuple[CitationDifference, ...] = ()
    decisions: tuple[DecisionFate, ...] = ()


# -- runs ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadDifference:
    """What of one source each run was given, over all its calls, previews left out.

    ``only_a`` counts in ``unit`` of A's version and is what B was not given of
    the same text; ``only_b`` likewise in ``b_unit`` of B's.  ``shared`` counts
    in A's.  Of blocks that only have names ``blocks_a`` and ``blocks_b`` tell.
    ``same_version`` says whether both read the same content.
    """

    version_a: VersionKey | None
    version_b: VersionKey | None
    unit: Unit = Unit.CHAR
    b_unit: Unit = Unit.CHAR
    shared: tuple[Span, ...] = ()
    only_a: tuple[Span, ...] = ()
    only_b: tuple[Span, ...] = ()
    blocks_a: tuple[str, ...] = ()
    blocks_b: tuple[str, ...] = ()
    same_version: bool = False
    doubt: Doubt | None = None

    @property
    def same(self) -> bool:
        """Whether both were given the same of it."""
        differs = self.only_a or self.only_b or self.blocks_a or self.blocks_b
        return not differs and self.doubt is None


class Matched(StrEnum):
    """By what a citation of B is taken for one of A.

    ``KEY``: the record says the same of both.  ``PLACE``: the same text is
    cited for the same sentence.  ``SENTENCE``: the same source is cited for
    the same sentence, the place or the text is another.
    """

    KEY = "key"
    PLACE = "place"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class CitationDifference:
    """One citation: ``a`` and ``b`` are indexes, ``None`` where the other run has none like it.

    ``fated`` says what became of the text that A cites; ``None`` for one of B
    alone.  ``same_sentence`` says whether the sentence that it stands behind
    is the same, ``source_id`` what is cited, on side A where it is there.
    """

    a: int | None
    b: int | None
    fated: Fated | None
    matched: Matched | None = None
    verdict_a: Verdict | None = None
    verdict_b: Verdict | None = None
    same_sentence: bool = False
    source_id: str = ""

    @property
    def verdict_changed(self) -> bool:
        """Whether both were judged, and differently."""
        return self.matched is not None and self.verdict_a is not self.verdict_b

    @property
    def names_no_text(self) -> bool:
        """Whether A's citation names no text at all, so that none could become another."""
        doubt = self.fated.doubt if self.fated is not None else None
        return doubt is not None and doubt.side is Side.A and doubt.why in _NO_TEXT

    @property
    def same(self) -> bool:
        """Whether both cite the same text for the same sentence with the same verdict."""
        unchanged = self.fated is not None and self.fated.fate is Fate.UNCHANGED
        return (
            self.matched in (Matched.KEY, Matched.PLACE)
            and self.same_sentence
            and (unchanged or self.names_no_text)
            and not self.verdict_changed
        )


_NO_TEXT = frozenset({Why.NO_SOURCE, Why.NO_PLACE})


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """The answers at one place in the order of answers; ``chars`` is ``None`` where none is."""

    number: int
    change: Change
    chars_a: int | None
    chars_b: int | None


@dataclass(frozen=True, slots=True)
class CallDifference:
    """The requests and responses of the calls of one number.

    ``request`` is ``REMOVED`` where only A has such a call and ``ADDED`` where
    only B has.  ``messages_a`` and ``messages_b`` count those that the other
    request does not hold.  ``doubt`` says that a request is not proven.
    """

    index: int
    request: Change
    response: Change
    messages_a: int = 0
    messages_b: int = 0
    settings: Change = Change.SAME
    doubt: Doubt | None = None

    @property
    def same(self) -> bool:
        """Whether nothing of it differs, and all of it is proven."""
        return {self.request, self.response, self.settings} == {Change.SAME} and self.doubt is None


@dataclass(frozen=True, slots=True)
class PlaceholderDifference:
    """A result that did not stand whole to the end: in A, in B, or differently in both."""

    a: PlaceholderFacts | None
    b: PlaceholderFacts | None


@dataclass(frozen=True, slots=True)
class EditDifference:
    """A recorded edit of requests that only one of the two has."""

    a: ContextEdit | None
    b: ContextEdit | None


@dataclass(frozen=True, slots=True)
class FindingDifference:
    """A finding by its fingerprint: only A's is gone in B, only B's appeared."""

    a: Finding | None
    b: Finding | None


class Obstacle(StrEnum):
    """Why a decision on A is not carried over to B.

    ``TEXT``: the text that it speaks of is not the same; ``fated`` says what
    became of it.  ``NOTHING``: B holds no such citation or finding.
    ``SENTENCE``: the same text is cited, for another sentence.  ``VERDICT``:
    the same text is cited, and the verdict is another.  ``NO_TEXT``: it speaks
    of no text that could be compared.  ``NOT_IN_A``: what it was made on is
    not in this audit of A.
    """

    TEXT = "text"
    NOTHING = "nothing"
    SENTENCE = "sentence"
    VERDICT = "verdict"
    NO_TEXT = "no_text"
    NOT_IN_A = "not_in_a"


@dataclass(frozen=True, slots=True)
class DecisionFate:
    """What becomes of a standing decision on A: ``event`` is its id in A's log.

    ``to`` is the target in B that it can be carried over to; where there is
    none, ``obstacle`` says why.  ``fated`` is the fate of the text that it
    speaks of, where it speaks of one.
    """

    event: str
    target: Target
    to: Target | None = None
    fated: Fated | None = None
    obstacle: Obstacle | None = None


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs.  Lists hold what differs and what is the same, except where they say less.

    ``placeholders``, ``edits`` and ``findings`` hold what differs only.
    ``identical`` says that the records hold the same, whatever their paths.
    """

    identical: bool
    sources: tuple[SourceDifference, ...]
    reads: tuple[ReadDifference, ...]
    citations: tuple[CitationDifference, ...]
    answers: tuple[AnswerDifference, ...]
    calls: tuple[CallDifference, ...]
    placeholders: tuple[PlaceholderDifference, ...]
    edits: tuple[EditDifference, ...]
    findings: tuple[FindingDifference, ...]
    decisions: tuple[DecisionFate, ...] = ()
    doubts: tuple[Doubt, ...] = ()


# -- calls -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestPiece:
    """One part of a message in the request of A, of B, or of both.

    ``a`` and ``b`` are (message, part): the message's place in that request,
    from 0.  A tool result that stands in both with another text is
    ``CHANGED``; ``placeholder`` says what kind of placeholder stands in B,
    where one does.  ``chars_a`` and ``chars_b`` are the lengths of the texts.
    """

    change: Change
    a: tuple[int, int] | None
    b: tuple[int, int] | None
    role: str
    kind: str
    name: str = ""
    tool_call_id: str = ""
    chars_a: int = 0
    chars_b: int = 0
    placeholder: PlaceholderKind | None = None
    restored: bool = False


@dataclass(frozen=True, slots=True)
class CallComparison:
    """The requests of two calls, part by part, in the order of B; what went stands before."""

    pieces: tuple[RequestPiece, ...]
    doubts: tuple[Doubt, ...] = ()


# -- the whole -----------------------------------------------------------------


class Kind(StrEnum):
    """What was compared."""

    TEXTS = "texts"
    STORES = "stores"
    RUNS = "runs"
    CALLS = "calls"


@dataclass(frozen=True, slots=True)
class SideFacts:
    """One side as it was named and found.

    ``given`` is what the user wrote.  What does not apply is empty or
    ``None``.  ``digest`` is that of the run, ``sha256`` that of the text's
    bytes where it was checked.
    """

    given: str
    path: str
    title: str = ""
    run_id: str = ""
    digest: str = ""
    format: str = ""
    grade: str = ""
    version: VersionKey | None = None
    sha256: str = ""
    chars: int | None = None
    call: int | None = None
    calls: int = 0
    sources: int = 0
    versions: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole comparison.

    ``different`` says that a difference was found; ``undecided`` that
    something could not be looked at, so that the rest may differ or not.
    Where neither holds, what was compared is the same.  ``found`` is ``None``
    where a text of one side is not there.
    """

    kind: Kind
    a: SideFacts
    b: SideFacts
    found: VersionComparison | StoreComparison | RunComparison | CallComparison | None
    different: bool
    undecided: bool
    problems_a: tuple[Problem, ...] = ()
    problems_b: tuple[Problem, ...] = ()
