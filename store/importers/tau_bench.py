"""Results of tau-bench and tau2-bench: a conversation with a user simulator for each task.

Facts from their sources: the harness of tau-bench sends all messages of
``traj`` and edits nothing.  In tau2 the user simulator has tools of its own;
what they return (``requestor: user``) the agent does not see, and the policy
that the agent is given stands beside the conversations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import begun, document
from store.importers._agent_messages import turn_of, usage_of
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._base import Importer, Listed, Probe, UnreadableError, runs_in
from store.importers._wire import Turn, items, mapping, members, string
from store.records.grades import Grade, Layer
from store.records.runs import Part, PartKind, ProblemKind, Run

__all__ = ["IMPORTER"]

_NAME: Final = "tau-bench"
_REASON: Final = f"{ALL_BEFORE}; the harness takes nothing out of them"


def recognise(probe: Probe) -> bool:
    """Return whether a file is a list of results with ``traj``, or has ``simulations``."""
    root = begun(probe)
    if isinstance(root, dict):
        if "traj" in root:
            return "task_id" in root
        return "simulations" in root or {"info", "tasks", "timestamp"} <= root.keys()
    keys = mapping(next(iter(items(root)), None)).keys()
    return "task_id" in keys and bool({"traj", "reward"} & keys)


def listing(probe: Probe) -> Iterator[Listed]:
    """Yield the conversations of a file of results."""
    value = document(probe)
    whole = mapping(value)
    simulations = list(members(whole.get("simulations")))
    if simulations:
        policy = string(mapping(mapping(whole.get("info")).get("environment_info")).get("policy"))
        for number, each in enumerate(simulations):
            name = _name(each, number)
            origin = f"{probe.path.name}#simulations/{number}/messages"
            read = partial(_simulated, probe, each, name, origin, policy)
            yield Listed(name, f"simulations/{number}", read, title=name)
        return
    found = [
        each for each in members(value if isinstance(value, list) else [value]) if "traj" in each
    ]
    if not found:
        raise UnreadableError(_files.shown(probe.label), "holds no conversation of a task")
    for number, each in enumerate(found):
        name = _name(each, number)
        origin = f"{probe.path.name}#{number}/traj"
        yield Listed(name, str(number), partial(_run, probe, each, name, origin), title=name)


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each conversation."""
    yield from runs_in(listing(probe))


def _name(value: Mapping[str, object], number: int) -> str:
    task, trial = value.get("task_id", number), value.get("trial", 0)
    return f"task {task} · trial {trial}"


def _builder(probe: Probe, name: str) -> RunBuilder:
    return RunBuilder(f"{probe.path.stem}/{name}", probe.label, _NAME, Layer.STATE, title=name)


def _run(probe: Probe, value: Mapping[str, object], name: str, origin: str) -> Iterator[Run]:
    agent = AgentRun(_builder(probe, name))
    for at, message in enumerate(members(value.get("traj"))):
        _take(agent, message, f"{origin}/{at}")
    error = string(mapping(value.get("info")).get("error"))
    if error:
        what = f"the conversation ended with an error: {error.partition(chr(10))[0]}"
        agent.builder.problem(origin, what, ProblemKind.NOTED)
    yield agent.finish()


def _take(agent: AgentRun, message: Mapping[str, object], origin: str) -> None:
    turn = turn_of(message)
    if turn.role != "assistant":
        agent.held += agent.messages([turn], origin)
        return
    raw = mapping(message.get("raw_data"))
    usage = mapping(message.get("usage")) or mapping(raw.get("usage"))
    agent.call(
        turn.parts,
        origin,
        grade=Grade.INFERRED,
        grade_reason=_REASON,
        model=string(raw.get("model")),
        usage=usage_of(usage),
        at=string(message.get("timestamp")) or None,
    )


def _simulated(
    probe: Probe, value: Mapping[str, object], name: str, origin: str, policy: str
) -> Iterator[Run]:
    """Yield the run of tau2's agent: what its user did by himself is not in its requests."""
    agent = AgentRun(_builder(probe, name))
    if policy:
        agent.say("system", [Part(PartKind.TEXT, policy)], f"{probe.path.name}#info")
    hidden: set[str] = set()
    heard = False
    for at, message in enumerate(members(value.get("messages"))):
        place, role = f"{origin}/{at}", string(message.get("role"))
        if role == "user":
            heard = True
            calls = list(members(message.get("tool_calls")))
            hidden.update(string(call.get("id")) for call in calls)
            if calls:
                continue
        if role == "tool" and (message.get("requestor") == "user" or message.get("id") in hidden):
            continue
        if role == "assistant" and not heard and not message.get("usage"):
            turn = turn_of(message)
            agent.held += agent.messages([Turn(turn.role, turn.parts)], place)
            continue
        for each in items(message.get("tool_messages")) or [message]:
            _take(agent, mapping(each), place)
    yield agent.finish()


IMPORTER = Importer(
    name=_NAME,
    title="tau-bench results (also tau2)",
    layer=Layer.STATE,
    grade=Grade.INFERRED,
    grade_note=_REASON,
    recognised_by="a list of `task_id` with `traj`, or an object with `simulations`",
    proves="made by the tests: a run for each task, and of two sides only what the agent saw",
    order=520,
    recognise=recognise,
    read=read,
    alone=True,
    listing=listing,
)
