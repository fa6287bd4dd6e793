"""Answers a filter, and sorts, for a million rows at once.

Each column is asked for once, as a whole, and kept as an array: numbers as
they are, texts as numbers of a list of the different ones.  A comparison then
looks at each different text once.  `Query` is made off the interface thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from reviewer.filter.columns import Column, Columns, Kind, Op
from reviewer.filter.tree import (
    EVERYTHING,
    All,
    AnyOf,
    Compare,
    Contains,
    Not,
    OneOf,
    Tree,
)

__all__ = ["Arrays", "Query", "Rows", "Source"]

Rows = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]
_NONE: Final = np.iinfo(np.int64).min
"""Stands for a row without a value."""


class Source(Protocol):
    """A table as the filter needs it."""

    @property
    def columns(self) -> Columns:
        """Its columns."""

    def __len__(self) -> int:
        """How many rows there are."""

    def values(self, column: str) -> Sequence[str | int | None]:
        """Return the value of each row; ``None`` where it has none."""


@dataclass(frozen=True, slots=True)
class Query:
    """Which rows are wanted, and in what order.

    Rows come grouped by ``group`` if it is given, then sorted by ``sort``,
    then in the order of the table.  Rows without a value come last.
    """

    tree: Tree = EVERYTHING
    sort: str = ""
    descending: bool = False
    group: str = ""


class _Held:
    """One column: codes into its different values, their order, and the values."""

    def __init__(self, column: Column, values: Sequence[str | int | None]) -> None:
        self.column = column
        if column.kind is Kind.NUMBER:
            numbers = (_NONE if value is None else int(value) for value in values)
            self.codes: Rows = np.fromiter(numbers, np.int64, len(values))
            self.texts: list[str] = []
            return
        places: dict[str | int | None, int] = {None: _NONE}
        for value in values:
            if value not in places:
                places[value] = len(places) - 1
        self.codes = np.fromiter((places[value] for value in values), np.int64, len(values))
        self.texts = [str(value) for value in places if value is not None]
        self._folded: list[str] | None = None

    def where(self, wanted: Sequence[bool]) -> _Mask:
        """Return the rows whose text is wanted, given for each different text."""
        # The last entry is what code -1 finds: a row without a value.
        answers: _Mask = np.array([*wanted, False], np.bool_)
        found: _Mask = answers[np.where(self.codes == _NONE, -1, self.codes)]
        return found

    def containing(self, text: str) -> _Mask:
        if self.column.kind is Kind.NUMBER:
            return np.zeros(len(self.codes), np.bool_)
        if self._folded is None:
            self._folded = [value.casefold() for value in self.texts]
        wanted = text.casefold()
        return self.where([wanted in value for value in self._folded])

    def ranks(self) -> Rows:
        """Return numbers that sort as the values do."""
        if self.column.kind is Kind.NUMBER:
            return self.codes
        order = self._order()
        # The place of code -1, a row without a value, stays at the end.
        found: Rows = order[np.where(self.codes == _NONE, -1, self.codes)]
        return found

    def _order(self) -> Rows:
        words = {word: rank for rank, word in enumerate(self.column.values)}
        if self.column.kind is Kind.TEXT:
            words = {}
        keys = [(words.get(text, len(words)), text.casefold(), text) for text in self.texts]
        order: Rows = np.full(len(keys) + 1, _NONE, np.int64)
        for rank, place in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
            order[place] = rank
        return order


class Arrays:
    """The columns of one table, held from their first use on."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._held: dict[str, _Held] = {}

    def rows(self, query: Query) -> Rows:
        """Return the rows that *query* wants, in its order."""
        rows: Rows = np.flatnonzero(self.mask(query.tree)).astype(np.int64)
        if query.sort:
            rows = rows[self._sorted(query.sort, rows, descending=query.descending)]
        if query.group:
            rows = rows[self._sorted(query.group, rows, descending=False)]
        return rows

    def groups(self, column: str, rows: Rows) -> Rows:
        """Return the positions in grouped *rows* at which a group begins."""
        codes = self._column(column).codes[rows]
        starts = np.flatnonzero(codes[1:] != codes[:-1]) + 1
        return np.concatenate([np.zeros(min(1, len(rows)), np.int64), starts]).astype(np.int64)

    def mask(self, tree: Tree) -> _Mask:
        """Return for each row whether *tree* holds."""
        match tree:
            case Contains():
                return self._contains(tree.text)
            case Compare():
                return self._compare(tree)
            case OneOf():
                return self._one_of(tree)
            case Not():
                return ~self.mask(tree.of)
            case All():
                found: _Mask = np.ones(len(self._source), np.bool_)
                for part in tree.of:
                    found &= self.mask(part)
                return found
            case AnyOf():
                found = np.zeros(len(self._source), np.bool_)
                for part in tree.of:
                    found |= self.mask(part)
                return found

    def _contains(self, text: str) -> _Mask:
        found: _Mask = np.zeros(len(self._source), np.bool_)
        for column in self._source.columns.values():
            if column.searched:
                found |= self._column(column.name).containing(text)
        return found

    def _one_of(self, tree: OneOf) -> _Mask:
        held = self._column(tree.column)
        if held.column.kind is Kind.NUMBER:
            return np.isin(held.codes, np.array(tree.values, np.int64))
        return held.where([text in tree.values for text in held.texts])

    def _compare(self, tree: Compare) -> _Mask:
        held = self._column(tree.column)
        if tree.op in {Op.CONTAINS, Op.LACKS}:
            found = held.containing(str(tree.value))
            return found if tree.op is Op.CONTAINS else ~found
        if tree.op in {Op.EQUAL, Op.UNEQUAL}:
            same = self._one_of(OneOf(tree.column, (tree.value,)))
            return same if tree.op is Op.EQUAL else ~same
        numbers, bound = held.codes, tree.value
        if held.column.kind is not Kind.NUMBER:
            words = {word: rank for rank, word in enumerate(held.column.values)}
            ranks = np.array([*(words.get(text, _NONE) for text in held.texts), _NONE], np.int64)
            numbers = ranks[np.where(held.codes == _NONE, -1, held.codes)]
            bound = words[str(bound)]
        known: _Mask = numbers != _NONE
        return known & _ordered(tree.op, numbers, int(bound))

    def _sorted(self, column: str, rows: Rows, *, descending: bool) -> Rows:
        ranks = self._column(column).ranks()[rows]
        missing = ranks == _NONE
        keys = -ranks if descending else ranks.copy()
        keys[missing] = np.iinfo(np.int64).max
        order: Rows = np.argsort(keys, kind="stable")
        return order

    def _column(self, name: str) -> _Held:
        if name not in self._held:
            self._held[name] = _Held(self._source.columns[name], self._source.values(name))
        return self._held[name]


def _ordered(op: Op, numbers: Rows, bound: int) -> _Mask:
    if op is Op.LESS:
        return numbers < bound
    if op is Op.AT_MOST:
        return numbers <= bound
    return numbers > bound if op is Op.MORE else numbers >= bound
