"""Rows of a table whose body is JSON Lines, with every value as it was written.

Parsing and writing again would change numbers (``1.10``, ``1e5``), escapes and
spaces, so fields are cut out of the line by their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder

from store.records.text import Span

__all__ = ["RowError", "chosen_fields", "row_spans"]

_SPACE = re.compile(r"[ \t\r\n]*")
# The values are only stepped over, so numbers of any length stay text.
_DECODER = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)


class RowError(ValueError):
    """A line is no JSON object, or lacks a field."""


def row_spans(text: str) -> list[Span]:
    r"""Return where each row stands: a line with the ``\n`` that ends it, from row 0."""
    spans: list[Span] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        spans.append(Span(start, end))
        start = end
    return spans


def chosen_fields(line: str, fields: tuple[str, ...]) -> str:
    """Return the record with only *fields*: keys and values as written, in the record's order.

    Raises `RowError` when the line is no JSON object or lacks one of them.
    """
    try:
        members = list(_members(line))
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise RowError("the line is no JSON object that can be read") from error
    held = {key for key, _ in members}
    missing = [field for field in fields if field not in held]
    if missing:
        raise RowError(f"it has no field {', '.join(map(repr, missing))}")
    wanted = set(fields)
    return "{" + ", ".join(raw for key, raw in members if key in wanted) + "}"


def _members(line: str) -> Iterator[tuple[str, str]]:
    """Yield each key with its member as written (``"amount": 1.10``)."""
    at = _after(line, 0, "{")
    if line[at] == "}":
        _end(line, at + 1)
        return
    while True:
        begin = at
        _after(line, at, '"')
        key, at = _DECODER.raw_decode(line, begin)
        at = _after(line, at, ":")
        _, at = _DECODER.raw_decode(line, at)
        yield key, line[begin:at]
        at = _spaces(line, at)
        if line[at] == "}":
            _end(line, at + 1)
            return
        at = _after(line, at, ",")


def _spaces(line: str, at: int) -> int:
    found = _SPACE.match(line, at)
    return found.end() if found is not None else at


def _after(line: str, at: int, mark: str) -> int:
    at = _spaces(line, at)
    if line[at] != mark:
        raise ValueError(f"{mark} expected at {at}")
    return _spaces(line, at + 1)


def _end(line: str, at: int) -> None:
    if _spaces(line, at) != len(line):
        raise ValueError(f"something follows the object at {at}")
