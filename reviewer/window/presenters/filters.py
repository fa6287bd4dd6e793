"""What the filter says, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reviewer.display import one_line
from reviewer.filter.lexer import Fault, FilterError
from reviewer.window.i18n import tr, trn

__all__ = ["fault_words", "rows_words", "shown_words"]


def fault_words(error: FilterError) -> str:
    """Return what is wrong with a filter, at which character and what was expected."""
    values = {name: one_line(value) for name, value in error.values.items()}
    what = _FAULTS[error.fault](values)
    return tr("Character {number}: {what}", number=error.span.start + 1, what=what)


_Values = Mapping[str, str]

_FAULTS: Mapping[Fault, Callable[[_Values], str]] = {
    Fault.TOO_LONG: lambda v: tr("a filter has at most {limit} characters", **v),
    Fault.TOO_DEEP: lambda v: tr("brackets and 'not' stand more than {limit} deep", **v),
    Fault.QUOTE_OPEN: lambda _: tr('the quoted text is not closed, " is missing'),
    Fault.BAD_ESCAPE: lambda _: tr(r'in quotes, \ stands before \, ", n, r, t or u{…}'),
    Fault.STRAY: lambda v: tr("{found} stands in a text only in quotes", **v),
    Fault.CONDITION: lambda _: tr("a column, a word, 'not' or ( is expected"),
    Fault.OPERATOR: lambda v: tr(
        "after {column} one of {expected} is expected; in quotes it is a word to look for", **v
    ),
    Fault.NOT_FOR_COLUMN: lambda v: tr(
        "{found} means nothing for {column}; one of {expected} is expected", **v
    ),
    Fault.VALUE: lambda v: tr("a value for {column} is expected", **v),
    Fault.NUMBER: lambda v: tr("{column} is compared with a whole number", **v),
    Fault.CHOICE: lambda v: tr("{column} is one of {expected}", **v),
    Fault.NO_COLUMN: lambda v: tr("no column is called {found}; there are {expected}", **v),
    Fault.LIST_OPEN: lambda _: tr("( is expected after 'in'"),
    Fault.LIST_GOES_ON: lambda _: tr("a comma or ) is expected"),
    Fault.CLOSE: lambda _: tr(") is expected"),
    Fault.END: lambda _: tr("'and', 'or' or the end is expected"),
}


def shown_words(shown: int, total: int) -> str:
    """Return how much of a table a filter shows."""
    return tr("{shown} of {total} shown", shown=f"{shown:,}", total=f"{total:,}")


def rows_words(count: int) -> str:
    """Return how many rows a group has."""
    return trn("one row", "{n} rows", count)
