"""Runs of LangSmith: what a model was given, as LangChain or a traced client handed it over.

A run of a model holds its request before the provider's adapter made a body of
it: beside the text stand fields (artifacts, states) that are never sent.  The
runs of a thread are one run here, whatever traces they are in.
"""

from __future__ import annotations

from collections.abc import Iterator

from store.importers import _files
from store.importers._base import Importer, Probe, UnreadableError
from store.importers._lc_join import homed
from store.importers._lc_thread_run import run_of
from store.importers._ls_runs import Runs, looks_like_runs
from store.importers._ls_threads import threads_of
from store.records.grades import Grade, Layer
from store.records.runs import Run

__all__ = ["IMPORTER"]

_NAME = "langsmith"


def recognise(probe: Probe) -> bool:
    """Return whether the head of a file begins runs of LangSmith."""
    return not probe.is_folder and looks_like_runs(probe.path, probe.head)


def read(probe: Probe) -> Iterator[Run]:
    """Yield the run of each thread, and of each sub-agent of it."""
    runs = Runs()
    runs.add_file(probe.path, probe.path.name)
    records = homed(threads_of(runs))
    if not records:
        said = "; ".join(problem.what for problem in runs.problems)
        what = "holds no run of a model, so nothing in it can be audited"
        raise UnreadableError(_files.shown(probe.label), f"{what}: {said}" if said else what)
    records[0].problems[:0] = runs.problems
    for record in records:
        yield run_of(record, probe.label, _NAME, Layer.CLIENT)


IMPORTER = Importer(
    name=_NAME,
    title="LangSmith runs",
    layer=Layer.CLIENT,
    grade=Grade.RECORDED,
    grade_note="the messages as they were given to the provider's adapter; unknown where inputs "
    "are hidden, stored elsewhere or of a form that is not known, and where the service reports "
    "that it edited the request",
    recognised_by="objects with run_type, trace_id and dotted_order: JSON, JSON Lines, bodies for "
    "/runs/batch and /runs/multipart (also in zstd), files of traces that could not be sent, "
    "Parquet of a bulk export; events of callbacks (on_chat_model_start)",
    proves=(
        "runs of models with their inputs, from lines, from trees and from what a client "
        "could not send"
    ),
    order=250,
    recognise=recognise,
    read=read,
)
