"""Text of unknown origin, made safe to look at, and laid out in columns.

Evidence is data: an escape sequence in it must not move a cursor, a
bidirectional control must not turn a sentence round, and half a character must
not end a program.  Everything that reaches a terminal or a page goes through
`visible` first.  Nothing here prints.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "Column",
    "fit",
    "indented",
    "one_line",
    "pad",
    "pieces",
    "table",
    "visible",
    "whole_characters",
    "width",
    "wrap",
]

_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"

# C0 without tab and line feed, DEL and C1, soft hyphen, Arabic letter mark, Mongolian separator,
# zero-width space, direction marks, separators, embeddings, joiner and operators, isolates,
# surrogates, byte order mark, annotations, tags.  The joiners U+200C and U+200D stay: scripts and
# emoji are written with them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Return *text* with what a terminal would obey, or nobody would see, made visible.

    A control character becomes its picture of the same length (U+2400 and
    following); what has no picture is written ``\u{202E}``.  Tab and line
    feed stay.

    >>> visible("a\x1b[2Jb\u202e")
    'a␛[2Jb\\u{202E}'
    """
    return _HIDDEN.sub(_stand_in, text)


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < ord(" "):
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"\\u{{{code:X}}}"


_HALVES = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> tuple[str, int]:
    r"""Return *text* with U+FFFD for each half character, and how many there are.

    Two halves that follow each other stay two: joined they would be a
    character that the record does not hold.

    >>> whole_characters("a\ud83d\ude00") == ("a\ufffd\ufffd", 2)
    True
    """
    return _HALVES.subn("\ufffd", text)


def one_line(text: str) -> str:
    """Return *text* visible and on one line: line feeds and tabs become pictures too."""
    return visible(text).replace("\n", "\u240a").replace("\t", "\u2409")


def width(text: str) -> int:
    """Return how many columns *text* takes in a terminal; wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 0 if unicodedata.category(char) in {"Mn", "Me", "Cf"} else 1


def pad(text: str, columns: int) -> str:
    """Return *text* followed by as many spaces as fill *columns*."""
    return text + " " * (columns - width(text))


def fit(text: str, columns: int) -> str:
    """Return *text* on one line in at most *columns*; a mark says how many characters are left out.

    >>> fit("abcdefghijklmnop", 12)
    'abcdef…8…op'
    """
    if len(text) <= columns and width(text := one_line(text)) <= columns:
        return text
    room = columns - len(f"…{len(text)}…")
    head = _head(one_line(text[:columns]), room - room // 3)
    tail = _head(one_line(text[-columns:])[::-1], room // 3)[::-1]
    return f"{head}…{len(text) - len(head) - len(tail)}…{tail}"


def _head(text: str, columns: int) -> str:
    used = 0
    for place, char in enumerate(text):
        used += _columns(char)
        if used > columns:
            return text[:place]
    return text


def wrap(text: str, columns: int, whole: Sequence[str] = ()) -> list[str]:
    """Return *text* as lines of at most *columns* where its words allow it.

    A line is broken at spaces and, in scripts that write none, between wide
    characters: never inside a word, nor in one of the texts of *whole* (ids
    and paths, which may hold spaces), so that what is copied from it is what
    was meant.  A longer word makes a longer line.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for piece in pieces(paragraph, whole):
            if used and used + width(piece.rstrip(" ")) > columns:
                lines.append(line.rstrip(" "))
                line, used = "", 0
            line, used = line + piece, used + width(piece)
        lines.append(line.rstrip(" "))
    return lines


_WORD = re.compile(r"[^ ]+")
_STOPS = "\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f"
_CLOSING = _STOPS + "\uff09\u3011\u300b\u300d\u300f\u201d\u2019\u2026"
_CLAUSE = re.compile(f"[^{_STOPS}]+[{_CLOSING}]*|[{_CLOSING}]+")
_OPENING = "\uff08\u3010\u300a\u300c\u300e\u201c\u2018"
_NAME = re.compile(r"[/\\@#_]|\w[.:]\w")
"""What makes a word without spaces look like an id, a path or a place."""


def pieces(text: str, whole: Sequence[str] = ()) -> Iterator[str]:
    """Yield pieces between which a line may be broken; spaces stand at the end of a piece."""
    kept = [(at, at + len(name)) for name in whole if name for at in _all(text, name)]
    start = 0
    for place in sorted(_breaks(text)):
        if place > start and not any(begin < place < end for begin, end in kept):
            yield text[start:place]
            start = place
    if start < len(text):
        yield text[start:]


def _all(text: str, name: str) -> Iterator[int]:
    found = text.find(name)
    while found >= 0:
        yield found
        found = text.find(name, found + len(name))


def _breaks(text: str) -> set[int]:
    """Return the places in *text* before which a line may be broken."""
    places: set[int] = set()
    for word in _WORD.finditer(text):
        places.add(word.start())
        if word[0].isascii():
            continue
        for clause in _CLAUSE.finditer(word[0]):
            start = word.start() + clause.start()
            places.add(start)
            if not _NAME.search(clause[0]):
                places.update(start + inner for inner in _between_wide(clause[0]))
    return places


def _between_wide(text: str) -> Iterator[int]:
    """Yield the places beside wide characters where a line may be broken."""
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        wide = _columns(before) > 1 or _columns(after) > 1
        if wide and _columns(after) and before not in _OPENING and after not in _CLOSING:
            yield place


def indented(text: str, indent: str, columns: int, whole: Sequence[str] = ()) -> Iterator[str]:
    """Yield *text* wrapped into *columns*, each line behind *indent*; see `wrap`."""
    for line in wrap(text, max(20, columns - width(indent)), whole):
        yield f"{indent}{line}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading and its greatest width; 0 takes what is left.

    The cells of a column that is ``whole`` are ids or paths and stay on one
    line; such a column stands best at the end, where a long cell moves nothing.
    """

    heading: str
    limit: int = 0
    whole: bool = False


def table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    total: int,
    below: Sequence[str] = (),
    indent: str = "  ",
) -> Iterator[str]:
    """Yield the lines of a table *total* columns wide; long cells are wrapped, never cut.

    Cells must be visible already.  Columns are as narrow as their text
    allows; a word that is longer than its room makes a longer line.  *below*
    gives for each row a text that stands under it.
    """
    held = [list(row) for row in rows]
    widths = _widths(columns, held, total - len(indent))
    yield from _row([[column.heading] for column in columns], widths, indent)
    yield indent + "  ".join("─" * size for size in widths)
    for number, row in enumerate(held):
        cells = [
            cell.split("\n") if column.whole else wrap(cell, size)
            for column, cell, size in zip(columns, row, widths, strict=True)
        ]
        yield from _row(cells, widths, indent)
        if below:
            names = [cell for column, cell in zip(columns, row, strict=True) if column.whole]
            yield from indented(below[number], indent + " " * (widths[0] + 2), total, names)


def _row(cells: list[list[str]], widths: list[int], indent: str) -> Iterator[str]:
    for line in range(max(len(cell) for cell in cells)):
        parts = [
            pad(cell[line] if line < len(cell) else "", size)
            for cell, size in zip(cells, widths, strict=True)
        ]
        yield (indent + "  ".join(parts)).rstrip(" ")


def _widths(columns: Sequence[Column], rows: list[list[str]], total: int) -> list[int]:
    found = []
    for place, column in enumerate(columns):
        cells = [column.heading, *(row[place] for row in rows)]
        widest = max(map(_longest, cells))
        least = widest if column.whole else max(map(_least, cells))
        found.append(min(widest, max(column.limit, least)) if column.limit else widest)
    room = total - 2 * (len(columns) - 1)
    for place, column in enumerate(columns):
        if not column.limit:
            # The last column may run over: nothing stands behind it.
            last = place == len(columns) - 1
            cells = [] if last else [row[place] for row in rows]
            least = max(map(_longest if column.whole else _least, cells), default=0)
            others = sum(found) - found[place]
            found[place] = max(16, least, min(found[place], room - others))
    return found


def _longest(cell: str) -> int:
    return max(width(line) for line in cell.split("\n"))


def _least(cell: str) -> int:
    """Return how wide the longest word of *cell* is."""
    return max((width(piece.rstrip(" ")) for piece in pieces(cell.replace("\n", " "))), default=0)
