"""How each version stands in the request of each call, computed from what changed between calls.

The rules are those of `VersionFacts.state_at_answer`, asked of every call
instead of one.  Cost: the deliveries and the stays of their messages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewer.audit.residency import Cell, Residency
from reviewer.audit.texts import VersionText
from store.records.findings import Audit, Delivery, Form, SourceFacts
from store.records.runs import PartKind, Run
from store.records.sources import Version, VersionKey
from store.records.text import Span

__all__ = ["Cells", "SourceCells", "Spot", "closing_call", "source_cells"]

Row = NDArray[np.uint8]


class Spot(NamedTuple):
    """Where something stands: an index into `Run.messages`, a part, and its code points there."""

    message: int
    part: int
    span: Span | None


class SourceCells(NamedTuple):
    """One source with its cell in each call; the greatest of its versions holds.

    ``first_read`` is the first call that was given some of its body, ``None``
    where none was.  ``citations`` counts those that name it.
    """

    source: SourceFacts
    cells: Row
    first_read: int | None
    citations: int


class Cells:
    """The cells of one run, version by version."""

    def __init__(self, audit: Audit) -> None:
        run = audit.run
        self.calls = len(run.calls)
        self.residency = Residency(run.calls, len(run.messages))
        self._deliveries: dict[VersionKey, list[Delivery]] = defaultdict(list)
        for delivery in audit.deliveries:
            if delivery.span.length:
                self._deliveries[delivery.version].append(delivery)
        self._asked = _asked(run)
        self._stand_ins = _stand_ins(run, self._asked.values())

    def version(self, version: Version) -> Row:
        """Return the `Cell` of *version* for each call, the first at position 0."""
        row = np.zeros(self.calls, np.uint8)
        for spot in self._spots_asked(version.key):
            self._raise(row, spot.message, Cell.PLACEHOLDER)
        whole: list[Delivery] = []
        for delivery in self._deliveries.get(version.key, ()):
            if delivery.form is Form.PREVIEW:
                self._raise(row, delivery.message, Cell.PREVIEW)
                continue
            self._raise(row, delivery.message, Cell.PARTIAL)
            if delivery.fields is None:
                whole.append(delivery)
        extent = VersionText(version).whole if whole else None
        if extent is not None and extent.length:
            self._raise_full(row, whole, extent)
        return row

    def spot(self, key: VersionKey, call: int) -> Spot | None:
        """Return the place that shows best how a version stands in the request of *call*."""
        held = [d for d in self._deliveries.get(key, ()) if self.residency.holds(call, d.message)]
        if held:
            best = max(held, key=lambda d: (d.form is not Form.PREVIEW, d.span.length))
            return Spot(best.message, best.part, best.message_span)
        standing = self._spots_asked(key)
        return next((s for s in standing if self.residency.holds(call, s.message)), None)

    def _spots_asked(self, key: VersionKey) -> Iterator[Spot]:
        for id_ in self._asked.get(key, ()):
            yield from self._stand_ins.get(id_, ())

    def _raise(self, row: Row, message: int, cell: Cell) -> None:
        for stay in self.residency.stays(message):
            part = row[stay.first - 1 : stay.last]
            np.maximum(part, np.uint8(cell), out=part)

    def _raise_full(self, row: Row, whole: Sequence[Delivery], extent: Span) -> None:
        if all(extent.covers(d.span) for d in whole):
            pieces = [d for d in whole if d.span != extent]
            for delivery in whole:
                if delivery.span == extent:
                    self._raise(row, delivery.message, Cell.FULL)
        else:
            pieces = list(whole)
        if len(pieces) > 1 or len(pieces) == len(whole):
            for first, last in self._complete(pieces, extent.length):
                row[first - 1 : last] = Cell.FULL

    def _complete(self, pieces: Sequence[Delivery], wanted: int) -> Iterator[tuple[int, int]]:
        """Yield the calls, first to last, in which the pieces together are *wanted* long."""
        bounds = np.unique([edge for d in pieces for edge in (d.span.start, d.span.end)])
        lengths = np.diff(bounds)
        if int(lengths.sum()) < wanted:
            return
        counts = np.zeros(len(lengths), np.int32)
        covered, since = 0, 0
        changes = self._changes(pieces)
        for call in sorted(changes):
            for delivery, sign in changes[call]:
                a, b = np.searchsorted(bounds, (delivery.span.start, delivery.span.end))
                before = counts[a:b] > 0
                counts[a:b] += sign
                after = counts[a:b] > 0
                covered += int(lengths[a:b][after].sum()) - int(lengths[a:b][before].sum())
            if since and covered != wanted:
                yield since, call - 1
                since = 0
            elif not since and covered == wanted:
                since = call

    def _changes(self, pieces: Sequence[Delivery]) -> Mapping[int, list[tuple[Delivery, int]]]:
        """Return, by call, which pieces come and go; what stays to the end goes behind it."""
        changes: dict[int, list[tuple[Delivery, int]]] = defaultdict(list)
        for delivery in pieces:
            for stay in self.residency.stays(delivery.message):
                changes[stay.first].append((delivery, 1))
                changes[stay.last + 1].append((delivery, -1))
        return changes


def closing_call(run: Run) -> int:
    """Return the call of the last answer, else the last call; 0 in a run without calls."""
    return run.answers[-1].call if run.answers else len(run.calls)


def source_cells(audit: Audit, cells: Cells) -> list[SourceCells]:
    """Return every source of a run, in the order in which they were first given."""
    cited = Counter(facts.source_id for facts in audit.citations)
    never = cells.calls + 1
    found: list[tuple[tuple[int, int], SourceCells]] = []
    for source in audit.sources:
        row = np.zeros(cells.calls, np.uint8)
        for facts in source.versions:
            np.maximum(row, cells.version(facts.version), out=row)
        read, shown = _first(row, Cell.PARTIAL), _first(row, Cell.PLACEHOLDER)
        held = SourceCells(source, row, read, cited[source.source_id])
        found.append(((read or never, shown or never), held))
    found.sort(key=lambda one: one[0])
    return [held for _, held in found]


def _first(row: Row, least: Cell) -> int | None:
    """Return the first call whose cell is *least* or more."""
    places = np.flatnonzero(row >= least)
    return int(places[0]) + 1 if places.size else None


def _asked(run: Run) -> Mapping[VersionKey, tuple[str, ...]]:
    """Return the tool calls that asked for each version, as the audit understands them."""
    of_source: dict[str, dict[VersionKey, None]] = defaultdict(dict)
    for version in run.versions:
        of_source[version.key.source_id][version.key] = None
    found: dict[VersionKey, dict[str, None]] = defaultdict(dict)
    for result in run.tool_results:
        for selection in result.selections:
            key = selection.key
            own = of_source.get(selection.source_id, {})
            if not selection.version_id and key not in own and len(own) == 1:
                (key,) = own
            found[key][result.tool_call_id] = None
    return {key: tuple(ids) for key, ids in found.items()}


def _stand_ins(run: Run, asked: Iterable[Iterable[str]]) -> Mapping[str, list[Spot]]:
    """Return the parts that stand for the results of the tool calls *asked* for."""
    wanted = {id_ for ids in asked for id_ in ids if id_}
    found: dict[str, list[Spot]] = defaultdict(list)
    for index, message in enumerate(run.messages):
        for number, part in enumerate(message.parts):
            if part.kind is PartKind.TOOL_RESULT and part.tool_call_id in wanted:
                found[part.tool_call_id].append(Spot(index, number, None))
    return found
