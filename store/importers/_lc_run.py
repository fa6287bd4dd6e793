"""One conversation, message after message, as a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from store.builder import RunBuilder
from store.evidence import obtained
from store.importers._lc_citations import citations_of
from store.importers._lc_content import Content, Documents, read_content
from store.importers._lc_dialects import Plain, PlainCall, message_of, unwrapped
from store.importers._lc_reads import FileReads, path_read
from store.importers._lc_usage import usage_of
from store.importers._lc_view import Compaction, View
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import (
    Answer,
    ContextEdit,
    EditKind,
    Part,
    PartKind,
    ProblemKind,
    Run,
    ToolCall,
    ToolResult,
)
from store.records.sources import SourceKind, Version
from store.tool_json import entries_of

__all__ = ["Conversation"]

RULE: Final = "each assistant message saw every message before it"
_SAVED_AT: Final = re.compile(r"saved in the filesystem at this path: ([^\n]+)")


@dataclass(slots=True)
class Conversation:
    """Puts messages together; give each in order, then the files of the state, then `finish`."""

    builder: RunBuilder
    documents: Documents = field(default_factory=Documents)
    compaction: Compaction | None = None
    unknown: str = ""
    view: View = field(default_factory=View)
    _calls: dict[str, ToolCall] = field(default_factory=dict)
    _files: dict[str, Version] = field(default_factory=dict)
    _reads: FileReads = field(default_factory=FileReads)
    _artifacts: list[tuple[object, str]] = field(default_factory=list)
    _inputs_cleared: list[str] = field(default_factory=list)
    _summarised: bool = False
    _cleared: bool = False
    _compacted: bool = False

    def add_file(self, path: str, value: object, origin: str) -> None:
        """Keep a file that the state holds: obtained, whatever was read of it."""
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(content, list) and all(isinstance(line, str) for line in content):
            content = "\n".join(content)
        encoded = isinstance(value, dict) and value.get("encoding") not in (None, "utf-8")
        declared = value.get("content_chars") if isinstance(value, dict) else None
        if not isinstance(content, str) or encoded:
            self.builder.problem(origin, "this file is no text; it was not read", ProblemKind.NOTED)
            return
        if isinstance(declared, int) and declared != len(content):
            what = f"holds {len(content)} of the {declared} characters it names; it was not used"
            self.builder.problem(origin, what, ProblemKind.NOTED)
            return
        (version,) = obtained((), entries_of({"id": path, "text": content}), origin) or (None,)
        if version is not None:
            self._files[path] = replace(version, kind=SourceKind.FILE, title=path)

    def add(self, plain: Plain, origin: str) -> None:
        """Add the next message."""
        content = read_content(plain.content, self.documents, origin)
        if plain.role == "assistant":
            self._assistant(plain, content, origin)
        elif plain.role == "tool":
            self._tool(plain, content, origin)
        else:
            parts = content.parts
            saved_to = plain.additional.get("lc_evicted_to")
            if isinstance(saved_to, str):
                parts = self._evicted(content, saved_to, origin)
            if plain.additional.get("lc_source") == "summarization":
                self._summarised = True
                parts = [
                    replace(part, kind=PartKind.SUMMARY) if part.kind is PartKind.TEXT else part
                    for part in parts
                ]
            self.view.append(self.builder.message(plain.role, parts, origin))

    def _evicted(self, content: Content, path: str, origin: str) -> list[Part]:
        """Keep a long message as the file it was saved to: requests held a stub of it instead."""
        text = "".join(text for text, _ in content.texts)
        self.add_file(path, text, origin)
        what = f"the request held a preview of this message, which was saved to {path}"
        self.builder.problem(origin, what, ProblemKind.NOTED)
        return [Part(PartKind.OPAQUE, name=path, opaque_bytes=len(text.encode("utf-8", "replace")))]

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

    def _assistant(self, plain: Plain, content: Content, origin: str) -> None:
        calls = plain.calls + tuple(
            call for call in content.calls if call.id not in {known.id for known in plain.calls}
        )
        for call in calls:
            part = Part(PartKind.TOOL_CALL, call.arguments, tool_call_id=call.id, name=call.name)
            content.parts.append(part)
        message = self.builder.message("assistant", content.parts, origin)
        self._compact(origin)
        self._note_cleared_inputs(plain)
        if _is_from_a_model(plain, content):
            number = self._call(plain, message, origin)
            self._tool_calls(calls, number, origin)
            text = "".join(text for text, _ in content.texts)
            if text and not calls:
                cited = citations_of(
                    content.texts, self.documents, plain.metadata, plain.annotations
                )
                self.builder.answers.append(Answer(number, text, cited, origin))
        self.view.append(message)
        if content.compacted:
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
        edits = plain.metadata.get("context_management")
        edited = edits.get("applied_edits") if isinstance(edits, dict) else None
        grade, reason = Grade.INFERRED, RULE
        if self.unknown:
            grade, reason = Grade.UNKNOWN, self.unknown
        elif edited:
            what = (
                "the service edited this request itself; which messages it changed is not recorded"
            )
            grade, reason = Grade.UNKNOWN, what
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

    def _tool_calls(self, calls: tuple[PlainCall, ...], number: int, origin: str) -> None:
        for call in calls:
            made = ToolCall(call.id, call.name, call.arguments, number, origin)
            self.builder.tool_calls.append(made)
            self._calls[call.id] = made

    # -- results --------------------------------------------------------------

    def _tool(self, plain: Plain, content: Content, origin: str) -> None:
        call = self._calls.get(plain.tool_call_id)
        name = plain.name or (call.name if call else "")
        text = "\n".join(text for text, _ in content.texts)
        others = [part for part in content.parts if part.kind is not PartKind.TEXT]
        part = Part(
            PartKind.TOOL_RESULT,
            text,
            tool_call_id=plain.tool_call_id,
            name=name,
            status=plain.status,
        )
        self.view.append(self.builder.message("tool", [part, *others], origin))
        path = path_read(name, call)
        kept, side_file = self._edits(plain, text, origin)
        result = ToolResult(
            tool_call_id=plain.tool_call_id,
            text=kept,
            status=plain.status,
            is_file_read=bool(path),
            side_file=side_file,
            origin=origin,
        )
        if path and kept is not None and not result.failed:
            self._reads.add(len(self.builder.tool_results), path, call, text)
        self.builder.tool_results.append(result)
        if plain.artifact is not None:
            self._artifacts.append((plain.artifact, origin))

    def _edits(self, plain: Plain, text: str, origin: str) -> tuple[str | None, str]:
        """Note how a result was edited; return its own text, if the dump has it, and its file."""
        marks = (
            (plain.metadata.get("context_editing"), "context editing"),
            (plain.additional, "the message's own mark"),
        )
        for mark, by in marks:
            if isinstance(mark, dict) and mark.get("cleared"):
                self._cleared = True
                self._edit(
                    plain, EditKind.CLEAR, by, "its message says that it was cleared", origin
                )
                return None, ""
        marker = marker_of(text)
        saved = _SAVED_AT.search(text) if marker and marker.id == "da.evicted" else None
        if saved is None or not _names_call(saved[1], plain.tool_call_id):
            return text, ""
        self._edit(
            plain, EditKind.PERSIST, "deepagents", "its text names the file it was saved to", origin
        )
        version = self._files.get(saved[1])
        return (version.text if version else None), saved[1]

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
        builder = self.builder
        builder.versions.extend((*self.documents.versions(), *self._files.values()))
        self._reads.place(builder, self._files)
        for artifact, origin in self._artifacts:
            entries = entries_of(unwrapped(artifact))
            builder.versions.extend(obtained(builder.versions, entries, origin))
        return builder.finish(None if builder.calls else Grade.INFERRED)


def _is_from_a_model(plain: Plain, content: Content) -> bool:
    """Return whether a model wrote it: not an example, not what a limit or a retry wrote."""
    if plain.example:
        return False
    text = "".join(text for text, _ in content.texts)
    marker = marker_of(text) if not (plain.metadata or plain.usage) else None
    return marker is None or marker.place != "assistant"


def _names_call(path: str, tool_call_id: str) -> bool:
    """Return whether the file is named after the call, as the tool that saves it names it."""
    return path.rpartition("/")[2] == re.sub(r"[./\\]", "_", tool_call_id) != ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
