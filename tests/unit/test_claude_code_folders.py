"""A session with its folder, a project of sessions, subagents of every era, and hostile links."""

from pathlib import Path

import pytest

from store.importers._base import UnreadableError
from store.importers.claude_code import IMPORTER
from store.opening import open_paths
from store.records.runs import Run
from tests.unit.claude_sessions import SESSION, Session, probe, runs_of

OTHER = "99999999-2222-3333-4444-555555555555"


def session(name: str = SESSION) -> Session:
    made = Session(session=name)
    made.user("hello", f"u-{name}", None)
    made.says("hi", f"a-{name}", f"m-{name}")
    return made


def agent(name: str, of: str = SESSION) -> Session:
    made = Session(session=of, agent=name)
    made.user("look it up", f"u-{name}", None)
    made.says("found it", f"a-{name}", f"m-{name}")
    return made


def test_a_session_file_brings_its_subagents_flat_and_foldered(tmp_path: Path) -> None:
    path = session().write(tmp_path / f"{SESSION}.jsonl")
    agent("aaa").write(tmp_path / "agent-aaa.jsonl")
    agent("bbb").write(tmp_path / SESSION / "subagents" / "agent-bbb.jsonl")
    agent("ccc", of=OTHER).write(tmp_path / "agent-ccc.jsonl")
    runs = runs_of(path)
    assert [run.run_id for run in runs] == [SESSION, "agent-bbb", "agent-aaa"]
    assert [run.parent_run for run in runs] == [None, SESSION, SESSION]
    assert runs[1].path == f"{SESSION}/subagents/agent-bbb.jsonl"


def test_a_project_folder_is_read_once_and_in_order(tmp_path: Path) -> None:
    session(OTHER).write(tmp_path / f"{OTHER}.jsonl")
    session().write(tmp_path / f"{SESSION}.jsonl")
    agent("aaa").write(tmp_path / "agent-aaa.jsonl")
    agent("bbb").write(tmp_path / SESSION / "subagents" / "agent-bbb.jsonl")
    agent("ddd").write(tmp_path / SESSION / "tool-results" / "saved.jsonl")
    assert IMPORTER.recognise(probe(tmp_path))
    runs = runs_of(tmp_path)
    assert [run.path.partition("/")[2] for run in runs] == [
        f"{SESSION}.jsonl",
        f"{SESSION}/subagents/agent-bbb.jsonl",
        f"{OTHER}.jsonl",
        "agent-aaa.jsonl",
    ]


def test_a_lone_subagent_is_a_run_with_its_parent(tmp_path: Path) -> None:
    session().write(tmp_path / f"{SESSION}.jsonl")
    path = agent("bbb").write(tmp_path / SESSION / "subagents" / "agent-bbb.jsonl")
    (run,) = runs_of(path)
    assert (run.run_id, run.parent_run) == ("agent-bbb", SESSION)


def test_a_sessions_own_folder_belongs_to_its_file(tmp_path: Path) -> None:
    agent("bbb").write(tmp_path / SESSION / "subagents" / "agent-bbb.jsonl")
    folder = tmp_path / SESSION
    assert IMPORTER.recognise(probe(folder))
    assert [run.run_id for run in runs_of(folder)] == ["agent-bbb"]
    session().write(tmp_path / f"{SESSION}.jsonl")
    assert runs_of(folder) == []


def test_a_subagent_written_into_the_sessions_file_is_a_run_of_its_own(tmp_path: Path) -> None:
    made = session()
    made.lines += agent("old").lines
    main, inner = runs_of(made.write(tmp_path / f"{SESSION}.jsonl"))
    assert (main.run_id, len(main.calls)) == (SESSION, 1)
    assert (inner.run_id, inner.parent_run, len(inner.calls)) == ("agent-old", SESSION, 1)


def test_saved_results_of_a_session_are_shared_with_its_subagents(tmp_path: Path) -> None:
    made = agent("bbb")
    made.asks("t1", "a1", "m1", file_path="f.md")
    made.result("t1", "     1→text", "r1")
    made.says("done", "a2", "m2")
    path = made.write(tmp_path / SESSION / "subagents" / "agent-bbb.jsonl")
    (tmp_path / SESSION / "tool-results").mkdir()
    (tmp_path / SESSION / "tool-results" / "t1.txt").write_text("     1→text")
    (run,) = runs_of(path)
    assert [edit.tool_call_ids for edit in run.edits] == [("t1",)]


def test_links_out_of_the_folder_are_told_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    agent("evil").write(outside / "agent-evil.jsonl")
    (outside / "t1.txt").write_text("secret")
    project = tmp_path / "project"
    path = session().write(project / f"{SESSION}.jsonl")
    for folder, name in (("subagents", "agent-evil.jsonl"), ("tool-results", "t1.txt")):
        (project / SESSION / folder).mkdir(parents=True)
        (project / SESSION / folder / name).symlink_to(outside / name)
    for opened in (path, project):
        runs = runs_of(opened)
        assert {run.run_id for run in runs} == {SESSION}
        told = [problem.where for run in runs for problem in run.problems]
        assert any(where.endswith(f"{SESSION}/tool-results/t1.txt") for where in told)


def test_a_file_beside_the_sessions_is_named_as_left_out(tmp_path: Path) -> None:
    session().write(tmp_path / f"{SESSION}.jsonl")
    (tmp_path / "trial_data.json").write_text("{}")
    (run,) = runs_of(tmp_path)
    (told,) = run.problems
    assert told.kind == "noted"
    assert told.where.endswith("/trial_data.json")


def test_a_folder_named_like_sessions_that_holds_none_says_so(tmp_path: Path) -> None:
    (tmp_path / f"{SESSION}.jsonl").write_text("not a session")
    with pytest.raises(UnreadableError, match="no file in this folder"):
        runs_of(tmp_path)


def test_a_file_of_summaries_only_is_a_run_without_calls(tmp_path: Path) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text('{"type":"summary","summary":"Old talk","leafUuid":"elsewhere"}\n')
    (run,) = runs_of(path)
    assert run.calls == ()
    assert [problem.kind for problem in run.problems] == ["noted"]


def test_an_opened_project_gives_its_runs_by_path_then_by_run_id(tmp_path: Path) -> None:
    made = session(OTHER)
    made.user("wrong", "w1", f"a-{OTHER}")
    made.says("wrong", "w2", "w")
    made.user("right", "w3", f"a-{OTHER}")
    made.says("right", "w4", "x")
    made.write(tmp_path / f"{OTHER}.jsonl")
    agent("zzz", of=SESSION).write(tmp_path / SESSION / "subagents" / "agent-zzz.jsonl")
    session().write(tmp_path / f"{SESSION}.jsonl")
    opened = [one for one in open_paths([str(tmp_path)]) if isinstance(one, Run)]
    assert [run.run_id for run in opened] == [SESSION, "agent-zzz", OTHER, f"{OTHER}@w2"]
