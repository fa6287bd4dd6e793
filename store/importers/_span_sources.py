"""Sources that spans tell of: documents that a retriever found, results that no request names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._span_values import json_of
from store.importers._wire import mapping, string
from store.records.sources import (
    Manifest,
    ManifestEntry,
    SourceKind,
    Version,
    VersionKey,
)
from store.shelf import Shelf
from store.tool_json import Entry, entries_in

__all__ = ["Sources", "holds_documents"]

_HOLDERS: Final = ("documents", "results", "output", "nodes", "chunks", "data", "matches")
_INNER: Final = ("node", "document", "kwargs", "payload")
_TEXTS: Final = (
    *("page_content", "pageContent", "content", "text", "document", "body", "chunk", "snippet"),
)
_OF_RETRIEVERS: Final = ("page_content", "pageContent")
"""What the documents of LangChain's retrievers call their text, and nothing else does."""
_IDS: Final = ("id", "id_", "doc_id", "document_id", "node_id", "chunk_id", "_id")
_NAMES: Final = ("source", "doc_uri", "file_path", "file_name", "path", "url", "uri", "title")


@dataclass(slots=True)
class Sources:
    """Collects them while a run is read; ``manifests`` and ``versions`` are what they make known.

    A retrieved document is a source of its own, named by its id, else by
    what it says it is from: the record holds what the retriever gave, and not
    where in a file that stood.
    """

    manifests: list[Manifest] = field(default_factory=list)
    _documents: dict[VersionKey, Version] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)
    _entries: list[tuple[list[Entry], str]] = field(default_factory=list)

    def retrieved(self, response: object, span_id: str, origin: str) -> None:
        """Take the documents that a retriever's span holds: on offer, and obtained with text."""
        offers = []
        for number, each in enumerate(_documents_in(response)):
            offers.append(self._document(each, f"{span_id}#{number}", origin))
        if offers:
            self.manifests.append(Manifest(None, tuple(offers), origin))

    def _document(self, value: object, fallback: str, origin: str) -> ManifestEntry:
        held = _opened(value)
        metadata = mapping(json_of(held.get("metadata", held.get("meta"))))
        text = next((string(held[key]) for key in _TEXTS if string(held.get(key))), "")
        named = _named(held, _IDS)
        title = _named(metadata, _NAMES) or _named(held, _NAMES)
        name = named or title or fallback
        if not text:
            return ManifestEntry(name)
        digest = _digest(text)
        key = VersionKey(name, digest)
        if not named and key not in self._documents:
            # Several pieces of one file have its name, and none of them is the file.
            count = self._names[name] = self._names.get(name, 0) + 1
            key = VersionKey(name if count == 1 else f"{name}#{count}", digest)
        version = _version(key, text, title, origin, SourceKind.TEXT)
        self._documents.setdefault(key, version)
        return ManifestEntry(key.source_id, key.version_id)

    def given(self, text: str, tool: str, span_id: str, origin: str) -> None:
        """Take what a tool gave that no request names: its text may stand in a message."""
        read = [entry for entry in entries_in(text) if entry.body is not None]
        if read:
            self._entries.append((read, origin))
            return
        key = VersionKey(f"tool:{tool or '?'}:{span_id}", _digest(text))
        version = _version(key, text, "", origin, SourceKind.TOOL_RESULT)
        self._documents.setdefault(key, version)

    def versions(self, known: Iterable[Version]) -> tuple[Version, ...]:
        """Return the versions that they add to the *known* ones."""
        held = {version.key for version in known}
        made = [version for key, version in self._documents.items() if key not in held]
        shelf = Shelf((*known, *made))
        for entries, origin in self._entries:
            shelf.place_all(entries, origin)
        return (*made, *shelf.finish())


def holds_documents(response: object) -> bool:
    """Return whether *response* is a list of documents by its form alone."""
    if isinstance(response, str) and not any(key in response for key in _OF_RETRIEVERS):
        return False
    found = list(_documents_in(response))
    return bool(found) and all(
        any(isinstance(mapping(each).get(key), str) for key in _OF_RETRIEVERS) for each in found
    )


def _documents_in(response: object) -> Iterator[object]:
    value = json_of(response)
    if isinstance(value, dict):
        lists = (value[name] for name in _HOLDERS if isinstance(value.get(name), list))
        value = next(lists, [value])
    if isinstance(value, list):
        yield from value


def _opened(value: object) -> Mapping[str, object]:
    """Return a document's own fields, whatever it is wrapped in; a text is its content."""
    if isinstance(value, str):
        return {"content": value}
    held = mapping(value)
    for key in _INNER:
        inner = held.get(key)
        if isinstance(inner, dict) and not any(string(held.get(name)) for name in _TEXTS):
            held = {**inner, **{name: each for name, each in held.items() if name != key}}
    return held


def _named(held: Mapping[str, object], keys: Iterable[str]) -> str:
    for key in keys:
        found = held.get(key)
        if isinstance(found, (str, int)) and not isinstance(found, bool) and str(found):
            return str(found)
    return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _version(key: VersionKey, text: str, title: str, origin: str, kind: SourceKind) -> Version:
    return Version(
        key=key,
        kind=kind,
        title="" if title == key.source_id else title,
        sha256=key.version_id,
        byte_length=len(text.encode("utf-8", "surrogatepass")),
        chars=len(text),
        text=text,
        origin=origin,
    )
