"""Content blocks of Anthropic's Messages as parts, tool calls, results and documents."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._wire import Turn, items, mapping, members, string
from store.importers._wire_documents import Document, Documents, opaque_version
from store.importers._wire_files import Files
from store.records.runs import Part, PartKind, ToolCall, ToolResult
from store.records.sources import Manifest, ManifestEntry, Selection

__all__ = ["ENCRYPTED", "Blocks"]

ENCRYPTED: Final = "the text of this page is in the capture only encrypted by the provider"
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")


@dataclass(slots=True)
class Blocks:
    """Reads blocks in order; documents keep their numbers over request and response."""

    documents: Documents = field(default_factory=Documents)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    manifests: list[Manifest] = field(default_factory=list)
    pages: dict[str, Document] = field(default_factory=dict)
    """What web searches found, by address."""
    inputs: dict[str, Mapping[str, object]] = field(default_factory=dict)
    files: Files = field(default_factory=Files)

    def turn(self, message: Mapping[str, object]) -> Turn:
        """Return a message with its parts."""
        return Turn(string(message.get("role")), tuple(self.parts(message.get("content"))))

    def parts(self, content: object) -> list[Part]:
        """Return the parts of a message's content: a text, or a list of blocks."""
        if isinstance(content, str):
            return [Part(PartKind.TEXT, content)]
        parts = [self.part(block) for block in items(content)]
        # What a document says of itself is read and cannot be cited.  It stands behind the blocks,
        # so that a block keeps its number.
        said = (string(block.get("context")) for block in members(content))
        return [*parts, *(Part(PartKind.TEXT, text, name="context") for text in said if text)]

    def part(self, block: object) -> Part:  # noqa: PLR0911 - one way out for each kind of block
        """Return the part that one block is."""
        if isinstance(block, str):
            return Part(PartKind.TEXT, block)
        inner = mapping(block)
        kind = string(inner.get("type"))
        if kind == "text":
            return Part(PartKind.TEXT, string(inner.get("text")))
        if kind in _CALLS:
            return self._call(inner)
        if kind.endswith("_result") and "tool_use_id" in inner:
            return self._result(inner, kind)
        if kind in ("document", "search_result"):
            return self.document(inner).part(size=_size(inner))
        if kind == "thinking":
            return Part(PartKind.REASONING, string(inner.get("thinking")))
        if kind == "compaction":
            return _compaction(inner)
        media = PartKind.IMAGE if kind == "image" else PartKind.OPAQUE
        return Part(media, name=kind, opaque_bytes=_size(inner))

    def _call(self, block: Mapping[str, object]) -> Part:
        call_id, name = string(block.get("id")), string(block.get("name"))
        arguments = json.dumps(block.get("input"), ensure_ascii=False)
        self.calls.setdefault(call_id, ToolCall(call_id, name, arguments))
        self.inputs.setdefault(call_id, mapping(block.get("input")))
        return Part(PartKind.TOOL_CALL, arguments, tool_call_id=call_id, name=name)

    # -- results ----------------------------------------------------------------------

    def _result(self, block: Mapping[str, object], kind: str) -> Part:
        call_id = string(block.get("tool_use_id"))
        content = block.get("content")
        status = "error" if block.get("is_error") is True else ""
        inner = mapping(content)
        if string(inner.get("type")).endswith("_error"):
            status = "error"
        if kind == "web_search_tool_result" and isinstance(content, list):
            text, documents, size = self._search(call_id, content)
        elif string(inner.get("type")) == "web_fetch_result":
            text, documents, size = self._fetched(call_id, inner)
        elif isinstance(content, dict):
            text, documents, size = json.dumps(content, ensure_ascii=False), [], 0
        else:
            text, documents, size = self._content(content)
        known = [d for d in documents if d.version.text is not None]
        result = ToolResult(
            call_id,
            text=text,
            status=status,
            selections=tuple(
                Selection(d.version.key.source_id, d.version.key.version_id) for d in known
            ),
        )
        self.results.setdefault(call_id, result)
        call = self.calls.get(call_id)
        return Part(
            PartKind.TOOL_RESULT,
            text,
            tool_call_id=call_id,
            name=call.name if call else "",
            status=status,
            opaque_bytes=size,
        )

    def _content(self, content: object) -> tuple[str, list[Document], int]:
        """Return text, documents and size of what is no text of a client tool's result."""
        if isinstance(content, str):
            return content, [], 0
        texts: list[str] = []
        documents: list[Document] = []
        size = 0
        for block in members(content):
            if block.get("type") in ("document", "search_result"):
                document = self.document(block)
                documents.append(document)
                texts.append(document.text)
                size += 0 if document.text else _size(block)
            elif isinstance(block.get("text"), str):
                texts.append(string(block["text"]))
            else:
                size += _size(block)
        return "\n".join(texts), documents, size

    def _search(self, call_id: str, found: list[object]) -> tuple[str, list[Document], int]:
        """Keep the pages that a search of the service found: their text is encrypted."""
        lines, size = [], 0
        entries: list[ManifestEntry] = []
        for page in members(found):
            url, title = string(page.get("url")), string(page.get("title"))
            lines.append(f"{title}\n{url}")
            size += len(string(page.get("encrypted_content")))
            if not url:
                continue
            document = self.pages.setdefault(url, Document(opaque_version(url, title), ENCRYPTED))
            entries.append(ManifestEntry(url, document.version.key.version_id))
        if entries and all(known.tool_call_id != call_id for known in self.manifests):
            self.manifests.append(Manifest(call_id, tuple(entries)))
        return "\n".join(lines), [], size

    def _fetched(
        self, call_id: str, found: Mapping[str, object]
    ) -> tuple[str, list[Document], int]:
        """Keep a page that a tool of the service fetched: it takes a document's number."""
        asked = string(self.inputs.get(call_id, {}).get("url"))
        url = asked or string(found.get("url"))
        document = self.document(mapping(found.get("content")), url)
        size = 0 if document.version.text is not None else _size(found)
        return document.text, [document], size

    # -- documents ----------------------------------------------------------------------

    def document(self, block: Mapping[str, object], name: str = "") -> Document:
        """Keep a document or search result and return it."""
        title = string(block.get("title"))
        if block.get("type") == "search_result":
            texts = _texts(block.get("content"))
            source = string(block.get("source"))
            return self.documents.add(source, title or source, texts, "", result=True)
        source_ = mapping(block.get("source"))
        kind = string(source_.get("type"))
        name = name or title
        data = source_.get("data")
        if kind == "base64" and isinstance(data, str):
            return self._binary(name, title, string(source_.get("media_type")), data)
        if kind == "text" and isinstance(data, str):
            return self.documents.add(name, title, (data,), "", result=False)
        if kind == "content":
            inner = source_.get("content")
            texts = (inner,) if isinstance(inner, str) else _texts(inner)
            return self.documents.add(name, title, texts, "", result=False)
        place = string(source_.get("url")) or string(source_.get("file_id"))
        if place and kind in ("url", "file", "s3Location"):
            return self.files.document(place, name)
        what = f"the document is named by its {kind or 'source'}; its text is not in the capture"
        return self.documents.add(name or place, title, None, what, result=False)

    def _binary(self, name: str, title: str, media: str, data: str) -> Document:
        try:
            raw = base64.b64decode(data)
        except (binascii.Error, ValueError):
            raw = b""
        if raw.startswith(b"%PDF") or media == "application/pdf":
            return self.documents.add_pdf(name, title, raw)
        what = f"a document of type {media or 'unknown'}, which is not read"
        return self.documents.add(name, title, None, what, result=False)


def _texts(content: object) -> tuple[str, ...]:
    """Return the text of each block; one that is no text keeps its number and has none."""
    return tuple(string(mapping(block).get("text")) for block in items(content))


def _compaction(block: Mapping[str, object]) -> Part:
    text = string(block.get("content"))
    size = len(string(block.get("encrypted_content")))
    return Part(PartKind.SUMMARY, text, name="compaction", opaque_bytes=size)


def _size(block: Mapping[str, object]) -> int:
    """Return how many bytes of *block* are no text that is shown."""
    source = mapping(block.get("source"))
    data = source.get("data")
    if source.get("type") == "base64" and isinstance(data, str):
        return len(data) * 3 // 4
    if source.get("type") in ("text", "content") or block.get("type") == "search_result":
        return 0
    return len(json.dumps(block))
