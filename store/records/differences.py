"""Differences between two texts, two places and two states of a source.

The first of two is called A, the older side, the second B.  A change is told
by a word (`Change`, `Fate`, `SourceChange`), what could not be compared by a
`Doubt`: it is never called the same.  Spans count code points where no other
unit is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from store.records.sources import VersionKey
from store.records.text import Span, Unit

__all__ = [
    "Change",
    "Doubt",
    "Fate",
    "Fated",
    "Precision",
    "Proof",
    "Side",
    "SourceChange",
    "SourceDifference",
    "Suggestion",
    "TextComparison",
    "TextPiece",
    "Why",
]


class Side(StrEnum):
    """Which of the two something is said of."""

    A = "a"
    B = "b"
    BOTH = "both"


class Why(StrEnum):
    """Why something could not be compared.

    ``NOT_STORED``: the text is not there.  ``BYTES_CHANGED``: the stored bytes
    no longer have their recorded hash.  ``IN_PARTS``: only pieces of the text
    are known, and what is looked for is in none of them.  ``REBUILT``: the
    text was rebuilt from what a record shows, the exact bytes were never seen.
    ``GRADE_UNKNOWN``: the record cannot say what the model was given.
    ``NO_PLACE``: no place in a known text is named.  ``NO_SOURCE``: what is
    cited is no known source.  ``UNREADABLE``: something could not be read.
    ``TWO_STATES``: one version is recorded twice, with different content.
    """

    NOT_STORED = "not_stored"
    BYTES_CHANGED = "bytes_changed"
    IN_PARTS = "in_parts"
    REBUILT = "rebuilt"
    GRADE_UNKNOWN = "grade_unknown"
    NO_PLACE = "no_place"
    NO_SOURCE = "no_source"
    UNREADABLE = "unreadable"
    TWO_STATES = "two_states"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something could not be compared: on which side, why, and what it concerns."""

    side: Side
    why: Why
    what: str = ""


# -- texts -----------------------------------------------------------------------


class Change(StrEnum):
    """What became of a piece between A and B; ``MOVED`` only of messages in a request."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"


class Precision(StrEnum):
    """How closely a changed piece of text was compared.

    ``WORDS``: word by word.  ``UNLIKE``: so few words are the same that the
    lines are shown as replaced.  ``BOUNDED``: the search would have taken too
    long, so the piece stands as a whole; lines or words in it may be the same.
    ``COARSE``: so it is with parts of the piece, the words of which are
    ``BOUNDED``; the rest was compared word by word.
    """

    WORDS = "words"
    COARSE = "coarse"
    UNLIKE = "unlike"
    BOUNDED = "bounded"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of whole lines, or of words in one of them: ``a`` of A stands for ``b`` of B.

    ``SAME``: equal, code point for code point.  ``REMOVED`` has an empty ``b``
    and ``ADDED`` an empty ``a``: they mark the place.  ``words`` partition
    ``a`` and ``b`` of a changed piece of lines; they are empty where
    ``precision`` is ``UNLIKE`` or ``BOUNDED``.
    """

    change: Change
    a: Span
    b: Span
    words: tuple[TextPiece, ...] = ()
    precision: Precision = Precision.WORDS


@dataclass(frozen=True, slots=True)
class TextComparison:
    """Two texts, line by line: the pieces partition both, in order."""

    pieces: tuple[TextPiece, ...]

    @property
    def same(self) -> bool:
        """Whether the texts are equal."""
        return all(piece.change is Change.SAME for piece in self.pieces)

    @property
    def bounded(self) -> tuple[TextPiece, ...]:
        """The pieces that were not searched to the end, as a whole or in parts."""
        given_up = (Precision.BOUNDED, Precision.COARSE)
        return tuple(piece for piece in self.pieces if piece.precision in given_up)


# -- the place of a citation --------------------------------------------------------


class Fate(StrEnum):
    """What became in B of a text that A cites.

    ``UNCHANGED``: the same text at the same place.  ``MOVED``: the same text
    at one other place.  ``CHANGED``: at its place stands other text.
    ``GONE``: the text around it stands, it does not.  ``AMBIGUOUS``: the same
    text stands in several places, and nothing tells which is meant.
    ``UNKNOWN``: it could not be compared; ``doubt`` says why.
    """

    UNCHANGED = "unchanged"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"
    UNKNOWN = "unknown"

    @property
    def is_same_text(self) -> bool:
        """Whether B holds the text, at one proven place."""
        return self in (Fate.UNCHANGED, Fate.MOVED)


class Proof(StrEnum):
    """What a sameness rests on.

    ``HASH``: the bytes of both have one SHA-256.  ``TEXT``: the text of both
    was compared.  ``REBUILT``: so it was, and one of the two was rebuilt from
    what a record shows.
    """

    HASH = "hash"
    TEXT = "text"
    REBUILT = "rebuilt"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A similar passage of B, for a person to look at; it settles nothing.

    ``span`` counts in ``unit``; ``share`` is how many of a hundred words the two have
    in common; ``text`` is the passage.
    """

    span: Span
    share: int
    text: str = field(repr=False)
    unit: Unit = Unit.CHAR


@dataclass(frozen=True, slots=True)
class Fated:
    """The fate of one place.

    ``a`` and ``b`` count in the unit of A's and B's version, ``unit`` and
    ``b_unit``.  ``places`` are those of an ambiguous text, up to 20.
    ``context`` is how many code points beside the text were needed to tell its
    place from others like it.
    """

    fate: Fate
    version_a: VersionKey | None = None
    version_b: VersionKey | None = None
    a: Span | None = None
    b: Span | None = None
    unit: Unit = Unit.CHAR
    b_unit: Unit = Unit.CHAR
    proof: Proof | None = None
    places: tuple[Span, ...] = ()
    context: int = 0
    doubt: Doubt | None = None
    suggestions: tuple[Suggestion, ...] = ()


# -- stores ----------------------------------------------------------------------


class SourceChange(StrEnum):
    """What became of a source between two stores.

    ``RENAMED``: one id went and one came, with the same bytes, and no other
    source has them.  ``COPIED``: an id came whose bytes another source has
    too, so that nothing tells a new name from a second one.  ``UNKNOWN``: its
    content could not be compared.
    """

    SAME = "same"
    CHANGED = "changed"
    RENAMED = "renamed"
    COPIED = "copied"
    ADDED = "added"
    REMOVED = "removed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """One source: ``a`` and ``b`` are its newest versions, ``None`` where it is not.

    ``only_a`` and ``only_b`` are ids of versions that one side alone holds.
    ``twins`` are ids of other sources that have the same bytes.
    """

    change: SourceChange
    a: VersionKey | None
    b: VersionKey | None
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    proof: Proof | None = None
    doubt: Doubt | None = None

    @property
    def source_id(self) -> str:
        """The id that it goes by, on the newer side where it is there."""
        key = self.b or self.a
        return key.source_id if key else ""
