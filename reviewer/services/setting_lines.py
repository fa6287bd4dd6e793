"""Finds the line of a value in a TOML file, which the parser does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

__all__ = ["line_of"]

_MOST_TRIES = 200
"""Beginnings of a file that are parsed at most; beyond them the line is not told."""


def line_of(text: str, path: Sequence[str]) -> int | None:
    """Return the line, from 1, on which the value at *path* begins, or ``None``.

    Up to the line before it the file is TOML and does not hold the value, and
    the next longer beginning that is TOML does.
    """
    lines = text.split("\n")
    tries = _MOST_TRIES
    for before, line in enumerate(lines):
        if not _may_name(line, path):
            continue
        tries -= 1
        if tries < 0:
            return None
        found = _parsed(lines[:before])
        if found is None or _holds(found, path):
            continue  # inside of a value that goes over several lines, or past it
        for end in range(before + 1, len(lines) + 1):
            tries -= 1
            found = _parsed(lines[:end])
            if found is not None or tries < 0:
                break
        if found is not None and _holds(found, path):
            return before + 1
    return None


def _may_name(line: str, path: Sequence[str]) -> bool:
    return path[-1] in line or "\\" in line


def _parsed(lines: Sequence[str]) -> dict[str, object] | None:
    try:
        return tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None


def _holds(found: object, path: Sequence[str]) -> bool:
    for name in path:
        if not isinstance(found, dict) or name not in found:
            return False
        found = found[name]
    return True
