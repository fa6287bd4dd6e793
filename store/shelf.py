"""Where a piece of a source belongs: in a version that is known, or in one that it makes known.

Nothing is placed on a guess.  A piece stands in a known version where its
words stand there; it makes a whole version only where nothing says that it is
a part; everything else is an excerpt of a version whose text is not known.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from store.records.sources import Excerpt, Integrity, Selection, SourceKind, Version, VersionKey
from store.records.text import Span, Unit
from store.tool_json import Entry

__all__ = ["Place", "Shelf"]

_ENOUGH = 16
"""Text without an address counts from this many characters other than white space."""


@dataclass(slots=True)
class Partial:
    """A version of which only excerpts are known, while they are collected."""

    source_id: str
    version_id: str
    origin: str
    title: str = ""
    total: int | None = None
    placed: list[tuple[int, str, str | None]] = field(default_factory=list)
    loose: dict[tuple[str, str | None], None] = field(default_factory=dict)
    longest: int = 0
    _key: VersionKey | None = None

    def takes(self, start: int, text: str, total: int | None) -> bool:
        """Return whether the piece says the same as all pieces here where they overlap."""
        if None not in (self.total, total) and self.total != total:
            return False
        at = bisect_left(self.placed, (start - self.longest,))
        for other, known, _ in self.placed[at:]:
            if other >= start + len(text):
                break
            first, end = max(start, other), min(start + len(text), other + len(known))
            if (
                first < end
                and text[first - start : end - start] != known[first - other : end - other]
            ):
                return False
        return True

    def put(self, start: int, text: str, block_id: str | None) -> None:
        """Add a piece that stands at *start*; one that is here already stays one."""
        piece = (start, text, block_id or "")
        at = bisect_left(self.placed, piece, key=lambda known: (known[0], known[1], known[2] or ""))
        if at == len(self.placed) or self.placed[at] != (start, text, block_id):
            insort(
                self.placed,
                (start, text, block_id),
                key=lambda known: (known[0], known[1], known[2] or ""),
            )
        self.longest = max(self.longest, len(text))

    def key(self) -> VersionKey:
        """Return its name: the recorded version, else a hash of what is known of it.

        Ask when all is placed: the first answer stays.
        """
        if self._key is None:
            self._key = VersionKey(self.source_id, self.version_id or self._hash_of_pieces())
        return self._key

    def _hash_of_pieces(self) -> str:
        digest = hashlib.sha256()
        for excerpt in self.excerpts():
            digest.update(f"{excerpt.start}:{len(excerpt.text)}:".encode())
            digest.update(excerpt.text.encode("utf-8", "surrogatepass"))
        return f"partial:{digest.hexdigest()}"

    def excerpts(self) -> tuple[Excerpt, ...]:
        """Return the pieces, those with a place first."""
        loose = tuple(Excerpt(None, text, block_id) for text, block_id in self.loose)
        return tuple(Excerpt(*piece) for piece in self.placed) + loose

    def version(self) -> Version:
        """Return the version: no text, since what is known of it is not all of it."""
        return Version(
            key=self.key(),
            kind=SourceKind.TEXT,
            title=self.title,
            sha256=self.version_id if _is_sha256(self.version_id) else "",
            chars=self.total,
            integrity=Integrity.RECONSTRUCTED,
            excerpts=self.excerpts(),
            origin=self.origin,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece was placed.  The name of a partial version is known when all is read."""

    chosen: Selection
    partial: Partial | None = None

    def selection(self) -> Selection:
        """Return the selection; ask after everything was placed."""
        if self.partial is None:
            return self.chosen
        return replace(self.chosen, version_id=self.partial.key().version_id)


class Shelf:
    """The versions of one run, and those that its pieces add."""

    def __init__(self, versions: Iterable[Version]) -> None:
        self._known: dict[str, list[Version]] = {}
        self._keys: set[VersionKey] = set()
        self._added: list[Version | Partial] = []
        self._partial: dict[VersionKey, list[Partial]] = {}
        for version in versions:
            self._index(version)

    def _index(self, version: Version) -> None:
        self._keys.add(version.key)
        self._known.setdefault(version.key.source_id, []).append(version)

    def add(self, version: Version) -> None:
        """Add a whole version, once."""
        if version.key not in self._keys:
            self._index(version)
            self._added.append(version)

    def finish(self) -> tuple[Version, ...]:
        """Return the versions that were added, in the order they were met."""
        made: dict[VersionKey, Version] = {}
        for added in self._added:
            version = added if isinstance(added, Version) else added.version()
            # A version that came in pieces and later whole is the whole one.
            if version.key not in made or version.text is not None:
                made[version.key] = version
        return tuple(made.values())

    def add_wholes(self, entries: Iterable[Entry], origin: str) -> None:
        """Make the whole texts of one result known, before any piece is placed."""
        for entry, alone in _with_company(entries):
            body = entry.body or ""
            if _is_whole(entry, body, alone=alone) and self._in_known(entry, body) is None:
                self._whole(entry, body, origin)

    def place_all(self, entries: Iterable[Entry], origin: str) -> list[Place]:
        """Place the pieces of one result.  Two texts of one source in it are parts of it."""
        return [self.place(entry, origin, alone=alone) for entry, alone in _with_company(entries)]

    def place(self, entry: Entry, origin: str, *, alone: bool = True) -> Place:
        """Place one piece.  *alone* says that its result holds no other text of its source."""
        body = entry.body or ""
        known = self._in_known(entry, body)
        if known is not None:
            return Place(known)
        if _is_whole(entry, body, alone=alone):
            return Place(self._whole(entry, body, origin))
        start = entry.start if _fits(entry, body) else None
        partial = self._partial_for(entry, body, start, origin)
        chosen = Selection(entry.source_id)
        if start is not None:
            partial.put(start, body, entry.block_id)
            chosen = replace(chosen, ranges=(Span(start, start + len(body)),))
        else:
            partial.loose[body, entry.block_id] = None
            if entry.block_id:
                chosen = replace(chosen, unit=Unit.BLOCK, blocks=(entry.block_id,))
        return Place(chosen, partial)

    def _in_known(self, entry: Entry, body: str) -> Selection | None:
        versions = [
            version
            for version in self._known.get(entry.source_id, ())
            if version.unit is Unit.CHAR and not version.excerpts
        ]
        if entry.version:
            named = [v for v in versions if entry.version in (v.key.version_id, v.sha256)]
            return _selection_in(named[-1], entry, body) if named else None
        spans = {version.key: _find(version, entry.start, body) for version in versions}
        holding = [(key, span) for key, span in spans.items() if span is not None]
        if not holding:
            return None
        key, span = holding[-1]
        # Several versions hold these words: which of them was read, the record does not say.
        version_id = key.version_id if len(holding) == 1 else ""
        ranges = (span,) if all(other == span for _, other in holding) else ()
        return Selection(entry.source_id, version_id, ranges=ranges)

    def _whole(self, entry: Entry, body: str, origin: str) -> Selection:
        data = body.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        key = VersionKey(entry.source_id, entry.version or digest)
        self.add(
            Version(
                key=key,
                kind=SourceKind.TEXT,
                title=entry.title,
                sha256=digest,
                byte_length=len(data),
                chars=len(body),
                text=body,
                origin=origin,
            )
        )
        return Selection(entry.source_id, key.version_id, ranges=(Span(0, len(body)),))

    def _partial_for(self, entry: Entry, body: str, start: int | None, origin: str) -> Partial:
        total = entry.total if entry.total is None or _fits(entry, body) else None
        key = VersionKey(entry.source_id, entry.version)
        group = self._partial.setdefault(key, [])
        for partial in reversed(group):
            # A recorded version is one version even where its pieces contradict.
            if entry.version or start is None or partial.takes(start, body, total):
                partial.total = partial.total if total is None else total
                return partial
        partial = Partial(entry.source_id, entry.version, origin, entry.title, total)
        group.append(partial)
        self._added.append(partial)
        return partial


def _with_company(entries: Iterable[Entry]) -> list[tuple[Entry, bool]]:
    """Return each piece of one result, and whether it is the only text of its source there."""
    entries = tuple(entries)
    texts = {(entry.source_id, entry.version, entry.body) for entry in entries}
    parts = Counter((source_id, version) for source_id, version, _ in texts)
    return [(entry, parts[entry.source_id, entry.version] == 1) for entry in entries]


def _selection_in(version: Version, entry: Entry, body: str) -> Selection:
    key = version.key
    if entry.block_id and any(block.block_id == entry.block_id for block in version.blocks):
        return Selection(key.source_id, key.version_id, unit=Unit.BLOCK, blocks=(entry.block_id,))
    span = _find(version, entry.start, body)
    if span is None and entry.start is not None:
        span = Span(entry.start, entry.start + len(body))
    if span is None and version.chars is not None:
        span = Span(0, version.chars)
    return Selection(key.source_id, key.version_id, ranges=() if span is None else (span,))


def _find(version: Version, start: int | None, body: str) -> Span | None:
    """Return where *body* stands in the text of *version*: at *start*, or in one place only."""
    text = version.text
    if text is None or version.integrity is Integrity.CHANGED:
        return None
    if start is not None:
        return Span(start, start + len(body)) if text.startswith(body, start) else None
    if text == body:
        return Span(0, len(body))
    if len("".join(body[: 8 * _ENOUGH].split())) < _ENOUGH and len("".join(body.split())) < _ENOUGH:
        return None
    first = text.find(body)
    if first < 0 or text.find(body, first + 1) >= 0:
        return None
    return Span(first, first + len(body))


def _is_whole(entry: Entry, body: str, *, alone: bool) -> bool:
    """Return whether the piece is all of its source, as far as the record says anything."""
    if not entry.complete or entry.start or entry.block_id:
        return False
    if entry.total is not None and entry.total != len(body):
        return False
    if _is_sha256(entry.version):
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest() == entry.version
    if entry.total is not None:
        return True
    return alone and entry.start is None and entry.end is None and not entry.chunk


def _fits(entry: Entry, body: str) -> bool:
    """Return whether the place that the entry claims can be one in code points."""
    if entry.start is None:
        return False
    stop = entry.start + len(body)
    if entry.end is not None and (stop > entry.end or (entry.complete and stop != entry.end)):
        return False
    return entry.total is None or stop <= entry.total


def _is_sha256(name: str) -> bool:
    return len(name) == 64 and not set(name.lower()) - set("0123456789abcdef")  # noqa: PLR2004
