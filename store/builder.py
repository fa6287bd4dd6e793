"""Puts a run together while an importer reads it: each message once, each call as a change.

An importer adds messages and says what each request held; the builder shares
what is equal and keeps only differences, so that a call costs what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from store.records.grades import Grade, Layer
from store.records.runs import (
    Admission,
    Answer,
    Budget,
    Call,
    ContextEdit,
    Grant,
    Message,
    OtherEvent,
    Part,
    Problem,
    ProblemKind,
    Run,
    Splice,
    ToolCall,
    ToolResult,
    Usage,
)
from store.records.sources import Manifest, RefreshFailure, Version
from store.stopping import go_on

__all__ = ["RunBuilder", "difference", "spliced"]


def difference(before: Sequence[int], after: Sequence[int]) -> tuple[Splice, ...]:
    """Return the splices that turn request *before* into *after*.

    Equal heads and tails are shared; a middle of equal length is compared
    place by place, so that one replaced message costs one splice.
    """
    head = 0
    limit = min(len(before), len(after))
    if before[:limit] == after[:limit]:
        head = limit
    else:
        while before[head] == after[head]:
            head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    common = min(len(old), len(new))
    splices: list[Splice] = []
    start = 0
    for place in range(common + 1):
        if place < common and old[place] != new[place]:
            continue
        if place > start:
            splices.append(Splice(head + start, head + place, tuple(new[start:place])))
        start = place + 1
    if len(old) != len(new):
        rest = Splice(head + common, head + len(old), tuple(new[common:]))
        if splices and splices[-1].stop == rest.start:
            last = splices.pop()
            rest = Splice(last.start, rest.stop, last.messages + rest.messages)
        splices.append(rest)
    return tuple(splices)


def spliced(before: Sequence[int], splices: Sequence[Splice]) -> list[int]:
    """Return the request that *splices* make of *before*."""
    held = list(before)
    for splice in reversed(splices):
        held[splice.start : splice.stop] = splice.messages
    return held


@dataclass(slots=True)
class RunBuilder:
    """Collects one run.  Lists may be appended to directly; `finish` freezes them."""

    run_id: str
    path: str
    format: str
    layer: Layer
    title: str = ""
    parent_run: str | None = None
    branch: str | None = None
    grant: Grant | None = None
    budget: Budget | None = None
    messages: list[Message] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    tool_results: list[ToolResult] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    admissions: list[Admission] = field(default_factory=list)
    edits: list[ContextEdit] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    refresh_failures: list[RefreshFailure] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    other_events: list[OtherEvent] = field(default_factory=list)
    _known: dict[Message, int] = field(default_factory=dict)
    _held: list[int] = field(default_factory=list)

    def message(self, role: str, parts: Iterable[Part], origin: str = "") -> int:
        """Return the index of this message; equal messages (origin aside) are one."""
        go_on()
        made = Message(role, tuple(parts), origin)
        index = self._known.setdefault(made, len(self.messages))
        if index == len(self.messages):
            self.messages.append(made)
        return index

    @property
    def held(self) -> tuple[int, ...]:
        """The request of the last call."""
        return tuple(self._held)

    @property
    def held_length(self) -> int:
        """How many messages the request of the last call has."""
        return len(self._held)

    def held_at(self, start: int, stop: int) -> list[int]:
        """Return messages ``[start, stop)`` of the request of the last call."""
        return self._held[start:stop]

    def call(  # noqa: PLR0913 - a call has this many recorded properties
        self,
        request: Sequence[int] | None = None,
        *,
        splices: Iterable[Splice] | None = None,
        response: Iterable[int] = (),
        id: str = "",  # noqa: A002 - the field's name in the record
        origin: str = "",
        model: str = "",
        grade: Grade = Grade.RECORDED,
        grade_reason: str = "",
        usage: Usage | None = None,
        finish_reason: str = "",
        error: str = "",
        settings: Mapping[str, object] | None = None,
        at: str | None = None,
    ) -> int:
        """Add a call and return its number, from 1.

        Give the whole *request* (message indexes), or the *splices* against
        the call before where they are known: that costs only what changed.
        """
        go_on()
        if request is not None:
            request = list(request)
            changes = difference(self._held, request)
            self._held = request
        else:
            changes = tuple(splices or ())
            for splice in reversed(changes):
                self._held[splice.start : splice.stop] = splice.messages
        self.calls.append(
            Call(
                index=len(self.calls) + 1,
                splices=changes,
                response=tuple(response),
                id=id,
                origin=origin,
                model=model,
                grade=grade,
                grade_reason=grade_reason,
                usage=usage or Usage(),
                finish_reason=finish_reason,
                error=error,
                settings=settings or {},
                at=at,
            )
        )
        return len(self.calls)

    def problem(self, where: str, what: str, kind: ProblemKind = ProblemKind.LOST) -> None:
        """Note what could not be read, or what a person should know."""
        self.problems.append(Problem(where, what, kind))

    def finish(self, grade: Grade | None = None) -> Run:
        """Return the run.  *grade* defaults to the weakest of its calls (``UNKNOWN`` without)."""
        grades = [call.grade for call in self.calls] or [Grade.UNKNOWN]
        return Run(
            run_id=self.run_id,
            path=self.path,
            format=self.format,
            layer=self.layer,
            grade=grade or Grade.weakest(*grades),
            title=self.title,
            parent_run=self.parent_run,
            branch=self.branch,
            messages=tuple(self.messages),
            calls=tuple(self.calls),
            tool_calls=tuple(self.tool_calls),
            tool_results=tuple(self.tool_results),
            manifests=tuple(self.manifests),
            admissions=tuple(self.admissions),
            edits=tuple(self.edits),
            answers=tuple(self.answers),
            versions=tuple(self.versions),
            refresh_failures=tuple(self.refresh_failures),
            grant=self.grant,
            budget=self.budget,
            problems=tuple(self.problems),
            other_events=tuple(self.other_events),
        )
