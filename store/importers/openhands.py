"""OpenHands: event streams, evaluation output and completion logs, of version 0 and of the SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document, lines_of
from store.importers._agent_run import AgentRun
from store.importers._base import Importer, Listed, Probe, UnreadableError, runs_in
from store.importers._heads import beginning
from store.importers._openhands_logs import LOG_NAME, is_log, log_runs
from store.importers._openhands_v0 import Rule, read_v0
from store.importers._openhands_v1 import is_v1, read_v1
from store.importers._wire import items, mapping, string
from store.jsonin import JsonError, loads
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME: Final = "openhands"
_EVENT: Final = re.compile(r"(?:event-)?(\d{1,12})(?:-[0-9a-fA-F-]{4,40})?\.json")
_EVENTS: Final = "events"
_LARGEST: Final = 64 << 20
_INSTANCE: Final = re.compile(rb'\s*\{\s*"instance_id"\s*:\s*"([^"\\]{1,200})"')
_HEAD: Final = 4096
_PEEK: Final = 3
"""How many files of a folder are looked at, to tell what all of them are."""


def recognise(probe: Probe) -> bool:
    """Return whether a file or folder is a record of OpenHands."""
    if probe.is_folder:
        return _folder_kind(probe) != ""
    root = begun(probe)
    if isinstance(root, dict):
        if "instance_id" in root:
            known = {"history", "metrics", "test_result", "llm_completions"} & root.keys()
            return bool(known) or "agent_class" in mapping(root.get("metadata"))
        return is_log(_shallow(probe.head)) or _is_event(root)
    first = next(iter(items(root)), None)
    return _is_event(next(iter(items(first)), first))


def _shallow(head: bytes) -> object:
    """Return the value of a head; what is cut off behind it counts as there."""
    value, whole = beginning(head)
    sent = isinstance(value, dict) and {"messages", "tools", "context_window"} <= value.keys()
    if isinstance(value, dict) and sent and not whole:
        return {**value, "response": None, "context_window": None}
    return value


def _is_event(value: object) -> bool:
    if is_v1(value):
        return isinstance(value, dict) and ("source" in value or "id" in value)
    if not isinstance(value, dict):
        return False
    about = {"source", "args", "extras", "cause", "message"} & value.keys()
    return ("action" in value or "observation" in value) and len(about) > 1


# -- folders -----------------------------------------------------------------------


def _folder_kind(probe: Probe) -> str:
    """Return what a folder holds: ``events``, the name of a folder of them, or ``logs``."""
    if _EVENTS in probe.names and (probe.path / _EVENTS).is_dir():
        inner = _files.names_in(probe.path / _EVENTS)
        return _EVENTS if _are_events(probe.path / _EVENTS, inner) else ""
    if _are_events(probe.path, probe.names):
        return "."
    logs = sorted(name for name in probe.names if LOG_NAME.fullmatch(name))
    heads = [_peek(probe.path, name) for name in logs[:_PEEK]]
    return "logs" if heads and all(is_log(head) for head in heads) else ""


def _are_events(folder: Path, names: frozenset[str]) -> bool:
    named = sorted((name for name in names if _EVENT.fullmatch(name)), key=_number)
    heads = [_peek(folder, name) for name in named[:_PEEK]]
    return bool(heads) and all(_is_event(head) for head in heads)


def _number(name: str) -> int:
    found = _EVENT.fullmatch(name)
    return int(found[1]) if found else 0


def _peek(folder: Path, name: str) -> object:
    try:
        path = _files.inside(folder, name)
        with _files.open_regular(path) as file:
            head = file.read(1 << 16)
    except (OSError, _files.OutsideError):
        return None
    return _shallow(head)


# -- reading -------------------------------------------------------------------------


def read(probe: Probe) -> Iterator[Run]:
    """Yield the runs of a file or folder."""
    if probe.is_folder:
        yield from _read_folder(probe)
        return
    root = begun(probe)
    if isinstance(root, dict) and "instance_id" in root:
        yield from _evaluation(probe)
        return
    if _is_event(root) and not is_log(root):
        yield _lines_run(probe)
        return
    value = document(probe)
    if is_log(value):
        yield from log_runs(probe, [(probe.path.name, probe.path)])
        return
    yield _events_run(probe, items(value) or [value], probe.path.name, f"{probe.path.name}#", {})


def _lines_run(probe: Probe) -> Run:
    """Return the run of a file that holds an event a line."""
    lines = list(lines_of(probe))
    problems = [Problem(f"{probe.path.name}:{at}", why) for at, _, why in lines if why]
    events = [value for _, value, why in lines if not why]
    return _events_run(probe, events, probe.path.name, f"{probe.path.name}#", {}, problems)


def _read_folder(probe: Probe) -> Iterator[Run]:
    kind = _folder_kind(probe)
    if kind == "logs":
        names = sorted(
            (name for name in probe.names if LOG_NAME.fullmatch(name)),
            key=lambda name: (_time(name), name),
        )
        yield from log_runs(probe, [(name, probe.path / name) for name in names])
        return
    folder = probe.path / kind
    names = sorted(filter(_EVENT.fullmatch, _files.names_in(folder)), key=_number)
    problems: list[Problem] = []
    events = []
    for name in names:
        try:
            with _files.open_regular(_files.inside(folder, name)) as file:
                events.append(loads(file.read(_LARGEST)))
        except (JsonError, OSError, _files.OutsideError) as error:
            what = f"is no event that can be read ({error}); the others were read"
            problems.append(Problem(f"{kind}/{name}", what))
    run_id = probe.path.resolve().name
    yield _events_run(probe, events, run_id, f"{kind}/", {}, problems)


def _time(name: str) -> float:
    found = LOG_NAME.fullmatch(name)
    return float(f"{found[1]}.{found[2]}") if found else 0.0


def _evaluation(probe: Probe) -> Iterator[Run]:
    """Yield a run for each line of an evaluation's output."""
    yield from runs_in(listing(probe))


def listing(probe: Probe) -> Iterator[Listed]:
    """Yield what a file holds; the lines of an evaluation's output by what they begin with."""
    root = begun(probe)
    if not isinstance(root, dict) or "instance_id" not in root:
        yield Listed("", "", partial(read, probe), size=probe.size or None, more=True)
        return
    start = 0
    with _files.open_regular(probe.path, _files.LONG_LINES) as file:
        for line in _files.lines(file):
            size = len(line.data)
            if line.data.strip():
                told = _INSTANCE.match(line.data[:_HEAD])
                name = told[1].decode(errors="replace") if told else ""
                place = (start, size)
                read_line = partial(_line_run, probe, line.number, place)
                yield Listed(name, f":{line.number}", read_line, title=name, size=size)
            start += size


def _line_run(probe: Probe, number: int, place: tuple[int, int]) -> Iterator[Run]:
    """Yield the run of one line, which stands at *place* (start and length in bytes)."""
    origin = f"{probe.path.name}:{number}"
    problems: list[Problem] = []
    held: Mapping[str, object] = {}
    with _files.open_regular(probe.path) as file:
        file.seek(place[0])
        data = file.read(place[1])
    try:
        held = mapping(loads(data))
    except JsonError as error:
        what = f"this line is not JSON ({error}); the other lines were read"
        problems.append(Problem(origin, what))
    name = string(held.get("instance_id")) or f"{probe.path.stem}:{number}"
    history = items(held.get("history"))
    if held and not history:
        problems.append(Problem(origin, "holds no history of events", ProblemKind.NOTED))
    ended = string(held.get("error")).strip().partition("\n")[0]
    if ended:
        what = f"the evaluation ended with an error: {ended}"
        problems.append(Problem(origin, what, ProblemKind.NOTED))
    yield _events_run(probe, history, name, f"{origin}#", mapping(held.get("metadata")), problems)


def _events_run(  # noqa: PLR0913, PLR0917 - what a stream of events is
    probe: Probe,
    events: list[object],
    run_id: str,
    origin: str,
    metadata: Mapping[str, object],
    problems: list[Problem] | None = None,
) -> Run:
    builder = RunBuilder(run_id, probe.label, _NAME, Layer.TRANSCRIPT, title=run_id)
    builder.problems.extend(problems or [])
    agent = AgentRun(builder)
    if any(is_v1(event) for event in events[:_PEEK]):
        read_v1(events, agent, origin)
    else:
        read_v0(events, agent, Rule.of(metadata), origin)
    if not builder.messages and not builder.problems:
        raise UnreadableError(_files.shown(probe.label), "holds no event of a conversation")
    return agent.finish()


IMPORTER = Importer(
    name=_NAME,
    title="OpenHands (events, evaluation output, completion logs)",
    layer=Layer.CLIENT,
    grade=Grade.DERIVED,
    grade_note="recorded for completion logs; derived where condensation events or the settings "
    "say what requests held; inferred where neither is there or where the usual limit cut an "
    "observation; unknown where a setting masks observations",
    recognised_by="`action` or `observation` events, `kind` events of the SDK, `instance_id` with "
    "`history`, `messages` with `response` and `latency_sec`; folders of such files",
    proves="six requests of one run, one after another, exactly as sent",
    order=210,
    recognise=recognise,
    read=read,
    listing=listing,
)
