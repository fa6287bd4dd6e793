"""What the tools of coding agents do to a file, and what their results show of it.

A tool is known by its name and its arguments; the same few names come again in
all agents.  What a shell does to a file can rarely be told: only a patch, and a
command that shows lines of one file and nothing else, are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from store.importers._agent_files import Replacement, Shown
from store.importers._agent_patches import changes_in
from store.importers._agent_shell import output_of, shown_by_shell
from store.importers._claude_lines import clean_path
from store.importers._shell_reads import ShellRead, shell_read
from store.jsonin import JsonError, loads
from store.records.gutters import NumberedLine, numbered_runs
from store.records.markers import marker_of

__all__ = ["Does", "FileCall", "file_calls", "is_listing", "says_failure", "shown_by", "window_of"]

_READERS: Final = frozenset(
    {
        *("read", "readfile", "read_file", "read_text_file", "get_file_contents", "file_read"),
        *("read_files", "view", "view_file", "viewfile", "open_file", "notebookread", "open"),
        "fs_read",
    }
)
_WRITERS: Final = frozenset(
    {"write", "writefile", "write_file", "write_to_file", "create_file", "file_write", "create"}
)
_EDITORS: Final = frozenset(
    {
        *("edit", "edit_file", "multiedit", "multi_edit", "update", "replace", "str_replace"),
        *("replace_in_file", "apply_diff", "insert", "insert_content", "search_replace"),
        *("insert_lines", "notebookedit", "file_edit", "search_and_replace"),
    }
)
_COMMANDED: Final = frozenset(
    {
        *("str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor"),
        *("edit_anthropic", "planning_file_editor"),
    }
)
"""Tools for which an argument ``command`` says what they do (Anthropic's text editor)."""
_PATCHERS: Final = frozenset({"apply_patch", "applypatch"})
_PATHS: Final = (
    *("file_path", "path", "absolute_path", "filename", "filepath", "file", "target_file"),
    *("filePath", "relative_path", "notebook_path"),
)
_OLD: Final = ("old_string", "old_str", "oldString", "oldText", "search")
_NEW: Final = ("new_string", "new_str", "newString", "newText", "replace")
_TEXT: Final = ("content", "file_text", "contents", "text")
_PAGING: Final = (
    *("offset", "limit", "start_line", "end_line", "startLine", "endLine", "view_range"),
    *("line_range", "start", "end", "lines", "line_number", "head", "tail"),
)
_ALL: Final[tuple[object, ...]] = (None, [], "", 0, -1)
"""Values of these that ask for the whole file."""
_SHELLS: Final = frozenset(
    {
        *("shell", "shell_command", "exec_command", "local_shell", "exec", "bash", "terminal"),
        *("run_shell_command", "execute_command", "execute_bash", "run_command"),
    }
)


class Does(StrEnum):
    """What a tool call does to a file; ``CHANGE`` where the text after it is not told.

    ``SHOW`` is a command of a shell that shows lines of one file and nothing
    else: its lines are known, and it is no tool that reads a file.
    """

    READ = "read"
    SHOW = "show"
    WRITE = "write"
    EDIT = "edit"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class FileCall:
    """One tool call on one file.

    ``paged`` says that a part of the file was asked for; ``first`` and
    ``last`` are its lines from 1, where the arguments say so without doubt;
    ``offset`` is where they begin as the tool counts.
    """

    path: str
    does: Does
    first: int | None = None
    last: int | None = None
    paged: bool = False
    offset: int | None = None
    text: str = ""
    edits: tuple[Replacement, ...] = ()
    shows: ShellRead | None = None


def file_calls(tool: str, arguments: Mapping[str, object], cwd: str = "") -> tuple[FileCall, ...]:
    """Return what a call of *tool* does to files: nothing, one file, or those of a patch."""
    name = tool.lower().rpartition("__")[2].rpartition(".")[2]
    if name in _PATCHERS:
        return tuple(_patched(arguments, cwd))
    if name in _SHELLS:
        return tuple(_shell(arguments, cwd))
    if name == "read_files":
        arguments = _only_file(arguments)
    given = _first(arguments, _PATHS)
    if not given:
        return ()
    if name in _COMMANDED:
        name = _COMMANDS.get(_text(arguments.get("command")), "edit")
    made = _file_call(name, clean_path(given, cwd), arguments)
    return () if made is None else (made,)


def _file_call(name: str, path: str, arguments: Mapping[str, object]) -> FileCall | None:
    if name in _READERS:
        first, last = _lines_asked(arguments)
        paged = any(arguments.get(key) not in _ALL for key in _PAGING)
        return FileCall(path, Does.READ, first, last, paged, _count(arguments.get("offset")))
    if name in _WRITERS:
        text = next((arguments[key] for key in _TEXT if isinstance(arguments.get(key), str)), None)
        written = isinstance(text, str)
        return FileCall(path, Does.WRITE if written else Does.CHANGE, text=_text(text))
    if name in _EDITORS:
        edits = tuple(_edits(arguments))
        return FileCall(path, Does.EDIT if edits else Does.CHANGE, edits=edits)
    return None


_COMMANDS: Final = {"view": "view", "create": "create", "str_replace": "edit"}


def _only_file(arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Return the one file that a tool for several is asked for; none where there are more."""
    match arguments.get("files"):
        case [dict() as only]:
            return only
    return {}


def _patched(arguments: Mapping[str, object], cwd: str) -> Iterator[FileCall]:
    for text in _texts(arguments):
        for change in changes_in(text):
            path = clean_path(change.path, cwd)
            if change.kind == "add":
                yield FileCall(path, Does.WRITE, text=change.text)
            elif change.kind == "update" and change.edits and not change.moved_to:
                yield FileCall(path, Does.EDIT, edits=tuple(change.edits))
            else:
                yield FileCall(path, Does.CHANGE)
            if change.moved_to:
                yield FileCall(clean_path(change.moved_to, cwd), Does.CHANGE)


def _texts(arguments: Mapping[str, object]) -> Iterator[str]:
    for value in arguments.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield each


def _shell(arguments: Mapping[str, object], cwd: str) -> Iterator[FileCall]:
    """Yield what a command does to files, where that can be told: it patches, or shows one."""
    inner = arguments.get("action")
    given = inner if isinstance(inner, dict) else arguments
    folder = clean_path(_first(given, ("workdir", "cwd", "working_directory")) or ".", cwd)
    patched = list(_patched(given, folder))
    if patched:
        yield from patched
        return
    command = next((given[key] for key in ("command", "cmd", "input") if given.get(key)), "")
    read = shell_read(command, folder)
    if read is not None:
        yield FileCall(clean_path(read.path, folder), Does.SHOW, shows=read)


def _edits(arguments: Mapping[str, object]) -> Iterator[Replacement]:
    several = arguments.get("edits")
    for each in several if isinstance(several, list) else [arguments]:
        edit = each if isinstance(each, dict) else arguments
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if old and arguments.get("command") in (None, "str_replace"):
            everywhere = any(edit.get(key) is True for key in ("replace_all", "replaceAll"))
            yield Replacement(old, new, everywhere)


def _lines_asked(arguments: Mapping[str, object]) -> tuple[int | None, int | None]:
    """Return the first and last line that arguments name by number from 1."""
    match arguments.get("view_range"):
        case [int() as begin, int() as end]:
            return _count(begin), _count(end)
    first = _count(arguments.get("start_line", arguments.get("startLine")))
    last = _count(arguments.get("end_line", arguments.get("endLine")))
    return first, last


# -- results -------------------------------------------------------------------

_HEADER: Final = re.compile(
    r"OBSERVATION:\Z|Here's the (?:result of running `cat -n`|content of)|\[File: |"
    r"\(\d+ more lines above\)|"
    r"<(?:file|files|path|type|content|file_content)\b|\[Showing lines|"
    r"(?:Contents of|Content of|File:) |\s*\Z"
)
_CUT: Final = re.compile(
    r"\[\.\.\. Observation truncated due to length \.\.\.\]|<response clipped>|"
    r"\.\.\. \[[\d,]+ (?:lines|characters|chars) (?:truncated|omitted)\] \.\.\."
)
_WINDOW: Final = re.compile(
    r"(?:OBSERVATION:\n|Observation: )?(?:(?:Text replaced|File updated)\b[^\[]{0,500}\n)?"
    r"\[File: ([^\n]+) \((\d{1,9}) lines total\)\]"
)
_PART: Final = re.compile(
    r"IMPORTANT: The file content has been truncated\.\s*"
    r"Status: Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines\.[^\0]*?"
    r"--- FILE CONTENT \(truncated\) ---\n"
)
_MORE: Final = re.compile(
    r"\n*(?:\[Showing lines (?P<first>\d{1,9})-(?P<last>\d{1,9}) of \d{1,9}[^\]\n]*\]"
    r"|\[\d{1,9} more lines in file(?:[^\]\n]*?\boffset=(?P<next>\d{1,9}))?[^\]\n]*\])\s*\Z"
)
_END: Final = re.compile(r"\(End of file - total (\d{1,9}) lines\)\s*(?:</\w+>\s*)?\Z")
_NO_TEXT: Final = ("System reminder:", "<system-reminder>")
_LISTING: Final = re.compile(
    r"\s*(?:Here's the files and directories|<path>[^\n<]*</path>\s*<type>directory</type>"
    r"|Directory listing (?:for|of) |Contents of directory )"
)
_FAILED: Final = re.compile(
    r"\s*(?:<\w*error\b|error\b|ran into |invalid |cannot |failed |no such |permission denied|"
    r"no replacement was performed|no changes)",
    re.IGNORECASE,
)


def window_of(text: str) -> str:
    """Return the path that the header of a window names (SWE-agent), or an empty string."""
    found = _WINDOW.match(text)
    return found[1] if found else ""


def is_listing(text: str) -> bool:
    """Return whether a result is a list of a folder: tools that read a file give that too."""
    return bool(_LISTING.match(text))


def says_failure(text: str) -> bool:
    """Return whether a result begins as those of calls that failed do.

    Some agents keep no status, so that their words are all there is.
    """
    return bool(_FAILED.match(text))


def shown_by(call: FileCall, text: str) -> Shown | None:
    """Return what the result *text* of a read shows of the file.

    ``None`` where it shows text of the file, and not which part of it.  A
    `Shown` without lines and without the whole says that it shows nothing.
    """
    if call.shows is not None:
        output = output_of(text)
        shown = shown_by_shell(call.shows, output)
        return None if output.failed or not (shown.lines or shown.whole) else shown
    text = _unwrapped(text)
    lines = _numbered(text)
    asked = Shown(first=call.first or 1, end=None if call.last is None else call.last + 1)
    if lines:
        return _shown(lines, text, asked)
    silent = not text.strip() or text.startswith(_NO_TEXT) or says_failure(text)
    if silent or marker_of(text) is not None:
        return asked
    return _bare_shown(call, text)


def _bare_shown(call: FileCall, text: str) -> Shown | None:
    """Return what a result without line numbers shows."""
    part, more = _PART.match(text), _MORE.search(text)
    if part is not None:
        return _rows(text[part.end() :], int(part[1]), int(part[2]))
    if more is not None:
        first = int(more["first"] or 0) or call.first or (None if call.paged else 1)
        last = int(more["last"] or 0) or None
        if more["next"] is not None and first is None:
            # From which line an offset counts, tools disagree: the line that goes on settles it.
            first, last = call.offset or 1, int(more["next"]) - 1
        return _rows(text[: more.start()], first, last)
    if _CUT.search(text):
        return None
    return _rows(text, call.first, None) if call.paged else Shown(whole=text)


def _shown(lines: list[tuple[int, str]], text: str, asked: Shown) -> Shown:
    first, last = lines[0][0], lines[-1][0]
    window = _WINDOW.match(text)
    whole = None
    total = int(window[2]) if window is not None else _all_of(text)
    if first == 1 and last == total == len(lines):
        whole = "\n".join(line for _, line in lines)
    if _CUT.search(text) and asked.end is not None:
        return Shown(lines, whole, min(first, asked.first), max(last + 1, asked.end))
    return Shown(lines, whole, first, last + 1)


def _all_of(text: str) -> int | None:
    """Return how many lines the file has, where the result says that it ends with the last."""
    found = _END.search(text, max(0, len(text) - 200))
    return int(found[1]) if found else None


def _unwrapped(text: str) -> str:
    """Return the one result in a list of them (Cline), else the text as it is."""
    if not text.startswith('[{"query":'):
        return text
    try:
        value = loads(text.encode("utf-8", "surrogatepass"))
    except JsonError:
        return text
    match value:
        case [{"result": str() as only}]:
            return only
    return text


def _rows(text: str, first: int | None, last: int | None) -> Shown | None:
    """Return lines without numbers from line *first* on, where that is known.

    Where the tool says which is the *last* and the lines are not as many, nothing is.
    """
    rows = text.split("\n")
    if first is None or first < 1:
        return None
    if last is not None and len(rows) == last - first + 2 and not rows[-1]:
        rows = rows[:-1]
    if last is not None and len(rows) != last - first + 1:
        return None
    return Shown(tuple(enumerate(rows, first)), None, first, first + len(rows))


def _numbered(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines that a result begins with, behind the headers of known tools.

    Where the middle was cut out, the line before the cut may be a part of
    one, so it is left out.
    """
    made: list[NumberedLine] = []
    end = 0
    for run in numbered_runs(text):
        begin = text.rfind("\n", 0, run[0].start) + 1
        between = text[end:begin]
        if not made:
            behind = _WINDOW.match(between)
            head = between[behind.end() :] if behind else between
            if not all(_HEADER.match(line) for line in head.split("\n")):
                return []
        elif not (_CUT.search(between) and _goes_on(run[0], made[-1])):
            break
        made += run
        end = run[-1].start + len(run[-1].content)
        if _CUT.match(text[end:].lstrip("\n")) and len(run) > 1:
            made.pop()
    lines: dict[int, str] = {}
    for line in made:
        lines[line.number] = lines.get(line.number, "") + line.content
    return [(number, line) for number, line in lines.items() if number > 0]


def _goes_on(line: NumberedLine, before: NumberedLine) -> bool:
    return line.number > before.number and line.gutter == before.gutter


def _first(arguments: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next(filter(None, (_text(arguments.get(key)) for key in keys)), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:  # noqa: PLR2004
        return int(value) or None
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if whole and isinstance(value, int) else None
