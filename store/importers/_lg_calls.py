"""Which model calls the states of a thread show, and what each of them was given.

A new message of the assistant in a state was made by a task that started from
the state before: that is its request.  Where states were saved only at the end
(``durability="exit"``) each assistant message is taken to have seen those
before it, unless the writes of the steps between are there and can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from store.importers._lc_alike import bytes_of
from store.importers._lc_dialects import message_of
from store.importers._lc_evidence import is_cleared
from store.importers._lc_thread import EDITED, ModelCall, Said, Stage, ThreadRecord
from store.importers._lc_usage import usage_of
from store.importers._lg_messages import (
    inner,
    is_document,
    is_limit,
    key_of,
    likeness,
    packet_of,
    word,
)
from store.importers._lg_threads import Checkpoint, Task, are_messages, folded
from store.importers._lg_view import VIEW, messages_sent, viewed, wraps
from store.records.grades import Grade

__all__ = ["PathReader"]

_FILES: Final = "files"
_KEPT_AS_WRITES: Final = ("messages", _FILES)
_NO_CONVERSATION: Final = ("__start__", "__pregel_tasks", VIEW)
_BY_HAND: Final = ("update", "fork")
"""What put a state there that no task made: a person, or a copy of an earlier one."""
_HOOKS: Final = (".before_model", ".after_model", ".before_agent", ".after_agent")
_STATE: Final = (
    "the messages of the state that the call started from; what the node itself added, such as a "
    "system prompt, is not in the database"
)
_AT_ONCE: Final = (
    "the state was saved once for several steps; each assistant message is taken to have seen "
    "every message before it"
)
_CLEARED_SINCE: Final = (
    "results in it were cleared before the state was saved; what this call read of them is not "
    "recorded"
)
_SUMMARISED_SINCE: Final = (
    "a summary took the place of messages before the state was saved; which calls read it is not "
    "recorded"
)
_EMPTY: Final = "the state held no message before this call"
_WITHIN: Final = (
    "the node made several calls before the state was saved; each is taken to have seen what was "
    "written before it"
)
_PACKET: Final = "the node was started with an input of its own, which holds no messages"
_SENT: Final = "the messages of the input that the node was started with"


@dataclass(slots=True)
class PathReader:
    """Reads the calls along one path of checkpoints; give each in order, then `finish`."""

    record: ThreadRecord
    name: str
    kept: set[int]
    """Identities of stored messages that are met again as the same objects."""
    known: dict[str, None] = field(default_factory=dict)
    """Assistant messages that are no new answers: they were there, or another run made them."""
    made: dict[str, str] = field(default_factory=dict)
    """By message, the checkpoint in which an answer is first met."""
    _said: dict[int, Said] = field(default_factory=dict)
    _raw: dict[bytes, Said] = field(default_factory=dict)
    _alike: dict[tuple[object, ...], Said] = field(default_factory=dict)
    _values: dict[str, object] = field(default_factory=dict)
    _held: dict[str, object] = field(default_factory=dict)
    """The values of the checkpoint before, as they were saved."""
    _replayed: set[str] = field(default_factory=set)
    _before: Checkpoint | None = None
    _tasks: list[Task] = field(default_factory=list)
    _wrapped: str = ""
    _files: dict[str, object] = field(default_factory=dict)
    _documents: set[bytes] = field(default_factory=set)

    def add(self, after: Checkpoint, tasks: list[Task]) -> None:
        """Take in the next checkpoint of the path, and what started from it."""
        self._note_kind(after)
        self._held = dict(self._values)
        self._replay(after)
        if after.source in (*_BY_HAND, "input"):
            self._take_in(self._values)
        else:
            self._left_over(after)
        self._keep_files()
        self._before, self._tasks = after, tasks

    def finish(self) -> None:
        """Take in what the tasks of the last checkpoint wrote: no state holds it yet."""
        last = self._before
        if last is not None and last.source != "input":
            self._steps(last, self._tasks, last.id)
        self._keep_files()

    def messages(self, channel: str = "messages") -> list[Said]:
        """Return the messages of the state that was taken in last."""
        return self._all(self._values.get(channel) or [])

    @staticmethod
    def call_key(call: ModelCall) -> str:
        """Return under what name `made` knows a call."""
        return key_of(call.response[0].plain)

    # -- states -----------------------------------------------------------------

    def _note_kind(self, after: Checkpoint) -> None:
        channels = [*after.values, *after.versions]
        sends = after.values.get("__pregel_tasks")
        self._wrapped = self._wrapped or wraps(after.metadata, channels, sends)
        counters = after.metadata.get("counters_since_delta_snapshot")
        self._replayed.update(counters if isinstance(counters, dict) else ())

    def _replay(self, after: Checkpoint) -> None:
        """Go from the state before to that of *after*, through the writes between them."""
        before = self._before
        if before is not None:
            self._steps(before, self._tasks, after.id, after)
        values = dict(after.values)
        for channel in {*_KEPT_AS_WRITES, *self._replayed} & after.versions.keys():
            if channel not in values and channel in self._values:
                values[channel] = self._values[channel]
        self._values = values

    def _steps(
        self, before: Checkpoint, tasks: list[Task], place: str, after: Checkpoint | None = None
    ) -> None:
        """Find the calls among what *tasks* wrote, and apply their writes step by step."""
        steps = sorted({task.step for task in tasks})
        for step in steps:
            inside = [task for task in tasks if task.step == step]
            by_hand = after is not None and after.source in _BY_HAND
            if by_hand or before.source == "input" or any(t.node == "__start__" for t in inside):
                self._take_in_written(inside)
            else:
                for task in inside:
                    self._calls_of(task, before, place, after, many=len(steps) > 1)
            for channel in self._channels(inside):
                written = [value for task in inside for value in task.of(channel)]
                self._values[channel] = folded(self._values.get(channel), written)

    def _channels(self, tasks: list[Task]) -> list[str]:
        """Return the channels that can be followed through writes."""
        names = {name for task in tasks for name, _ in task.writes}
        return sorted(name for name in names if name in _KEPT_AS_WRITES or self._holds(name))

    def _holds(self, channel: str) -> bool:
        return channel in self._replayed or are_messages(self._values.get(channel))

    def _conversations(self, values: Mapping[str, object]) -> Iterator[tuple[str, list[Said]]]:
        for channel in sorted(values):
            value = values[channel]
            if channel not in _NO_CONVERSATION and are_messages(value):
                yield channel, self._all(value)

    def _all(self, value: object) -> list[Said]:
        items = value if isinstance(value, list) else [value]
        return [said for item in items if (said := self._of(item)) is not None]

    def _of(self, item: object) -> Said | None:
        """Return a message; the same object where one like it is met again."""
        found = self._said.get(id(item))
        if found is not None:
            return found
        raw = bytes_of(item)
        if raw and raw in self._raw:
            return self._raw[raw]
        plain = message_of(item)
        if plain is None:
            return None
        at = self._before.id if self._before else "start"
        made = Said(plain, f"{self.name}#{at}/{plain.id or plain.role}")
        said = self._alike.setdefault(likeness(plain), made)
        if id(item) in self.kept:
            self._said[id(item)] = said
        elif raw:
            self._raw[raw] = said
        if plain.role == "tool":
            self.record.results.setdefault(plain.tool_call_id, said)
        return said

    def _keep_documents(self) -> None:
        """Keep the documents that a channel holds: a retriever's node puts them there."""
        for channel in sorted(self._values):
            value = self._values[channel]
            if isinstance(value, list) and value and is_document(value[0]):
                key = bytes_of({"": value})
                if key not in self._documents:
                    self._documents.add(key)
                    at = self._before.id if self._before else ""
                    self.record.artifacts.append((value, f"{self.name}#{at}/{channel}"))

    def _keep_files(self) -> None:
        self._keep_documents()
        held = self._values.get(_FILES)
        for path, value in (held if isinstance(held, dict) else {}).items():
            if isinstance(path, str) and self._files.get(path) != value:
                self._files[path] = value
                at = self._before.id if self._before else ""
                self.record.files.append((path, value, f"{self.name}#{at}/files/{path}"))

    # -- calls ------------------------------------------------------------------

    def _take_in(self, values: Mapping[str, object]) -> None:
        """Know the messages of a state: nobody asked a model for them."""
        for _, messages in self._conversations(values):
            self._know(messages)
        given = values.get("__start__")
        inputs = given.values() if isinstance(given, dict) else [given]
        for value in inputs:
            if are_messages(value):
                self._know(self._all(value))

    def _take_in_written(self, tasks: list[Task]) -> None:
        for task in tasks:
            for _, value in task.writes:
                self._know(self._all(inner(value)))

    def _know(self, messages: list[Said]) -> None:
        for said in messages:
            if said.plain.role == "assistant":
                self.known[key_of(said.plain)] = None

    def _is_new(self, said: Said) -> bool:
        return said.plain.role == "assistant" and key_of(said.plain) not in self.known

    def _calls_of(
        self,
        task: Task,
        before: Checkpoint,
        place: str,
        after: Checkpoint | None,
        *,
        many: bool,
    ) -> None:
        """Add the calls whose answers a task wrote, the first from the state, others after it."""
        for channel in dict.fromkeys(name for name, _ in task.writes):
            if channel in _NO_CONVERSATION:
                continue
            written: list[Said] = []
            new = 0
            for said in (s for value in task.of(channel) for s in self._all(inner(value))):
                is_one = self._is_new(said) and self._is_kept(said, channel, after, many=many)
                if is_one and not task.node.endswith(_HOOKS) and not is_limit(said.plain):
                    given = self._given(task, channel, before)
                    if new:
                        given.request = [*given.request, *written]
                        given.lower(Grade.INFERRED, _WITHIN)
                    self._add(said, given, place)
                    new += 1
                if said.plain.role == "assistant":
                    self.known[key_of(said.plain)] = None
                written.append(said)

    def _is_kept(self, said: Said, channel: str, after: Checkpoint | None, *, many: bool) -> bool:
        """Return whether the next state holds an answer: if not, a later replay wrote it."""
        if after is None or many or channel not in after.values:
            return True
        held = after.values[channel]
        return not are_messages(held) or key_of(said.plain) in {
            key_of(each.plain) for each in self._all(held)
        }

    def _given(self, task: Task, channel: str, before: Checkpoint) -> _Given:
        """Return what a task that started from the state *before* gave to its first call."""
        state = self.messages(channel)
        grade, reason = Grade.DERIVED, _STATE
        if task.push is not None:
            state = self._all(packet_of(before.values.get("__pregel_tasks"), task.push))
            grade = Grade.INFERRED if state else Grade.UNKNOWN
            reason = _SENT if state else _PACKET
        elif messages_sent(self._values):
            state = self._all(messages_sent(self._values))
        elif self._wrapped:
            grade, reason = Grade.INFERRED, _wrapped(self._wrapped)
        return _Given(state, grade, reason).viewed(self._values, task)

    def _left_over(self, after: Checkpoint) -> None:
        """Add the calls whose answers stand in a state and in no write: each saw those before."""
        before = self._before
        steps = None
        if before is not None and before.step is not None and after.step is not None:
            steps = after.step - before.step
        known = len(self.record.results)
        for channel, messages in self._conversations(self._values):
            new = [at for at, said in enumerate(messages) if self._is_new(said)]
            for at in new:
                said = messages[at]
                self.known[key_of(said.plain)] = None
                if is_limit(said.plain):
                    continue
                request = messages[:at]
                exact = steps == 1 and len(new) == 1
                if exact:
                    request = self._all(self._held.get(channel) or [])
                grade, reason = self._sequential(request, exact=exact)
                self._add(said, _Given(request, grade, reason).viewed(self._values), after.id)
        if steps != 1:
            self.record.late.update(list(self.record.results)[known:])

    def _sequential(self, messages: list[Said], *, exact: bool) -> tuple[Grade, str]:
        if exact and self._wrapped:
            return Grade.INFERRED, _wrapped(self._wrapped)
        if exact:
            return Grade.DERIVED, _STATE
        known = self._earlier
        for said in messages:
            if likeness(said.plain) in known:
                continue
            if said.plain.role == "tool" and is_cleared(said.plain):
                return Grade.UNKNOWN, _CLEARED_SINCE
            if said.plain.additional.get("lc_source") == "summarization":
                return Grade.UNKNOWN, _SUMMARISED_SINCE
        return Grade.INFERRED, _AT_ONCE

    @property
    def _earlier(self) -> set[tuple[object, ...]]:
        """The messages that the last state before held, as it held them."""
        found = (messages for _, messages in self._conversations(self._held))
        return {likeness(said.plain) for messages in found for said in messages}

    def _add(self, said: Said, given: _Given, place: str) -> None:
        plain = said.plain
        metadata = plain.metadata
        if plain.is_edited:
            given.lower(Grade.UNKNOWN, EDITED)
        if not given.request:
            given.lower(Grade.UNKNOWN, _EMPTY)
        self.made.setdefault(key_of(plain), place)
        self.record.calls.append(
            ModelCall(
                request=given.request,
                response=[said],
                grade=given.grade,
                reason=given.reason,
                origin=f"{self.name}#{place}",
                names=(plain.id, *(call.id for call in plain.calls)),
                id=plain.id,
                model=word(metadata.get("model_name")) or word(metadata.get("model")),
                usage=usage_of(plain.usage, metadata),
                finish_reason=word(metadata.get("finish_reason"))
                or word(metadata.get("stop_reason")),
                at=self._before.at if self._before else None,
                stages=given.stages,
            )
        )


@dataclass(slots=True)
class _Given:
    """What a call was given, and how far that is proven."""

    request: list[Said]
    grade: Grade
    reason: str
    stages: list[Stage] = field(default_factory=list)

    def lower(self, grade: Grade, reason: str) -> None:
        """Prove no more than *grade*, for *reason*."""
        alone = grade is Grade.UNKNOWN
        self.reason = reason if alone else f"{self.reason}; {reason}"
        self.grade = Grade.weakest(self.grade, grade)

    def viewed(self, values: Mapping[str, object], task: Task | None = None) -> _Given:
        """Apply what the state itself records of the way to the model."""
        self.request, self.stages, told = viewed(self.request, values, task)
        if told is not None:
            self.lower(*told)
        return self


def _wrapped(by: str) -> str:
    return (
        f"the messages of the state before the call; what {by} may have changed on the way to the "
        "model leaves no trace in a checkpoint"
    )
