"""Recorded Claude Code sessions: what the record proves, and which reads were taken away."""

from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from store.importers.claude_code import IMPORTER
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from tests.unit.claude_sessions import held, original, probe, runs_of

EXPLAINED = {
    # Read again by its own path, whole, as call 7 asked: the report itself says so.
    "schema-13-216_20260129-230228": {"pipeline-refactor.md"},
}
"""Files that a session's own report names and the record does not: see docs/phantom-reads.md."""


@pytest.fixture(scope="session")
def sessions(shared: Path) -> Path:
    return shared / "data" / "claude-code"


def read(path: Path) -> Run:
    (run,) = runs_of(path)
    return run


def labels(shared: Path) -> dict[str, set[str]]:
    table = (shared / "data" / "truth" / "phantom-reads.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.split("\n")[1:] if line]
    return {row[0]: {name for name in row[2].split(";") if name} for row in rows}


@pytest.mark.parametrize(
    ("name", "grade", "calls"),
    [
        ("cc_2055_context_management", Grade.UNKNOWN, 103),
        ("cc_2058_era1_cleared_silent", Grade.UNKNOWN, 28),
        ("cc_21114_main", Grade.INFERRED, 17),
        ("cc_21114_subagent", Grade.INFERRED, 20),
        ("cc_2114_two_microcompact", Grade.DERIVED, 8),
        ("cc_2120_one_microcompact", Grade.DERIVED, 8),
        ("cc_synth_compaction_session", Grade.DERIVED, 2),
    ],
)
def test_each_session_has_the_grade_of_its_era_and_one_call_for_each_message(
    sessions: Path, name: str, grade: Grade, calls: int
) -> None:
    path = sessions / f"{name}.jsonl"
    assert IMPORTER.recognise(probe(path))
    run = read(path)
    assert run.grade is grade
    assert len(run.calls) == calls
    assert run.problems == ()


def test_a_lost_cache_is_noted_only_in_sessions_that_were_cleared_without_a_boundary(
    sessions: Path,
) -> None:
    found = {}
    for path in sorted(sessions.rglob("*.jsonl")):
        run = read(path)
        lost = [f for f in audit(run).findings if f.rule == "CAC004"]
        if lost:
            found[path.parent.name if path.stem[:2] != "cc" else path.stem] = lost[0].where.call
    assert found == {
        "cc_2058_era1_cleared_silent": 15,
        "repro-attempts-04-barebones_20260127-092743": 7,
        "schema-13-216_20260129-230228": 7,
    }


def test_eleven_results_are_delivered_before_two_boundaries_and_absent_after(
    sessions: Path,
) -> None:
    run = read(sessions / "cc_2114_two_microcompact.jsonl")
    first, second = run.edits
    assert (first.before_call, len(first.tool_call_ids)) == (6, 6)
    assert (second.before_call, len(second.tool_call_ids)) == (8, 5)
    for edit in run.edits:
        assert (edit.kind, edit.grade) == (EditKind.PERSIST, Grade.DERIVED)
        assert edit.before_call is not None
        for call_id in edit.tool_call_ids:
            shown = [held(run, call.index, call_id) for call in run.calls]
            whole = [text == original(run, call_id) for text in shown]
            assert whole[edit.before_call - 2]
            assert not any(whole[edit.before_call - 1 :])
            after = shown[edit.before_call - 1 :]
            assert all("Tool result saved to" in (text or "") for text in after)


def test_input_tokens_fall_where_the_boundary_takes_results_away(sessions: Path) -> None:
    run = read(sessions / "cc_2114_two_microcompact.jsonl")
    assert [call.usage.input_tokens for call in run.calls[4:6]] == [161474, 153480]


def test_the_subagent_names_the_session_that_started_it(sessions: Path) -> None:
    main = read(sessions / "cc_21114_main.jsonl")
    agent = read(sessions / "cc_21114_subagent.jsonl")
    assert agent.parent_run == main.run_id
    assert agent.run_id == "agent-a4ca7529859c158c2"
    theirs = {message.parts for message in agent.messages}
    shared_text = [message for message in main.messages if message.parts in theirs]
    assert shared_text == []  # the parent was given the final report only, inside a tool result


def test_a_compaction_leaves_only_its_summary(sessions: Path) -> None:
    run = read(sessions / "cc_synth_compaction_session.jsonl")
    kinds = [run.messages[index].parts[0].kind for index in run.request(2)]
    assert kinds == [PartKind.SUMMARY, PartKind.TEXT]


def test_every_read_of_a_recorded_file_is_mapped_back_to_the_file(sessions: Path) -> None:
    for name in ("cc_2055_context_management", "cc_2120_one_microcompact"):
        run = read(sessions / f"{name}.jsonl")
        known = {version.key: version for version in run.versions}
        reads = [one for one in run.tool_results if one.is_file_read and not one.failed]
        assert reads
        for one in reads:
            version = known[one.selections[0].key]
            assert version.text is not None
            assert not version.text.lstrip().startswith("1→")


def test_plc001_names_exactly_the_files_whose_text_was_taken_away(shared: Path) -> None:
    folder = shared / "data" / "claude-code" / "phantom-reads"
    told = labels(shared)
    assert len(told) == 10
    for name, confessed in told.items():
        (run,) = [one for one in open_paths([str(folder / name)]) if isinstance(one, Run)]
        named = [one for one in audit(run).findings if one.rule == "PLC001"]
        files = [(one.where.source_id or "").rpartition("/")[2] for one in named]
        assert len(files) == len(set(files)), name
        assert set(files) == confessed - EXPLAINED.get(name, set()), name
        assert {one.grade for one in named} <= {run.grade}, name


def test_a_confessed_file_that_the_record_acquits_was_delivered_by_its_second_read(
    sessions: Path,
) -> None:
    folder = sessions / "phantom-reads" / "schema-13-216_20260129-230228"
    (run,) = runs_of(folder)
    last = max(answer.call for answer in run.answers)
    reads = [
        one.tool_call_id
        for one in run.tool_results
        if one.is_file_read and one.selections[0].source_id.endswith("pipeline-refactor.md")
    ]
    whole = [held(run, last, call_id) == original(run, call_id) for call_id in reads]
    assert whole == [False, True]
    (second,) = [one for one in run.tool_calls if one.id == reads[1]]
    assert second.by_call == 7


def test_the_whole_folder_of_recorded_sessions_is_opened_without_a_loss(sessions: Path) -> None:
    opened = list(open_paths([str(sessions)]))
    runs = [one for one in opened if isinstance(one, Run)]
    assert len(runs) == 17
    assert len({run.run_id for run in runs}) == 17
    assert [one for one in opened if not isinstance(one, Run)] == []
    assert [problem for run in runs for problem in run.problems] == []


def test_boundaries_name_exactly_the_results_that_have_a_file_of_their_own(shared: Path) -> None:
    checked = 0
    for path in sorted((shared / "data" / "claude-code" / "phantom-reads").glob("*/*.jsonl")):
        if path.stem.startswith("agent-"):
            continue
        files = {one.stem for one in (path.with_suffix("") / "tool-results").glob("toolu_*.txt")}
        run = read(path)
        named = {
            call_id
            for edit in run.edits
            if edit.kind is EditKind.PERSIST and edit.grade is Grade.DERIVED
            for call_id in edit.tool_call_ids
        }
        if named:
            checked += 1
            assert named == files
    assert checked == 4
