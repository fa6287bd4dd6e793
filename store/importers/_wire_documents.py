"""Documents and search results of one exchange, numbered as citations number them.

Documents and search results have counters of their own.  What has blocks is
joined without a separator: that is how providers join the blocks they quote.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from store.importers._pdf_pages import PdfError, pages_of
from store.records.runs import Part, PartKind
from store.records.sources import Block, Integrity, SourceKind, Version, VersionKey
from store.records.text import Span

__all__ = ["Document", "Documents", "opaque_version", "version_of"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document; ``sealed`` says why its text is not in the capture, empty where it is."""

    version: Version
    sealed: str = ""

    @property
    def text(self) -> str:
        """Its text as the model was given it."""
        return self.version.text or ""

    def part(self, tool_call_id: str = "", size: int = 0) -> Part:
        """Return the part of a message that it is."""
        key = self.version.key
        return Part(
            PartKind.DOCUMENT,
            self.text,
            tool_call_id=tool_call_id,
            name=self.version.title,
            source_id=key.source_id,
            version_id=key.version_id,
            opaque_bytes=size,
        )


@dataclass(slots=True)
class Documents:
    """All of an exchange; citations name one by its number, or by its source."""

    documents: list[Document] = field(default_factory=list)
    results: list[Document] = field(default_factory=list)
    others: list[Document] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def add(
        self, name: str, title: str, texts: tuple[str, ...] | None, sealed: str, *, result: bool
    ) -> Document:
        """Keep a document with the text of its blocks, or *sealed*, why there is none."""
        kept = self.results if result else self.documents
        fallback = f"{'result' if result else 'document'}:{len(kept)}"
        if texts is None:
            document = Document(opaque_version(self._unique(name, fallback, sealed), title), sealed)
        else:
            source_id = self._unique(name, fallback, "\0".join(texts))
            document = Document(version_of(source_id, title, texts))
        kept.append(document)
        return document

    def add_pdf(self, name: str, title: str, data: bytes) -> Document:
        """Keep a PDF: its pages as PDFium reads them, which is what providers quote."""
        fallback = f"document:{len(self.documents)}"
        digest = hashlib.sha256(data).hexdigest()
        source_id = self._unique(name, fallback, digest)
        try:
            pages = pages_of(data)
        except PdfError as error:
            sealed = f"the text of this PDF cannot be read here: {error}"
            document = Document(opaque_version(source_id, title, digest), sealed)
        else:
            document = Document(_pdf_version(source_id, title, pages, digest, len(data)))
        self.documents.append(document)
        return document

    def _unique(self, name: str, fallback: str, content: str) -> str:
        """Return *name* unless another document of the exchange has it."""
        known = self._names.setdefault(name, content) if name else None
        return name if name and known == content else fallback

    def versions(self) -> list[Version]:
        """Return each version once."""
        everything = (*self.documents, *self.results, *self.others)
        return list({document.version.key: document.version for document in everything}.values())


def version_of(source_id: str, title: str, texts: tuple[str, ...]) -> Version:
    """Return the version whose blocks are *texts*, named by their numbers from 0."""
    text = "".join(texts)
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    blocks, start = [], 0
    for number, piece in enumerate(texts):
        blocks.append(Block(str(number), Span(start, start + len(piece))))
        start += len(piece)
    return Version(
        key=VersionKey(source_id, digest),
        kind=SourceKind.BLOCKS if len(texts) > 1 else SourceKind.TEXT,
        title=title,
        sha256=digest,
        byte_length=len(data),
        chars=len(text),
        text=text,
        blocks=tuple(blocks),
    )


def opaque_version(source_id: str, title: str = "", digest: str = "") -> Version:
    """Return a version of which the capture has no text."""
    return Version(
        key=VersionKey(source_id, digest or "not recorded"),
        kind=SourceKind.TEXT,
        title=title,
        sha256=digest,
        integrity=Integrity.MISSING,
    )


def _pdf_version(source_id: str, title: str, pages: list[str], digest: str, size: int) -> Version:
    blocks, start = [], 0
    for number, page in enumerate(pages, 1):
        span = Span(start, start + len(page))
        blocks.append(Block(f"page {number}", span, page=number))
        start += len(page)
    return Version(
        key=VersionKey(source_id, digest),
        kind=SourceKind.BLOCKS,
        title=title,
        media_type="application/pdf",
        sha256=digest,
        byte_length=size,
        chars=start,
        text="".join(pages),
        integrity=Integrity.RECONSTRUCTED,
        blocks=tuple(blocks),
    )
