"""The messages of one branch as the client held them, with every edit it made to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from store.builder import RunBuilder
from store.importers._claude_content import RECONSTRUCTED, block_parts
from store.importers._claude_eras import Eras
from store.importers._claude_records import Record, as_list, as_map, as_text
from store.importers._claude_request import Entry, HeldRequest
from store.records.grades import Grade
from store.records.runs import ContextEdit, EditKind, Part, PartKind, ProblemKind

__all__ = ["Context"]

_BY_API = "cleared by the API; the words in its place are not recorded"


@dataclass(slots=True, eq=False)
class _Carrier:
    """A message with results, and what stands in it now."""

    name: str
    parts: tuple[Part, ...]
    origin: str
    instead: dict[str, Part] = field(default_factory=dict)


class Context:
    """Appends messages, takes results away, and folds history into a summary."""

    def __init__(self, builder: RunBuilder, eras: Eras) -> None:
        self.held = HeldRequest()
        self._builder = builder
        self._eras = eras
        self._carriers: dict[str, _Carrier] = {}
        self._inferred: set[str] = set()
        self._order: list[str] = []
        self._cleared = 0
        self._kept: list[Entry] = []
        self._anchor = ""
        self._awaits_summary = False

    @property
    def holds_inferred(self) -> bool:
        """Whether a result stands as a placeholder only because a side file exists."""
        return bool(self._inferred)

    @property
    def api_cleared(self) -> bool:
        """Whether the API was last said to clear results."""
        return self._cleared > 0

    @property
    def next_call(self) -> int:
        """The number that the next call will have."""
        return len(self._builder.calls) + 1

    # -- messages -------------------------------------------------------------

    def say(self, role: str, parts: Iterable[Part], origin: str, names: Iterable[str]) -> int:
        """Append a message; return its index."""
        index = self._builder.message(role, parts, origin)
        self.held.append(Entry(index, frozenset(names)))
        return index

    def take_user(self, record: Record) -> None:
        """Append a user record: a prompt, results, or the summary of a compaction."""
        summary = record.data.get("isCompactSummary") is True
        if record.data.get("isVisibleInTranscriptOnly") is True and not summary:
            return
        if summary and not self._awaits_summary:
            self._fold(record, Grade.INFERRED, "a summary without a boundary record")
        parts = [part for block in record.blocks for part in block_parts(block, summary=summary)]
        if not parts:
            return
        results = [call_id for call_id in record.answered if call_id]
        carrier = _Carrier(record.uuid, tuple(parts), record.origin)
        for part in parts:
            if part.kind is PartKind.TOOL_RESULT and self._eras.is_inferred(
                part.tool_call_id, part.text
            ):
                carrier.instead[part.tool_call_id] = self._eras.placeholder(part.tool_call_id)
                self._note_inferred(part.tool_call_id, record.origin)
        for call_id in results:
            self._carriers[call_id] = carrier
        self.say("user", _with(carrier), record.origin, {record.uuid, *results})
        self._order.extend(results)
        self._awaits_summary = self._awaits_summary and not summary
        self.restore_after(record.uuid, summary=summary)

    def _note_inferred(self, call_id: str, origin: str) -> None:
        self._inferred.add(call_id)
        reason = "the result has a file of its own and no boundary record names it"
        edit = ContextEdit(
            None, EditKind.PERSIST, (call_id,), "client", Grade.INFERRED, reason, origin
        )
        self._builder.edits.append(edit)

    # -- edits ----------------------------------------------------------------

    def microcompact(self, record: Record) -> None:
        """Put placeholders in place of the results that a boundary record names."""
        meta = as_map(record.data.get("microcompactMetadata"))
        ids = tuple(dict.fromkeys(as_text(one) for one in as_list(meta.get("compactedToolIds"))))
        for call_id in ids:
            self._replace(call_id, self._eras.placeholder(call_id))
        unknown = [call_id for call_id in ids if call_id not in self._carriers]
        if unknown:
            what = f"a boundary names results that are not on its branch: {', '.join(unknown)}"
            self._builder.problem(record.origin, what, ProblemKind.NOTED)
        for uuid in as_list(meta.get("clearedAttachmentUUIDs")):
            self.held.remove(as_text(uuid))
        reason = "a boundary record names these results"
        self._edit(
            ContextEdit(
                self.next_call,
                EditKind.PERSIST,
                ids,
                "client",
                Grade.DERIVED,
                reason,
                record.origin,
            )
        )

    def compact(self, record: Record) -> None:
        """Drop the history; the summary that follows stands in its place."""
        meta = as_map(record.data.get("compactMetadata"))
        segment = as_map(meta.get("preservedSegment"))
        reason = "a boundary record folds what came before it into a summary"
        self._fold(record, Grade.DERIVED, reason, segment)
        self._awaits_summary = True
        self.restore_after(record.uuid, summary=False)

    def _fold(
        self,
        record: Record,
        grade: Grade,
        reason: str,
        segment: Mapping[str, object] | None = None,
    ) -> None:
        before = list(self.held.entries)
        self._kept = self._segment(before, segment or {}, record.origin)
        self._anchor = as_text((segment or {}).get("anchorUuid"))
        kept = {name for entry in self._kept for name in entry.names}
        gone = tuple(
            call_id
            for entry in before
            for call_id in sorted(entry.names)
            if call_id in self._carriers
            and self._carriers[call_id].name in entry.names
            and call_id not in kept
        )
        self.held.restart()
        self._inferred &= kept
        self._order = [call_id for call_id in self._order if call_id in kept]
        self._cleared = 0
        self._edit(
            ContextEdit(
                self.next_call, EditKind.COMPACT, gone, "client", grade, reason, record.origin
            )
        )

    def _segment(
        self, before: list[Entry], segment: Mapping[str, object], origin: str
    ) -> list[Entry]:
        head, tail = as_text(segment.get("headUuid")), as_text(segment.get("tailUuid"))
        if not head and not tail:
            return []
        first = next((at for at, entry in enumerate(before) if head in entry.names), None)
        last = next((at for at, entry in enumerate(before) if tail in entry.names), None)
        if first is None or last is None or last < first:
            what = "a compaction keeps messages that are not in the request before it"
            self._builder.problem(origin, what, ProblemKind.NOTED)
            return []
        return before[first : last + 1]

    def restore_after(self, uuid: str, *, summary: bool) -> None:
        """Put a kept segment back behind its anchor, or behind the summary."""
        if self._kept and (uuid == self._anchor or summary):
            for entry in self._kept:
                self.held.append(entry)
            self._kept = []

    def clear_by_api(self, count: int | None, origin: str) -> None:
        """Clear the oldest *count* results, as the API reports for the call that comes next.

        Without a report the last one stands: the history has only grown.
        """
        if count is None:
            return
        count = min(count, len(self._order))
        for call_id in self._order[count : self._cleared]:
            self._restore(call_id)
        fresh = tuple(self._order[self._cleared : count])
        for call_id in fresh:
            part = Part(PartKind.TOOL_RESULT, "", call_id, _BY_API, RECONSTRUCTED)
            self._replace(call_id, part)
        self._cleared = count
        if fresh:
            reason = f"the API reports {count} results cleared; the oldest are taken to be these"
            self._edit(
                ContextEdit(
                    self.next_call, EditKind.CLEAR, fresh, "api", Grade.INFERRED, reason, origin
                )
            )

    def note_inline(self, record: Record, call_ids: Iterable[str]) -> None:
        """Note results that were too large and came with a preview only."""
        reason = "the result itself says that only a preview of it was sent"
        ids = tuple(call_ids)
        self._edit(
            ContextEdit(
                self.next_call,
                EditKind.PERSIST,
                ids,
                "client",
                Grade.DERIVED,
                reason,
                record.origin,
            )
        )

    def _edit(self, edit: ContextEdit) -> None:
        if edit.tool_call_ids:
            self._builder.edits.append(edit)

    def _replace(self, call_id: str, part: Part) -> None:
        carrier = self._carriers.get(call_id)
        if carrier is not None:
            carrier.instead[call_id] = part
            self._rewrite(carrier)

    def _restore(self, call_id: str) -> None:
        carrier = self._carriers[call_id]
        if carrier.instead.pop(call_id, None) is not None:
            self._rewrite(carrier)

    def _rewrite(self, carrier: _Carrier) -> None:
        if self.held.find(carrier.name) is not None:
            index = self._builder.message("user", _with(carrier), carrier.origin)
            self.held.replace(carrier.name, index)


def _with(carrier: _Carrier) -> list[Part]:
    """Return the parts of a message, with what stands in place of results that were taken away."""
    made: list[Part] = []
    for part in carrier.parts:
        instead = carrier.instead.get(part.tool_call_id) if part.tool_call_id else None
        if instead is None:
            made.append(part)
        elif part.kind is PartKind.TOOL_RESULT:
            made.append(instead)
    return made
