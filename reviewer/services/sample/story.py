"""Tells the story of one agent run call by call and has it written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.services.resources import resource
from store.records.sources import Selection
from store.records.text import Span, Unit
from store.run_writer import RunWriter, tool_call_part, tool_result_part

__all__ = ["PRODUCER", "Cited", "Story", "cite", "sample_text", "span_of", "whole"]

PRODUCER = "reread-sample"
_MODEL = "example-model"


def sample_text(name: str) -> str:
    """Return a text of the sample."""
    return resource(f"sample/{name}").read_bytes().decode()


def span_of(text: str, piece: str) -> Span:
    """Return where *piece* stands for the first time; it must stand there."""
    start = text.index(piece)
    return Span(start, start + len(piece))


def whole(source_id: str, version_id: str, text: str) -> Selection:
    """Return the selection of all of a version."""
    return Selection(source_id, version_id, ranges=(Span(0, len(text)),))


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer and the place it points at.

    ``where`` holds the keys of a citation in RUN_FOLDER.md beside its place in
    the answer, which comes from the sentence.
    """

    sentence: str
    where: Mapping[str, object]


@dataclass(slots=True)
class Story:
    """The messages of a run as its client holds them, and the writer that records each call."""

    writer: RunWriter
    system: str
    messages: list[dict[str, object]] = field(default_factory=list)
    calls: int = 0

    @classmethod
    def begin(  # noqa: PLR0913 - a run has this many recorded properties
        cls,
        folder: Path,
        run_id: str,
        *,
        title: str,
        at: str,
        system: str,
        question: str,
        budget: Mapping[str, object] | None = None,
    ) -> Story:
        """Open the record with the system text and the user's question."""
        writer = RunWriter(folder, run_id, title, at, (PRODUCER, "1"), budget=budget)
        writer.event(
            "run_started", run_id=run_id, at=at, agent="example-agent", model=_MODEL, snapshot=None
        )
        story = cls(writer, system)
        story.messages += [_text("system", system), _text("user", question)]
        return story

    def ask(self, tool_call_id: str, name: str, arguments: Mapping[str, object], say: str) -> None:
        """Let the model say something and call a tool."""
        parts = [
            {"type": "text", "content": say},
            tool_call_part(tool_call_id, name, arguments),
        ]
        answered: dict[str, object] = {"role": "assistant", "parts": parts}
        self._call(answered, "tool_call")
        self.messages.append(answered)
        self.writer.tool_call(tool_call_id, name, arguments, self.calls)

    def returned(
        self,
        tool_call_id: str,
        text: str,
        selection: Selection | None = None,
        *,
        shown: str | None = None,
        coverage: Mapping[str, object] | None = None,
    ) -> None:
        """Let the tool return *text*, and the next request hold it, or what is *shown* instead."""
        self.writer.tool_result(tool_call_id, text, selection=selection, coverage=coverage)
        part = tool_result_part(tool_call_id, text if shown is None else shown)
        self.messages.append({"role": "tool", "parts": [part]})

    def edited(self, kind: str, *tool_call_ids: str) -> None:
        """Record that the next request holds these results in another form."""
        self.writer.context_edit(self.calls + 1, kind, tool_call_ids, by="client")

    def replaced(self, kind: str, tool_call_id: str, stand_in: str) -> None:
        """Put *stand_in* where a result stands, from the next request on."""
        self.edited(kind, tool_call_id)
        place = self._place(tool_call_id, "tool")
        part = tool_result_part(tool_call_id, stand_in)
        self.messages[place] = {"role": "tool", "parts": [part]}

    def compacted(self, tool_call_id: str, summary: str) -> None:
        """Put a summary where a tool call and its result stand, from the next request on."""
        self.edited("compact", tool_call_id)
        place = self._place(tool_call_id, "tool")
        self.messages[place - 1 : place + 1] = [_text("user", summary)]

    def answer(self, cited: Sequence[Cited]) -> None:
        """Let the model answer; each sentence carries a mark that is its citation."""
        text, citations = "", []
        for number, each in enumerate(cited, 1):
            mark = f"[{number}]"
            text += each.sentence
            citations.append({"span": [len(text), len(text) + len(mark)], **each.where})
            text += f"{mark}\n"
        self._call(_text("assistant", text), "stop")
        self.writer.event("answer", call=self.calls, text=text, citations=citations)

    def finish(self, at: str) -> Path:
        """Close the record."""
        self.writer.event("run_finished", at=at, status="ok")
        return self.writer.finish()

    def _call(self, answered: dict[str, object], reason: str) -> None:
        self.calls = self.writer.model_call(
            self.messages, [answered], model=_MODEL, finish_reason=reason
        )

    def _place(self, tool_call_id: str, role: str) -> int:
        for place, message in enumerate(self.messages):
            parts = message["parts"]
            if message["role"] == role and isinstance(parts, list):
                held = [part.get("id") for part in parts if isinstance(part, dict)]
                if tool_call_id in held:
                    return place
        raise LookupError(tool_call_id)


def _text(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def cite(  # noqa: PLR0913 - a citation has this many recorded properties
    sentence: str,
    source_id: str,
    version_id: str | None = None,
    span: Span | None = None,
    *,
    unit: Unit = Unit.CHAR,
    block_id: str | None = None,
    quote: str | None = None,
) -> Cited:
    """Return a sentence with its citation; what is not given stays absent."""
    where: dict[str, object] = {"source_id": source_id}
    if version_id is not None:
        where["version_id"] = version_id
    if span is not None:
        where["span_in_source"] = [span.start, span.end]
        where["unit"] = unit.value
    if block_id is not None:
        where["block_id"] = block_id
    if quote is not None:
        where["quote"] = quote
    return Cited(sentence, where)
