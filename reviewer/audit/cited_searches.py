"""Lines of files as searches print them: each with path and number, or below its path.

Known are ``path:12:text`` and ``path-12-text`` of grep, and numbered lines
below a line that holds the path alone (``12:text``, ``12-text``, ``Line 12:
text``), as ripgrep and coding agents print them.  A line that the search left
out or cut (``[Omitted long matching line]``, ``... [truncated]``) is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.records.text import Span

__all__ = ["search_lines"]

_WITH_PATH = r"^(?P<path>(?:\S*/)?{path})[:-](?P<number>[0-9]{{1,7}})[:-]"
_HEAD = re.compile(r"^[`*#\s]{0,6}(?P<path>\S+?)[`*]{0,3}:?\s*$")
_CUT = re.compile(
    r"(?:\[[^\[\]\n]*\b(?:omitted|truncated|matches)\b[^\[\]\n]*\]|…)\s*\Z", re.IGNORECASE
)
_BELOW = re.compile(r"^\s*(?:Line\s+)?([0-9]{1,7})[:-]")


def search_lines(text: str, path: str) -> Mapping[str, Mapping[int, Span]]:
    """Return where lines of files whose path is or ends with *path* stand in *text*.

    By the whole path that is shown, then by the number of the line.
    """
    found: dict[str, dict[int, Span]] = {}
    if path not in text:
        return found
    with_path = re.compile(_WITH_PATH.format(path=re.escape(path)))
    head, start = "", 0
    for line in text.split("\n"):
        span = Span(start, start + len(line))
        start += len(line) + 1
        direct = with_path.match(line)
        below = _BELOW.match(line)
        if (direct or below) and _CUT.search(line):
            continue
        if direct is not None:
            found.setdefault(direct["path"], {})[int(direct["number"])] = span
        elif below is not None and head:
            found.setdefault(head, {})[int(below[1])] = span
        elif line.strip() not in ("", "--", "⋮"):
            shown = _HEAD.match(line)
            named = shown["path"] if shown else ""
            head = named if named == path or named.endswith(f"/{path}") else ""
    return found
