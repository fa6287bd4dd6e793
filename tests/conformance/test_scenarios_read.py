"""The six recorded run folders are read whole."""

from pathlib import Path

import pytest

from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import ProblemKind, Run
from store.records.sources import Integrity

_CALLS = {
    "context-bill": 21,
    "coverage-facts": 10,
    "evidence-tools": 5,
    "folded-reference": 6,
    "retrieval-admission": 8,
    "turn-end-clearing": 10,
}


def _run(shared: Path, name: str) -> Run:
    (run,) = open_paths([str(shared / "data" / "scenarios" / name)])
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize(("name", "calls"), _CALLS.items())
def test_every_call_is_read_as_recorded(shared: Path, name: str, calls: int) -> None:
    run = _run(shared, name)
    assert (run.run_id, len(run.calls), run.grade) == (name, calls, Grade.RECORDED)
    assert len(run.tool_calls) == len(run.tool_results) == calls - 1
    assert len(run.answers) == 1


def test_a_folder_of_run_folders_is_read_in_order(shared: Path) -> None:
    runs = list(open_paths([str(shared / "data" / "scenarios")]))
    assert [run.run_id for run in runs if isinstance(run, Run)] == list(_CALLS)


def test_references_to_earlier_requests_are_expanded(shared: Path) -> None:
    run = _run(shared, "turn-end-clearing")
    assert [len(request) for request in run.requests()] == list(range(1, 20, 2))
    third, fourth = run.request(3), run.request(4)
    assert fourth[:2] == third[:2]
    assert fourth[2] != third[2]
    cleared, full = run.messages[fourth[2]].parts[0], run.messages[third[2]].parts[0]
    assert cleared.tool_call_id == full.tool_call_id == "call-001"
    assert len(cleared.text) < len(full.text) == 3889


def test_what_a_model_said_is_the_message_that_the_next_request_holds(shared: Path) -> None:
    for name in _CALLS:
        run = _run(shared, name)
        for call in run.calls[:-1]:
            assert call.response[0] in run.request(call.index + 1)


def test_the_broken_last_line_and_the_unknown_event_are_told(shared: Path) -> None:
    run = _run(shared, "turn-end-clearing")
    (problem,) = run.problems
    assert problem.where.endswith("turn-end-clearing/events.jsonl:39")
    assert problem.kind is ProblemKind.LOST
    assert "vendor_note" in {event.name for event in run.other_events}


def test_the_failed_refresh_stands_after_the_version_it_kept(shared: Path) -> None:
    run = _run(shared, "coverage-facts")
    (failure,) = run.refresh_failures
    assert (failure.source_id, failure.error) == ("src-h", "upstream 503")
    kept = [version.key.version_id for version in run.versions[: failure.after]]
    assert failure.kept in kept


def test_bytes_that_changed_are_marked_and_never_text(shared: Path) -> None:
    run = _run(shared, "coverage-facts")
    (version,) = [each for each in run.versions if each.integrity is Integrity.CHANGED]
    assert (version.key.source_id, version.text, version.chars) == ("src-j", None, 5)
    assert [each.kind for each in run.problems] == [ProblemKind.CHANGED]


def test_previews_are_cut_from_the_versions_they_preview(shared: Path) -> None:
    run = _run(shared, "evidence-tools")
    (manifest,) = run.manifests
    assert len(manifest.entries) == 12
    assert {len(entry.preview_text) for entry in manifest.entries} == {40}


def test_blocks_admissions_budgets_and_grants_are_read(shared: Path) -> None:
    run = _run(shared, "retrieval-admission")
    assert run.budget is not None
    assert run.budget.max_context_tokens == 6000
    assert [each.admitted for each in run.admissions] == [False]
    assert any(selection.blocks for each in run.tool_results for selection in each.selections)
    grant = _run(shared, "coverage-facts").grant
    assert grant is not None
    assert grant.scope == ("src-*",)
