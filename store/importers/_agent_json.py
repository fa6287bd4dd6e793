"""Whole JSON files of agents: how their heads are looked at, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from store.importers import _files
from store.importers._base import Probe, UnreadableError
from store.importers._heads import beginning
from store.jsonin import JsonError, loads

__all__ = ["LARGEST", "begun", "document", "held_in", "lines_of", "whole_bytes"]

LARGEST: Final = 2 << 30
"""No transcript that is one JSON value is larger; what is would not fit into memory."""


def begun(probe: Probe, *needed: bytes) -> object:
    """Return the JSON value that a file begins with, as far as its head goes; read only.

    ``None`` for a folder, for what is no JSON, and where one of the *needed*
    words is not in the head.
    """
    value, _ = beginning(probe.head)
    return value if all(word in probe.head for word in needed) else None


def whole_bytes(probe: Probe) -> bytes:
    """Return the bytes of a file.  Raises `UnreadableError` for one that is too large."""
    if probe.size > LARGEST:
        what = f"has {probe.size} bytes; one JSON value of more than {LARGEST} is not read"
        raise UnreadableError(_files.shown(probe.label), what)
    with _files.open_regular(probe.path) as file:
        return file.read()


def document(probe: Probe) -> object:
    """Return the JSON value of a file.  Raises `UnreadableError` where it is none."""
    try:
        return loads(whole_bytes(probe))
    except JsonError as error:
        what = f"is not JSON: {error}; the file may be cut off: export it again"
        raise UnreadableError(_files.shown(probe.label), what) from None


def held_in(text: object) -> object:
    """Return the JSON value in a text of a record; ``None`` where it is none."""
    if not isinstance(text, str):
        return None
    try:
        return loads(text.encode("utf-8", "surrogatepass"))
    except JsonError:
        return None


def lines_of(probe: Probe) -> Iterator[tuple[int, object, str]]:
    """Yield number, value and trouble of each line that is not blank, one in memory at a time."""
    with _files.open_regular(probe.path, _files.LONG_LINES) as file:
        for line in _files.lines(file):
            if not line.data.strip():
                continue
            try:
                yield line.number, loads(line.data), ""
            except JsonError as error:
                what = f"this line is not JSON ({error}); the other lines were read"
                yield line.number, None, what
