"""Mistral, Gemini, Cohere, Converse, what gateways log, and what no provider is."""

import json
from pathlib import Path

import pytest

from store.records.citations import SourceCitation
from store.records.findings import Verdict
from store.records.grades import Grade
from store.records.text import Span
from tests.unit.captures import (
    ASKED,
    OPENAI,
    Json,
    completion,
    exchange,
    one,
    opened,
)


def test_keys_that_mistral_refers_to_are_members_of_the_tool_s_result(tmp_path: Path) -> None:
    held = json.dumps({"0": {"title": "A", "text": "Alpha"}, "1": {"title": "B", "text": "Beta"}})
    call = {"id": "t1", "function": {"name": "search", "arguments": "{}"}}
    request = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Q?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "t1", "name": "search", "content": held},
        ],
    }
    content = [
        {"type": "text", "text": "Alpha "},
        {"type": "reference", "reference_ids": [0, "7"]},
        {"type": "text", "text": "and no more."},
    ]
    url = "https://api.mistral.ai/v1/chat/completions"
    run, facts = one(tmp_path, exchange(url, request, completion(content)))
    assert run.answers[0].text == "Alpha and no more."
    assert [(f.source_id, f.verdict) for f in facts] == [
        ("tool:search:t1", Verdict.READ),
        ("reference:7", Verdict.UNRESOLVED),
    ]
    assert facts[0].citation.answer_span == Span(6, 6)


def gemini(text: str, start: int, end: int, words: str) -> Json:
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://e.org", "title": "e.org"}}],
        "groundingSupports": [
            {
                "segment": {"startIndex": start, "endIndex": end, "text": words},
                "groundingChunkIndices": [0],
            }
        ],
    }
    parts = [{"text": "thought", "thought": True}, {"text": text[:5]}, {"text": text[5:]}]
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": "STOP",
        "groundingMetadata": grounding,
    }
    usage = {"promptTokenCount": 9, "toolUsePromptTokenCount": 90}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g"}


@pytest.mark.parametrize(("start", "fits", "drift"), [(11, ("utf8byte",), 0), (13, (), -2)])
def test_gemini_counts_bytes_and_a_rewritten_capture_shows_its_drift(
    tmp_path: Path, start: int, fits: tuple[str, ...], drift: int
) -> None:
    text = "Größe: äö. Warm today. Ende."
    start = len(text[:11].encode()) + start - 11
    url = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
    request = {"contents": [{"role": "user", "parts": [{"text": "Q?"}]}]}
    made = gemini(text, start, start + 11, "Warm today.")
    run, (facts,) = one(tmp_path, exchange(url, request, made))
    assert facts.citation.offsets is not None
    assert (facts.citation.offsets.fits, facts.citation.offsets.drift) == (fits, drift)
    assert facts.citation.answer_span == Span(11, 22)
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert run.answers[0].text == text
    assert run.calls[0].usage.input_tokens == 99


def test_gemini_results_without_an_id_belong_to_the_calls_of_their_name_in_order(
    tmp_path: Path,
) -> None:
    def call(n: int) -> Json:
        return {"functionCall": {"name": "look", "args": {"n": n}}}

    def result(n: int) -> Json:
        return {"functionResponse": {"name": "look", "response": {"output": f"result {n}"}}}

    contents = [
        {"role": "user", "parts": [{"text": "Q?"}]},
        {"role": "model", "parts": [call(1), call(2)]},
        {"role": "user", "parts": [result(1), result(2)]},
    ]
    url = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "A."}]}}],
        "modelVersion": "g",
    }
    run, _ = one(tmp_path, exchange(url, {"contents": contents}, answer))
    assert [r.tool_call_id for r in run.tool_results] == [c.id for c in run.tool_calls]
    assert [r.text for r in run.tool_results] == ["result 1", "result 2"]


def test_cached_content_that_is_not_in_the_capture_leaves_the_request_unknown(
    tmp_path: Path,
) -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
    request = {
        "contents": [{"role": "user", "parts": [{"text": "Q?"}]}],
        "cachedContent": "cachedContents/1",
    }
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "A."}]}}],
        "modelVersion": "g",
    }
    run, _ = one(tmp_path, exchange(url, request, answer))
    assert run.calls[0].grade is Grade.UNKNOWN


def test_cohere_counts_within_one_part_and_the_plan_is_no_answer(tmp_path: Path) -> None:
    document = {"data": {"text": "Ruby was made in 1993."}}
    citations = [
        {
            "start": 0,
            "end": 4,
            "text": "Ruby",
            "content_index": 1,
            "type": "TEXT_CONTENT",
            "sources": [{"type": "document", "id": "doc:0"}],
        },
        {
            "start": 2,
            "end": 6,
            "text": "look",
            "type": "PLAN",
            "sources": [{"type": "document", "id": "doc:9"}],
        },
    ]
    message = {
        "role": "assistant",
        "tool_plan": "I look.",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Ruby, 1993."},
        ],
        "citations": citations,
    }
    response = {"id": "1", "finish_reason": "COMPLETE", "message": message}
    request = {**ASKED, "documents": [document]}
    run, facts = one(tmp_path, exchange("https://api.cohere.com/v2/chat", request, response))
    assert run.answers[0].text == "Ruby, 1993."
    assert [(f.verdict, f.citation.answer_span) for f in facts] == [
        (Verdict.READ, Span(0, 4)),
        (Verdict.UNRESOLVED, None),
    ]


def test_converse_counts_blocks_pages_and_search_results_as_it_is_documented(
    tmp_path: Path,
) -> None:
    chunks = {"content": [{"text": "Alpha. "}, {"text": "Beta."}]}
    request = {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"document": {"name": "a", "format": "txt", "source": chunks}},
                    {
                        "searchResult": {
                            "source": "kb/1",
                            "title": "One",
                            "content": [{"text": "Gamma."}],
                        }
                    },
                    {"text": "Q?"},
                ],
            }
        ]
    }

    def cited(location: Json, quote: str) -> Json:
        citation = {"location": location, "sourceContent": [{"text": quote}], "title": ""}
        return {"citationsContent": {"content": [{"text": "So."}], "citations": [citation]}}

    content = [
        cited({"documentChunk": {"documentIndex": 0, "start": 1, "end": 2}}, "Beta."),
        cited({"searchResultLocation": {"searchResultIndex": 0, "start": 0, "end": 1}}, "Gamma."),
        cited({"web": {"url": "https://e.org", "domain": "e.org"}}, ""),
    ]
    response = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 90, "outputTokens": 3},
    }
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"
    run, facts = one(tmp_path, exchange(url, request, response))
    assert run.calls[0].model == "m"
    assert [(f.source_id, f.verdict) for f in facts] == [
        ("a", Verdict.READ),
        ("kb/1", Verdict.READ),
        ("https://e.org", Verdict.UNVERIFIABLE),
    ]
    assert isinstance(facts[0].citation, SourceCitation)


def test_a_call_that_a_gateway_logged_is_no_proof_of_what_was_sent(tmp_path: Path) -> None:
    made = {
        "id": "1",
        "call_type": "acompletion",
        "status": "success",
        "model": "m",
        "api_base": "https://api.anthropic.com/v1/messages",
        "messages": ASKED["messages"],
        "model_parameters": {},
        "hidden_params": {},
        "response": completion("A."),
    }
    run, _ = one(tmp_path, made)
    assert run.calls[0].grade is Grade.INFERRED
    assert "gateway" in run.calls[0].grade_reason
    assert run.answers[0].text == "A."


def test_events_that_a_recorder_took_apart_are_a_stream(tmp_path: Path) -> None:
    pieces = [
        {"event": "", "data": json.dumps({"choices": [{"delta": {"content": text}}]})}
        for text in ("Good", " day.")
    ]
    pieces.append({"event": "", "data": json.dumps({"choices": [{"finish_reason": "stop"}]})})
    made = {
        "request": {"method": "POST", "url": f"{OPENAI}/chat/completions", "body": ASKED},
        "response": {"status": 200, "headers": {}, "sse_events": pieces},
    }
    run, _ = one(tmp_path, made)
    assert run.answers[0].text == "Good day."


def test_what_asks_no_language_model_is_left_out_and_nothing_is_lost(tmp_path: Path) -> None:
    embedding = exchange(
        f"{OPENAI}/embeddings", {"model": "e", "input": "Q?"}, {"object": "list", "data": []}
    )
    asking = exchange(f"{OPENAI}/chat/completions", ASKED, completion("A."))
    (run,) = opened(tmp_path, embedding, asking)
    assert [call.origin for call in run.calls] == ["made.jsonl#1"]
    assert [(p.kind.value, "left out" in p.what) for p in run.problems] == [("noted", True)]


def test_a_call_of_a_provider_that_is_not_read_is_lost_and_said(tmp_path: Path) -> None:
    strange = exchange(
        "https://models.example/talk",
        {"model": "x", "messages": [{"content": "Q?"}]},
        {"said": "A"},
    )
    asking = exchange(f"{OPENAI}/chat/completions", ASKED, completion("A."))
    (run,) = opened(tmp_path, strange, asking)
    (problem,) = run.problems
    assert problem.kind.value == "lost"
    assert "models.example/talk" in problem.what
