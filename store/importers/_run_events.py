"""The events of a run folder, one line each, put into a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from store import jsonin
from store.builder import RunBuilder, difference
from store.importers import _files
from store.importers._fields import Fields, compact, json_text
from store.importers._prefix import Fresh, Kept, Known, Request, RequestReader
from store.importers._run_facts import answer, declared, edit, manifest, selections, usage
from store.importers._run_messages import History, read_message, reference
from store.importers._run_store import Objects
from store.records.runs import (
    Admission,
    Answer,
    OtherEvent,
    Part,
    PartKind,
    ProblemKind,
    Splice,
    ToolCall,
    ToolResult,
)
from store.records.sources import SourceKind, Version, VersionKey

__all__ = ["EVENTS", "EventReader"]


class _RawMessages(msgspec.Struct):
    messages: list[msgspec.Raw] = []  # noqa: RUF012 - msgspec copies it


class _RawCall(msgspec.Struct):
    request: _RawMessages | None = None
    response: _RawMessages | None = None


class _Arguments(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw()


@dataclass(slots=True)
class EventReader:
    """Reads event logs into *builder*: `start` each, give `line` its lines, `finish` at the end.

    A run that has no id yet gets the one that its log tells.
    """

    builder: RunBuilder
    objects: Objects
    file: str = ""
    label: str = ""
    requests: RequestReader = field(default_factory=RequestReader)
    _history: History = field(default_factory=History)
    _numbers: dict[int, int] = field(default_factory=dict)
    _broken: set[str] = field(default_factory=set)
    _others: set[tuple[str, str]] = field(default_factory=set)
    _settings: dict[str, Mapping[str, object]] = field(default_factory=dict)
    _versions: dict[VersionKey, Version] = field(default_factory=dict)
    _number: int = 0
    _unresolved: bool = False

    def __post_init__(self) -> None:
        self._versions = {version.key: version for version in self.builder.versions}

    def start(self, file: str, label: str) -> None:
        """Begin a log: *file* names it in origins, *label* in problems, as the user named it."""
        self.file, self.label = file, label

    # -- lines ----------------------------------------------------------------

    def line(self, line: _files.Line) -> None:
        """Read one line; whatever is wrong with it becomes a problem."""
        self._number = line.number
        if not line.data.strip():
            return
        request = self.requests.read(line.data)
        if request is not None:
            self._call(request.event, request.rest, request)
            return
        try:
            value, tolerant = jsonin.load(line.data)
        except jsonin.JsonError as error:
            cut = "the last line was cut short" if not line.ended else "a line that is no JSON"
            self._lost(f"{cut} ({error}); the rest was read")
            return
        if tolerant:
            self._noted(f"read tolerantly: {tolerant}")
        if not isinstance(value, dict):
            self._lost("a line that is no JSON object; left out")
            return
        self._event(value, line.data)

    def _event(self, value: dict[str, object], data: bytes) -> None:
        name = value.get("event")
        reader = _READERS.get(name) if isinstance(name, str) else None
        if reader is None:
            self._other(name if isinstance(name, str) else "", data.decode(errors="replace"))
            if not isinstance(name, str):
                self._lost('an event without a name in "event"; kept unread')
            return
        fields = Fields(value, self._lost)
        fields.any("event")
        reader(self, fields, data)
        if rest := fields.rest():
            self._other(f"{name}: other fields", compact(rest))

    # -- model calls ----------------------------------------------------------

    def _plain_call(self, fields: Fields, data: bytes) -> None:
        event = {key: fields.any(key) for key in fields.names()}
        self.requests.forget()
        self._call(event, data, None)

    def _call(self, event: Mapping[str, object], data: bytes, parted: Request | None) -> None:
        fields = Fields(event, self._lost)
        fields.any("event")
        builder = self.builder
        self._unresolved = False
        request = fields.inner("request")
        messages = request.items("messages") if request else None
        if messages is None:
            self._lost("a model call without request.messages; what the model was given is unknown")
        asked, answered = _raw_messages(data)
        if parted is not None:
            splices = self._splices(parted.pieces)
        else:
            indexes = self._each_message(messages or [], asked)
            splices = list(difference(builder.held_at(0, builder.held_length), indexes))
        response = fields.inner("response")
        said = (response.items("messages") if response else None) or []
        number = len(builder.calls) + 1
        index = fields.whole("index")
        self._numbered(number if index is None else index, number)
        builder.call(
            splices=splices,
            response=self._each_message(said, answered),
            id=fields.text("id") or str(number if index is None else index),
            origin=self._origin,
            model=(request.text("model") if request else None) or "",
            usage=usage(fields.inner("usage")),
            finish_reason=(response.text("finish_reason") if response else None) or "",
            error=_error(fields.any("error")),
            settings=self._shared(request.mapping("settings") if request else None),
            at=fields.text("at"),
        )
        if self._unresolved:
            self.requests.forget()
        for name, inner in (("", fields), (".request", request), (".response", response)):
            if inner is not None and (rest := inner.rest()):
                self._other(f"model_call{name}: other fields", compact(rest))

    def _splices(self, pieces: Iterable[Kept | Known | Fresh]) -> list[Splice]:
        """Return what changed, from the messages that were compared and those that were read."""
        held = self.builder.held_at
        splices: list[Splice] = []
        at, new = 0, list[int]()
        for piece in (*pieces, None):
            if isinstance(piece, Known):
                new.append(piece.index)
            elif isinstance(piece, Fresh):
                index = self._message(piece.value, piece.raw, piece.digest)
                new.append(index)
            else:
                start, stop = (
                    (piece.start, piece.stop) if piece else (self.builder.held_length,) * 2
                )
                splices += (
                    Splice(change.start + at, change.stop + at, change.messages)
                    for change in difference(held(at, start), new)
                )
                at, new = stop, []
        return splices

    def _each_message(self, values: list[object], raws: list[msgspec.Raw]) -> list[int]:
        if len(raws) != len(values):
            return [self._message(value) for value in values]
        return [self._message(value, bytes(raw)) for value, raw in zip(values, raws, strict=True)]

    def _message(self, value: object, raw: bytes = b"", digest: bytes = b"") -> int:
        """Return the index of a message, which may stand as a reference to an earlier one."""
        if isinstance(value, dict) and "same_as" in value:
            return self._same_as(value)
        read = read_message(value, self.objects, self._where, raw)
        index = self.builder.message(read.role, read.parts, self._origin)
        for name, text in read.unknown:
            self._other(name, text)
        if read.problems and (told := repr(value)) not in self._broken:
            self._broken.add(told)
            self.builder.problems += read.problems
        if digest:
            self.requests.known[digest] = index
        return index

    def _same_as(self, value: Mapping[str, object]) -> int:
        named = reference(value["same_as"])
        if named is not None:
            self._history.follow(self.builder.calls)
            call = self._numbers.get(named[0])
            index = None if call is None else self._history.at(call, named[1])
            if index is not None:
                return index
        self._unresolved = True
        self._lost(
            f"same_as {compact(value['same_as'])} names no message of an earlier request;"
            " what the model was given there is not known"
        )
        return self.builder.message("", [Part(PartKind.OPAQUE)], self._origin)

    def _numbered(self, index: int, number: int) -> None:
        if self._numbers.setdefault(index, number) != number:
            self._lost(f"two model calls are numbered {index}; what names it means the first")

    def _shared(self, settings: Mapping[str, object] | None) -> Mapping[str, object]:
        if not settings:
            return {}
        return self._settings.setdefault(repr(settings), settings)

    # -- the other events -----------------------------------------------------

    def _manifest(self, fields: Fields, _data: bytes) -> None:
        self.builder.manifests.append(manifest(fields, self._versions, self._origin))

    def _tool_call(self, fields: Fields, data: bytes) -> None:
        arguments = fields.any("arguments")
        text = arguments if isinstance(arguments, str) else ""
        if arguments is not None and not isinstance(arguments, str):
            text = json_text(arguments, _raw_arguments(data))
        self.builder.tool_calls.append(
            ToolCall(
                id=fields.text("id") or "",
                name=fields.text("name") or "",
                arguments=text,
                by_call=fields.whole("by_call"),
                origin=self._origin,
            )
        )

    def _tool_result(self, fields: Fields, _data: bytes) -> None:
        content, name = fields.any("content"), fields.text("object")
        text: str | None = None
        if isinstance(content, str):
            text = content
        elif content is not None:
            text = compact(content)
        elif name is not None:
            stored = self.objects.get(name)
            text = stored.text
            if text is None:
                self._lost(f"object {name}: {stored.why}; what the tool returned is not known")
        asked = selections(fields, self._lost)
        self.builder.tool_results.append(
            ToolResult(
                tool_call_id=fields.text("tool_call_id") or "",
                text=text,
                status=fields.text("status") or "",
                selections=asked,
                declared=declared(fields),
                is_file_read=any(self._is_file(each.key) for each in asked),
                origin=self._origin,
            )
        )

    def _is_file(self, key: VersionKey) -> bool:
        version = self._versions.get(key)
        return version is not None and version.kind is SourceKind.FILE

    def _admission(self, fields: Fields, _data: bytes) -> None:
        admitted = fields.flag("admitted")
        if admitted is None:
            self._lost("an admission that does not say whether; taken as not admitted")
        self.builder.admissions.append(
            Admission(
                tool_call_id=fields.text("tool_call_id") or "",
                admitted=bool(admitted),
                result_tokens=fields.whole("result_tokens"),
                limit=fields.whole("limit"),
                reason=fields.text("reason") or "",
                origin=self._origin,
            )
        )

    def _edit(self, fields: Fields, data: bytes) -> None:
        made = edit(fields, self._origin)
        if made is None:
            self._lost("a context_edit of a kind that is not known here; kept unread")
            self._other("context_edit", data.decode(errors="replace"))
        else:
            self.builder.edits.append(made)

    def _answer(self, fields: Fields, _data: bytes) -> None:
        made = answer(fields, self.objects, self._lost, self._origin)
        if made is not None:
            self.builder.answers.append(made)

    def _milestone(self, fields: Fields, data: bytes) -> None:
        named = fields.text("run_id")
        if not self.builder.run_id:
            self.builder.run_id = named or ""
        if named is not None and named != self.builder.run_id:
            self._noted(f"the run calls itself {named} here, {self.builder.run_id} elsewhere")
        name = fields.text("event") or ""
        self._other(name, data.decode(errors="replace"))
        for known in fields.names():
            fields.any(known)

    # -- at the end -----------------------------------------------------------

    def finish(self, run_id: str) -> None:
        """Turn the recorded numbers of calls into places in the run: a call may be lost.

        *run_id* is for a run whose record does not name it.
        """
        builder = self.builder
        builder.run_id = builder.run_id or run_id
        builder.tool_calls[:] = [
            replace(call, by_call=self._numbers.get(call.by_call))
            if call.by_call is not None
            else call
            for call in builder.tool_calls
        ]
        self._place_answers()
        later = sorted(self._numbers)
        for place, change in enumerate(builder.edits):
            if change.before_call is not None:
                at = next((index for index in later if index >= change.before_call), None)
                number = len(builder.calls) + 1 if at is None else self._numbers[at]
                builder.edits[place] = replace(change, before_call=number)

    def _place_answers(self) -> None:
        """Keep the answers whose model call is there; without any answer event, find them."""
        builder = self.builder
        recorded, builder.answers = builder.answers, []
        for made in recorded:
            number = self._numbers.get(made.call)
            if number is not None:
                builder.answers.append(replace(made, call=number))
                continue
            line = made.origin.rpartition(":")[2]
            builder.problem(
                f"{self.label}:{line}",
                f"an answer by model call {made.call}, which the record does not hold; not judged",
            )
            builder.other_events.append(OtherEvent("answer", made.origin, made.text))
        if not recorded:
            builder.answers += self._spoken()

    def _spoken(self) -> Iterator[Answer]:
        """Yield each response that is text and asks for no tool."""
        for call in self.builder.calls:
            parts = [part for at in call.response for part in self.builder.messages[at].parts]
            text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
            if text and not any(part.kind is PartKind.TOOL_CALL for part in parts):
                yield Answer(call.index, text, (), call.origin)

    # -- places ---------------------------------------------------------------

    @property
    def _origin(self) -> str:
        return f"{self.file}:{self._number}"

    @property
    def _where(self) -> str:
        return f"{self.label}:{self._number}"

    def _lost(self, what: str) -> None:
        self.builder.problem(self._where, what)

    def _noted(self, what: str) -> None:
        self.builder.problem(self._where, what, ProblemKind.NOTED)

    def _other(self, name: str, raw: str) -> None:
        """Keep what has no place in the records; fields that repeat in every call, once."""
        if (name, raw) not in self._others:
            self._others.add((name, raw))
            self.builder.other_events.append(OtherEvent(name, self._origin, raw))


_Reader = Callable[[EventReader, Fields, bytes], None]
_READERS: dict[str, _Reader] = {
    "run_started": EventReader._milestone,
    "run_finished": EventReader._milestone,
    "manifest": EventReader._manifest,
    "tool_call": EventReader._tool_call,
    "tool_result": EventReader._tool_result,
    "admission": EventReader._admission,
    "context_edit": EventReader._edit,
    "model_call": EventReader._plain_call,
    "answer": EventReader._answer,
}
EVENTS = frozenset(_READERS)


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


def _raw_arguments(data: bytes) -> bytes:
    try:
        return bytes(msgspec.json.decode(data, type=_Arguments).arguments)
    except (msgspec.DecodeError, RecursionError):
        return b""


def _error(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)
