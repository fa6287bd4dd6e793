"""What the pairing rules share: where each tool call and each result stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewer.audit.intervals import subtract, union
from reviewer.audit.residency import Residency
from store.records.runs import Part, PartKind, Run
from store.records.text import Span

__all__ = ["Pairing", "Standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A part of a message, and the requests (calls ``[start, end)``) that hold it."""

    message: int
    number: int
    part: Part
    calls: tuple[Span, ...]


class Pairing:
    """The tool calls and results of one run, by id, as the requests hold them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._residency = Residency(run.calls, len(run.messages))

    @cached_property
    def tool_calls(self) -> Mapping[str, tuple[Standing, ...]]:
        """Every tool call that some request holds."""
        return self._by_id(PartKind.TOOL_CALL)

    @cached_property
    def results(self) -> Mapping[str, tuple[Standing, ...]]:
        """Every part that stands for a result in some request."""
        return self._by_id(PartKind.TOOL_RESULT)

    def without(self, these: Iterable[Standing], others: Iterable[Standing]) -> tuple[Span, ...]:
        """Return the calls whose request holds one of *these* and none of *others*."""
        held = union(span for each in these for span in each.calls)
        return subtract(held, union(span for each in others for span in each.calls))

    def first_answered(self, calls: Iterable[Span]) -> int | None:
        """Return the first of *calls* that did not fail: its request was taken as it is."""
        indexes = (index for span in calls for index in range(span.start, span.end))
        return next((i for i in indexes if not self.run.calls[i - 1].error), None)

    def _by_id(self, kind: PartKind) -> Mapping[str, tuple[Standing, ...]]:
        found: dict[str, list[Standing]] = defaultdict(list)
        for each in self._parts(kind):
            found[each.part.tool_call_id].append(each)
        return {id_: tuple(held) for id_, held in found.items()}

    def _parts(self, kind: PartKind) -> Iterator[Standing]:
        for index, message in enumerate(self.run.messages):
            for number, part in enumerate(message.parts):
                if part.kind is kind and part.tool_call_id:
                    stays = self._residency.stays(index)
                    calls = tuple(Span(stay.first, stay.last + 1) for stay in stays)
                    if calls:
                        yield Standing(index, number, part, calls)
