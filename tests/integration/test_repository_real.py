"""Recorded runs come back from the database as they were read."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from store.digest import run_digest
from store.opening import open_paths
from store.records.runs import Run
from store.repository import Repository
from store.sqlite import sqlite_url
from tests.whole_records import exactly

SCENARIOS = (
    "context-bill",
    "coverage-facts",
    "evidence-tools",
    "folded-reference",
    "retrieval-admission",
    "turn-end-clearing",
)
SESSIONS = ("cc_2114_two_microcompact.jsonl", "cc_2055_context_management.jsonl")
DUMPS = ("04_create_agent/b_fold_reference", "05_deepagents/a_state_backend_eviction")
CHUNKS = "06_rag/messages_cited_content_and_artifact.json"


def runs_of(path: Path) -> Sequence[Run]:
    found = [run for run in open_paths([str(path)]) if isinstance(run, Run)]
    assert found
    return found


def check_kept(runs: Sequence[Run], database: Path) -> None:
    """Save the runs, open the database anew, and compare all that was saved."""
    with Repository(sqlite_url(database)) as repository:
        digests = [repository.save(run) for run in runs]
    with Repository(sqlite_url(database)) as repository:
        for digest, run in zip(digests, runs, strict=True):
            loaded = repository.load(digest)
            assert loaded == run
            assert exactly(loaded) == exactly(run)
            assert run_digest(loaded) == digest
            assert list(loaded.requests()) == list(run.requests())


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_recorded_run_folder_comes_back_as_it_was(
    shared: Path, tmp_path: Path, name: str
) -> None:
    check_kept(runs_of(shared / "data/scenarios" / name), tmp_path / "runs.db")


def test_every_recorded_scenario_is_among_those_checked(shared: Path) -> None:
    folders = {path.parent.name for path in shared.glob("data/scenarios/*/manifest.json")}
    assert folders == set(SCENARIOS)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_recorded_session_comes_back_as_it_was(shared: Path, tmp_path: Path, name: str) -> None:
    check_kept(runs_of(shared / "data/claude-code" / name), tmp_path / "runs.db")


@pytest.mark.parametrize("name", DUMPS)
def test_a_recorded_message_dump_comes_back_as_it_was(
    shared: Path, tmp_path: Path, name: str
) -> None:
    path = shared / "data/langchain" / name / "final_state.json"
    check_kept(runs_of(path), tmp_path / "runs.db")


@pytest.mark.parametrize("form", ["messages_to_dict", "dumpd"])
def test_recorded_chunks_come_back_as_the_excerpts_they_are(
    shared: Path, tmp_path: Path, form: str
) -> None:
    recorded = json.loads((shared / "data/langchain" / CHUNKS).read_bytes())
    (tmp_path / "messages.json").write_text(json.dumps(recorded[form]), encoding="utf-8")
    runs = runs_of(tmp_path / "messages.json")
    assert any(version.excerpts for run in runs for version in run.versions)
    check_kept(runs, tmp_path / "runs.db")


def test_all_recorded_sessions_are_kept_beside_each_other(shared: Path, tmp_path: Path) -> None:
    runs = runs_of(shared / "data/claude-code")
    assert len(runs) > 10
    check_kept(runs, tmp_path / "runs.db")
