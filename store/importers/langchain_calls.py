"""Logs of model calls with LangChain's messages: one line for each call, as it was made."""

from __future__ import annotations

from collections.abc import Iterator

from store.importers import _files
from store.importers._base import NO_CALLS, Importer, Probe, UnreadableError
from store.importers._lc_log import CallLog, looks_like_log
from store.importers._lc_thread_run import run_of
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "langchain-calls"


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins a log of calls."""
    return not probe.is_folder and looks_like_log(probe.head)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of each conversation of a log."""
    with _files.open_regular(probe.path) as file:
        data = file.read()
    log = CallLog(probe.path.name)
    log.read(data)
    records = log.finish()
    if not records:
        raise UnreadableError(_files.shown(probe.label), NO_CALLS)
    for record in records:
        yield run_of(record, probe.label, _NAME, Layer.CLIENT)


IMPORTER = Importer(
    name=_NAME,
    title="Log of model calls (LangChain messages)",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="the messages as they were given to the model's client; unknown where some are of "
    "a form that is not known, and where the service reports that it edited the request",
    recognised_by="objects with the messages of a request (request, messages, input) in a "
    "spelling of LangChain and the message of the answer (response, output): JSON or JSON Lines",
    proves="each call as its log tells it, message by message",
    order=270,
    recognise=recognise,
    read=read,
    alone=True,
    heads_tell=True,
)
