"""What tools returned, as sources that citations can point at.

Where a record says itself what was listed and read, it stands.  Elsewhere the
JSON that a tool returned is searched for entries that name their source
(`store.tool_json`), and every other result becomes a source of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from dataclasses import replace

from store.records.runs import Run, ToolResult
from store.records.sources import (
    Excerpt,
    Integrity,
    Manifest,
    ManifestEntry,
    Selection,
    SourceKind,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit
from store.shelf import Place, Shelf
from store.stopping import go_on
from store.tool_json import Entry, entries_in

__all__ = ["derive", "obtained"]


def derive(run: Run) -> Run:
    """Return *run* with the evidence that its tool results show and its record does not name.

    A result with a recorded selection or manifest is left as it is, and so is
    one without text.  Versions that are read from a store must be in the run
    before: a piece is placed in a known version where it stands in one.
    """
    run = _from_selections(run)
    shelf = Shelf(run.versions)
    names = {call.id: call.name for call in run.tool_calls}
    listed = {manifest.tool_call_id for manifest in run.manifests}
    found = [_entries(result, listed) for result in run.tool_results]
    for result, entries in zip(run.tool_results, found, strict=True):
        shelf.add_wholes(filter(_is_read, entries or ()), result.origin)
    manifests: list[Manifest] = []
    results: list[tuple[ToolResult, list[Place]]] = []
    for result, entries in zip(run.tool_results, found, strict=True):
        go_on()
        places = shelf.place_all(filter(_is_read, entries or ()), result.origin)
        offers = tuple(_offer(entry) for entry in entries or () if not _is_read(entry))
        if offers:
            manifests.append(Manifest(result.tool_call_id, offers, result.origin))
        if entries == ():
            places.append(_own_source(result, names.get(result.tool_call_id) or "?", shelf))
        results.append((result, places))
    versions = shelf.finish()
    return replace(
        run,
        versions=run.versions + versions,
        manifests=run.manifests + tuple(manifests),
        tool_results=tuple(_with(result, places) for result, places in results),
    )


def obtained(
    known: Iterable[Version], entries: Iterable[Entry], origin: str
) -> tuple[Version, ...]:
    """Return the versions that *entries* add to the *known* ones: obtained, never delivered.

    For what a record keeps beside the text that the model was given.
    """
    shelf = Shelf(known)
    shelf.place_all((entry for entry in entries if _is_read(entry)), origin)
    return shelf.finish()


def _from_selections(run: Run) -> Run:
    """Give the versions that recorded selections name, and no store holds, what results show.

    A source that stands in no store is its first full delivery.  A result
    whose hash is the version's is its text; any other gives the piece that was
    selected, and only where its length is the selection's.
    """
    known = {version.key: version for version in run.versions}
    sources = {version.key.source_id for version in run.versions}
    made: dict[VersionKey, Version] = {}
    excerpts: dict[VersionKey, dict[Excerpt, None]] = {}
    for result in run.tool_results:
        if result.text is None or result.failed or len(result.selections) != 1:
            continue
        (selection,) = result.selections
        held = known.get(selection.key)
        if held is not None and held.text is not None:
            continue
        if held is None and not selection.version_id and selection.source_id in sources:
            continue  # one of the stored versions; which, the record does not say
        whole = _whole(selection, result, held)
        if whole is not None:
            made.setdefault(selection.key, whole)
        elif held is None and (piece := _piece(selection, result.text)) is not None:
            excerpts.setdefault(selection.key, {})[piece] = None
    for key, pieces in excerpts.items():
        if key not in made:
            made[key] = _in_pieces(key, tuple(pieces))
    if not made:
        return run
    kept = (made.pop(version.key, version) for version in run.versions)
    return replace(run, versions=(*kept, *made.values()))


def _whole(selection: Selection, result: ToolResult, held: Version | None) -> Version | None:
    text = result.text or ""
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    proven = digest in (selection.version_id, held.sha256 if held else "")
    asked_all = not selection.ranges and not selection.blocks and selection.unit is Unit.CHAR
    if not proven and (held is not None or not asked_all):
        return None
    return Version(
        key=selection.key,
        kind=held.kind if held else SourceKind.TEXT,
        title=held.title if held else "",
        revision=held.revision if held else None,
        sha256=digest if proven else "",
        byte_length=len(data),
        chars=len(text),
        text=text,
        integrity=_proof(held, proven=proven),
        blocks=held.blocks if held else (),
        table=held.table if held else None,
        origin=result.origin,
    )


def _proof(held: Version | None, *, proven: bool) -> Integrity:
    """Bytes that changed in the store stay changed, also where the record proves the text."""
    if held is not None and held.integrity is Integrity.CHANGED:
        return Integrity.CHANGED
    return Integrity.INTACT if proven else Integrity.RECONSTRUCTED


def _piece(selection: Selection, text: str) -> Excerpt | None:
    if selection.unit is Unit.CHAR and len(selection.ranges) == 1:
        span = selection.ranges[0]
        return Excerpt(span.start, text) if span.length == len(text) else None
    if selection.unit is Unit.BLOCK and len(selection.blocks) == 1:
        return Excerpt(None, text, selection.blocks[0])
    return None


def _in_pieces(key: VersionKey, pieces: tuple[Excerpt, ...]) -> Version:
    return Version(
        key=key, kind=SourceKind.TEXT, integrity=Integrity.RECONSTRUCTED, excerpts=pieces
    )


def _entries(result: ToolResult, listed: Container[str | None]) -> tuple[Entry, ...] | None:
    """Return the evidence in a result; ``None`` where the record names it or holds no text."""
    if result.text is None or result.selections or result.tool_call_id in listed:
        return None
    return () if result.failed else entries_in(result.text)


def _is_read(entry: Entry) -> bool:
    return entry.body is not None


def _with(result: ToolResult, places: list[Place]) -> ToolResult:
    if not places:
        return result
    return replace(result, selections=tuple(place.selection() for place in places))


def _offer(entry: Entry) -> ManifestEntry:
    preview = entry.preview or ""
    start = entry.start or 0
    return ManifestEntry(
        source_id=entry.source_id,
        version_id=entry.version,
        preview=Span(start, start + len(preview)),
        preview_text=preview,
        block_id=entry.block_id,
    )


def _own_source(result: ToolResult, tool: str, shelf: Shelf) -> Place:
    text = result.text or ""
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    key = VersionKey(f"tool:{tool}:{result.tool_call_id}", digest)
    shelf.add(
        Version(
            key=key,
            kind=SourceKind.TOOL_RESULT,
            sha256=digest,
            byte_length=len(data),
            chars=len(text),
            text=text,
            origin=result.origin,
        )
    )
    return Place(Selection(key.source_id, key.version_id, ranges=(Span(0, len(text)),)))
