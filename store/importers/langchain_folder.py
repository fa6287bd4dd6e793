"""Folders that hold several records of the same threads: each thread is one run.

A checkpoint database tells the states, traces of LangSmith and logs of calls
the requests, a dump of messages the end.  What is in the folder beside them is
read as if it were alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from store.importers import _files
from store.importers._archive_place import is_archive
from store.importers._base import NO_CALLS, HandOver, Importer, Probe, UnreadableError
from store.importers._lc_join import joined, told_by
from store.importers._lc_members import FORMATS, Member, Members, members_of
from store.importers._lc_saved import give_saved
from store.importers._lc_thread import ThreadRecord
from store.importers._lc_thread_run import run_of
from store.importers._probing import file_probe, folder_probe
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run
from store.stopping import go_on

__all__ = ["IMPORTER"]

_NAME = "langchain-folder"
_NAMED: Final = 5
_BESIDE: Final = ("-wal", "-shm", "-journal")
_NOT_WALKED: Final = frozenset({".git", ".hg", ".svn", "reread.toml"})


def recognise(probe: Probe) -> bool:
    """Return whether a folder holds several records of threads, one of them not a mere dump."""
    if not probe.is_folder:
        return False
    kinds = [member.kind for member in members_of(probe)]
    return len(kinds) > 1 and any(kind in FORMATS for kind in kinds)


def read(probe: Probe) -> Iterator[Run | HandOver]:
    """Yield a run for each thread and each part of it, then what else can be read in the folder."""
    found = members_of(probe)
    members = Members(probe.label)
    for member in found:
        members.read(member)
    records = joined(members.states, members.traces(), members.logs)
    told = {member.path for member in found if member.kind in FORMATS}
    told |= set(_dumps(found, members, records))
    told |= give_saved(probe.path, records)
    others, left = _others(probe, told)
    if not records and not others:
        said = "; ".join(problem.what for problem in members.problems)
        what = f"{NO_CALLS}: {said}" if said else NO_CALLS
        raise UnreadableError(_files.shown(probe.label), what)
    problems = [*members.problems, *_left_out(probe, left)]
    if not records and problems:
        records = [ThreadRecord(probe.path.name)]
    for record in records:
        record.problems[:0] = problems
        problems = []
        yield _run(probe, record)
    yield from others


def _dumps(found: list[Member], members: Members, records: list[ThreadRecord]) -> Iterator[Path]:
    """Yield the dumps whose conversations are told of by what tells more."""
    for member in found:
        dumped = members.dumped(member) if member.kind not in FORMATS else []
        if dumped and all(told_by(messages, records) for messages in dumped):
            yield member.path
            what = "holds the same conversation; the run was put together from what tells more"
            where = _files.shown(f"{members.label}/{member.name}")
            members.problems.append(Problem(where, what, ProblemKind.NOTED))


def _run(probe: Probe, record: ThreadRecord) -> Run:
    """Return the run of a thread: where one file tells of it alone, it is that file's."""
    formats = {name for _, name in record.sources}
    recorded = all(call.grade is Grade.RECORDED for call in record.calls)
    from_states = FORMATS["states"] in formats or not formats
    layer = Layer.STATE if from_states and not (recorded and record.calls) else Layer.CLIENT
    names = [name for name, _ in record.sources]
    path = f"{probe.label}/{names[0]}" if len(names) == 1 else probe.label
    return run_of(record, path, formats.pop() if len(formats) == 1 else _NAME, layer)


def _others(probe: Probe, told: set[Path]) -> tuple[list[HandOver], list[str]]:
    """Return what others read in the folder and below it, and the names of what nobody does."""
    importers = import_module("store.importers").importers()
    handed: list[HandOver] = []
    left: list[str] = []
    partitions = {folder for path in told for folder in path.parents}
    waiting = [(probe.path / name, name) for name in sorted(probe.names, reverse=True)]
    while waiting:
        go_on()
        path, name = waiting.pop()
        if path in told or path.name in _NOT_WALKED or name.endswith(_BESIDE):
            continue
        if path.is_symlink():
            left.append(f"{name} (a link)")
            continue
        inner = _looked_at(path, f"{probe.label}/{name}")
        if inner is None:
            left.append(name)
        elif path not in partitions and _is_known(inner, importers):
            handed.append(HandOver(path, inner.label, lambda run: run))
        elif inner.is_folder:
            below = sorted(inner.names, reverse=True)
            waiting += [(path / each, f"{name}/{each}") for each in below]
        else:
            left.append(name)
    return handed, left


def _is_known(probe: Probe, importers: Sequence[Importer]) -> bool:
    return is_archive(probe.head) or any(
        not each.last_resort and each.recognise(probe) for each in importers
    )


def _looked_at(path: Path, label: str) -> Probe | None:
    """Return what recognition sees of a path; ``None`` for what is neither file nor folder."""
    try:
        found = folder_probe(path, label) if path.is_dir() else file_probe(path, label)
    except OSError:
        return None
    return found if isinstance(found, Probe) else None


def _left_out(probe: Probe, left: list[str]) -> Iterator[Problem]:
    if not left:
        return
    names = ", ".join(_files.shown(name) for name in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    what = f"files of no kind that can be read were left out: {names}{more}"
    yield Problem(_files.shown(probe.label), what, ProblemKind.NOTED)


IMPORTER = Importer(
    name=_NAME,
    title="Folder with several records of LangChain threads",
    layer=Layer.STATE,
    grade=Grade.RECORDED,
    grade_note="recorded where a trace or a log holds the request, else as the checkpoint of the "
    "state before it deserves",
    recognised_by="two or more files among checkpoint databases, LangSmith runs, logs of calls "
    "and dumps of messages, not all of them dumps; partitions of a bulk export",
    proves=(
        "sixteen folders in which a log of the calls lies beside a checkpoint: what "
        "middleware took out of each request, 155 results in all"
    ),
    order=40,
    recognise=recognise,
    read=read,
)
