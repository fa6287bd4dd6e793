"""Things that can be read, their immutable versions, and what was asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from store.records.text import Span, Unit

__all__ = [
    "Block",
    "Excerpt",
    "Integrity",
    "Manifest",
    "ManifestEntry",
    "RefreshFailure",
    "Selection",
    "SourceKind",
    "Table",
    "Version",
    "VersionKey",
]


class SourceKind(StrEnum):
    """What sort of thing a source is."""

    TEXT = "text"
    TABLE = "table"
    BLOCKS = "blocks"
    FILE = "file"
    TOOL_RESULT = "tool_result"


class Integrity(StrEnum):
    """What is known of the stored bytes of a version.

    ``INTACT``: there, and their SHA-256 was checked.  ``CHANGED``: there, with
    another hash; such bytes are never searched.  ``MISSING``: named, not
    there or not readable.  ``RECONSTRUCTED``: the text was rebuilt from what a
    record shows (numbered lines, a display copy); its hash is not the file's.
    """

    INTACT = "intact"
    CHANGED = "changed"
    MISSING = "missing"
    RECONSTRUCTED = "reconstructed"


@dataclass(frozen=True, slots=True, order=True)
class VersionKey:
    """Names one version: ``version_id`` is unique within its source only."""

    source_id: str
    version_id: str


@dataclass(frozen=True, slots=True)
class Block:
    """An addressable piece of a version.  ``block_id`` is opaque and compared whole."""

    block_id: str
    span: Span
    section: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a version whose whole text is not known.

    ``start`` is the code point of the version at which it stands, or ``None``
    where the record does not say; an excerpt without a place proves nothing
    about any span.  ``block_id`` is its name as a block, where it has one.
    """

    start: int | None
    text: str = field(repr=False)
    block_id: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Shape of a table whose body is JSON Lines, one record a line."""

    fields: tuple[str, ...]
    rows: int
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable state of a source.

    ``text`` is its decoded text, or ``None`` when the bytes are absent,
    changed or no text.  With integrity ``CHANGED`` it is only there where the
    record itself holds text with the right hash.  ``chars`` is the recorded
    length in code points, or ``None`` when unknown.  With ``unit`` ``LINE`` only pieces are known:
    ``line_numbers`` then gives for each line of ``text`` its number in the
    source (from 1, ascending), and spans of the version count lines.
    ``excerpts`` are known pieces, addressed in code points, of a version
    whose ``text`` is ``None``: they never stand in for it, since position 0
    of an excerpt is not position 0 of the version.  ``sha256`` is empty when
    the exact bytes were never seen.
    """

    key: VersionKey
    kind: SourceKind
    title: str = ""
    revision: str | None = None
    media_type: str = "text/plain; charset=utf-8"
    sha256: str = ""
    byte_length: int | None = None
    chars: int | None = None
    text: str | None = field(default=None, repr=False)
    integrity: Integrity = Integrity.INTACT
    unit: Unit = Unit.CHAR
    line_numbers: tuple[int, ...] = field(default=(), repr=False)
    excerpts: tuple[Excerpt, ...] = ()
    blocks: tuple[Block, ...] = ()
    table: Table | None = None
    acquired_at: str | None = None
    origin: str = ""
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class RefreshFailure:
    """A refresh that failed; ``kept`` is the version id still served.

    ``after`` counts the versions recorded before it: its place is its time.
    """

    source_id: str
    kept: str | None
    error: str = ""
    at: str | None = None
    after: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """What a read asked for.

    ``ranges`` count in ``unit``; for ``BLOCK`` the names are in ``blocks``.
    ``version_id`` is empty when the record does not say which version.
    ``fields`` is ``None`` for all fields of a row.
    """

    source_id: str
    version_id: str = ""
    unit: Unit = Unit.CHAR
    ranges: tuple[Span, ...] = ()
    blocks: tuple[str, ...] = ()
    fields: tuple[str, ...] | None = None

    @property
    def key(self) -> VersionKey:
        """The version read from."""
        return VersionKey(self.source_id, self.version_id)


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One thing on offer.  Being listed proves nothing about its body."""

    source_id: str
    version_id: str = ""
    preview: Span | None = None
    preview_text: str = ""
    block_id: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a search or list tool returned, or a run folder declared (no tool call then)."""

    tool_call_id: str | None
    entries: tuple[ManifestEntry, ...]
    origin: str = ""
