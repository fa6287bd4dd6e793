"""JSON as it is met in the wild: strict and fast first, tolerant second, never a crash.

orjson refuses lone surrogates, NaN and invalid UTF-8, all of which real
traces hold (a JavaScript program cuts a string between two surrogates).  Such
a text is read by the standard parser and marked, so that a report can say so.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import orjson

__all__ = ["JsonError", "Loaded", "load", "loads"]

_BOM = b"\xef\xbb\xbf"


class JsonError(ValueError):
    """The bytes are no JSON, or nested deeper than any parser takes."""


class Loaded(NamedTuple):
    """A parsed value; ``tolerant`` says why the strict parser refused it, empty if it did not."""

    value: object
    tolerant: str = ""


def loads(data: bytes) -> object:
    """Return the value of *data*.  Raises `JsonError`."""
    return load(data).value


def load(data: bytes) -> Loaded:
    """Return the value of *data*, and whether it was read tolerantly.

    Bytes that are no UTF-8 become lone surrogates (``surrogateescape``), so
    that nothing is lost.  Raises `JsonError`.
    """
    data = data.removeprefix(_BOM)
    try:
        return Loaded(orjson.loads(data))
    except orjson.JSONDecodeError as strict:
        reason = str(strict)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="surrogateescape")
        reason = "invalid UTF-8"
    try:
        return Loaded(json.loads(text), reason)
    except RecursionError:
        raise JsonError("nested too deeply to be read") from None
    except ValueError as error:
        raise JsonError(str(error)) from None
