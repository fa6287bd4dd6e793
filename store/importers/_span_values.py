"""Attributes of spans: flat or nested, indexed in their names, and JSON inside of texts."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from store.jsonin import loads
from store.records.json_text import Node, parse, plain

__all__ = [
    "Cut",
    "at",
    "data_of",
    "first",
    "indexed",
    "json_of",
    "number",
    "positions",
    "text_of",
    "without_stump",
]

_PARTS: Final = 24
"""No convention nests deeper than this; what stands behind it in a name stays one key."""
_OPENS: Final = tuple('{["')
_LONGEST: Final = 1 << 20
_DEEPEST: Final = 60
_BODIES: Final = ("content", "parts", "contents", "text", "message", "tool_calls", "output")
_DIGITS: Final = 9
_ARRAY: Final = re.compile(r"\barray\(")
_ARRAY_END: Final = re.compile(r",\s*dtype=[a-z0-9]+\)")
_WHOLE: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Cut:
    """JSON that ends too early: the whole values before that place, and its length."""

    value: object
    chars: int


def at(attributes: Mapping[str, object], key: str) -> object:
    """Return the attribute *key*, recorded under its whole name or nested; ``None`` if absent."""
    if key in attributes:
        return attributes[key]
    place = key.find(".")
    while place > 0:
        inner = attributes.get(key[:place])
        if isinstance(inner, dict):
            found = at(inner, key[place + 1 :])
            if found is not None:
                return found
        place = key.find(".", place + 1)
    return None


def first(attributes: Mapping[str, object], *keys: str) -> object:
    """Return the first of *keys* that is there and not empty."""
    for key in keys:
        found = at(attributes, key)
        if found not in (None, "", [], {}):
            return found
    return None


def text_of(attributes: Mapping[str, object], *keys: str) -> str:
    """Return the first of *keys* that is a text."""
    for key in keys:
        found = at(attributes, key)
        if isinstance(found, str) and found:
            return found
    return ""


def number(attributes: Mapping[str, object], *keys: str) -> int | None:
    """Return the first of *keys* that is a whole number from 0, also where it is a text."""
    for key in keys:
        found = at(attributes, key)
        if isinstance(found, bool) or found is None:
            continue
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, str) and _WHOLE.fullmatch(found):
            found = int(found)
        if isinstance(found, int) and found >= 0:
            return found
    return None


def indexed(attributes: Mapping[str, object], prefix: str) -> list[tuple[int, object]]:
    """Return what stands under ``prefix.N…`` as values by their number, in order.

    A list that is recorded as one value is numbered as it stands.
    """
    whole = at(attributes, prefix)
    if isinstance(whole, str):
        whole = json_of(whole)
    if isinstance(whole, list):
        return [(number, _expanded(value)) for number, value in enumerate(whole)]
    found: dict[str, object] = {}
    start = f"{prefix}."
    for key, value in attributes.items():
        if key.startswith(start):
            _put(found, key[len(start) :].split(".", _PARTS), value)
    if isinstance(whole, dict):
        found = {**whole, **found}
    numbered = [(int(k), _listed(v)) for k, v in found.items() if _is_index(k)]
    return sorted(numbered, key=lambda pair: pair[0])


def positions(attributes: Mapping[str, object], prefix: str) -> int:
    """Return how many attributes stand under *prefix*."""
    return sum(key.startswith(prefix) for key in attributes)


def _expanded(value: object) -> object:
    """Return an object whose names hold dots as the nested objects they mean."""
    if not isinstance(value, dict) or not any("." in key for key in value):
        return value
    found: dict[str, object] = {}
    for key, inner in value.items():
        listed = [_expanded(each) for each in inner] if isinstance(inner, list) else inner
        _put(found, key.split(".", _PARTS), listed)
    return found


def _put(into: dict[str, object], path: list[str], value: object) -> None:
    for part in path[:-1]:
        inner = into.get(part)
        if not isinstance(inner, dict):
            inner = into[part] = {}
        into = inner
    known = into.get(path[-1])
    if not isinstance(known, dict):
        into[path[-1]] = value


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) <= _DIGITS


def _listed(value: object, levels: int = _PARTS) -> object:
    """Return *value* with objects whose keys are all numbers as lists in their order."""
    if not isinstance(value, dict) or not levels:
        return value
    made = {key: _listed(inner, levels - 1) for key, inner in value.items()}
    if made and all(map(_is_index, made)):
        return [made[key] for key in sorted(made, key=int)]
    return made


def json_of(value: object) -> object:
    """Return the JSON value of a text, a `Cut` where it breaks off, else *value* as it is.

    A text is taken for JSON only where it begins an object, a list or a
    string; a text that is none, and goes on behind a value, stays a text.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in _OPENS:
        return value
    with suppress(ValueError, RecursionError):
        try:
            return loads(value.encode())
        except UnicodeEncodeError:  # half a character; the standard parser takes it
            return json.loads(value)
    root = parse(value, tolerant=True)
    if root is None or root.complete or root.kind == "string" or not _breaks_off(root, value):
        return value
    return Cut(plain(root), len(value))


def _breaks_off(root: Node, text: str) -> bool:
    """Return whether it was JSON up to its end, and not words that only begin like it."""
    node = root
    while node.children and not node.children[-1].complete:
        node = node.children[-1]
    end = node.children[-1].end if node.children else node.end
    if node.kind == "string":
        return True
    # Between the last whole value and the end only the beginning of the next one may stand.
    rest = text[end:].strip()
    return root.children != [] and (len(rest) <= 1 or rest[:1] in (",", ":", '"'))


def without_stump(value: object) -> object:
    """Return messages that break off without a last one that has nothing but its beginning."""
    if not isinstance(value, list) or not value or not isinstance(value[-1], dict):
        return value
    return value if any(value[-1].get(key) for key in _BODIES) else value[:-1]


def data_of(value: object) -> object:
    """Return the data that a text spells, as JSON or as Python writes it; ``None`` for others.

    Python's spelling is parsed, never run, and only where it is short and flat.
    """
    if not isinstance(value, str):
        return value
    found = json_of(value)
    if not isinstance(found, (str, Cut)):
        return found
    if value.lstrip()[:1] not in _OPENS or len(value) > _LONGEST or _depth(value) > _DEEPEST:
        return None
    text = value.strip()
    if "array(" in text:  # NumPy's spelling of a list
        text = _ARRAY_END.sub(")", _ARRAY.sub("(", text))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _depth(text: str) -> int:
    depth = deepest = 0
    for char in text:
        if char in "([{-+~":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth = max(0, depth - 1)
    return deepest
