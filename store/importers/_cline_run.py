"""A task of Cline or Roo Code as a run: each answer of the model with the request it was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers._agent_messages import parts_of
from store.importers._agent_run import ORPHAN, AgentRun
from store.importers._cline_task import Task
from store.importers._cline_text import answer_of, pieces, tag_in
from store.importers._cline_view import View, Views
from store.importers._fields import compact
from store.importers._moments import moment
from store.importers._wire import count, items, mapping, string
from store.jsonin import JsonError, loads
from store.records.grades import Grade
from store.records.runs import EditKind, Part, PartKind, Run, Usage

__all__ = ["task_run"]

_FOLDER: Final = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")
_HEADER: Final = "header"

Block = tuple[int, int]
"""A message and a block of it, by index."""


def task_run(task: Task, builder: RunBuilder, origin: str) -> Run:
    """Return the run of *task*; *origin* is the name of the file of its messages."""
    return _Walk(task, builder, origin).run()


class _Walk:
    """Goes through the messages of a task once."""

    def __init__(self, task: Task, builder: RunBuilder, origin: str) -> None:
        self._task = task
        self._views = Views(task)
        self._agent = AgentRun(builder)
        self._name = origin
        self._made: dict[tuple[int, frozenset[tuple[int, str]]], int] = {}
        self._pending = ""
        self._asked_by: dict[int, str] = {}
        self._results: dict[Block, str] = {}
        self._full: set[str] = set()

    def run(self) -> Run:
        for at, message in enumerate(self._task.messages):
            if self._views.is_mark(at):
                self._message(at, {})
            elif message.get("role") == "assistant":
                self._answer(at)
            else:
                self._message(at, {})
        return self._agent.finish()

    def _origin(self, at: int) -> str:
        return f"{self._name}[{at}]"

    # -- what the model wrote ----------------------------------------------------------------

    def _answer(self, at: int) -> None:
        message = self._task.messages[at]
        asked = self._views.request_of(at)
        view = self._views.view(at, asked)
        request = self._request(view)
        self._note(view, at)
        parts = _written(message.get("content"))
        when = count(message.get("ts")) or (asked.at if asked is not None else 0)
        grade, reason = (view.grade, view.reason) if request else (Grade.UNKNOWN, ORPHAN)
        number = self._agent.call(
            parts,
            self._origin(at),
            request=request,
            answers=False,
            model=_model(message) or self._task.model_at(when),
            grade=grade,
            grade_reason=reason,
            usage=asked.usage if asked is not None else Usage(),
            error=asked.cancelled if asked is not None else "",
            at=moment(when),
        )
        # A result changes nothing of the answer, so the message itself is held by its own index.
        self._made[at, frozenset()] = self._agent.builder.calls[-1].response[0] if parts else -1
        self._asks(at, parts, number)

    def _asks(self, at: int, parts: list[Part], number: int) -> None:
        """Take the tools that an answer asks for, and what it says to the user."""
        calls = [part for part in parts if part.kind is PartKind.TOOL_CALL]
        text = "\n".join(part.text for part in parts if part.kind is PartKind.TEXT)
        said = [answer_of(part.name, _object(part.text)) for part in calls]
        self._pending = ""
        tag = None if calls else tag_in(text)
        if tag is not None:
            self._pending = self._asked_by[at] = f"call-{at}"
            arguments = compact(dict(tag.arguments))
            self._agent.ask(self._pending, tag.name, arguments, self._origin(at), number)
            said = [answer_of(tag.name, tag.arguments)]
        elif not calls:
            said = [text]
        answer = "\n".join(filter(str.strip, said))
        if answer:
            self._agent.answer(number, answer, self._origin(at))

    # -- what a request held --------------------------------------------------------------------

    def _request(self, view: View) -> list[int]:
        """Return the messages of a request; results whose call is left out are left out too."""
        messages = self._task.messages
        asked = {name for place in view.messages for name in _asked_in(messages[place])}
        made = []
        for place in view.messages:
            own = {block: text for (at, block), text in view.edits.items() if at == place}
            index = self._message(place, own)
            if index >= 0 and not asked.issuperset(_answered_in(messages[place])):
                index = self._without(index, asked)
            made += [index] if index >= 0 else []
        return made

    def _without(self, index: int, asked: set[str]) -> int:
        message = self._agent.builder.messages[index]
        parts = [
            part
            for part in message.parts
            if part.kind is not PartKind.TOOL_RESULT or part.tool_call_id in asked
        ]
        return self._agent.builder.message(message.role, parts, message.origin) if parts else -1

    def _message(self, at: int, edits: Mapping[int, str]) -> int:
        """Return the index of a message in these words; -1 for one without any."""
        key = (at, frozenset(edits.items()))
        if key not in self._made:
            message = self._task.messages[at]
            role = string(message.get("role")) or "user"
            parts = self._parts(at, edits) if role == "user" else _written(message.get("content"))
            if message.get("isSummary") is True:
                parts = [_summary(part) for part in parts]
            made = self._agent.builder.message(role, parts, self._origin(at)) if parts else -1
            self._made[key] = made
        return self._made[key]

    def _parts(self, at: int, edits: Mapping[int, str]) -> list[Part]:
        content = self._task.messages[at].get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        parts: list[Part] = []
        follows = ""
        call_id = self._asked_by.get(at - 1, "")
        for number, each in enumerate(blocks):
            block = mapping(each)
            if block.get("type") == "tool_result":
                parts += self._native((at, number), block, edits.get(number))
            elif block.get("type") == "text":
                text = string(block.get("text"))
                found = _FOLDER.search(text)
                self._agent.cwd = found[1] if found else self._agent.cwd
                made = list(self._divided((at, number), text, edits.get(number), follows, call_id))
                # A header that stands alone is followed by the result in the next block.
                alone = len(made) == 1 and made[0].status == _HEADER
                follows = made[0].name if alone else ""
                parts += [_plain(part) for part in made]
            else:
                parts += parts_of([block])
        return parts

    def _native(self, at: Block, block: Mapping[str, object], edit: str | None) -> Iterator[Part]:
        call_id = string(block.get("tool_use_id"))
        (made, *others) = parts_of([block])
        first = at not in self._results
        self._results[at] = call_id
        if first:
            self._agent.result(call_id, made.text, self._origin(at[0]), status=made.status)
        yield made if edit is None else replace(made, text=edit)
        yield from others if edit is None else ()

    def _divided(
        self, at: Block, text: str, edit: str | None, follows: str, call_id: str
    ) -> Iterator[Part]:
        for piece in pieces(text if edit is None else edit, result_follows=follows):
            if piece.kind == "result" and call_id:
                if edit is None and at not in self._results:
                    self._results[at] = call_id
                    self._agent.result(call_id, piece.text, self._origin(at[0]), name=piece.name)
                yield Part(PartKind.TOOL_RESULT, piece.text, call_id, piece.name)
            elif piece.kind == "file":
                key = self._agent.attach(piece.name, piece.text, self._origin(at[0]))
                yield Part(
                    PartKind.DOCUMENT,
                    piece.text,
                    name=piece.name,
                    source_id=key.source_id,
                    version_id=key.version_id,
                )
            elif piece.kind == "header":
                yield Part(PartKind.TEXT, piece.text, name=piece.name, status=_HEADER)
            elif piece.text:
                yield Part(PartKind.TEXT, piece.text)

    # -- edits -----------------------------------------------------------------------------

    def _note(self, view: View, at: int) -> None:
        """Note which results stood in the request before and do not stand in this one."""
        there = set(view.messages)
        full = {
            call_id
            for (place, block), call_id in self._results.items()
            if place in there and (place, block) not in view.edits
        }
        gone = self._full - full
        edited = [
            call_id
            for block, call_id in self._results.items()
            if call_id in gone and block in view.edits
        ]
        removed = [
            call_id
            for call_id in dict.fromkeys(self._results.values())
            if call_id in gone and call_id not in edited
        ]
        by = "roo-code" if self._views.is_roo else "cline"
        for kind, ids in ((EditKind.CLEAR, edited), (EditKind.COMPACT, removed)):
            if ids:
                self._agent.note_edit(
                    kind, ids, self._origin(at), by=by, reason=view.reason, grade=view.grade
                )
        self._full = full


def _written(content: object) -> list[Part]:
    return [part for part in parts_of(content) if part.text or part.kind is not PartKind.TEXT]


def _plain(part: Part) -> Part:
    """Return a part without the sign that it is the header of a result."""
    return replace(part, status="", name="") if part.status == _HEADER else part


def _summary(part: Part) -> Part:
    return replace(part, kind=PartKind.SUMMARY) if part.kind is PartKind.TEXT else part


def _asked_in(message: Mapping[str, object]) -> Iterator[str]:
    for block in items(message.get("content")):
        if mapping(block).get("type") == "tool_use":
            yield string(mapping(block).get("id"))


def _answered_in(message: Mapping[str, object]) -> list[str]:
    return [
        string(mapping(block).get("tool_use_id"))
        for block in items(message.get("content"))
        if mapping(block).get("type") == "tool_result"
    ]


def _model(message: Mapping[str, object]) -> str:
    info = mapping(message.get("modelInfo"))
    names = (string(info.get("providerId")), string(info.get("modelId")))
    return "/".join(filter(None, names))


def _object(text: str) -> Mapping[str, object]:
    try:
        return mapping(loads(text.encode("utf-8", "surrogatepass")))
    except JsonError:
        return {}
