"""The conversation tree of a session file, and its branches in the order the model met them.

Line order is not conversation order.  Parallel tool calls hang side by side
below one model call and only one of them carries the conversation on; a
rewind leaves the old branch in the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from store.importers._claude_records import Record, as_map, as_text

__all__ = ["Branch", "Tree"]


@dataclass(slots=True)
class Branch:
    """One way through the tree.

    ``records`` stand in conversation order with the results that hang beside
    the way; ``members`` holds for each model call its assistant records;
    ``broken`` are records whose parent is not in the file.
    """

    leaf: str
    records: list[Record] = field(default_factory=list)
    members: dict[str, list[Record]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)


class Tree:
    """Records of one conversation (a session's own, or one subagent's)."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.records: dict[str, Record] = {record.uuid: record for record in records}
        self._parents: dict[str, str] = {}
        self._broken: set[str] = set()
        self._children: dict[str, list[Record]] = defaultdict(list)
        self._groups: dict[str, list[Record]] = defaultdict(list)
        self._results: dict[str, list[Record]] = defaultdict(list)
        self._tails: dict[str, tuple[Record, str]] = {}
        before = ""
        for record in self.records.values():
            self._link(record, before)
            before = record.uuid

    def _link(self, record: Record, before: str) -> None:
        parent = record.parent
        if parent and parent not in self.records:
            # The parent's line is lost. Joined in file order, so that the rest is not
            # lost with it; what is built on such a joint proves nothing.
            self._broken.add(record.uuid)
            parent = before
        self._parents[record.uuid] = parent
        if parent:
            self._children[parent].append(record)
        if record.type == "assistant":
            self._groups[record.group].append(record)
        for call_id in record.answered:
            self._results[call_id].append(record)
        if record.subtype == "compact_boundary":
            segment = as_map(as_map(record.data.get("compactMetadata")).get("preservedSegment"))
            tail = as_text(segment.get("tailUuid"))
            if tail:
                self._tails[tail] = (record, as_text(segment.get("anchorUuid")))

    def branches(self) -> Iterator[Branch]:
        """Yield the branch of the last leaf, then dead branches that hold a model's words."""
        covered: set[str] = set()
        for leaf in self._leaves():
            if leaf.uuid in covered:
                continue
            branch = self._branch(leaf)
            fresh = [record for record in branch.records if record.uuid not in covered]
            if covered and not any(record.type == "assistant" for record in fresh):
                continue
            covered.update(record.uuid for record in branch.records)
            covered.update(one.uuid for group in branch.members.values() for one in group)
            yield branch

    def _leaves(self) -> list[Record]:
        """Conversation records without conversation below them, the last in the file first."""
        speaking = [record for record in self.records.values() if record.is_conversation]
        inner: set[str] = set()
        for record in speaking:
            at = self._parents[record.uuid]
            while at and at not in inner:
                inner.add(at)
                at = self._parents[at]
        return [record for record in reversed(speaking) if record.uuid not in inner]

    def _branch(self, leaf: Record) -> Branch:
        way = self._way(leaf)
        made = Branch(leaf.uuid)
        on_way = {record.uuid for record in way}
        answered = {call_id for record in way for call_id in record.answered}
        place = 0
        while place < len(way):
            record = way[place]
            made.records.append(record)
            place += 1
            if record.type != "assistant" or record.group in made.members:
                continue
            stop = place
            while stop < len(way) and not (
                way[stop].type == "assistant" and way[stop].group != record.group
            ):
                stop += 1
            beside = self._beside(record, made, on_way, answered)
            made.records.extend(_merged(way[place:stop], beside))
            place = stop
        made.broken = {record.uuid for record in made.records if record.uuid in self._broken}
        return made

    def _way(self, leaf: Record) -> list[Record]:
        """Return the records from the root to *leaf*.

        Where a compaction kept a segment, the way leads over its boundary:
        the segment is put back from the request before it.
        """
        way: list[Record] = []
        seen: set[str] = set()
        at: Record | None = leaf
        while at is not None and at.uuid not in seen:
            seen.add(at.uuid)
            way.append(at)
            parent = self._parents[at.uuid]
            boundary, anchor = self._tails.get(parent, (None, ""))
            if boundary and boundary.uuid not in seen and boundary.line < at.line:
                parent = anchor if anchor in self.records and anchor not in seen else boundary.uuid
            at = self.records.get(parent)
        way.reverse()
        return way

    def _beside(
        self, first: Record, made: Branch, on_way: set[str], answered: set[str]
    ) -> list[Record]:
        """Return what belongs to a model call and hangs beside the way: blocks, then results."""
        members: list[Record] = []
        blocks: list[Mapping[str, object]] = []
        for record in self._groups[first.group]:
            new = [block for block in record.blocks if block not in blocks]
            if record.uuid in on_way or (new and self._joins(record, on_way, members)):
                members.append(record)
                blocks.extend(new)
        made.members[first.group] = members
        found: dict[str, Record] = {}
        for call_id in (call_id for record in members for call_id in record.asked):
            if call_id in answered:
                continue
            for result in self._results[call_id][:1]:
                answered.update(result.answered)
                found.update(self._thread(result, on_way, members))
        return sorted(found.values(), key=lambda record: record.line)

    def _joins(self, record: Record, on_way: set[str], members: list[Record]) -> bool:
        parent = self._parents[record.uuid]
        return parent in on_way or any(one.uuid == parent for one in members) or not parent

    def _thread(self, result: Record, on_way: set[str], members: list[Record]) -> dict[str, Record]:
        """Return a result beside the way with the attachments and boundaries around it."""
        known = {one.uuid for one in members}
        found = {result.uuid: result}
        at = self.records.get(self._parents[result.uuid])
        while at and not at.is_conversation and at.uuid not in on_way and at.uuid not in known:
            found[at.uuid] = at
            at = self.records.get(self._parents[at.uuid])
        waiting = list(self._children[result.uuid])
        while waiting:
            one = waiting.pop()
            if not one.is_conversation and one.uuid not in found and one.uuid not in on_way:
                found[one.uuid] = one
                waiting.extend(self._children[one.uuid])
        return found


def _merged(way: list[Record], beside: list[Record]) -> Iterator[Record]:
    """Yield *way* in its order with *beside* put in by line."""
    rest = iter(beside)
    waiting = next(rest, None)
    for record in way:
        while waiting is not None and waiting.line < record.line:
            yield waiting
            waiting = next(rest, None)
        yield record
    if waiting is not None:
        yield waiting
        yield from rest
