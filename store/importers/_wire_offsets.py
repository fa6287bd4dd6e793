"""Where in a text a provider's numbers lead: the documented unit first, then the others.

The words are the truth and the numbers a hint: numbers that miss are kept, and
the place of the words is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeGuard

from store.records.citations import Offsets
from store.records.text import InsideCharacterError, OutsideTextError, Span, TextIndex

__all__ = ["CODEPOINT", "UTF8", "UTF16", "Fitted", "fit"]

CODEPOINT: Final = "codepoint"
UTF16: Final = "utf16"
UTF8: Final = "utf8byte"
_UNITS: Final = (CODEPOINT, UTF16, UTF8)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Where the words stand, in code points, what the numbers were, and what is wrong.

    ``span`` is the place of the words where it is known, else the documented
    place where that lies in the text.
    """

    span: Span | None
    offsets: Offsets | None
    malformed: str = ""


def fit(  # noqa: PLR0913 - a place has this many properties
    index: TextIndex,
    start: object,
    end: object,
    words: str | Callable[[str], bool],
    documented: str = CODEPOINT,
    *,
    inclusive: bool = False,
) -> Fitted:
    """Return where *start* to *end* lead in the text of *index*.

    *words* are what should stand there, or a test of what stands there.
    """
    if not (_whole(start) and _whole(end)):
        return Fitted(None, None, f"from {start} to {end} is no place")
    if start > end:
        return Fitted(None, Offsets(start, end, documented), f"from {start} to {end} is no place")
    stop = end + 1 if inclusive else end
    fits: list[str] = []
    found: Span | None = None
    units = (documented, *(unit for unit in _UNITS if unit != documented))
    place = _span(index, start, stop, documented)
    for unit in units:
        span = _span(index, start, stop, unit)
        if span is None or not _holds(index.text[span.start : span.end], words):
            continue
        fits.append(unit)
        found = found or span
    drift = 0 if found is not None and fits[0] == documented else None
    if found is None and isinstance(words, str):
        found = _once(index.text, words)
    if drift is None and found is not None:
        drift = _in(index, found.start, documented) - start
    offsets = Offsets(start, end, documented, tuple(fits), drift, inclusive)
    if found is None and place is None:
        size = _in(index, len(index.text), documented)
        return Fitted(None, offsets, f"{start} to {end} is outside the text, which has {size}")
    return Fitted(found or place, offsets)


def _holds(text: str, words: str | Callable[[str], bool]) -> bool:
    return text == words if isinstance(words, str) else words(text)


def _once(text: str, words: str) -> Span | None:
    at = text.find(words) if words else -1
    if at < 0 or text.find(words, at + 1) >= 0:
        return None
    return Span(at, at + len(words))


def _span(index: TextIndex, start: int, end: int, unit: str) -> Span | None:
    try:
        if unit == UTF16:
            return Span(index.from_utf16(start), index.from_utf16(end))
        if unit == UTF8:
            return Span(index.from_utf8(start), index.from_utf8(end))
    except (InsideCharacterError, OutsideTextError):
        return None
    return Span(start, end) if end <= len(index.text) else None


def _in(index: TextIndex, position: int, unit: str) -> int:
    if unit == UTF16:
        return index.to_utf16(position)
    return index.to_utf8(position) if unit == UTF8 else position


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
