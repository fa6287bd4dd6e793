"""What stands in one request and not in another, and what stands there in its place."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.audit.compare_sequence import blocks
from store.records.comparisons import CallComparison, RequestPiece
from store.records.differences import Change, Doubt, Side, Why
from store.records.findings import Audit, PlaceholderFacts
from store.records.grades import Grade
from store.records.runs import Part, PartKind

__all__ = ["compare_calls", "request_doubts"]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part with the role of its message, and its place in the request."""

    role: str
    part: Part
    place: tuple[int, int]

    def content(self, *, by_id: bool) -> Hashable:
        """What is compared: two parts that are equal in it are the same."""
        return self.role, self.part if by_id else replace(self.part, tool_call_id="")


def compare_calls(
    a: Audit, call_a: int, b: Audit, call_b: int, stopped: Callable[[], bool] = lambda: False
) -> CallComparison:
    """Compare the request of *call_a* in *a* with that of *call_b* in *b*, part by part."""
    left, right = list(_parts(a, call_a)), list(_parts(b, call_b))
    names: dict[Hashable, int] = {}
    # Ids of tool calls are made anew in each run: between two runs they are no difference.
    by_id = a.run.run_id == b.run.run_id
    numbers_a = [names.setdefault(each.content(by_id=by_id), len(names)) for each in left]
    numbers_b = [names.setdefault(each.content(by_id=by_id), len(names)) for each in right]
    pieces: list[RequestPiece] = []
    for block in blocks(numbers_a, numbers_b, stopped):
        ours, theirs = left[block.a : block.a_end], right[block.b : block.b_end]
        if block.same:
            pieces += [_same(x, y) for x, y in zip(ours, theirs, strict=True)]
        else:
            pieces += map(_removed, ours)
            pieces += map(_added, theirs)
    parts_a = {each.place: each.part for each in left}
    parts_b = {each.place: each.part for each in right}
    joined = _joined(pieces, parts_a, parts_b)
    told = tuple(_with_placeholders(joined, a, call_a, b, call_b))
    return CallComparison(told, tuple(request_doubts(a, call_a, b, call_b)))


def request_doubts(a: Audit, call_a: int, b: Audit, call_b: int) -> Iterator[Doubt]:
    """Yield why a request cannot be taken for what the model was given."""
    for side, audit, index in ((Side.A, a, call_a), (Side.B, b, call_b)):
        call = audit.run.calls[index - 1]
        if call.grade is Grade.UNKNOWN:
            yield Doubt(side, Why.GRADE_UNKNOWN, call.grade_reason)


def _parts(audit: Audit, index: int) -> Iterator[_Placed]:
    for place, number in enumerate(audit.run.request(index)):
        message = audit.run.messages[number]
        for order, part in enumerate(message.parts):
            yield _Placed(message.role, part, (place, order))


def _piece(change: Change, one: _Placed) -> RequestPiece:
    part = one.part
    return RequestPiece(change, None, None, one.role, part.kind.value, part.name, part.tool_call_id)


def _same(x: _Placed, y: _Placed) -> RequestPiece:
    size = len(x.part.text)
    return replace(_piece(Change.SAME, y), a=x.place, b=y.place, chars_a=size, chars_b=size)


def _removed(one: _Placed) -> RequestPiece:
    return replace(_piece(Change.REMOVED, one), a=one.place, chars_a=len(one.part.text))


def _added(one: _Placed) -> RequestPiece:
    return replace(_piece(Change.ADDED, one), b=one.place, chars_b=len(one.part.text))


def _joined(
    pieces: Sequence[RequestPiece],
    parts_a: Mapping[tuple[int, int], Part],
    parts_b: Mapping[tuple[int, int], Part],
) -> Iterator[RequestPiece]:
    """Yield *pieces*; what went and came as one tool result, or as the same part, is one piece."""
    gone: dict[object, deque[RequestPiece]] = defaultdict(deque)
    for piece in pieces:
        if piece.change is Change.REMOVED and piece.a is not None:
            part = parts_a[piece.a]
            gone[piece.role, part].append(piece)
            if _is_result(part):
                gone[part.tool_call_id].append(piece)
    taken: dict[tuple[int, int], RequestPiece] = {}
    used: set[tuple[int, int]] = set()
    for piece in pieces:
        if piece.change is not Change.ADDED or piece.b is None:
            continue
        part = parts_b[piece.b]
        keys: list[object] = [(piece.role, part)]
        keys += [part.tool_call_id] if _is_result(part) else []
        other = _first_free(gone, keys, used)
        if other is not None and other.a is not None:
            used.add(other.a)
            same = parts_a[other.a] == part
            change = Change.MOVED if same else Change.CHANGED
            taken[piece.b] = replace(piece, change=change, a=other.a, chars_a=other.chars_a)
    for piece in pieces:
        if piece.change is Change.ADDED and piece.b in taken:
            yield taken[piece.b]
        elif piece.change is not Change.REMOVED or piece.a not in used:
            yield piece


def _is_result(part: Part) -> bool:
    return part.kind is PartKind.TOOL_RESULT and bool(part.tool_call_id)


def _first_free(
    gone: Mapping[object, deque[RequestPiece]],
    keys: Iterable[object],
    used: set[tuple[int, int]],
) -> RequestPiece | None:
    for key in keys:
        waiting = gone.get(key)
        while waiting:
            piece = waiting.popleft()
            if piece.a not in used:
                return piece
    return None


def _with_placeholders(
    pieces: Iterable[RequestPiece], a: Audit, call_a: int, b: Audit, call_b: int
) -> Iterator[RequestPiece]:
    """Yield *pieces*; where a placeholder stands for what the other side holds, it is named."""
    in_a, in_b = _standing(a, call_a), _standing(b, call_b)
    for piece in pieces:
        if piece.kind != PartKind.TOOL_RESULT.value:
            yield piece
            continue
        ours, theirs = in_a.get(piece.tool_call_id), in_b.get(piece.tool_call_id)
        if piece.change in (Change.CHANGED, Change.REMOVED) and theirs and not ours:
            yield replace(piece, placeholder=theirs.kind)
        elif piece.change in (Change.CHANGED, Change.ADDED) and ours and not theirs:
            yield replace(piece, placeholder=ours.kind, restored=True)
        else:
            yield piece


def _standing(audit: Audit, index: int) -> dict[str, PlaceholderFacts]:
    """Return the placeholders that stand in the request of a call, by tool call."""
    return {
        facts.tool_call_id: facts
        for facts in audit.placeholders
        if facts.tool_call_id and facts.first_call is not None and facts.first_call <= index
    }
