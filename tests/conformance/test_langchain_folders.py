"""Recorded folders of LangChain: one run for each thread, joined from all that tells of it."""

import json
import shutil
from pathlib import Path

import pytest

from store.importers._capture_coding import undone
from store.opening import open_paths
from store.records.grades import Grade, Layer
from store.records.runs import EditKind, Problem, ProblemKind, Run
from tests.langchain import requested, text_of, whole

AGENTS = (
    "a_context_editing",
    "a2_context_editing_custom_placeholder",
    "b_fold_reference",
    "c_summarization",
    "d_limits_errors",
)
DEEP = ("a_state_backend_eviction", "b_filesystem_backend", "c_summarization_offload")
FOLDERS = (
    *(f"04_create_agent/{name}" for name in AGENTS),
    *(f"05_deepagents/{name}" for name in DEEP),
)


def runs_in(folder: Path) -> list[Run]:
    return [item for item in open_paths([str(folder)]) if isinstance(item, Run)]


def sent(folder: Path) -> list[list[str]]:
    made = []
    for line in whole(folder / "model_calls.jsonl").split(b"\n"):
        if not line.strip():
            continue
        messages = json.loads(line)["request"]["messages"]
        contents = [message["data"]["content"] for message in messages]
        if len(messages) > 1 or "<messages>" not in str(contents[0]).lower():
            made.append([text_of(content) for content in contents])
    return made


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("told_by", ["traces", "log", "all"])
def test_a_thread_is_one_run_whose_requests_are_what_was_sent(
    shared: Path, tmp_path: Path, name: str, told_by: str
) -> None:
    folder = shared / "data/langchain" / name
    copy = tmp_path / "folder"
    copy.mkdir()
    for path in folder.iterdir():
        left_out = {"traces": "model_calls", "log": "langsmith", "all": "\0"}[told_by]
        other_traces = told_by == "log" and path.name.startswith(("raw_wire", "collect"))
        if not path.name.startswith(left_out) and not other_traces:
            shutil.copyfile(path, copy / path.name)
    (run,) = runs_in(copy)
    assert requested(run) == sent(folder)
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    assert (run.layer, run.format) == (Layer.CLIENT, "langchain-folder")
    kinds = {problem.kind for problem in run.problems}
    assert kinds <= {ProblemKind.NOTED}


@pytest.mark.parametrize("name", ["plain", "delta", "exit", "delta_exit"])
def test_a_log_proves_what_the_states_only_lead_to(shared: Path, name: str) -> None:
    folder = shared / f"data/langchain/01_langgraph_clear_{name}"
    (run,) = runs_in(folder)
    assert requested(run) == sent(folder)
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    kept = (folder / "result_store.jsonl").read_bytes().split(b"\n")
    originals = [json.loads(line)["content"] for line in kept if line.strip()]
    assert [result.text for result in run.tool_results] == originals


def test_what_lies_between_the_state_and_the_request_is_told_for_each_call(shared: Path) -> None:
    (run,) = runs_in(shared / "data/langchain/04_create_agent/a_context_editing")
    cleared = {
        edit.before_call: edit.tool_call_ids
        for edit in run.edits
        if edit.kind is EditKind.CLEAR and edit.tool_call_ids
    }
    assert sorted(filter(None, cleared)) == [3, 4, 5, 6, 7]
    for number, names in cleared.items():
        assert number is not None
        shown = {
            run.messages[index].parts[0].tool_call_id: run.messages[index].parts[0].text
            for index in run.request(number)
            if run.messages[index].role == "tool"
        }
        assert {shown[name] for name in names} == {"[cleared]"}
    assert {edit.by for edit in run.edits} == {"ContextEditingMiddleware"}


def test_the_whole_folder_has_one_run_for_each_thread_and_names_the_rest(shared: Path) -> None:
    found = list(open_paths([str(shared / "data/langchain")]))
    runs = [item for item in found if isinstance(item, Run)]
    threads = [run.run_id for run in runs if run.parent_run is None]
    for name in (*AGENTS, *DEEP, "rag_plain_content", "rag_plain_content_and_artifact"):
        assert threads.count(name) == 1
    assert threads.count("thread-退货-1") == 4
    assert threads.count("old") == 3
    told = [problem for run in runs for problem in run.problems]
    told += [item for item in found if isinstance(item, Problem)]
    assert {problem.kind for problem in told} == {ProblemKind.NOTED}
    words = " ".join(problem.what for problem in told)
    for name in ("result_store.jsonl", "serde_samples.json", "state_history.json"):
        assert name in words


def test_results_that_were_saved_to_files_beside_are_known_whole(
    shared: Path, tmp_path: Path
) -> None:
    place = shared / "data/langchain/05_deepagents"
    shutil.copytree(place / "b_filesystem_backend_root", tmp_path / "folder")
    for path in (place / "b_filesystem_backend").iterdir():
        if not path.name.startswith("langsmith"):
            shutil.copyfile(path, tmp_path / "folder" / path.name)
    (run,) = runs_in(tmp_path / "folder")
    saved = [result for result in run.tool_results if result.side_file]
    assert [len(result.text or "") > 80_000 for result in saved] == [True, True]
    (tmp_path / "folder/large_tool_results/call_odd").unlink()
    (tmp_path / "folder/large_tool_results/call_odd").symlink_to("/etc/hostname")
    (run,) = runs_in(tmp_path / "folder")
    assert [result.text is None for result in run.tool_results if result.side_file] == [False, True]


def test_a_packed_record_is_read_as_an_open_one(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/langchain/05_deepagents/b_filesystem_backend"
    (run,) = runs_in(folder)
    for path in folder.iterdir():
        data = path.read_bytes()
        name = path.name.removesuffix(".gz")
        (tmp_path / name).write_bytes(data if name == path.name else undone("", data).body or b"")
    (other,) = runs_in(tmp_path)
    assert requested(run) == requested(other)
