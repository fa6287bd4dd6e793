"""JSON as it is met in the wild: strict and fast first, tolerant second, never a crash.

orjson refuses lone surrogates, NaN and invalid UTF-8, all of which real
traces hold (a JavaScript program cuts a string between two surrogates).  Such
a text is read by the standard parser and marked, so that a report can say so.

A parser asks nobody before it is at its end.  So a large text is read piece by
piece, and between two pieces it is asked whether to go on (`store.stopping`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

import msgspec
import orjson

from store.stopping import go_on

__all__ = ["JsonError", "Loaded", "load", "loads", "long_number", "noticing"]

_T = TypeVar("_T")
_NO_UTF8 = "bytes that are no UTF-8"
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20
"""Bytes that are parsed at a stretch: a few milliseconds."""

_DEEPEST = 6
"""Levels that are taken apart: each is looked through once more to find where its parts end."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[-+.0-9eE]++', re.DOTALL)
"""A string, which is passed over, or a number."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")

_parts = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw]).decode


class JsonError(ValueError):
    """The bytes are no JSON, or nested deeper than any parser takes; the text says what and where.

    The text is made of sentences of this module only.
    """


class Loaded(NamedTuple):
    """A parsed value; ``tolerant`` says why the strict parser refused it, empty if it did not."""

    value: object
    tolerant: str = ""


def loads(data: bytes) -> object:
    """Return the value of *data*.  Raises `JsonError`.

    Bytes that are no UTF-8 are noticed by whoever waits for that (`noticing`).
    """
    found = load(data)
    if found.tolerant == _NO_UTF8 and (notes := _notes.get()) is not None:
        notes.append(found.tolerant)
    return found.value


def noticing(items: Iterator[_T], notes: list[str]) -> Iterator[_T]:
    """Yield *items*, and note each text with bytes that are no UTF-8 while they were made.

    `loads` says nothing of them, so that whoever opens a file tells it for all who read with it.
    """
    while True:
        token = _notes.set(notes)
        try:
            item = next(items)
        except StopIteration:
            return
        finally:
            _notes.reset(token)
        yield item


def load(data: bytes) -> Loaded:
    """Return the value of *data*, and whether it was read tolerantly.

    Bytes that are no UTF-8 become lone surrogates (``surrogateescape``), so
    that nothing is lost.  Raises `JsonError`.
    """
    data = data.removeprefix(_BOM)
    try:
        return Loaded(_strict(data))
    except (orjson.JSONDecodeError, msgspec.DecodeError):
        pass
    try:
        text, invalid = data.decode(), False
    except UnicodeDecodeError:
        text, invalid = data.decode(errors="surrogateescape"), True
    try:
        value, odd = _tolerant(text)
    except RecursionError:
        raise JsonError("nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        raise JsonError(_wrong(error)) from None
    except ValueError:  # Python converts no number of any length
        raise JsonError(long_number(text) or "a number has too many digits") from None
    return Loaded(value, _NO_UTF8 if invalid else odd)


def _strict(data: bytes | msgspec.Raw, deep: int = 0) -> object:
    """Return the value of *data*; raises the error of the strict parser that refuses it."""
    if memoryview(data).nbytes > _PIECE and deep < _DEEPEST:
        try:
            parts = _parts(data)
        except (msgspec.ValidationError, RecursionError):
            pass  # neither an object nor a list, or nested deeply
        else:
            if isinstance(parts, list):
                return _values(parts, deep)
            return dict(zip(parts, _values(parts.values(), deep), strict=True))
    return orjson.loads(memoryview(data))


def _values(parts: Iterable[msgspec.Raw], deep: int) -> list[object]:
    """Return the values of *parts*; small ones are parsed together."""
    found: list[object] = []
    try:
        for together in _groups(parts):
            go_on()
            if len(together) == 1:
                found.append(_strict(together[0], deep + 1))
            else:
                found += orjson.loads(b"[" + b",".join(together) + b"]")
    except BaseException:
        while found:  # one by one, since to let go of everything at once takes its time as well
            found.pop()
        raise
    return found


def _groups(parts: Iterable[msgspec.Raw]) -> Iterator[list[msgspec.Raw]]:
    """Yield *parts* in groups, each no larger than a piece unless it is one part."""
    group: list[msgspec.Raw] = []
    size = 0
    for part in parts:
        length = memoryview(part).nbytes
        if group and size + length > _PIECE:
            yield group
            group, size = [], 0
        group.append(part)
        size += length
    if group:
        yield group


def _tolerant(text: str) -> tuple[object, str]:
    """Return the value of *text* as Python reads it, and what a strict parser refuses in it."""
    constants: list[str] = []

    def constant(name: str) -> float:
        constants.append(name)
        return float(name)

    value: object = json.loads(text, object_pairs_hook=_object, parse_constant=constant)
    if constants:
        return value, "a number that JSON does not have, such as NaN"
    if _HALF.search(text):
        return value, "half of a character that is written as two"
    return value, "nested deeply"


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    go_on()
    return dict(pairs)


# -- what is told of it ---------------------------------------------------------------


def _wrong(error: json.JSONDecodeError) -> str:
    """Return what is wrong, and where."""
    return f"{_kind(error.msg)}, line {error.lineno}, column {error.colno}"


def long_number(text: str, *, cut: bool = False) -> str:
    """Return what is told of the first number in *text* that is too long; empty if there is none.

    That is a whole number of more digits than Python converts.  Where the text
    is *cut* more digits may stand behind its end.
    """
    most = sys.get_int_max_str_digits()
    for found in _TOKEN.finditer(text) if most else ():
        digits = found[0].removeprefix("-")
        if len(digits) <= most or not digits.isdigit():
            continue
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        told = f"a number of {len(digits):,} digits is too long to be read"
        if cut and found.end() == len(text):
            told = f"a number of more than {len(digits):,} digits is too long to be read"
        return f"{told}, line {line}, column {column}"
    return ""


def _kind(said: str) -> str:
    """Return what Python's parser *said*, in words of this module, which can be translated."""
    kinds = {
        "property": "a name in double quotes is missing",
        "':'": "a colon is missing",
        "','": "a comma is missing",
        "value": "a value is missing",
        "Unterminated": "a string begins and does not end",
        "control": "a string holds a control character",
        "escape": "a backslash stands before what it cannot stand before",
        "Extra": "more follows behind the value",
        "trailing": "a comma stands before the end of a list or an object",
    }
    return next((told for word, told in kinds.items() if word in said), "it cannot be read on")
