"""ATIF trajectories, as Harbor and Terminal-Bench write them, with continuations and subagents.

A trajectory that goes on in another file names it, and both are one run.  The
trajectories of subagents stand in it (since 1.7) or in files beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import LARGEST, begun, document
from store.importers._agent_run import AgentRun
from store.importers._atif_steps import Steps
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._heads import beginning
from store.importers._wire import mapping, members, string
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME: Final = "atif"
_VERSION: Final = re.compile(r"ATIF-v[0-9]")
_PART: Final = re.compile(r"(?P<base>.+)\.(?:cont-\d+|summarization-\d+-\w+)\.json")
_FILES: Final = 1000


def recognise(probe: Probe) -> bool:
    """Return whether a file says that it is one, or a folder holds one in several files."""
    if probe.is_folder:
        bases = {found["base"] for name in probe.names if (found := _PART.fullmatch(name))}
        return any(f"{base}.json" in probe.names for base in bases)
    root = begun(probe, b"ATIF-v")
    if isinstance(root, dict) and "schema_version" in root:
        return bool(_VERSION.match(string(root["schema_version"])))
    # A text may stand between the head and this field.
    cut = root is not None and not beginning(probe.head)[1]
    return cut and b'"schema_version"' in probe.head


def read(probe: Probe) -> Iterator[Run]:
    """Yield the runs of a file, or of all files of a folder that are parts of trajectories."""
    if not probe.is_folder:
        yield from _Reading(probe).runs(probe.path.name, mapping(document(probe)))
        return
    reading = _Reading(probe)
    parents: dict[str, str] = {}
    for name, base in _in_order(probe.names):
        if name in reading.seen:
            continue
        try:
            value = reading.file(name)
        except (OSError, JsonError, _files.OutsideError) as error:
            raise UnreadableError(_files.shown(f"{probe.label}/{name}"), str(error)) from None
        for run in reading.runs(name, value, parents.get(base)):
            note = () if parents else _others(probe)
            parents.setdefault(base, run.run_id)
            yield replace(run, problems=(*run.problems, *note))


def _others(probe: Probe) -> tuple[Problem, ...]:
    """Say that a folder holds more than files of trajectories."""
    count = len(probe.names) - len(_in_order(probe.names))
    if not count:
        return ()
    what = f"other files of this folder were not read ({count} in all); give them by themselves"
    return (Problem(_files.shown(probe.label), what, ProblemKind.NOTED),)


def _in_order(names: Collection[str]) -> list[tuple[str, str]]:
    """Return the files of trajectories with the name that each builds on, that one first."""
    parts = sorted((name, found["base"]) for name in names if (found := _PART.fullmatch(name)))
    bases = sorted({base for _, base in parts if f"{base}.json" in names})
    return [*((f"{base}.json", base) for base in bases), *parts]


class _Reading:
    """Reads trajectories and what they name, each file once."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._folder = probe.path if probe.is_folder else probe.path.parent
        self.seen: set[str] = set()

    def file(self, name: str) -> Mapping[str, object]:
        """Return a file beside the trajectory.  Raises `OSError`, `JsonError`, `OutsideError`."""
        with _files.open_regular(_files.inside(self._folder, name)) as file:
            data = file.read(LARGEST)
        return mapping(loads(data))

    def runs(
        self, name: str, value: Mapping[str, object], parent: str | None = None
    ) -> Iterator[Run]:
        """Yield the run of a trajectory and then those of its subagents."""
        self.seen.add(name)
        run_id = string(value.get("trajectory_id")) or string(value.get("session_id")) or name
        told = mapping(value.get("agent"))
        title = " · ".join(filter(None, (name, string(told.get("name")))))
        builder = RunBuilder(
            run_id,
            self._probe.label,
            _NAME,
            Layer.TRANSCRIPT,
            title=title,
            parent_run=parent if parent != run_id else None,
        )
        agent = AgentRun(builder)
        steps = Steps(agent, string(told.get("name")), string(told.get("model_name")))
        inner: list[tuple[str, Mapping[str, object]]] = []
        place, held = name, value
        while True:
            steps.read(members(held.get("steps")), f"{place}#steps")
            inner += [
                (f"{place}#subagent_trajectories/{at}", each)
                for at, each in enumerate(members(held.get("subagent_trajectories")))
            ]
            found = self._next(held, builder)
            if found is None:
                break
            place, held = found
        if not builder.messages:
            raise UnreadableError(_files.shown(self._probe.label), "holds no step of a trajectory")
        steps.finish(name)
        yield agent.finish()
        for where, each in inner:
            yield from self.runs(where, each, run_id)

    def _next(
        self, value: Mapping[str, object], builder: RunBuilder
    ) -> tuple[str, Mapping[str, object]] | None:
        """Return name and value of the file that a trajectory goes on in, if it can be read."""
        name = string(value.get("continued_trajectory_ref"))
        if not name or name in self.seen or len(self.seen) > _FILES:
            return None
        self.seen.add(name)
        where = _files.shown(name)
        try:
            return name, self.file(name)
        except _files.OutsideError:
            what = "a continuation outside of the folder; not followed"
        except (OSError, JsonError) as error:
            what = f"the trajectory goes on in this file, which cannot be read ({error})"
        builder.problems.append(Problem(where, what))
        return None


IMPORTER = Importer(
    name=_NAME,
    title="ATIF trajectory (Harbor, Terminal-Bench)",
    layer=Layer.TRANSCRIPT,
    grade=Grade.UNKNOWN,
    grade_note="steps keep no request; recorded where one stands beside a step, inferred for "
    "agents that send one list of messages and write down where they summarise it",
    recognised_by="`schema_version` ATIF-v1.0 to 1.7; a folder with continuation files",
    proves="a redacted trajectory of which one call is recorded and one is unknown",
    order=150,
    recognise=recognise,
    read=read,
)
