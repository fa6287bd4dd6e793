"""Text standing where a result's body stood, and bodies that were taken away.

Nothing rests on the words of a placeholder: a part that carries a result's id
and does not hold the result is one, whatever it says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property

from reviewer.audit.intervals import intersect, subtract, union
from reviewer.audit.matching import Target, find
from reviewer.audit.standing import Appearance, Standing
from reviewer.audit.texts import VersionText
from reviewer.audit.views import views
from store.records.findings import Delivery, PlaceholderFacts, PlaceholderKind
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import Admission, ContextEdit, EditKind, PartKind, ToolResult
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["placeholders"]

_KINDS = {
    EditKind.CLEAR: PlaceholderKind.CLEARED,
    EditKind.FOLD: PlaceholderKind.FOLDED,
    EditKind.COMPACT: PlaceholderKind.COMPACTED,
    EditKind.TRUNCATE: PlaceholderKind.TRUNCATED,
    EditKind.PERSIST: PlaceholderKind.PERSISTED,
}


_ALL = (Span(0, sys.maxsize),)
"""Of a version that a result did not name, a side file or another state, any text counts."""


def placeholders(standing: Standing) -> Iterator[PlaceholderFacts]:
    """Yield one fact for each result that did not stand whole in every request to the end."""
    run = standing.run
    edits: dict[str, list[ContextEdit]] = {}
    for edit in run.edits:
        for id_ in edit.tool_call_ids:
            edits.setdefault(id_, []).append(edit)
    refusals = {entry.tool_call_id: entry for entry in run.admissions if not entry.admitted}
    tools = {call.id: call.name for call in run.tool_calls}
    seen: set[tuple[str, str | None]] = set()
    for result in run.tool_results:
        if (result.tool_call_id, result.text) in seen:
            continue
        seen.add((result.tool_call_id, result.text))
        told = edits.get(result.tool_call_id, [])
        history = _History(standing, result, tools.get(result.tool_call_id, ""), told)
        found = history.facts(refusals)
        if found:
            yield found


class _History:
    """One result through the calls of a run."""

    def __init__(
        self, standing: Standing, result: ToolResult, tool: str, edits: list[ContextEdit]
    ) -> None:
        self.standing = standing
        self.result = result
        self.tool = tool
        self.edits = edits
        self.seen = standing.appearances_of(result)
        self._states: dict[tuple[int, int], tuple[bool, tuple[Span, ...]]] = {}

    def facts(self, refusals: Mapping[str, Admission]) -> PlaceholderFacts | None:
        edits = self.edits
        replaced = [a for a in self.seen if not self._state(a)[0]]
        removed = self._removed()
        if not replaced and not removed and not any(e.before_call is None for e in edits):
            return None
        if not self.seen and not edits:
            return None
        untimed = next((e for e in edits if e.before_call is None), None)
        full = [a for a in self.seen if self._state(a)[0]]
        at = min([a.first for a in replaced] or [removed or 0]) or None
        kind = self._kind(refusals, replaced, full)
        kept = union(span for a in replaced[:1] for span in self._state(a)[1])
        if kind is PlaceholderKind.REFUSED:
            kept = ()  # a refusal may look like the result it refuses, and holds nothing of it
        texts = {self._text(a) for a in replaced}
        again = self._reread(at, replaced)
        return PlaceholderFacts(
            tool_call_id=self.result.tool_call_id,
            kind=kind,
            first_call=None if untimed else at,
            last_full_call=max((a.last for a in full), default=None),
            original_chars=None if self.result.text is None else len(self.result.text),
            kept=kept,
            recoverable=self._recoverable(),
            reread_at_call=again,
            grade=self._grade(at),
            byte_stable=len(texts) <= 1,
            removed=not replaced,
            tool=self.tool,
            source_id=self.result.selections[0].source_id if self.result.selections else "",
            is_file_read=self.result.is_file_read,
            reason=edits[0].reason if edits else "",
            reread_whole=again is not None and self._reread_whole(replaced),
            stand_ins=tuple(dict.fromkeys((a.message, a.part) for a in replaced)),
        )

    def _text(self, appearance: Appearance) -> str:
        return self.standing.run.messages[appearance.message].parts[appearance.part].text

    def _state(self, appearance: Appearance) -> tuple[bool, tuple[Span, ...]]:
        """Whether the part holds the whole result, and which spans of the result it holds."""
        slot = (appearance.message, appearance.part)
        if slot not in self._states:
            shown, original = self._text(appearance), self.result.text
            if original is None:
                # nothing to compare with: a recorded edit or known words decide
                whole = not self._edited(appearance) and marker_of(shown) is None
                self._states[slot] = whole, ()
            else:
                self._states[slot] = self._compare(shown, original)
        return self._states[slot]

    def _edited(self, appearance: Appearance) -> bool:
        calls = (edit.before_call for edit in self.edits)
        return any(call is None or call <= appearance.first for call in calls)

    def _compare(self, shown: str, original: str) -> tuple[bool, tuple[Span, ...]]:
        if shown == original or (not original.strip() and not shown.strip()):
            return True, (Span(0, len(original)),)
        target = Target(original)
        kept: list[Span] = []
        for view in reversed(views(shown)):
            if target.is_short and not view.is_body:
                continue
            for match in find(target, view.content):
                kept.append(match.target)
                if not original[: match.target.start].strip() and not (
                    original[match.target.end :].strip()
                ):
                    return True, (Span(0, len(original)),)
        return False, union(kept)

    def _removed(self) -> int | None:
        """The call from which on nothing stands for the result, ``None`` if something does."""
        if not self.seen:
            return None
        last = max(appearance.last for appearance in self.seen)
        return last + 1 if last < self.standing.closing_call else None

    def _kind(
        self,
        refusals: Mapping[str, Admission],
        replaced: list[Appearance],
        full: list[Appearance],
    ) -> PlaceholderKind:
        if self.result.tool_call_id in refusals:
            return PlaceholderKind.REFUSED
        if self.edits:
            return _KINDS[self.edits[0].kind]
        if not replaced:
            return PlaceholderKind.COMPACTED if self._summarised() else PlaceholderKind.CLEARED
        marker = marker_of(self._text(replaced[0]))
        if marker and marker.kind in list(PlaceholderKind):
            return PlaceholderKind(marker.kind)
        if full:
            return PlaceholderKind.CLEARED
        return PlaceholderKind.TRUNCATED if self._state(replaced[0])[1] else PlaceholderKind.FOLDED

    def _summarised(self) -> bool:
        held = self.standing.request(self.standing.closing_call)
        messages = self.standing.run.messages
        return any(p.kind is PartKind.SUMMARY for m in held for p in messages[m].parts)

    def _recoverable(self) -> bool:
        stored = self.result.text is not None or bool(self.result.side_file)
        return stored or any(
            text is not None and text.text is not None
            for text in map(self.standing.deliveries.text_of, self.result.selections)
        )

    def _grade(self, at: int | None) -> Grade:
        calls = [self.standing.grade(at)] if at and self.standing.call(at) else []
        if not calls:
            calls = [self.standing.grade(self.standing.closing_call)]
        return Grade.weakest(*calls, *(edit.grade for edit in self.edits))

    # -- read again ------------------------------------------------------------------

    def _reread(self, at: int | None, replaced: list[Appearance]) -> int | None:
        """The first call after the loss whose request holds lost text again, from elsewhere.

        A call that failed is none: no model is known to have read its request.
        """
        if at is None:
            return None
        own = {(a.message, a.part) for a in replaced}
        kept = self._kept_by_version(own)
        calls: list[int | None] = []
        for delivery in self._elsewhere(own):
            asked = self._asked.get(delivery.version, _ALL)
            lost = subtract(intersect([delivery.span], asked), kept.get(delivery.version, ()))
            if lost:
                stays = self.standing.residency.stays(delivery.message)
                calls += (self._answered(s.first, s.last) for s in stays if s.first >= at)
        again = (a for a in self.seen if self._state(a)[0] and a.first > at)
        calls += (self._answered(a.first, a.last) for a in again)
        return min((call for call in calls if call is not None), default=None)

    def _answered(self, first: int, last: int) -> int | None:
        """The first of these calls that did not fail."""
        calls = self.standing.run.calls[first - 1 : last]
        return next((call.index for call in calls if not call.error), None)

    def _reread_whole(self, replaced: list[Appearance]) -> bool:
        """Whether all of the result came again from elsewhere."""
        own = {(a.message, a.part) for a in replaced}
        spans = self._kept_by_version(own)
        lost = min((a.first for a in replaced), default=None)
        if lost is None:
            return False
        for delivery in self._elsewhere(own):
            arrived = self.standing.residency.first(delivery.message)
            if arrived is not None and arrived >= lost:
                spans.setdefault(delivery.version, []).append(delivery.span)
        texts, asked = self.standing.deliveries.texts, self._asked
        return any(
            not subtract(asked.get(key, texts[key].pieces), found)
            and (key in asked or self._is_copy(texts[key]))
            for key, found in spans.items()
        )

    def _is_copy(self, other: VersionText) -> bool:
        """Whether another source, such as a side file, holds the same text."""
        mine = "".join((self.result.text or "").split())
        return bool(mine) and mine == "".join((other.text or "").split())

    def _kept_by_version(self, own: set[tuple[int, int]]) -> dict[VersionKey, list[Span]]:
        kept: dict[VersionKey, list[Span]] = {}
        for message, part in own:
            for delivery in self.standing.deliveries.by_message.get(message, ()):
                if delivery.part == part:
                    kept.setdefault(delivery.version, []).append(delivery.span)
        return kept

    def _elsewhere(self, own: set[tuple[int, int]]) -> Iterator[Delivery]:
        deliveries = self.standing.deliveries
        sources = {s.source_id for s in self.result.selections} | {self.result.side_file}
        texts = (text for source in sources for text in deliveries.by_source.get(source, ()))
        for key in (text.version.key for text in texts):
            for delivery in self.standing.holders(key, self._asked.get(key, _ALL)):
                if (delivery.message, delivery.part) not in own:
                    yield delivery

    @cached_property
    def _asked(self) -> Mapping[VersionKey, tuple[Span, ...]]:
        """What the result was asked to hold, by version: other parts of it are other text."""
        asked: dict[VersionKey, tuple[Span, ...]] = {}
        for selection in self.result.selections:
            known = self.standing.deliveries.text_of(selection)
            if known is not None:
                key = known.version.key
                spans = known.in_unit(known.chars(selection))
                asked[key] = union((*asked.get(key, ()), *spans))
        return asked
