"""Runs told line by line, for tests of the audit: any payload under any selection."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from reviewer.audit.engine import audit
from store.builder import RunBuilder
from store.records.citations import AnswerCitation, Citation, SourceCitation
from store.records.findings import Audit, CitationFacts, Verdict
from store.records.grades import Grade, Layer
from store.records.runs import Answer, ContextEdit, EditKind, Part, PartKind, Run, ToolResult
from store.records.sources import (
    Block,
    Manifest,
    ManifestEntry,
    Selection,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit

__all__ = ["TEXT", "Talk", "at", "chars", "lines", "one", "spans", "verdicts"]

TEXT = (
    "Maintenance begins on Sunday at two.\n"
    "The export service stops before everything else.\n"
    "Batches are limited to two hundred records.\n"
    "Whoever needs more asks the team on duty.\n"
)
"""Four lines without a common phrase."""


def chars(source_id: str, *ranges: tuple[int, int], version: str = "") -> Selection:
    """Select code points of a source, all of it without *ranges*."""
    return Selection(source_id, version, ranges=tuple(Span(*r) for r in ranges))


def lines(source_id: str, first: int, end: int) -> Selection:
    """Select lines ``[first, end)``."""
    return Selection(source_id, "", Unit.LINE, (Span(first, end),))


def at(source_id: str, start: int, end: int, **more: object) -> SourceCitation:
    """Cite ``[start, end)`` of a source, in code points unless a unit is named."""
    return SourceCitation(Span(0, 1), source_id, span=Span(start, end), **more)  # type: ignore[arg-type]


@dataclass
class Talk:
    """A run in the making; `held` is the next request."""

    grade: Grade = Grade.RECORDED
    held: list[int] = field(default_factory=list)
    builder: RunBuilder = field(
        default_factory=lambda: RunBuilder("talk", "talk", "made", Layer.CLIENT)
    )

    def source(  # noqa: PLR0913 - each is one property of a version
        self,
        source_id: str,
        text: str | None = TEXT,
        version_id: str = "",
        *,
        blocks: Sequence[tuple[str, int, int]] = (),
        key: str | None = None,
        kind: SourceKind = SourceKind.TEXT,
        chars: int | None = None,
        revision: str | None = None,
    ) -> str:
        """Store a version, a table where *kind* says so, and return its id."""
        digest = sha256((text or "").encode("utf-8", "surrogatepass")).hexdigest()
        version_id = version_id or digest
        self.builder.versions.append(
            Version(
                VersionKey(source_id, version_id),
                kind,
                sha256=digest if text is not None else "",
                chars=len(text) if text is not None and chars is None else chars,
                text=text,
                revision=revision,
                blocks=tuple(Block(name, Span(start, end)) for name, start, end in blocks),
                table=Table((), (text or "").count("\n"), key)
                if kind is SourceKind.TABLE
                else None,
            )
        )
        return version_id

    def say(self, text: str, role: str = "user", kind: PartKind = PartKind.TEXT) -> int:
        """Put a message into the next request and return its place there."""
        return self._hold(role, Part(kind, text))

    def result(
        self,
        payload: str,
        *selections: Selection,
        id: str = "r1",  # noqa: A002 - the field's name in the record
        obtained: str | None = None,
        **more: object,
    ) -> int:
        """A tool's result stands in the next request as *payload*; *obtained* is what it was."""
        stored = payload if obtained is None else obtained
        self.builder.tool_results.append(
            ToolResult(id, stored, "ok", selections=selections, **more)  # type: ignore[arg-type]
        )
        return self._hold("tool", Part(PartKind.TOOL_RESULT, payload, tool_call_id=id))

    def offer(self, *entries: ManifestEntry, id: str = "r1") -> None:  # noqa: A002
        """A result is a listing."""
        self.builder.manifests.append(Manifest(id, entries))

    def replace(self, place: int, payload: str, *, edit: bool = True) -> None:
        """From the next call on *payload* stands in the place of a result."""
        old = self.builder.messages[self.held[place]].parts[0]
        part = Part(old.kind, payload, tool_call_id=old.tool_call_id)
        self.held[place] = self.builder.message("tool", [part])
        if edit:
            before = len(self.builder.calls) + 1
            self.builder.edits.append(ContextEdit(before, EditKind.CLEAR, (old.tool_call_id,)))

    def call(self) -> int:
        """A model call is made with what is held."""
        return self.builder.call(self.held, grade=self.grade)

    def answer(self, *citations: Citation) -> None:
        """A model call writes an answer, which then stands in the next request."""
        self.builder.answers.append(Answer(self.call(), "An answer.", citations))
        self.say("An answer.", role="assistant")

    def run(self) -> Run:
        """Return the run."""
        return self.builder.finish()

    def judged(self, *citations: Citation) -> Audit:
        """Answer with *citations* and return the audit."""
        self.answer(*citations)
        return audit(self.run())

    def _hold(self, role: str, part: Part) -> int:
        self.held.append(self.builder.message(role, [part]))
        return len(self.held) - 1


def verdicts(found: Audit) -> list[Verdict]:
    """Return the verdicts in the order of citations."""
    return [facts.verdict for facts in found.citations]


def one(talk: Talk, citation: Citation | str) -> CitationFacts:
    """Judge the one citation of a whole source or of a place."""
    cited = AnswerCitation(Span(0, 1), citation) if isinstance(citation, str) else citation
    return talk.judged(cited).citations[-1]


def spans(found: Iterable[Span]) -> list[tuple[int, int]]:
    """Return spans as pairs."""
    return [(span.start, span.end) for span in found]
