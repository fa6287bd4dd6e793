"""Reads ``[citations]`` of a settings file: patterns that a user adds, or switches off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Formatter

from reviewer.audit.patterns import BUILT_IN, Names, Pattern, Patterns
from reviewer.audit.settings import Change

__all__ = ["CITATIONS", "PatternError", "changes_of", "patterns_of"]

CITATIONS = "citations"
"""The table of a settings file."""
_OFF, _PATTERNS = "off", "patterns"
_TEXTS, _SWITCHES = ("regex", "source", "reason"), ("in_code", "tells")
_LONGEST = 2000


class PatternError(ValueError):
    """A value cannot be followed.  ``path`` is its place below the table."""

    def __init__(self, path: list[str], what: str) -> None:
        super().__init__(what)
        self.path = path
        self.what = what


def patterns_of(table: Mapping[str, object], origin: str) -> Patterns:
    """Return the patterns in force under *table*.  Raises `PatternError`."""
    for name in table:
        if name not in (_OFF, _PATTERNS):
            raise PatternError([name], f"this key is unknown, known are {_OFF}, {_PATTERNS}")
    off = _off(table.get(_OFF, []))
    own = table.get(_PATTERNS, {})
    if not isinstance(own, dict):
        raise PatternError([_PATTERNS], f"a table is expected, not {own!r}")
    made = [_pattern(name, value, origin) for name, value in own.items()]
    return Patterns((*made, *(each for each in BUILT_IN if each.name not in off)))


def changes_of(
    table: Mapping[str, object], origin: str, lines: Mapping[tuple[str, ...], int]
) -> Iterator[Change]:
    """Yield what *table* sets, so that every report can name it."""
    if _OFF in table:
        line = lines.get((CITATIONS, _OFF))
        value = tuple(_off(table[_OFF]))
        yield Change(CITATIONS, _OFF, value, origin, line=line, key=f"{CITATIONS}.{_OFF}")
    own = table.get(_PATTERNS, {})
    for name, held in own.items() if isinstance(own, dict) else ():
        at = (CITATIONS, _PATTERNS, name)
        line = lines.get((*at, "regex"), lines.get(at))
        reason = str(held.get("reason", ""))
        yield Change(
            CITATIONS, f"{_PATTERNS}.{name}", str(held["regex"]), origin,
            line=line, key=".".join((*at, "regex")), reason=reason,
        )  # fmt: skip


def _off(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise PatternError([_OFF], f"takes a list of texts, not {value!r}")
    known = [each.name for each in BUILT_IN]
    for name in value:
        if name not in known:
            raise PatternError([_OFF], f"no pattern is called {name}, known are {', '.join(known)}")
    return value


def _pattern(name: str, value: object, origin: str) -> Pattern:
    path = [_PATTERNS, name]
    if not isinstance(value, dict):
        raise PatternError(path, f"a table is expected, not {value!r}")
    if name in {each.name for each in BUILT_IN}:
        raise PatternError(path, "a built-in pattern has this name; choose another")
    for key, held in value.items():
        if key in _TEXTS and isinstance(held, str):
            continue
        if key in _SWITCHES and isinstance(held, bool):
            continue
        if key in (*_TEXTS, *_SWITCHES):
            kind = "a text" if key in _TEXTS else "true or false"
            raise PatternError([*path, key], f"takes {kind}, not {held!r}")
        known = ", ".join((*_TEXTS, *_SWITCHES))
        raise PatternError([*path, key], f"this key is unknown, known are {known}")
    return _checked(path, value, origin)


def _checked(path: list[str], value: Mapping[str, object], origin: str) -> Pattern:
    regex = str(value.get("regex", ""))
    if not 0 < len(regex) <= _LONGEST:
        raise PatternError([*path, "regex"], f"takes a text of 1 to {_LONGEST} characters")
    try:
        groups = re.compile(regex).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError([*path, "regex"], f"no regular expression ({error})") from None
    if ("key" in groups) is ("numbers" in groups):
        what = "needs one of the groups (?P<key>…) and (?P<numbers>…)"
        raise PatternError([*path, "regex"], what)
    source = str(value.get("source", "{key}"))
    try:
        used = [field for _, field, _, _ in Formatter().parse(source) if field is not None]
    except ValueError as error:
        raise PatternError([*path, "source"], f"no template ({error})") from None
    for field in used:
        if field not in groups:
            raise PatternError([*path, "source"], f"the regular expression has no group {field}")
    return Pattern(
        path[-1],
        Names.ENTRY if "numbers" in groups else Names.KEY,
        regex,
        source,
        in_code=bool(value.get("in_code", True)),
        tells=bool(value.get("tells", True)),
        origin=origin,
    )
