"""A place of an answer that looks like a citation and is none; rules ask for it."""

from __future__ import annotations

from typing import NamedTuple

from store.records.text import Span

__all__ = ["Stray"]


class Stray(NamedTuple):
    """A place of an answer that has the shape of a citation and leads nowhere."""

    answer: int
    span: Span
    words: str
    pattern: str
