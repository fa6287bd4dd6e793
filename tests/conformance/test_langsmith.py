"""Recorded LangSmith runs against what was really sent, which the model's side wrote down."""

import json
from pathlib import Path

import pytest

from store.importers._probing import file_probe
from store.importers.langsmith import IMPORTER
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import EditKind, Run
from tests.langchain import requested, text_of, whole

AGENTS = (
    "a_context_editing",
    "a2_context_editing_custom_placeholder",
    "b_fold_reference",
    "c_summarization",
    "d_limits_errors",
)
DEEP = ("a_state_backend_eviction", "b_filesystem_backend", "c_summarization_offload")
FILES = (
    *((f"04_create_agent/{name}", "langsmith_runs.jsonl", "model_calls.jsonl") for name in AGENTS),
    ("04_create_agent/a_context_editing", "raw_wire_0.multipart", "model_calls.jsonl"),
    *(
        (f"05_deepagents/{name}", "langsmith_llm_and_tool_runs.jsonl", "model_calls.jsonl")
        for name in DEEP
    ),
    *(
        ("06_rag", f"langsmith_runs_{form}.jsonl", f"model_calls_cited_{form}.jsonl")
        for form in ("content", "content_and_artifact")
    ),
)


def read(path: Path) -> list[Run]:
    probe = file_probe(path, path.name)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def sent(path: Path) -> list[list[str]]:
    """Return the texts of each request of the agent itself."""
    made = []
    for line in whole(path).split(b"\n"):
        if not line.strip():
            continue
        messages = json.loads(line)["request"]["messages"]
        texts = [text_of(message["data"]["content"]) for message in messages]
        if len(messages) > 1 or "<messages>" not in texts[0].lower():
            made.append(texts)
    return made


@pytest.mark.parametrize(("folder", "name", "truth"), FILES)
def test_each_request_is_what_the_model_was_given(
    shared: Path, tmp_path: Path, folder: str, name: str, truth: str
) -> None:
    place = shared / "data/langchain" / folder
    copy = tmp_path / name
    copy.write_bytes(whole(place / name))
    (run,) = read(copy)
    assert requested(run) == sent(place / truth)
    assert {call.grade for call in run.calls} == {Grade.RECORDED}


def test_what_a_middleware_cleared_is_told_with_its_name(shared: Path) -> None:
    place = shared / "data/langchain/04_create_agent"
    (run,) = read(place / "a_context_editing/langsmith_runs.jsonl")
    cleared = [edit for edit in run.edits if edit.tool_call_ids]
    assert {edit.by for edit in cleared} == {"ContextEditingMiddleware"}
    assert {edit.kind for edit in cleared} == {EditKind.CLEAR}
    assert [edit.before_call for edit in cleared] == [3, 4, 5, 6, 7]
    assert all(result.text != "[cleared]" for result in run.tool_results)
    (run,) = read(place / "b_fold_reference/langsmith_runs.jsonl")
    kinds = {edit.kind for edit in run.edits}
    assert kinds == {EditKind.FOLD, EditKind.TRUNCATE}


def test_an_evicted_result_is_known_whole_though_no_request_held_it(
    shared: Path, tmp_path: Path
) -> None:
    place = shared / "data/langchain/05_deepagents/b_filesystem_backend"
    copy = tmp_path / "runs.jsonl"
    copy.write_bytes(whole(place / "langsmith_llm_and_tool_runs.jsonl"))
    (run,) = read(copy)
    saved = next(edit for edit in run.edits if edit.kind is EditKind.PERSIST)
    result = next(r for r in run.tool_results if r.tool_call_id == saved.tool_call_ids[0])
    assert result.side_file.startswith("/large_tool_results/")
    assert result.text is not None
    assert len(result.text) > 80_000


@pytest.mark.parametrize("name", ["content", "content_and_artifact"])
def test_the_chunks_of_a_retriever_are_sources(shared: Path, name: str) -> None:
    (run,) = read(shared / f"data/langchain/06_rag/langsmith_runs_{name}.jsonl")
    sources = {version.key.source_id for version in run.versions}
    assert any(source.startswith("incident_2031") for source in sources)


@pytest.mark.parametrize(
    "name",
    [
        "07_wire/failed_trace_example.json",
        "07_wire/zstd_body_0.bin",
        "found/langsmith_py_wrap_openai_.json",
        "found/langsmith_js_wrap_openai_reasoning.json",
    ],
)
def test_what_clients_send_and_keep_is_read(shared: Path, name: str) -> None:
    (run,) = open_paths([str(shared / "data/langchain" / name)])
    assert isinstance(run, Run)
    assert run.format == "langsmith"
    (call,) = run.calls
    assert call.grade is Grade.RECORDED
    assert run.request(1)
    assert run.answers


def test_messages_that_were_written_as_one_text_are_not_recorded(shared: Path) -> None:
    place = shared / "data/langchain/04_create_agent/a_context_editing"
    (run,) = read(place / "collect_runs_tree.json")
    assert {call.grade for call in run.calls} == {Grade.INFERRED}
    assert len(run.answers) == 2
