"""Model calls: their messages, and what changed from one request to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from store.builder import difference, spliced
from store.importers._fields import Fields, compact
from store.importers._prefix import Fresh, Kept, Known, Request, RequestReader
from store.importers._run_extension import extension, origin_in, stated_grade
from store.importers._run_facts import usage
from store.importers._run_log import Log
from store.importers._run_messages import History, read_message, reference
from store.importers._run_store import Objects
from store.records.grades import Grade
from store.records.runs import Part, PartKind, Splice

__all__ = ["CallReader"]


class _RawMessages(msgspec.Struct):
    messages: list[msgspec.Raw] = []


class _RawCall(msgspec.Struct):
    request: _RawMessages | None = None
    response: _RawMessages | None = None


@dataclass(slots=True)
class CallReader:
    """Puts model calls into a run; ``numbers`` maps their recorded numbers to those of the run."""

    log: Log
    objects: Objects
    requests: RequestReader
    numbers: dict[int, int] = field(default_factory=dict)
    _history: History = field(default_factory=History)
    _broken: set[str] = field(default_factory=set)
    _settings: dict[str, Mapping[str, object]] = field(default_factory=dict)
    _unresolved: bool = False

    def read(self, event: Mapping[str, object], data: bytes, parted: Request | None) -> None:
        """Add the call *event* to the run.

        *parted* is its request, where it was read by comparing; *data* are the
        bytes of the rest then, else of the whole line.
        """
        fields = Fields(event, self.log.lost)
        fields.any("event")
        more = extension(fields)
        builder = self.log.builder
        self._unresolved = False
        request = fields.inner("request")
        messages = request.items("messages") if request else None
        if messages is None:
            self.log.lost(
                "a model call without request.messages; what the model was given is unknown"
            )
        asked, answered = _raw_messages(data)
        if parted is not None:
            splices = self._splices(parted.pieces)
        else:
            indexes = self._each_message(messages or [], asked)
            splices = list(difference(builder.held_at(0, builder.held_length), indexes))
        splices = self._stated(more, splices) or splices
        response = fields.inner("response")
        said = (response.items("messages") if response else None) or []
        number = len(builder.calls) + 1
        index = fields.whole("index")
        self._numbered(number if index is None else index, number)
        called = fields.text("id") or ""
        if more.has("id"):
            called = more.text("id") or ""
        grade, reason = _grade(more, is_there=messages is not None)
        builder.call(
            splices=splices,
            response=self._each_message(said, answered),
            id=called if more.has("id") else called or str(number if index is None else index),
            origin=origin_in(more, self.log.origin),
            model=(request.text("model") if request else None) or "",
            usage=usage(fields.inner("usage")),
            finish_reason=(response.text("finish_reason") if response else None) or "",
            error=_error(fields.any("error")),
            grade=grade,
            grade_reason=reason,
            settings=self._shared(request.mapping("settings") if request else None),
            at=fields.text("at"),
        )
        if self._unresolved:
            self.requests.forget()
        for name, inner in (("", fields), (".request", request), (".response", response)):
            if inner is not None and (rest := inner.rest()):
                self.log.other(f"model_call{name}: other fields", compact(rest))

    def message(self, value: object) -> None:
        """Add a message that stands by itself."""
        self._message(value)

    def _splices(self, pieces: Iterable[Kept | Known | Fresh]) -> list[Splice]:
        """Return what changed, from the messages that were compared and those that were read."""
        held = self.log.builder.held_at
        splices: list[Splice] = []
        at, new = 0, list[int]()
        for piece in (*pieces, None):
            if isinstance(piece, Known):
                new.append(piece.message)
            elif isinstance(piece, Fresh):
                index = self._message(piece.value, piece.raw, piece.digest)
                new.append(index)
            else:
                start, stop = (
                    (piece.start, piece.stop) if piece else (self.log.builder.held_length,) * 2
                )
                splices += (
                    Splice(change.start + at, change.stop + at, change.messages)
                    for change in difference(held(at, start), new)
                )
                at, new = stop, []
        return splices

    def _stated(self, more: Fields, found: list[Splice]) -> list[Splice]:
        """Return the changes as an import states them, where they lead to what was *found*.

        The same request can be told as other changes, and what changed is judged.
        """
        stated = [item for item in more.items("splices") or () if isinstance(item, list)]
        if not stated:
            return []
        builder = self.log.builder
        held = builder.held_at(0, builder.held_length)
        wanted = spliced(held, found)
        made: list[Splice] = []
        shift = 0
        for item in stated:
            match item:
                case [int() as start, int() as stop, int() as count] if 0 <= start <= stop:
                    at = start + shift
                    made.append(Splice(start, stop, tuple(wanted[at : at + count])))
                    shift += count - (stop - start)
        ascending = all(a.stop <= b.start for a, b in pairwise(made))
        return made if ascending and spliced(held, made) == wanted else []

    def _each_message(self, values: list[object], raws: list[msgspec.Raw]) -> list[int]:
        if len(raws) != len(values):
            return [self._message(value) for value in values]
        return [self._message(value, bytes(raw)) for value, raw in zip(values, raws, strict=True)]

    def _message(self, value: object, raw: bytes = b"", digest: bytes = b"") -> int:
        """Return the index of a message, which may stand as a reference to an earlier one."""
        if isinstance(value, dict) and "same_as" in value:
            return self._same_as(value)
        read = read_message(value, self.objects, self.log.where, raw)
        index = self.log.builder.message(
            read.role, read.parts, self.log.origin if read.origin is None else read.origin
        )
        for name, text in read.unknown:
            self.log.other(name, text)
        if read.problems and (told := repr(value)) not in self._broken:
            self._broken.add(told)
            self.log.builder.problems += read.problems
        if digest:
            self.requests.known[digest] = index
        return index

    def _same_as(self, value: Mapping[str, object]) -> int:
        named = reference(value["same_as"])
        if named is not None:
            self._history.follow(self.log.builder.calls)
            call = self.numbers.get(named[0])
            index = None if call is None else self._history.at(call, named[1])
            if index is not None:
                return index
        self._unresolved = True
        self.log.lost(
            f"same_as {compact(value['same_as'])} names no message of an earlier request;"
            " what the model was given there is not known"
        )
        return self.log.builder.message("", [Part(PartKind.OPAQUE)], self.log.origin)

    def _numbered(self, index: int, number: int) -> None:
        if self.numbers.setdefault(index, number) != number:
            self.log.lost(f"two model calls are numbered {index}; what names it means the first")

    def _shared(self, settings: Mapping[str, object] | None) -> Mapping[str, object]:
        if not settings:
            return {}
        return self._settings.setdefault(repr(settings), settings)


def _raw_messages(data: bytes) -> tuple[list[msgspec.Raw], list[msgspec.Raw]]:
    """Return the bytes of the messages of request and response, empty where they are not found."""
    try:
        call = msgspec.json.decode(data, type=_RawCall)
    except (msgspec.DecodeError, RecursionError):
        return [], []
    return (
        call.request.messages if call.request else [],
        call.response.messages if call.response else [],
    )


def _grade(more: Fields, *, is_there: bool) -> tuple[Grade, str]:
    """Return how far the request is proven: what the record says of itself can only lower it."""
    if not is_there:
        return Grade.UNKNOWN, "the request is not in the record"
    return stated_grade(more), more.text("grade_reason") or ""


def _error(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)
