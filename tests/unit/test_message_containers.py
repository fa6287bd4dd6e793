"""Dumps beside other dumps: every conversation is a run, and nothing else is taken for one."""

import json
from pathlib import Path

import pytest

from store.importers._base import HEAD_BYTES, Probe, UnreadableError
from store.importers.message_dump import IMPORTER
from store.records.grades import Grade
from store.records.runs import PartKind, ProblemKind, Run, Usage

A = [
    {"type": "human", "data": {"content": "Hi"}},
    {"type": "ai", "data": {"content": "One."}},
]
B = [
    {"lc": 1, "type": "constructor", "id": ["m", "HumanMessage"], "kwargs": {"content": "Hi"}},
    {"lc": 1, "type": "constructor", "id": ["m", "AIMessage"], "kwargs": {"content": "One."}},
]
D = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "One."}]


def probe_of(folder: Path, value: object) -> Probe:
    path = folder / "dump.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    data = path.read_bytes()
    return Probe(path, path.name, is_folder=False, head=data[:HEAD_BYTES], size=len(data))


def runs_of(folder: Path, value: object) -> list[Run]:
    probe = probe_of(folder, value)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def answered(fields: dict[str, object], folder: Path) -> Usage:
    messages = [A[0], {"type": "ai", "data": {"content": "One.", **fields}}]
    (run,) = runs_of(folder, messages)
    return run.calls[0].usage


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ({"messages_to_dict": A, "dumpd": B}, ["dump/messages_to_dict", "dump/dumpd"]),
        ({"a": {"b": {"roles": D}}}, ["dump/a/b/roles"]),
        ([{"first": A}, {"second": B}], ["dump[0]/first", "dump[1]/second"]),
        ({"chat_memory": {"messages": B}, "memory_key": "m"}, ["dump/chat_memory/messages"]),
        ({"messages": A, "llm_input_messages": B}, ["dump.json", "dump/llm_input_messages"]),
        ({"messages": [A, D]}, ["dump/messages[0]", "dump/messages[1]"]),
        ({"a/b": A, "a": {"b": D}}, ["dump/a~1b", "dump/a/b"]),
        ({"x": {"to_dict": A[1], "dumpd": B[1]}}, ["dump/x/to_dict", "dump/x/dumpd"]),
        ({"input": "Hi", "chat_history": A, "output": "One."}, ["dump/chat_history"]),
    ],
)  # fmt: skip
def test_each_list_of_messages_is_a_run_named_after_its_place(
    tmp_path: Path, value: object, ids: list[str]
) -> None:
    runs = runs_of(tmp_path, value)
    assert [run.run_id for run in runs] == ids
    assert {answer.text for run in runs for answer in run.answers} == {"One."}


def test_messages_in_containers_say_where_they_stand(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, {"a": [{"chat": D}]})
    assert [message.origin for message in run.messages] == [
        "dump.json#a[0]/chat/0",
        "dump.json#a[0]/chat/1",
    ]


def test_members_that_hold_no_message_are_named(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "One."}]
    first, second = runs_of(tmp_path, {"a": {"dumpd": B, "blocks": blocks, "n": 1}, "b": A})
    (problem,) = first.problems
    assert problem.kind is ProblemKind.NOTED
    assert "holds no message at /a/blocks;" in problem.what
    assert second.problems == ()


def test_many_members_without_messages_are_counted(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, {"dumpd": B, **{f"x{at}": [at] for at in range(9)}})
    assert "at /x0, /x1, /x2 and 6 more" in run.problems[0].what


@pytest.mark.parametrize(
    "value",
    [
        {"items": [{"role": "user", "content": "x", "timestamp": 1}]},
        {"a": {"b": {"c": {"d": {"e": A}}}}},
        {"model": "m", "input": D},
        {"request": {"messages": D}, "response": {}},
        [{"run_type": "llm", "inputs": {"messages": [B]}}],
        {"inputs": {"messages": [B]}, "outputs": {}},
        [{"id": "1", "input": D, "output": D[1]}],
        {"observations": [{"input": D}]},
        {"samples": [{"messages": D}]},
        {"trajectory": [], "history": D},
        {"lc": 1, "type": "constructor", "id": ["x", "Prompt"], "kwargs": {"messages": B}},
        {"a": D[0], "b": D[1]},
        {"case": "one", "decoded": A[1]},
        [["x"], A[0]],
    ],
)
def test_what_only_mentions_messages_is_left_to_others(tmp_path: Path, value: object) -> None:
    probe = probe_of(tmp_path, value)
    assert not IMPORTER.recognise(probe)
    with pytest.raises(UnreadableError):
        list(IMPORTER.read(probe))


def test_lines_may_hold_containers(tmp_path: Path) -> None:
    lines = [{"chat": A}, {"chat": D}]
    runs = runs_of(tmp_path, b"\n".join(json.dumps(line).encode() for line in lines))
    assert [run.run_id for run in runs] == ["dump:1/chat", "dump:2/chat"]


def test_a_container_that_breaks_off_gives_its_whole_messages(tmp_path: Path) -> None:
    usage = {"input_tokens": 7, "output_tokens": 2}
    counted = {"type": "ai", "data": {"content": "Two.", "usage_metadata": usage}}
    more = {"type": "human", "data": {"content": "More"}}
    data = json.dumps({"a": A, "b": [A[0], counted, more, A[1]]}).encode()
    first, last = runs_of(tmp_path, data[: data.rindex(b"One.")])
    assert (first.run_id, first.problems) == ("dump/a", ())
    assert (len(last.messages), last.calls[0].usage.input_tokens) == (3, 7)
    assert last.problems[0].where == "dump.json#b/3"
    assert "the 3 messages before that place were read" in last.problems[0].what


def test_what_holds_no_message_is_named_also_where_the_dump_breaks_off(tmp_path: Path) -> None:
    data = json.dumps({"tags\n": ["x"], "b": [*A, *A]}).encode()
    (run,) = runs_of(tmp_path, data[:-20])
    assert [problem.kind for problem in run.problems] == [ProblemKind.NOTED, ProblemKind.LOST]
    assert "tags" in run.problems[0].what
    assert "\n" not in run.problems[0].what


def test_a_head_that_ends_within_a_container_is_recognised(tmp_path: Path) -> None:
    long = {"type": "human", "data": {"content": "x" * 2 * HEAD_BYTES}}
    assert [run.run_id for run in runs_of(tmp_path, {"dumpd": [long, A[1]]})] == ["dump/dumpd"]


# -- serialised objects -------------------------------------------------------


@pytest.mark.parametrize(
    "serialised",
    [
        {
            "lc": 2,
            "type": "constructor",
            "id": ["langchain_core", "messages", "AIMessage"],
            "method": "model_construct",
            "args": [],
            "kwargs": {"content": "made"},
        },
        {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"content": "made"}},
        {"lc": 1, "type": "not_implemented", "id": ["AIMessage"], "kwargs": {"content": "made"}},
    ],
)
def test_a_serialised_object_that_is_no_known_message_is_opaque(
    tmp_path: Path, serialised: object
) -> None:
    (run,) = runs_of(tmp_path, [B[0], serialised, B[1]])
    assert [[part.kind for part in message.parts] for message in run.messages] == [
        [PartKind.TEXT],
        [PartKind.OPAQUE],
        [PartKind.TEXT],
    ]
    assert list(run.requests()) == [(0, 1)]
    assert all("made" not in part.text for message in run.messages for part in message.parts)
    assert [problem.kind for problem in run.problems] == [ProblemKind.LOST]


@pytest.mark.parametrize(
    ("lc", "name", "known"), [(1, "Document", True), (1, "Thing", False), (2, "Document", False)]
)
def test_only_documents_and_messages_are_read_as_their_fields(
    tmp_path: Path, lc: int, name: str, *, known: bool
) -> None:
    fields = {"page_content": "饺子 ¥28", "metadata": {"source": "menu.md"}, "id": "m"}
    artifact = {"lc": lc, "type": "constructor", "id": ["x", name], "kwargs": fields}
    result = {
        "lc": 1,
        "id": ["m", "ToolMessage"],
        "kwargs": {"content": "see", "tool_call_id": "c", "artifact": [artifact]},
    }
    (run,) = runs_of(tmp_path, [B[0], result, B[1]])
    assert bool(run.versions) is known


# -- what the grade says ------------------------------------------------------


def test_a_message_before_which_nothing_stands_was_given_something_unknown(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, [A[1], A[0], A[1]])
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.INFERRED]
    assert "not in the dump" in run.calls[0].grade_reason


def test_before_the_last_recorded_summary_a_request_may_have_held_less(tmp_path: Path) -> None:
    summary = {"type": "human", "data": {"content": "So far."}}
    event = {"cutoff_index": 2, "created_at_index": 3, "summary_message": summary}
    state = {"messages": [*A, *A], "_summarization_event": event}
    (run,) = runs_of(tmp_path, state)
    before, after = (call.grade_reason for call in run.calls)
    assert "records only the last summary, which is later" in before
    assert "later" not in after
    assert {call.grade for call in run.calls} == {Grade.INFERRED}


@pytest.mark.parametrize(
    "state",
    [
        {"_summarization_event": {"cutoff_index": 9, "created_at_index": 1}},
        {"_summarization_event": "{'cutoff_index': 1}"},
        {"files": {"/conversation_history/s.md": {"content": "## Summarized at 2026\n\nHi"}}},
        {"files": {"/conversation_history/s.md": {"content": ["## Summarized at 2026", "Hi"]}}},
    ],
)
def test_a_summary_whose_place_is_not_recorded_leaves_requests_unknown(
    tmp_path: Path, state: dict[str, object]
) -> None:
    (run,) = runs_of(tmp_path, {"messages": A, **state})
    assert run.grade is Grade.UNKNOWN
    assert "summar" in run.calls[0].grade_reason


# -- usage --------------------------------------------------------------------

ANTHROPIC = {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5}


@pytest.mark.parametrize(
    ("fields", "usage"),
    [
        (
            {
                "usage_metadata": {
                    "input_tokens": 50,
                    "output_tokens": 2,
                    "input_token_details": {"cache_read": 40, "cache_creation": 5},
                },
                "response_metadata": {"usage": ANTHROPIC},
            },
            Usage(50, 2, 40, 5),
        ),
        ({"response_metadata": {"usage": {**ANTHROPIC, "output_tokens": 2}}}, Usage(48, 2, 40, 5)),
        (
            {
                "usage_metadata": {"input_tokens": 3, "input_token_details": {"cache_read": 40}},
                "response_metadata": {"usage": ANTHROPIC},
            },
            Usage(48, None, 40, 5),
        ),
        (
            {"usage_metadata": {"input_tokens": 3, "input_token_details": {"cache_read": 40}}},
            Usage(None, None, 40, None),
        ),
        (
            {
                "usage_metadata": {
                    "input_tokens": 260,
                    "input_token_details": {
                        "cache_creation": 0,
                        "ephemeral_5m_input_tokens": 80,
                        "ephemeral_1h_input_tokens": 70,
                    },
                }
            },
            Usage(260, None, None, 150),
        ),
        (
            {
                "response_metadata": {
                    "token_usage": {
                        "prompt_tokens": 90,
                        "completion_tokens": 4,
                        "prompt_tokens_details": {"cached_tokens": 64},
                    }
                }
            },
            Usage(90, 4, 64, None),
        ),
        (
            {
                "response_metadata": {
                    "usage": {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 64}}
                }
            },
            Usage(90, None, 64, None),
        ),
        ({"usage_metadata": {"input_tokens": True, "output_tokens": -1}}, Usage()),
    ],
)
def test_cached_input_is_a_part_of_the_whole_and_counted_once(
    tmp_path: Path, fields: dict[str, object], usage: Usage
) -> None:
    assert answered(fields, tmp_path) == usage


@pytest.mark.parametrize(
    "removal",
    [
        {"type": "remove", "id": "h1", "content": ""},
        {"lc": 1, "type": "constructor", "id": ["m", "RemoveMessage"], "kwargs": {"id": "h1"}},
    ],
)
def test_what_was_given_after_messages_were_taken_out_is_unknown(
    tmp_path: Path, removal: dict[str, object]
) -> None:
    (run,) = runs_of(tmp_path, [*A, removal, A[0], A[1]])
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.UNKNOWN]
    assert "taken out" in run.calls[1].grade_reason
