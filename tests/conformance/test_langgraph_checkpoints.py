"""Recorded checkpoints against what was really sent, and against LangGraph's own reading."""

import hashlib
import json
from pathlib import Path

import pytest

from store.importers._lc_thread import ThreadRecord, words_of
from store.importers._lg_calls import PathReader
from store.importers._lg_threads import Threads
from store.importers._probing import file_probe
from store.importers._sqlite_copy import opened
from store.importers.langgraph_checkpoints import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, Run
from tests.langchain import requested, text_of, whole

CLEARED = ("plain", "delta", "exit", "delta_exit")
SENT = (
    *(f"01_langgraph_clear_{kind}" for kind in CLEARED),
    *(
        f"04_create_agent/{name}"
        for name in (
            "a_context_editing",
            "a2_context_editing_custom_placeholder",
            "b_fold_reference",
            "c_summarization",
            "d_limits_errors",
        )
    ),
    *(
        f"05_deepagents/{name}"
        for name in ("a_state_backend_eviction", "b_filesystem_backend", "c_summarization_offload")
    ),
)
ORACLES = (
    *SENT,
    "02_ext_types",
    "03a_old_json_serde",
    "03b_old_msgpack_v2",
    "03c_old_surrogate_json_fallback",
    "08_langchain_100_inplace_clear",
)


def runs_of(path: Path) -> list[Run]:
    probe = file_probe(path, path.name)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def recorded(folder: Path, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in whole(folder / name).split(b"\n") if line.strip()]


def sent(folder: Path) -> list[list[str]]:
    """Return the texts of each request of the agent itself, without its system prompt."""
    made = []
    for line in recorded(folder, "model_calls.jsonl"):
        messages = line["request"]["messages"]  # type: ignore[index]
        texts = [text_of(m["data"]["content"]) for m in messages if m["type"] != "system"]
        summarises = len(messages) == 1 and "<messages>" in texts[0].lower()
        if not summarises:
            made.append(texts)
    return made


@pytest.mark.parametrize("name", SENT)
def test_a_request_made_of_a_state_is_what_was_sent_or_says_that_it_may_not_be(
    shared: Path, name: str
) -> None:
    folder = shared / "data/langchain" / name
    (run,) = runs_of(folder / "checkpoints.sqlite")
    truth = sent(folder)
    assert len(run.calls) == len(truth)
    assert Grade.RECORDED not in {call.grade for call in run.calls}
    for call, request, real in zip(run.calls, requested(run), truth, strict=True):
        if call.grade is Grade.DERIVED:
            assert request == real, call
    assert run.problems == ()


@pytest.mark.parametrize("kind", ["plain", "delta"])
def test_a_graph_of_ones_own_is_proven_call_by_call(shared: Path, kind: str) -> None:
    folder = shared / f"data/langchain/01_langgraph_clear_{kind}"
    (run,) = runs_of(folder / "checkpoints.sqlite")
    assert [call.grade for call in run.calls] == [Grade.DERIVED] * 14
    assert requested(run) == sent(folder)
    kept = recorded(folder, "result_store.jsonl")
    assert [result.text for result in run.tool_results] == [line["content"] for line in kept]
    assert [edit.tool_call_ids[0] for edit in run.edits] == [
        line["tool_call_id"] for line in kept[: len(run.edits)]
    ]
    assert {edit.kind for edit in run.edits} == {EditKind.CLEAR}


def test_what_was_cleared_before_the_state_was_saved_is_not_known(shared: Path) -> None:
    folder = shared / "data/langchain/01_langgraph_clear_exit"
    (run,) = runs_of(folder / "checkpoints.sqlite")
    for call, request, real in zip(run.calls, requested(run), sent(folder), strict=True):
        assert call.grade is (Grade.INFERRED if request == real else Grade.UNKNOWN)
    assert {result.text for result in run.tool_results} == {None}


def test_writes_that_were_kept_between_two_saved_states_are_replayed(shared: Path) -> None:
    folder = shared / "data/langchain/01_langgraph_clear_delta_exit"
    (run,) = runs_of(folder / "checkpoints.sqlite")
    proven = [call.index for call in run.calls if call.grade is Grade.DERIVED]
    assert len(proven) == 4
    real = sent(folder)
    for call, request in zip(run.calls, requested(run), strict=True):
        if request != real[call.index - 1]:
            assert call.grade is Grade.UNKNOWN


@pytest.mark.parametrize("name", ["c_summarization_offload", "a_state_backend_eviction"])
def test_the_rules_of_deepagents_give_what_was_sent(shared: Path, name: str) -> None:
    folder = shared / "data/langchain/05_deepagents" / name
    (run,) = runs_of(folder / "checkpoints.sqlite")
    assert requested(run) == sent(folder)
    assert {call.grade for call in run.calls} == {Grade.INFERRED}
    saved = next(edit for edit in run.edits if edit.kind is EditKind.PERSIST)
    original = next(r for r in run.tool_results if r.tool_call_id == saved.tool_call_ids[0])
    assert original.text is not None
    assert len(original.text) > 80_000


def test_a_list_that_was_edited_in_place_was_sent_as_it_is_saved(shared: Path) -> None:
    folder = shared / "data/langchain/08_langchain_100_inplace_clear"
    (run,) = runs_of(folder / "checkpoints.sqlite")
    views = json.loads((folder / "views_first10chars.json").read_bytes())
    tools = [
        [run.messages[i].parts[0].text[:10] for i in request if run.messages[i].role == "tool"]
        for request in run.requests()
    ]
    assert tools == views
    assert [str(result.text)[:8] for result in run.tool_results] == [
        "result 1",
        "result 2",
        "result 3",
    ]


@pytest.mark.parametrize("name", ORACLES)
def test_each_state_is_the_one_that_langgraph_itself_reads(shared: Path, name: str) -> None:
    folder = shared / "data/langchain" / name
    oracle = {
        state["checkpoint_id"]: state
        for state in json.loads((folder / "state_history.json").read_bytes())
    }
    checked = 0
    with opened(folder / "checkpoints.sqlite") as database:
        threads = Threads(database)
        for space in threads.namespaces():
            reader = PathReader(ThreadRecord("t"), "db", set())
            for each in space.path(space.leaves()[0]):
                checkpoint = threads.checkpoint(space, each)
                assert checkpoint is not None
                reader.add(checkpoint, threads.tasks(space, each))
                if each not in oracle:
                    continue
                messages = oracle[each]["messages"]
                digests = [
                    hashlib.sha256(words_of(said.plain).encode()).hexdigest()
                    for said in reader.messages()
                ]
                assert digests == [message["sha256"] for message in messages]
                checked += 1
    assert checked == len(oracle)


def test_the_oldest_real_database_is_read(shared: Path) -> None:
    (run,) = runs_of(shared / "data/langchain/found/academy_example.db")
    assert len(run.calls) == 6
    assert run.answers[0].text.startswith("Hello Lance!")
    assert run.problems == ()
