"""Spans of OpenTelemetry as runs: what belongs together, and what a tool gave."""

import json
from pathlib import Path

import pytest

from store.records.grades import Grade
from tests.unit.span_talk import (
    BODY,
    CALL,
    CHAT,
    TOLD,
    USER,
    agent,
    chat,
    openinference,
    result,
)
from tests.unit.spans import lost, one, otlp, read, said, span

# -- what belongs together -----------------------------------------------------------------


def test_a_call_that_two_libraries_recorded_is_one(tmp_path: Path) -> None:
    outer = openinference("LLM") | {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "What is the limit?",
        "llm.model_name": "m-1",
    }
    run = one(otlp(tmp_path / "t.json", span(1, outer), span(2, CHAT, parent=1)))
    assert len(run.calls) == 1
    assert said(run) == [("user", "What is the limit?")]


def test_spans_that_are_written_twice_are_counted_once(tmp_path: Path) -> None:
    path = otlp(tmp_path / "t.json", chat(2, [USER], [TOLD]))
    path.write_text(f"{path.read_text()}\n" * 2)
    assert len(one(path).calls) == 1


def test_a_conversation_over_several_traces_is_one_run(tmp_path: Path) -> None:
    named = {"gen_ai.conversation.id": "conv-1"}
    spans = [
        {**chat(2, [USER], [TOLD], **named), "traceId": "a" * 32},
        {**chat(3, [USER], [TOLD], **named), "traceId": "b" * 32},
        {**chat(4, [USER], [TOLD]), "traceId": "c" * 32},
    ]
    runs = read(otlp(tmp_path / "t.json", *spans))
    assert sorted((run.run_id, len(run.calls)) for run in runs) == [("c" * 32, 1), ("conv-1", 2)]


def test_what_a_subagent_read_its_parent_did_not(tmp_path: Path) -> None:
    kind = "gen_ai.operation.name"
    runs = read(
        otlp(
            tmp_path / "t.json",
            span(1, {kind: "invoke_agent", "gen_ai.agent.name": "main"}),
            chat(2, [USER], [CALL]),
            span(
                3,
                {kind: "execute_tool", "gen_ai.tool.name": "look_up", "gen_ai.tool.call.id": "c1"},
                parent=1,
            ),
            span(4, {kind: "invoke_agent", "gen_ai.agent.name": "searcher"}, parent=3),
            {**chat(5, [USER], [TOLD]), "parentSpanId": f"{4:016x}"},
            chat(6, [USER, CALL, result("It is 200.")], [TOLD]),
        )
    )
    main, searcher = sorted(runs, key=lambda run: run.run_id)
    assert (len(main.calls), len(searcher.calls)) == (2, 1)
    assert searcher.parent_run == main.run_id
    assert searcher.title.endswith("#searcher")


def test_an_agent_whose_calls_left_no_span_proves_no_request(tmp_path: Path) -> None:
    held = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.input.messages": json.dumps([USER]),
        "gen_ai.output.messages": json.dumps([TOLD]),
    }
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert run.grade is Grade.UNKNOWN
    assert "only the span of an agent is recorded" in run.calls[0].grade_reason


# -- tools ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "returned",
    [
        BODY,
        json.dumps(BODY),
        json.dumps({"output": BODY}),
        json.dumps({"content": [{"type": "text", "text": BODY}]}),
        json.dumps({"type": "tool", "data": {"content": BODY, "tool_call_id": "c1"}}),
        json.dumps(
            {
                "graph": None,
                "update": {"messages": [{"type": "tool", "data": {"content": BODY}}]},
            }
        ),
        json.dumps(
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "ToolMessage"],
                "kwargs": {"content": BODY, "tool_call_id": "c1"},
            }
        ),
    ],
)
def test_a_result_that_its_span_wraps_is_the_one_that_the_request_carried(
    tmp_path: Path, returned: str
) -> None:
    run = one(agent(tmp_path / "t.json", BODY, returned))
    assert [tool.text for tool in run.tool_results] == [BODY]
    assert "between the tool and the model" not in lost(run)


def test_a_result_that_was_cut_on_its_way_to_the_model_is_told_with_both_lengths(
    tmp_path: Path,
) -> None:
    run = one(agent(tmp_path / "t.json", BODY[:300], BODY))
    assert run.tool_results[0].text == BODY
    assert f"the tool returned {len(BODY)} characters and the request carries 300 of them" in lost(
        run
    )


def test_a_result_that_was_changed_on_its_way_is_no_cut(tmp_path: Path) -> None:
    run = one(agent(tmp_path / "t.json", "In short: two hundred.", BODY))
    assert "carries 22 others: the result was changed" in lost(run)


def test_words_around_a_result_are_no_change(tmp_path: Path) -> None:
    run = one(agent(tmp_path / "t.json", f"Result of look_up:\n{BODY}", BODY))
    assert "between the tool and the model" not in lost(run)


def test_a_span_that_was_cut_says_nothing_of_what_became_of_its_result(tmp_path: Path) -> None:
    cut = f"{BODY[:200]}…[truncated 540 chars]"
    run = one(agent(tmp_path / "t.json", BODY, cut))
    assert run.tool_results[0].text == BODY
    assert "a text was cut as it was recorded" in lost(run)
    assert "between the tool and the model" not in lost(run)


def test_data_that_is_spelled_otherwise_is_the_same(tmp_path: Path) -> None:
    run = one(
        agent(tmp_path / "t.json", "{'limit': 200, 'unit': None}", '{"limit":200,"unit":null}')
    )
    assert "between the tool" not in lost(run)


def test_a_tool_without_an_id_belongs_to_the_call_of_its_name_and_arguments(tmp_path: Path) -> None:
    tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "look_up",
        "traceloop.entity.input": json.dumps({"args": [], "kwargs": {"id": "d3"}}),
        "traceloop.entity.output": json.dumps(BODY),
    }
    run = one(
        otlp(
            tmp_path / "t.json",
            chat(2, [USER], [CALL]),
            span(3, tool),
            chat(5, [USER, CALL, result(BODY[:100])], [TOLD]),
        )
    )
    assert [(tool.tool_call_id, tool.text) for tool in run.tool_results] == [("c1", BODY)]


def test_what_a_tool_gave_that_no_request_names_is_kept_as_obtained(tmp_path: Path) -> None:
    tool = openinference("TOOL", tool__name="grep", output__value=BODY)
    run = one(otlp(tmp_path / "t.json", span(2, tool), chat(3, [USER], [TOLD])))
    assert run.tool_results == ()
    assert [version.text for version in run.versions] == [BODY]


def test_a_file_that_was_read_is_named_by_its_path(tmp_path: Path) -> None:
    asked = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {"path": "a/b.md"}}
    call = {"role": "assistant", "parts": [asked]}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_file",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": BODY,
    }
    spans = (chat(2, [USER], [call]), span(3, tool), chat(5, [USER, call, result(BODY)], [TOLD]))
    run = one(otlp(tmp_path / "t.json", *spans))
    (read_result,) = run.tool_results
    assert read_result.is_file_read
    assert [selection.source_id for selection in read_result.selections] == ["a/b.md"]
    assert [version.key.source_id for version in run.versions] == ["a/b.md"]
