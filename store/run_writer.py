"""Writes a run folder (``reread.run/1``) while a run goes on.

For producers: a few calls beside an agent's own loop give a record that proves
each request.  Events are appended as they happen, each version's bytes are
stored once under their SHA-256, a message that an earlier request held is
written as a reference to it, and `RunWriter.finish` adds ``manifest.json``
with the hash of every file.  The same calls write the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from store.records.sources import Block, Selection, Table
from store.records.text import Span, Unit

__all__ = ["LONG_PART_CHARS", "RunWriter", "tool_call_part", "tool_result_part"]

LONG_PART_CHARS = 1000
"""From this many code points on, a part's text is stored as an object and named by its hash."""

_EVENTS = "events.jsonl"
_VERSIONS = "store/versions.jsonl"

JsonObject = Mapping[str, object]


def tool_call_part(tool_call_id: str, name: str, arguments: JsonObject) -> dict[str, object]:
    """Return the part of a message in which a model calls a tool."""
    return {"type": "tool_call", "id": tool_call_id, "name": name, "arguments": dict(arguments)}


def tool_result_part(tool_call_id: str, response: str) -> dict[str, object]:
    """Return the part of a message that gives a tool's result, or what stands in its place."""
    return {"type": "tool_call_response", "id": tool_call_id, "response": response}


@dataclass(slots=True)
class RunWriter:
    """Writes one run into *folder*, which must be empty or not exist.

    Raises `FileExistsError` where the folder holds something: a record is
    never written over another.  *more* are further fields of the manifest.
    """

    folder: Path
    run_id: str
    title: str = ""
    created_at: str | None = None
    producer: tuple[str, str] = ("reread", "")
    grant: JsonObject | None = None
    budget: JsonObject | None = None
    more: JsonObject | None = None
    _sent: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    _calls: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.folder.exists() and any(self.folder.iterdir()):
            raise FileExistsError(
                f"{self.folder} is not empty; a run is written into a new folder only"
            )
        (self.folder / "store" / "objects").mkdir(parents=True, exist_ok=True)
        (self.folder / _EVENTS).touch()
        (self.folder / _VERSIONS).touch()

    # -- evidence -------------------------------------------------------------

    def object_path(self, digest: str) -> Path:
        """Return where the bytes with this SHA-256 lie."""
        return self.folder / "store" / "objects" / digest[:2] / digest

    def keep(self, data: bytes) -> str:
        """Store *data* and return its SHA-256."""
        digest = sha256(data).hexdigest()
        path = self.object_path(digest)
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        return digest

    def version(  # noqa: PLR0913 - a version has this many recorded properties
        self,
        source_id: str,
        text: str,
        *,
        kind: str = "text",
        title: str = "",
        revision: str | None = None,
        media_type: str = "text/plain; charset=utf-8",
        acquired_at: str | None = None,
        origin: str = "",
        supersedes: str | None = None,
        blocks: Iterable[Block] = (),
        table: Table | None = None,
    ) -> str:
        """Store one immutable state of a source; return its version id, the hash of its bytes."""
        data = text.encode()
        digest = self.keep(data)
        line: dict[str, object] = {
            "source_id": source_id,
            "version_id": digest,
            "revision": revision,
            "kind": kind,
            "title": title,
            "media_type": media_type,
            "sha256": digest,
            "bytes": len(data),
            "chars": len(text),
            "acquired_at": acquired_at,
            "origin": origin,
            "supersedes": supersedes,
        }
        if found := [_block(block) for block in blocks]:
            line["blocks"] = found
        if table is not None:
            line["table"] = {"fields": list(table.fields), "rows": table.rows, "key": table.key}
        self._append(_VERSIONS, line)
        return digest

    def line(self, record: JsonObject) -> None:
        """Append any line to the store's list; the methods here write the usual ones."""
        self._append(_VERSIONS, record)

    def refresh_failed(self, source_id: str, kept: str, error: str, at: str | None = None) -> None:
        """Record that a newer state could not be fetched and version *kept* was served."""
        failed = {"at": at, "error": error, "kept": kept}
        self._append(_VERSIONS, {"source_id": source_id, "refresh_failed": failed})

    # -- events ---------------------------------------------------------------

    def event(self, name: str, /, **fields: object) -> None:
        """Append any event; the methods below write the usual ones."""
        self._append(_EVENTS, {"event": name, **fields})

    def model_call(
        self,
        messages: Sequence[JsonObject],
        response: Sequence[JsonObject],
        *,
        model: str = "",
        usage: JsonObject | None = None,
        finish_reason: str = "stop",
    ) -> int:
        """Append a model call with its whole request, as sent, and return its number from 1."""
        self._calls += 1
        request = {
            "model": model,
            "messages": [self._shared(*item) for item in enumerate(messages)],
        }
        answered = {"messages": [self._stored(m) for m in response], "finish_reason": finish_reason}
        self.event("model_call", index=self._calls, request=request, response=answered, usage=usage)
        return self._calls

    def tool_call(self, tool_call_id: str, name: str, arguments: JsonObject, by_call: int) -> None:
        """Append that the model of call *by_call* called a tool."""
        self.event(
            "tool_call", id=tool_call_id, name=name, arguments=dict(arguments), by_call=by_call
        )

    def tool_result(
        self,
        tool_call_id: str,
        text: str,
        *,
        status: str = "ok",
        selection: Selection | None = None,
        coverage: JsonObject | None = None,
    ) -> None:
        """Append what a tool returned, whether or not a request will hold it."""
        fields: dict[str, object] = {"tool_call_id": tool_call_id, "status": status}
        if len(text) >= LONG_PART_CHARS:
            fields["object"] = self.keep(text.encode())
        else:
            fields["content"] = text
        if selection is not None:
            fields["selection"] = _selection(selection)
        if coverage is not None:
            fields["coverage"] = dict(coverage)
        self.event("tool_result", **fields)

    def context_edit(
        self, before_call: int, kind: str, tool_call_ids: Sequence[str], by: str = ""
    ) -> None:
        """Append which results the request of call *before_call* holds in another form."""
        self.event(
            "context_edit",
            before_call=before_call,
            kind=kind,
            tool_call_ids=list(tool_call_ids),
            by=by,
        )

    def finish(self) -> Path:
        """Write ``manifest.json`` with the hash of each file and return the folder."""
        files = {}
        for name in (_EVENTS, _VERSIONS):
            with (self.folder / name).open("rb") as stream:
                files[name] = _fingerprint(stream)
        manifest: dict[str, object] = {
            "format": "reread.run/1",
            "run_id": self.run_id,
            "title": self.title,
            "created_at": self.created_at,
            "producer": {"name": self.producer[0], "version": self.producer[1]},
            "traces": [{"path": _EVENTS, "format": "reread.events/1"}],
            "store": {"path": "store"},
        }
        if self.grant is not None:
            manifest["grant"] = dict(self.grant)
        if self.budget is not None:
            manifest["budget"] = dict(self.budget)
        manifest |= self.more or {}
        manifest["files"] = files
        (self.folder / "manifest.json").write_bytes(_json(manifest, indent=1))
        return self.folder

    # -- shape of what is written ---------------------------------------------

    def _shared(self, place: int, message: JsonObject) -> JsonObject:
        """Return a reference to the first request that held *message*, or the message itself."""
        key = json.dumps(message, sort_keys=True)
        first = self._sent.setdefault(key, (self._calls, place))
        return self._stored(message) if first == (self._calls, place) else {"same_as": list(first)}

    def _stored(self, message: JsonObject) -> JsonObject:
        parts = message.get("parts")
        if not isinstance(parts, list):
            return message
        return {**message, "parts": [self._stored_part(part) for part in parts]}

    def _stored_part(self, part: dict[str, object]) -> dict[str, object]:
        for name in ("content", "response"):
            text = part.get(name)
            if isinstance(text, str) and len(text) >= LONG_PART_CHARS:
                rest = {key: value for key, value in part.items() if key != name}
                return {**rest, "object": self.keep(text.encode())}
        return part

    def _append(self, name: str, line: JsonObject) -> None:
        with (self.folder / name).open("ab") as stream:
            stream.write(_json(line))


def _json(value: JsonObject, indent: int | None = None) -> bytes:
    """Return a line, or lines, of JSON.

    An escape holds what UTF-8 cannot, half a surrogate pair, so that nothing is lost.
    """
    try:
        return f"{json.dumps(value, ensure_ascii=False, indent=indent)}\n".encode()
    except UnicodeEncodeError:
        return f"{json.dumps(value, indent=indent)}\n".encode()


def _block(block: Block) -> dict[str, object]:
    found: dict[str, object] = {
        "block_id": block.block_id,
        "start": block.span.start,
        "end": block.span.end,
    }
    if block.section is not None:
        found["section"] = block.section
    if block.page is not None:
        found["page"] = block.page
    return found


def _pair(span: Span) -> list[int]:
    return [span.start, span.end]


def _selection(selection: Selection) -> dict[str, object]:
    blocks = selection.unit is Unit.BLOCK
    found: dict[str, object] = {
        "source_id": selection.source_id,
        "version_id": selection.version_id,
        "unit": selection.unit.value,
        "ranges": list(selection.blocks) if blocks else [_pair(span) for span in selection.ranges],
    }
    if selection.fields is not None:
        found["fields"] = list(selection.fields)
    return found


def _fingerprint(stream: BinaryIO) -> dict[str, object]:
    digest, size = sha256(), 0
    while data := stream.read(1 << 20):
        digest.update(data)
        size += len(data)
    return {"sha256": digest.hexdigest(), "bytes": size}
