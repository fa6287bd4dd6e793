"""Which records of a table stand in a part, by key and by value."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reviewer.audit.exact import Record, canonical, exact
from reviewer.audit.texts import VersionText
from reviewer.audit.views import Names, View, json_roots
from store.records.json_text import Node
from store.records.text import Span

__all__ = ["RowHit", "rows_in"]


class RowHit(NamedTuple):
    """One record found in a part.

    ``row`` is its number in the table, from 0, ``None`` when the table holds
    no such record; ``key`` its key as recorded (its number where the table has
    no key).  ``fields`` are the fields that came with the table's value, ``whole``
    whether that is all of them.  ``place`` counts code points of the part's text.
    ``certain`` is false where several rows are equal and fewer came: then
    nothing says which of them did.
    """

    row: int | None
    key: object
    fields: frozenset[str]
    whole: bool
    place: Span
    certain: bool = True


class _Found(NamedTuple):
    """A record of a part and every row that it may be; none when it is no row."""

    rows: tuple[int, ...]
    key: object
    fields: frozenset[str]
    whole: bool
    place: Span


class _Record(NamedTuple):
    node: Node
    value: Record
    place: Span


def rows_in(
    views: Iterable[View],
    table: VersionText,
    wanted: Sequence[Span],
    speaks_of: Callable[[Names], bool],
) -> tuple[RowHit, ...]:
    """Return the records of a part's *views* that belong to *table*, duplicates included.

    *wanted* are the rows that were asked for: they tell equal rows apart.
    Where *speaks_of* denies what stands around a record, it is another
    thing's.  A record whose key is the table's but whose values differ is a
    hit without a row: it is not what the table holds.
    """
    if table.rows is None:
        return ()
    finder = _Finder(table, wanted)
    found = (finder.found(record) for record in _records(views, finder.may_be, speaks_of))
    hits = [hit for hit in found if hit is not None]
    return tuple(_told_apart(list(_without_envelopes(hits))))


class _Finder:
    def __init__(self, table: VersionText, wanted: Sequence[Span]) -> None:
        self._records = table.records or ()
        self._table = table
        self._key = table.version.table.key if table.version.table else None
        self._wanted = wanted

    def may_be(self, node: Node) -> bool:
        """Whether an object has the keys that a record of the table must have."""
        if self._key:
            return node.get(self._key) is not None
        return frozenset(child.key or "" for child in node.children) in self._table.shapes

    def found(self, record: _Record) -> _Found | None:
        value, place = record.value, record.place
        name = value[self._key] if self._key else value
        named = [n for n in self._table.row_places.get(canonical(name), ()) if self._is(n, name)]
        rows = [n for n in named if self._agrees(n, value)]
        if not rows and not self._key:
            return None
        key = _plain(record.node.get(self._key)) if self._key else None
        if not rows:
            same = self._same(named[0], value) if named else frozenset[str]()
            return _Found((), key, same, whole=False, place=place)
        asked = [n for n in rows if any(s.start <= n < s.end for s in self._wanted)] or rows
        fields = frozenset.intersection(*(self._same(n, value) for n in asked))
        whole = all(fields == self._records[n].keys() for n in asked)
        return _Found(tuple(asked), key, fields, whole, place)

    def _is(self, number: int, name: object) -> bool:
        row = self._records[number]
        return (row[self._key] if self._key else row) == name

    def _agrees(self, number: int, value: Record) -> bool:
        row = self._records[number]
        return all(value[name] == row[name] for name in value if name in row)

    def _same(self, number: int, value: Record) -> frozenset[str]:
        row = self._records[number]
        return frozenset(name for name in value if name in row and value[name] == row[name])


def _told_apart(found: Sequence[_Found]) -> Iterator[RowHit]:
    """Tell equal rows apart by their order, which is sure only where all of them came."""
    came = Counter(hit.rows for hit in found)
    used: Counter[tuple[int, ...]] = Counter()
    for hit in found:
        if not hit.rows:
            yield RowHit(None, hit.key, hit.fields, hit.whole, hit.place)
            continue
        row = hit.rows[min(used[hit.rows], len(hit.rows) - 1)]
        used[hit.rows] += 1
        key = row if hit.key is None else hit.key
        certain = came[hit.rows] >= len(hit.rows)
        yield RowHit(row, key, hit.fields, hit.whole, hit.place, certain)


def _without_envelopes(found: Sequence[_Found]) -> Iterator[_Found]:
    """Leave out what is no row and holds rows: the object around an answer has an id too."""
    starts = sorted(hit.place.start for hit in found if hit.rows)
    for hit in found:
        inner = bisect_right(starts, hit.place.start)
        if hit.rows or inner == len(starts) or starts[inner] >= hit.place.end:
            yield hit


def _plain(node: Node | None) -> object:
    """The key as a report shows it."""
    if node is None or node.kind != "number":
        return node.value if node else None
    try:
        return json.loads(str(node.value))
    except ValueError:  # more digits than Python takes
        return node.value


def _records(
    views: Iterable[View], may_be: Callable[[Node], bool], speaks_of: Callable[[Names], bool]
) -> Iterator[_Record]:
    seen: set[Span] = set()
    for view in views:
        if view.is_preview:
            continue
        text = view.content.text
        for node, names in _objects(json_roots(text), view.names):
            place = view.origin(node.span)
            if place in seen or not node.complete:
                continue
            seen.add(place)
            if not may_be(node) or not speaks_of(names):
                continue
            try:
                value = exact(text[node.start : node.end])
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield _Record(node, value, place)


def _objects(roots: Sequence[Node], around: Names) -> Iterator[tuple[Node, Names]]:
    """Yield every object with what the objects around it name."""
    waiting = [(root, around) for root in reversed(roots)]
    while waiting:
        node, names = waiting.pop()
        if node.kind == "object":
            yield node, names
            names = names.inside(node)
        waiting.extend((child, names) for child in reversed(node.children))
