"""What could be typed next in a filter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.filter.columns import Column, Columns, Op
from reviewer.filter.lexer import FilterError, Mark, Token, is_plain, quoted, tokens
from store.records.text import Span

__all__ = ["Proposals", "propose"]

_LIMIT = 200
"""More proposals than that are no help; those that fit what is typed come first anyway."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """The words of which one may replace the code points ``span``; ``left_out`` more fit too."""

    span: Span
    words: tuple[str, ...] = ()
    left_out: int = 0


def propose(text: str, position: int, columns: Columns) -> Proposals:
    """Return what fits at code point *position* of *text*, between what stands before and after.

    Only what stands before the position counts; a word that the position
    touches is replaced.
    """
    position = min(max(position, 0), len(text))
    try:
        before = list(tokens(text[:position]))[:-1]
    except FilterError:
        return Proposals(Span(position, position))
    typed = ""
    span = Span(position, position)
    if before and before[-1].span.end == position and before[-1].mark in {Mark.WORD, Mark.OP}:
        last = before.pop()
        typed, span = last.text, Span(last.span.start, position)
        if last.mark is Mark.OP and _operators(before, columns):
            return _fitting(span, _operators(before, columns), typed)
        if last.mark is Mark.OP:
            return Proposals(span)
    return _fitting(span, _words(before, columns), typed)


def _fitting(span: Span, words: Iterable[str], typed: str) -> Proposals:
    """Words that begin with what is typed come before those that hold it elsewhere."""
    lower = typed.lower()
    holding = [word for word in words if lower in word.lower() and word != typed]
    holding.sort(key=lambda word: not word.lower().lstrip('"').startswith(lower))
    return Proposals(span, tuple(holding[:_LIMIT]), max(0, len(holding) - _LIMIT))


def _words(before: Sequence[Token], columns: Columns) -> Sequence[str]:
    column = _listed(before, columns)
    if column is not None:
        return _values(column) if before[-1].mark in {Mark.OPEN, Mark.COMMA} else (",", ")")
    operators = _operators(before, columns)
    if operators:
        return operators
    last = before[-1] if before else None
    if last is None or last.mark is Mark.OPEN or last.keyword() in {"and", "or", "not"}:
        return (*columns, "not")
    if last.mark is Mark.OP:
        return _values(_column(before[:-1], columns))
    return ("(",) if last.keyword() == "in" else ("and", "or", *columns)


def _column(tokens_: Sequence[Token], columns: Columns) -> Column | None:
    if not tokens_ or tokens_[-1].mark is not Mark.WORD:
        return None
    return columns.get(tokens_[-1].text)


def _operators(before: Sequence[Token], columns: Columns) -> tuple[str, ...]:
    """Return the comparisons of the column that stands last, unless it is a value itself."""
    column = _column(before, columns)
    is_value = len(before) > 1 and before[-2].mark is Mark.OP
    if column is None or is_value:
        return ()
    return (*(op.value for op in Op if op in column.kind.ops), "in")


def _listed(before: Sequence[Token], columns: Columns) -> Column | None:
    """Return the column in whose list of values the position is."""
    for place in range(len(before) - 1, -1, -1):
        mark = before[place].mark
        if mark is Mark.OPEN:
            if place and before[place - 1].keyword() == "in":
                name = before[: place - 1]
                if name and name[-1].keyword() == "not":
                    name = name[:-1]
                return _column(name, columns)
            return None
        if mark not in {Mark.WORD, Mark.QUOTED, Mark.COMMA}:
            return None
    return None


def _values(column: Column | None) -> tuple[str, ...]:
    if column is None:
        return ()
    return tuple(value if is_plain(value) else quoted(value) for value in column.values)
