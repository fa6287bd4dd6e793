"""A small language for the examples of rules: one run told in a few lines.

Examples are read by people (they stand on the rule's page) and run as tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from store.records.citations import Citation, SourceCitation
from store.records.grades import Grade, Layer
from store.records.runs import (
    Answer,
    Call,
    ContextEdit,
    EditKind,
    Grant,
    Message,
    Part,
    PartKind,
    Run,
    Splice,
    ToolCall,
    ToolResult,
)
from store.records.sources import (
    Block,
    Integrity,
    Manifest,
    ManifestEntry,
    RefreshFailure,
    Selection,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

__all__ = ["NOTICE", "Story", "cite"]

NOTICE = (
    "Maintenance window: Sunday 02:00 to 04:00 UTC.\n"
    "The export service is stopped first and started last.\n"
    "Batches are limited to 200 records while it runs.\n"
)
"""A document for examples."""


def cite(source_id: str, span: tuple[int, int] | None = None, **more: object) -> SourceCitation:
    """Return a citation of *span* of *source_id*; *more* are further fields of the record."""
    place = Span(*span) if span else None
    return replace(SourceCitation(Span(0, 1), source_id, span=place), **more)  # type: ignore[arg-type]


def _records(rows: int) -> list[str]:
    return [json.dumps({"id": f"r{row:03d}", "amount": 1000 + row}) for row in range(rows)]


@dataclass(slots=True)
class Story:
    """A run in the making.  Each method adds what its name says."""

    grade: Grade = Grade.RECORDED
    grant: Grant | None = None
    versions: list[Version] = field(default_factory=list)
    refresh_failures: list[RefreshFailure] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    edits: list[ContextEdit] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    _messages: list[Message] = field(default_factory=list)
    _held: list[int] = field(default_factory=list)
    _calls: list[Call] = field(default_factory=list)
    _tool_calls: list[ToolCall] = field(default_factory=list)
    _results: list[ToolResult] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._hold("user", Part(PartKind.TEXT, "What limits apply during maintenance?"))

    def document(
        self,
        source_id: str,
        text: str = NOTICE,
        *,
        changed: bool = False,
        blocks: Sequence[tuple[str, int, int]] = (),
        origin: str = "",
    ) -> str:
        """Store a version and return its id; *changed* bytes no longer have their hash."""
        digest = sha256(text.encode()).hexdigest()
        self.versions.append(
            Version(
                VersionKey(source_id, digest),
                SourceKind.TEXT,
                title=source_id,
                sha256=digest,
                chars=len(text),
                text=None if changed else text,
                integrity=Integrity.CHANGED if changed else Integrity.INTACT,
                blocks=tuple(Block(name, Span(start, end)) for name, start, end in blocks),
                origin=origin,
            )
        )
        return digest

    def table(self, source_id: str, rows: int) -> str:
        """Store a table of *rows* records with the key ``id`` and return its version id."""
        version_id = self.document(source_id, "".join(f"{row}\n" for row in _records(rows)))
        shape = Table(("id", "amount"), rows, "id")
        self.versions[-1] = replace(self.versions[-1], kind=SourceKind.TABLE, table=shape)
        return version_id

    def read_rows(
        self,
        source_id: str,
        asked: int,
        came: Sequence[int],
        *,
        id: str = "read-1",  # noqa: A002 - the field's name in the record
        declared: Mapping[str, object] | None = None,
    ) -> None:
        """A tool is asked for the first rows of a table and gives the rows *came*."""
        stored = next(v for v in self.versions if v.key.source_id == source_id)
        records = _records(stored.table.rows if stored.table else 0)
        body = f"[{', '.join(records[row] for row in came)}]"
        self._tool("get_records", id, {"source": source_id, "count": asked}, body, body)
        place = Selection(source_id, stored.key.version_id, Unit.ROW, (Span(0, asked),))
        self._results[-1] = replace(self._results[-1], selections=(place,), declared=declared or {})

    def answers_with(self, shown: str, arguments: object, *, id: str, name: str = "search") -> None:  # noqa: A002
        """A tool gives back *shown*, whatever it is."""
        self._tool(name, id, arguments, shown, shown)

    def listing(self, *source_ids: str, preview: int = 0) -> None:
        """A search lists sources, each with *preview* characters of its newest version."""
        newest = {version.key.source_id: version for version in self.versions}
        entries: list[ManifestEntry] = []
        rows: list[dict[str, str]] = []
        for source_id in source_ids:
            version = newest[source_id]
            words = (version.text or "")[:preview]
            span = Span(0, preview) if preview else None
            entries.append(ManifestEntry(source_id, version.key.version_id, span, words))
            rows.append({"doc_id": source_id, "preview": words})
        shown = json.dumps(rows)
        self._tool("search", f"search-{len(self._results)}", {"query": "limits"}, shown, shown)
        self.manifests.append(Manifest(self._results[-1].tool_call_id, tuple(entries)))

    def read(  # noqa: PLR0913 - each says one thing that can differ in a read
        self,
        source_id: str,
        *,
        id: str = "read-1",  # noqa: A002 - the field's name in the record
        version: str | None = None,
        span: tuple[int, int] | None = None,
        shown: str | None = None,
        status: str = "ok",
        declared: Mapping[str, object] | None = None,
        is_file_read: bool = False,
    ) -> None:
        """A tool reads a source; *shown* stands in the request instead of the text, if given."""
        stored = [v for v in self.versions if v.key.source_id == source_id]
        stored = [v for v in stored if version in (None, v.key.version_id)]
        body = (stored[-1].text or "") if stored else "unknown id"
        if span:
            body = body[span[0] : span[1]]
        selections: tuple[Selection, ...] = ()
        if stored:
            ranges = (Span(*span),) if span else (Span(0, len(stored[-1].text or "")),)
            selections = (Selection(source_id, stored[-1].key.version_id, ranges=ranges),)
        self._tool("read", id, {"doc_id": source_id}, body, body if shown is None else shown)
        self._results[-1] = replace(
            self._results[-1],
            status=status,
            selections=selections,
            declared=declared or {},
            is_file_read=is_file_read,
        )

    def clear(self, id: str = "read-1", shown: str = "[cleared]") -> None:  # noqa: A002
        """From the next call on *shown* stands in the place of a result."""
        for place, index in enumerate(self._held):
            message = self._messages[index]
            if message.role == "tool" and message.parts[0].tool_call_id == id:
                self._messages.append(Message("tool", (replace(message.parts[0], text=shown),)))
                self._held[place] = len(self._messages) - 1
        self.edits.append(ContextEdit(len(self._calls) + 1, EditKind.CLEAR, (id,), by="client"))

    def drop(self, id: str, kind: PartKind = PartKind.TOOL_RESULT) -> None:  # noqa: A002
        """From the next call on the call of a tool, or its result, is left out."""
        held = [(i, self._messages[i].parts[0]) for i in self._held]
        self._held = [i for i, part in held if (part.tool_call_id, part.kind) != (id, kind)]

    def repeat(self, id: str, text: str) -> None:  # noqa: A002
        """A second result of the same id stands in the next requests."""
        self._hold("tool", Part(PartKind.TOOL_RESULT, text, tool_call_id=id))

    def turn(self, id: str) -> None:  # noqa: A002
        """From the next call on the messages of a tool call and its result are exchanged."""
        places = [
            place
            for place, index in enumerate(self._held)
            if self._messages[index].parts[0].tool_call_id == id
        ]
        held = [self._held[place] for place in places]
        for place, index in zip(places, reversed(held), strict=True):
            self._held[place] = index

    def forget(self, id: str) -> None:  # noqa: A002
        """The record does not hold what a tool gave."""
        self._results = [
            replace(r, text=None, selections=()) if r.tool_call_id == id else r
            for r in self._results
        ]

    def forget_question(self) -> None:
        """From the next call on the first message is left out."""
        del self._held[0]

    def save(self, tool: str, id: str, text: str, path: str) -> None:  # noqa: A002
        """A tool's result is saved to a file, and a notice stands in its place."""
        self._tool(tool, id, {"query": "all"}, text, f"[saved to {path}]")
        self._results[-1] = replace(self._results[-1], side_file=path)
        self.edits.append(ContextEdit(len(self._calls) + 1, EditKind.PERSIST, (id,), by="client"))

    def think(self) -> None:
        """A model call that goes on working."""
        self._call(Part(PartKind.TEXT, "Going on."))

    def answer(self, *citations: Citation, text: str = "Batches are limited [1].") -> Run:
        """The last model call writes the answer; the run is complete."""
        self._call(Part(PartKind.TEXT, text))
        self.answers.append(Answer(len(self._calls), text, citations))
        return self.run()

    def run(self) -> Run:
        """Return the run as told so far."""
        return Run(
            run_id="example",
            path="example",
            format="reread.run/1",
            layer=Layer.CLIENT,
            grade=self.grade,
            messages=tuple(self._messages),
            calls=tuple(self._calls),
            tool_calls=tuple(self._tool_calls),
            tool_results=tuple(self._results),
            manifests=tuple(self.manifests),
            edits=tuple(self.edits),
            answers=tuple(self.answers),
            versions=tuple(self.versions),
            refresh_failures=tuple(self.refresh_failures),
            grant=self.grant,
        )

    def say(self, text: str) -> None:
        """The user says something."""
        self._hold("user", Part(PartKind.TEXT, text))

    def _hold(self, role: str, part: Part) -> None:
        self._messages.append(Message(role, (part,)))
        self._held.append(len(self._messages) - 1)

    def _call(self, reply: Part) -> None:
        before = sum(len(s.messages) for s in self._calls[-1].splices) if self._calls else 0
        change = Splice(0, before, tuple(self._held))
        self._calls.append(
            Call(
                len(self._calls) + 1,
                (change,),
                grade=self.grade,
                grade_reason="" if self.grade is Grade.RECORDED else "as the example says",
            )
        )
        self._hold("assistant", reply)

    def _tool(self, name: str, id_: str, arguments: object, body: str, shown: str) -> None:
        sent = json.dumps(arguments)
        self._call(Part(PartKind.TOOL_CALL, sent, tool_call_id=id_, name=name))
        self._tool_calls.append(ToolCall(id_, name, sent, len(self._calls)))
        self._results.append(ToolResult(id_, body, "ok"))
        self._hold("tool", Part(PartKind.TOOL_RESULT, shown, tool_call_id=id_, name=name))
