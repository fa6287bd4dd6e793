"""The steps of one run as its record: calls in order, tools, what was retrieved, answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

from store.builder import RunBuilder
from store.evidence import obtained
from store.importers._lc_reads import path_read
from store.importers._span_exchange import NO_CONTENT
from store.importers._span_results import Comparison, compared, result_text
from store.importers._span_steps import Kind, Step
from store.importers._span_tools import Tools
from store.importers._span_tree import Thread
from store.importers._span_values import json_of
from store.importers._wire import Exchange, mapping, string
from store.records.runs import (
    Answer,
    ProblemKind,
    Run,
    ToolResult,
)
from store.records.sources import Manifest, ManifestEntry, VersionKey
from store.tool_json import Entry, entries_in, entries_of

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
    called: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    versions: set[VersionKey] = field(default_factory=set)
    empty: int = 0

    def call(self, step: Step) -> None:
        """Add a model call with what its request holds."""
        exchange = self.tools.exchanges[id(step)]
        builder, origin = self.builder, step.origin
        turns = (*exchange.instructions, *(exchange.read or exchange.sent), *exchange.added)
        request = [builder.message(turn.role, turn.parts, origin) for turn in turns]
        response = [builder.message(turn.role, turn.parts, origin) for turn in exchange.response]
        number = builder.call(
            request,
            response=response,
            id=exchange.id,
            origin=origin,
            model=exchange.model,
            grade=exchange.grade,
            grade_reason="; ".join(exchange.reasons),
            usage=exchange.usage,
            finish_reason=exchange.finish_reason,
            error=exchange.error,
            settings=exchange.settings,
            at=_moment(step.start),
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
        is_read = bool(path_read(call.name, call)) if call else False
        self.builder.tool_results.append(replace(result, is_file_read=is_read))

    def tool(self, step: Step) -> None:
        """Add what a tool's span recorded: obtained, whatever of it a request carried."""
        for each in step.shortfalls:
            self.builder.problem(step.origin, each.what, ProblemKind.LOST)
        name = self.tools.named.get(id(step), "")
        sent = self.tools.sent.get(name)
        if not name:
            self._unasked(step)
            return
        if name in self.answered:
            return
        self.answered.add(name)
        text = result_text(step.response, sent.text if sent else None)
        if text is None and sent is not None:
            text = sent.text
        status = "error" if step.error or (sent is not None and sent.status) else ""
        self._result(ToolResult(name, text, status=status, origin=step.origin))
        if sent is not None and text is not None:
            found = compared(text, sent.text)
            if found is not Comparison.SAME:
                what = found.told(len(text), len(sent.text))
                self.builder.problem(step.origin, what, ProblemKind.NOTED)

    def _unasked(self, step: Step) -> None:
        """Keep what a tool gave that no request names: its text may stand in a message."""
        text = result_text(step.response, None)
        if not text:
            return
        entries = entries_in(text)
        read = [entry for entry in entries if entry.body is not None]
        source_id = f"tool:{step.label or step.name or '?'}:{step.span_id}"
        self._obtain(read or [Entry(source_id, body=text)], step.origin)

    def retrieval(self, step: Step) -> None:
        """Add what a retriever found: its documents were on offer, and obtained with their text."""
        for each in step.shortfalls:
            self.builder.problem(step.origin, each.what, ProblemKind.LOST)
        documents = json_of(step.response)
        if isinstance(documents, dict):
            held = documents
            names = ("documents", "results", "output", "nodes", "chunks", "data", "matches")
            documents = next((held[n] for n in names if isinstance(held.get(n), list)), [held])
        if not isinstance(documents, list):
            return
        offers = []
        for number, each in enumerate(documents):
            document = _document(each, f"{step.span_id}#{number}")
            entries = entries_of(document)
            read = [entry for entry in entries if entry.body is not None]
            self._obtain(read, step.origin)
            offers += [_offer(entry) for entry in read]
            if not read:
                offers.append(ManifestEntry(str(document["id"])))
        if offers:
            self.builder.manifests.append(Manifest(None, tuple(offers), step.origin))

    def _obtain(self, entries: list[Entry], origin: str) -> None:
        self.builder.versions.extend(obtained(self.builder.versions, entries, origin))

    def finish(self) -> None:
        """Say how many calls have no content at all."""
        if self.empty:
            what = (
                f"{self.empty} of {len(self.builder.calls)} model calls hold no message of their "
                "request: the content was left out when they were recorded, so nothing can be "
                "said of what they were given"
            )
            self.builder.problem(self.builder.path, what, ProblemKind.LOST)


def _offer(entry: Entry) -> ManifestEntry:
    return ManifestEntry(entry.source_id, entry.version)


_TEXTS = ("page_content", "content", "text", "document", "body", "chunk", "snippet")


def _document(value: object, name: str) -> dict[str, object]:
    """Return a retrieved document in the form of a retriever's document, with some id."""
    held = dict(mapping(value))
    for key in ("node", "document", "kwargs", "payload"):
        inner = held.get(key)
        if isinstance(inner, dict) and not any(isinstance(held.get(k), str) for k in _TEXTS):
            held = {**inner, **{k: v for k, v in held.items() if k != key}}
    if isinstance(value, str):
        held = {"page_content": value}
    text = next((held[key] for key in _TEXTS if isinstance(held.get(key), str)), None)
    metadata = json_of(held.get("metadata", held.get("meta")))
    made: dict[str, object] = {"id": _identity(held) or name, "metadata": mapping(metadata)}
    if text is not None:
        made["page_content"] = text
    if isinstance(mapping(metadata).get("doc_uri"), str):
        made["source"] = mapping(metadata)["doc_uri"]
    if isinstance(mapping(metadata).get("title"), str):
        made["title"] = mapping(metadata)["title"]
    return made


def _identity(held: dict[str, object]) -> str:
    for key in ("id", "id_", "doc_id", "document_id", "node_id", "chunk_id", "_id"):
        found = held.get(key)
        if isinstance(found, (str, int)) and not isinstance(found, bool) and str(found):
            return string(found) or str(found)
    return ""


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
