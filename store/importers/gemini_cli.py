"""Gemini CLI: its recorded chats, saved histories, headless streams, and the folder of a project.

The client masks old results and folds the history in memory; older versions
leave no trace of it, newer ones write the changed history into the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._agent_json import document
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._gemini_files import (
    Outputs,
    append_records,
    history_run,
    is_history,
    stream_run,
    whole_record,
)
from store.importers._gemini_run import Session
from store.importers._json_lines import JsonLines
from store.importers._probing import file_probe
from store.importers._wire import mapping, string
from store.records.grades import Grade, Layer
from store.records.runs import Message, Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "gemini-cli"
_HEAD: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"
_RECORD: Final = re.compile(rb'\A\s*\{[^{}\[\]]*"(?:sessionId|projectHash)"\s*:')
_HISTORY: Final = re.compile(
    rb'\A\s*(?:\{\s*"history"\s*:\s*)?\[\s*\{\s*(?:"parts"\s*:\s*\[|"role"\s*:\s*"(?:user|model)"'
    rb'\s*,\s*"parts"\s*:\s*\[)'
)
_STREAM: Final = re.compile(rb'\A\s*\{(?=[^\n]*"type"\s*:\s*"init")(?=[^\n]*"session_id"\s*:)')
_SUBAGENT: Final = "subagent"
_CHATS: Final = "chats"
_CHAT: Final = re.compile(r"\A[^.][^/]*\.jsonl?\Z")
_CHECKPOINT: Final = re.compile(r"\Acheckpoint[^/]*\.json\Z")


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is a chat, a history, a stream, or the folder of a project."""
    if probe.is_folder:
        beside = {"logs.json", "tool-outputs", "shell_history", ".project_root"}
        return _CHATS in probe.names and bool(probe.names & beside)
    head = probe.head.removeprefix(_BOM)
    if _RECORD.match(head[:_HEAD]):
        return b'"projectHash"' in head[:_HEAD] and b'"sessionId"' in head[:_HEAD]
    if _STREAM.match(head):
        return b'"tools"' not in head.partition(b"\n")[0]
    return bool(_HISTORY.match(head)) and b'"role"' in head[:_HEAD]


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of a file, or those of a project's folder by path."""
    if probe.is_folder:
        yield from _read_folder(probe)
        return
    try:
        yield _read_file(probe, _outputs_of(probe.path))
    except OSError as error:
        raise UnreadableError(probe.label, f"cannot be read ({error.strerror})") from None


def _outputs_of(path: Path) -> Outputs:
    """Return the outputs saved for the chat at *path*: beside the folder that holds it."""
    above = path.parent if path.parent.name != _CHATS else path.parent.parent
    return Outputs(above / "tool-outputs")


def _read_file(probe: Probe, outputs: Outputs) -> Run:
    builder = RunBuilder("", probe.label, _FORMAT, Layer.TRANSCRIPT)
    name = probe.path.name
    lines = JsonLines(probe.label)
    head = probe.head.removeprefix(_BOM)
    if _STREAM.match(head):
        run = stream_run(lines, probe.path, builder)
    elif _RECORD.match(head[:_HEAD]):
        run = _chat(probe, builder, lines, outputs)
    else:
        value = document(probe)
        history = mapping(value).get("history", value)
        run = history_run(history if isinstance(history, list) else [], builder, name)
        run = run if is_history(history) else replace(run, calls=())
    return _named(probe, run, lines.problems)


def _chat(probe: Probe, builder: RunBuilder, lines: JsonLines, outputs: Outputs) -> Run:
    session = Session(builder, outputs)
    if _is_lines(probe):
        about = append_records(lines, probe.path, session)
    else:
        about = mapping(document(probe))
        whole_record(about, session, probe.path.name)
    builder.run_id = string(about.get("sessionId"))
    builder.title = string(about.get("summary"))
    if about.get("kind") == _SUBAGENT:
        # The chats of subagents lie in a folder named after the session that asked for them.
        builder.parent_run = probe.path.parent.name
    return session.finish()


def _is_lines(probe: Probe) -> bool:
    first = probe.head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].strip()
    return first.endswith(b"}") and not (probe.head.count(b"\n") == 0 and b'"messages"' in first)


def _named(probe: Probe, run: Run, problems: list[Problem]) -> Run:
    told = [*problems, *run.problems]
    if not run.calls:
        told.append(Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED))
    return replace(run, run_id=run.run_id or probe.path.stem, problems=tuple(told))


# -- the folder of a project ------------------------------------------------------------------


def _read_folder(probe: Probe) -> Iterator[Run]:
    """Yield each session once: also where it was written in an older form, or saved by a name."""
    outputs = Outputs(probe.path / "tool-outputs")
    made: dict[str, Run] = {}
    lost: list[Problem] = []
    for path in _chats(probe.path):
        run = _one(path, probe, outputs, lost)
        before = made.get(run.run_id) if run is not None else None
        if run is not None and (before is None or len(run.calls) >= len(before.calls)):
            made[run.run_id] = run
    runs = [run for _, run in sorted(made.items())]
    for name in sorted(name for name in probe.names if _CHECKPOINT.match(name)):
        saved = _one(probe.path / name, probe, outputs, lost)
        known = next((run for run in runs if saved is not None and _holds(run, saved)), None)
        if known is not None and saved is not None:
            what = f"holds the first messages of session {known.run_id}; they count once, there"
            lost.append(Problem(saved.path, what, ProblemKind.NOTED))
        elif saved is not None:
            runs.append(saved)
    if not runs:
        raise UnreadableError(probe.label, "no chat in this folder could be read")
    runs[0] = replace(runs[0], problems=(*lost, *runs[0].problems))
    yield from runs


def _chats(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    chats = folder / _CHATS
    for name in sorted(_files.names_in(chats)):
        path = chats / name
        inner = sorted(_files.names_in(path)) if path.is_dir() else [""]
        for each in inner:
            place = path / each if each else path
            if _CHAT.match(place.name) and place.is_file() and root in place.resolve().parents:
                yield place


def _one(path: Path, probe: Probe, outputs: Outputs, lost: list[Problem]) -> Run | None:
    label = f"{probe.label.rstrip('/')}/{path.relative_to(probe.path).as_posix()}"
    try:
        inner = file_probe(path, label)
        return _read_file(inner, outputs) if recognise(inner) else None
    except (OSError, UnreadableError) as error:
        lost.append(
            error.problem
            if isinstance(error, UnreadableError)
            else Problem(_files.shown(label), f"cannot be read ({error.strerror})")
        )
        return None


def _holds(run: Run, saved: Run) -> bool:
    """Return whether all that a saved history holds stands in a session, in the same order."""
    there = iter(_words(run))
    said = _words(saved)
    return bool(said) and all(text in there for text in said)


def _words(run: Run) -> list[str]:
    last = run.calls[-1] if run.calls else None
    held = [*run.request(last.index), *last.response] if last else range(len(run.messages))
    return [text for index in held if (text := _text(run.messages[index]))]


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts if part.kind.value == "text")


IMPORTER = Importer(
    name=_FORMAT,
    title="Gemini CLI session",
    layer=Layer.TRANSCRIPT,
    grade=Grade.INFERRED,
    grade_note=(
        "derived where the client writes every change of its history into the file; inferred for "
        "older clients; unknown after a compression that left none, and for headless streams"
    ),
    recognised_by=(
        "JSON or JSON lines with sessionId and projectHash; a list of contents with role and "
        "parts; lines that begin with type init; a folder with chats"
    ),
    proves=(
        "made by the tests: messages that grow, masked outputs, compression with and without "
        "its history"
    ),
    order=28,
    recognise=recognise,
    read=read,
    shares=True,
)
