"""What each request cost, by kind, as it stands and added up.

Work for a call is the work for what changed in its request: unique parts are
counted once, and totals are carried from call to call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reviewer.audit.prefix import SYSTEM_ROLES, Step, prefix_break, shared_prefix
from reviewer.audit.repeats import repeats
from reviewer.audit.savings import savings
from reviewer.audit.sizes import Size, Sizes
from reviewer.audit.standing import Standing
from store.records.bills import Bill, BillKind, CallBill
from store.records.findings import PlaceholderFacts, PlaceholderKind
from store.records.runs import Call, EditKind, Message, Part, PartKind, Run

__all__ = ["HOLDS", "bill", "cannot_hold"]

HOLDS = 0.6
"""Below this share of the estimate reported tokens cannot hold the text."""

_MODEL_ROLES = frozenset({"assistant", "model", "ai"})
_TOOL_ROLES = frozenset({"tool", "function"})

_PART_KINDS = {
    PartKind.TOOL_CALL: BillKind.TOOL_CALL,
    PartKind.DOCUMENT: BillKind.DOCUMENT,
    PartKind.REASONING: BillKind.REASONING,
    PartKind.SUMMARY: BillKind.SUMMARY,
    PartKind.IMAGE: BillKind.OTHER,
    PartKind.OPAQUE: BillKind.OTHER,
}

_READING = (BillKind.TOOL_RESULT, BillKind.DOCUMENT)


def cannot_hold(estimated: int | None, reported: int | None) -> bool:
    """Return whether *reported* input tokens contradict a text of *estimated* tokens.

    No request has 0 tokens: that a record says so means that nothing was
    measured, and contradicts nothing.
    """
    return bool(estimated and reported) and (reported or 0) < HOLDS * (estimated or 0)


def bill(
    standing: Standing, sizes: Sizes, placeholders: Sequence[PlaceholderFacts], encoding: str
) -> Bill:
    """Return the bill of a run; *encoding* names what *sizes* were counted in, if at all."""
    saved, unmeasured = savings(standing, sizes, placeholders)
    return Bill(
        encoding=encoding if sizes.counted else "",
        calls=tuple(_Account(standing.run, sizes, placeholders).calls()),
        savings=saved,
        repeats=repeats(standing, sizes, placeholders),
        unmeasured=unmeasured,
    )


class _Weight(NamedTuple):
    """A message on the scales: its size, its tokens by kind, and what is no text."""

    size: Size
    kinds: Mapping[BillKind, int]
    opaque_parts: int
    opaque_bytes: int
    is_written: bool


class _Account:
    """Totals that go from call to call."""

    def __init__(self, run: Run, sizes: Sizes, placeholders: Iterable[PlaceholderFacts]) -> None:
        self._run = run
        self._sizes = sizes
        self._stand_ins = {
            place
            for fact in placeholders
            if fact.kind is not PlaceholderKind.TRUNCATED
            for place in fact.stand_ins
        }
        self._became = {fact.tool_call_id: fact.kind for fact in placeholders}
        self._weights = [self._weighed(index) for index in range(len(run.messages))]
        self._compacted = {edit.before_call for edit in run.edits if edit.kind is EditKind.COMPACT}
        self._held: list[int] = []
        self._seen: set[int] = set()
        self._size = Size()
        self._kinds: Counter[BillKind] = Counter()
        self._paid: Counter[BillKind] = Counter()
        self._opaque_parts = self._opaque_bytes = self._written = 0

    def calls(self) -> Iterator[CallBill]:
        before: Call | None = None
        for call in self._run.calls:
            yield self._billed(before, call)
            before = call

    def _billed(self, before: Call | None, call: Call) -> CallBill:
        continues = before is not None and self._continues(before, call)
        broken = None
        if before is not None and continues:
            sizes, became = self._sizes, self._became
            broken = prefix_break(
                Step(self._run, before, call, self._held, self._size, sizes, became)
            )
        shared = shared_prefix(self._run, call, self._held, self._sizes, self._size.utf8)
        new, reading = self._change(call)
        self._paid.update(self._kinds)
        counted, reported = self._sizes.counted, call.usage.input_tokens
        resident = self._size.tokens if counted else None
        asked = bool(reported and resident)
        return CallBill(
            call=call.index,
            grade=call.grade,
            resident=resident,
            cumulative=self._paid.total() if counted else None,
            by_kind=_ordered(self._kinds) if counted else {},
            cumulative_by_kind=_ordered(self._paid) if counted else {},
            new=new if counted else None,
            new_reading=reading if counted else None,
            usage=call.usage,
            unaccounted=(reported or 0) - (resident or 0) if asked else None,
            holds=not cannot_hold(resident, reported) if asked else None,
            opaque_parts=self._opaque_parts,
            opaque_bytes=self._opaque_bytes,
            shared_prefix_bytes=shared,
            continues=continues,
            broken=broken,
            cache_lost=_cache_lost(before, call) if before is not None and continues else None,
        )

    def _continues(self, before: Call, call: Call) -> bool:
        """Whether a request goes on from the one before.

        It does when both hold something that the model wrote, when it holds
        the answer to the one before, or when a summary takes its place.
        """
        come = {message for splice in call.splices for message in splice.messages}
        gone = (
            message
            for splice in call.splices
            for message in self._held[splice.start : splice.stop]
            if message not in come
        )
        kept = self._written - sum(self._weights[message].is_written for message in gone)
        summarised = any(BillKind.SUMMARY in self._weights[message].kinds for message in come)
        return (
            kept > 0
            or not come.isdisjoint(before.response)
            or summarised
            or call.index in self._compacted
        )

    def _change(self, call: Call) -> tuple[int, int]:
        """Turn the request into that of *call*.

        Return the tokens that no request held before, and those of results
        and documents among them.
        """
        new = reading = 0
        for splice in reversed(call.splices):
            for message in self._held[splice.start : splice.stop]:
                self._weigh(self._weights[message], -1)
            for message in splice.messages:
                self._weigh(self._weights[message], 1)
                if message not in self._seen:
                    self._seen.add(message)
                    new += self._weights[message].size.tokens
                    kinds = self._weights[message].kinds
                    reading += sum(kinds.get(kind, 0) for kind in _READING)
            self._held[splice.start : splice.stop] = splice.messages
        return new, reading

    def _weigh(self, weight: _Weight, sign: int) -> None:
        change = self._size.plus if sign > 0 else self._size.minus
        self._size = change(weight.size)
        for kind, tokens in weight.kinds.items():
            self._kinds[kind] += sign * tokens
        self._opaque_parts += sign * weight.opaque_parts
        self._opaque_bytes += sign * weight.opaque_bytes
        self._written += sign * weight.is_written

    def _weighed(self, index: int) -> _Weight:
        message = self._run.messages[index]
        kinds: Counter[BillKind] = Counter()
        for number, (part, size) in enumerate(
            zip(message.parts, self._sizes.parts[index], strict=True)
        ):
            stands_in = (index, number) in self._stand_ins
            kinds[BillKind.PLACEHOLDER if stands_in else _kind(message, part)] += size.tokens
        opaque = [part for part in message.parts if part.opaque_bytes or _is_opaque(part)]
        return _Weight(
            self._sizes.messages[index],
            kinds,
            len(opaque),
            sum(part.opaque_bytes for part in opaque),
            message.role in _MODEL_ROLES,
        )


def _cache_lost(before: Call, call: Call) -> int | None:
    """Return how much of what *before* left in the cache *call* did not read from it."""
    read, written = before.usage.cache_read_tokens, before.usage.cache_write_tokens
    now = call.usage.cache_read_tokens
    if now is None or (read is None and written is None):
        return None
    return max(0, (read or 0) + (written or 0) - now)


def _is_opaque(part: Part) -> bool:
    return part.kind in {PartKind.OPAQUE, PartKind.IMAGE}


def _kind(message: Message, part: Part) -> BillKind:
    if part.kind in _PART_KINDS:
        return _PART_KINDS[part.kind]
    if part.kind is PartKind.TOOL_RESULT or message.role in _TOOL_ROLES:
        return BillKind.TOOL_RESULT
    if message.role in SYSTEM_ROLES:
        return BillKind.SYSTEM
    if part.source_id:
        return BillKind.DOCUMENT
    return BillKind.ANSWER if message.role in _MODEL_ROLES else BillKind.INSTRUCTION


def _ordered(tokens: Mapping[BillKind, int]) -> Mapping[BillKind, int]:
    return {kind: tokens[kind] for kind in BillKind if tokens.get(kind)}
