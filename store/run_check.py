"""Says what two readings of one run tell otherwise: what was written must be what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from store.records.grades import Grade
from store.records.runs import Call, Message, Run

__all__ = ["differences", "raises_a_grade"]

_NAMED: Final = 3
"""How many places of one kind are named; the others are counted."""


def differences(before: Run, after: Run) -> tuple[str, ...]:
    """Return in a line each what *after* tells otherwise than *before*.

    What a run is called by those who open it (path, format) is no part of it,
    nor is the manifest that stands beside it now.
    """
    return tuple(_differences(before, after))


def raises_a_grade(before: Run, after: Run) -> bool:
    """Tell whether any call of *after* claims to be better proven than in *before*."""
    pairs = zip_longest(before.calls, after.calls)
    better = (a is None or (b is not None and b.grade.rank < a.grade.rank) for a, b in pairs)
    return any(better) or after.grade.rank < before.grade.rank


def _differences(a: Run, b: Run) -> Iterator[str]:
    for name in ("run_id", "title", "parent_run", "branch", "layer", "grade", "grant", "budget"):
        if getattr(a, name) != getattr(b, name):
            yield f"{name}: {_told(getattr(a, name))} became {_told(getattr(b, name))}"
    yield from _calls(a, b)
    lists: tuple[tuple[str, Callable[[Run], Sequence[object]]], ...] = (
        ("tool call", lambda run: run.tool_calls),
        ("tool result", lambda run: run.tool_results),
        ("manifest", lambda run: run.manifests),
        ("admission", lambda run: run.admissions),
        ("context edit", lambda run: run.edits),
        ("answer", lambda run: run.answers),
        ("version", lambda run: run.versions),
        ("failed refresh", lambda run: run.refresh_failures),
    )
    for what, of in lists:
        yield from _items(what, of(a), of(b))
    yield from _missing("message", _messages(a), _messages(b))
    known = (replace(each, where=_inside(each.where, b)) for each in b.problems)
    told = [replace(each, where=_inside(each.where, a)) for each in a.problems]
    yield from _missing("problem", told, known)
    yield from _missing("other record", a.other_events, b.other_events)


def _told(value: object) -> str:
    return value.value if isinstance(value, Grade) else repr(value)


def _inside(where: str, run: Run) -> str:
    return where.removeprefix(run.path)


def _messages(run: Run) -> list[tuple[Message, str]]:
    return [(each, each.origin) for each in run.messages]


def _calls(a: Run, b: Run) -> Iterator[str]:
    if len(a.calls) != len(b.calls):
        yield f"{len(a.calls)} calls became {len(b.calls)}"
        return
    changed: list[int] = []
    pairs = zip(a.calls, b.calls, a.requests(), b.requests(), strict=True)
    for one, other, asked, again in pairs:
        if _call(a, one, asked) != _call(b, other, again):
            changed.append(one.index)
    yield from _places("call", changed)


def _call(run: Run, call: Call, request: Iterable[int]) -> tuple[object, ...]:
    held = tuple(run.messages[number] for number in request)
    said = tuple(run.messages[number] for number in call.response)
    return replace(call, splices=(), response=(), settings={}), dict(call.settings), held, said


def _items(what: str, a: Sequence[object], b: Sequence[object]) -> Iterator[str]:
    if len(a) != len(b):
        yield f"{len(a)} records of the kind {what} became {len(b)}"
        return
    changed = [place for place, (one, other) in enumerate(zip(a, b, strict=True)) if one != other]
    yield from _places(what, changed)


def _places(what: str, places: Sequence[int]) -> Iterator[str]:
    if places:
        named = ", ".join(map(str, places[:_NAMED]))
        more = len(places) - _NAMED
        yield f"{what} {named}{f' and {more} more' if more > 0 else ''}: not the same"


def _missing(what: str, a: Iterable[Hashable], b: Iterable[Hashable]) -> Iterator[str]:
    left = Counter(a) - Counter(b)
    if left:
        count = sum(left.values())
        yield f"{count} record{'' if count == 1 else 's'} of the kind {what}: not kept as it was"
