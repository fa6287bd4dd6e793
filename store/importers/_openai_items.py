"""Items of OpenAI's Responses as turns, tool calls and results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._wire import Turn, items, mapping, members, string
from store.importers._wire_answers import Named
from store.importers._wire_documents import version_of
from store.importers._wire_files import Files
from store.records.runs import Part, PartKind, ToolCall, ToolResult
from store.records.sources import Selection, Version

__all__ = ["Items", "content_parts"]

_TEXTS: Final = ("input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal")
_FILES: Final = ("input_file", "file", "document_url")
_SERVED: Final = ("web_search_call", "file_search_call", "code_interpreter_call", "mcp_call")


@dataclass(slots=True)
class Items:
    """Reads items in order.  ``served`` are those that a tool of the service made."""

    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    versions: dict[str, Version] = field(default_factory=dict)
    files: dict[str, Named] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    given: Files = field(default_factory=Files)

    def turns(self, item: Mapping[str, object]) -> list[Turn]:  # noqa: PLR0911 - one for each kind
        """Return the turns that an item is: a call of a tool of the service is two."""
        kind = string(item.get("type")) or "message"
        item_id = string(item.get("id"))
        if item_id:
            self.ids.append(item_id)
        if kind == "message":
            parts = content_parts(item.get("content"), self.given)
            return [Turn(string(item.get("role")) or "assistant", tuple(parts))]
        if kind == "reasoning":
            return [Turn("assistant", (_reasoning(item),))]
        if kind == "compaction":
            size = len(string(item.get("encrypted_content")))
            return [Turn("assistant", (Part(PartKind.SUMMARY, name=kind, opaque_bytes=size),))]
        if kind == "item_reference":
            self.references.append(item_id)
            return [Turn("user", (Part(PartKind.OPAQUE, name=kind),))]
        if kind in _SERVED:
            return self._served(item, kind)
        if kind.endswith("_output"):
            return [self._output(item)]
        if kind.endswith("_call"):
            return [self._call(item, kind)]
        size = len(json.dumps(item))
        return [Turn("assistant", (Part(PartKind.OPAQUE, name=kind, opaque_bytes=size),))]

    def _call(self, item: Mapping[str, object], kind: str) -> Turn:
        call_id = string(item.get("call_id")) or string(item.get("id"))
        name = string(item.get("name")) or kind.removesuffix("_call")
        inner = item.get("arguments", item.get("input", item.get("action", item.get("operation"))))
        arguments = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        part = Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)
        return Turn("assistant", (part,))

    def _output(self, item: Mapping[str, object]) -> Turn:
        call_id = string(item.get("call_id"))
        parts = content_parts(item.get("output"), self.given)
        text = "\n".join(part.text for part in parts if part.text)
        size = sum(part.opaque_bytes for part in parts)
        return Turn("tool", (self._result(call_id, text, size),))

    def _result(
        self, call_id: str, text: str, size: int = 0, selections: tuple[Selection, ...] = ()
    ) -> Part:
        self.results.setdefault(call_id, ToolResult(call_id, text, selections=selections))
        call = self.calls.get(call_id)
        name = call.name if call else ""
        return Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name, opaque_bytes=size)

    def _served(self, item: Mapping[str, object], kind: str) -> list[Turn]:
        """Return the call of a tool of the service, and what is recorded of its result."""
        call_id, name = string(item.get("id")), kind.removesuffix("_call")
        names = ("queries", "action", "code", "name", "arguments")
        asked = {key: item[key] for key in names if key in item}
        arguments = json.dumps(asked, ensure_ascii=False)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        call = Turn(
            "assistant", (Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name),)
        )
        return [call, Turn("tool", (self._found(item, kind, call_id, name),))]

    def _found(self, item: Mapping[str, object], kind: str, call_id: str, name: str) -> Part:
        found = [*members(item.get("results"))]
        if kind == "file_search_call" and found:
            return self._pieces(found, call_id)
        output = item.get("output")
        logs = [string(mapping(each).get("logs")) for each in items(item.get("outputs"))]
        if isinstance(output, str) or any(logs):
            text = output if isinstance(output, str) else "\n".join(filter(None, logs))
            return self._result(call_id, text)
        # What the tool gave the model is not on the wire.
        self.results.setdefault(call_id, ToolResult(call_id))
        return Part(PartKind.TOOL_RESULT, tool_call_id=call_id, name=name)

    def _pieces(self, found: list[Mapping[str, object]], call_id: str) -> Part:
        """Keep the pieces that a search found, each file with its pieces as blocks."""
        texts: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for piece in found:
            file_id = string(piece.get("file_id"))
            names.setdefault(file_id, string(piece.get("filename")))
            texts.setdefault(file_id, []).append(string(piece.get("text")))
        selections = []
        for file_id, pieces in texts.items():
            version = version_of(file_id, names[file_id], tuple(pieces))
            self.versions[file_id] = version
            self.files[file_id] = Named(file_id, names[file_id], version.key.version_id)
            selections.append(Selection(file_id, version.key.version_id))
        text = "\n".join("".join(pieces) for pieces in texts.values())
        return self._result(call_id, text, selections=tuple(selections))


def _reasoning(item: Mapping[str, object]) -> Part:
    texts = [string(each.get("text")) for each in members(item.get("content"))]
    texts += [string(each.get("text")) for each in members(item.get("summary"))]
    size = len(string(item.get("encrypted_content")))
    return Part(PartKind.REASONING, "\n".join(filter(None, texts)), opaque_bytes=size)


def content_parts(content: object, files: Files | None = None) -> list[Part]:
    """Return the parts of a content: a text, or a list of parts, of either interface.

    What a file holds is read where *files* is given.
    """
    if isinstance(content, str):
        return [Part(PartKind.TEXT, content)]
    return [_part(each, files) for each in items(content)]


def _part(value: object, files: Files | None) -> Part:
    if isinstance(value, str):
        return Part(PartKind.TEXT, value)
    inner = mapping(value)
    kind = string(inner.get("type"))
    if kind in _TEXTS or (not kind and "text" in inner):
        return Part(PartKind.TEXT, string(inner.get("text")) or string(inner.get("refusal")))
    if kind in ("thinking", "reasoning"):
        held = inner.get("thinking", inner.get("text"))
        text = held if isinstance(held, str) else "".join(p.text for p in content_parts(held))
        return Part(PartKind.REASONING, text)
    if files is not None and kind in _FILES:
        known = files.part(inner)
        if known is not None:
            return known
    file = mapping(inner.get("file")) or inner
    name = string(file.get("filename")) or string(file.get("file_id")) or kind
    media = PartKind.IMAGE if "image" in kind else PartKind.OPAQUE
    return Part(media, name=name, opaque_bytes=len(json.dumps(inner)))
