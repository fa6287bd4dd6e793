"""A request is not what was read: every sign of it, and nothing that is only asked for."""

from pathlib import Path

import pytest

from store.records.grades import Grade
from store.records.runs import EditKind, PartKind
from tests.unit.captures import (
    CLAUDE,
    GEMINI,
    OPENAI,
    Json,
    audited,
    completion,
    exchange,
    one,
    opened,
    parts,
    response,
)


def claude(messages: list[Json], answer: Json | None = None, **more: object) -> Json:
    said = {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "content": [{"type": "text", "text": "Done."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5000},
        **(answer or {}),
    }
    return exchange(CLAUDE, {"model": "m", "messages": messages, **more}, said)


def thinking(count: int) -> list[Json]:
    turns: list[Json] = []
    for number in range(count):
        thought = {"type": "thinking", "thinking": f"thought {number}", "signature": "s"}
        turns.append({"role": "user", "content": f"question {number}"})
        turns.append(
            {"role": "assistant", "content": [thought, {"type": "text", "text": f"a {number}"}]}
        )
    return [*turns, {"role": "user", "content": "last"}]


def cleared_thinking(number: int) -> Json:
    edit = {"type": "clear_thinking_20251015", "cleared_thinking_turns": number}
    return {"context_management": {"applied_edits": [{**edit, "cleared_input_tokens": 9}]}}


def test_the_thinking_of_the_oldest_turns_is_what_was_cleared(tmp_path: Path) -> None:
    (run,) = opened(tmp_path, claude(thinking(3), cleared_thinking(2)))
    kept = [part.text for part in parts(run) if part.kind is PartKind.REASONING]
    assert kept == ["thought 2"]
    assert run.calls[0].grade is Grade.INFERRED
    assert [edit.kind for edit in run.edits] == [EditKind.CLEAR]


def test_more_thinking_than_there_is_cannot_have_been_cleared(tmp_path: Path) -> None:
    (run,) = opened(tmp_path, claude(thinking(1), cleared_thinking(2)))
    assert run.calls[0].grade is Grade.UNKNOWN


@pytest.mark.parametrize(
    "asked",
    [
        {"edits": [{"type": "clear_tool_uses_20250919"}]},
        {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        {"edits": [{"type": "compact_20260112"}]},
    ],
)
@pytest.mark.parametrize("applied", [{}, {"context_management": {"applied_edits": []}}])
def test_what_is_only_asked_for_changes_nothing(tmp_path: Path, asked: Json, applied: Json) -> None:
    (run,) = opened(tmp_path, claude(thinking(2), applied, context_management=asked))
    assert not run.edits
    assert run.calls[0].grade is Grade.RECORDED


def test_a_compaction_that_only_the_usage_counts_leaves_the_request_unknown(
    tmp_path: Path,
) -> None:
    rounds = [{"type": "compaction", "input_tokens": 90_000}, {"type": "message"}]
    usage = {"usage": {"input_tokens": 90, "iterations": rounds}}
    (run,) = opened(tmp_path, claude(thinking(1), usage))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert "counts a compaction" in run.calls[0].grade_reason


def test_thinking_that_may_stay_is_not_dropped(tmp_path: Path) -> None:
    told = {"type": "thinking_mismatch_allowed", "path": "messages.1.content.0", "reason": "r"}
    (run,) = opened(tmp_path, claude(thinking(1), {"input_transformations": [told]}))
    assert [part.kind for part in parts(run)].count(PartKind.REASONING) == 1
    assert run.calls[0].grade is Grade.RECORDED


def test_tokens_that_cannot_hold_the_text_leave_the_request_unknown(tmp_path: Path) -> None:
    text = "a text of many words " * 500
    made = claude([{"role": "user", "content": text}], {"usage": {"input_tokens": 300}})
    run, _ = one(tmp_path, made)
    (call,) = audited(run).run.calls
    assert call.grade is Grade.UNKNOWN
    assert "cannot hold the text" in call.grade_reason
    unknown = claude([{"role": "user", "content": text}], {"usage": {"input_tokens": 0}})
    (run,) = opened(tmp_path, unknown)
    assert audited(run).run.calls[0].grade is Grade.RECORDED


# -- what a service keeps ----------------------------------------------------------------


def test_a_conversation_whose_making_is_in_the_capture_is_chained(tmp_path: Path) -> None:
    item = {"type": "message", "role": "user", "content": "First of all."}
    later = {"type": "message", "role": "user", "content": "Added later."}
    kept = {"id": "conv_1", "object": "conversation"}
    url = f"{OPENAI}/responses"

    def asks(text: str, number: int) -> Json:
        asked = {"model": "m", "input": text, "conversation": "conv_1"}
        return exchange(url, asked, response(f"Answer {number}.", f"resp_{number}"))

    (run,) = opened(
        tmp_path,
        exchange(f"{OPENAI}/conversations", {"items": [item]}, kept),
        asks("One?", 1),
        exchange(f"{OPENAI}/conversations/conv_1/items", {"items": [later]}, {"object": "list"}),
        asks("Two?", 2),
        asks("Three?", 3),
    )
    assert [part.text for part in parts(run, 3)] == [
        "First of all.",
        "One?",
        "Answer 1.",
        "Added later.",
        "Two?",
        "Answer 2.",
        "Three?",
    ]
    assert {call.grade for call in run.calls} == {Grade.DERIVED}


def test_an_earlier_response_in_the_capture_is_chained_without_its_instructions(
    tmp_path: Path,
) -> None:
    url = f"{OPENAI}/responses"
    first = {"model": "m", "input": "One?", "instructions": "Be short."}
    second = {"model": "m", "input": "Two?", "previous_response_id": "resp_1"}
    (run,) = opened(
        tmp_path,
        exchange(url, first, response("Answer.", "resp_1")),
        exchange(url, second, response("More.", "resp_2")),
    )
    assert [part.text for part in parts(run, 1)] == ["Be short.", "One?"]
    assert [part.text for part in parts(run, 2)] == ["One?", "Answer.", "Two?"]
    assert run.calls[1].grade is Grade.DERIVED


@pytest.mark.parametrize(
    ("told", "grade"),
    [
        ({"truncation": "auto"}, Grade.INFERRED),
        ({"truncation": "disabled"}, Grade.RECORDED),
        ({"previous_response_id": "resp_0"}, Grade.UNKNOWN),
        ({"conversation": {"id": "conv_1"}}, Grade.UNKNOWN),
        ({"prompt": {"id": "pmpt_1"}}, Grade.UNKNOWN),
    ],
)
def test_what_the_response_tells_of_its_request_is_what_was_done(
    tmp_path: Path, told: Json, grade: Grade
) -> None:
    asked = {"model": "m", "input": "Q?"}
    asked = {**asked, "truncation": "auto"} if told.get("truncation") == "disabled" else asked
    (run,) = opened(tmp_path, exchange(f"{OPENAI}/responses", asked, {**response("A."), **told}))
    assert run.calls[0].grade is grade


def test_a_chain_is_no_surer_than_its_first_link(tmp_path: Path) -> None:
    url = f"{OPENAI}/responses"
    (run,) = opened(
        tmp_path,
        exchange(
            url,
            {"model": "m", "input": "Two?", "previous_response_id": "resp_0"},
            response("B.", "resp_1"),
        ),
        exchange(
            url,
            {"model": "m", "input": "Three?", "previous_response_id": "resp_1"},
            response("C.", "resp_2"),
        ),
    )
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.UNKNOWN]


def test_messages_that_a_router_may_take_out_are_in_doubt(tmp_path: Path) -> None:
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Q?"}],
        "transforms": ["middle-out"],
    }
    url = "https://openrouter.ai/api/v1/chat/completions"
    (run,) = opened(tmp_path, exchange(url, asked, completion("A.")))
    assert run.calls[0].grade is Grade.INFERRED


def test_tools_of_the_service_are_told_where_only_the_tokens_show_them(tmp_path: Path) -> None:
    said = {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": "A."}]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {"promptTokenCount": 9, "toolUsePromptTokenCount": 400},
        "modelVersion": "g",
    }
    contents = [{"role": "user", "parts": [{"text": "Q?"}]}]
    (run,) = opened(tmp_path, exchange(GEMINI, {"contents": contents}, said))
    assert run.calls[0].grade is Grade.DERIVED
