"""Files of the Gemini CLI as sessions: whole records, appended ones, saved histories, streams.

Format facts: google-gemini/gemini-cli, ``chatRecordingService.ts`` (``chats/``),
``core/logger.ts`` (checkpoints) and the headless output format ``stream-json``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_files import SavedFiles
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._fields import compact
from store.importers._gemini_parts import content_parts
from store.importers._gemini_run import ACKNOWLEDGED, Recorded, Session
from store.importers._json_lines import JsonLines
from store.importers._wire import count, items, mapping, members, string
from store.records.grades import Grade
from store.records.runs import OtherEvent, Part, PartKind, Run, Usage

_LOST: Final = "a line before it could not be read, and may have changed what was sent"
_LATE: Final = (
    "results of tool calls were written only after a message of the model behind them: whether it "
    "had them is not recorded"
)

__all__ = [
    "Outputs",
    "append_records",
    "history_run",
    "is_history",
    "stream_run",
    "whole_record",
]

_DISPLAYED: Final = (
    "the stream holds what was shown of a result, which is not what the model was given"
)


def whole_record(value: Mapping[str, object], session: Session, name: str) -> None:
    """Take a session that is one object."""
    for number, message in enumerate(members(value.get("messages"))):
        session.add(Recorded(message, f"{name}#messages[{number}]"))


def append_records(lines: JsonLines, path: Path, session: Session) -> Mapping[str, object]:
    """Take a session that grew line by line; return what is recorded of it as a whole.

    A message is written again when it grew.  It is taken when the next one
    begins or the history is changed: until then its results may come.
    """
    about: dict[str, object] = {}
    waiting: dict[str, Recorded] = {}
    late: set[str] = set()
    for line in lines.read(path):
        value, origin = line.value, f"{path.name}:{line.number}"
        if lines.damaged:
            _take(waiting, session, late)
            session.doubt(_LOST)
        back, update = string(value.get("$rewindTo")), mapping(value.get("$set"))
        if back:
            _take(waiting, session, late)
            session.rewind(back, origin)
        elif update:
            about.update({key: held for key, held in update.items() if key != "messages"})
            if isinstance(update.get("messages"), list):
                _take(waiting, session, late)
                named = [Recorded(one, origin) for one in members(update.get("messages"))]
                session.write_back(named, origin)
        elif "type" in value:
            message = Recorded(value, origin)
            known = waiting.get(message.key)
            if known and _came_late(known, value, waiting):
                late.add(message.key)
            waiting[message.key] = Recorded(value, known.origin) if known else message
        else:
            about.update(value)
            whole_record(value, session, path.name)
    _take(waiting, session, late)
    return about


def _take(waiting: dict[str, Recorded], session: Session, late: Collection[str] = ()) -> None:
    for message in waiting.values():
        session.add(message)
        if message.key in late:
            session.doubt(_LATE)
    waiting.clear()


def _came_late(known: Recorded, grown: Mapping[str, object], waiting: dict[str, Recorded]) -> bool:
    """Return whether a message gained results that no message behind it gave, and one answered."""
    if next(reversed(waiting)) == known.key:
        return False
    fresh = _answered(grown) - _answered(known.data)
    behind = list(takewhile(lambda one: one.key != known.key, reversed(waiting.values())))
    for one in behind:
        parts = content_parts(one.data.get("content")) if one.type == "user" else []
        fresh -= {part.tool_call_id for part in parts}
    return bool(fresh) and any(one.type == "gemini" for one in behind)


def _answered(data: Mapping[str, object]) -> set[str]:
    calls = members(data.get("toolCalls"))
    return {string(call.get("id")) for call in calls if call.get("result") is not None}


# -- histories ----------------------------------------------------------------------------


def history_run(contents: list[object], builder: RunBuilder, name: str) -> Run:
    """Return the run of a saved history: contents as the interface takes them, without ids."""
    run = AgentRun(builder)
    waiting: list[tuple[str, str]] = []
    for number, each in enumerate(contents):
        content, origin = mapping(each), f"{name}[{number}]"
        parts = content_parts(content.get("parts"))
        if string(content.get("role")) != "model":
            held = [_answering(part, waiting, run, origin) for part in parts]
            role = "tool" if any(p.kind is PartKind.TOOL_RESULT for p in held) else "user"
            run.say(role, held, origin)
            continue
        named = [_named(part, f"{number}.{at}") for at, part in enumerate(parts)]
        waiting = [(p.tool_call_id, p.name) for p in named if p.kind is PartKind.TOOL_CALL]
        if "".join(part.text for part in parts).strip() in ACKNOWLEDGED:
            run.say("assistant", named, origin)
        else:
            run.call(named, origin, grade=Grade.INFERRED, grade_reason=ALL_BEFORE)
    return run.finish()


def _named(part: Part, place: str) -> Part:
    """Return a part of the model; a call without an id is named by its place."""
    if part.kind is not PartKind.TOOL_CALL or part.tool_call_id:
        return part
    return Part(part.kind, part.text, f"call-{place}", part.name)


def _answering(part: Part, waiting: list[tuple[str, str]], run: AgentRun, origin: str) -> Part:
    """Return a part of the user's side; a result without an id answers the next of its tool."""
    if part.kind is not PartKind.TOOL_RESULT:
        return part
    call_id = part.tool_call_id
    if not call_id:
        place = next((at for at, (_, name) in enumerate(waiting) if name == part.name), None)
        call_id = waiting.pop(place)[0] if place is not None else ""
    return run.result(call_id, part.text, origin, name=part.name)


# -- the stream of a headless run ---------------------------------------------------------------


@dataclass(slots=True)
class _Turn:
    """What the model wrote since the last result, and where it began."""

    parts: list[Part]
    origin: str
    at: str


def stream_run(lines: JsonLines, path: Path, builder: RunBuilder) -> Run:
    """Return the run of ``--output-format stream-json``: what was shown of a session."""
    run = AgentRun(builder)
    model = ""
    turn: _Turn | None = None

    def close() -> None:
        nonlocal turn
        if turn is not None:
            run.call(
                _joined(turn.parts),
                turn.origin,
                model=model,
                grade=Grade.UNKNOWN,
                grade_reason=_DISPLAYED,
                at=turn.at or None,
            )
        turn = None

    for line in lines.read(path):
        value, origin = line.value, f"{path.name}:{line.number}"
        kind, at = string(value.get("type")), string(value.get("timestamp"))
        if kind == "init":
            model = string(value.get("model"))
            builder.run_id = builder.run_id or string(value.get("session_id"))
        elif kind == "tool_result":
            close()
            _shown_result(value, run, origin)
        elif kind == "message" and value.get("role") != "assistant":
            close()
            run.say("user", content_parts(value.get("content")), origin)
        elif kind in {"message", "tool_use"}:
            turn = turn or _Turn([], origin, at)
            turn.parts += _written(value, kind)
        elif kind == "result":
            close()
            _count(mapping(value.get("stats")), builder)
        else:
            builder.other_events.append(OtherEvent(kind or "?", origin, compact(value)))
    close()
    return run.finish()


def _written(value: Mapping[str, object], kind: str) -> list[Part]:
    if kind == "message":
        return content_parts(value.get("content"))
    arguments = compact(value.get("parameters"))
    name = string(value.get("tool_name"))
    return [Part(PartKind.TOOL_CALL, arguments, string(value.get("tool_id")), name)]


def _joined(parts: list[Part]) -> list[Part]:
    """Return the parts with the pieces of one text put together."""
    made: list[Part] = []
    for part in parts:
        if made and part.kind is made[-1].kind is PartKind.TEXT:
            made[-1] = Part(PartKind.TEXT, made[-1].text + part.text)
        else:
            made.append(part)
    return made


def _shown_result(value: Mapping[str, object], run: AgentRun, origin: str) -> None:
    call_id = string(value.get("tool_id"))
    failed = value.get("status") == "error"
    text = string(value.get("output")) or string(mapping(value.get("error")).get("message"))
    part = run.result(call_id, text, origin, status="error" if failed else "")
    run.say("tool", [part], origin)


def _count(stats: Mapping[str, object], builder: RunBuilder) -> None:
    """Give the tokens of the whole to the only call, where there is one; to none of several."""
    if len(builder.calls) == 1:
        usage = Usage(count(stats.get("input_tokens")), count(stats.get("output_tokens")))
        builder.calls[0] = replace(builder.calls[0], usage=usage)


# -- outputs that were saved -----------------------------------------------------------------------


class Outputs(SavedFiles):
    """The whole outputs that the client saved in ``tool-outputs``, by file name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, Path] | None = None

    def name_in(self, path: str) -> str:
        """Return the name of the saved output that *path* is, or an empty string."""
        name = path.replace("\\", "/").rpartition("/")[2]
        return name if "tool-outputs" in path and self._place(name) is not None else ""

    def bytes_of(self, name: str) -> bytes | None:
        """Return its bytes, if it is there."""
        place = self._place(name)
        try:
            if place is None:
                return None
            with _files.open_regular(place) as file:
                return file.read()
        except OSError:
            return None

    def _place(self, name: str) -> Path | None:
        if self._places is None:
            self._places = {path.name: path for path in _inside(self._folder)}
        return self._places.get(name)


def _inside(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of the folders in it; no link out of it is followed."""
    root = folder.resolve()
    for name in sorted(_files.names_in(folder)):
        path = folder / name
        inner = [path / each for each in sorted(_files.names_in(path))] if path.is_dir() else [path]
        yield from (each for each in inner if root in each.resolve().parents and each.is_file())


def is_history(value: object) -> bool:
    """Return whether *value* is a list of contents."""
    held = items(value)
    first = mapping(held[0]) if held else {}
    return first.get("role") in {"user", "model"} and isinstance(first.get("parts"), list)
