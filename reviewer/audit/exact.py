"""JSON values that are equal only where the recorded values are.

Python holds ``true`` and ``1`` for equal, and two numbers that differ behind
the 17th digit for one.  Here a number keeps its kind and all its digits, and
an object that names a key twice is no object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

__all__ = ["Record", "canonical", "exact"]

Record = Mapping[str, object]


def exact(text: str) -> object:
    """Return the value of the JSON *text*; compare such values with ``==`` only.

    Raises `ValueError`, and `RecursionError` where it is nested too deeply.
    """
    return json.loads(
        text,
        strict=False,
        parse_int=_whole,
        parse_float=_fraction,
        parse_constant=_whole,
        object_pairs_hook=_object,
    )


def canonical(value: object) -> str:
    """Return a text that is the same for equal values; different ones may share it."""
    return json.dumps(value, sort_keys=True, default=lambda fraction: str(hash(fraction)))


def _whole(text: str) -> tuple[str]:
    return (text,)


def _fraction(text: str) -> tuple[Decimal] | tuple[str]:
    try:
        return (Decimal(text),)
    except InvalidOperation:  # an exponent that no number needs
        return (text,)


def _object(pairs: list[tuple[str, object]]) -> object:
    members = dict(pairs)
    return members if len(members) == len(pairs) else tuple(pairs)
