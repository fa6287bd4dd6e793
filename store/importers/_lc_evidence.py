"""What the messages of one conversation make known: parts, tool calls, results, files, documents.

In which request a message stood is not its business: a state, a log of calls
and a trace each say that in their own way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from store.builder import RunBuilder
from store.evidence import obtained
from store.importers._lc_citations import citations_of
from store.importers._lc_content import Content, Documents, read_content
from store.importers._lc_dialects import Plain, PlainCall, unwrapped
from store.importers._lc_reads import FileReads, path_read
from store.records.markers import marker_of
from store.records.runs import (
    Answer,
    Part,
    PartKind,
    ProblemKind,
    ToolCall,
    ToolResult,
)
from store.records.sources import SourceKind, Version
from store.shelf import Shelf
from store.tool_json import entries_of

__all__ = ["Evidence", "Seen", "is_cleared", "is_from_a_model", "result_text", "saved_path"]

_SAVED_AT: Final = re.compile(r"saved in the filesystem at this path: ([^\n]+)")


@dataclass(frozen=True, slots=True)
class Seen:
    """A message that was read: its parts, and the calls and texts in it."""

    role: str
    parts: tuple[Part, ...]
    content: Content
    calls: tuple[PlainCall, ...] = ()


@dataclass(slots=True)
class Evidence:
    """Gathers what the messages of one run make known; `finish` puts it into the builder."""

    builder: RunBuilder
    documents: Documents = field(default_factory=Documents)
    _calls: dict[str, ToolCall] = field(default_factory=dict)
    _files: dict[str, Version] = field(default_factory=dict)
    _older: list[Version] = field(default_factory=list)
    _reads: FileReads = field(default_factory=FileReads)
    _artifacts: list[tuple[object, str]] = field(default_factory=list)

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
        if version is None:
            return
        before = self._files.get(path)
        if before is not None and before.key != version.key:
            self._older.append(before)
        self._files[path] = replace(version, kind=SourceKind.FILE, title=path)

    def file_text(self, path: str) -> str | None:
        """Return the text of a file that was kept, as it was last."""
        version = self._files.get(path)
        return version.text if version else None

    def add_artifact(self, artifact: object, origin: str) -> None:
        """Keep what a tool returned beside its text: obtained, never delivered."""
        self._artifacts.append((artifact, origin))

    # -- messages ---------------------------------------------------------------

    def see(self, plain: Plain, origin: str) -> Seen:
        """Return the parts of a message, and what stands in it."""
        content = read_content(plain.content, self.documents, origin)
        if plain.role == "assistant":
            known = {call.id for call in plain.calls}
            calls = plain.calls + tuple(call for call in content.calls if call.id not in known)
            made = (
                Part(PartKind.TOOL_CALL, call.arguments, tool_call_id=call.id, name=call.name)
                for call in calls
            )
            return Seen(plain.role, (*content.parts, *made), content, calls)
        if plain.role == "tool":
            return Seen(plain.role, tuple(self._result_parts(plain, content)), content)
        parts: Iterable[Part] = content.parts
        if plain.additional.get("lc_source") == "summarization":
            parts = (
                replace(part, kind=PartKind.SUMMARY) if part.kind is PartKind.TEXT else part
                for part in parts
            )
        return Seen(plain.role, tuple(parts), content)

    def _result_parts(self, plain: Plain, content: Content) -> list[Part]:
        others = [part for part in content.parts if part.kind is not PartKind.TEXT]
        part = Part(
            PartKind.TOOL_RESULT,
            result_text(content),
            tool_call_id=plain.tool_call_id,
            name=self._tool_name(plain),
            status=plain.status,
        )
        return [part, *others]

    def _tool_name(self, plain: Plain) -> str:
        call = self._calls.get(plain.tool_call_id)
        return plain.name or (call.name if call else "")

    def wrote(self, plain: Plain, seen: Seen, number: int, origin: str) -> None:
        """Take in what model call *number* wrote: its tool calls, or its answer."""
        for call in seen.calls:
            made = ToolCall(call.id, call.name, call.arguments, number, origin)
            self.builder.tool_calls.append(made)
            self._calls[call.id] = made
        content = seen.content
        text = "".join(text for text, _ in content.texts)
        if text and not seen.calls:
            cited = citations_of(content.texts, self.documents, plain.metadata, plain.annotations)
            self.builder.answers.append(Answer(number, text, cited, origin))

    def knew(self, seen: Seen, origin: str) -> None:
        """Take in the tool calls of an earlier answer that no recorded call wrote."""
        for call in seen.calls:
            if call.id not in self._calls:
                self._calls[call.id] = ToolCall(call.id, call.name, call.arguments, None, origin)
                self.builder.tool_calls.append(self._calls[call.id])

    def returned(
        self, plain: Plain, seen: Seen, origin: str, kept: str | None, side_file: str = ""
    ) -> None:
        """Take in a result: *kept* is what the tool gave, ``None`` where the record lacks it."""
        call = self._calls.get(plain.tool_call_id)
        path = path_read(self._tool_name(plain), call)
        result = ToolResult(
            tool_call_id=plain.tool_call_id,
            text=kept,
            status=plain.status,
            is_file_read=bool(path),
            side_file=side_file,
            origin=origin,
        )
        if path and kept is not None and not result.failed:
            text = result_text(seen.content)
            self._reads.add(len(self.builder.tool_results), path, call, text)
        self.builder.tool_results.append(result)
        if plain.artifact is not None:
            self.add_artifact(plain.artifact, origin)

    # -- the end ----------------------------------------------------------------

    def finish(self) -> None:
        """Give the builder the versions that documents, files and artifacts hold."""
        versions = self.builder.versions
        versions.extend((*self.documents.versions(), *self._older, *self._files.values()))
        self._reads.place(self.builder, self._files)
        shelf = Shelf(versions)
        for artifact, origin in self._artifacts:
            entries = entries_of(unwrapped(artifact))
            shelf.place_all((entry for entry in entries if entry.body is not None), origin)
        versions.extend(shelf.finish())


def result_text(content: Content) -> str:
    """Return the text of a result as one: its texts are its lines."""
    return "\n".join(text for text, _ in content.texts)


def is_from_a_model(plain: Plain, seen: Seen) -> bool:
    """Return whether a model wrote it: not an example, not what a limit or a retry wrote."""
    if plain.example:
        return False
    text = "".join(text for text, _ in seen.content.texts)
    marker = marker_of(text) if not (plain.metadata or plain.usage) else None
    return marker is None or marker.place != "assistant"


def is_cleared(plain: Plain) -> str:
    """Return who cleared a result, as its message itself says; empty where it does not."""
    edited = plain.metadata.get("context_editing")
    if isinstance(edited, dict) and edited.get("cleared"):
        return "context editing"
    return "the message's own mark" if plain.additional.get("cleared") else ""


def saved_path(text: str, tool_call_id: str) -> str:
    """Return the file that a result was saved to when it was too long; empty for any other text.

    deepagents names the file after the call, by its hash where the id is long.
    """
    marker = marker_of(text)
    saved = _SAVED_AT.search(text) if marker and marker.id == "da.evicted" else None
    if saved is None:
        return ""
    name = saved[1].rpartition("/")[2]
    digest = hashlib.sha256(tool_call_id.encode("utf-8", "replace")).hexdigest()
    own = re.sub(r"[./\\]", "_", tool_call_id)
    return saved[1] if name and name in (own, f"call-{digest}") else ""
