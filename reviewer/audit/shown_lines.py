"""Where cited lines stand in a text that shows each line with something before it.

Tools that read files number their lines, so that no two lines of the file stand
together in the message to the letter.
"""

from __future__ import annotations

from store.records.text import Span

__all__ = ["shown_lines"]


def shown_lines(words: str, before: int, shown: str, place: Span) -> Span | None:
    """Return where the lines of *words* stand in *place* of *shown*, with what is before each.

    *before* lines of the same text stand there above them.  Where any line is
    not found at its own place the answer is ``None``.
    """
    wanted = words.removesuffix("\n").split("\n")
    lines = shown[place.start : place.end].split("\n")
    found = lines[before : before + len(wanted)]
    if len(found) < len(wanted):
        return None
    if not all(line in there for line, there in zip(wanted, found, strict=True)):
        return None
    start = place.start + sum(map(len, lines[:before])) + before
    return Span(start, start + sum(map(len, found)) + len(found) - 1)
