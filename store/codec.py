"""Records to JSON values and back, exactly, for the database and the digest of a run.

A record becomes an object of the fields that differ from their defaults, so
that a field added later changes neither what is stored nor any digest.  Long
strings and free JSON (settings, declared facts) are handed to a `Marks`, which
may keep them elsewhere and put a mark in their place.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

__all__ = ["Marks", "Strings", "decode", "encode"]

T = TypeVar("T")
Json = object
_Encoder = Callable[[Any, "Marks"], Json]
_Decoder = Callable[[Any, "Strings"], Any]
_KIND = "record"


class Marks(Protocol):
    """What becomes of strings and of free JSON values where a record is written."""

    def put(self, text: str) -> Json:
        """Return what stands for *text*."""

    def put_free(self, value: Mapping[str, object]) -> Json:
        """Return what stands for a JSON object of any shape."""


class Strings(Marks, Protocol):
    """The same for records that are read again."""

    def get(self, mark: Json) -> str:
        """Return the text that *mark* stands for."""

    def get_free(self, mark: Json) -> Mapping[str, object]:
        """Return the object that *mark* stands for."""


def encode(record: object, strings: Marks, skip: frozenset[str] = frozenset()) -> dict[str, Json]:
    """Return the fields of *record* that differ from their defaults, without those in *skip*.

    *skip* holds for *record* itself, not for the records inside it.
    """
    found: dict[str, Json] = {}
    for name, default, encoder in _encoders(cast("Hashable", type(record)), skip):
        value = getattr(record, name)
        # The type decides too: True is no 1, although they are equal.
        if value != default or type(value) is not type(default):
            found[name] = encoder(value, strings)
    return found


def decode(kind: type[T], values: Mapping[str, Any], strings: Strings, **ready: object) -> T:
    """Return the record of *kind* whose fields `encode` gave; *ready* are fields as they are."""
    decoders = _decoders(cast("Hashable", kind))
    made = {name: decoders[name](value, strings) for name, value in values.items()}
    return kind(**made, **ready)


@cache
def _encoders(
    kind: Any,  # noqa: ANN401 - a record's type
    skip: frozenset[str],
) -> tuple[tuple[str, object, _Encoder], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (one.name, _default(one), _encoder(hints[one.name]))
        for one in fields(kind)
        if one.name not in skip
    )


@cache
def _decoders(kind: Any) -> dict[str, _Decoder]:  # noqa: ANN401 - a record's type
    hints = get_type_hints(kind)
    return {one.name: _decoder(hints[one.name]) for one in fields(kind)}


def _default(one: Field[Any]) -> object:
    if one.default is not MISSING:
        return one.default
    return one.default_factory() if one.default_factory is not MISSING else MISSING


def _encoder(hint: Any) -> _Encoder:  # noqa: ANN401 - a type, whatever it is
    if hint is str:
        return lambda value, strings: strings.put(value)
    if get_origin(hint) is Mapping:
        return lambda value, strings: strings.put_free(value)
    if get_origin(hint) is tuple:
        item = _encoder(get_args(hint)[0])
        return lambda value, strings: [item(one, strings) for one in value]
    options = _options(hint)
    if len(options) > 1:
        return lambda value, strings: {
            _KIND: type(value).__name__,
            **encode(value, strings),
        }
    inner = options[0]
    if inner is not hint:
        known = _encoder(inner)
        return lambda value, strings: None if value is None else known(value, strings)
    return _single_encoder(hint)


def _single_encoder(hint: Any) -> _Encoder:  # noqa: ANN401 - a type, whatever it is
    if is_dataclass(hint):
        return encode
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value, _: value.value
    return lambda value, _: value


def _decoder(hint: Any) -> _Decoder:  # noqa: ANN401 - a type, whatever it is
    if hint is str:
        return lambda value, strings: strings.get(value)
    if get_origin(hint) is Mapping:
        return lambda value, strings: strings.get_free(value)
    if get_origin(hint) is tuple:
        item = _decoder(get_args(hint)[0])
        return lambda value, strings: tuple(item(one, strings) for one in value)
    options = _options(hint)
    if len(options) > 1:
        kinds = {option.__name__: option for option in options}
        return lambda value, strings: _tagged(kinds, value, strings)
    inner = options[0]
    if inner is not hint:
        known = _decoder(inner)
        return lambda value, strings: None if value is None else known(value, strings)
    return _single_decoder(hint)


def _single_decoder(hint: Any) -> _Decoder:  # noqa: ANN401 - a type, whatever it is
    if isinstance(hint, type) and is_dataclass(hint):
        kind: type[object] = hint
        return lambda value, strings: decode(kind, value, strings)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value, _: hint(value)
    return lambda value, _: value


def _tagged(kinds: Mapping[str, type], value: Mapping[str, Any], strings: Strings) -> object:
    rest = {name: one for name, one in value.items() if name != _KIND}
    return decode(kinds[value[_KIND]], rest, strings)


def _options(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type, whatever it is
    """Return what a union may be besides ``None``; anything else is its own only option."""
    if get_origin(hint) not in {Union, types.UnionType}:
        return (hint,)
    return tuple(option for option in get_args(hint) if option is not type(None))
