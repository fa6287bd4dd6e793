"""Reads a filter.

::

    filter     = [ either ]
    either     = both { "or" both }
    both       = condition { [ "and" ] condition }
    condition  = "not" condition | "(" either ")" | comparison | text
    comparison = column op value | column [ "not" ] "in" "(" value { "," value } ")"

A text is a word or stands in quotes.  The name of a column that stands alone
is an error and no text, so that ``call 3`` does not pass for ``call == 3``.
"""

from __future__ import annotations

from typing import NoReturn

from reviewer.filter.columns import Column, Columns, Kind, Op
from reviewer.filter.lexer import Fault, FilterError, Mark, Token, tokens
from reviewer.filter.tree import (
    EVERYTHING,
    Compare,
    Contains,
    Not,
    OneOf,
    Tree,
    all_of,
    any_of,
)

__all__ = ["MAX_DEPTH", "parse"]

MAX_DEPTH = 50
_DIGITS = 18


def parse(text: str, columns: Columns) -> Tree:
    """Return the tree of *text*; an empty text hides nothing.  Raises `FilterError`."""
    return _Parser(tokens(text), columns).whole()


class _Parser:
    def __init__(self, found: tuple[Token, ...], columns: Columns) -> None:
        self.tokens = found
        self.columns = columns
        self.place = 0
        self.depth = 0

    def whole(self) -> Tree:
        if self.next().mark is Mark.END:
            return EVERYTHING
        tree = self.either()
        if self.next().mark is not Mark.END:
            self.fail(Fault.END)
        return tree

    def either(self) -> Tree:
        found = [self.both()]
        while self.next().keyword() == "or":
            self.take()
            found.append(self.both())
        return any_of(*found)

    def both(self) -> Tree:
        found = [self.condition()]
        while self.next().mark not in {Mark.END, Mark.CLOSE} and self.next().keyword() != "or":
            if self.next().keyword() == "and":
                self.take()
            elif self.next().mark not in {Mark.WORD, Mark.QUOTED, Mark.OPEN}:
                self.fail(Fault.END)
            found.append(self.condition())
        return all_of(*found)

    def condition(self) -> Tree:
        token = self.next()
        if token.keyword() == "not" or token.mark is Mark.OPEN:
            return self.deeper()
        if token.mark not in {Mark.WORD, Mark.QUOTED} or token.keyword():
            self.fail(Fault.CONDITION)
        self.take()
        if token.mark is Mark.WORD and token.text in self.columns:
            return self.comparison(self.columns[token.text])
        if token.mark is Mark.WORD and self.next().mark is Mark.OP:
            known = ", ".join(self.columns)
            raise FilterError(Fault.NO_COLUMN, token.span, found=token.text, expected=known)
        return Contains(token.text)

    def deeper(self) -> Tree:
        token = self.take()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FilterError(Fault.TOO_DEEP, token.span, limit=MAX_DEPTH)
        if token.mark is Mark.OPEN:
            tree = self.either()
            if self.next().mark is not Mark.CLOSE:
                self.fail(Fault.CLOSE)
            self.take()
        else:
            tree = Not(self.condition())
        self.depth -= 1
        return tree

    def comparison(self, column: Column) -> Tree:
        token = self.next()
        if token.keyword() == "in":
            self.take()
            return self.one_of(column)
        if token.keyword() == "not" and self.tokens[self.place + 1].keyword() == "in":
            self.take()
            self.take()
            return Not(self.one_of(column))
        expected = ", ".join(op.value for op in column.kind.ops)
        if token.mark is not Mark.OP:
            self.fail(Fault.OPERATOR, column=column.name, expected=f"{expected}, in")
        op = Op(token.text)
        if op not in column.kind.ops:
            found = token.text
            self.fail(Fault.NOT_FOR_COLUMN, column=column.name, found=found, expected=expected)
        self.take()
        part = op in {Op.CONTAINS, Op.LACKS}
        return Compare(column.name, op, self.value(column, part=part))

    def one_of(self, column: Column) -> OneOf:
        if self.next().mark is not Mark.OPEN:
            self.fail(Fault.LIST_OPEN)
        self.take()
        values = [self.value(column)]
        while self.next().mark is Mark.COMMA:
            self.take()
            values.append(self.value(column))
        if self.next().mark is not Mark.CLOSE:
            self.fail(Fault.LIST_GOES_ON)
        self.take()
        return OneOf(column.name, tuple(values))

    def value(self, column: Column, *, part: bool = False) -> str | int:
        token = self.next()
        if token.mark not in {Mark.WORD, Mark.QUOTED}:
            self.fail(Fault.VALUE, column=column.name)
        if column.kind is Kind.NUMBER:
            digits = token.text.removesuffix("%")
            if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
                self.fail(Fault.NUMBER, column=column.name)
            self.take()
            return int(digits)
        closed = column.kind in {Kind.CHOICE, Kind.ORDER} and not part
        if closed and token.text not in column.values:
            self.fail(Fault.CHOICE, column=column.name, expected=", ".join(column.values))
        self.take()
        return token.text

    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.tokens[self.place]
        self.place += token.mark is not Mark.END
        return token

    def fail(self, fault: Fault, **values: str) -> NoReturn:
        raise FilterError(fault, self.next().span, **values)
