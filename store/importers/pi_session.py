"""pi sessions (and those of programs built on it): a tree of entries, one a line.

The branch that the last entry stands on is the run; every other end of the
tree is a run of its own with ``branch``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._heads import first_line
from store.importers._json_lines import JsonLines
from store.importers._pi_run import Entry, branch_run
from store.importers._wire import count, mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "pi"
_BROKEN: Final = "an entry before it could not be read, so what stood in its request is not sure"


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is a session file."""
    if probe.is_folder or b'"session"' not in probe.head:
        return False
    header = mapping(first_line(probe.head))
    return header.get("type") == "session" and {"id", "timestamp", "cwd"} <= header.keys()


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of the last branch, then those of the others by their end."""
    lines = JsonLines(probe.label)
    header: Mapping[str, object] = {}
    entries: list[Entry] = []
    try:
        for line in lines.read(probe.path):
            if line.value.get("type") == "session" and not header:
                header = line.value
                continue
            entries.append(_entry(line.value, f"{probe.path.name}:{line.number}", entries))
    except OSError as error:
        raise UnreadableError(probe.label, f"cannot be read ({error.strerror})") from None
    yield from _runs(probe, header, entries, lines.problems)


def _entry(value: Mapping[str, object], origin: str, before: list[Entry]) -> Entry:
    """Return an entry; the oldest sessions have no ids, each entry follows the one before."""
    if "parentId" in value and string(value.get("id")):
        return Entry(string(value.get("id")), string(value.get("parentId")), origin, value)
    parent = before[-1].id if before else ""
    made = f"line-{len(before) + 1}"
    kept = count(value.get("firstKeptEntryIndex"))
    if kept is not None:
        # It counts the header as the first entry.
        value = {**value, "firstKeptEntryId": f"line-{kept}"}
    return Entry(made, parent, origin, value)


def _runs(
    probe: Probe,
    header: Mapping[str, object],
    entries: list[Entry],
    problems: list[Problem],
) -> Iterator[Run]:
    known = {entry.id: entry for entry in entries}
    session = string(header.get("id")) or probe.path.stem
    pruned = any(_is_pruned(entry) for entry in entries)
    forked = string(header.get("parentSession"))
    for rank, leaf in enumerate(_leaves(entries, known)):
        builder = RunBuilder(
            session if rank == 0 else f"{session}@{leaf}",
            probe.label,
            _FORMAT,
            Layer.TRANSCRIPT,
            title=_name(entries),
            branch=leaf if rank else None,
        )
        path, broken = _path(leaf, known)
        run = branch_run(builder, path, pruned=pruned, cwd=string(header.get("cwd")))
        run = _doubted(run) if broken else run
        if rank == 0:
            run = replace(run, problems=(*problems, *_forked(probe, forked), *run.problems))
        yield run
    if not entries:
        told = Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED)
        empty = RunBuilder(session, probe.label, _FORMAT, Layer.TRANSCRIPT).finish()
        yield replace(empty, problems=(*problems, told))


def _leaves(entries: list[Entry], known: Mapping[str, Entry]) -> list[str]:
    """Return the ends of the tree: the last entry, and those of branches where a model spoke."""
    if not entries:
        return []
    last = entries[-1].id
    parents = {entry.parent for entry in entries}
    met = {entry.id for entry in _path(last, known)[0]}
    others = []
    for entry in entries:
        if entry.id in parents or entry.id in met:
            continue
        own = [each for each in _path(entry.id, known)[0] if each.id not in met]
        if any(each.is_call for each in own):
            others.append(entry.id)
    return [last, *others]


def _path(leaf: str, known: Mapping[str, Entry]) -> tuple[list[Entry], bool]:
    """Return the entries from the root to *leaf*, and whether one between them is missing."""
    made: list[Entry] = []
    met: set[str] = set()
    at = leaf
    while at in known and at not in met:
        met.add(at)
        made.append(known[at])
        at = known[at].parent
    return made[::-1], bool(at)


def _doubted(run: Run) -> Run:
    calls = tuple(replace(call, grade=Grade.UNKNOWN, grade_reason=_BROKEN) for call in run.calls)
    return replace(run, calls=calls, grade=Grade.UNKNOWN)


def _is_pruned(entry: Entry) -> bool:
    """Return whether the entry is of a program that cuts results in memory (OpenClaw)."""
    return entry.type == "custom" and string(entry.data.get("customType")).startswith(
        ("openclaw", "clawdbot", "model-snapshot")
    )


def _name(entries: list[Entry]) -> str:
    names = [string(entry.data.get("name")) for entry in entries if entry.type == "session_info"]
    return next(filter(None, reversed(names)), "")


def _forked(probe: Probe, parent: str) -> Iterator[Problem]:
    if parent:
        name = PurePosixPath(parent.replace("\\", "/")).name
        what = f"this session was forked from {name}: what it took over stands in both"
        yield Problem(_files.shown(probe.label), what, ProblemKind.NOTED)


IMPORTER = Importer(
    name=_FORMAT,
    title="pi session",
    layer=Layer.TRANSCRIPT,
    grade=Grade.DERIVED,
    grade_note=(
        "a compaction records its summary and the first entry it keeps; inferred where a program "
        "built on it (OpenClaw) cuts results in memory; unknown where an entry is missing"
    ),
    recognised_by="JSON lines that begin with type session, an id and a cwd",
    proves="76 calls of one session replayed from its tree",
    order=26,
    recognise=recognise,
    read=read,
)
