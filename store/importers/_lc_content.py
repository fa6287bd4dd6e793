"""The content of a message as parts, and the documents that stand in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._lc_dialects import PlainCall
from store.records.runs import Part, PartKind
from store.records.sources import Block, SourceKind, Version, VersionKey
from store.records.text import Span

__all__ = ["Content", "Document", "Documents", "read_content"]

_TEXTS: Final = ("text", "input_text", "output_text", "refusal")
_CALLS: Final = ("tool_use", "tool_call", "server_tool_use", "server_tool_call", "function_call")
_MEDIA: Final = ("image", "image_url", "input_image", "audio", "input_audio", "video")
_DOCUMENTS: Final = ("document", "search_result", "text-plain", "file")
"""A file is sent as a document, so it takes a number too."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document given to the model in a message; ``version`` is ``None`` without its text."""

    source_id: str
    title: str
    version: Version | None


@dataclass(slots=True)
class Documents:
    """The documents of a conversation in order; a citation names one by its number."""

    documents: list[Document] = field(default_factory=list)
    results: list[Document] = field(default_factory=list)

    def add(self, block: Mapping[str, object], origin: str) -> Part:
        """Keep the document of *block* and return its part."""
        is_result = block.get("type") == "search_result"
        kept = self.results if is_result else self.documents
        texts = _texts_of(block)
        title = _text(block.get("title")) or _text(block.get("filename"))
        name = _text(block.get("source")) if is_result else title
        source_id = (
            self._unique(name, texts) or f"{'result' if is_result else 'document'}:{len(kept)}"
        )
        if texts is None:
            kept.append(Document(source_id, title, None))
            size = len(json.dumps(block))
            return Part(PartKind.DOCUMENT, source_id=source_id, opaque_bytes=size)
        version = _version(source_id, title, texts, origin)
        kept.append(Document(source_id, title, version))
        text = version.text or ""
        key = version.key
        return Part(PartKind.DOCUMENT, text, source_id=source_id, version_id=key.version_id)

    def _unique(self, name: str, texts: tuple[str, ...] | None) -> str:
        """Return *name* unless another document has it: two documents are not one source."""
        text = None if texts is None else "\n".join(texts)
        for known in (*self.documents, *self.results):
            if known.source_id == name and (known.version is None or known.version.text != text):
                return ""
        return name

    def versions(self) -> tuple[Version, ...]:
        """Return the version of each document, once."""
        found = {
            document.version.key: document.version
            for document in (*self.documents, *self.results)
            if document.version is not None
        }
        return tuple(found.values())


@dataclass(slots=True)
class Content:
    """A message's content.

    ``texts`` are its texts that are the model's or user's words, with the
    block each stands in; ``calls`` are tool calls that stand in the content.
    """

    parts: list[Part] = field(default_factory=list)
    texts: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)
    calls: list[PlainCall] = field(default_factory=list)
    compacted: bool = False


def read_content(content: object, documents: Documents, origin: str) -> Content:
    """Return the parts of a recorded *content*: a text, a list of texts and blocks, or nothing."""
    found = Content()
    blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        if isinstance(block, str):
            _add_text(found, block, {})
        elif isinstance(block, dict):
            _add_block(found, block, documents, origin)
        elif block is not None:
            found.parts.append(Part(PartKind.OPAQUE, opaque_bytes=len(str(block))))
    return found


def _add_text(found: Content, text: str, block: Mapping[str, object]) -> None:
    if text:
        found.parts.append(Part(PartKind.TEXT, text))
        found.texts.append((text, block))


def _add_block(found: Content, block: dict[str, object], documents: Documents, origin: str) -> None:
    kind = block.get("type")
    if kind in _TEXTS or (kind is None and "text" in block):
        _add_text(found, _text(block.get("text")) or _text(block.get("refusal")), block)
    elif kind in _CALLS:
        inner = block.get("args", block.get("input", block.get("arguments")))
        arguments = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        name = _text(block.get("name"))
        found.calls.append(PlainCall(_text(block.get("id")), name, arguments))
    elif kind in _DOCUMENTS:
        found.parts.append(documents.add(block, origin))
    elif kind in ("reasoning", "thinking"):
        text = _text(block.get("reasoning")) or _text(block.get("thinking"))
        found.parts.append(Part(PartKind.REASONING, text))
    elif kind in ("compaction", "summary"):
        found.compacted = True
        found.parts.append(Part(PartKind.SUMMARY, _text(block.get("content"))))
    else:
        media = PartKind.IMAGE if kind in _MEDIA else PartKind.OPAQUE
        size = len(json.dumps(block))
        found.parts.append(Part(media, name=_text(kind), opaque_bytes=size))


def _texts_of(block: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the blocks of text of a document, or ``None`` if its text is not in the record."""
    source = block.get("source")
    inner = source if isinstance(source, dict) else {}
    if block.get("type") == "text-plain":
        return (str(block["text"]),) if isinstance(block.get("text"), str) else None
    if inner.get("type") == "text" and isinstance(inner.get("data"), str):
        return (str(inner["data"]),)
    pieces = inner.get("content") if inner.get("type") == "content" else block.get("content")
    if isinstance(pieces, str):
        return (pieces,)
    if not isinstance(pieces, list) or not pieces:
        return None
    texts = [piece.get("text") if isinstance(piece, dict) else None for piece in pieces]
    whole = [text for text in texts if isinstance(text, str)]
    return tuple(whole) if len(whole) == len(texts) else None


def _version(source_id: str, title: str, texts: tuple[str, ...], origin: str) -> Version:
    text = "\n".join(texts)
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    blocks = []
    start = 0
    for number, piece in enumerate(texts):
        blocks.append(Block(str(number), Span(start, start + len(piece))))
        start += len(piece) + 1
    return Version(
        key=VersionKey(source_id, digest),
        kind=SourceKind.BLOCKS if len(texts) > 1 else SourceKind.TEXT,
        title=title,
        sha256=digest,
        byte_length=len(data),
        chars=len(text),
        text=text,
        blocks=tuple(blocks),
        origin=origin,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
