"""Results with their versions, and exact reread.

A reference gives back exactly the text it selects, after the SHA-256 of the
stored bytes was checked, or a refusal with its reason: never something newer,
never something near.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase

from store._excerpts import excerpt_pieces
from store._places import Piece, PlaceError, pieces_of
from store.errors import ChangedObjectError, MissingObjectError
from store.records.runs import Grant
from store.records.sources import Integrity, Selection, Version, VersionKey
from store.records.text import Span, Unit
from store.references import Reference, format_reference, parse

__all__ = ["Piece", "Reason", "RefusedError", "Reread", "Results", "allows"]


class Reason(StrEnum):
    """Why a text is not given back; fixed words that programs may compare."""

    EVIDENCE_CHANGED = "evidence changed"
    NO_SOURCE = "no such source"
    NO_VERSION = "no such version"
    NO_BLOCK = "no such block"
    NO_ROW = "no such row"
    NO_FIELD = "no such field"
    NO_LINE = "no such line"
    NO_PAGE = "no such page"
    OUTSIDE_VERSION = "outside the version"
    OUTSIDE_GRANT = "outside the grant"
    NOT_STORED = "text not stored"
    AMBIGUOUS_HASH = "ambiguous shortened hash"
    AMBIGUOUS_BLOCK = "ambiguous block"


class RefusedError(Exception):
    """The text is not given back.  ``reason`` says why, ``what`` in detail."""

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(f"{reason}: {what}")
        self.reason = reason
        self.what = what


@dataclass(frozen=True, slots=True)
class Reread:
    """Exactly the selected text.

    ``pieces`` hold it in the order selected, ``text`` is all of them, one
    after the other.  ``exact`` is false where the text was rebuilt from what a
    record shows, or its exact bytes were never seen, so that no hash could be
    checked; ``note`` then says so, and also which version was taken where none
    was named.
    """

    text: str = field(repr=False)
    version: Version
    selection: Selection
    pieces: tuple[Piece, ...]
    exact: bool = True
    note: str = ""

    @property
    def spans(self) -> tuple[Span | None, ...]:
        """Where the pieces stand in the version, in its own unit; ``None`` if not recorded."""
        return tuple(piece.span for piece in self.pieces)

    @property
    def reference(self) -> str:
        """The selection with its version named in full."""
        return format_reference(self.selection)


_SHOWN = 10
_REBUILT = "reconstructed from what the record shows, not exact bytes"
Loader = Callable[[Version], "bytes | None"]
_HASH = re.compile(r"(?:[a-z]+:)?[0-9a-f]{32,}")
_START_OF_HASH = re.compile(r"(?:[a-z]+:)?[0-9a-f]+")
_SHORTEST = 4
"""Digits of a hash without an ellipsis: less is rather another label than a hash."""
_CHARSET = re.compile(r'charset\s*=\s*"?([^\s";]+)', re.IGNORECASE)


class Results:
    """The versions of a store, as far as *grant* allows to read them.

    *load_bytes* gives the stored bytes of a version as they are now, or
    ``None`` when the version was never kept as bytes of its own (its recorded
    text is then checked).  It may raise `store.errors.MissingObjectError` and
    `store.errors.ChangedObjectError`.  A grant without patterns, like none,
    restricts nothing.
    """

    def __init__(
        self,
        versions: Iterable[Version],
        grant: Grant | None = None,
        load_bytes: Loader | None = None,
    ) -> None:
        self._sources: dict[str, dict[str, Version]] = {}
        self._contradicted: set[VersionKey] = set()
        for version in versions:
            self._add(version)
        self._grant = grant
        self._load_bytes = load_bytes

    @property
    def versions(self) -> Mapping[str, tuple[Version, ...]]:
        """The versions of each source, the oldest first."""
        return {source: tuple(known.values()) for source, known in self._sources.items()}

    def resolve(self, reference: str | Reference | Selection) -> tuple[Version, str]:
        """Return the version a reference means, and a note when it names none.

        Without a version it means the newest that holds the named block, else
        the newest stored.  Raises `RefusedError`, and for a text that is no
        reference `store.references.ReferenceSyntaxError`.
        """
        asked = _reference(reference)
        source = asked.selection.source_id
        self._check_grant(source)
        known = self._sources.get(source)
        if known is None:
            raise RefusedError(Reason.NO_SOURCE, repr(source) + self._hint(asked.selection))
        name = asked.selection.version_id
        if name:
            return self._named(known, source, name, shortened=asked.shortened), ""
        return _newest(known, asked.selection)

    def reread(self, reference: str | Reference | Selection) -> Reread:
        """Return exactly what *reference* selects.

        Raises `RefusedError`, and for a text that is no reference
        `store.references.ReferenceSyntaxError`.
        """
        version, note = self.resolve(reference)
        asked = _reference(reference).selection
        selection = Selection(
            version.key.source_id,
            version.key.version_id,
            asked.unit,
            asked.ranges,
            asked.blocks,
            asked.fields,
        )
        try:
            pieces, doubt = self._pieces(version, selection)
        except PlaceError as error:
            raise RefusedError(Reason(error.reason), f"{_name(version.key)}: {error}") from error
        return Reread(
            text="".join(piece.text for piece in pieces),
            version=version,
            selection=selection,
            pieces=pieces,
            exact=not doubt,
            note="; ".join(filter(None, (note, doubt))),
        )

    def _add(self, version: Version) -> None:
        known = self._sources.setdefault(version.key.source_id, {})
        held = known.setdefault(version.key.version_id, version)
        if held.sha256 and version.sha256 and held.sha256 != version.sha256:
            self._contradicted.add(version.key)
        elif held.text is None and version.text is not None:
            known[version.key.version_id] = version
        elif held.text is None and version.excerpts:
            known[version.key.version_id] = _with_excerpts(held, version)

    # -- which version --------------------------------------------------------

    def _check_grant(self, source: str) -> None:
        if self._grant is not None and not allows(self._grant, source):
            scope = ", ".join(map(repr, self._grant.scope[:_SHOWN]))
            more = len(self._grant.scope) - _SHOWN
            raise RefusedError(
                Reason.OUTSIDE_GRANT,
                f"{source!r} matches none of {scope}" + (f" and {more} more" if more > 0 else ""),
            )

    def _hint(self, selection: Selection) -> str:
        """Say how to write an id that was taken apart, without guessing that it is meant."""
        whole = f"{selection.source_id}@{selection.version_id}"
        if whole not in self._sources:
            return ""
        return f"; there is a source {whole!r}: put @ after it"

    def _named(
        self, known: Mapping[str, Version], source: str, name: str, *, shortened: bool
    ) -> Version:
        if not shortened and name in known:
            return known[name]
        found = [
            version
            for version in known.values()
            if _hash_starts(version, name, shortened=shortened)
        ]
        where = f"{name!r} of {source!r}"
        if not found:
            raise RefusedError(Reason.NO_VERSION, where)
        if len(found) > 1:
            ids = ", ".join(version.key.version_id for version in found)
            raise RefusedError(Reason.AMBIGUOUS_HASH, f"{where} begins {ids}")
        return found[0]

    # -- its text -------------------------------------------------------------

    def _pieces(self, version: Version, selection: Selection) -> tuple[tuple[Piece, ...], str]:
        """Return the selected pieces, and why they are not proven to be exact."""
        if _known_by_excerpts(version) and version.key not in self._contradicted:
            data = self._fresh_bytes(version) if version.sha256 else None
            if data is None:
                return excerpt_pieces(version, selection), _REBUILT
            version = replace(version, integrity=Integrity.INTACT)
        text, doubt = self._checked_text(version)
        return pieces_of(version, text, selection), doubt

    def _checked_text(self, version: Version) -> tuple[str, str]:
        """Return the text, and why it is not proven to be the exact text (empty if it is)."""
        if version.key in self._contradicted:
            raise RefusedError(
                Reason.EVIDENCE_CHANGED,
                f"{_name(version.key)} is recorded more than once, with different hashes",
            )
        if version.integrity is Integrity.RECONSTRUCTED:
            return _stored(version), _REBUILT
        if not version.sha256:
            return _stored(version), "the exact bytes were never seen, so no hash was checked"
        data = self._fresh_bytes(version)
        if data is None:
            text = _stored(version)
            if _sha256(text.encode("utf-8", "surrogatepass")) == version.sha256:
                return text, ""
            raise RefusedError(*_unverifiable(version))
        if _sha256(data) != version.sha256:
            raise RefusedError(
                Reason.EVIDENCE_CHANGED,
                f"{_name(version.key)}: the stored bytes have the SHA-256 {_sha256(data)}",
            )
        return _decoded(version, data), ""

    def _fresh_bytes(self, version: Version) -> bytes | None:
        if self._load_bytes is None:
            return None
        try:
            return self._load_bytes(version)
        except ChangedObjectError as error:
            raise RefusedError(Reason.EVIDENCE_CHANGED, f"{_name(version.key)}: {error}") from error
        except MissingObjectError as error:
            raise RefusedError(Reason.NOT_STORED, f"{_name(version.key)}: {error}") from error


def allows(grant: Grant | None, source_id: str) -> bool:
    """Return whether *grant* allows to read a source; one without patterns restricts nothing."""
    scope = grant.scope if grant is not None else ()
    return not scope or any(fnmatchcase(source_id, pattern) for pattern in scope)


def _reference(reference: str | Reference | Selection) -> Reference:
    if isinstance(reference, str):
        return parse(reference)
    return Reference(reference) if isinstance(reference, Selection) else reference


def _name(key: VersionKey) -> str:
    return format_reference(Selection(key.source_id, key.version_id))


def _hash_starts(version: Version, start: str, *, shortened: bool) -> bool:
    if not _START_OF_HASH.fullmatch(start) or (not shortened and len(start) < _SHORTEST):
        return False
    names = {version.key.version_id, version.sha256}
    return any(_HASH.fullmatch(name) and name.startswith(start) for name in names)


def _newest(known: Mapping[str, Version], selection: Selection) -> tuple[Version, str]:
    versions = list(known.values())
    if selection.unit is Unit.BLOCK and selection.blocks:
        wanted = set(selection.blocks)
        holding = [one for one in versions if wanted <= _block_ids(one)]
        versions = holding or versions
    chosen = versions[-1]
    if len(known) == 1:
        return chosen, ""
    held = "that holds it " if len(versions) < len(known) else ""
    return chosen, (
        f"no version was named; taken is the newest {held}of {len(known)}: {chosen.key.version_id}"
    )


def _block_ids(version: Version) -> set[str | None]:
    return {one.block_id for one in version.blocks} | {one.block_id for one in version.excerpts}


def _known_by_excerpts(version: Version) -> bool:
    return (
        version.text is None
        and bool(version.excerpts)
        and version.integrity is not Integrity.CHANGED
    )


def _with_excerpts(held: Version, other: Version) -> Version:
    """Return *held* with what another record of the same version knows of it."""
    lengths = {held.chars, other.chars} - {None}
    return replace(
        held,
        excerpts=tuple(dict.fromkeys((*held.excerpts, *other.excerpts))),
        # Of two lengths neither is proven.
        chars=lengths.pop() if len(lengths) == 1 else None,
        sha256=held.sha256 or other.sha256,
    )


def _stored(version: Version) -> str:
    if version.text is None:
        if version.integrity is Integrity.CHANGED:
            raise RefusedError(
                Reason.EVIDENCE_CHANGED,
                f"{_name(version.key)}: the stored bytes no longer have their recorded hash",
            )
        raise RefusedError(Reason.NOT_STORED, _name(version.key))
    return version.text


def _unverifiable(version: Version) -> tuple[Reason, str]:
    if version.integrity is Integrity.CHANGED:
        return Reason.EVIDENCE_CHANGED, _name(version.key)
    return (
        Reason.NOT_STORED,
        f"{_name(version.key)}: its bytes are not here, so no hash was checked",
    )


def _decoded(version: Version, data: bytes) -> str:
    """Decode strictly; where the record's own reading gives back the same bytes, take that."""
    charset = _CHARSET.search(version.media_type)
    try:
        name = codecs.lookup(charset[1] if charset else "utf-8").name
        return data.decode(name)
    except (LookupError, ValueError):
        text = version.text
    for errors in ("surrogateescape", "surrogatepass"):
        if text is not None and _encodes_to(text, errors, data):
            return text
    raise RefusedError(
        Reason.NOT_STORED, f"{_name(version.key)}: its bytes are no text ({version.media_type})"
    )


def _encodes_to(text: str, errors: str, data: bytes) -> bool:
    try:
        return text.encode("utf-8", errors) == data
    except UnicodeEncodeError:
        return False


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
