"""Logs of model calls that people write themselves, and the folders in which they lie."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from store.importers.langchain_calls import IMPORTER
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import EditKind, Problem, ProblemKind, Run
from store.walking import recognised
from tests.langchain import requested
from tests.unit.langgraph_databases import Saver, ai, database, human, probe_of, tool

CALL = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}


def said(kind: str, text: str, **more: object) -> dict[str, object]:
    return {"type": kind, "data": {"content": text, "type": kind, **more}}


def line(given: list[object], made: object, **more: object) -> dict[str, object]:
    return {"request": {"messages": given}, "response": made, **more}


def turns() -> list[dict[str, object]]:
    asks = said("ai", "", tool_calls=[CALL], id="a1")
    result = said("tool", "饺子 28", tool_call_id="c1")
    first: list[object] = [said("system", "Be brief."), said("human", "How much?")]
    return [line(first, asks), line([*first, asks, result], said("ai", "28.", id="a2"))]


def read(folder: Path, lines: list[dict[str, object]]) -> list[Run]:
    path = folder / "calls.jsonl"
    path.write_bytes(b"\n".join(json.dumps(each).encode() for each in lines))
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def test_each_line_is_a_call_and_lines_that_continue_one_another_a_run(tmp_path: Path) -> None:
    other = line([said("human", "Another matter")], said("ai", "Yes."))
    thread, lone = read(tmp_path, [turns()[0], other, turns()[1]])
    assert requested(thread) == [
        ["Be brief.", "How much?"],
        ["Be brief.", "How much?", "", "饺子 28"],
    ]
    assert requested(lone) == [["Another matter"]]
    assert {(call.grade, call.grade_reason) for call in thread.calls} == {(Grade.RECORDED, "")}
    assert [(call.id, call.by_call) for call in thread.tool_calls] == [("c1", 1)]
    assert [answer.text for answer in thread.answers] == ["28."]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("messages", "response"),
        ("input", "output"),
        ("inputs", "outputs"),
    ],
)
def test_the_keys_of_a_line_may_be_other_ones(tmp_path: Path, given: str, made: str) -> None:
    lines = [
        {given: each["request"]["messages"], made: each["response"], "ts": "2031-01-01"}  # type: ignore[index]
        for each in turns()
    ]
    (run,) = read(tmp_path, lines)
    assert len(run.calls) == 2
    assert run.calls[0].at == "2031-01-01"


def test_lines_of_several_threads_are_kept_apart_by_their_names(tmp_path: Path) -> None:
    lines = [{**each, "thread_id": name} for each in turns() for name in ("one", "two")]
    one, two = read(tmp_path, lines)
    assert (one.run_id, two.run_id) == ("one", "two")
    assert len(one.calls) == len(two.calls) == 2


def test_a_call_that_wrote_a_summary_is_kept_in_the_thread_that_reads_it(tmp_path: Path) -> None:
    summary = "The person asked for the price of dumplings, and it was found on the menu."
    wrote = line([said("human", "<messages> … </messages>")], said("ai", summary))
    shown = said("human", f"Here is a summary of the conversation to date:\n\n{summary}")
    after = line([shown, turns()[1]["response"], said("human", "And?")], said("ai", "Done."))
    (run,) = read(tmp_path, [*turns(), wrote, after])
    assert len(run.calls) == 3
    assert [event.name for event in run.other_events] == ["summarization"]


def test_a_line_that_is_no_call_is_named(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    good = [json.dumps(each).encode() for each in turns()]
    path.write_bytes(b"\n".join([good[0], b'{"note": 1}', b'{"cut', good[1]]))
    (run,) = [run for run in IMPORTER.read(probe_of(path)) if isinstance(run, Run)]
    assert [(p.where, p.kind) for p in run.problems] == [
        ("calls.jsonl:2", ProblemKind.NOTED),
        ("calls.jsonl:3", ProblemKind.LOST),
    ]
    assert len(run.calls) == 2


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [said("human", "a"), said("ai", "b")]},
        [said("human", "a"), said("ai", "b")],
        {"event": "model_call", "request": {"messages": [said("human", "a")]}, "response": {}},
        {"request": {"messages": [{"role": "user", "content": "a"}]}, "response": {"choices": []}},
        {"messages": [said("human", "a"), said("ai", "b")], "response": "b"},
        {"messages": [said("human", "a")], "answer": "b"},
        {"input": [said("human", "a")], "output": [said("human", "a"), said("ai", "b")]},
        {"inputs": {"messages": [said("human", "a")]}, "outputs": "b", "dataset_id": "d"},
    ],
)
def test_a_state_and_records_of_others_are_no_log(tmp_path: Path, value: object) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert not IMPORTER.recognise(probe_of(path))
    importer = recognised(probe_of(path))
    assert importer is None or importer.name != IMPORTER.name


# -- folders -----------------------------------------------------------------------


def saved(folder: Path) -> None:
    with closing(database(folder / "db.sqlite")) as connection:
        Saver(connection).turn(
            [human("How much?")],
            [ai("", "a1", "c1")],
            [tool("饺子 28", "c1")],
            [ai("28.", "a2")],
        )


def log_in(folder: Path, lines: list[dict[str, object]], name: str = "calls.jsonl") -> None:
    (folder / name).write_bytes(b"\n".join(json.dumps(each).encode() for each in lines))


def opened(folder: Path) -> tuple[list[Run], list[Problem]]:
    found = list(open_paths([str(folder)]))
    return (
        [item for item in found if isinstance(item, Run)],
        [item for item in found if isinstance(item, Problem)],
    )


def test_states_and_a_log_of_one_thread_are_one_run(tmp_path: Path) -> None:
    saved(tmp_path)
    lines = turns()
    lines[1]["request"]["messages"][3] = said("tool", "[gone]", tool_call_id="c1")  # type: ignore[index]
    log_in(tmp_path, lines)
    (run,), _ = opened(tmp_path)
    assert requested(run)[1] == ["Be brief.", "How much?", "", "[gone]"]
    assert [result.text for result in run.tool_results] == ["饺子 28"]
    (edit,) = run.edits
    assert (edit.before_call, edit.tool_call_ids) == (2, ("c1",))
    assert edit.kind in (EditKind.CLEAR, EditKind.FOLD)
    assert edit.grade is Grade.RECORDED


def test_a_call_that_only_the_states_tell_of_keeps_its_grade(tmp_path: Path) -> None:
    saved(tmp_path)
    log_in(tmp_path, turns()[:1])
    (run,), _ = opened(tmp_path)
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.DERIVED]
    assert run.grade is Grade.DERIVED


def test_a_request_that_a_trace_hides_is_taken_from_the_state(tmp_path: Path) -> None:
    saved(tmp_path)
    runs = [
        {"id": name, "run_type": "llm", "trace_id": "x", "dotted_order": f"{at}Z{name}",
         "start_time": "2031", "inputs": {}, "outputs": {"generations": [[{"message": made}]]}}
        for at, (name, made) in enumerate(
            [("r1", said("ai", "", tool_calls=[CALL], id="a1")), ("r2", said("ai", "28.", id="a2"))]
        )
    ]  # fmt: skip
    (tmp_path / "runs.json").write_text(json.dumps(runs), encoding="utf-8")
    (run,), _ = opened(tmp_path)
    assert [call.grade for call in run.calls] == [Grade.DERIVED] * 2
    assert requested(run) == [["How much?"], ["How much?", "", "饺子 28"]]


def test_records_of_other_threads_stay_runs_of_their_own(tmp_path: Path) -> None:
    saved(tmp_path)
    log_in(tmp_path, [line([said("human", "Other")], said("ai", "28."))])
    state, log = opened(tmp_path)[0]
    assert (state.format, log.format) == ("langgraph-checkpoints", "langchain-calls")
    assert log.path.endswith("/calls.jsonl")
    assert len(state.calls) == 2


def test_two_logs_that_differ_are_told(tmp_path: Path) -> None:
    log_in(tmp_path, turns())
    lines = turns()
    lines[1]["request"]["messages"][3] = said("tool", "another text", tool_call_id="c1")  # type: ignore[index]
    log_in(tmp_path, lines, "more.jsonl")
    (run,), _ = opened(tmp_path)
    assert any("stand otherwise" in problem.what for problem in run.problems)


def test_a_dump_of_the_same_conversation_is_no_second_run(tmp_path: Path) -> None:
    saved(tmp_path)
    dump = [said("human", "How much?"), said("ai", "28.", id="a2")]
    (tmp_path / "final.json").write_text(json.dumps(dump), encoding="utf-8")
    other = [said("human", "Who?"), said("ai", "Nobody.", id="b9")]
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    first, second = opened(tmp_path)[0]
    assert (first.run_id, second.format) == ("t", "message-dump")
    assert any(problem.where.endswith("final.json") for problem in first.problems)


def test_what_else_lies_in_the_folder_is_read_or_named(tmp_path: Path) -> None:
    saved(tmp_path)
    log_in(tmp_path, turns())
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    inner = tmp_path / "inner"
    inner.mkdir()
    dump = [said("human", "Who?"), said("ai", "Nobody.", id="b9")]
    (inner / "dump.json").write_text(json.dumps(dump), encoding="utf-8")
    (inner / "more").mkdir()
    (inner / "more/policy.txt").write_text("Clause 3.", encoding="utf-8")
    (tmp_path / "link.sqlite").symlink_to("/etc/hostname")
    (first, second), problems = opened(tmp_path)
    assert second.path.endswith("inner/dump.json")
    (left,) = [problem.what for problem in first.problems]
    assert left.endswith("inner/more/policy.txt, link.sqlite (a link), notes.txt")
    assert problems == []


def test_a_broken_record_does_not_stop_the_others(tmp_path: Path) -> None:
    log_in(tmp_path, turns())
    (tmp_path / "db.sqlite").write_bytes(b"SQLite format 3\0checkpoint_id" + b"\xff" * 4000)
    runs, problems = opened(tmp_path)
    (run,) = runs
    told = [*run.problems, *problems]
    assert any(p.kind is ProblemKind.LOST and "db.sqlite" in p.where for p in told)
    assert len(run.calls) == 2
