"""Where a request stops being the one before it, and what change made it so.

A provider keeps what it has read of a request and charges little for it when
the next one begins with the same bytes.  The first changed byte ends that:
everything behind it is read anew, also where it is the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reviewer.audit.sizes import Size, Sizes, utf8_length
from store.records.bills import Change, PrefixBreak
from store.records.grades import Grade
from store.records.kinds import PlaceholderKind
from store.records.runs import Call, Message, Part, PartKind, Run

__all__ = ["SYSTEM_ROLES", "Step", "prefix_break", "shared_prefix", "tool_names"]

SYSTEM_ROLES = frozenset({"system", "developer"})

_BEFORE, _BEHIND = 16, 32
"""Code points shown before and behind the first changed one."""


class _Swap(NamedTuple):
    """One place at which a request differs: what stood there, and what stands there now.

    ``None`` where nothing stood or stands; ``behind`` is what both go on with.
    """

    place: int
    old: int | None
    new: int | None
    behind: int | None

    @property
    def at_end(self) -> bool:
        """Whether it stands behind all that stood before."""
        return self.old is None and self.behind is None

    @property
    def around(self) -> tuple[int | None, int | None]:
        """The messages that stand at the place before and now."""
        old = self.behind if self.old is None else self.old
        return old, self.behind if self.new is None else self.new


class Step(NamedTuple):
    """One call after another; ``held`` is the request of the call before, ``size`` its size.

    ``kinds`` says what became of the results of tool calls.
    """

    run: Run
    before: Call
    call: Call
    held: Sequence[int]
    size: Size
    sizes: Sizes
    kinds: Mapping[str, PlaceholderKind]


def _swaps(call: Call, held: Sequence[int]) -> Iterator[_Swap]:
    """Yield the places that differ; what a splice replaces by itself is no difference."""
    for splice in call.splices:
        gone, come = held[splice.start : splice.stop], splice.messages
        limit = min(len(gone), len(come))
        head = tail = 0
        while head < limit and gone[head] == come[head]:
            head += 1
        while tail < limit - head and gone[-1 - tail] == come[-1 - tail]:
            tail += 1
        stop = splice.stop - tail
        behind = held[stop] if stop < len(held) else None
        for at in range(head, max(len(gone), len(come)) - tail):
            old = gone[at] if at < len(gone) - tail else None
            new = come[at] if at < len(come) - tail else None
            if old != new:
                yield _Swap(min(splice.start + at, stop), old, new, behind)


def shared_prefix(run: Run, call: Call, held: Sequence[int], sizes: Sizes, utf8_before: int) -> int:
    """Return the bytes of the leading parts that *call* shares with the request *held*."""
    first = next(_swaps(call, held), None)
    if first is None:
        return utf8_before
    shared = _leading(sizes, held, first.place, Size(utf8=utf8_before)).utf8
    old, new = first.around
    return shared + (_equal_parts(old, new, run)[1] if old is not None else 0)


def _leading(sizes: Sizes, held: Sequence[int], place: int, total: Size) -> Size:
    """Return the size before *place* of all that is *total*, from the shorter side of it."""
    if place <= len(held) - place:
        return _total(sizes, held[:place])
    return total.minus(_total(sizes, held[place:]))


def _equal_parts(old: int | None, new: int | None, run: Run) -> tuple[int, int]:
    """Return how many leading parts of two messages are equal, and their bytes."""
    if old is None or new is None:
        return 0, 0
    left, right = run.messages[old], run.messages[new]
    number = shared = 0
    for one, other in zip(left.parts, right.parts, strict=False):
        if left.role != right.role or one != other:
            break
        number += 1
        shared += utf8_length(one.text)
    return number, shared


def prefix_break(step: Step) -> PrefixBreak | None:
    """Return where and why the prefix broke; ``None`` where nothing behind a change came again.

    A change at the very end, or one behind which all is new, costs nothing
    that was paid for before.
    """
    swaps = [swap for swap in _swaps(step.call, step.held) if not swap.at_end]
    ahead = tuple(_ahead(step))
    if not ahead and not swaps:
        return None
    gone = [swap.old for swap in swaps if swap.old is not None]
    come = {message for splice in step.call.splices for message in splice.messages}
    place = 0 if ahead else swaps[0].place
    leading = _leading(step.sizes, step.held, place, step.size)
    lost = _total(step.sizes, (message for message in gone if message not in come))
    again = step.size.minus(leading).minus(lost)
    if not again.utf8:
        return None
    changes = (*ahead, *_changes(step.run, swaps, come))
    return _described(step, swaps, tuple(dict.fromkeys(changes)), again)


def _total(sizes: Sizes, messages: Iterable[int]) -> Size:
    total = Size()
    for message in messages:
        total = total.plus(sizes.messages[message])
    return total


# -- what changed ------------------------------------------------------------------------


def _ahead(step: Step) -> Iterator[Change]:
    """Yield what changed of what stands before all messages."""
    before, now = step.before.model, step.call.model
    if before and now and before != now and not (before + now).count("<"):
        yield Change.MODEL
    old, new = step.before.settings.get("tools"), step.call.settings.get("tools")
    # A call without tools may be one of which they were not recorded.
    if old is not None and new is not None and old != new:
        yield Change.TOOLS


def tool_names(call: Call) -> tuple[str, ...] | None:
    """Return the names of the tools that a call offered, in order; ``None`` if not recorded."""
    tools = call.settings.get("tools")
    if not isinstance(tools, (list, tuple)):
        return None
    return tuple(_name(tool) for tool in tools)


def _name(tool: object) -> str:
    if isinstance(tool, Mapping):
        inner = tool.get("function")
        named = inner.get("name") if isinstance(inner, Mapping) else tool.get("name")
        return str(named) if named else "?"
    return str(tool)


def _changes(run: Run, swaps: Sequence[_Swap], come: set[int]) -> Iterator[Change]:
    gone = {swap.old for swap in swaps}
    for swap in swaps:
        left = None if swap.old in come else swap.old
        arrived = None if swap.new in gone else swap.new
        held = [run.messages[m] for m in (left, arrived) if m is not None]
        if any(message.role in SYSTEM_ROLES for message in held):
            yield Change.SYSTEM
        elif left is not None and arrived is not None:
            same = _results(*held)
            yield Change.RESULT if same else Change.REPLACED
        elif left is not None:
            yield Change.REMOVED
        elif arrived is not None:
            yield Change.INSERTED
        else:
            yield Change.MOVED


def _results(old: Message, new: Message) -> tuple[str, ...]:
    """Return the tool calls of which both messages hold a result, with other text."""
    before = {p.tool_call_id: p.text for p in old.parts if p.kind is PartKind.TOOL_RESULT}
    return tuple(
        part.tool_call_id
        for part in new.parts
        if part.kind is PartKind.TOOL_RESULT
        and part.tool_call_id
        and before.get(part.tool_call_id, part.text) != part.text
    )


# -- the first changed byte ---------------------------------------------------------------


def _described(
    step: Step, swaps: Sequence[_Swap], changes: tuple[Change, ...], again: Size
) -> PrefixBreak:
    pairs = [(s.old, s.new) for s in swaps if s.old is not None and s.new is not None]
    messages = step.run.messages
    results = tuple(r for old, new in pairs for r in _results(messages[old], messages[new]))
    place = _place(step, swaps, changes[0])
    return PrefixBreak(
        changes=changes,
        byte=place.byte,
        before_bytes=step.size.utf8,
        message=place.message,
        part=place.part,
        role=place.role,
        was=place.was,
        now=place.now,
        results=results,
        kinds=tuple(dict.fromkeys(step.kinds[id_] for id_ in results if id_ in step.kinds)),
        resent_tokens=again.tokens if step.sizes.counted else None,
        resent_bytes=again.utf8,
        grade=Grade.weakest(step.before.grade, step.call.grade),
    )


class _Place(NamedTuple):
    byte: int
    message: int
    part: int
    role: str
    was: str
    now: str


def _place(step: Step, swaps: Sequence[_Swap], change: Change) -> _Place:
    if change is Change.MODEL:
        return _Place(0, 0, 0, "", step.before.model, step.call.model)
    if change is Change.TOOLS:
        names = (tool_names(call) or () for call in (step.before, step.call))
        was, now = (", ".join(each) for each in names)
        return _Place(0, 0, 0, "", was, now)
    first = swaps[0]
    old, new = first.around
    number, shared = _equal_parts(old, new, step.run)
    left, right = _part(step.run, old, number), _part(step.run, new, number)
    common = _common(left.text, right.text)
    start = _leading(step.sizes, step.held, first.place, step.size).utf8 + shared
    role = step.run.messages[new if new is not None else old or 0].role
    return _Place(
        start + utf8_length(left.text[:common]),
        first.place,
        number,
        role,
        _excerpt(left.text, common),
        _excerpt(right.text, common),
    )


def _part(run: Run, message: int | None, number: int) -> Part:
    parts = () if message is None else run.messages[message].parts
    return parts[number] if number < len(parts) else Part(PartKind.TEXT)


def _common(left: str, right: str) -> int:
    """Return how many leading code points are equal."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _excerpt(text: str, place: int) -> str:
    start, end = max(0, place - _BEFORE), place + _BEHIND
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
