"""One conversation of a capture as a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from store.builder import RunBuilder
from store.importers._capture_fidelity import SCRUBBED
from store.importers._capture_threads import Numbered, Thread
from store.importers._wire import Edit, Exchange, Turn
from store.records.grades import Grade
from store.records.runs import Answer, ContextEdit, PartKind, ProblemKind, Run, ToolCall
from store.records.sources import VersionKey

__all__ = ["run_of"]

_TIMES = 4
"""So many times the tokens of a text, counted generously, and part of it was taken out."""


def run_of(thread: Thread, name: str, builder: RunBuilder) -> Run:
    """Return the run of *thread*, whose calls are named after the file *name*."""
    gathered = _Gathered(builder)
    for each in thread.calls:
        exchange = each.exchange
        origin = f"{name}#{each.number}"
        number = _call(each, builder, origin)
        gathered.tools(exchange, number, origin)
        gathered.sources(exchange, origin)
        for edit in exchange.edits:
            builder.edits.append(_edit(edit, exchange.provider, number, origin))
        if exchange.answer:
            answer = Answer(number, exchange.answer, tuple(exchange.citations), origin)
            builder.answers.append(answer)
        for note in exchange.notes:
            builder.problem(origin, note, ProblemKind.NOTED)
        for lost in exchange.lost:
            builder.problem(origin, lost, ProblemKind.LOST)
    return builder.finish()


@dataclass(slots=True)
class _Gathered:
    """Takes what later requests repeat only once."""

    builder: RunBuilder
    called: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    versions: set[VersionKey] = field(default_factory=set)

    def tools(self, exchange: Exchange, number: int, origin: str) -> None:
        """Take the tool calls and results of a call."""
        for call in exchange.tool_calls:
            if call.id not in self.called:
                self.called.add(call.id)
                self.builder.tool_calls.append(_placed(call, exchange, number, origin))
        for result in exchange.tool_results:
            if result.tool_call_id not in self.answered:
                self.answered.add(result.tool_call_id)
                self.builder.tool_results.append(replace(result, origin=origin))

    def sources(self, exchange: Exchange, origin: str) -> None:
        """Take the manifests and versions of a call."""
        for manifest in exchange.manifests:
            if manifest.tool_call_id not in self.listed:
                if manifest.tool_call_id is not None:
                    self.listed.add(manifest.tool_call_id)
                self.builder.manifests.append(replace(manifest, origin=origin))
        for version in exchange.versions:
            if version.key not in self.versions:
                self.versions.add(version.key)
                self.builder.versions.append(replace(version, origin=origin))


def _edit(edit: Edit, by: str, number: int, origin: str) -> ContextEdit:
    return ContextEdit(number, edit.kind, edit.tool_call_ids, by, edit.grade, edit.reason, origin)


def _placed(call: ToolCall, exchange: Exchange, number: int, origin: str) -> ToolCall:
    by_call = number if call.id in exchange.written else None
    return replace(call, by_call=by_call, origin=origin)


def _call(each: Numbered, builder: RunBuilder, origin: str) -> int:
    exchange = each.exchange
    _notice_scrubbing(exchange)
    turns = (*exchange.instructions, *each.read, *exchange.added)
    request = [builder.message(turn.role, turn.parts, origin) for turn in turns]
    response = [builder.message(turn.role, turn.parts, origin) for turn in exchange.response]
    return builder.call(
        request,
        response=response,
        origin=origin,
        **exchange.facts(each.at),
    )


def _notice_scrubbing(exchange: Exchange) -> None:
    """Doubt a request in which a recorder put a name in place of text."""
    names = [m[0] for turn in exchange.sent for m in _names(turn)]
    if any("truncated" in name for name in names):
        what = "a log cut text out of this request, which the model may have been given"
        exchange.doubt(Grade.UNKNOWN, what)
    found = next((name for name in names if "truncated" not in name), "")
    if not found:
        return
    tokens = exchange.usage.input_tokens
    chars = sum(len(part.text) for turn in exchange.sent for part in turn.parts)
    if _is_refused(exchange, chars) or (tokens is not None and tokens > _TIMES * (chars + 500)):
        what = f"the recorder put {found} in place of text that the request held"
        exchange.doubt(Grade.UNKNOWN, what)
    else:
        exchange.notes.append(f"{found} may stand for text that a recorder took out")


def _is_refused(exchange: Exchange, chars: int) -> bool:
    """Return whether the service counted far more tokens than the request has characters."""
    counted = re.search(r"([0-9]{4,12}) tokens", exchange.error)
    return counted is not None and int(counted[1]) > _TIMES * (chars + 500)


def _names(turn: Turn) -> list[re.Match[str]]:
    return [
        found
        for part in turn.parts
        if part.kind in (PartKind.TEXT, PartKind.TOOL_RESULT, PartKind.DOCUMENT)
        for found in SCRUBBED.finditer(part.text)
    ]
