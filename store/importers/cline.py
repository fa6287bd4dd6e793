"""Cline and Roo Code tasks: the folder of a task, or the file of its messages.

The messages are the original ones; what a request held of them is computed
from the edits and ranges that the other files of the task record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import document
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._cline_run import task_run
from store.importers._cline_session import is_session, session_run
from store.importers._cline_task import HISTORY, Task, load_beside
from store.importers._probing import file_probe
from store.importers._wire import members
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "cline"
_LIST: Final = re.compile(rb"\A\s*\[\s*\{")
_SIGNS: Final = (b"<task>", b"<environment_details>")


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is the folder of a task, or the file of its messages."""
    if probe.is_folder:
        return HISTORY in probe.names
    head = probe.head.removeprefix(b"\xef\xbb\xbf")
    if is_session(head):
        return True
    if not _LIST.match(head) or b'"role"' not in head or b'"content"' not in head:
        return False
    return probe.path.name == HISTORY or any(sign in head for sign in _SIGNS)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a task."""
    path = probe.path / HISTORY if probe.is_folder else probe.path
    label = f"{probe.label.rstrip('/')}/{HISTORY}" if probe.is_folder else probe.label
    try:
        inner = file_probe(path, label)
    except OSError as error:
        raise UnreadableError(label, f"cannot be read ({error.strerror})") from None
    value = document(inner)
    if isinstance(value, dict):
        builder = RunBuilder(path.stem, label, _FORMAT, Layer.TRANSCRIPT)
        yield _told(session_run(value, builder, path.name), label)
        return
    task = Task(list(members(value)))
    folder = path.parent
    if path.name == HISTORY:
        load_beside(task, folder, label.rpartition("/")[0] or ".")
    named = folder.resolve().name if path.name == HISTORY else path.stem
    builder = RunBuilder(named, label, _FORMAT, Layer.TRANSCRIPT, title=task.title)
    run = task_run(task, builder, path.name)
    yield _told(replace(run, problems=(*task.problems, *run.problems)), label)


def _told(run: Run, label: str) -> Run:
    """Return *run*, which says so where it holds no call."""
    if run.calls:
        return run
    told = Problem(_files.shown(label), NO_CALLS, ProblemKind.NOTED)
    return replace(run, problems=(*run.problems, told))


IMPORTER = Importer(
    name=_FORMAT,
    title="Cline or Roo Code task",
    layer=Layer.TRANSCRIPT,
    grade=Grade.DERIVED,
    grade_note=(
        "the task records what was left out of requests and what was put in place; inferred where "
        "the file that says so is missing, or the time of a summary"
    ),
    recognised_by=(
        "a folder with api_conversation_history.json; a list of messages with <task> or "
        "<environment_details>; an object with sessionId, agent, origin and messages"
    ),
    proves=(
        "made by the tests: reads that a later one replaces, ranges that were left out, "
        "summaries with and without their time"
    ),
    order=30,
    recognise=recognise,
    read=read,
    shares=True,
)
