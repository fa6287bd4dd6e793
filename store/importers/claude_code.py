"""Claude Code sessions: a session file with or without its folder, or a project's whole folder.

The file holds what was obtained, not what was sent: the client takes results
away while it builds a request.  What it took away follows from boundary
records, from side files or from counts that the API reports; each call says
how far that reaches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from store.builder import RunBuilder
from store.importers._base import NO_CALLS, Importer, Listed, Probe, UnreadableError
from store.importers._claude_eras import Eras
from store.importers._claude_folder import (
    agents_of,
    find_side_files,
    is_own_folder,
    session_beside,
    session_files,
    session_in,
)
from store.importers._claude_records import (
    Record,
    Transcript,
    as_text,
    dump,
    looks_like_session,
    read_transcript,
)
from store.importers._claude_run import branch_run
from store.importers._claude_tree import Tree
from store.records.grades import Grade, Layer
from store.records.runs import OtherEvent, Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT = "claude-code"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_SESSION_NAME = re.compile(rf"\A(?:{_UUID}|agent-[\w-]+)\.jsonl\Z")


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is a session file, or a folder that holds session files by name."""
    if probe.is_folder:
        named = any(_SESSION_NAME.match(name) for name in probe.names)
        return named or is_own_folder(probe.path.name, probe.names)
    return looks_like_session(probe.head)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the runs of a session and of its subagents, or of every session in a folder.

    Raises `UnreadableError` where the one file, or the whole folder, gives nothing.
    """
    problems: list[Problem] = []
    if probe.is_folder:
        yield from _read_folder(probe, problems)
        return
    try:
        transcript = read_transcript(probe.path, probe.path.name)
    except OSError as error:
        raise UnreadableError(probe.label, _cannot(error)) from None
    yield from _runs(probe.path, probe.label, transcript, problems)
    if not transcript.is_agent:
        yield from _read_agents(probe, transcript.session or probe.path.stem)


def _read_folder(probe: Probe, problems: list[Problem]) -> Iterator[Run]:
    if is_own_folder(probe.path.name, probe.names) and session_beside(probe.path):
        # The session's file lies beside this folder and brings its subagents along.
        return
    files = list(session_files(probe.path, problems))
    if not files:
        what = "no file in this folder could be read as a session; name the file itself"
        raise UnreadableError(probe.label, what)
    for path in files:
        label = f"{probe.label.rstrip('/')}/{path.relative_to(probe.path).as_posix()}"
        yield from _read_other(path, label, problems)
        problems = []


def listing(probe: Probe) -> Iterator[Listed | Problem]:
    """Yield the sessions of a folder by the heads of their files; one file lists nothing."""
    if not probe.is_folder or (
        is_own_folder(probe.path.name, probe.names) and session_beside(probe.path)
    ):
        return
    problems: list[Problem] = []
    for path in session_files(probe.path, problems):
        name = path.relative_to(probe.path).as_posix()
        label = f"{probe.label.rstrip('/')}/{name}"
        agent = path.stem if path.stem.startswith("agent-") else ""
        yield Listed(
            agent or session_in(path),
            name,
            partial(_read_other, path, label, []),
            size=path.stat().st_size,
            more=True,
        )
    yield from problems


def _read_agents(probe: Probe, session: str) -> Iterator[Run]:
    problems: list[Problem] = []
    files = list(agents_of(probe.path, session, problems))
    named = probe.label.endswith(probe.path.name)
    above = probe.label[: -len(probe.path.name)] if named else ""
    for path in files:
        label = above + path.relative_to(probe.path.parent).as_posix()
        yield from _read_other(path, label, problems)
        problems = []


def _read_other(path: Path, label: str, problems: list[Problem]) -> Iterator[Run]:
    """Yield the runs of one file of several: if it cannot be read, the others still are."""
    try:
        transcript = read_transcript(path, path.name)
    except OSError as error:
        transcript = Transcript(path.name)
        transcript.problems.append(Problem(label, _cannot(error)))
    yield from _runs(path, label, transcript, problems)


def _cannot(error: OSError) -> str:
    return f"cannot be read ({error.strerror}); give the right to read it, or name another file"


def _runs(path: Path, label: str, transcript: Transcript, problems: list[Problem]) -> Iterator[Run]:
    """Yield the runs of one file by run id; the first carries the problems of the file."""
    session = transcript.session or path.stem
    side = find_side_files(path, transcript.session)
    eras = Eras.of(transcript, side)
    made: list[Run] = []
    met: set[str] = set()
    for run_id, records in _conversations(transcript, session).items():
        parent = session if run_id != session else None
        for rank, branch in enumerate(Tree(records).branches()):
            met.update(record.uuid for record in branch.records)
            met.update(one.uuid for group in branch.members.values() for one in group)
            builder = RunBuilder(
                run_id=run_id if rank == 0 else f"{run_id}@{branch.leaf}",
                path=label,
                format=_FORMAT,
                layer=Layer.TRANSCRIPT,
                title=transcript.title,
                parent_run=parent,
                branch=branch.leaf if rank else None,
            )
            made.append(branch_run(builder, branch, eras))
    if not made:
        transcript.problems.append(Problem(label, NO_CALLS, ProblemKind.NOTED))
        made = [RunBuilder(session, label, _FORMAT, Layer.TRANSCRIPT, transcript.title).finish()]
    left = [
        OtherEvent(f"{record.type} outside every branch", record.origin, dump(record.data))
        for record in transcript.tree.values()
        if record.is_conversation and record.uuid not in met
    ]
    made.sort(key=lambda run: run.run_id)
    made[0] = replace(
        made[0],
        problems=(*problems, *transcript.problems, *side.problems, *made[0].problems),
        other_events=(*made[0].other_events, *transcript.other, *left),
    )
    for run in made:
        yield replace(run, problems=tuple(_placed(one, label) for one in run.problems))


def _placed(problem: Problem, label: str) -> Problem:
    """Name the place from where the user stands: origins begin with the file's own name."""
    above = label[: label.rfind("/") + 1]
    return (
        problem
        if problem.where.startswith(above)
        else replace(problem, where=above + problem.where)
    )


def _conversations(transcript: Transcript, session: str) -> dict[str, list[Record]]:
    """Return the records of the session's own conversation and of each subagent's, by run id.

    Old clients wrote subagents into the session's file, each a tree of its own.
    """
    made: dict[str, list[Record]] = {}
    roots: dict[str, str] = {}
    for record in transcript.tree.values():
        run_id = session
        if record.is_sidechain:
            agent = as_text(record.data.get("agentId"))
            root = roots.get(record.parent, record.uuid)
            roots[record.uuid] = root
            run_id = f"agent-{agent}" if agent else f"{session}/sidechain-{root}"
        made.setdefault(run_id, []).append(record)
    return made


IMPORTER = Importer(
    name=_FORMAT,
    title="Claude Code session",
    layer=Layer.TRANSCRIPT,
    grade=Grade.DERIVED,
    grade_note=(
        "unknown up to version 2.0.59; derived where boundary records say what was taken away; "
        "inferred from side files, from counts of the API, and where neither is there"
    ),
    recognised_by=(
        "JSON lines with sessionId and parentUuid (or summaries and snapshots before them); "
        "a folder by session files named after their id"
    ),
    proves=(
        "62 results that a boundary record names as cleared, with their originals; sessions "
        "up to 2.0.59 that prove nothing of a request; results only their side files tell of"
    ),
    order=20,
    recognise=recognise,
    read=read,
    listing=listing,
    heads_tell=True,
    shares=True,
)
