"""Aider: the history of its chats, and the log of its requests.

The history is for people: it holds no request.  The log, which a user has to
ask for, holds every request as it was sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from store.builder import RunBuilder
from store.importers import _files
from store.importers._aider_chat import Chat, chat_run, chats_in, is_chat
from store.importers._aider_log import is_log, log_run
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind, Run

__all__ = ["IMPORTER"]

_FORMAT: Final = "aider"


def recognise(probe: Probe) -> bool:
    """Return whether *probe* is a history of chats or a log of requests."""
    head = probe.head.removeprefix(b"\xef\xbb\xbf")
    return not probe.is_folder and (is_chat(head) or is_log(head))


def read(probe: Probe) -> Iterator[Run]:
    """Yield a run for each session of a history in which a model spoke, or the run of a log."""
    try:
        with _files.open_regular(probe.path, _files.LONG_LINES) as stream:
            lines = _files.lines(stream)
            if is_log(probe.head.removeprefix(b"\xef\xbb\xbf")):
                builder = RunBuilder(probe.path.stem, probe.label, _FORMAT, Layer.CLIENT)
                yield log_run(lines, builder, probe.path.name)
                return
            yield from _chats(probe, chats_in(lines))
    except OSError as error:
        raise UnreadableError(probe.label, f"cannot be read ({error.strerror})") from None


def _chats(probe: Probe, chats: Iterator[Chat]) -> Iterator[Run]:
    made: dict[str, int] = {}
    spoke = False
    silent: Run | None = None
    for chat in chats:
        use = made[chat.started] = made.get(chat.started, 0) + 1
        run_id = f"chat {chat.started}" + (f" #{use}" if use > 1 else "")
        builder = RunBuilder(run_id, probe.label, _FORMAT, Layer.TRANSCRIPT, title=run_id)
        run = chat_run(chat, builder, probe.path.name)
        if run.calls:
            spoke = True
            yield run
        elif silent is None or run.manifests:
            silent = run
    if not spoke and silent is not None:
        told = Problem(_files.shown(probe.label), NO_CALLS, ProblemKind.NOTED)
        yield replace(silent, problems=(*silent.problems, told))


IMPORTER = Importer(
    name=_FORMAT,
    title="Aider chat history or request log",
    layer=Layer.TRANSCRIPT,
    grade=Grade.UNKNOWN,
    grade_note=(
        "a chat history holds no request; the log of --llm-history-file holds each one and is "
        "recorded"
    ),
    recognised_by='a first line "# aider chat started at", or "TO LLM" with a time',
    proves=(
        "the talk of a session with its files is read, and no request is claimed: the chat "
        "holds none"
    ),
    order=60,
    recognise=recognise,
    read=read,
)
