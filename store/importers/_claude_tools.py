"""Tool calls and results of one branch, gathered while its records pass by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store.importers._agent_files import FileVersions
from store.importers._claude_content import is_error, result_text, saved_to
from store.importers._claude_eras import Eras
from store.importers._claude_lines import clean_path, file_path, is_file_read
from store.importers._claude_records import Record, as_map, as_text, dump
from store.importers._claude_versions import asked_of, edits_of, said_of, shown_in
from store.records.runs import ToolCall, ToolResult
from store.records.sources import Version

__all__ = ["Tools"]

_EDITS = frozenset({"Edit", "MultiEdit", "Update"})


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    arguments: Mapping[str, object]
    cwd: str


class Tools:
    """Every tool call with its result, and the versions that the results show."""

    def __init__(self, eras: Eras) -> None:
        self.calls: list[ToolCall] = []
        self._eras = eras
        self._asked: dict[str, _Asked] = {}
        self._results: dict[str, ToolResult] = {}
        self._files = FileVersions(eras.side)

    def ask(self, block: Mapping[str, object], record: Record, by_call: int | None) -> None:
        """Take a tool call out of the answer of model call *by_call*."""
        call_id, name = as_text(block.get("id")), as_text(block.get("name"))
        arguments = block.get("input")
        self.calls.append(ToolCall(call_id, name, dump(arguments), by_call, record.origin))
        cwd = as_text(record.data.get("cwd"))
        self._asked.setdefault(call_id, _Asked(name, as_map(arguments), cwd))

    def answer(self, block: Mapping[str, object], record: Record) -> None:
        """Take a result block of a user record."""
        call_id = as_text(block.get("tool_use_id"))
        if call_id in self._results:
            return
        asked = self._asked.get(call_id, _Asked("", {}, as_text(record.data.get("cwd"))))
        text, failed = result_text(block), is_error(block)
        path = file_path(asked.name, asked.arguments, asked.cwd)
        reads = is_file_read(asked.name) and bool(path)
        inline = saved_to(text or "")
        display = as_map(record.data.get("toolUseResult"))
        shown = as_map(display.get("file")) if reads else {}
        total = shown.get("totalLines")
        said = None if failed else said_of(text or "", shown)
        self._results[call_id] = ToolResult(
            tool_call_id=call_id,
            text=self._whole(inline) if inline else text,
            status="error" if failed else "ok",
            is_file_read=reads and not self._eras.side.name_in(path),
            side_file=self._eras.side_file(call_id, text or ""),
            # What the agent knew of the file's length, and the model may not have been told.
            declared={
                **({"total_lines": total} if isinstance(total, int) else {}),
                **({"lines": [*said]} if said else {}),
            },
            origin=record.origin,
        )
        if reads:
            self._read(call_id, path, asked, display)
        elif not failed:
            self._change(asked, display, record.origin)

    def attach(self, record: Record) -> tuple[str, str]:
        """Take an attached file; return source and version of its text, if it is the whole."""
        attachment = as_map(record.data.get("attachment"))
        given = as_text(attachment.get("filename")) or as_text(attachment.get("path"))
        if not given:
            return "", ""
        path = clean_path(given, as_text(record.data.get("cwd")))
        if attachment.get("type") == "edited_text_file":
            self._files.changed(path, record.origin)
        held = as_map(as_map(attachment.get("content")).get("file"))
        text = held.get("content")
        whole = held.get("numLines") == held.get("totalLines") and "numLines" in held
        if attachment.get("type") != "file" or not isinstance(text, str) or not whole:
            return "", ""
        key = self._files.attached(path, text, record.origin)
        return key.source_id, key.version_id

    def finish(self) -> tuple[list[ToolResult], list[Version]]:
        """Return the results, each with what it selected, and the versions."""
        selections, versions = self._files.finish()
        results = [
            ToolResult(
                tool_call_id=one.tool_call_id,
                text=one.text,
                status=one.status,
                selections=(selections[call_id],) if call_id in selections else (),
                is_file_read=one.is_file_read,
                side_file=one.side_file,
                declared=one.declared,
                origin=one.origin,
            )
            for call_id, one in self._results.items()
        ]
        return results, versions

    def _whole(self, inline: str) -> str | None:
        """Return the text of a result that was too large for the request, if its file is there.

        Only the name is taken from the recorded path: nothing outside the
        session's own folder is opened.
        """
        name = inline.replace("\\", "/").rpartition("/")[2]
        return self._eras.side.text_of(name)

    def _read(self, call_id: str, path: str, asked: _Asked, display: Mapping[str, object]) -> None:
        result = self._results[call_id]
        if result.failed or result.text is None:
            self._files.failed(call_id, path, asked_of(asked.arguments))
            return
        bare = asked.name.startswith("mcp__")
        shown = shown_in(result.text, asked.arguments, as_map(display.get("file")), bare=bare)
        self._files.read(call_id, path, shown, result.origin)

    def _change(self, asked: _Asked, display: Mapping[str, object], origin: str) -> None:
        path = file_path(asked.name, asked.arguments, asked.cwd)
        content = asked.arguments.get("content")
        if not path:
            return
        if asked.name == "Write" and isinstance(content, str):
            self._files.written(path, content, origin)
        elif asked.name in _EDITS:
            original = as_text(display.get("originalFile"))
            self._files.edited(path, edits_of(asked.arguments), original, origin)
        elif asked.name == "NotebookEdit":
            self._files.changed(path, origin)
