"""What changed between the requests of two calls that follow each other, message by message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from reviewer.window.presenters.requests import request_of
from store.records.runs import PartKind, Run

__all__ = ["Change", "Step", "steps"]

_ALIGNED = 4000
"""Changed messages that are aligned with each other; more count as replaced as a whole."""


class Change(StrEnum):
    """What became of messages from one call to the next."""

    SAME = "same"
    SAME_NOT_SHOWN = "same, not shown"
    ADDED = "added"
    REMOVED = "removed"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Step:
    """Messages that share their change, as indexes into `Run.messages`.

    ``first`` is the position of the first of them in the request: in that of
    the call before where they were removed.
    """

    change: Change
    first: int
    numbers: tuple[int, ...]


def steps(run: Run, call: int, *, changes: bool) -> Iterator[Step]:
    """Yield the request of *call* in order; with *changes* against that of the call before.

    A message that holds the result of the same tool call as a removed one
    replaces it: it follows what it stands for.
    """
    if not changes:
        yield Step(Change.SAME, 0, request_of(run, call))
        return
    before, now = request_of(run, call - 1), request_of(run, call)
    for tag, old_start, old_end, new_start, new_end in _opcodes(before, now):
        if tag == "equal":
            yield Step(Change.SAME_NOT_SHOWN, new_start, now[new_start:new_end])
            continue
        yield from _changed(
            run, (old_start, before[old_start:old_end]), (new_start, now[new_start:new_end])
        )


def _opcodes(before: Sequence[int], now: Sequence[int]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the stretches of two requests, after what both begin and end with is set aside."""
    shortest = min(len(before), len(now))
    head = next((at for at in range(shortest) if before[at] != now[at]), shortest)
    rest = shortest - head
    tail = next((at for at in range(rest) if before[-1 - at] != now[-1 - at]), rest)
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    if head:
        yield "equal", 0, head, 0, head
    if max(len(old), len(new)) > _ALIGNED:
        yield "replace", head, head + len(old), head, head + len(new)
    elif old or new:
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            yield tag, a + head, b + head, c + head, d + head
    if tail:
        yield "equal", len(before) - tail, len(before), len(now) - tail, len(now)


def _changed(
    run: Run, old: tuple[int, Sequence[int]], new: tuple[int, Sequence[int]]
) -> Iterator[Step]:
    waiting = dict(enumerate(old[1], old[0]))
    for place, number in enumerate(new[1], new[0]):
        results = _results(run, number)
        stood = next((at for at, n in waiting.items() if results & _results(run, n)), None)
        if stood is not None:
            for at in [at for at in waiting if at <= stood]:
                yield Step(Change.REMOVED, at, (waiting.pop(at),))
        change = Change.ADDED if stood is None else Change.REPLACED
        yield Step(change, place, (number,))
    for at, number in waiting.items():
        yield Step(Change.REMOVED, at, (number,))


def _results(run: Run, number: int) -> frozenset[str]:
    """The tool calls whose results a message holds."""
    return frozenset(
        part.tool_call_id
        for part in run.messages[number].parts
        if part.tool_call_id and part.kind is not PartKind.TOOL_CALL
    )
