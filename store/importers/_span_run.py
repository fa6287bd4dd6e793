"""The steps of one run as its record: calls in order, tools, what was retrieved, answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

from store.builder import RunBuilder
from store.importers._capture_threads import Threads
from store.importers._lc_reads import FileReads, path_read
from store.importers._span_exchange import NO_CONTENT
from store.importers._span_results import Comparison, compared, result_text
from store.importers._span_sources import Sources
from store.importers._span_steps import Kind, Step
from store.importers._span_tools import Tools
from store.importers._span_tree import Thread
from store.importers._wire import Exchange
from store.records.runs import (
    Answer,
    ProblemKind,
    Run,
    ToolResult,
)
from store.records.sources import VersionKey

__all__ = ["run_of"]


def run_of(thread: Thread, builder: RunBuilder) -> Run:
    """Return the run of *thread*, put together in *builder*."""
    gathering = _Gathering(builder, Tools.of(thread.steps))
    for step in thread.steps:
        if step.kind is Kind.GENERATION:
            gathering.call(step)
        elif step.kind is Kind.TOOL or id(step) in gathering.tools.named:
            gathering.tool(step)
        elif step.kind is Kind.RETRIEVAL:
            gathering.retrieval(step)
    gathering.finish()
    return builder.finish()


@dataclass(slots=True)
class _Gathering:
    """Puts calls, tools and sources into the builder, what repeats itself only once."""

    builder: RunBuilder
    tools: Tools
    threads: Threads = field(default_factory=Threads)
    """What the service keeps of earlier calls, for those that name one in place of messages."""
    called: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    versions: set[VersionKey] = field(default_factory=set)
    empty: int = 0
    sources: Sources = field(default_factory=Sources)
    reads: FileReads = field(default_factory=FileReads)

    def call(self, step: Step) -> None:
        """Add a model call with what its request holds."""
        exchange = self.tools.exchanges[id(step)]
        builder, origin = self.builder, step.origin
        read = self.threads.add(len(builder.calls) + 1, exchange, None).read
        turns = (*exchange.instructions, *read, *exchange.added)
        request = [builder.message(turn.role, turn.parts, origin) for turn in turns]
        response = [builder.message(turn.role, turn.parts, origin) for turn in exchange.response]
        number = builder.call(
            request,
            response=response,
            origin=origin,
            **exchange.facts(_moment(step.start)),
        )
        self._tools(exchange, number, origin)
        for version in exchange.versions:
            if version.key not in self.versions:
                self.versions.add(version.key)
                builder.versions.append(replace(version, origin=origin))
        builder.manifests += [replace(each, origin=origin) for each in exchange.manifests]
        if exchange.answer:
            answer = Answer(number, exchange.answer, tuple(exchange.citations), origin)
            builder.answers.append(answer)
        self._problems(exchange, origin)

    def _problems(self, exchange: Exchange, origin: str) -> None:
        self.empty += NO_CONTENT in exchange.reasons
        for note in exchange.notes:
            self.builder.problem(origin, note, ProblemKind.NOTED)
        for lost in exchange.lost:
            self.builder.problem(origin, lost, ProblemKind.LOST)

    def _tools(self, exchange: Exchange, number: int, origin: str) -> None:
        spans = set(self.tools.named.values())
        for call in exchange.tool_calls:
            if call.id not in self.called:
                self.called.add(call.id)
                by_call = number if call.id in exchange.written else None
                self.builder.tool_calls.append(replace(call, by_call=by_call, origin=origin))
        for result in exchange.tool_results:
            if result.tool_call_id not in self.answered and result.tool_call_id not in spans:
                self.answered.add(result.tool_call_id)
                self._result(replace(result, origin=origin))

    def _result(self, result: ToolResult) -> None:
        call = self.tools.calls.get(result.tool_call_id)
        path = path_read(call.name, call) if call else ""
        if path and result.text is not None and not result.failed:
            self.reads.add(len(self.builder.tool_results), path, call, result.text)
        self.builder.tool_results.append(replace(result, is_file_read=bool(path)))

    def tool(self, step: Step) -> None:
        """Add what a tool's span recorded: obtained, whatever of it a request carried."""
        for each in step.shortfalls:
            self.builder.problem(step.origin, each.what, ProblemKind.LOST)
        name = self.tools.named.get(id(step), "")
        sent = self.tools.sent.get(name)
        if not name:
            text = result_text(step.response, None)
            if text:
                self.sources.given(text, step.label or step.name, step.span_id, step.origin)
            return
        if name in self.answered:
            return
        self.answered.add(name)
        text = result_text(step.response, sent.text if sent else None)
        if sent is not None and (text is None or step.shortfalls):
            text = sent.text  # what the request carried is more than a span that was cut
        status = "error" if step.error or (sent is not None and sent.status) else ""
        self._result(ToolResult(name, text, status=status, origin=step.origin))
        if sent is not None and text is not None:
            found = compared(text, sent.text)
            if found is not Comparison.SAME:
                what = found.told(len(text), len(sent.text))
                self.builder.problem(step.origin, what, ProblemKind.NOTED)

    def retrieval(self, step: Step) -> None:
        """Add what a retriever found: its documents were on offer, and obtained with their text."""
        for each in step.shortfalls:
            self.builder.problem(step.origin, each.what, ProblemKind.LOST)
        self.sources.retrieved(step.response, step.span_id, step.origin)

    def finish(self) -> None:
        """Add the sources, and say how many calls have no content at all."""
        self.reads.place(self.builder, {})
        self.builder.versions += self.sources.versions(tuple(self.builder.versions))
        self.builder.manifests += self.sources.manifests
        if self.empty:
            what = (
                f"{self.empty} of {len(self.builder.calls)} model calls hold no message of their "
                "request: the content was left out when they were recorded, so nothing can be "
                "said of what they were given"
            )
            self.builder.problem(self.builder.path, what, ProblemKind.LOST)


def _moment(nanoseconds: int) -> str | None:
    """Return a time as text in UTC, with as many digits as its microseconds need."""
    if not 0 < nanoseconds < 1 << 62:
        return None
    seconds, rest = divmod(nanoseconds, 10**9)
    days, second = divmod(seconds, 86_400)
    year, month, day = _date(days)
    hour, second = divmod(second, 3_600)
    minute, second = divmod(second, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest // 1000:06}Z"


def _date(days: int) -> tuple[int, int, int]:
    found = date.fromordinal(date(1970, 1, 1).toordinal() + days)
    return found.year, found.month, found.day
