"""Patches that an agent applies to files, in the envelope of Codex's ``apply_patch``.

The grammar is that of ``codex-rs/apply-patch``: file sections with lines that
begin with a space, a minus or a plus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from store.importers._agent_files import Replacement

__all__ = ["FileChange", "changes_in"]

_ENVELOPE = re.compile(r"\*\*\* Begin Patch\r?\n(.*?)(?:\n\*\*\* End Patch|\Z)", re.DOTALL)
_SECTION = re.compile(r"\A\*\*\* (Add|Update|Delete) File: (.+)\Z")
_MOVE = "*** Move to: "


@dataclass(slots=True)
class FileChange:
    """What a patch does to one file.

    ``text`` is the whole text of an added file; ``edits`` are the places that
    an update replaces, in order; ``moved_to`` names the file afterwards.
    """

    kind: str
    path: str
    moved_to: str = ""
    text: str = ""
    edits: list[Replacement] = field(default_factory=list)


def changes_in(text: str) -> list[FileChange]:
    """Return what the patches in *text* change; nothing where there is none."""
    return [change for found in _ENVELOPE.finditer(text) for change in _changes(found[1])]


def _changes(body: str) -> Iterator[FileChange]:
    change: FileChange | None = None
    lines: list[str] = []
    for line in body.split("\n"):
        found = _SECTION.match(line)
        if found:
            if change is not None:
                yield _filled(change, lines)
            change, lines = FileChange(found[1].lower(), found[2].strip()), []
        elif change is not None and line.startswith(_MOVE):
            change.moved_to = line.removeprefix(_MOVE).strip()
        else:
            lines.append(line)
    if change is not None:
        yield _filled(change, lines)


def _filled(change: FileChange, lines: list[str]) -> FileChange:
    if change.kind == "add":
        change.text = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith(("@@", "***")):
            if old != new and old:
                change.edits.append(Replacement("\n".join(old), "\n".join(new)))
            old, new = [], []
            continue
        if not line.startswith("+"):
            old.append(line[1:])
        if not line.startswith("-"):
            new.append(line[1:])
    return change
