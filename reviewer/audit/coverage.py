"""Coverage facts: what a producer declared beside what the request holds.

A chosen part is not a loss: a selection that came in full is complete for
that selection, and says nothing of the rest of the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reviewer.audit.intervals import intersect, length, subtract, union
from reviewer.audit.rows import RowHit
from reviewer.audit.standing import Appearance, Standing
from reviewer.audit.texts import VersionText
from store.records.findings import Coverage, Delivery, Form, Outcome, ReadFacts
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import ToolResult
from store.records.sources import Selection
from store.records.text import Span, Unit

__all__ = ["reads"]

_DECLARED = ("requested", "loaded", "byte_complete", "filtered_count", "input_complete")


def reads(standing: Standing) -> Iterator[ReadFacts]:
    """Yield one read for each selection that a result is recorded to hold, in recorded order."""
    tools = {call.id: call for call in standing.run.tool_calls}
    refused = {entry.tool_call_id for entry in standing.run.admissions if not entry.admitted}
    for result in standing.run.tool_results:
        tool = tools.get(result.tool_call_id)
        seen = standing.appearances_of(result)
        first = seen[0] if seen else None
        call = first.first if first else (tool.by_call if tool else None)
        for selection in result.selections:
            read = _Read(standing, result, selection, first)
            outcome = read.outcome(refused=result.tool_call_id in refused)
            recomputed = read.recomputed()
            yield ReadFacts(
                tool_call_id=result.tool_call_id,
                tool=tool.name if tool else "",
                call=call,
                selection=selection,
                outcome=outcome,
                grade=standing.grade(first.first)
                if first
                else Grade.weakest(*(c.grade for c in standing.run.calls), Grade.RECORDED),
                declared=result.declared,
                recomputed=recomputed,
                agrees=_agrees(result, recomputed),
            )


def _agrees(result: ToolResult, recomputed: Coverage) -> bool | None:
    pairs = [
        (result.declared[name], getattr(recomputed, name))
        for name in _DECLARED
        if result.declared.get(name) is not None and getattr(recomputed, name) is not None
    ]
    return all(declared == found for declared, found in pairs) if pairs else None


class _Read:
    """One selection of one result, against the first part that stood for the result."""

    def __init__(
        self,
        standing: Standing,
        result: ToolResult,
        selection: Selection,
        first: Appearance | None,
    ) -> None:
        self.result = result
        self.selection = selection
        self.first = first
        self.text = standing.deliveries.text_of(selection)
        self.part_text = ""
        self.found: tuple[Delivery, ...] = ()
        self.hits: tuple[RowHit, ...] = ()
        if first:
            self.part_text = standing.run.messages[first.message].parts[first.part].text
            self.found = tuple(
                delivery
                for delivery in standing.deliveries.by_message.get(first.message, ())
                if delivery.part == first.part
                and delivery.form is not Form.PREVIEW
                and self.text is not None
                and delivery.version == self.text.version.key
            )
            if self.by_row and self.text:
                self.hits = standing.deliveries.row_hits(first.message, first.part, self.text)

    @property
    def by_row(self) -> bool:
        return self.selection.unit is Unit.ROW and self.text is not None and bool(self.text.rows)

    # -- outcome ------------------------------------------------------------------

    def outcome(self, *, refused: bool) -> Outcome:
        if self.result.failed:
            return Outcome.FAILED
        if refused:
            return Outcome.REFUSED
        if self.first is None:
            return Outcome.UNDELIVERED
        wanted = self.wanted()
        if wanted is None:
            # What the tool gave came as it gave it; words that stand for a text are none of it.
            same = self.result.text is not None and self.result.text == self.part_text
            same = same and marker_of(self.part_text) is None
            return Outcome.DELIVERED if same else Outcome.PLACEHOLDER
        whole = union(d.span for d in self.found if self._whole(d))
        complete = not subtract(wanted, whole) if wanted else self.result.text == self.part_text
        if complete:
            return Outcome.DELIVERED
        return Outcome.TRUNCATED if self.found else Outcome.PLACEHOLDER

    def _whole(self, delivery: Delivery) -> bool:
        """Whether a row came with all the fields that were asked for."""
        return delivery.fields is None or (
            self.selection.fields is not None
            and delivery.fields >= frozenset(self.selection.fields)
        )

    def wanted(self) -> tuple[Span, ...] | None:
        """What was selected, in the version's unit; ``None`` when its text is not stored."""
        if self.text is None or self.text.text is None:
            return None
        spans = [span for spans in self._asked(self.text) for span in spans]
        return union([*self.text.in_unit(spans), *self._said(self.text)])

    def _asked(self, text: VersionText) -> list[tuple[Span, ...]]:
        """What each range asks for, in the search text."""
        chosen = self.selection
        if chosen.unit is Unit.BLOCK or not chosen.ranges:
            return [text.chars(chosen)]
        return [text.proving(span, chosen.unit) for span in chosen.ranges]

    def _said(self, text: VersionText) -> list[Span]:
        """Lines that were asked for and that the tool says it returned, known or not."""
        match self.result.declared.get("lines"):
            case [int() as first, int() as end] if text.unit is Unit.LINE and 0 < first < end:
                chosen = self.selection
                asked = chosen.ranges if chosen.unit is Unit.LINE else ()
                return list(intersect(asked, [Span(first, end)]))
        return []

    # -- coverage -----------------------------------------------------------------

    def recomputed(self) -> Coverage:
        if self.text is None or self.text.text is None:
            return Coverage(reason="the text of the version is not stored")
        if self.by_row:
            return self._rows(self.text)
        if self.selection.unit is Unit.BLOCK:
            return self._blocks(self.text)
        return self._ranges(self.text)

    def _rows(self, text: VersionText) -> Coverage:
        table = text.rows or ()
        key = text.version.table.key if text.version.table else None
        existing = Span(0, len(table))
        spans = union(self.selection.ranges) or (existing,)
        beyond = subtract(spans, [existing])
        asked = [row for s in intersect(spans, [existing]) for row in range(s.start, s.end)]
        counts = Counter(hit.row for hit in self.hits if hit.row is not None)
        wanted = set(asked)
        missing = [row for row in asked if not counts[row]]
        twice = [row for row in asked if counts[row] > 1]
        strangers = [hit.key for hit in self.hits if hit.row is None or hit.row not in wanted]
        fields = frozenset(self.selection.fields or ())
        cut = [
            h
            for h in self.hits
            if h.row in wanted and not (h.whole or (fields and h.fields >= fields))
        ]
        loaded = sum(counts[row] for row in asked)

        def name(row: int) -> object:
            return table[row].get(key, row) if key else row

        lost = len(missing) + length(beyond)
        return Coverage(
            requested=length(spans),
            loaded=loaded,
            byte_complete=not cut,
            filtered_count=self._filtered(lost),
            input_complete=not lost and not twice,
            reason=_reason(lost, len(twice), "row"),
            missing=(*map(name, missing), *((s.start, s.end) for s in beyond)),
            duplicate=tuple(name(row) for row in twice),
            unexpected=tuple(strangers),
        )

    def _blocks(self, text: VersionText) -> Coverage:
        names = tuple(dict.fromkeys(self.selection.blocks))
        whole = union(d.span for d in self.found)
        rest = {n: subtract(text.block(n), whole) for n in names if n in text.blocks}
        missing = [
            n for n in names if n not in rest or (rest[n] and rest[n] == union(text.block(n)))
        ]
        cut = [name for name in names if name not in missing and rest[name]]
        return Coverage(
            requested=len(names),
            loaded=len(names) - len(missing),
            byte_complete=not cut,
            filtered_count=self._filtered(len(missing)),
            input_complete=not missing and not cut,
            reason=_reason(len(missing), 0, "block"),
            missing=(*missing, *cut),
        )

    def _ranges(self, text: VersionText) -> Coverage:
        ranges = [union(text.in_unit(spans)) for spans in self._asked(text) if spans]
        said = self._said(text)
        if said:
            wanted = union([*(s for r in ranges for s in r), *said])
            ranges = [
                found
                for span in self.selection.ranges
                if (found := tuple(intersect(wanted, [span])))
            ]
        whole = union(d.span for d in self.found)
        missing = [(r.start, r.end) for r in subtract([s for r in ranges for s in r], whole)]
        came = [r for r in ranges if subtract(r, whole) != r]
        cut = [r for r in came if subtract(r, whole)]
        asked = max(len(self.selection.ranges), 1)
        return Coverage(
            requested=asked,
            loaded=len(came),
            byte_complete=not cut,
            filtered_count=self._filtered(asked - len(came)),
            input_complete=not missing and len(came) == asked,
            reason=_reason(len(missing), 0, "span"),
            missing=tuple(missing),
        )

    def _filtered(self, missing: int) -> int:
        declared = self.result.declared.get("filtered_count")
        return min(declared, missing) if isinstance(declared, int) else 0


def _reason(missing: int, twice: int, what: str) -> str | None:
    said = [f"{missing} {what}{'s' * (missing != 1)} did not come"] if missing else []
    said += [f"{twice} {what}{'s' * (twice != 1)} came twice"] if twice else []
    return "; ".join(said) or None
