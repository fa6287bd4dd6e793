"""Finds the lines of the values in a TOML file, which the parser does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence

__all__ = ["lines_of"]

Path = tuple[str, ...]


def lines_of(text: str) -> Mapping[Path, int]:
    """Return for each key of *text*, which is TOML, the line from 1 on which it first stands.

    Each statement is TOML by itself, so the file is gone through once, one
    statement after another.  Of a value over several lines the first counts.
    """
    found: dict[Path, int] = {}
    lines = text.split("\n")
    table: Path = ()
    at = 0
    while at < len(lines):
        end, value = _statement(lines, at)
        paths = list(_paths(value, ()))
        is_header = lines[at].lstrip().startswith("[")
        if is_header and paths:
            table = paths[-1]
        for path in paths:
            found.setdefault(path if is_header else (*table, *path), at + 1)
        at = end
    return found


def _statement(lines: Sequence[str], at: int) -> tuple[int, Mapping[str, object]]:
    """Return where the statement that begins at line *at* ends, and what it says.

    A value over many lines is tried in steps that double and then halve, so
    that its length is not paid for with its square.
    """
    size = 1
    while (value := _parsed(lines[at : at + size])) is None:
        if at + size >= len(lines):
            return at + 1, {}  # no statement by itself, which valid TOML has none of
        size *= 2
    short, end = size // 2, min(size, len(lines) - at)
    while end - short > 1:
        middle = (short + end) // 2
        shorter = _parsed(lines[at : at + middle])
        if shorter is None:
            short = middle
        else:
            end, value = middle, shorter
    return at + end, value


def _parsed(lines: Sequence[str]) -> Mapping[str, object] | None:
    try:
        return tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None


def _paths(value: object, here: Path) -> Iterator[Path]:
    """Yield the place of everything in *value*, the outer before the inner."""
    pending = [(here, value)]
    while pending:
        path, each = pending.pop()
        if path:
            yield path
        if isinstance(each, dict):
            pending += [((*path, name), inner) for name, inner in reversed(each.items())]
