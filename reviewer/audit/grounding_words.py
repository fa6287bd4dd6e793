"""Texts made comparable for grounding: one folding that keeps places, one that keeps only ink."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["fold", "ink", "ink_of", "without_links"]

_SAME_PLACE = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},  # full-width ASCII
    **dict.fromkeys(map(ord, "\u3000\u2007"), ord(" ")),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032"), ord("'")),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033"), ord('"')),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u301c"), ord("-")),
}
_TO_FOLD = re.compile(f"(?![\0-\x7f])[{''.join(map(chr, _SAME_PLACE))}\\d]")


def fold(text: str) -> str:
    """Return *text* with full-width forms, digits of every script, dashes and quotes as ASCII.

    Every character stays at its place, so spans of one are spans of the other.
    """
    return text if text.isascii() else _TO_FOLD.sub(_folded, text)


def _folded(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_SAME_PLACE[code]) if code in _SAME_PLACE else str(unicodedata.decimal(found[0]))


_NO_INK = {code: None for code in range(128) if not chr(code).isalnum()}
_INK = re.compile(r"[^\W_]+")


def ink(text: str) -> str:
    """Return the letters and digits of *text*, case folded: what a quotation is compared by.

    Punctuation, marks of markup, escapes and white space are no difference.
    """
    return ink_of(fold(text))


def ink_of(folded: str) -> str:
    """Return the same of a text that is folded already."""
    if folded.isascii():
        return folded.translate(_NO_INK).lower()
    return "".join(_INK.findall(folded)).casefold()


_TARGET = re.compile(r"\]\([^()\[\]\s]*\)")


def without_links(text: str) -> str:
    """Return *text* without the targets of Markdown's links: as a page shows it to a reader."""
    return _TARGET.sub("]", text) if "](" in text else text
