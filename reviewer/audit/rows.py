"""Which records of a table stand in a part, by key and by value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reviewer.audit.texts import Row, VersionText
from reviewer.audit.views import json_roots, views
from store.records.json_text import Node
from store.records.text import Span

__all__ = ["RowHit", "rows_in"]


class RowHit(NamedTuple):
    """One record found in a part.

    ``row`` is its number in the table, from 0, ``None`` when the table holds
    no such record; ``key`` its key as recorded (its number where the table has
    no key).  ``fields`` are the fields that came with the table's value, ``whole``
    whether that is all of them.  ``place`` counts code points of the part's text.
    """

    row: int | None
    key: object
    fields: frozenset[str]
    whole: bool
    place: Span


def rows_in(text: str, table: VersionText) -> tuple[RowHit, ...]:
    """Return the records of *text* that belong to *table*, duplicates included, in order.

    A record whose key is the table's but whose values differ is a hit without
    a row: it is not what the table holds.
    """
    if table.rows is None or table.version.table is None:
        return ()
    key = table.version.table.key
    finder = _ByKey(table.rows, key) if key else _ByValue(table.rows)
    return tuple(
        hit for value, place in _records(text) if (hit := finder.hit(value, place)) is not None
    )


class _ByKey:
    def __init__(self, rows: tuple[Row, ...], key: str) -> None:
        self._key = key
        self._rows = rows
        self._places: dict[str, int] = {}
        for number, row in enumerate(rows):
            self._places.setdefault(_canonical(row.get(key)), number)

    def hit(self, record: Row, place: Span) -> RowHit | None:
        if self._key not in record:
            return None
        key = record[self._key]
        number = self._places.get(_canonical(key))
        if number is None:
            return RowHit(None, key, frozenset(), whole=False, place=place)
        row = self._rows[number]
        fields = frozenset(name for name in record if name in row and record[name] == row[name])
        differs = any(name in row and record[name] != row[name] for name in record)
        if differs:
            return RowHit(None, key, fields, whole=False, place=place)
        return RowHit(number, key, fields, fields == row.keys(), place)


class _ByValue:
    """Equal records are told apart by their order only: each takes the next equal row."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self._free: dict[str, list[int]] = {}
        for number, row in reversed(list(enumerate(rows))):
            self._free.setdefault(_canonical(row), []).append(number)

    def hit(self, record: Row, place: Span) -> RowHit | None:
        free = self._free.get(_canonical(record))
        if not free:
            return None
        number = free.pop() if len(free) > 1 else free[0]
        return RowHit(number, number, frozenset(record), whole=True, place=place)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _records(text: str) -> Iterator[tuple[Mapping[str, object], Span]]:
    seen: set[Span] = set()
    for view in views(text):
        for node in _objects(json_roots(view.content.text)):
            place = view.origin(node.span)
            if place in seen or not node.complete:
                continue
            seen.add(place)
            try:
                value = json.loads(view.content.text[node.start : node.end], strict=False)
            except (ValueError, RecursionError):
                continue
            yield value, place


def _objects(roots: tuple[Node, ...]) -> Iterator[Node]:
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if node.kind == "object":
            yield node
        waiting.extend(reversed(node.children))
