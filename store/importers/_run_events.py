"""The events of a run folder, one line each, put into a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import msgspec

from store import jsonin
from store.builder import RunBuilder
from store.importers import _files
from store.importers import _run_facts as facts
from store.importers._fields import Fields, compact, json_text
from store.importers._prefix import RequestReader
from store.importers._run_calls import CallReader
from store.importers._run_extension import extension, origin_in
from store.importers._run_log import Log
from store.importers._run_store import Objects
from store.records.runs import Admission, Answer, OtherEvent, PartKind, ToolCall, ToolResult
from store.records.sources import SourceKind, Version, VersionKey

__all__ = ["EVENTS", "EventReader"]


class _Arguments(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw()


@dataclass(slots=True)
class EventReader:
    """Reads event logs into *builder*: `start` each, give `line` its lines, `finish` at the end.

    A run that has no id yet gets the one that its log tells.  *imported* is a
    run that another format told: it has the answers that stand here and no more.
    """

    builder: RunBuilder
    objects: Objects
    imported: bool = False
    requests: RequestReader = field(default_factory=RequestReader)
    log: Log = field(init=False)
    calls: CallReader = field(init=False)
    _versions: dict[VersionKey, Version] = field(init=False)

    def __post_init__(self) -> None:
        self.log = Log(self.builder)
        self.calls = CallReader(self.log, self.objects, self.requests)
        self._versions = {version.key: version for version in self.builder.versions}

    def start(self, file: str, label: str) -> None:
        """Begin a log: *file* names it in origins, *label* in problems, as the user named it."""
        self.log.file, self.log.label = file, label

    # -- lines ----------------------------------------------------------------

    def line(self, line: _files.Line) -> None:
        """Read one line; whatever is wrong with it becomes a problem."""
        self.log.number = line.number
        if line.data.isspace():
            return
        request = self.requests.read(line.data)
        if request is not None:
            self.calls.read(request.event, request.rest, request)
            return
        try:
            value, tolerant = jsonin.load(line.data)
        except jsonin.JsonError as error:
            cut = "the last line was cut short" if not line.ended else "a line that is no JSON"
            self.log.lost(f"{cut} ({error}); the rest was read")
            return
        if tolerant:
            self.log.noted(f"read tolerantly: {tolerant}")
        if not isinstance(value, dict):
            self.log.lost("a line that is no JSON object; left out")
            return
        self._event(value, line.data)

    def _event(self, value: dict[str, object], data: bytes) -> None:
        name = value.get("event")
        reader = _READERS.get(name) if isinstance(name, str) else None
        if reader is None:
            self.log.other(name if isinstance(name, str) else "", _as_text(data))
            if not isinstance(name, str):
                self.log.lost('an event without a name in "event"; kept unread')
            return
        fields = Fields(value, self.log.lost)
        fields.any("event")
        reader(self, fields, data)
        if rest := fields.rest():
            self.log.other(f"{name}: other fields", compact(rest))

    def model_call(self, fields: Fields, data: bytes) -> None:
        """Read a model call all of whose bytes were parsed."""
        event = {key: fields.any(key) for key in fields.names()}
        self.requests.forget()
        self.calls.read(event, data, None)

    def manifest(self, fields: Fields, _data: bytes) -> None:
        """Read what was on offer."""
        self.builder.manifests.append(facts.manifest(fields, self._versions, self.log.origin))

    def tool_call(self, fields: Fields, data: bytes) -> None:
        """Read a tool call."""
        more = extension(fields)
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
                origin=origin_in(more, self.log.origin),
            )
        )

    def tool_result(self, fields: Fields, _data: bytes) -> None:
        """Read what a tool returned."""
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
                self.log.lost(f"object {name}: {stored.why}; what the tool returned is not known")
        asked = facts.selections(fields, self.log.lost)
        more = extension(fields)
        file_read = more.flag("file_read")
        if file_read is None:
            file_read = any(self._is_file(each.key) for each in asked)
        self.builder.tool_results.append(
            ToolResult(
                tool_call_id=fields.text("tool_call_id") or "",
                text=text,
                status=fields.text("status") or "",
                selections=asked,
                declared=facts.declared(fields),
                is_file_read=file_read,
                side_file=more.text("side_file") or "",
                origin=origin_in(more, self.log.origin),
            )
        )

    def _is_file(self, key: VersionKey) -> bool:
        version = self._versions.get(key)
        return version is not None and version.kind is SourceKind.FILE

    def admission(self, fields: Fields, _data: bytes) -> None:
        """Read what a budget decided."""
        admitted = fields.flag("admitted")
        if admitted is None:
            self.log.lost("an admission that does not say whether; taken as not admitted")
        self.builder.admissions.append(
            Admission(
                tool_call_id=fields.text("tool_call_id") or "",
                admitted=bool(admitted),
                result_tokens=fields.whole("result_tokens"),
                limit=fields.whole("limit"),
                reason=fields.text("reason") or "",
                origin=origin_in(extension(fields), self.log.origin),
            )
        )

    def context_edit(self, fields: Fields, data: bytes) -> None:
        """Read what a client took out of requests."""
        made = facts.edit(fields, self.log.origin)
        if made is None:
            self.log.lost("a context_edit of a kind that is not known here; kept unread")
            self.log.other("context_edit", _as_text(data))
        else:
            self.builder.edits.append(made)

    def answer(self, fields: Fields, _data: bytes) -> None:
        """Read an answer."""
        made = facts.answer(fields, self.objects, self.log.lost, self.log.origin)
        if made is not None:
            self.builder.answers.append(made)

    def message(self, fields: Fields, _data: bytes) -> None:
        """Read a message that no request and no response held."""
        self.calls.message(fields.any("message"))

    def kept(self, fields: Fields, _data: bytes) -> None:
        """Read what an import kept of a record that nobody knew."""
        self.builder.other_events.append(
            OtherEvent(
                fields.text("name") or "",
                fields.text("origin") or self.log.origin,
                fields.text("raw") or "",
            )
        )

    def milestone(self, fields: Fields, data: bytes) -> None:
        """Read the start or the end of the run."""
        named = fields.text("run_id")
        if not self.builder.run_id:
            self.builder.run_id = named or ""
        if named is not None and named != self.builder.run_id:
            self.log.noted(f"the run calls itself {named} here, {self.builder.run_id} elsewhere")
        name = fields.text("event") or ""
        self.log.other(name, _as_text(data))
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
            replace(call, by_call=self.calls.numbers.get(call.by_call))
            if call.by_call is not None
            else call
            for call in builder.tool_calls
        ]
        self._place_answers()
        later = sorted(self.calls.numbers)
        for place, change in enumerate(builder.edits):
            if change.before_call is not None:
                at = next((index for index in later if index >= change.before_call), None)
                number = len(builder.calls) + 1 if at is None else self.calls.numbers[at]
                builder.edits[place] = replace(change, before_call=number)

    def _place_answers(self) -> None:
        """Keep the answers whose model call is there; without any answer event, find them."""
        builder = self.builder
        recorded, builder.answers = builder.answers, []
        for made in recorded:
            number = self.calls.numbers.get(made.call)
            if number is not None:
                builder.answers.append(replace(made, call=number))
                continue
            line = made.origin.rpartition(":")[2]
            builder.problem(
                f"{self.log.label}:{line}",
                f"an answer by model call {made.call}, which the record does not hold; not judged",
            )
            builder.other_events.append(OtherEvent("answer", made.origin, made.text))
        if not recorded and not self.imported:
            builder.answers += self._spoken()

    def _spoken(self) -> Iterator[Answer]:
        """Yield each response that is text and asks for no tool."""
        for call in self.builder.calls:
            parts = [part for at in call.response for part in self.builder.messages[at].parts]
            text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
            if text and not any(part.kind is PartKind.TOOL_CALL for part in parts):
                yield Answer(call.index, text, (), call.origin)


def _as_text(data: bytes) -> str:
    return data.decode(errors="backslashreplace").removesuffix("\n")


def _raw_arguments(data: bytes) -> bytes:
    try:
        return bytes(msgspec.json.decode(data, type=_Arguments).arguments)
    except (msgspec.DecodeError, RecursionError):
        return b""


_READERS: dict[str, Callable[[EventReader, Fields, bytes], None]] = {
    "run_started": EventReader.milestone,
    "run_finished": EventReader.milestone,
    "manifest": EventReader.manifest,
    "tool_call": EventReader.tool_call,
    "tool_result": EventReader.tool_result,
    "admission": EventReader.admission,
    "context_edit": EventReader.context_edit,
    "model_call": EventReader.model_call,
    "answer": EventReader.answer,
    "kept": EventReader.kept,
    "message": EventReader.message,
}
EVENTS = frozenset(_READERS)
"""The names of the events of this format."""
