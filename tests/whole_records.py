"""Records made from their definitions: a field that is added to a record is tested at once."""

# ruff: noqa: ANN401 - a record of any class, a value of any type

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from itertools import count
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from store.records.runs import Run
from store.records.text import Span

HOSTILE = (
    "lone \ud83d surrogate",
    "two lone ones \ud83d\ude00 are no emoji",
    "\udc80 from bytes that were no UTF-8",
    "NUL \x00 in the middle\x00",
    "\x1a0000 looks like an escape",
    "CR LF\r\nand \u2028 and \x85",
    "👩‍👩‍👧 批处理",
    "",
    "x" * 300,
)
_STRINGS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), max_size=20))
_LONG = st.one_of(_STRINGS, _STRINGS.map(lambda one: one * 40))
_JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False),
        _STRINGS,
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_STRINGS, inner, max_size=2),
    max_leaves=4,
)
_SPANS = st.tuples(st.integers(0, 10**20), st.integers(0, 99)).map(
    lambda pair: Span(pair[0], pair[0] + pair[1])
)


def record_classes() -> set[Any]:
    """Return every class of record of which a run may be made: what its fields hold, and so on."""
    found: set[Any] = set()
    pending: list[Any] = [Run]
    while pending:
        hint = pending.pop()
        pending += get_args(hint)
        if isinstance(hint, type) and is_dataclass(hint) and hint not in found:
            found.add(hint)
            pending += get_type_hints(hint).values()
    return found


@cache
def any_of(hint: Any) -> st.SearchStrategy[Any]:
    """Give any value of the type *hint*."""
    if hint is Span:
        return _SPANS
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{one.name: any_of(hints[one.name]) for one in fields(hint)})
    if get_origin(hint) in (Union, types.UnionType):
        return st.one_of(*map(any_of, get_args(hint)))
    if get_origin(hint) is tuple:
        return st.lists(any_of(get_args(hint)[0]), max_size=2).map(tuple)
    if get_origin(hint) is Mapping:
        return st.dictionaries(_STRINGS, _JSON, max_size=2)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: _LONG,
        bool: st.booleans(),
        int: st.integers(-(10**30), 10**30),
        type(None): st.none(),
    }
    return simple[hint] if hint in simple else st.sampled_from(hint)


def full_run() -> Run:
    """Return a run in which no field of any record has its default, and no two strings are equal.

    Where a list may hold several kinds of records it holds one of each.
    """
    made: Run = _full(Run, MISSING, count(1))
    return made


def _full(hint: Any, default: object, numbers: Iterator[int]) -> Any:
    hint = _options(hint)[0]
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        values = {one.name: _full(hints[one.name], _default(one), numbers) for one in fields(hint)}
        return hint(**values)
    if get_origin(hint) is tuple:
        return tuple(_full(one, MISSING, numbers) for one in _options(get_args(hint)[0]))
    number = next(numbers)
    if get_origin(hint) is Mapping:
        return {f"key {number} \ud83d": [number, None, {"deeper \x00": [True, 1.5, "\udc80"]}]}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(one for one in reversed(hint) if one is not default)
    if hint is bool:
        return default is not True
    return number if hint is int else f"text {number} \ud83d\x00\x1a批" * (1 + number % 3 * 20)


def _options(hint: Any) -> list[Any]:
    if get_origin(hint) not in (Union, types.UnionType):
        return [hint]
    return [one for one in get_args(hint) if one is not type(None)]


def _default(one: Field[Any]) -> object:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return one.default


def set_fields(record: Any) -> set[tuple[str, str]]:
    """Return class and name of each field, at any depth, that has not its default."""
    found: set[tuple[str, str]] = set()
    for one in fields(record):
        value = getattr(record, one.name)
        if value is not None and value != _default(one):
            found.add((type(record).__name__, one.name))
        for inner in value if isinstance(value, tuple) else (value,):
            if is_dataclass(inner):
                found |= set_fields(inner)
    return found


def exactly(value: Any) -> object:
    """Return all of *value* with its types, also what its equality leaves out."""
    if is_dataclass(value):
        held = [(one.name, exactly(getattr(value, one.name))) for one in fields(value)]
        return type(value).__name__, held
    if isinstance(value, Mapping):
        return "object", [(key, exactly(one)) for key, one in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [exactly(one) for one in value]
    return type(value).__name__, value


def changed_in_one_field(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield *record* with one field changed, at any depth, for each; with ``Class.field``."""
    for one in fields(record):
        value = getattr(record, one.name)
        items = value if isinstance(value, tuple) else (value,)
        for place, item in enumerate(items):
            if not is_dataclass(item):
                continue
            for name, inner in changed_in_one_field(item):
                now = (*items[:place], inner, *items[place + 1 :])
                yield name, replace(record, **{one.name: now if items is value else inner})
        if not is_dataclass(value):
            yield (
                f"{type(record).__name__}.{one.name}",
                replace(record, **{one.name: _other(value)}),
            )


def _other(value: Any) -> object:
    if isinstance(value, Enum):
        return next(one for one in type(value) if one is not value)
    if isinstance(value, tuple):
        return value[:-1]
    if isinstance(value, Mapping):
        return {**value, "more": 1}
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}x"
