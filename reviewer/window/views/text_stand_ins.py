"""Stand-ins of equal length for characters that a text layout folds, drops or obeys.

A view that shows evidence must show what nobody would see (a zero-width
character), what would end a line (U+2028), what would turn a sentence round (a
bidirectional control) and what Qt cannot hold (half of a surrogate pair).  Each
such character is shown as exactly one other character, so that every position
on screen is the position in the record.  What is a stand-in is drawn apart
(`stand_in_places`): a text may hold the very character that stands in.

Joiners, variation selectors and tags stay where writing needs them: inside
emoji sequences, after ideographs and in scripts that are joined.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["name_of", "shown", "stand_in_places"]

_TO_RIGHT, _TO_LEFT, _BACK = "\u25b8", "\u25c2", "\u25aa"
_NOTHING, _HALF, _NO_CHARACTER = "\u25ab", "\u25c7", "\u25a1"

# Few fonts have pictures of controls.  The letter of the key that types one is in all of them, is
# known from editors, and cannot be taken for a letter of the text because of how it is drawn.
_TABLE: dict[int, str] = {code: chr(0x40 + code) for code in range(0x20) if code not in (9, 10)}
_TABLE |= {0x7F: "?"} | dict.fromkeys(range(0x80, 0xA0), "\u2021") | {0x85: "\u21b5"}
_TABLE |= {0x2028: "\u21b5", 0x2029: "\u00b6"}
_TABLE |= dict.fromkeys((0x200E, 0x202A, 0x202D, 0x2066, 0x2068), _TO_RIGHT)
_TABLE |= dict.fromkeys((0x061C, 0x200F, 0x202B, 0x202E, 0x2067), _TO_LEFT)
_TABLE |= dict.fromkeys((0x202C, 0x2069), _BACK)
_TABLE |= dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x2060, 0x2066), *range(0x206A, 0x2070), *range(0xFFF0, 0xFFFC)),
        *(*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
    ),
    _NOTHING,
)
_TABLE |= dict.fromkeys((0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0x180B, 0x180E)), _NOTHING)
_TABLE |= dict.fromkeys(range(0xD800, 0xE000), _HALF)
_TABLE |= dict.fromkeys(range(0xFDD0, 0xFDF0), _NO_CHARACTER) | {0xFFFC: _NO_CHARACTER}
_TABLE |= {plane << 16 | low: _NO_CHARACTER for plane in range(17) for low in (0xFFFE, 0xFFFF)}
_ONE_BY_ONE = sorted(_TABLE.keys() - set(range(0xE0000, 0xE1000)))

_PLAIN = re.compile(
    "[^\t\n -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u3000-\u3163"
    "\u4e00-\u9fff\uff01-\uff9f]"
)
"""What is not surely plain; most lines have none and are shown as they are."""

_HIDDEN = re.compile(
    "[" + "".join(re.escape(chr(code)) for code in _ONE_BY_ONE) + "\U000e0000-\U000e0fff]"
)

_PICTOGRAPH = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
)
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f"
_NEEDED = re.compile(
    # a flag of a region: black flag, tags, end tag
    "\U0001f3f4[\U000e0020-\U000e007e]{1,7}\U000e007f"
    # one pictograph, or several joined to one picture
    f"|{_PICTOGRAPH}(?:\u200d{_PICTOGRAPH})*"
    # a key cap
    "|[0-9#*]\ufe0f\u20e3"
    # an ideograph with the form that its writer chose
    "|[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    # a joiner or selector between letters of a script that is joined
    f"|(?<=[{_JOINED}])[\u200c\u200d\u180b-\u180d](?=[{_JOINED}])"
)


def shown(text: str) -> str:
    r"""Return *text* as it is drawn: of the same length in code points, nothing hidden in it.

    Tabs and line feeds stay.

    >>> shown("a\r\x00\u202e\ud83d")
    'aM@◂◇'
    """
    places = stand_in_places(text)
    if not places:
        return text
    chars = list(text)
    for place in places:
        chars[place] = _TABLE[ord(chars[place])]
    return "".join(chars)


def stand_in_places(text: str) -> tuple[int, ...]:
    """Return the code points of *text* that are drawn as another character, ascending."""
    if text.isascii() and text.isprintable():
        return ()
    if not _PLAIN.search(text):
        return ()
    hidden = [found.start() for found in _HIDDEN.finditer(text)]
    if not hidden:
        return ()
    needed: set[int] = set()
    for found in _NEEDED.finditer(text):
        needed.update(range(found.start(), found.end()))
    return tuple(place for place in hidden if place not in needed)


def name_of(char: str) -> str:
    """Return what *char* is, in Unicode's own words: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    code = ord(char)
    return f"U+{code:04X} {unicodedata.name(char, '') or _unnamed(code)}"


def _unnamed(code: int) -> str:
    if code in range(0x20) or code in range(0x7F, 0xA0):
        return _CONTROLS.get(code, "CONTROL")
    if code in range(0xD800, 0xE000):
        return "LONE SURROGATE"
    if _TABLE.get(code) == _NO_CHARACTER:
        return "NONCHARACTER"
    return "UNASSIGNED"


_CONTROLS = {
    0x00: "NULL",
    0x08: "BACKSPACE",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
}
