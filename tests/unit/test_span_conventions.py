"""The conventions that spans follow: each names messages, tools and documents its own way."""

import json
from pathlib import Path

from store.records.grades import Grade
from store.records.runs import PartKind
from tests.unit.span_talk import (
    BODY,
    CALL,
    CHAT,
    TOLD,
    USER,
    chat,
    openinference,
    result,
)
from tests.unit.spans import event, lost, one, otlp, parts, said, span

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


def test_blocks_in_events_are_read_like_those_of_a_request(tmp_path: Path) -> None:
    called = [{"toolUse": {"toolUseId": "c1", "name": "look_up", "input": {"id": "d3"}}}]
    came = [{"toolResult": {"toolUseId": "c1", "content": [{"text": BODY}]}}]
    events = [
        event("gen_ai.user.message", {"content": json.dumps([{"text": "What is the limit?"}])}),
        event("gen_ai.assistant.message", {"content": json.dumps(called)}),
        event("gen_ai.tool.message", {"content": json.dumps(came)}),
        event(
            "gen_ai.choice", {"message": json.dumps([{"text": "200."}]), "finish_reason": "stop"}
        ),
    ]
    run = one(otlp(tmp_path / "t.json", span(1, CHAT, events=events)))
    assert said(run) == [
        ("user", "What is the limit?"),
        ("assistant", "look_up"),
        ("tool", BODY),
    ]
    assert run.answers[0].text == "200."


def test_tool_calls_that_stand_beside_the_message_of_a_choice_are_its_own(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    choice = {"message": {"content": ""}, "tool_calls": [call], "finish_reason": "tool_calls"}
    events = [event("gen_ai.user.message", {"content": "?"}), event("gen_ai.choice", choice)]
    run = one(otlp(tmp_path / "t.json", span(1, CHAT, events=events)))
    assert [(call.id, call.by_call) for call in run.tool_calls] == [("c1", 1)]


def test_one_event_may_hold_a_whole_call(tmp_path: Path) -> None:
    details = event(
        "gen_ai.client.inference.operation.details",
        {**CHAT, "gen_ai.input.messages": [USER], "gen_ai.output.messages": [TOLD]},
    )
    record = {
        "eventName": details["name"],
        "timeUnixNano": "5",
        "attributes": details["attributes"],
    }
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [{**record, "body": {}}]}]}]})
    )
    run = one(path)
    assert (run.calls[0].model, said(run)) == ("m-1", [("user", "What is the limit?")])
    assert run.answers[0].text == "It is 200."


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


def test_messages_that_attributes_lost_are_taken_from_the_body_of_the_request(
    tmp_path: Path,
) -> None:
    start = "llm.input_messages"
    body = {"model": "m", "messages": [{"role": "user", "content": f"m{n}"} for n in range(3)]}
    held = openinference("LLM", input__value=json.dumps(body)) | {
        f"{start}.2.message.role": "user",
        f"{start}.2.message.content": "m2",
    }
    run = one(otlp(tmp_path / "t.json", span(1, held, droppedAttributesCount=4)))
    assert said(run) == [("user", "m0"), ("user", "m1"), ("user", "m2")]
    assert run.grade is Grade.RECORDED
    assert "4 attributes of the span were dropped" in lost(run)


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
