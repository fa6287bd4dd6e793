"""What a LangGraph checkpoint stores, decoded by its structure alone.

Values are msgpack with extension codes 0 to 7, or JSON with ``lc`` objects, in
the dialects of Python and JavaScript.  Both name classes and functions to be
called with what they hold.  Here nothing that is named is imported, made or
called: containers and scalars become plain data, messages and documents their
fields, everything else a `Named`.  Pickles are never opened.

Format facts: ``langgraph.checkpoint.serde.jsonplus`` (Python, 1.0 to 4.3) and
``@langchain/langgraph-checkpoint`` ``serde/jsonplus`` (JavaScript, 1.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from store.jsonin import JsonError, loads

__all__ = ["Decoder", "Named", "SerdeError"]

_SCALARS: Final = frozenset(
    {
        *("UUID", "Decimal", "datetime", "date", "time", "timezone", "ZoneInfo"),
        *("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"),
        *("IPv4Interface", "IPv6Interface", "str", "int", "float", "bool", "bytes"),
    }
)
_COLLECTIONS: Final = frozenset({"set", "frozenset", "deque", "tuple", "list", "Set", "dict"})
_PATHS: Final = frozenset(
    {"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"}
)
_SECRETS: Final = frozenset({"SecretStr", "SecretBytes"})
_HIDDEN: Final = "**********"
_SINGLE, _POSITIONAL, _KEYWORDS, _METHOD, _MODEL_V1, _MODEL_V2, _ARRAY, _SNAPSHOT = range(8)
_MEMBERS: Final = {_SINGLE: 3, _POSITIONAL: 3, _KEYWORDS: 3, _METHOD: 3, _MODEL_V1: 3, _MODEL_V2: 3}
_TO_REVIVE: Final = re.compile(rb'"lc"\s*:\s*2|"secret"')
"""Without one of these in it there is nothing in JSON to be undone."""
_NEST: Final = 100
_KEPT: Final = 64 << 20
"""Bytes of payloads that are remembered: the same message stands in every later checkpoint."""


class SerdeError(ValueError):
    """A stored value cannot be decoded; the text says why."""


@dataclass(frozen=True, slots=True)
class Named:
    """An object that a value names and that is not made; ``value`` is what it was made of."""

    name: str
    value: object = field(repr=False)


@dataclass(slots=True)
class Decoder:
    """Decodes the values of one database; equal messages are one object."""

    kept: set[int] = field(default_factory=set)
    """The identities of the objects that are remembered, and so met again as the same ones."""
    _known: dict[bytes, object] = field(default_factory=dict)
    _size: int = 0
    _depth: int = 0

    def value(self, kind: object, data: object) -> object:
        """Return what *data* of type *kind* holds.  Raises `SerdeError`."""
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        if not isinstance(raw, bytes):
            raise SerdeError(f"a value is {type(data).__name__}, not bytes")
        name = kind if isinstance(kind, str) else ""
        if "+" in name:
            raise SerdeError(f"it is encrypted ({name}); its key is not in the database")
        if name == "null":
            return None
        if name in ("bytes", "bytearray"):
            return raw
        if name == "msgpack":
            return self._msgpack(raw)
        if raw[:1] == b"\x80" or name == "pickle":
            raise SerdeError("it is a Python pickle, which is a program; it is never opened")
        if name in ("json", "", "Checkpoint", "CheckpointMetadata"):
            return self.json(raw)
        raise SerdeError(f"its type {name!r} is not known")

    def json(self, data: bytes) -> object:
        """Return the value of JSON with ``lc`` objects.  Raises `SerdeError`."""
        try:
            value = loads(data)
            return _revived(value) if _TO_REVIVE.search(data) else value
        except JsonError as error:
            raise SerdeError(f"it is no JSON: {error}") from None
        except RecursionError:
            raise SerdeError("it is nested too deeply to be read") from None

    def _msgpack(self, data: bytes) -> object:
        self._depth = 0
        try:
            return msgspec.msgpack.decode(data, ext_hook=self._ext)
        except RecursionError:
            raise SerdeError("it is nested too deeply to be read") from None
        except msgspec.MsgspecError as error:
            raise SerdeError(f"it is no msgpack: {error}") from None

    def _ext(self, code: int, payload: memoryview) -> object:
        data = bytes(payload)
        key = bytes([code & 0xFF]) + data
        if key in self._known:
            return self._known[key]
        if self._depth >= _NEST:
            raise SerdeError("it is nested too deeply to be read")
        self._depth += 1
        inner = msgspec.msgpack.decode(data, ext_hook=self._ext)
        self._depth -= 1
        made = _made(code, inner)
        if code == _MODEL_V2 and self._size + len(data) <= _KEPT:
            self._known[key] = made
            self.kept.add(id(made))
            self._size += len(data)
        return made


def _made(code: int, inner: object) -> object:
    """Return the plain data of an extension; one of another layout is kept as it is."""
    if code == _SNAPSHOT:
        return inner
    if code == _ARRAY:
        return Named("ndarray", inner)
    if not isinstance(inner, list) or code not in _MEMBERS or len(inner) < _MEMBERS[code]:
        return Named(f"extension {code}", inner)
    name, value = str(inner[1]), inner[2]
    if code in (_MODEL_V1, _MODEL_V2):
        return _model(name, value)
    return _object(name, value, positional=code == _POSITIONAL)


def _model(name: str, value: object) -> object:
    """Return the fields of a model: they are data, whatever its class."""
    if name in _SECRETS:
        return _HIDDEN
    return value if isinstance(value, dict) else Named(name, value)


def _object(name: str, value: object, *, positional: bool) -> object:
    if name in _SECRETS:
        return _HIDDEN
    if name in _PATHS:
        parts = value if isinstance(value, list) else [value]
        return "/".join(str(part) for part in parts).replace("//", "/")
    if name in _COLLECTIONS or (name in _SCALARS and not positional):
        return value
    return Named(name, value)


# -- JSON ------------------------------------------------------------------------


def _revived(value: object, depth: int = 0) -> object:
    """Return a JSON value with what LangGraph's second ``lc`` form names as plain data.

    Objects of the first form stay: whoever reads messages reads them.
    """
    if depth > _NEST:
        raise RecursionError
    if isinstance(value, list):
        return [_revived(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("lc") == 2:  # noqa: PLR2004 - the number of the form
        return _second_form(value, depth)
    if value.get("lc") == 1 and value.get("type") == "secret":
        return _HIDDEN
    return {key: _revived(item, depth + 1) for key, item in value.items()}


def _second_form(value: Mapping[str, object], depth: int) -> object:
    kind = value.get("type")
    if kind == "delta_snapshot":
        return _revived(value.get("value"), depth + 1)
    if kind == "undefined":
        return None
    path = value.get("id")
    name = str(path[-1]) if isinstance(path, list) and path else ""
    args = _revived(value.get("args"), depth + 1)
    kwargs = _revived(value.get("kwargs"), depth + 1)
    args = args if isinstance(args, list) else []
    if isinstance(kwargs, dict) and kwargs:
        return _model(name, kwargs) if not args and _is_model(name) else Named(name, kwargs)
    if name == "Map" and args and isinstance(args[0], list):
        pairs = [pair for pair in args[0] if isinstance(pair, list) and len(pair) > 1]
        return {str(key): item for key, item, *_ in pairs}
    if name == "Uint8Array" and args and isinstance(args[0], list):
        numbers = [number for number in args[0] if isinstance(number, int) and 0 <= number < 256]  # noqa: PLR2004
        return bytes(numbers)
    return _object(name, args[0] if len(args) == 1 else args, positional=len(args) > 1)


def _is_model(name: str) -> bool:
    return name.removesuffix("Chunk").endswith("Message") or name == "Document"
