"""One part being searched: its views, the things they name, and what is already taken."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.intervals import covers, union
from reviewer.audit.matching import Match, Target, find
from reviewer.audit.rows import RowHit, rows_in
from reviewer.audit.texts import VersionText
from reviewer.audit.views import Names, View, views
from store.records.runs import Part
from store.records.sources import Version
from store.records.text import Span

__all__ = ["KnownNames", "Scene", "Sight"]


class KnownNames:
    """The ids and version labels of a run: only what is known can contradict."""

    def __init__(self, texts: Iterable[VersionText], listed: Iterable[str]) -> None:
        texts = tuple(texts)
        known = [text.version for text in texts]
        blocks = (name for text in texts for name in text.blocks)
        self.ids = frozenset([*(v.key.source_id for v in known), *blocks, *listed])
        self._versions = frozenset(label for v in known for label in _hashes(v))
        self._revisions: dict[str, set[str]] = defaultdict(set)
        for version in known:
            if version.revision:
                self._revisions[version.key.source_id].add(version.revision)

    def allow(self, names: Names, version: Version, ids: Collection[str]) -> bool:
        """Return whether what *names* surround may belong to *version*, and to one of *ids*."""
        own = {*_hashes(version), version.revision}
        rivals = self._revisions.get(version.key.source_id, set())
        others = (
            n not in own and (n in self._versions or n in rivals or _contradicts(n, version))
            for n in names.versions
        )
        return names.ids & self.ids <= set(ids) and not any(others)


_SHA256 = re.compile(r"[0-9a-fA-F]{64}\Z")


def _contradicts(name: str, version: Version) -> bool:
    """Whether a payload names the hash of other bytes, known or not."""
    mine = version.sha256
    return bool(mine and _SHA256.match(name)) and name.lower() != mine.lower()


def _hashes(version: Version) -> tuple[str, ...]:
    return tuple(filter(None, (version.key.version_id, version.sha256)))


class Sight(NamedTuple):
    """A match, its place in the part's text, and what the part names around it.

    ``start`` is where in the version the part says that the match begins.
    """

    match: Match
    place: Span
    ids: frozenset[str]
    start: int | None = None


class Scene:
    """One part; *message* and *number* say which."""

    def __init__(self, part: Part, known: KnownNames, message: int, number: int) -> None:
        self.part = part
        self.message = message
        self.number = number
        self._known = known
        self._taken: dict[int, list[Span]] = defaultdict(list)
        self._used: dict[str, list[Span]] = defaultdict(list)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The texts inside the part, innermost first."""
        return views(self.part.text)

    @cached_property
    def _by_name(self) -> Mapping[str, list[int]]:
        names: dict[str, list[int]] = defaultdict(list)
        for place, view in enumerate(self.views):
            for name in view.names.ids & self._known.ids or {""}:
                names[name].append(place)
        return names

    def rows(self, text: VersionText, wanted: Sequence[Span]) -> tuple[RowHit, ...]:
        """Return the records of a table in this part; *wanted* are the rows asked for."""
        return rows_in(self.views, text, wanted, lambda names: self._belongs(names, text))

    def find(
        self, target: Target, text: VersionText, block: str = "", *, preview: bool = False
    ) -> Iterator[Sight]:
        """Yield where *target*, of *text*, stands in the part; a whole match ends it.

        Views that name another thing are passed over, and unless *preview*
        is asked for so are previews.  Where the part is the target's own
        result no ids matter, and pieces are looked for in the text as it stands.
        """
        own = text.is_plain_result
        if own and self.part.text == target.text:
            yield Sight(Match(target.whole, target.whole, exact=True), target.whole, frozenset())
            return
        pieces: list[tuple[int, Match, Span]] = []
        for place in range(len(self.views))[::-1] if own else self._candidates(text, block):
            view = self.views[place]
            if not preview and not self._may_prove(view, target, own=own):
                continue
            for match in find(target, view.content, () if own else self._taken[place]):
                origin = view.origin(match.view)
                if not own and self._is_told(target, view, origin):
                    continue
                pieces.append((place, match, origin))
                if match.target == target.whole:
                    yield self._taking(target, *pieces[-1], own=own)
                    return
        told: tuple[Span, ...] = ()
        for place, match, origin in pieces:
            if (own and not self.views[place].is_raw) or covers(told, [match.target]):
                continue  # an inner view has said so already
            told = union([*told, match.target])
            yield self._taking(target, place, match, origin, own=own)

    def may_hold(self, view: View, text: VersionText) -> bool:
        """Return whether *view* may hold text of a version that nothing addresses."""
        return not view.is_preview and self._belongs(view.names, text)

    def is_spoken_for(self, view: View, origin: Span) -> bool:
        """Whether raw text lies within one JSON string: then its decoded view speaks for it."""
        return view.is_raw and any(extent.covers(origin) for extent in self._strings)

    def _belongs(self, names: Names, text: VersionText) -> bool:
        version = text.version
        return self._known.allow(names, version, {version.key.source_id, *text.blocks})

    def _may_prove(self, view: View, target: Target, *, own: bool) -> bool:
        """A short word proves itself only where a body stands: ``ok`` may be a status.

        Of a result's own text nothing else may stand beside a short one.
        """
        if not target.is_short:
            return own or not view.is_preview
        alone = not own or view.content.text.strip() == target.text.strip()
        return alone and view.is_body and not view.is_preview

    def _is_told(self, target: Target, view: View, origin: Span) -> bool:
        """Whether another view, or an equal text in another view, has told of this place."""
        used = self._used.get(target.text, ())
        return self.is_spoken_for(view, origin) or any(origin.overlaps(span) for span in used)

    def _taking(
        self, target: Target, place: int, match: Match, origin: Span, *, own: bool
    ) -> Sight:
        if not own:
            self._taken[place].append(match.view)
            self._used[target.text].append(origin)
        view = self.views[place]
        claimed = view.names.start if view.is_string else None
        start = None if claimed is None else claimed + match.view.start
        return Sight(match, origin, view.names.ids, start)

    def _candidates(self, text: VersionText, block: str) -> list[int]:
        """Views that may hold a text of this version: none that names another thing."""
        source, own_blocks = text.version.key.source_id, text.blocks
        names = [block] if block and block in self._by_name else [source]
        if not block:
            names += [name for name in self._by_name if name in own_blocks]
        found = {place for name in names for place in self._by_name.get(name, ())}
        found.update(self._by_name.get("", ()))
        allowed = {source, block} if block else {source, *own_blocks}
        return [
            place
            for place in sorted(found)
            if self._known.allow(self.views[place].names, text.version, allowed)
        ]

    @cached_property
    def _strings(self) -> tuple[Span, ...]:
        return tuple(view.origin(view.content.whole) for view in self.views if view.is_string)
