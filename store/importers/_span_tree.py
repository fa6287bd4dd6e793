"""Which spans belong together: one run for each trace or conversation, and for each subagent.

A conversation that spreads over several traces is one run where its spans
name it.  A model call that two libraries recorded is one: a generation's span
within another's, with neither a tool nor an agent between them.  An agent
that stands within a tool's span is a subagent: what it read, its parent did
not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from store.importers._span_steps import Kind, Step
from store.records.runs import Usage

__all__ = ["Thread", "threads"]

_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})
_TAKEN: Final = (
    *("instructions", "request", "response", "raw_request", "raw_response", "call_id", "id"),
    *("label", "finish_reason", "error", "session", "parent_id"),
)
_EVENT: Final = re.compile(r"(.+)\.(?:start|success|finish|error)-([0-9]+)")
_ALONE: Final = (
    "only the span of an agent is recorded: what it was asked and what it said, not what each "
    "call of its model was given"
)


@dataclass(slots=True)
class Thread:
    """The steps of one run in order; ``parent`` is the id of the run it is a subagent of."""

    run_id: str
    steps: list[Step] = field(default_factory=list)
    title: str = ""
    parent: str | None = None

    @property
    def calls(self) -> int:
        """How many model calls it has."""
        return sum(step.kind is Kind.GENERATION for step in self.steps)


def threads(steps: Sequence[Step]) -> tuple[list[Thread], int]:
    """Return the runs that *steps* are, and how many traces hold no model call."""
    steps = _joined(_unique(steps))
    groups: dict[str, list[Step]] = {}
    for (name, _), trace in _traces(steps).items():
        groups.setdefault(name, []).extend(trace)
    found: list[Thread] = []
    without = 0
    for name, group in groups.items():
        made = list(_split(name, _Tree(group)))
        found += made
        without += not made
    return found, without


def _unique(steps: Sequence[Step]) -> list[Step]:
    """Return each span once: exporters that retry write it again, and the last is the whole."""
    known: dict[tuple[str, str], Step] = {}
    for number, step in enumerate(steps):
        key = (step.trace_id, step.span_id or f"#{number}")
        before = known.get(key)
        known[key] = step if before is None else _merged(step, before)
    return list(known.values())


def _joined(steps: list[Step]) -> list[Step]:
    """Return the steps with those that are one step's events put together.

    BeeAI writes a span for the start, the success and the end of each call,
    which have a number in common.
    """
    known: dict[tuple[str, str, str], int] = {}
    made: list[Step] = []
    for step in sorted(steps, key=lambda each: each.start):
        event = _EVENT.fullmatch(step.name)
        key = (step.trace_id, event[1], event[2]) if event else None
        if key is None or key not in known:
            if key is not None:
                known[key] = len(made)
            made.append(step)
            continue
        first = made[known[key]]
        merged = _merged(first, step)
        merged.shortfalls = [*first.shortfalls, *(s for s in step.shortfalls if not s.request)]
        made[known[key]] = merged
    return made


def _traces(steps: Iterable[Step]) -> dict[tuple[str, str], list[Step]]:
    """Return the steps by the name of their run and their trace."""
    by_trace: dict[str, list[Step]] = {}
    for step in steps:
        by_trace.setdefault(step.trace_id, []).append(step)
    sessions = {name: _session(group) for name, group in by_trace.items()}
    shared = Counter(sessions.values())
    named: dict[tuple[str, str], list[Step]] = {}
    for trace_id, group in by_trace.items():
        session = sessions[trace_id]
        name = session if session and shared[session] > 1 else trace_id
        named[name or "trace", trace_id] = group
    return named


def _session(steps: Iterable[Step]) -> str:
    """Return the conversation that the spans of a trace name, where they name one."""
    sessions = {step.session for step in steps if step.session}
    return sessions.pop() if len(sessions) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Standing:
    """What stands around a span.

    ``owner`` is the subagent it belongs to, ``None`` for the run itself, and
    ``within`` the subagent that one was called by.  ``call`` is the
    generation around it, with neither a tool nor an agent between them;
    ``agent`` and ``tool`` say that one of them is around it (a tool since the
    owner began).
    """

    owner: Step | None = None
    within: Step | None = None
    call: Step | None = None
    agent: bool = False
    tool: bool = False
    is_root: bool = True

    def inside(self, step: Step) -> _Standing:
        """Return what stands around the spans within *step*, which this stands around."""
        call = step if step.kind is Kind.GENERATION else self.call
        if step.kind in (Kind.TOOL, Kind.AGENT, Kind.RETRIEVAL):
            call = None
        if step.kind is not Kind.AGENT:
            tool = self.tool or step.kind is Kind.TOOL
            return replace(self, call=call, tool=tool, is_root=False)
        if self.agent and self.tool:
            return _Standing(step, self.owner, call, agent=True, is_root=False)
        return replace(self, call=call, agent=True, is_root=False)


class _Tree:
    """The spans of one run, and what stands around each of them."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = sorted(steps, key=lambda step: step.start)
        self._around: dict[int, _Standing] = {}
        known = {(step.trace_id, step.span_id) for step in steps if step.span_id}
        below: dict[tuple[str, str], list[Step]] = {}
        roots: list[Step] = []
        for step in self.steps:
            parent = (step.trace_id, step.parent_id)
            if parent in known and step.parent_id != step.span_id:
                below.setdefault(parent, []).append(step)
            else:
                roots.append(step)
        # What only a circle of parents leads to has no root; its first span is taken for one.
        for root in (*roots, *self.steps):
            self._place(root, below)

    def _place(self, root: Step, below: dict[tuple[str, str], list[Step]]) -> None:
        waiting = [(root, _Standing())]
        while waiting:
            step, standing = waiting.pop()
            if id(step) in self._around:
                continue
            self._around[id(step)] = standing
            inside = standing.inside(step)
            inner = below.get((step.trace_id, step.span_id), ()) if step.span_id else ()
            waiting.extend((each, inside) for each in inner)

    def around(self, step: Step) -> _Standing:
        """Return what stands around *step*; an agent that begins a subagent belongs to it."""
        return self._around.get(id(step), _Standing())


def _split(name: str, tree: _Tree) -> Iterable[Thread]:
    """Yield the run of a tree, then those of its subagents, in the order they began."""
    kept = _without_copies(tree)
    if not any(step.kind is Kind.GENERATION for step, _ in kept):
        kept = _from_agents(kept)
    made: dict[str, Thread] = {}
    root = _title(tree)
    for step, standing in kept:
        if step.kind is Kind.AGENT or (step.kind is Kind.OTHER and step.response in _EMPTY):
            continue
        owner = standing.owner
        run_id = _run_id(name, owner)
        if run_id not in made:
            title = root if owner is None else owner.label or owner.name
            parent = None if owner is None else _run_id(name, standing.within)
            made[run_id] = Thread(run_id, title=title, parent=parent)
        made[run_id].steps.append(step)
    return [thread for thread in made.values() if thread.calls]


def _run_id(name: str, owner: Step | None) -> str:
    return name if owner is None else f"{name}/{owner.span_id}"


def _title(tree: _Tree) -> str:
    roots = (step for step in tree.steps if tree.around(step).is_root)
    return next((step.label or step.name for step in roots if step.label or step.name), "")


def _without_copies(tree: _Tree) -> list[tuple[Step, _Standing]]:
    """Return the steps without generations that only repeat the one within them."""
    inside: dict[int, list[Step]] = {}
    for step in tree.steps:
        outer = tree.around(step).call if step.kind is Kind.GENERATION else None
        if outer is not None:
            inside.setdefault(id(outer), []).append(step)
    merged: dict[int, Step] = {}
    for step in tree.steps:
        inner = inside.get(id(step), [])
        if len(inner) == 1:
            place = id(inner[0])
            merged[place] = _merged(inner[0], merged.get(id(step), step))
    return [
        (merged.get(id(step), step), tree.around(step))
        for step in tree.steps
        if id(step) not in inside
    ]


def _merged(inner: Step, outer: Step) -> Step:
    """Return *inner* with what only *outer* has: the nearer to the service is the surer."""
    taken = {
        name: getattr(outer, name)
        for name in _TAKEN
        if getattr(inner, name) in _EMPTY and getattr(outer, name) not in _EMPTY
    }
    if "request" in taken:
        taken["shortfalls"] = [*inner.shortfalls, *outer.shortfalls]
    if inner.usage == Usage():
        taken["usage"] = outer.usage
    if inner.kind is Kind.OTHER:
        taken["kind"] = outer.kind
    return replace(inner, **taken)


def _from_agents(steps: list[tuple[Step, _Standing]]) -> list[tuple[Step, _Standing]]:
    """Take the spans of agents for calls where no call has one, and say what that lacks."""
    made = []
    for step, standing in steps:
        if step.kind is Kind.AGENT and step.request not in _EMPTY:
            call = replace(step, kind=Kind.GENERATION, label="")
            call.shortfalls = list(step.shortfalls)
            call.lacks(_ALONE)
            made.append((call, standing))
        else:
            made.append((step, standing))
    return made
