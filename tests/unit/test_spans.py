"""Spans of OpenTelemetry as runs: the conventions, what was lost, and what a tool gave."""

import json
from pathlib import Path

import pytest

from store.records.grades import Grade
from store.records.runs import PartKind
from tests.unit.spans import event, lost, one, otlp, parts, read, said, span

USER = {"role": "user", "parts": [{"type": "text", "content": "What is the limit?"}]}
CALL = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"id": "d3"}}],
}
TOLD = {
    "role": "assistant",
    "parts": [{"type": "text", "content": "It is 200."}],
    "finish_reason": "stop",
}
BODY = "The limit of one batch is 200 items. " * 20
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}


def result(text: str) -> dict[str, object]:
    """Return the message of a tool with *text* as the GenAI conventions write it."""
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": text}],
    }


def chat(number: int, messages: object, told: object, **more: object) -> dict[str, object]:
    """Return a chat span with its messages as attributes."""
    held = {
        **CHAT,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(told),
        **more,
    }
    return span(number, held, parent=1)


def agent(path: Path, carried: str, returned: object) -> Path:
    """Write the trace of an agent that called one tool."""
    held = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": json.dumps([USER])}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": returned,
    }
    return otlp(
        path,
        span(4, {**CHAT, "gen_ai.input.messages": "[]"}, parent=3, name="child of no call"),
        span(1, held),
        chat(2, [USER], [CALL]),
        span(3, tool, parent=1),
        chat(5, [USER, CALL, result(carried)], [TOLD]),
    )


# -- the GenAI conventions -----------------------------------------------------------------


def test_a_chat_span_holds_the_request_and_an_agent_span_is_no_call(tmp_path: Path) -> None:
    run = one(
        otlp(
            tmp_path / "t.json",
            span(1, {"gen_ai.operation.name": "invoke_agent"}),
            chat(2, [USER], [CALL]),
            chat(5, [USER, CALL, result(BODY)], [TOLD]),
        )
    )
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.RECORDED]
    assert said(run, 2) == [
        ("user", "What is the limit?"),
        ("assistant", "look_up"),
        ("tool", BODY),
    ]
    assert [(call.id, call.by_call) for call in run.tool_calls] == [("c1", 1)]
    assert [answer.text for answer in run.answers] == ["It is 200."]


def test_messages_as_events_are_read_in_their_order(tmp_path: Path) -> None:
    events = [
        event("gen_ai.system.message", {"content": "Be careful."}),
        event("gen_ai.user.message", {"content": "What is the limit?"}),
        event("gen_ai.tool.message", {"content": BODY, "id": "c1"}),
        event("gen_ai.choice", {"message": json.dumps({"content": "200."})}),
    ]
    run = one(otlp(tmp_path / "t.json", span(1, CHAT, events=events)))
    assert said(run) == [("system", "Be careful."), ("user", "What is the limit?"), ("tool", BODY)]
    assert run.answers[0].text == "200."


def test_the_oldest_events_hold_prompt_and_completion_as_json(tmp_path: Path) -> None:
    events = [
        event(
            "gen_ai.content.prompt",
            {"gen_ai.prompt": json.dumps([{"role": "user", "content": "Hi"}])},
        ),
        event(
            "gen_ai.content.completion",
            {"gen_ai.completion": json.dumps([{"role": "assistant", "content": "Hello"}])},
        ),
    ]
    run = one(otlp(tmp_path / "t.json", span(1, {"gen_ai.system": "openai"}, events=events)))
    assert said(run) == [("user", "Hi")]
    assert run.answers[0].text == "Hello"


def test_log_records_are_the_events_of_the_span_they_name(tmp_path: Path) -> None:
    made = span(1, CHAT)
    record = {
        "traceId": made["traceId"],
        "spanId": made["spanId"],
        "timeUnixNano": "5",
        "eventName": "gen_ai.user.message",
        "body": {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": "Hi"}}]}},
    }
    path = otlp(tmp_path / "t.json", made)
    line = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    path.write_text(f"{path.read_text()}\n{line}\n")
    assert said(one(path)) == [("user", "Hi")]
    path.write_text(line)
    assert said(one(path)) == [("user", "Hi")]


def test_content_that_stands_elsewhere_is_told_and_proves_nothing(tmp_path: Path) -> None:
    held = {**CHAT, "gen_ai.input.messages_ref": "s3://bucket/a_inputs.json"}
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert run.grade is Grade.UNKNOWN
    assert "gen_ai.input.messages stands elsewhere: s3://bucket/a_inputs.json" in lost(run)


def test_content_that_lies_beside_the_trace_is_read_from_there(tmp_path: Path) -> None:
    held = {
        **CHAT,
        "gen_ai.input.messages_ref": "s3://bucket/uploads/a_inputs.json",
        "gen_ai.output.messages_ref": "file:///../../a_outputs.jsonl",
    }
    (tmp_path / "uploads").mkdir()
    (tmp_path / "uploads" / "a_inputs.json").write_text(json.dumps([USER]))
    (tmp_path / "a_outputs.jsonl").write_text(json.dumps(TOLD))
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert (run.grade, lost(run)) == (Grade.RECORDED, "")
    assert said(run) == [("user", "What is the limit?")]
    assert run.answers[0].text == "It is 200."


def test_content_outside_the_folder_is_never_looked_for(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "a.json").write_text(json.dumps([USER]))
    (tmp_path / "inside" / "b.json").symlink_to(tmp_path / "a.json")
    for place in ("../a.json", "b.json"):
        held = {**CHAT, "gen_ai.input.messages_ref": place}
        run = one(otlp(tmp_path / "inside" / "t.json", span(1, held)))
        assert (run.grade, said(run)) == (Grade.UNKNOWN, [])


def test_calls_without_content_are_counted_and_never_taken_for_empty_requests(
    tmp_path: Path,
) -> None:
    run = one(otlp(tmp_path / "t.json", span(9, CHAT), chat(2, [USER], [TOLD])))
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.UNKNOWN]
    assert "1 of 2 model calls hold no message of their request" in lost(run)


# -- the others ----------------------------------------------------------------------------


def openinference(kind: str, **more: object) -> dict[str, object]:
    """Return the attributes of an OpenInference span."""
    return {"openinference.span.kind": kind, **{k.replace("__", "."): v for k, v in more.items()}}


def test_openinference_messages_stand_under_numbered_names(tmp_path: Path) -> None:
    held = openinference("LLM")
    start = "llm.input_messages"
    held |= {
        f"{start}.0.message.role": "user",
        f"{start}.0.message.contents.0.message_content.type": "text",
        f"{start}.0.message.contents.0.message_content.text": "What is the limit?",
        f"{start}.1.message.role": "assistant",
        f"{start}.1.message.tool_calls.0.tool_call.id": "c1",
        f"{start}.1.message.tool_calls.0.tool_call.function.name": "look_up",
        f"{start}.1.message.tool_calls.0.tool_call.function.arguments": "{}",
        f"{start}.10.message.role": "tool",
        f"{start}.10.message.tool_call_id": "c1",
        f"{start}.10.message.content": BODY,
    }
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    found = [(role, part.kind) for role, part in parts(run)]
    assert found == [
        ("user", PartKind.TEXT),
        ("assistant", PartKind.TOOL_CALL),
        ("", PartKind.OPAQUE),
        ("tool", PartKind.TOOL_RESULT),
    ]
    assert run.grade is Grade.UNKNOWN
    assert "messages of the request are missing (2-9)" in lost(run)


def test_retrieved_documents_are_sources_with_versions_and_stand_in_a_manifest(
    tmp_path: Path,
) -> None:
    start = "retrieval.documents"
    documents = openinference("RETRIEVER", input__value="limit") | {
        f"{start}.0.document.id": "d3",
        f"{start}.0.document.content": BODY,
        f"{start}.0.document.metadata": json.dumps({"source": "limits.md"}),
        f"{start}.1.document.id": "d4",
        f"{start}.1.document.score": 0.5,
    }
    asked = openinference("LLM") | {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": f"Context: {BODY}",
    }
    run = one(otlp(tmp_path / "t.json", span(1, documents), span(2, asked)))
    (version,) = run.versions
    assert (version.key.source_id, version.title, version.text) == ("d3", "limits.md", BODY)
    assert [e.source_id for m in run.manifests for e in m.entries] == ["d3", "d4"]


def test_numbered_prompts_of_traceloop_are_read(tmp_path: Path) -> None:
    held = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "What is the limit?",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.tool_calls.0.id": "c1",
        "gen_ai.prompt.1.tool_calls.0.name": "look_up",
        "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
        "gen_ai.prompt.2.role": "tool",
        "gen_ai.prompt.2.tool_call_id": "c1",
        "gen_ai.prompt.2.content": BODY,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "200.",
    }
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert said(run)[1:] == [("assistant", "look_up"), ("tool", BODY)]
    assert run.answers[0].text == "200."


def test_of_the_ai_sdk_the_span_of_a_step_is_the_request_and_the_one_around_it_is_not(
    tmp_path: Path,
) -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "What is the limit?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": "c1", "toolName": "look_up", "input": {}}
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "look_up",
                    "output": {"type": "text", "value": BODY},
                }
            ],
        },
    ]
    around = {"ai.operationId": "ai.generateText", "ai.prompt": json.dumps({"prompt": "What?"})}
    step = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.id": "m-1",
        "ai.prompt.messages": json.dumps(messages),
        "ai.response.text": "200.",
        "ai.usage.inputTokens": 90,
    }
    tool = {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "look_up",
        "ai.toolCall.id": "c1",
        "ai.toolCall.result": json.dumps(BODY),
    }
    run = one(
        otlp(tmp_path / "t.json", span(1, around), span(2, tool, parent=1), span(3, step, parent=1))
    )
    assert len(run.calls) == 1
    assert said(run)[2] == ("tool", BODY)
    assert run.tool_results[0].text == BODY
    assert run.calls[0].usage.input_tokens == 90


def test_pydantic_ai_keeps_its_messages_as_events_in_one_attribute(tmp_path: Path) -> None:
    events = [
        {"event.name": "gen_ai.user.message", "content": "What is the limit?", "role": "user"},
        {
            "event.name": "gen_ai.choice",
            "index": 0,
            "message": {"role": "assistant", "content": "200."},
        },
    ]
    held = {**CHAT, "events": json.dumps(events), "model_request_parameters": "{}"}
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert said(run) == [("user", "What is the limit?")]
    assert run.answers[0].text == "200."


def test_the_body_of_a_provider_gives_the_citations_of_an_answer(tmp_path: Path) -> None:
    document = {
        "type": "document",
        "title": "limits",
        "citations": {"enabled": True},
        "source": {"type": "text", "media_type": "text/plain", "data": BODY},
    }
    asked = {
        "model": "claude",
        "messages": [{"role": "user", "content": [document, {"type": "text", "text": "?"}]}],
    }
    cited = {
        "type": "char_location",
        "cited_text": BODY[:36],
        "document_index": 0,
        "document_title": "limits",
        "start_char_index": 0,
        "end_char_index": 36,
    }
    told = {
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "id": "msg_1",
        "content": [{"type": "text", "text": "200.", "citations": [cited]}],
    }
    held = openinference("LLM", input__value=json.dumps(asked), output__value=json.dumps(told))
    run = one(otlp(tmp_path / "t.json", span(1, held)))
    assert run.grade is Grade.RECORDED
    assert [citation.source_id for citation in run.answers[0].citations] == ["limits"]


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
