"""Commands of a shell that show lines of one file and nothing else, so that the lines are known.

Only what can be told without doubt: one file, named without patterns, shown by
``cat``, ``nl``, ``sed -n``, ``head`` or ``tail``.  A result of any other
command is a result of its own and no reading of a file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["ShellRead", "command_line", "shell_read"]

_SHELL: Final = re.compile(r"\A(?:\S*/)?(?:ba|z|da|k)?sh\Z")
_UNSURE: Final = re.compile(r"[*?\[\]{}$`<>;&!\\\n]")
"""What makes a word more than itself, and so the file it names doubtful."""
_SED: Final = re.compile(r"\A(\d{1,9})(?:,(\d{1,9}|\$))?p\Z")
_LONGEST: Final = 4096
_NUMBERING: Final = {"cat": "-n", "nl": "-ba"}


@dataclass(frozen=True, slots=True)
class ShellRead:
    """Lines ``[first, end)`` of *path*, to its end without ``end``.

    ``numbered`` where the lines carry their numbers.
    """

    path: str
    first: int = 1
    end: int | None = None
    numbered: bool = False


def command_line(command: object) -> str:
    """Return what a shell was given to run: a text, or the words of ``bash -lc TEXT``."""
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if len(words) == 3 and _SHELL.match(words[0]) and words[1] in {"-lc", "-c", "-ic", "-lic"}:  # noqa: PLR2004
        return words[2]
    return shlex.join(words)


def shell_read(command: object, folder: str = "") -> ShellRead | None:
    """Return what *command* shows of one file, or ``None`` where that cannot be told.

    A command that begins by ``cd DIR &&`` names its file from there; *folder*
    is where it begins.  The path is as the command gives it, put behind that
    folder unless it is absolute.
    """
    line = command_line(command).strip()
    if not line or len(line) > _LONGEST:
        return None
    parts = re.split(r"\s*&&\s*", line)
    for part in parts[:-1]:
        words = _words(part)
        if words is None or len(words) != 2 or words[0] != "cd":  # noqa: PLR2004 - cd DIR
            return None
        folder = _joined(folder, words[1])
    found = _pipeline(parts[-1])
    return None if found is None else replace(found, path=_joined(folder, found.path))


def _joined(folder: str, path: str) -> str:
    absolute = path.startswith(("/", "~")) or re.match(r"[A-Za-z]:[\\/]", path)
    return path if absolute or not folder else f"{folder.rstrip('/')}/{path}"


def _words(text: str) -> list[str] | None:
    if _UNSURE.search(re.sub(r"'[^']*'", "", text)):
        return None
    try:
        return shlex.split(text)
    except ValueError:
        return None


def _pipeline(text: str) -> ShellRead | None:
    steps = [_words(step) for step in _steps(text)]
    if not steps or any(not step for step in steps):
        return None
    found = _source(steps[0] or [])
    for step in steps[1:]:
        found = None if found is None else _narrowed(found, step or [])
    return found


def _steps(text: str) -> list[str]:
    """Split at the pipes that stand outside of quotes."""
    steps, quote = [""], ""
    for char in text:
        if char == "|" and not quote:
            steps.append("")
            continue
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        steps[-1] += char
    return [step.strip() for step in steps]


def _source(words: Sequence[str]) -> ShellRead | None:
    """Return what the first command of a pipeline shows."""
    name, rest = words[0], list(words[1:])
    if name in _NUMBERING:
        if rest[:2] == ["-b", "a"]:
            rest[:2] = ["-ba"]
        options, files = rest[:-1], rest[-1:]
        if not files or files[0].startswith("-") or options not in ([], [_NUMBERING[name]]):
            return None
        # nl without -ba leaves empty lines without a number.
        return None if name == "nl" and not options else ShellRead(files[0], numbered=bool(options))
    if len(rest) < 2 or rest[-1].startswith("-"):  # noqa: PLR2004 - an option and a file
        return None
    return _narrowed(ShellRead(rest[-1]), [name, *rest[:-1]])


def _narrowed(read: ShellRead, words: Sequence[str]) -> ShellRead | None:
    """Return what is left of *read* behind a command that passes some of the lines on."""
    name, rest = words[0], list(words[1:])
    if name == "sed" and len(rest) == 2 and rest[0] == "-n":  # noqa: PLR2004 - -n LINES
        found = _SED.match(rest[1])
        if not found:
            return None
        first = int(found[1])
        last = None if found[2] == "$" else int(found[2] or first)
        return _window(read, first, last)
    count = _count(rest)
    if name == "head" and count and count.isdigit():
        return _window(read, 1, int(count))
    if name == "tail" and count and count.startswith("+") and count[1:].isdigit():
        return _window(read, max(1, int(count[1:])), None)
    return None


def _count(rest: Sequence[str]) -> str:
    """Return the number that ``-n N``, ``-nN`` or ``-N`` gives."""
    joined = "".join(rest)
    found = re.match(r"\A(?:-n|--lines=)?(?:-(?=\d))?(\+?\d{1,9})\Z", joined)
    return found[1] if found and joined.startswith("-") else ""


def _window(read: ShellRead, first: int, last: int | None) -> ShellRead | None:
    """Return lines *first* to *last* of what *read* shows, counted from its own first line."""
    if first < 1 or (last is not None and last < first):
        return None
    start = read.first + first - 1
    end = read.end
    if last is not None:
        end = read.first + last if end is None else min(end, read.first + last)
    return None if end is not None and end <= start else replace(read, first=start, end=end)
