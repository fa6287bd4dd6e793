"""What stands in which request: the questions that verdicts, reads and rules ask.

Everything is answered from the deliveries of unique messages and the stays of
those messages, so that a question about one call costs what is known of one
version, never the length of the run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from reviewer.audit.delivery import Deliveries
from reviewer.audit.intervals import union
from reviewer.audit.residency import Residency
from store.records.findings import Delivery, Form
from store.records.grades import Grade
from store.records.runs import Answer, Call, PartKind, Run, ToolResult
from store.records.sources import VersionKey
from store.records.text import Span

__all__ = ["Appearance", "Standing"]


class Appearance(NamedTuple):
    """A part that stands for a result, in the requests of calls ``first`` to ``last``."""

    first: int
    last: int
    message: int
    part: int


class _ByPlace:
    """The deliveries of one version, and which of them hold a span.

    One delivery for each row or line, and one question for each citation: to
    look through all of them each time would cost their product.
    """

    def __init__(self, deliveries: Iterable[Delivery]) -> None:
        self.deliveries = tuple(deliveries)
        order = range(len(self.deliveries))
        self._order = sorted(order, key=lambda at: self.deliveries[at].span.start)
        spans = [self.deliveries[at].span for at in self._order]
        self._starts = [span.start for span in spans]
        # The furthest end so far rises, so what ends before a place is a first stretch.
        self._ends = list(accumulate((span.end for span in spans), max))

    def holding(self, spans: Iterable[Span]) -> tuple[Delivery, ...]:
        """Return the deliveries that hold some of *spans*, in recorded order."""
        found: set[int] = set()
        for span in spans:
            first = bisect_right(self._ends, span.start)
            near = self._order[first : bisect_left(self._starts, span.end)]
            found.update(at for at in near if self.deliveries[at].span.meet(span))
        return tuple(self.deliveries[at] for at in sorted(found))


class Standing:
    """One run, and what stood in each of its requests."""

    def __init__(self, run: Run, check: Callable[[], None] = lambda: None) -> None:
        self.run = run
        self.residency = Residency(run.calls, len(run.messages))
        self.deliveries = Deliveries(run, self.residency, check)
        self._requests: dict[int, tuple[int, ...]] = {}
        self._bodies_of: dict[VersionKey, _ByPlace] = {}
        self._whole_at: dict[tuple[VersionKey, int], tuple[Span, ...]] = {}
        self._touched_at: dict[tuple[VersionKey, int], tuple[Span, ...]] = {}

    # -- calls --------------------------------------------------------------------

    def call(self, index: int) -> Call | None:
        """Return call *index*, from 1."""
        return self.run.calls[index - 1] if 1 <= index <= len(self.run.calls) else None

    def grade(self, index: int) -> Grade:
        """Return how far the record proves the request of call *index*."""
        call = self.call(index)
        return call.grade if call else Grade.UNKNOWN

    @property
    def last_answer(self) -> Answer | None:
        """The last answer, if the run has one."""
        return self.run.answers[-1] if self.run.answers else None

    @property
    def closing_call(self) -> int:
        """The call of the last answer, else the last call; 0 in a run without calls."""
        answer = self.last_answer
        return answer.call if answer else len(self.run.calls)

    # -- text of versions ------------------------------------------------------------

    def delivered(self, key: VersionKey, call: int) -> tuple[Span, ...]:
        """Return the spans of a version that stand whole in the request of *call*."""
        if (key, call) not in self._whole_at:
            spans = (d.span for d in self._bodies(key, call) if d.fields is None)
            self._whole_at[key, call] = union(spans)
        return self._whole_at[key, call]

    def touched(self, key: VersionKey, call: int) -> tuple[Span, ...]:
        """Return the spans of a version of which at least some stands in the request of *call*."""
        if (key, call) not in self._touched_at:
            self._touched_at[key, call] = union(d.span for d in self._bodies(key, call))
        return self._touched_at[key, call]

    def ever(self, key: VersionKey, until: int | None = None) -> tuple[Span, ...]:
        """Return the spans touched in any request up to call *until* (all of the run without)."""
        return union(d.span for d in self.bodies(key) if self._by(d, until))

    def ever_whole(self, key: VersionKey) -> tuple[Span, ...]:
        """Return the spans that stood whole in some request of the run."""
        return union(d.span for d in self.bodies(key) if d.fields is None)

    def previewed(self, key: VersionKey, until: int | None = None) -> tuple[Span, ...]:
        """Return the spans that manifests previewed in requests up to call *until*."""
        found = self.deliveries.by_version.get(key, ())
        return union(d.span for d in found if d.form is Form.PREVIEW and self._by(d, until))

    def previewed_at(self, key: VersionKey, call: int) -> tuple[Span, ...]:
        """Return the spans that a manifest's preview holds in the request of *call*."""
        found = self.deliveries.by_version.get(key, ())
        return union(d.span for d in found if d.form is Form.PREVIEW and self._at(d, call))

    def bodies(self, key: VersionKey) -> tuple[Delivery, ...]:
        """Return every delivery of a version; previews are none."""
        return self._placed(key).deliveries

    def holders(self, key: VersionKey, spans: Iterable[Span]) -> tuple[Delivery, ...]:
        """Return the deliveries that hold some of *spans* of a version."""
        return self._placed(key).holding(union(spans))

    def _placed(self, key: VersionKey) -> _ByPlace:
        if key not in self._bodies_of:
            found = self.deliveries.by_version.get(key, ())
            self._bodies_of[key] = _ByPlace(d for d in found if d.form is not Form.PREVIEW)
        return self._bodies_of[key]

    def _bodies(self, key: VersionKey, call: int) -> tuple[Delivery, ...]:
        return tuple(d for d in self.bodies(key) if self._at(d, call))

    def _at(self, delivery: Delivery, call: int) -> bool:
        return self.residency.holds(call, delivery.message)

    def _by(self, delivery: Delivery, until: int | None) -> bool:
        first = self.residency.first(delivery.message)
        return first is not None and (until is None or first <= until)

    @cached_property
    def asked(self) -> Mapping[VersionKey, tuple[str, ...]]:
        """For each version the tool calls that asked for it, in recorded order."""
        found: dict[VersionKey, dict[str, None]] = defaultdict(dict)
        for result in self.run.tool_results:
            for selection in result.selections:
                text = self.deliveries.text_of(selection)
                found[text.version.key if text else selection.key][result.tool_call_id] = None
        return {key: tuple(ids) for key, ids in found.items()}

    def asked_by(self, key: VersionKey, until: int) -> str:
        """Return the first tool call that asked for a version before call *until* was written."""
        return next((id_ for id_ in self.asked.get(key, ()) if self._had_come(id_, until)), "")

    def listed(self, key: VersionKey, until: int) -> bool:
        """Return whether a version was on offer by call *until*; declared ones always are."""
        return any(
            version_id in ("", key.version_id) and (id_ is None or self._had_come(id_, until))
            for version_id, id_ in self._offers.get(key.source_id, ())
        )

    def _had_come(self, tool_call_id: str, until: int) -> bool:
        """Whether a tool call was made before call *until*, or its result stood in it."""
        asked = self._by_call.get(tool_call_id)
        arrived = self.arrival(tool_call_id)
        if asked is None and arrived is None:
            return True  # its time is not recorded
        return (asked is not None and asked < until) or (arrived is not None and arrived <= until)

    @cached_property
    def _by_call(self) -> Mapping[str, int]:
        calls = reversed(self.run.tool_calls)
        return {call.id: call.by_call for call in calls if call.by_call is not None}

    @cached_property
    def _offers(self) -> Mapping[str, tuple[tuple[str, str | None], ...]]:
        found: dict[str, dict[tuple[str, str | None], None]] = defaultdict(dict)
        for manifest in self.run.manifests:
            for entry in manifest.entries:
                found[entry.source_id][entry.version_id, manifest.tool_call_id] = None
        return {source_id: tuple(offers) for source_id, offers in found.items()}

    # -- results ---------------------------------------------------------------------

    @cached_property
    def appearances(self) -> Mapping[str, tuple[Appearance, ...]]:
        """For each tool call id, the parts that stood for its result, in the order of calls."""
        found: dict[str, list[Appearance]] = defaultdict(list)
        for index, message in enumerate(self.run.messages):
            for number, part in enumerate(message.parts):
                if part.kind is PartKind.TOOL_RESULT and part.tool_call_id:
                    found[part.tool_call_id] += (
                        Appearance(stay.first, stay.last, index, number)
                        for stay in self.residency.stays(index)
                    )
        return {id_: tuple(sorted(stays)) for id_, stays in found.items() if stays}

    def appearances_of(self, result: ToolResult) -> tuple[Appearance, ...]:
        """Return the parts that stood for *result*, also where its id was used again.

        Of results with one id each has the parts with its text; other words
        stand for those that are not there at the same time.
        """
        seen = self.appearances.get(result.tool_call_id, ())
        texts = {r.text for r in self.deliveries.results.get(result.tool_call_id, ())}
        if len(texts) < 2:  # noqa: PLR2004 - two are told apart
            return seen
        shown = [(a, self.run.messages[a.message].parts[a.part].text) for a in seen]
        own = [a for a, text in shown if text == result.text]
        return tuple(
            a
            for a, text in shown
            if text == result.text
            or (text not in texts and all(a.last < o.first or o.last < a.first for o in own))
        )

    def request(self, call: int) -> tuple[int, ...]:
        """Return the expanded request of *call*; those of answers are kept once expanded."""
        if call not in self._requests:
            cited = {answer.call for answer in self.run.answers if answer.citations}
            wanted = {index for index in (*cited, call) if self.call(index)}
            wanted -= self._requests.keys()
            expanded = self.run.requests(wanted)
            self._requests.update(zip(sorted(wanted), expanded, strict=True))
        return self._requests.get(call, ())

    def arrival(self, tool_call_id: str) -> int | None:
        """Return the first call whose request holds a result of this id."""
        seen = self.appearances.get(tool_call_id)
        return seen[0].first if seen else None
