"""Fields of a JSON object that may have any type: what does not fit is reported, not guessed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import orjson

from store.records.text import Span

__all__ = ["Fields", "Report", "compact", "json_text", "pair"]

Report = Callable[[str], None]
"""Takes what is wrong, in one sentence; the place is known to the one who reports."""

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class Fields:
    """Reads the fields of *value* and remembers which were asked for.

    Each reader returns ``None`` for a field that is absent, null or of a wrong
    type; the last is reported.  *name* stands before the field in a report.
    """

    __slots__ = ("_asked", "_name", "_report", "_value")

    def __init__(self, value: Mapping[str, object], report: Report, name: str = "") -> None:
        self._value = value
        self._report = report
        self._name = name
        self._asked: set[str] = set()

    def text(self, field: str) -> str | None:
        """Return a text."""
        value = self.any(field)
        if isinstance(value, str):
            return value
        self._wrong(field, value, "a text")
        return None

    def whole(self, field: str) -> int | None:
        """Return a whole number."""
        value = self.any(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self._wrong(field, value, "a whole number")
        return None

    def flag(self, field: str) -> bool | None:
        """Return true or false."""
        value = self.any(field)
        if isinstance(value, bool):
            return value
        self._wrong(field, value, "true or false")
        return None

    def items(self, field: str) -> list[object] | None:
        """Return a list."""
        value = self.any(field)
        if isinstance(value, list):
            return value
        self._wrong(field, value, "a list")
        return None

    def mapping(self, field: str) -> dict[str, object] | None:
        """Return an object."""
        value = self.any(field)
        if isinstance(value, dict):
            return value
        self._wrong(field, value, "an object")
        return None

    def inner(self, field: str) -> Fields | None:
        """Return the fields of an object."""
        value = self.mapping(field)
        return None if value is None else Fields(value, self._report, f"{self._name}{field}.")

    def objects(self, field: str) -> list[Fields]:
        """Return the fields of each object of a list; others in it are reported and left out."""
        made: list[Fields] = []
        for item in self.items(field) or []:
            if isinstance(item, dict):
                made.append(Fields(item, self._report, f"{self._name}{field}."))
            else:
                self._wrong(f"{field}[]", item if item is not None else (), "an object")
        return made

    def texts(self, field: str) -> tuple[str, ...] | None:
        """Return a list of texts; others in it are reported and left out."""
        items = self.items(field)
        if items is None:
            return None
        for item in items:
            if not isinstance(item, str):
                self._wrong(field, item, "texts only")
        return tuple(item for item in items if isinstance(item, str))

    def span(self, field: str) -> Span | None:
        """Return ``[start, end)``; a negative or reversed one is reported."""
        value = self.any(field)
        if value is None:
            return None
        numbers = pair(value)
        if numbers is None or not 0 <= numbers[0] <= numbers[1]:
            self._report(f'"{self._name}{field}" is no span [start, end); left out')
            return None
        return Span(*numbers)

    def any(self, field: str) -> object:
        """Return the value as it is."""
        self._asked.add(field)
        return self._value.get(field)

    def names(self) -> tuple[str, ...]:
        """Return the names of all fields."""
        return tuple(self._value)

    def has(self, field: str) -> bool:
        """Return whether the field is there, be it null."""
        return field in self._value

    def rest(self) -> dict[str, object]:
        """Return the fields that nobody asked for."""
        if len(self._asked) >= len(self._value) and self._asked.issuperset(self._value):
            return {}
        return {key: value for key, value in self._value.items() if key not in self._asked}

    def _wrong(self, field: str, value: object, expected: str) -> None:
        if value is not None:
            kind = _KINDS.get(type(value), "something else")
            self._report(f'"{self._name}{field}" is {kind}, not {expected}; left out')


def pair(value: object) -> tuple[int, int] | None:
    """Return two whole numbers, or ``None`` when *value* is anything else."""
    match value:
        case [int() as start, int() as end] if not {bool} & {type(start), type(end)}:
            return start, end
    return None


def compact(value: object) -> str:
    """Return *value* as JSON on one line, as close to its record as a parsed value allows."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return ""  # nested deeper than any parser takes: such a line is never read


def json_text(value: object, raw: bytes = b"") -> str:
    r"""Return the JSON text of *value*: its recorded bytes *raw* where they are at hand.

    Recorded ``\u`` escapes are undone, since they belong to the file that the
    value was stored in; numbers keep every digit.
    """
    if not raw:
        return compact(value)
    text = raw.decode("utf-8", "surrogateescape")
    if "\\u" not in text:
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text
