"""Text of unknown origin for files that other programs read: XML, SARIF, spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from reviewer.display import visible

__all__ = ["changed_texts", "safe", "shortened"]

_NONCHARACTERS = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")


def safe(text: str) -> str:
    r"""Return *text* with stand-ins for what XML 1.0 and many parsers of JSON refuse.

    Those are control characters, halves of characters, non-characters, and
    what would turn a line round unseen.  Tab and line feed stay.

    >>> safe("a\x00b\ud83dc\ufffe")
    'a␀b\\u{D83D}c\\u{FFFE}'
    """
    return _NONCHARACTERS.sub(lambda found: f"\\u{{{ord(found[0]):X}}}", visible(text))


def changed_texts(value: object, change: Callable[[str], str]) -> object:
    """Return *value*, plain data for JSON, with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: changed_texts(below, change) for key, below in value.items()}
    if isinstance(value, (list, tuple)):
        return [changed_texts(below, change) for below in value]
    return value


def shortened(text: str, limit: int) -> str:
    """Return *text* in about *limit* characters; what is left out is counted.

    >>> shortened("abcdefgh", 3)
    'abc … (5 characters more)'
    """
    left = len(text) - limit
    return text if left <= 0 else f"{text[:limit]} … ({left} characters more)"
