"""What Claude Code's own records say of a read or an edit of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from store.importers._agent_files import Replacement, Shown
from store.importers._claude_lines import numbered_lines
from store.importers._claude_records import as_list, as_map
from store.importers._lines_said import beyond

__all__ = ["asked_of", "edits_of", "said_of", "shown_in"]


def shown_in(
    text: str, arguments: Mapping[str, object], display: Mapping[str, object], *, bare: bool
) -> Shown:
    """Return what the result *text* of a read shows.

    *display* is the file part of the display copy; *bare* results hold the
    file's text as it is, without line numbers.
    """
    lines = numbered_lines(text)
    whole = _whole(text, lines, display, arguments, bare=bare)
    first, end = _asked(arguments, lines, display)
    return Shown(tuple(lines), whole, first, end)


def said_of(text: str, display: Mapping[str, object]) -> tuple[int, int] | None:
    """Return the lines that the display copy says were returned, if *text* ends before them.

    Blank lines at the end are not missed, nor any where *text* numbers the
    last of them behind something that is no line.
    """
    count, content = _number(display.get("numLines")), display.get("content")
    first = _number(display.get("startLine"))
    if count is None or first is None or not isinstance(content, str):
        return None
    rows = content.split("\n")
    if len(rows) != count:
        return None
    while rows and not rows[-1].strip():
        rows.pop()
    last = max(1, first) + len(rows) - 1
    if re.search(rf"^\s*{last}[→\t]", text, re.MULTILINE):
        return None
    return beyond(numbered_lines(text), last)


def asked_of(arguments: Mapping[str, object]) -> Shown:
    """Return what a read asked for that gave no text."""
    first, end = _asked(arguments, [], {})
    return Shown(first=first, end=end)


def edits_of(arguments: Mapping[str, object]) -> tuple[Replacement, ...]:
    """Return the replacements that an edit makes; none where one of them is no text."""
    edits = [as_map(edit) for edit in as_list(arguments.get("edits"))] or [arguments]
    made = []
    for edit in edits:
        old, new = edit.get("old_string"), edit.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str):
            return ()
        made.append(Replacement(old, new, edit.get("replace_all") is True))
    return tuple(made)


def _whole(
    text: str,
    lines: Sequence[tuple[int, str]],
    display: Mapping[str, object],
    arguments: Mapping[str, object],
    *,
    bare: bool,
) -> str | None:
    """Return the file's whole text where the result proves it to be the whole."""
    if bare and not lines:
        chosen = any(key in arguments for key in ("head", "tail", "offset", "limit"))
        return None if chosen else text
    content = display.get("content")
    numbers = [display.get(key) for key in ("startLine", "numLines", "totalLines")]
    if not isinstance(content, str) or numbers[0] not in (0, 1) or numbers[1] != numbers[2]:
        return None
    return content if "\n".join(row for _, row in lines) == content else None


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:  # noqa: PLR2004
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _asked(
    arguments: Mapping[str, object], lines: Sequence[tuple[int, str]], display: Mapping[str, object]
) -> tuple[int, int | None]:
    """Return the lines ``[first, end)`` that were asked for; no end where all was asked."""
    offset, limit = _number(arguments.get("offset")), _number(arguments.get("limit"))
    total = _number(display.get("totalLines"))
    first = max(1, offset or 1)
    if limit is not None:
        end = first + limit if total is None else min(first + limit, total + 1)
        return first, max(first, end)
    if total is not None:
        return first, max(first, total + 1)
    return first, (lines[-1][0] + 1 if lines else None)
