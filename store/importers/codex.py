"""Codex sessions: the rollout files of all eras.

A rollout holds every item of the history in the order it came, with outputs as
the tools gave them.  What was sent follows by the client's own rules: long
outputs are cut by the recorded limit, a compaction puts another history in
place, turns are taken back.  What the service keeps encrypted stays opaque.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from store import jsonin
from store.builder import RunBuilder
from store.importers import _files
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._codex_walk import Walk
from store.importers._heads import first_line
from store.importers._json_lines import JsonLines
from store.importers._wire import mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "codex"
_LINES: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
)
_OLD_ITEMS: Final = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
)
_META: Final = re.compile(rb'\A[^\n]{0,4096}?"type"\s*:\s*"session_meta"')
"""A first line may be longer than what recognition sees of it."""


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is a rollout."""
    if probe.is_folder or not probe.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    if _META.match(probe.head) and b'"payload"' in probe.head:
        return True
    first = mapping(first_line(probe.head))
    if string(first.get("type")) in _LINES and isinstance(first.get("payload"), dict):
        return "timestamp" in first
    if not {"id", "timestamp"} <= first.keys() or "type" in first:
        return False
    # The oldest header has no type: what follows it are items, or states of the work tree.
    return "instructions" in first and all(
        string(line.get("type")) in _OLD_ITEMS or "record_type" in line
        for line in islice(_records_behind(probe), 3)
    )


def _records_behind(probe: Probe) -> Iterator[Mapping[str, object]]:
    """Yield the records in the head behind the first line, as far as they are whole."""
    lines = probe.head.lstrip().split(b"\n")
    for line in lines[1:] if probe.size <= len(probe.head) else lines[1:-1]:
        with suppress(jsonin.JsonError):
            value = jsonin.loads(line)
            if isinstance(value, dict):
                yield value


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a rollout."""
    name = probe.path.name
    lines = JsonLines(probe.label)
    builder = RunBuilder("", probe.label, _FORMAT, Layer.TRANSCRIPT)
    walk = Walk(builder)
    try:
        for line in lines.read(probe.path):
            if lines.damaged:
                walk.doubt()
            if not builder.run_id:
                _identify(builder, walk, line.value, f"{_files.shown(probe.label)}:{line.number}")
            walk.take(line.value, f"{name}:{line.number}")
    except OSError as error:
        raise UnreadableError(probe.label, f"cannot be read ({error.strerror})") from None
    builder.run_id = builder.run_id or probe.path.stem
    run = walk.finish()
    problems = [*lines.problems, *run.problems]
    if not run.calls:
        problems.append(Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED))
    yield replace(run, problems=tuple(problems))


def _identify(builder: RunBuilder, walk: Walk, value: Mapping[str, object], where: str) -> None:
    """Take the name of the thread from its header, and whose agent or branch it is."""
    meta = mapping(value.get("payload")) if value.get("type") == "session_meta" else value
    if "payload" in meta or not string(meta.get("id")):
        return
    builder.run_id = string(meta.get("id"))
    spawned = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    parent = string(meta.get("parent_thread_id")) or string(spawned.get("parent_thread_id"))
    forked = string(meta.get("forked_from_id"))
    builder.parent_run = parent or None
    if forked:
        what = (
            f"this thread was forked from {forked}: up to the fork its calls are that thread's, "
            "written down again"
        )
        walk.note(where, what)


IMPORTER = Importer(
    name=_FORMAT,
    title="Codex session (rollout)",
    layer=Layer.TRANSCRIPT,
    grade=Grade.DERIVED,
    grade_note=(
        "long outputs cut by the recorded limit, compaction by the history it records; inferred "
        "where the limit or that history is not recorded; unknown after a damaged line"
    ),
    recognised_by=(
        "JSON lines with type session_meta, response_item, event_msg or turn_context and a "
        "payload; the oldest by a header with id, timestamp and instructions"
    ),
    proves=(
        "a long session replayed call by call, and a session with every kind of line of the "
        "newest schema, with compaction"
    ),
    order=22,
    recognise=recognise,
    read=read,
)
