"""Lines that a tool says it returned, beside those that its result holds.

A result that was cut after the tool made it still says how far the tool read.
What it says is kept as a declared fact only where lines it speaks of are not
there: a limit that was asked for is no such word, as the file may end before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["beyond", "last_said"]

_FOOTER: Final = re.compile(
    r"(?P<blank>\n*)(?m:^)(?:"
    r"\(End of file - total (?P<total>\d{1,9}) lines\)"
    r"|\(Showing lines \d{1,9}-(?P<last>\d{1,9}) of \d{1,9}\b[^)\n]*\)"
    r"|\(File has more lines\.[^)\n]*?\bbeyond line (?P<seen>\d{1,9})\)"
    r"|\[\d{1,9} more lines in file[^\]\n]*?\boffset=(?P<next>\d{1,9})[^\]\n]*\]"
    r")\s*(?:</\w+>\s*)?\Z"
)
"""How a read ends in opencode (numbered lines) and pi (bare lines)."""
_TAIL: Final = 300


def last_said(text: str) -> int | None:
    """Return the last line, from 1, that the end of a result says was surely returned."""
    found = _FOOTER.search(text, max(0, len(text) - _TAIL))
    if found is None:
        return None
    if found["next"] is not None:
        # An offset may count from 0 or from 1; blank lines before it may be lines of the file.
        return int(found["next"]) - 1 - len(found["blank"])
    return int(found["total"] or found["last"] or found["seen"])


def beyond(lines: Sequence[tuple[int, str]], last: int | None) -> tuple[int, int] | None:
    """Return the lines ``[first, end)`` that were said, where *last* is behind those shown.

    They go into the ``declared`` facts of a result as its ``lines``.
    """
    if last is None or not lines or last <= lines[-1][0]:
        return None
    return lines[0][0], last + 1
