"""Which text of which version stands where in each unique message.

The place comes from a recorded selection, or from the ids that the payload
itself names; the proof is the text found there.  Text without an address
counts only where it fits one place of one version.  What the model wrote
itself is no delivery, and neither is a manifest's preview.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from reviewer.audit.intervals import covers, union
from reviewer.audit.matching import Match, Target, alone, find
from reviewer.audit.residency import Residency
from reviewer.audit.rows import RowHit, rows_in
from reviewer.audit.seeds import ENOUGH, Piece, SeedIndex
from reviewer.audit.texts import VersionText
from reviewer.audit.views import View, views
from store.records.findings import Delivery, Form
from store.records.runs import Message, Part, PartKind, Run, ToolResult
from store.records.sources import (
    ManifestEntry,
    Selection,
    VersionKey,
)
from store.records.text import Span, Unit

__all__ = ["Deliveries"]

_WRITTEN_BY_MODEL = frozenset(
    {PartKind.TOOL_CALL, PartKind.REASONING, PartKind.SUMMARY, PartKind.OPAQUE, PartKind.IMAGE}
)


class Deliveries:
    """Every delivery of a run, by message and by version."""

    def __init__(self, run: Run, residency: Residency) -> None:
        self.run = run
        self.residency = residency
        self.texts = {version.key: VersionText(version) for version in run.versions}
        self.results = _by_id(run.tool_results)
        self.by_source: dict[str, list[VersionText]] = defaultdict(list)
        for text in self.texts.values():
            self.by_source[text.version.key.source_id].append(text)
        self._entries: dict[str, list[ManifestEntry]] = defaultdict(list)
        for manifest in run.manifests:
            if manifest.tool_call_id:
                self._entries[manifest.tool_call_id] += manifest.entries
        self._edited = {id_ for edit in run.edits for id_ in edit.tool_call_ids}
        self._known = self._known_ids()
        self._labels = frozenset(key.version_id for key in self.texts)
        self._targets: dict[tuple[VersionKey, Span], Target] = {}
        self.by_message: dict[int, tuple[Delivery, ...]] = {}
        self.by_version: dict[VersionKey, list[Delivery]] = defaultdict(list)
        for index, message in enumerate(run.messages):
            found = tuple(self._in_message(index, message)) if residency.stays(index) else ()
            if found:
                self.by_message[index] = found
            for delivery in found:
                self.by_version[delivery.version].append(delivery)

    # -- what is asked for ------------------------------------------------------

    def selections(self, part: Part) -> tuple[Selection, ...]:
        """Return what *part* is recorded to hold."""
        if part.kind is PartKind.TOOL_RESULT:
            chosen = [s for r in self.results.get(part.tool_call_id, ()) for s in r.selections]
            return tuple(dict.fromkeys(chosen))
        if part.source_id:
            return (Selection(part.source_id, part.version_id),)
        return ()

    def text_of(self, selection: Selection) -> VersionText | None:
        """Return the version a selection reads; one source with one version needs no version id."""
        known = self.texts.get(selection.key)
        if known or selection.version_id:
            return known
        versions = self.by_source.get(selection.source_id, [])
        return versions[0] if len(versions) == 1 else None

    def _known_ids(self) -> frozenset[str]:
        blocks = (name for text in self.texts.values() for name in text.blocks)
        listed = (entry.source_id for manifest in self.run.manifests for entry in manifest.entries)
        return frozenset([*(key.source_id for key in self.texts), *blocks, *listed])

    # -- one message ------------------------------------------------------------

    def _in_message(self, index: int, message: Message) -> Iterator[Delivery]:
        for number, part in enumerate(message.parts):
            found = list(self._in_part(index, number, part))
            yield from found
            own_words = message.role == "assistant" and part.kind is PartKind.TEXT
            if own_words or part.kind in _WRITTEN_BY_MODEL or part.tool_call_id in self._entries:
                continue
            if all(self._is_result(delivery.version) for delivery in found):
                yield from self._without_address(index, number, part)

    def _is_result(self, key: VersionKey) -> bool:
        text = self.texts.get(key)
        return text is not None and text.is_plain_result

    def _in_part(self, index: int, number: int, part: Part) -> Iterator[Delivery]:
        wanted = self.selections(part)
        entries = self._entries.get(part.tool_call_id, ()) if part.tool_call_id else ()
        if not part.text or not (wanted or entries):
            return
        scene = _Scene(part, self._known, self._labels, index, number)
        for selection, text in self._grouped(wanted):
            yield from self._selected(scene, selection, text)
        for entry in entries:
            preview = self._preview(scene, entry)
            if preview:
                yield preview

    def _grouped(self, wanted: Sequence[Selection]) -> Iterator[tuple[Selection, VersionText]]:
        """Join the selections of one version, so that overlapping ranges are looked for once."""
        merged: dict[tuple[VersionKey, Unit, tuple[str, ...] | None], Selection] = {}
        for selection in wanted:
            text = self.text_of(selection)
            if text is None:
                continue
            slot = (text.version.key, selection.unit, selection.fields)
            before = merged.get(slot)
            if before is None:
                merged[slot] = replace(selection, version_id=text.version.key.version_id)
            else:
                merged[slot] = replace(
                    before,
                    ranges=before.ranges + selection.ranges,
                    blocks=before.blocks + selection.blocks,
                )
        for selection in merged.values():
            yield selection, self.texts[selection.key]

    def _selected(
        self, scene: _Scene, selection: Selection, text: VersionText
    ) -> Iterator[Delivery]:
        if selection.unit is Unit.ROW and text.rows is not None:
            rows = list(self._rows(scene, text))
            if rows:
                yield from rows
                return
        if selection.unit is Unit.BLOCK:
            for name in dict.fromkeys(selection.blocks):
                if name in text.blocks:
                    for span in text.block_chars(text.blocks[name]):
                        yield from self._place(scene, text, span, block=name)
            return
        for span in _joined(text.chars(selection)):
            yield from self._place(scene, text, span)

    def _place(
        self, scene: _Scene, text: VersionText, span: Span, block: str = ""
    ) -> Iterator[Delivery]:
        """Yield what of code points *span* of *text* stands in the part."""
        target = self._target(text, span)
        for match, place in scene.find(target, text, block, anywhere=text.is_plain_result):
            chars = match.target.moved(span.start)
            complete = match.target == target.whole
            for reached in text.in_unit([chars]):
                yield Delivery(
                    message=scene.message,
                    part=scene.number,
                    message_span=place,
                    version=text.version.key,
                    span=reached,
                    form=self._form(scene.part, match, complete=complete),
                    address="selection",
                )

    def _form(self, part: Part, match: Match, *, complete: bool) -> Form:
        if complete:
            return Form.FULL if match.exact else Form.NORMALIZED
        return Form.PLACEHOLDER if part.tool_call_id in self._edited else Form.TRUNCATED

    def _target(self, text: VersionText, span: Span) -> Target:
        slot = (text.version.key, span)
        if slot not in self._targets:
            self._targets[slot] = Target((text.text or "")[span.start : span.end])
        return self._targets[slot]

    def _rows(self, scene: _Scene, text: VersionText) -> Iterator[Delivery]:
        for hit in scene.rows(text):
            if hit.row is None:
                continue
            for span in text.chars_of(Span(hit.row, hit.row + 1), Unit.ROW):
                yield Delivery(
                    message=scene.message,
                    part=scene.number,
                    message_span=hit.place,
                    version=text.version.key,
                    span=span,
                    form=Form.FULL if hit.whole else Form.TRUNCATED,
                    address="payload",
                    fields=None if hit.whole else hit.fields,
                )

    def _preview(self, scene: _Scene, entry: ManifestEntry) -> Delivery | None:
        text = self.text_of(Selection(entry.source_id, entry.version_id))
        spans = text.chars_of(entry.preview, Unit.CHAR) if text and entry.preview else ()
        if text is None or len(spans) != 1:
            return None
        (span,) = text.in_unit(spans)
        target = self._target(text, spans[0])
        for match, place in scene.find(target, text, entry.block_id or ""):
            if match.target == target.whole:
                return Delivery(
                    message=scene.message,
                    part=scene.number,
                    message_span=place,
                    version=text.version.key,
                    span=span,
                    form=Form.PREVIEW,
                    address="payload",
                )
        return None

    def row_hits(self, message: int, number: int, text: VersionText) -> tuple[RowHit, ...]:
        """Return the records of *text* in one part, duplicates and strangers included."""
        return rows_in(self.run.messages[message].parts[number].text, text)

    # -- text without an address --------------------------------------------------

    @cached_property
    def _pool(self) -> tuple[tuple[VersionText, Target], ...]:
        texts = self.texts.values()
        return tuple(
            (text, Target(text.text)) for text in texts if text.text and not text.is_plain_result
        )

    @cached_property
    def _seeds(self) -> SeedIndex:
        return SeedIndex([target.skeleton.text for _, target in self._pool])

    def _without_address(self, index: int, number: int, part: Part) -> Iterator[Delivery]:
        if len("".join(part.text.split())) < ENOUGH or not self._pool:
            return
        seen: set[tuple[VersionKey, Span]] = set()
        for view in views(part.text):
            for piece in alone(self._seeds.pieces(view.content.skeleton.text)):
                for delivery in self._unaddressed(index, number, view, piece):
                    slot = (delivery.version, delivery.span)
                    if slot not in seen:
                        seen.add(slot)
                        yield delivery

    def _unaddressed(self, index: int, number: int, view: View, piece: Piece) -> Iterator[Delivery]:
        text, target = self._pool[piece.text]
        there = target.skeleton.back(Span(piece.start, piece.start + piece.length))
        here = view.content.skeleton.back(Span(piece.at, piece.at + piece.length))
        exact = target.text[there.start : there.end] == view.content.text[here.start : here.end]
        for span in text.in_unit([there]):
            yield Delivery(
                message=index,
                part=number,
                message_span=view.origin(here),
                version=text.version.key,
                span=span,
                form=Form.FULL if exact else Form.NORMALIZED,
                address="text",
            )


class _Scene:
    """One part being searched: its views, by the ids they name, and what is already taken."""

    def __init__(
        self,
        part: Part,
        known: frozenset[str],
        labels: frozenset[str],
        message: int,
        number: int,
    ) -> None:
        self.part = part
        self._labels = labels
        self.message = message
        self.number = number
        self._known = known
        self._taken: dict[int, list[Span]] = defaultdict(list)

    @cached_property
    def _views(self) -> tuple[View, ...]:
        return views(self.part.text)

    @cached_property
    def _by_name(self) -> Mapping[str, list[int]]:
        names: dict[str, list[int]] = defaultdict(list)
        for place, view in enumerate(self._views):
            for name in view.named & self._known or {""}:
                names[name].append(place)
        return names

    def rows(self, text: VersionText) -> tuple[RowHit, ...]:
        """Return the records of a table in this part."""
        return rows_in(self.part.text, text)

    def find(
        self, target: Target, text: VersionText, block: str, *, anywhere: bool = False
    ) -> Iterator[tuple[Match, Span]]:
        """Yield matches of *target* with their places in the part's text; a whole one ends it.

        With *anywhere* the part is this target's own result: no ids matter,
        and pieces are looked for in the text as it stands.
        """
        if anywhere and self.part.text == target.text:
            yield Match(target.whole, target.whole, exact=True), target.whole
            return
        pieces: list[tuple[int, Match, Span]] = []
        for place in self._own(anywhere) or self._candidates(text, block):
            view = self._views[place]
            for match in find(target, view.content, self._taken[place]):
                origin = view.origin(match.view)
                if match.target == target.whole and not self._spoken_for(view, origin, anywhere):
                    self._taken[place].append(match.view)
                    yield match, origin
                    return
                pieces.append((place, match, origin))
        told: tuple[Span, ...] = ()
        for place, match, origin in pieces:
            view = self._views[place]
            if (anywhere and not view.is_raw) or self._spoken_for(view, origin, anywhere):
                continue
            if covers(told, [match.target]):
                continue  # an inner view has said so already
            told = union([*told, match.target])
            self._taken[place].append(match.view)
            yield match, origin

    def _own(self, anywhere: bool) -> list[int]:  # noqa: FBT001 - private
        return list(range(len(self._views) - 1, -1, -1)) if anywhere else []

    def _candidates(self, text: VersionText, block: str) -> list[int]:
        """Views that may hold a text of this version: none that names another thing."""
        source, own_blocks = text.version.key.source_id, text.blocks
        names = [block] if block and block in self._by_name else [source]
        if not block:
            names += [name for name in self._by_name if name in own_blocks]
        found = {place for name in names for place in self._by_name.get(name, ())}
        found.update(self._by_name.get("", ()))
        allowed = {source, block} if block else {source, *own_blocks}
        return [place for place in sorted(found) if self._speaks_of(place, allowed, text)]

    def _speaks_of(self, place: int, allowed: set[str], text: VersionText) -> bool:
        view = self._views[place]
        own = {text.version.key.version_id, text.version.sha256}
        rivals = (label in self._labels and label not in own for label in view.versions)
        return (view.named & self._known) <= allowed and not any(rivals)

    def _spoken_for(self, view: View, origin: Span, anywhere: bool) -> bool:  # noqa: FBT001
        """Whether raw text lies within one JSON string: then its decoded view speaks for it."""
        return (
            view.is_raw and not anywhere and any(extent.covers(origin) for extent in self._strings)
        )

    @cached_property
    def _strings(self) -> tuple[Span, ...]:
        return tuple(view.origin(view.content.whole) for view in self._views if view.is_string)


def _by_id(results: Iterable[ToolResult]) -> Mapping[str, tuple[ToolResult, ...]]:
    found: dict[str, tuple[ToolResult, ...]] = {}
    for result in results:
        found[result.tool_call_id] = (*found.get(result.tool_call_id, ()), result)
    return found


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap; spans that only touch stay apart, as they were asked for."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        elif span.length:
            joined.append(span)
    return joined
