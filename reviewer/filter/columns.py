"""What a table tells the filter about its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

__all__ = ["Column", "Columns", "Kind", "Op", "by_name"]


class Op(Enum):
    """A comparison as it is written."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    CONTAINS = "~"
    LACKS = "!~"


_ALIKE = (Op.EQUAL, Op.UNEQUAL)
_ORDER = (Op.LESS, Op.AT_MOST, Op.MORE, Op.AT_LEAST)
_PART = (Op.CONTAINS, Op.LACKS)


class Kind(Enum):
    """What the values of a column are.

    ``TEXT`` is any text, ``CHOICE`` one of a few words, ``ORDER`` one of a few
    words from the least to the greatest, ``NUMBER`` a whole number.
    """

    TEXT = "text"
    CHOICE = "choice"
    ORDER = "order"
    NUMBER = "number"

    @property
    def ops(self) -> tuple[Op, ...]:
        """The comparisons that mean something for such values."""
        return _OPS[self]


_OPS = {
    Kind.TEXT: (*_ALIKE, *_PART),
    Kind.CHOICE: (*_ALIKE, *_PART),
    Kind.ORDER: (*_ALIKE, *_ORDER, *_PART),
    Kind.NUMBER: (*_ALIKE, *_ORDER),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column as the filter knows it.

    ``name`` is its word, lower case letters and ``_``.  ``values`` are all
    words of a choice, in their order; for text they are proposals only.
    ``searched`` says whether a word that stands alone is looked for here.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    searched: bool = False


Columns = Mapping[str, Column]
"""The columns of a table by their word, in the order of the table."""


def by_name(columns: Iterable[Column]) -> Columns:
    """Return *columns* by their word."""
    return {column.name: column for column in columns}
