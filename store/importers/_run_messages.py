"""Messages in the schema of the OpenTelemetry GenAI conventions, as a run folder holds them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from store.importers._fields import Fields, compact, json_text, pair
from store.importers._run_extension import EXTENSION, extension
from store.importers._run_store import Objects
from store.records.runs import Call, Part, PartKind, Problem, ProblemKind

__all__ = ["History", "Reading", "read_message", "reference"]

_PLAIN = {
    "text": PartKind.TEXT,
    "reasoning": PartKind.REASONING,
    "document": PartKind.DOCUMENT,
    "summary": PartKind.SUMMARY,
}
_IMPORTED = {"image": PartKind.IMAGE, "opaque": PartKind.OPAQUE}
"""Types of parts that an import writes for what is no text."""
_NOT_TEXT = frozenset({"blob", "file", "uri"})


class _RawPart(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw()
    response: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()


class _RawMessage(msgspec.Struct):
    parts: list[_RawPart] = []


@dataclass(slots=True)
class Reading:
    """One message as read: what it holds, what is wrong with it, which fields nobody knows."""

    role: str = ""
    origin: str | None = None
    parts: tuple[Part, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)


def reference(value: object) -> tuple[int, int] | None:
    """Return the call and the message of a ``same_as``, ``None`` when it is no pair of numbers."""
    return pair(value)


def read_message(value: object, objects: Objects, where: str, raw: bytes = b"") -> Reading:
    """Read a message that stands in full; *raw* are its bytes where they are at hand."""
    made = Reading()

    def report(what: str) -> None:
        made.problems.append(Problem(where, what))

    if not isinstance(value, dict):
        report("a message that is no object; nothing of it was read")
        made.parts = (Part(PartKind.OPAQUE),)
        return made
    fields = Fields(value, report, "message.")
    made.role = fields.text("role") or ""
    if EXTENSION in value:
        made.origin = extension(fields).text("origin")
    content = value.get("content")
    if "parts" not in value and isinstance(content, str):
        fields.text("content")
        made.parts = (Part(PartKind.TEXT, content),)
    else:
        items = fields.items("parts")
        if items is None:
            report("a message without parts; what it held is not known")
            made.parts = (Part(PartKind.OPAQUE),)
        else:
            raws = _raw_parts(items, raw)
            reader = _Parts(made, objects, where)
            made.parts = tuple(map(reader.part, items, raws))
    if rest := fields.rest():
        made.unknown.append(("message: other fields", compact(rest)))
    return made


def _raw_parts(items: Sequence[object], raw: bytes) -> Sequence[_RawPart]:
    """Return the bytes of the parts' JSON values, empty where nobody will ask for them."""
    asked = ("arguments", "response", "result")
    wanted = any(
        isinstance(item, dict) and not isinstance(item.get(name, ""), str)
        for item in items
        for name in asked
    )
    if raw and wanted:
        try:
            found = msgspec.json.decode(raw, type=_RawMessage).parts
        except (msgspec.DecodeError, RecursionError):
            found = []
        if len(found) == len(items):
            return found
    return [_RawPart()] * len(items)


@dataclass(slots=True)
class _Parts:
    made: Reading
    objects: Objects
    where: str

    def part(self, value: object, raw: _RawPart) -> Part:
        if not isinstance(value, dict):
            self._report("a part that is no object; what it held is not known")
            return Part(PartKind.OPAQUE)
        fields = Fields(value, self._report, "part.")
        kind = fields.text("type") or ""
        if kind in _PLAIN:
            made = self._plain(fields, kind)
        elif kind == "tool_call":
            made = Part(
                PartKind.TOOL_CALL,
                _json_or_text(fields.any("arguments"), bytes(raw.arguments)),
                fields.text("id") or "",
                fields.text("name") or "",
            )
        elif kind == "tool_call_response":
            made = self._response(fields, raw)
        elif kind in _NOT_TEXT:
            made = _not_text(fields)
        elif kind in _IMPORTED and EXTENSION in value:
            made = Part(_IMPORTED[kind])
        else:
            return self._unknown(value, kind)
        if EXTENSION in value:
            made = self._extended(made, extension(fields))
        if rest := fields.rest():
            self.made.unknown.append((f"part {kind}: other fields", compact(rest)))
        return made

    def _extended(self, part: Part, more: Fields) -> Part:
        """Return *part* with what an import kept of it beside the fields of the format."""
        size, text = more.whole("bytes"), more.text("content")
        if (name := more.text("object")) is not None:
            stored = self.objects.get(name)
            text = stored.text
            if text is None:
                self._report(f"object {name}: {stored.why}; what the model was given is not known")
        return replace(
            part,
            text=part.text or text or "",
            tool_call_id=part.tool_call_id or more.text("tool_call_id") or "",
            name=part.name or more.text("name") or "",
            status=part.status or more.text("status") or "",
            source_id=part.source_id or more.text("source_id") or "",
            version_id=part.version_id or more.text("version_id") or "",
            opaque_bytes=part.opaque_bytes if size is None else size,
        )

    def _plain(self, fields: Fields, kind: str) -> Part:
        text, size = self._body(fields, fields.any("content"), b"", kind)
        return Part(
            _PLAIN[kind] if text is not None else PartKind.OPAQUE,
            text or "",
            source_id=fields.text("source_id") or "",
            version_id=fields.text("version_id") or "",
            name=fields.text("name") or "",
            opaque_bytes=size,
        )

    def _response(self, fields: Fields, raw: _RawPart) -> Part:
        response, result = fields.any("response"), fields.any("result")
        older = not fields.has("response")
        value, data = (result, raw.result) if older else (response, raw.response)
        text, size = self._body(fields, value, bytes(data), "tool_call_response")
        return Part(
            PartKind.TOOL_RESULT if text is not None else PartKind.OPAQUE,
            text or "",
            fields.text("id") or "",
            fields.text("name") or "",
            fields.text("status") or "",
            opaque_bytes=size,
        )

    def _body(self, fields: Fields, value: object, raw: bytes, kind: str) -> tuple[str | None, int]:
        """Return the text of a part, or ``None`` and the size of what cannot be shown."""
        name = fields.text("object")
        if isinstance(value, str):
            return value, 0
        if name is not None and value is None:
            stored = self.objects.get(name)
            if stored.text is None:
                self._report(f"object {name}: {stored.why}; what the model was given is not known")
            return stored.text, 0 if stored.text is not None else stored.size
        if kind == "tool_call_response" and (fields.has("response") or fields.has("result")):
            return json_text(value, raw), 0
        self._report(f"a part of type {kind} without text; what it held is not known")
        return None, 0

    def _unknown(self, value: Mapping[str, object], kind: str) -> Part:
        what = f'a part of type "{kind}", which is not known here; its text was not read'
        self.made.problems.append(Problem(self.where, what, ProblemKind.NOTED))
        text = compact(value)
        self.made.unknown.append((f"part {kind}", text))
        size = len(text.encode("utf-8", "surrogatepass"))
        return Part(PartKind.OPAQUE, name=kind, opaque_bytes=size)

    def _report(self, what: str) -> None:
        self.made.problems.append(Problem(self.where, what))


def _json_or_text(value: object, raw: bytes) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value, raw)


def _not_text(fields: Fields) -> Part:
    """Return a picture, a file or an address: the request held it, its text is not recorded."""
    modality = fields.text("modality") or ""
    media = fields.text("mime_type") or ""
    content = fields.text("content") or ""
    name = fields.text("uri") or fields.text("file_id") or media
    kind = PartKind.IMAGE if modality == "image" or media.startswith("image/") else PartKind.OPAQUE
    size = len(content) * 3 // 4 - content[-2:].count("=")
    return Part(kind, name=name, opaque_bytes=max(size, 0))


class History:
    """Which message stood at which place of each earlier request.

    A place is written down only when it changes, so that a run that only grows
    costs what is new.
    """

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._since: list[list[int]] = []
        self._messages: list[list[int]] = []
        self._held: list[int] = []

    def follow(self, calls: Sequence[Call]) -> None:
        """Take in the calls that were added since the last time."""
        for call in calls[len(self._lengths) :]:
            self._add(call)

    def _add(self, call: Call) -> None:
        for splice in reversed(call.splices):
            self._held[splice.start : splice.stop] = splice.messages
        length = len(self._held)
        for splice in call.splices:
            if splice.stop - splice.start == len(splice.messages):
                self._write(call.index, range(splice.start, splice.stop))
            else:  # everything behind it has moved
                self._write(call.index, range(splice.start, length))
                break
        self._lengths.append(length)

    def _write(self, call: int, places: range) -> None:
        for place in places:
            while place >= len(self._since):
                self._since.append([])
                self._messages.append([])
            since, messages = self._since[place], self._messages[place]
            if since and since[-1] == call:
                messages[-1] = self._held[place]
            else:
                since.append(call)
                messages.append(self._held[place])

    def at(self, call: int, message: int) -> int | None:
        """Return the message at place *message* of request *call*, ``None`` if there is none."""
        if not (0 < call <= len(self._lengths) and 0 <= message < self._lengths[call - 1]):
            return None
        place = bisect_right(self._since[message], call) - 1
        return self._messages[message][place]
