"""One claim of an answer, and what a request must hold for it to stand."""

from __future__ import annotations

import re
from typing import NamedTuple

from reviewer.audit.grounding_dates import Key as DateKey
from reviewer.audit.grounding_find import SHORTEST
from reviewer.audit.grounding_numbers import Number
from reviewer.audit.grounding_words import ink
from store.records.findings import ClaimKind
from store.records.text import Span

__all__ = ["Claim", "Key", "Support", "whole_or_words", "words_of"]

Key = Number | DateKey | str
"""A number, something of a date or time, or letters and digits that stand in a row."""

Support = tuple[tuple[Key, ...], ...]
"""Readings of a claim: it stands where all keys of one of them do."""


class Claim(NamedTuple):
    """Something an answer says, at *span* of its text.

    ``is_own`` marks what the sentence proposes, or code in a block: that it
    stands nowhere says nothing.  ``words`` are those of a quotation: the model
    may sum up what it said itself.
    """

    span: Span
    kind: ClaimKind
    text: str
    support: Support
    is_own: bool = False
    words: tuple[str, ...] = ()


_PARTS = re.compile(r"[^\W]+", re.UNICODE)


def whole_or_words(written: str) -> Support:
    """Return the support of a name or of code: it stands as written, or all its words do."""
    whole = ink(written)
    parts = words_of(written)
    made: list[tuple[Key, ...]] = [(whole,)]
    if len(parts) > 1:
        made.append(parts)
    if whole.endswith("s") and len(whole) > SHORTEST:
        made.append((whole[:-1],))
    return tuple(made)


def words_of(written: str) -> tuple[str, ...]:
    """Return the words of *written* that are long enough to be looked for, as ink."""
    words = dict.fromkeys(ink(part) for part in _PARTS.findall(written))
    return tuple(word for word in words if len(word) >= SHORTEST)
