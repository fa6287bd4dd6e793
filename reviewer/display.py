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

__all__ = ["Column", "fit", "indented", "one_line", "pad", "table", "visible", "width", "wrap"]

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


def wrap(text: str, columns: int) -> list[str]:
    """Return *text* as lines of at most *columns*, broken at spaces and between wide characters."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph, columns):
            size = width(piece)
            if used and used + width(piece.rstrip(" ")) > columns:
                lines.append(line.rstrip(" "))
                line, used = "", 0
                piece = piece.lstrip(" ")  # noqa: PLW2901 - the space stood where the line ends
                size = width(piece)
            line, used = line + piece, used + size
        lines.append(line.rstrip(" "))
    return lines


def _pieces(text: str, columns: int) -> Iterator[str]:
    """Yield pieces between which a line may be broken; none is wider than *columns*."""
    piece, used = "", 0
    for char in text:
        size = _columns(char)
        wide = size > 1
        if piece and (wide or used + size > columns or (piece[-1] == " " and char != " ")):
            yield piece
            piece, used = "", 0
        piece, used = piece + char, used + size
    if piece:
        yield piece


def indented(text: str, indent: str, columns: int) -> Iterator[str]:
    """Yield *text* wrapped into *columns*, each line behind *indent*."""
    for line in wrap(text, max(20, columns - width(indent))):
        yield f"{indent}{line}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading and its greatest width; 0 takes what is left."""

    heading: str
    limit: int = 0


def table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    total: int,
    below: Sequence[str] = (),
    indent: str = "  ",
) -> Iterator[str]:
    """Yield the lines of a table at most *total* columns wide; long cells are wrapped, never cut.

    Cells must be visible already.  Columns are as narrow as their text
    allows.  *below* gives for each row a text that stands under it.
    """
    held = [list(row) for row in rows]
    widths = _widths(columns, held, total - len(indent))
    heading = [column.heading for column in columns]
    for number, row in enumerate([heading, *held]):
        cells = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        for line in range(max(len(cell) for cell in cells)):
            parts = [
                pad(cell[line] if line < len(cell) else "", size)
                for cell, size in zip(cells, widths, strict=True)
            ]
            yield (indent + "  ".join(parts)).rstrip(" ")
        if number and below:
            yield from indented(below[number - 1], indent + " " * (widths[0] + 2), total)
        if number == 0:
            yield indent + "  ".join("─" * size for size in widths)


def _widths(columns: Sequence[Column], rows: list[list[str]], total: int) -> list[int]:
    found = []
    for place, column in enumerate(columns):
        widest = max([width(column.heading), *(_longest(row[place]) for row in rows)])
        found.append(min(widest, column.limit or widest))
    room = total - 2 * (len(columns) - 1)
    for place, column in enumerate(columns):
        if not column.limit:
            others = sum(found) - found[place]
            found[place] = max(16, min(found[place], room - others))
    return found


def _longest(cell: str) -> int:
    return max(width(line) for line in cell.split("\n"))
