"""One agent's transcript as a run: what it was given, called, got back and answered.

An importer goes through its record once, in order, and says what happened:

    run = AgentRun(RunBuilder(...))
    run.say("user", parts, origin)                  # the next requests hold it
    number = run.call(parts, origin, grade=...)     # the request is all that is held
    run.say("tool", [run.result(id, text, origin)], origin)
    run.clear([id], "[cleared]", ...)               # a stand-in from here on
    yield run.finish()

Where the record holds the request itself, ``call(..., request=run.messages(turns, origin))``
takes it instead.  Every result that shows no file becomes a source by `store.evidence`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

from store.builder import RunBuilder
from store.importers._agent_files import FileVersions, SavedFiles, Shown
from store.importers._agent_reads import (
    Does,
    FileCall,
    file_calls,
    is_listing,
    says_failure,
    shown_by,
    window_of,
)
from store.importers._claude_lines import clean_path
from store.importers._lines_said import beyond, last_said
from store.importers._wire import RecordedCall, Turn
from store.jsonin import JsonError, loads
from store.records.grades import Grade
from store.records.markers import marker_of
from store.records.runs import (
    Answer,
    ContextEdit,
    EditKind,
    Message,
    Part,
    PartKind,
    ProblemKind,
    Run,
    ToolCall,
    ToolResult,
)
from store.records.sources import Selection, VersionKey

__all__ = ["ALL_BEFORE", "ORPHAN", "AgentRun"]

ALL_BEFORE = "each call saw every message before it"
"""The rule by which requests follow from a transcript that keeps none."""
ORPHAN = "nothing stands before it, so what it was given is not recorded"
"""What is said of a call to which that rule gives no message."""

_GONE = frozenset({"cleared", "persisted"})


@dataclass(slots=True)
class AgentRun:
    """Puts a transcript together.

    ``held`` are the messages of the next request; an importer may change it.
    ``cwd`` is the folder that relative paths of tools start from, at this place
    of the record.  ``saved`` are files that the agent kept beside it.
    """

    builder: RunBuilder
    cwd: str = ""
    saved: SavedFiles | None = None
    held: list[int] = field(default_factory=list)
    _asked: dict[str, ToolCall] = field(default_factory=dict)
    _touched: dict[str, tuple[FileCall, ...]] = field(default_factory=dict)
    _results: list[ToolResult] = field(default_factory=list)
    _answered: dict[str, set[str]] = field(default_factory=dict)
    _uses: dict[str, int] = field(default_factory=dict)
    _files: FileVersions = field(init=False)

    def __post_init__(self) -> None:
        self._files = FileVersions(self.saved)

    # -- messages and calls ------------------------------------------------------

    def say(self, role: str, parts: Iterable[Part], origin: str) -> int:
        """Add a message that the requests from here on hold; return its index."""
        index = self.builder.message(role, parts, origin)
        self.held.append(index)
        return index

    def messages(self, turns: Iterable[Turn], origin: str) -> list[int]:
        """Return a recorded request; results in it that are new are taken as results.

        Tool calls that stand in it and that no call of the record wrote are
        taken too: without the call that wrote them.
        """
        made = []
        uses: dict[str, int] = {}
        for turn in turns:
            parts = tuple(self._named(part, uses) for part in turn.parts)
            for part in parts:
                if part.kind is PartKind.TOOL_CALL:
                    self.ask(part.tool_call_id, part.name, part.text, origin)
                elif part.kind is PartKind.TOOL_RESULT:
                    self.take(part, origin)
            made.append(self.builder.message(turn.role, parts, origin))
        return made

    def _named(self, part: Part, uses: dict[str, int]) -> Part:
        """Return *part* under a name of its own where one id names several tool calls.

        *uses* counts the calls of each id so far; a result belongs to the last.
        """
        call_id = part.tool_call_id
        if not call_id or self._uses.get(call_id, 0) < 2:  # noqa: PLR2004 - used again
            return part
        if part.kind is PartKind.TOOL_CALL:
            uses[call_id] = uses.get(call_id, 0) + 1
        return replace(part, tool_call_id=_name(call_id, uses.get(call_id, 1)))

    def _written(self, part: Part, origin: str) -> Part:
        """Return a tool call of a response under a name of its own."""
        call_id = part.tool_call_id
        if part.kind is not PartKind.TOOL_CALL or not call_id:
            return part
        uses = self._uses[call_id] = self._uses.get(call_id, 0) + 1
        if uses == 2:  # noqa: PLR2004 - told once
            what = f"the record names several tool calls {call_id}; they are told apart by number"
            self.builder.problem(origin, what, ProblemKind.NOTED)
        return replace(part, tool_call_id=_name(call_id, uses))

    def call(
        self,
        parts: Iterable[Part],
        origin: str,
        *,
        request: Sequence[int] | None = None,
        answers: bool | None = None,
        **facts: Unpack[RecordedCall],
    ) -> int:
        """Add a model call with its response, and return its number.

        The *request* is all that is held, unless it is given.  What is held
        afterwards is the request with the response.  The response is an answer
        where it has text and calls no tool, unless *answers* says so.
        """
        parts = tuple(self._written(part, origin) for part in parts)
        if request is not None:
            self.held = list(request)
        response = [self.builder.message("assistant", parts, origin)] if parts else []
        number = self.builder.call(self.held, response=response, origin=origin, **facts)
        self.held.extend(response)
        asks = False
        for part in parts:
            if part.kind is PartKind.TOOL_CALL:
                asks = True
                self.ask(part.tool_call_id, part.name, part.text, origin, number)
        text = "".join(part.text for part in parts if part.kind is PartKind.TEXT)
        if text.strip() and (not asks if answers is None else answers):
            self.answer(number, text, origin)
        return number

    def answer(self, number: int, text: str, origin: str) -> None:
        """Add what the user was given by call *number*."""
        self.builder.answers.append(Answer(number, text, origin=origin))

    # -- tools ---------------------------------------------------------------------

    def ask(
        self, call_id: str, tool: str, arguments: str, origin: str, by_call: int | None = None
    ) -> None:
        """Add a tool call; *arguments* is JSON text.

        One that no call is known to have written is added once; a record may
        use one id for several.
        """
        if call_id in self._asked and by_call is None:
            return
        made = self._asked[call_id] = ToolCall(call_id, tool, arguments, by_call, origin)
        self.builder.tool_calls.append(made)
        self._touched[call_id] = file_calls(tool, _object(arguments), self.cwd)

    def name_of(self, call_id: str) -> str:
        """Return what the last tool call of this id is called in the run."""
        return _name(call_id, self._uses.get(call_id, 1))

    def result(  # noqa: PLR0913 - what a result is
        self,
        call_id: str,
        text: str,
        origin: str,
        *,
        status: str = "",
        kept: str | None = None,
        side_file: str = "",
        name: str = "",
    ) -> Part:
        """Add the result of a tool call, once, and return the part that gives it to the model.

        *text* is what the model was given; *kept* what the tool returned, where
        the record holds that too.
        """
        call_id = self.name_of(call_id)
        asked = self._asked.get(call_id)
        name = name or (asked.name if asked else "")
        part = Part(PartKind.TOOL_RESULT, text, tool_call_id=call_id, name=name, status=status)
        if (text if kept is None else kept) not in self._answered.get(call_id, ()):
            self._add_result(part, origin, kept, side_file)
        return part

    def take(self, part: Part, origin: str) -> None:
        """Add the result that *part* gives to the model, unless one of its id is there."""
        if part.tool_call_id not in self._answered:
            self._add_result(part, origin, None, "")

    def _add_result(self, part: Part, origin: str, kept: str | None, side_file: str) -> None:
        call_id = part.tool_call_id
        text: str | None = part.text if kept is None else kept
        marker = marker_of(part.text) if kept is None else None
        if marker is not None and marker.kind in _GONE and marker.place == "tool":
            text = None  # what the tool returned is in no record
        calls = self._touched.get(call_id, ())
        if is_listing(part.text):
            calls = tuple(call for call in calls if call.does is not Does.READ)
        result = ToolResult(
            tool_call_id=call_id,
            text=text,
            status=part.status,
            is_file_read=any(call.does is Does.READ for call in calls),
            side_file=side_file,
            origin=origin,
        )
        self._answered.setdefault(call_id, set()).add(text or part.text)
        self._results.append(result)
        if text is not None:
            self._touch(result, text, calls)

    def _touch(self, result: ToolResult, text: str, calls: tuple[FileCall, ...]) -> None:
        """Follow what the call did to files, and what its result shows of one."""
        origin, key = result.origin, str(len(self._results))
        if not result.failed and not says_failure(text):
            for call in calls:
                self._change(call, origin)
        window = window_of(text)
        if window and not any(call.does is Does.READ for call in calls):
            # A window on the file that is open: the result says which it is.
            calls = (FileCall(clean_path(window, self.cwd), Does.READ, paged=True),)
        for call in calls:
            if call.does not in (Does.READ, Does.SHOW):
                continue
            shown = shown_by(call, "" if result.failed else text)
            if shown is not None and not _is_blank(shown):
                said = beyond(shown.lines, last_said(text))
                if said is not None:
                    self._results[-1] = replace(result, declared={"lines": [*said]})
                    shown = replace(shown, end=said[1])
                self._files.read(key, call.path, shown, origin)

    def _change(self, call: FileCall, origin: str) -> None:
        if call.does is Does.WRITE:
            self._files.written(call.path, call.text, origin)
        elif call.does is Does.EDIT:
            self._files.edited(call.path, call.edits, "", origin)
        elif call.does is Does.CHANGE:
            self._files.changed(call.path, origin)

    def attach(self, path: str, text: str, origin: str) -> VersionKey:
        """Take a file whose whole text the client put into a message; return its version."""
        return self._files.attached(clean_path(path, self.cwd), text, origin)

    def changed(self, path: str, origin: str) -> None:
        """Note that a file was changed, to a text that the record does not hold."""
        self._files.changed(clean_path(path, self.cwd), origin)

    # -- edits of the context --------------------------------------------------------

    def clear(  # noqa: PLR0913 - what an edit is
        self,
        call_ids: Collection[str],
        stand_in: str | Mapping[str, str],
        origin: str,
        *,
        by: str,
        reason: str,
        kind: EditKind = EditKind.CLEAR,
        grade: Grade = Grade.DERIVED,
    ) -> None:
        """Put *stand_in* (one text, or one for each id) in place of results from here on."""
        words = dict.fromkeys(call_ids, stand_in) if isinstance(stand_in, str) else stand_in
        for place, index in enumerate(self.held):
            message = self.builder.messages[index]
            if any(part.tool_call_id in words for part in message.parts):
                self.held[place] = self.builder.message(
                    message.role, _with_stand_ins(message, words), message.origin
                )
        self.note_edit(kind, call_ids, origin, by=by, reason=reason, grade=grade)

    def compact(  # noqa: PLR0913 - what a compaction is
        self,
        held: Sequence[int],
        origin: str,
        *,
        by: str,
        reason: str,
        kind: EditKind = EditKind.COMPACT,
        grade: Grade = Grade.DERIVED,
    ) -> None:
        """Let requests hold *held* from here on; the results that are gone are noted."""
        stays = self._results_in(held)
        gone = [call_id for call_id in self._results_in(self.held) if call_id not in stays]
        self.held = list(held)
        self.note_edit(kind, gone, origin, by=by, reason=reason, grade=grade)

    def note_edit(  # noqa: PLR0913 - what an edit is
        self,
        kind: EditKind,
        call_ids: Collection[str],
        origin: str,
        *,
        by: str,
        reason: str,
        grade: Grade,
    ) -> None:
        """Note an edit of the requests from the next call on."""
        before = len(self.builder.calls) + 1
        ids = tuple(call_ids)
        self.builder.edits.append(ContextEdit(before, kind, ids, by, grade, reason, origin))

    def _results_in(self, held: Iterable[int]) -> dict[str, None]:
        return {
            part.tool_call_id: None
            for index in held
            for part in self.builder.messages[index].parts
            if part.kind is PartKind.TOOL_RESULT
        }

    # -- the end -----------------------------------------------------------------------

    def finish(self, grade: Grade | None = None) -> Run:
        """Return the run, its results with what they selected, and the versions of files."""
        builder = self.builder
        selections, versions = self._files.finish()
        builder.tool_results.extend(
            replace(result, selections=_chosen(selections, str(number)))
            for number, result in enumerate(self._results, 1)
        )
        builder.versions.extend(versions)
        self._drop_late_edits()
        return builder.finish(grade)

    def _drop_late_edits(self) -> None:
        """Say of an edit that no call follows that no request shows it."""
        builder, last = self.builder, len(self.builder.calls)
        for edit in [one for one in builder.edits if (one.before_call or 0) > last]:
            builder.edits.remove(edit)
            what = f"no call follows this edit ({edit.kind}), so no request shows it"
            builder.problem(edit.origin, what, ProblemKind.NOTED)


def _is_blank(shown: Shown) -> bool:
    """Return whether all that is shown is white space: nothing can prove that it was read."""
    lines = [line for _, line in shown.lines]
    return bool(lines) and not "".join(lines).strip()


def _name(call_id: str, use: int) -> str:
    """Return what the tool call is called that is the *use*-th of one id."""
    return call_id if use < 2 else f"{call_id}#{use}"  # noqa: PLR2004 - the first keeps its id


def _chosen(selections: Mapping[str, Selection], key: str) -> tuple[Selection, ...]:
    return (selections[key],) if key in selections else ()


def _with_stand_ins(message: Message, words: Mapping[str, str]) -> tuple[Part, ...]:
    """Return the parts of *message*; what stood beside a result that is gone goes too."""
    return tuple(
        replace(part, text=words[part.tool_call_id])
        if part.kind is PartKind.TOOL_RESULT and part.tool_call_id in words
        else part
        for part in message.parts
        if part.kind in (PartKind.TOOL_RESULT, PartKind.TOOL_CALL) or part.tool_call_id not in words
    )


def _object(arguments: str) -> Mapping[str, object]:
    try:
        value = loads(arguments.encode("utf-8", "surrogateescape")) if arguments else None
    except (JsonError, UnicodeError):
        return {"input": arguments}  # a tool may take a text as it is
    return value if isinstance(value, dict) else {}
