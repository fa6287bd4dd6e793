"""Changes of files that tool calls made, read off their arguments: lines move by them.

Nothing is taken from the name of a tool.  A change is a call that names the
file and gives new text for it, a patch with the file in its head, or a command
that writes to it.  Where the text before the change is known and the change
stands in it once, the lines before it have not moved, nor those after it where
as many lines came as went.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from reviewer.audit.file_paths import may_be, plain
from reviewer.audit.standing import Standing
from reviewer.audit.texts import VersionText
from store.records.runs import ToolCall
from store.records.text import Span, Unit

__all__ = ["ChangedFiles"]

_PATHS = frozenset({
    "file_path", "path", "absolute_path", "filename", "filepath", "file", "target_file",
    "filePath", "relative_path", "notebook_path", "file_name", "fileName",
})  # fmt: skip
_OLD = ("old_string", "old_str", "oldString", "oldText", "search")
_NEW = ("new_string", "new_str", "newString", "newText", "replace")
_WRITES = frozenset({
    *_NEW, "content", "file_text", "contents", "new_source", "insert_text", "insert_line",
    "edits", "diff", "patch", "code_edit", "replacement", "replacements", "new_content",
})  # fmt: skip
_SECTION = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|\+\+\+|---) (?:[ab]/)?([^\n\t]+)",
    re.MULTILINE,
)
_NAME = re.compile(r"[^\s'\"`;|&<>()=]+")
_WRITING = re.compile(
    r"\bsed\s+(?:-\S+\s+)*-\w*i|\bperl\s+(?:-\S+\s+)*-\w*i|\btee\b|\b(?:mv|cp|rm|patch|truncate)\s"
    r"|\bgit\s+(?:\S+\s+)?(?:apply|checkout|restore|reset|revert|stash|mv)\b"
    r"|\.write(?:_text|lines)?\(|--fix\b|--write\b|\bruff\s+format\b|\bblack\s|\bgofmt\s+-w"
)
_REDIRECTED = re.compile(r">>?\s*[\"']?([^\s'\"`;|&<>()]+)")


class _Change(NamedTuple):
    """One change of one file: when it was made, and the texts it put in place of others."""

    place: int
    call: ToolCall
    path: str
    edits: tuple[tuple[str, str], ...] = ()


class ChangedFiles:
    """What the tool calls of one run changed."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    @cached_property
    def _changes(self) -> tuple[_Change, ...]:
        failed = {r.tool_call_id for r in self._standing.run.tool_results if r.failed}
        return tuple(
            _Change(place, made, path, edits)
            for place, made in enumerate(self._standing.run.tool_calls)
            if made.id not in failed
            for path, edits in _changed_by(made)
        )

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {made.id: place for place, made in enumerate(self._standing.run.tool_calls)}

    def since(
        self, path: str, shown_by: Sequence[int], call: int, text: VersionText | None, lines: Span
    ) -> str:
        """Return the first tool call that may have moved *lines* of *path*; empty for none.

        It was made after each of the messages *shown_by*, and before *call*.
        *text* is the state of the file that the messages show, where it is known.
        """
        ids = (
            part.tool_call_id
            for message in shown_by
            for part in self._standing.run.messages[message].parts
        )
        shown = max((self._places[each] for each in ids if each in self._places), default=-1)
        first = max((self._standing.residency.first(each) or 0 for each in shown_by), default=0)
        for change in self._changes:
            by_call = change.call.by_call
            after = change.place > shown if shown >= 0 else (by_call or 0) >= first
            before = by_call is None or by_call < call
            if after and before and may_be(change.path, path) and _moves(change, text, lines):
                return change.call.id or change.call.name
        return ""


def _moves(change: _Change, text: VersionText | None, lines: Span) -> bool:
    """Whether a change may have moved or altered *lines* of the text before it."""
    if text is None or not change.edits or text.version.text is None:
        return True
    return any(_moves_by(old, new, text, lines) for old, new in change.edits)


def _moves_by(old: str, new: str, text: VersionText, lines: Span) -> bool:
    whole = text.version.text or ""
    at = whole.find(old) if old else -1
    if at < 0 or whole.find(old, at + 1) >= 0:
        return True
    rows = whole.count("\n", 0, at)
    numbers = text.version.line_numbers
    first = numbers[rows] if text.unit is Unit.LINE and rows < len(numbers) else rows + 1
    if first >= lines.end:
        return False
    return first + old.count("\n") >= lines.start or old.count("\n") != new.count("\n")


def _changed_by(made: ToolCall) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield the paths that a tool call changed, with the texts replaced where they are told."""
    try:
        arguments = json.loads(made.arguments)
    except (ValueError, RecursionError):
        arguments = {"input": made.arguments}
    if isinstance(arguments, str):
        arguments = {"input": arguments}
    if not isinstance(arguments, dict):
        return
    named = [v for key in sorted(_PATHS & arguments.keys()) if isinstance(v := arguments[key], str)]
    if named and (_WRITES & arguments.keys() or arguments.get("command") == "undo_edit"):
        for path in named:
            yield plain(path), tuple(_edits(arguments))
    for text in _texts(arguments):
        if "*** " in text or "+++ " in text:
            yield from ((plain(found[1].strip()), ()) for found in _SECTION.finditer(text))
        if not named:
            names = (_NAME if _WRITING.search(text) else _REDIRECTED).findall(text)
            known = (name for name in dict.fromkeys(names) if "." in name and name.strip("./"))
            yield from ((plain(name), ()) for name in known)


def _edits(arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each replacement; one that is not told in old and new text is of the empty text."""
    several = arguments.get("edits")
    for each in several if isinstance(several, list) else [arguments]:
        held = each if isinstance(each, dict) else {}
        old = next((v for key in _OLD if isinstance(v := held.get(key), str)), "")
        new = next((v for key in _NEW if isinstance(v := held.get(key), str)), "")
        yield old, new


def _texts(arguments: Mapping[str, object]) -> Iterator[str]:
    """Yield the texts among arguments, a command in words joined, one level down as well."""
    for value in arguments.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            yield " ".join(value)
        elif isinstance(value, dict):
            yield from (each for each in value.values() if isinstance(each, str))
