"""A filter as a tree, and its written form.

Conditions that are joined the same way lie side by side, never inside each
other, so that a tree is written in one way only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.filter.columns import Columns, Op
from reviewer.filter.lexer import KEYWORDS, is_plain, quoted

__all__ = [
    "EVERYTHING",
    "All",
    "AnyOf",
    "Compare",
    "Contains",
    "Not",
    "OneOf",
    "Tree",
    "all_of",
    "any_of",
    "columns_of",
    "written",
]


@dataclass(frozen=True, slots=True)
class Contains:
    """Some searched column contains ``text``, whatever its case."""

    text: str


@dataclass(frozen=True, slots=True)
class Compare:
    """The value of ``column`` stands in this relation to ``value``.

    A row without a value is unequal to every value and in no other relation.
    """

    column: str
    op: Op
    value: str | int


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value of ``column`` is one of ``values``."""

    column: str
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    of: Tree


@dataclass(frozen=True, slots=True)
class All:
    """Every condition holds; none at all is true of each row."""

    of: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of two or more conditions holds."""

    of: tuple[Tree, ...]


Tree = Contains | Compare | OneOf | Not | All | AnyOf

EVERYTHING = All(())
"""The filter that hides nothing."""


def all_of(*trees: Tree) -> Tree:
    """Return the tree that holds where all of *trees* do."""
    flat = [part for tree in trees for part in (tree.of if isinstance(tree, All) else (tree,))]
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def any_of(first: Tree, *others: Tree) -> Tree:
    """Return the tree that holds where one of them does."""
    trees = (first, *others)
    flat = [part for tree in trees for part in (tree.of if isinstance(tree, AnyOf) else (tree,))]
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def columns_of(tree: Tree) -> frozenset[str]:
    """Return the columns that a filter names."""
    return frozenset(_columns(tree))


def _columns(tree: Tree) -> Iterator[str]:
    match tree:
        case Compare() | OneOf():
            yield tree.column
        case Not():
            yield from _columns(tree.of)
        case All() | AnyOf():
            for part in tree.of:
                yield from _columns(part)


def written(tree: Tree, columns: Columns) -> str:
    """Return the filter as it is written; `parse` gives the same tree back."""
    match tree:
        case All():
            return " and ".join(_inside(part, columns) for part in tree.of)
        case AnyOf():
            return " or ".join(
                written(part, columns)
                if isinstance(part, All) and part.of
                else _inside(part, columns)
                for part in tree.of
            )
        case Not():
            return f"not {_inside(tree.of, columns)}"
        case Compare():
            return f"{tree.column} {tree.op.value} {_value(tree.value)}"
        case OneOf():
            return f"{tree.column} in ({', '.join(map(_value, tree.values))})"
        case Contains():
            bare = is_plain(tree.text) and tree.text.lower() not in KEYWORDS
            return tree.text if bare and tree.text not in columns else quoted(tree.text)


def _inside(tree: Tree, columns: Columns) -> str:
    text = written(tree, columns)
    return f"({text})" if isinstance(tree, All | AnyOf) else text


def _value(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    return value if is_plain(value) else quoted(value)
