"""Read results with line numbers, mapped back to the lines of the file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from store.importers._claude_records import as_text

__all__ = ["clean_path", "file_path", "is_file_read", "numbered_lines"]

_GUTTER = re.compile(r"[ \t]*(\d+)(?:→|\t)")
_DRIVE = re.compile(r"\A[A-Za-z]:[\\/]")
_FILE_TOOLS: Mapping[str, str] = {
    "Read": "file_path",
    "View": "file_path",
    "NotebookRead": "notebook_path",
    "ReadFile": "file_path",
}
_MCP_READ = re.compile(
    r"\Amcp__.+__(?:read_file|read_text_file|read_media_file|get_file_contents)\Z"
)
_PATH_KEYS = ("file_path", "path", "notebook_path", "relative_path")


def numbered_lines(text: str) -> list[tuple[int, str]]:
    r"""Return ``(number, line)`` of a result's numbered lines, without the numbers.

    The lines run on without a gap; what follows them (a reminder) is no line.
    Lines end at ``\n`` only.
    """
    made: list[tuple[int, str]] = []
    for line in text.split("\n"):
        found = _GUTTER.match(line)
        # Ten digits name a line of any file; more are a hostile number, not a line.
        if not found or len(found.group(1)) > 10:  # noqa: PLR2004
            break
        number = int(found.group(1))
        if (made and number != made[-1][0] + 1) or number < 1:
            break
        made.append((number, line[found.end() :]))
    return made


def is_file_read(tool: str) -> bool:
    """Return whether a tool reads exactly one file."""
    return tool in _FILE_TOOLS or bool(_MCP_READ.match(tool))


def file_path(tool: str, arguments: Mapping[str, object], cwd: str) -> str:
    """Return the path a file tool was given, resolved against *cwd*, or an empty string."""
    keys = (_FILE_TOOLS[tool], *_PATH_KEYS) if tool in _FILE_TOOLS else _PATH_KEYS
    for key in keys:
        if given := as_text(arguments.get(key)):
            return clean_path(given, cwd)
    return ""


def clean_path(path: str, cwd: str) -> str:
    """Return *path* with ``/``, resolved against *cwd*, without ``.`` and ``..``."""
    windows = bool(_DRIVE.match(path) or _DRIVE.match(cwd) or path.startswith("\\\\"))
    if windows:
        path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/")
    absolute = path.startswith(("/", "~")) or bool(_DRIVE.match(path))
    if not absolute and cwd:
        path = f"{cwd}/{path}"
    clean = posixpath.normpath(path)
    # Two leading slashes mean a share on Windows and nothing elsewhere.
    return clean if windows or not clean.startswith("//") else clean[1:]
