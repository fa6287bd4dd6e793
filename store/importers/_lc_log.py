"""Logs of model calls in LangChain's messages: a line for each call, its request and its answer.

People write them themselves, around the model or in a callback, so the keys
differ; what makes a line a call is that it holds messages that were given and
a message that came back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._capture_secrets import Masker
from store.importers._heads import beginning
from store.importers._lc_alike import bytes_of
from store.importers._lc_any import plains_in
from store.importers._lc_dialects import Plain
from store.importers._lc_thread import EDITED, PARTLY, ModelCall, Said, ThreadRecord, words_of
from store.importers._lc_usage import usage_of
from store.jsonin import JsonError, loads
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import OtherEvent, Problem, ProblemKind

__all__ = ["CallLog", "Summaries", "looks_like_log", "summaries_in", "written_alone"]

_GIVEN: Final = ("request", "messages", "input", "inputs", "prompt", "prompts")
_SENT: Final = ("request", "input", "inputs", "prompt", "prompts")
_CALLED: Final = ("response", "completion", "generation")
"""Beside bare messages only these are an answer: a state may have others."""
_MADE: Final = ("response", "output", "outputs", "completion", "answer", "result", "generation")
_INNER: Final = ("messages", "message", "generations", "input", "inputs")
_THREADS: Final = ("thread_id", "session_id", "conversation_id", "thread", "scenario")
_TIMES: Final = ("timestamp", "ts", "time", "at", "start_time", "created_at")
_FOREIGN: Final = frozenset(
    {
        "event",
        "run_type",
        "dataset_id",
        "traceId",
        "parentUuid",
        "sessionId",
        "resourceSpans",
        "trajectory",
    }
)
"""An object with one of these is a record of another format."""
_SERIALISED: Final = frozenset({"human", "ai", "system", "tool", "function", "chat"})
_WORDS: Final = (b'"human"', b'"system"', b'"ai"', b"HumanMessage", b"AIMessage", b"SystemMessage")
"""Without one of these no head begins such a log."""
_LEVELS: Final = 8
"""Around the messages of one side stand no more objects and lists than these."""
_LONG: Final = 40
"""A summary of fewer characters may stand in any message by chance."""


_Make = Callable[[object], list[Plain | None]]
"""Makes messages of what stands in a list of them, as `plains_in` does."""


def looks_like_log(head: bytes) -> bool:
    """Return whether the head of a file begins a log of calls; a head may end anywhere."""
    value, complete = beginning(head)
    if value is None or not any(word in head for word in _WORDS):
        return False
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict) or _FOREIGN & first.keys():
        return False
    request = _request(first)
    if not request or None in request or not _is_langchains(first):
        return False
    if _answer(first) or "error" in first:
        return True
    # A head may end before the answer; a state that holds messages has none.
    return not complete and any(_messages(first.get(key)) for key in _SENT)


def _is_langchains(line: Mapping[str, object]) -> bool:
    """Return whether its messages are in a spelling of LangChain: roles alone are anybody's."""
    waiting: list[object] = [line.get(key) for key in _GIVEN]
    for _ in range(200):
        if not waiting:
            return False
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting += item[:3]
        elif isinstance(item, dict):
            kind = item.get("type")
            if "lc" in item or (
                isinstance(kind, str) and kind.removesuffix("Chunk") in _SERIALISED
            ):
                return True
            waiting += [item[key] for key in _INNER if key in item]
    return False


def _request(line: Mapping[str, object], make: _Make = plains_in) -> list[Plain | None]:
    for key in _GIVEN:
        found = _messages(line.get(key), make)
        if found:
            last = found[-1]
            # A state ends with the answer, a request before it.
            ended = key == "messages" and last is not None and last.role == "assistant"
            return [] if ended else found
    return []


def _messages(value: object, make: _Make = plains_in, level: int = 0) -> list[Plain | None]:
    """Return the messages of one side of a call, wherever they stand in it."""
    if level > _LEVELS:
        return []
    if isinstance(value, dict):
        whole = make(value)
        if whole and None not in whole:
            return whole
        inner = (_messages(value.get(key), make, level + 1) for key in _INNER)
        return next(filter(None, inner), [])
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(value, list) and len(value) == 1 and isinstance(first, list):
        return _messages(first, make, level + 1)
    if isinstance(first, dict) and "message" in first:
        return _messages(first["message"], make, level + 1)
    return make(value)


def _answer(line: Mapping[str, object]) -> list[Plain]:
    """Return what came back: messages of the assistant alone, else it is the log of a chain."""
    bare = not any(line.get(key) for key in _GIVEN if key != "messages")
    for key in _CALLED if bare else _MADE:
        value = line.get(key)
        if isinstance(value, str) and value:
            return [Plain("assistant", value)]
        found = _messages(value)
        made = [plain for plain in found if plain is not None and plain.role == "assistant"]
        if made and len(made) == len(found):
            return made
    return []


@dataclass(slots=True)
class CallLog:
    """The calls of one log, put into the conversations that they continue."""

    name: str
    records: list[ThreadRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _made: dict[tuple[str, str], ThreadRecord] = field(default_factory=dict)
    """By thread and what was written, the conversation in which it was."""
    _masker: Masker = field(default_factory=Masker)
    _known: dict[bytes, list[Plain | None]] = field(default_factory=dict)
    _said: dict[int, Said] = field(default_factory=dict)

    def read(self, data: bytes) -> None:
        """Take in a file: a list, or a line for each call."""
        try:
            value = loads(data)
        except JsonError:
            self._lines(data)
            return
        for number, item in enumerate(value if isinstance(value, list) else [value], 1):
            self._add(item, number)

    def _lines(self, data: bytes) -> None:
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                self._add(loads(line), number)
            except JsonError as error:
                what = f"this line is not JSON ({error}); the other lines were read"
                self.problems.append(Problem(f"{self.name}:{number}", what))

    def _add(self, line: object, number: int) -> None:
        origin = f"{self.name}:{number}"
        found = _request(line, self._plains) if isinstance(line, dict) else []
        if not isinstance(line, dict) or not found:
            what = "holds no model call; it is kept and not audited"
            self.problems.append(Problem(origin, what, ProblemKind.NOTED))
            return
        call = self._call(line, found, origin)
        thread = next((t for key in _THREADS if (t := _word(line.get(key)))), "")
        record = self._continued(call, thread)
        if record is None:
            first = not any(each.thread == (thread or self.name) for each in self.records)
            branch = None if first else str(number)
            record = ThreadRecord(thread or self.name, branch=None, title=thread or self.name)
            if branch is not None:
                record.thread = f"{record.thread}#{branch}"
                record.title = record.thread
            self.records.append(record)
        record.calls.append(call)
        for said in call.response:
            for key in _keys(said.plain):
                self._made[thread, key] = record

    def _plains(self, value: object) -> list[Plain | None]:
        """Return messages, the same objects for those that come again."""
        if not isinstance(value, list):
            return plains_in(value)
        found: list[Plain | None] = []
        for item in value:
            raw = bytes_of(item)
            known = self._known.get(raw) if raw else None
            if known is None:
                known = plains_in([item])
                if raw:
                    self._known[raw] = known
            found += known
        return found

    def _said_of(self, plain: Plain, origin: str) -> Said:
        said = self._said.get(id(plain))
        if said is None or said.plain is not plain:
            said = self._said[id(plain)] = Said(plain, origin)
        return said

    def _continued(self, call: ModelCall, thread: str) -> ThreadRecord | None:
        """Return the conversation whose latest answer stands in the request of *call*."""
        for said in reversed(call.request):
            if said.plain.role == "assistant":
                for key in _keys(said.plain):
                    if (thread, key) in self._made:
                        return self._made[thread, key]
        return None

    def _call(self, line: dict[str, object], found: list[Plain | None], origin: str) -> ModelCall:
        request = [self._said_of(each, origin) for each in found if each is not None]
        answer = _answer(line)
        first = answer[0] if answer else Plain("assistant")
        partly = PARTLY if None in found else ""
        reason = EDITED if first.is_edited else partly
        made = first.metadata
        inner = line.get("request")
        settings = inner if isinstance(inner, dict) else line
        kept = {key: settings[key] for key in ("tools", "kwargs", "model") if settings.get(key)}
        masked = self._masker.value(kept)
        error = line.get("error")
        return ModelCall(
            request=request,
            response=[Said(each, origin) for each in answer],
            grade=Grade.UNKNOWN if reason else Grade.RECORDED,
            reason=reason,
            origin=origin,
            names=tuple(key for each in answer for key in (each.id, *(c.id for c in each.calls))),
            id=_word(line.get("id")) or first.id,
            model=_word(made.get("model_name"))
            or _word(made.get("model"))
            or _word(line.get("model")),
            usage=usage_of(first.usage, made),
            finish_reason=_word(made.get("finish_reason")) or _word(made.get("stop_reason")),
            error=error if isinstance(error, str) else json.dumps(error) if error else "",
            settings=masked if isinstance(masked, dict) else {},
            at=next((t for key in _TIMES if (t := _word(line.get(key)))), None),
        )

    def finish(self) -> list[ThreadRecord]:
        """Return the conversations; what only wrote a summary for another is kept in that one."""
        holders = [(record, summaries_in(record)) for record in self.records]
        holders = [(record, texts) for record, texts in holders if texts]
        kept: list[ThreadRecord] = []
        for record in self.records:
            wrote = written_alone(record)
            home = next((r for r, texts in holders if r is not record and wrote in texts), None)
            if not wrote or home is None:
                kept.append(record)
            else:
                home.other.append(OtherEvent("summarization", record.calls[0].origin, str(wrote)))
        for record in kept:
            count = len(record.other)
            if count:
                what = (
                    f"{count} model calls that wrote summaries are kept and not counted as the "
                    "agent's"
                )
                record.problems.append(Problem(self.name, what, ProblemKind.NOTED))
        if kept:
            kept[0].problems[:0] = self.problems
        return kept


class Summaries:
    """The summaries in a thread; a text is in them where it stands in one of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(dict.fromkeys(texts))

    def __bool__(self) -> bool:
        return bool(self._texts)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and len(text) >= _LONG and any(text in t for t in self._texts)


def summaries_in(record: ThreadRecord) -> Summaries:
    """Return what stands in requests of a thread in place of earlier messages."""
    heads = (said for call in record.calls for said in call.request[:2])
    found = {id(said): said for said in heads if said.plain.role in ("user", "system")}
    return Summaries(words_of(said.plain) for said in found.values() if _is_summary(said.plain))


def _is_summary(message: Plain) -> bool:
    marker = marker_of(words_of(message))
    marked = message.additional.get("lc_source") == "summarization"
    return marked or (marker is not None and marker.kind == "compacted")


def written_alone(record: ThreadRecord) -> str:
    """Return what the only call of a record wrote; empty for a record of several calls."""
    if len(record.calls) != 1 or not record.calls[0].response:
        return ""
    return words_of(record.calls[0].response[0].plain).strip()


def _models(made: Mapping[str, object], line: Mapping[str, object]) -> Iterator[object]:
    yield made.get("model_name")
    yield made.get("model")
    yield line.get("model")


def _keys(message: Plain) -> list[str]:
    """Return what tells an answer when it is met again in a later request."""
    calls = [f"call {call.id}" for call in message.calls if call.id]
    text = words_of(message).strip()
    return [*([message.id] if message.id else []), *calls, *([f"text {text}"] if text else [])]


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
