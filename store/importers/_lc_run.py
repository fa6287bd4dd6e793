"""One conversation, message after message, as a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from store.builder import RunBuilder
from store.importers._lc_content import Documents, read_content
from store.importers._lc_dialects import Plain, message_of
from store.importers._lc_evidence import (
    Evidence,
    Seen,
    is_cleared,
    is_from_a_model,
    result_text,
    saved_path,
)
from store.importers._lc_thread import EDITED
from store.importers._lc_usage import usage_of
from store.importers._lc_view import Compaction, View
from store.records.grades import Grade
from store.records.runs import ContextEdit, EditKind, Part, PartKind, ProblemKind, Run

__all__ = ["RULE", "Conversation"]

RULE: Final = "each assistant message saw every message before it"


@dataclass(slots=True)
class Conversation:
    """Puts messages together; give each in order, then the files of the state, then `finish`."""

    builder: RunBuilder
    compaction: Compaction | None = None
    unknown: str = ""
    view: View = field(default_factory=View)
    evidence: Evidence = field(init=False)
    _inputs_cleared: list[str] = field(default_factory=list)
    _summarised: bool = False
    _cleared: bool = False
    _compacted: bool = False

    def __post_init__(self) -> None:
        self.evidence = Evidence(self.builder)

    def add_file(self, path: str, value: object, origin: str) -> None:
        """Keep a file that the state holds: obtained, whatever was read of it."""
        self.evidence.add_file(path, value, origin)

    def add(self, plain: Plain, origin: str) -> None:
        """Add the next message."""
        seen = self.evidence.see(plain, origin)
        if plain.role == "assistant":
            self._assistant(plain, seen, origin)
        elif plain.role == "tool":
            self._tool(plain, seen, origin)
        else:
            parts = seen.parts
            saved_to = plain.additional.get("lc_evicted_to")
            if isinstance(saved_to, str):
                parts = self._evicted(seen, saved_to, origin)
            if plain.additional.get("lc_source") == "summarization":
                self._summarised = True
            self.view.append(self.builder.message(plain.role, parts, origin))

    def _evicted(self, seen: Seen, path: str, origin: str) -> tuple[Part, ...]:
        """Keep a long message as the file it was saved to: requests held a stub of it instead."""
        text = "".join(text for text, _ in seen.content.texts)
        self.add_file(path, text, origin)
        what = f"the request held a preview of this message, which was saved to {path}"
        self.builder.problem(origin, what, ProblemKind.NOTED)
        size = len(text.encode("utf-8", "replace"))
        return (Part(PartKind.OPAQUE, name=path, opaque_bytes=size),)

    def _compact(self, origin: str) -> None:
        """Put a recorded summary into the request, from the call on that was made with it."""
        compaction = self.compaction
        if compaction is None or self.view.count < compaction.created:
            return
        self.compaction = None
        plain = message_of(compaction.message)
        content = read_content(plain.content if plain else None, Documents(), origin)
        parts = [Part(PartKind.SUMMARY, text) for text, _ in content.texts]
        summary = self.builder.message("user", parts, origin)
        before = tuple(self.view.held)
        gone = before[: self.view.compact(compaction.cutoff, summary)]
        self._compacted = True
        results = {
            part.tool_call_id: None
            for index in gone
            for part in self.builder.messages[index].parts
            if part.kind is PartKind.TOOL_RESULT
        }
        self.builder.edits.append(
            ContextEdit(
                before_call=len(self.builder.calls) + 1,
                kind=EditKind.COMPACT,
                tool_call_ids=tuple(results),
                by="deepagents",
                grade=Grade.DERIVED,
                reason="the state records the summary and how many messages it stands for",
                origin=origin,
            )
        )

    def _assistant(self, plain: Plain, seen: Seen, origin: str) -> None:
        message = self.builder.message("assistant", seen.parts, origin)
        self._compact(origin)
        self._note_cleared_inputs(plain)
        if is_from_a_model(plain, seen):
            number = self._call(plain, message, origin)
            self.evidence.wrote(plain, seen, number, origin)
        self.view.append(message)
        if seen.content.compacted:
            self.unknown = "the service compacted the conversation; what it kept is not recorded"

    def _note_cleared_inputs(self, plain: Plain) -> None:
        """Keep which of a message's calls lost their arguments: it says so itself."""
        edited = plain.metadata.get("context_editing")
        ids = edited.get("cleared_tool_inputs") if isinstance(edited, dict) else None
        for name in ids if isinstance(ids, list) else ():
            if isinstance(name, str) and name not in self._inputs_cleared:
                self._inputs_cleared.append(name)

    def add_opaque(self, name: str, size: int, origin: str) -> None:
        """Add a serialised object that is no known message: it stood there, unread."""
        part = Part(PartKind.OPAQUE, name=name, opaque_bytes=size)
        self.view.append(self.builder.message("", [part], origin))

    def _call(self, plain: Plain, message: int, origin: str) -> int:
        grade, reason = self._grade(plain)
        metadata = plain.metadata
        changes = self.view.sent()
        return self.builder.call(
            self.view.held if changes is None else None,
            splices=changes,
            response=[message],
            id=plain.id,
            origin=origin,
            model=_text(metadata.get("model_name")) or _text(metadata.get("model")),
            grade=grade,
            grade_reason=reason,
            usage=usage_of(plain.usage, plain.metadata),
            finish_reason=_text(metadata.get("finish_reason"))
            or _text(metadata.get("stop_reason")),
        )

    def _grade(self, plain: Plain) -> tuple[Grade, str]:
        """Return how far the request of the next call is proven, and why."""
        grade, reason = Grade.INFERRED, RULE
        if self.unknown:
            grade, reason = Grade.UNKNOWN, self.unknown
        elif plain.is_edited:
            grade, reason = Grade.UNKNOWN, EDITED
        elif not self.view.held:
            what = "no message stands before this one, so what it was given is not in the dump"
            grade, reason = Grade.UNKNOWN, what
        if self._summarised:
            reason += "; a summary stands among them, and what was written before it saw more"
        if self._cleared:
            reason += "; when the results that were cleared went, and who saw them, is not recorded"
        if self._inputs_cleared:
            names = ", ".join(self._inputs_cleared)
            reason += f"; the arguments of {names} were cleared: the dump has not what was written"
        if self._compacted:
            reason += "; its state records the summary that stands for the first of them"
        elif self.compaction is not None:
            reason += (
                "; its state records only the last summary, which is later: if an earlier one "
                "stood in this request, it held fewer of them"
            )
        return grade, reason

    # -- results --------------------------------------------------------------

    def _tool(self, plain: Plain, seen: Seen, origin: str) -> None:
        self.view.append(self.builder.message("tool", seen.parts, origin))
        kept, side_file = self._edits(plain, result_text(seen.content), origin)
        self.evidence.returned(plain, seen, origin, kept, side_file)

    def _edits(self, plain: Plain, text: str, origin: str) -> tuple[str | None, str]:
        """Note how a result was edited; return its own text, if the dump has it, and its file."""
        by = is_cleared(plain)
        if by:
            self._cleared = True
            self._edit(plain, EditKind.CLEAR, by, "its message says that it was cleared", origin)
            return None, ""
        saved = saved_path(text, plain.tool_call_id)
        if not saved:
            return text, ""
        self._edit(
            plain, EditKind.PERSIST, "deepagents", "its text names the file it was saved to", origin
        )
        return self.evidence.file_text(saved), saved

    def _edit(self, plain: Plain, kind: EditKind, by: str, reason: str, origin: str) -> None:
        # A result that is saved at once never stood in a request; the time of clearing is not kept.
        before = len(self.builder.calls) + 1 if kind is EditKind.PERSIST else None
        grade = Grade.INFERRED if kind is EditKind.PERSIST else Grade.RECORDED
        self.builder.edits.append(
            ContextEdit(before, kind, (plain.tool_call_id,), by, grade, reason, origin)
        )

    # -- the end --------------------------------------------------------------

    def finish(self) -> Run:
        """Return the run with the versions that its documents, files and artifacts hold."""
        self.evidence.finish()
        return self.builder.finish(None if self.builder.calls else Grade.INFERRED)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
