"""Which text of which version stands where in each unique message.

The place comes from a recorded selection, or from the ids that the payload
itself names; the proof is the text found there.  Text without an address
counts only where it fits one place of one version.  What the model wrote
itself is no delivery, and neither is a manifest's preview.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.intervals import joined
from reviewer.audit.matching import Match, Target, matched
from reviewer.audit.residency import Residency
from reviewer.audit.rows import RowHit
from reviewer.audit.scene import KnownNames, Scene, Sight
from reviewer.audit.seams import apart
from reviewer.audit.seeds import ENOUGH, Piece, SeedIndex
from reviewer.audit.skeleton import Skeleton
from reviewer.audit.texts import PLAIN_RESULT, Known, VersionText
from reviewer.audit.views import View
from store.records.findings import Delivery, Form
from store.records.markers import marker_of
from store.records.runs import Message, Part, PartKind, Run, ToolResult
from store.records.sources import (
    Integrity,
    ManifestEntry,
    Selection,
    VersionKey,
)
from store.records.text import Span, Unit

__all__ = ["Deliveries"]

_WRITTEN_BY_MODEL = frozenset(
    {PartKind.TOOL_CALL, PartKind.REASONING, PartKind.SUMMARY, PartKind.OPAQUE, PartKind.IMAGE}
)
_MODEL_ROLES = frozenset({"assistant", "model", "ai"})


class Deliveries:
    """Every delivery of a run, by message and by version; *check* is called at each message."""

    def __init__(
        self, run: Run, residency: Residency, check: Callable[[], None] = lambda: None
    ) -> None:
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
        listed = (entry.source_id for manifest in run.manifests for entry in manifest.entries)
        self._known = KnownNames(self.texts.values(), listed)
        self._targets: dict[tuple[VersionKey, Span], Target] = {}
        self.by_message: dict[int, tuple[Delivery, ...]] = {}
        self.by_version: dict[VersionKey, list[Delivery]] = defaultdict(list)
        for index, message in enumerate(run.messages):
            check()
            found = tuple(self._in_message(index, message)) if residency.stays(index) else ()
            if found:
                self.by_message[index] = found
            for delivery in found:
                self.by_version[delivery.version].append(delivery)

    # -- what is asked for ------------------------------------------------------

    def selections(self, part: Part) -> tuple[Selection, ...]:
        """Return what *part* is recorded to hold."""
        if part.kind is PartKind.TOOL_RESULT:
            namesakes = self.results.get(part.tool_call_id, ())
            same = [result for result in namesakes if result.text == part.text]
            chosen = [s for result in same or namesakes for s in result.selections]
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

    # -- one message ------------------------------------------------------------

    def _in_message(self, index: int, message: Message) -> Iterator[Delivery]:
        for number, part in enumerate(message.parts):
            scene = Scene(part, self._known, index, number)
            found = list(self._in_part(scene))
            yield from found
            own_words = message.role in _MODEL_ROLES and part.kind is PartKind.TEXT
            if own_words or part.kind in _WRITTEN_BY_MODEL or part.tool_call_id in self._entries:
                continue
            if all(self._is_result(delivery.version) for delivery in found):
                yield from self._without_address(scene)

    def _is_result(self, key: VersionKey) -> bool:
        text = self.texts.get(key)
        return text is not None and text.is_plain_result

    def _in_part(self, scene: Scene) -> Iterator[Delivery]:
        part = scene.part
        wanted = self.selections(part)
        entries = self._entries.get(part.tool_call_id, ()) if part.tool_call_id else ()
        if not part.text or not (wanted or entries) or self._is_notice(part):
            return
        places: list[_Place] = []
        for selection, text in self._grouped(wanted):
            rows = list(self._rows(scene, text, selection)) if _by_row(selection, text) else []
            yield from rows
            if not rows or selection.unit is not Unit.ROW:
                places += self._places(selection, text)
        yield from self._found(scene, places)
        for entry in entries:
            preview = self._preview(scene, entry)
            if preview:
                yield preview

    def _is_notice(self, part: Part) -> bool:
        """Whether known words stand for a body, and the stored result reads otherwise."""
        results = self.results.get(part.tool_call_id, ()) if part.tool_call_id else ()
        if part.kind is not PartKind.TOOL_RESULT or any(r.text == part.text for r in results):
            return False
        marker = marker_of(part.text)
        return marker is not None and marker.at == "whole"

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
                everything = not (before.ranges and selection.ranges)
                merged[slot] = replace(
                    before,
                    ranges=() if everything else before.ranges + selection.ranges,
                    blocks=before.blocks + selection.blocks,
                )
        for selection in merged.values():
            yield selection, self.texts[selection.key]

    def _places(self, selection: Selection, text: VersionText) -> Iterator[_Place]:
        """Yield the texts that *selection* asks for."""
        if selection.unit is Unit.BLOCK:
            for name in dict.fromkeys(selection.blocks):
                if name in text.blocks:
                    for span in text.block_chars(text.blocks[name]):
                        yield _Place(text, span, self._target(text, span), name)
            return
        for span in joined(text.chars(selection)):
            yield _Place(text, span, self._target(text, span), "")

    def _found(self, scene: Scene, places: Sequence[_Place]) -> Iterator[Delivery]:
        """Yield what of *places* stands in the part.

        Text that another of them holds as well, of which not all came, counts
        only where the payload names it: otherwise nothing says which it was.
        """
        sights = [tuple(scene.find(p.target, p.text, p.block)) for p in places]
        incomplete = [
            place
            for place, seen in zip(places, sights, strict=True)
            if all(sight.match.target != place.target.whole for sight in seen)
        ]
        for place, seen in zip(places, sights, strict=True):
            for sight in seen:
                if place.is_told_from(incomplete, sight):
                    yield from self._delivered(scene, place, sight)

    def _delivered(self, scene: Scene, place: _Place, sight: Sight) -> Iterator[Delivery]:
        chars = sight.match.target.moved(place.span.start)
        if _is_contradicted(place.text, chars, sight.start):
            return
        complete = sight.match.target == place.target.whole
        for reached in place.text.in_unit([chars]):
            yield Delivery(
                message=scene.message,
                part=scene.number,
                message_span=sight.place,
                version=place.text.version.key,
                span=reached,
                form=self._form(scene.part, sight.match, complete=complete),
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

    def _rows(self, scene: Scene, text: VersionText, selection: Selection) -> Iterator[Delivery]:
        for hit in scene.rows(text, selection.ranges):
            if hit.row is None or not hit.certain:
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

    def _preview(self, scene: Scene, entry: ManifestEntry) -> Delivery | None:
        text = self.text_of(Selection(entry.source_id, entry.version_id))
        spans = text.chars_of(entry.preview, Unit.CHAR) if text and entry.preview else ()
        if text is None or len(spans) != 1:
            return None
        (span,) = text.in_unit(spans)
        target = self._target(text, spans[0])
        for sight in scene.find(target, text, entry.block_id or "", preview=True):
            if sight.match.target == target.whole:
                return Delivery(
                    message=scene.message,
                    part=scene.number,
                    message_span=sight.place,
                    version=text.version.key,
                    span=span,
                    form=Form.PREVIEW,
                    address="payload",
                )
        return None

    def row_hits(self, message: int, number: int, text: VersionText) -> tuple[RowHit, ...]:
        """Return the records of *text* in one part, duplicates and strangers included."""
        part = self.run.messages[message].parts[number]
        chosen = self._grouped(self.selections(part))
        wanted = [r for s, t in chosen if t is text and s.unit is Unit.ROW for r in s.ranges]
        return Scene(part, self._known, message, number).rows(text, wanted)

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

    @cached_property
    def _skeletons(self) -> tuple[Skeleton, ...]:
        return tuple(target.skeleton for _, target in self._pool)

    def _without_address(self, scene: Scene) -> Iterator[Delivery]:
        part = scene.part
        if len("".join(part.text.split())) < ENOUGH or not self._pool or self._is_notice(part):
            return
        chosen = [s for s in self.selections(part) if not s.source_id.startswith(PLAIN_RESULT)]
        if not all(self._can_be_found(selection) for selection in chosen):
            return
        versions = {s.source_id: s.version_id for s in chosen if s.version_id}
        seen: set[tuple[VersionKey, Span]] = set()
        for view in scene.views:
            shown = view.content.skeleton
            for piece in apart(self._seeds.alone(shown.text), self._skeletons, shown):
                text = self._pool[piece.text][0]
                key = text.version.key
                other = versions.get(key.source_id, key.version_id) != key.version_id
                if other or not scene.may_hold(view, text) or self._is_older(scene, text):
                    continue
                for delivery in self._unaddressed(scene, view, piece):
                    slot = (delivery.version, delivery.span)
                    if slot not in seen:
                        seen.add(slot)
                        yield delivery

    def _is_older(self, scene: Scene, text: VersionText) -> bool:
        """Whether the part was there before the run obtained what a transcript shows of a version.

        Then what they share is a common phrase, not text of the version: no
        store held it for anyone to take from.
        """
        if text.version.integrity is not Integrity.RECONSTRUCTED:
            return False
        obtained = self._obtained.get(text.version.key)
        came = self.residency.first(scene.message)
        return obtained is not None and came is not None and came < obtained

    @cached_property
    def _obtained(self) -> Mapping[VersionKey, int]:
        """The first call whose request could hold a version that a tool gave."""
        asked_by = {call.id: call.by_call for call in self.run.tool_calls}
        found: dict[VersionKey, int] = {}
        for result in self.run.tool_results:
            call = asked_by.get(result.tool_call_id)
            if call is not None:
                for selection in result.selections:
                    found[selection.key] = min(found.get(selection.key, call + 1), call + 1)
        return found

    def _can_be_found(self, selection: Selection) -> bool:
        """Whether text of *selection* can be told from equal text of another source."""
        known = self.text_of(selection)
        return known.text is not None if known else not selection.version_id

    def _unaddressed(self, scene: Scene, view: View, piece: Piece) -> Iterator[Delivery]:
        text, target = self._pool[piece.text]
        match = matched(target, view.content, piece)
        place = view.origin(match.view)
        if scene.is_spoken_for(view, place):
            return
        for span in text.in_unit([match.target]):
            yield Delivery(
                message=scene.message,
                part=scene.number,
                message_span=place,
                version=text.version.key,
                span=span,
                form=Form.FULL if match.exact else Form.NORMALIZED,
                address="text",
            )


class _Place(NamedTuple):
    """A text that a selection asks for: code points *span* of *text*."""

    text: VersionText
    span: Span
    target: Target
    block: str

    @property
    def name(self) -> str:
        """What a payload must name to speak of this place."""
        return self.block or self.text.version.key.source_id

    def is_told_from(self, others: Iterable[_Place], sight: Sight) -> bool:
        """Whether text seen is of this place and of none of *others*, by its words or by name."""
        found = sight.match.target
        words = "".join(self.target.text[found.start : found.end].split())
        here = found.moved(self.span.start)
        rivals = [
            other
            for other in others
            if other is not self
            and not (other.text is self.text and other.span.overlaps(here))
            and words in other.target.skeleton.text
        ]
        named = self.name in sight.ids
        return all(named and other.name not in sight.ids for other in rivals)


def _is_contradicted(text: VersionText, chars: Span, claimed: int | None) -> bool:
    """Whether the payload puts the words elsewhere, and they do stand elsewhere too.

    Words that fit one place prove it whatever unit the payload counts in.
    """
    if claimed is None or claimed == chars.start or text.known is not Known.WHOLE:
        return False
    whole = text.text or ""
    words = whole[chars.start : chars.end]
    return whole.find(words, whole.find(words) + 1) >= 0


def _by_row(selection: Selection, text: VersionText) -> bool:
    everything = selection.unit is Unit.CHAR and not selection.ranges
    return text.rows is not None and (everything or selection.unit is Unit.ROW)


def _by_id(results: Iterable[ToolResult]) -> Mapping[str, tuple[ToolResult, ...]]:
    found: dict[str, tuple[ToolResult, ...]] = {}
    for result in results:
        found[result.tool_call_id] = (*found.get(result.tool_call_id, ()), result)
    return found
