"""What recognition sees of a path, and what is said where nobody recognises it."""

from __future__ import annotations

import os
from pathlib import Path

from store.importers import _files
from store.importers._base import HEAD_BYTES, Probe
from store.importers._heads import first_line
from store.jsonin import long_number
from store.records.runs import Problem

__all__ = ["file_probe", "folder_probe", "reason", "unknown"]


def file_probe(path: Path, label: str) -> Probe:
    """Return what recognition may see of a file.  Raises `OSError`."""
    with _files.open_regular(path) as stream:
        head = stream.read(HEAD_BYTES)
        size = os.fstat(stream.fileno()).st_size
    return Probe(path, label, is_folder=False, head=head, size=size)


def folder_probe(path: Path, label: str) -> Probe | Problem:
    """Return what recognition may see of a folder, or why it cannot be listed."""
    try:
        names = frozenset(each.name for each in path.iterdir())
    except OSError as error:
        return Problem(_files.shown(label), f"the folder cannot be listed ({reason(error)})")
    return Probe(path, label, is_folder=True, names=names)


def unknown(probe: Probe) -> str:
    """Say what a file is that nobody can read, and what to do."""
    hint = "`reread formats` lists what can be read"
    if not probe.head:
        return "an empty file: there is nothing to audit"
    if b"\0" in probe.head:
        return f"a binary file of a kind that is not known here; {hint}"
    if probe.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        if told := _too_long(probe):
            return f"JSON that cannot be read ({told}); shorten the number in a copy of the file"
        return f"JSON of a kind that is not known here; {hint}"
    return f"not a trace that can be read; give a folder of text sources with --store; {hint}"


def _too_long(probe: Probe) -> str:
    """Return what is told of a number that keeps the JSON from being read; empty if none does."""
    if first_line(probe.head) is not None:
        return ""
    text = probe.head.decode(errors="surrogateescape")
    return long_number(text, cut=len(probe.head) < probe.size)


def reason(error: Exception) -> str:
    """Return why the system refused, in its own words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
