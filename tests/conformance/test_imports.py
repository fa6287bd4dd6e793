"""A run folder that was written from another format is judged as that was, in every sample."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.audit.engine import audit
from reviewer.reports import run_record
from reviewer.services.importing import Imported, import_runs
from store.entries import Entry
from store.opening import list_paths, open_paths
from store.records.runs import Run

FOLDERS = (
    "captures",
    "claude-code",
    "codex",
    "generated",
    "inspect",
    "langchain",
    "langfuse",
    "opencode",
    "openhands",
    "otlp",
    "scenarios",
    "swe-agent",
    "transcripts",
)
_JUDGED_TWICE = 150_000
"""Bytes up to which a sample is audited from both; the audit of a record has one outcome anyway."""


def _as_before(again: Run, before: Run) -> Run:
    """Return what was read again, called as before; whoever opens a folder names it anew."""
    problems = tuple(
        replace(each, where=each.where.replace(again.path, before.path, 1))
        for each in again.problems
        # JSON holds half a character as an escape only, and reading that is told.
        if not each.what.startswith("read tolerantly")
    )
    # The first is the manifest of the folder itself.
    return replace(
        again,
        path=before.path,
        format=before.format,
        problems=problems,
        other_events=again.other_events[1:],
    )


def _judged(run: Run) -> dict[str, Any]:
    """Return all that an audit says of a run."""
    record: dict[str, Any] = json.loads(json.dumps(run_record(audit(run))))
    return record


@pytest.mark.parametrize("name", FOLDERS)
def test_what_was_imported_is_judged_as_what_it_was_imported_from(
    shared: Path, tmp_path: Path, name: str
) -> None:
    for number, entry in enumerate(list_paths([str(shared / "data" / name)])):
        if not isinstance(entry, Entry) or "#" in entry.place:
            continue
        runs = [item for item in entry.read() if isinstance(item, Run)]
        folder = str(tmp_path / str(number))
        written = list(import_runs([entry.place], folder))
        imported = [item for item in written if isinstance(item, Imported)]
        for before, made in zip(runs, imported, strict=True):
            assert made.lost == (), entry.place
            (again,) = [each for each in open_paths([made.folder]) if isinstance(each, Run)]
            assert again.format == "reread.run"
            called = _as_before(again, before)
            assert called == before, entry.place
            if (entry.size or 0) <= _JUDGED_TWICE:
                assert _judged(called) == _judged(before), entry.place
