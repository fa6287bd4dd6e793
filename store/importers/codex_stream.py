"""The stream of ``codex exec --json``: what was shown of a thread, item by item.

It holds what a command printed, not what the model was given of it, and no
message of the user: it says what happened and proves no request.  Which items
one call of the model wrote is not told: a call is taken to end with each result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_run import AgentRun
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._fields import compact
from store.importers._json_lines import JsonLines
from store.importers._wire import count, mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import OtherEvent, Part, PartKind, Problem, ProblemKind, Run, Usage

__all__ = ["IMPORTER"]

_FORMAT: Final = "codex-stream"
_START: Final = re.compile(
    rb'(?m)^\s*\{(?=[^\n]*"type"\s*:\s*"thread\.started")(?=[^\n]*"thread_id"\s*:\s*")'
)
_SHOWN: Final = "the stream holds what was shown of a result, which is not what the model was given"
_TOOLS: Final[Mapping[str, tuple[str, str]]] = {
    "command_execution": ("command", "aggregated_output"),
    "mcp_tool_call": ("arguments", "result"),
    "web_search": ("query", "results"),
    "file_change": ("changes", "status"),
}
"""Items that are tools: what was asked for, and what was shown of the result."""
_SILENT: Final = frozenset({"turn.started", "item.started", "item.updated", "thread.started"})


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is such a stream; lines of a shell may stand before it."""
    return not probe.is_folder and bool(_START.search(probe.head[:8192]))


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a thread."""
    lines = JsonLines(probe.label, talk=True)
    walk = _Walk(RunBuilder(probe.path.stem, probe.label, _FORMAT, Layer.TRANSCRIPT))
    try:
        for line in lines.read(probe.path):
            walk.take(line.value, f"{probe.path.name}:{line.number}")
    except OSError as error:
        raise UnreadableError(probe.label, f"cannot be read ({error.strerror})") from None
    run = walk.finish()
    problems = [*lines.problems, *run.problems]
    if not run.calls:
        problems.append(Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED))
    yield replace(run, problems=tuple(problems))


class _Walk:
    """Goes through the events once."""

    def __init__(self, builder: RunBuilder) -> None:
        self._agent = AgentRun(builder)
        self._builder = builder
        self._parts: list[Part] = []
        self._origin = ""
        self._since = 0

    def finish(self) -> Run:
        """Return the run."""
        self._close(answers=True)
        return self._agent.finish()

    def take(self, event: Mapping[str, object], origin: str) -> None:
        """Take one event."""
        kind = string(event.get("type"))
        if kind == "thread.started":
            self._builder.run_id = string(event.get("thread_id")) or self._builder.run_id
        elif kind == "item.completed":
            self._item(mapping(event.get("item")), event, origin)
        elif kind in {"turn.completed", "turn.failed"}:
            self._close(answers=True)
            self._count(mapping(event.get("usage")))
        elif kind not in _SILENT:
            self._other(kind, event, origin)

    def _item(self, item: Mapping[str, object], event: Mapping[str, object], origin: str) -> None:
        kind = string(item.get("type"))
        self._origin = self._origin if self._parts else origin
        if kind == "agent_message":
            self._parts.append(Part(PartKind.TEXT, string(item.get("text"))))
        elif kind == "reasoning":
            self._parts.append(Part(PartKind.REASONING, string(item.get("text"))))
        elif kind in _TOOLS:
            self._tool(item, kind, origin)
        else:
            self._other(f"item/{kind}", event, origin)

    def _tool(self, item: Mapping[str, object], kind: str, origin: str) -> None:
        asked, shown = (item.get(key) for key in _TOOLS[kind])
        call_id = string(item.get("id"))
        name = string(item.get("tool")) or kind
        arguments = asked if isinstance(asked, dict) else {_TOOLS[kind][0]: asked}
        self._parts.append(Part(PartKind.TOOL_CALL, json.dumps(arguments), call_id, name))
        self._close(answers=False)
        text = shown if isinstance(shown, str) else compact(shown) if shown is not None else ""
        failed = item.get("status") == "failed"
        part = self._agent.result(call_id, text, origin, status="error" if failed else "")
        self._agent.say("tool", [part], origin)

    def _close(self, *, answers: bool) -> None:
        if not self._parts:
            return
        parts, self._parts = self._parts, []
        self._agent.call(
            parts, self._origin, answers=answers, grade=Grade.UNKNOWN, grade_reason=_SHOWN
        )

    def _count(self, usage: Mapping[str, object]) -> None:
        """Give the tokens of a turn to its only call; of several calls none is told."""
        calls = self._builder.calls
        if len(calls) == self._since + 1:
            made = Usage(
                count(usage.get("input_tokens")),
                count(usage.get("output_tokens")),
                count(usage.get("cached_input_tokens")),
            )
            calls[-1] = replace(calls[-1], usage=made)
        self._since = len(calls)

    def _other(self, kind: str, event: Mapping[str, object], origin: str) -> None:
        name = kind or "record without a type"
        self._builder.other_events.append(OtherEvent(name, origin, compact(event)))


IMPORTER = Importer(
    name=_FORMAT,
    title="Codex stream (exec --json)",
    layer=Layer.TRANSCRIPT,
    grade=Grade.UNKNOWN,
    grade_note="it holds what was shown, neither the user's messages nor what the model was given",
    recognised_by="JSON lines with type thread.started and a thread_id",
    proves="made by the tests: what was shown of a thread, which proves no request",
    order=23,
    recognise=recognise,
    read=read,
    alone=True,
)
