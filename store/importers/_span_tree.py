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
_DEEPEST: Final = 10_000
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


class _Tree:
    """The spans of one run and who stands within whom."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = sorted(steps, key=lambda step: step.start)
        self._by_id = {(step.trace_id, step.span_id): step for step in steps if step.span_id}

    def above(self, step: Step) -> list[Step]:
        """Return what *step* stands within, the nearest first; a circle ends where it closes."""
        found: list[Step] = []
        seen = {step.span_id}
        while len(found) < _DEEPEST:
            parent = self._by_id.get((step.trace_id, step.parent_id))
            if parent is None or parent.span_id in seen:
                break
            seen.add(parent.span_id)
            found.append(parent)
            step = parent
        return found


def _split(name: str, tree: _Tree) -> Iterable[Thread]:
    """Yield the run of a tree, then those of its subagents, in the order they began."""
    kept = _without_copies(tree)
    if not any(step.kind is Kind.GENERATION for step in kept):
        kept = _from_agents(kept)
    made: dict[str, Thread] = {}
    owners: dict[str, str] = {}
    for step in kept:
        if step.kind is Kind.AGENT or (step.kind is Kind.OTHER and step.response in _EMPTY):
            continue
        owner, agent, above = _owner(step, tree)
        run_id = f"{name}/{owner}" if owner else name
        if run_id not in made:
            made[run_id] = Thread(run_id, title=agent)
            owners[run_id] = f"{name}/{above}" if above else name
        made[run_id].steps.append(step)
    root = _title(tree)
    for run_id, thread in made.items():
        if not thread.calls:
            continue
        parent = owners[run_id] if run_id != name else None
        yield replace(thread, title=thread.title or root, parent=parent)


def _owner(step: Step, tree: _Tree) -> tuple[str, str, str]:
    """Return the subagent that *step* is of, its name, and the subagent that one is within."""
    above = tree.above(step)
    agents = [
        place
        for place, each in enumerate(above)
        if each.kind is Kind.AGENT
        and any(outer.kind is Kind.TOOL for outer in above[place + 1 :])
        and any(outer.kind is Kind.AGENT for outer in above[place + 1 :])
    ]
    if not agents:
        return "", "", ""
    # Agents that stand directly within one another are one; a tool between them makes two.
    place = agents[0]
    for later in agents[1:]:
        if any(each.kind is Kind.TOOL for each in above[place + 1 : later]):
            break
        place = later
    outer = _owner(above[place], tree)[0]
    agent = above[place]
    return agent.span_id, agent.label or agent.name, outer


def _title(tree: _Tree) -> str:
    roots = (step for step in tree.steps if not tree.above(step))
    return next((step.label or step.name for step in roots if step.label or step.name), "")


def _without_copies(tree: _Tree) -> list[Step]:
    """Return the steps without generations that only repeat the one within them."""
    inside: dict[str, list[Step]] = {}
    for step in tree.steps:
        if step.kind is Kind.GENERATION:
            outer = _outer(step, tree)
            if outer is not None:
                inside.setdefault(outer.span_id, []).append(step)
    made: dict[int, Step | None] = {}
    for step in reversed(tree.steps):
        inner = inside.get(step.span_id, ()) if step.kind is Kind.GENERATION else ()
        if not inner:
            continue
        made[id(step)] = None
        (only, *others) = inner
        if not others:
            made[id(only)] = _merged(made.get(id(only)) or only, step)
    kept = [made.get(id(step), step) for step in tree.steps]
    return [step for step in kept if step is not None]


def _outer(step: Step, tree: _Tree) -> Step | None:
    for above in tree.above(step):
        if above.kind is Kind.GENERATION:
            return above
        if above.kind in (Kind.TOOL, Kind.AGENT, Kind.RETRIEVAL):
            return None
    return None


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


def _from_agents(steps: list[Step]) -> list[Step]:
    """Take the spans of agents for calls where no call has one, and say what that lacks."""
    made = []
    for step in steps:
        if step.kind is Kind.AGENT and step.request not in _EMPTY:
            call = replace(step, kind=Kind.GENERATION, label="")
            call.shortfalls = list(step.shortfalls)
            call.lacks(_ALONE)
            made.append(call)
        else:
            made.append(step)
    return made
