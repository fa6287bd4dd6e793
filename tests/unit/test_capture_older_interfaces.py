"""Cohere's first chat, texts without messages, Google's Interactions, agents of Bedrock."""

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest

from store.records.findings import Anchor, Verdict
from store.records.grades import Grade
from store.records.runs import PartKind
from store.records.text import Span
from tests.unit.captures import Json, events, exchange, one, opened, parts

COHERE = "https://api.cohere.com/v1/chat"
INTERACTIONS = "https://generativelanguage.googleapis.com/v1beta/interactions"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke"
TEXT = "Größe – tall penguins are emperors."


def test_the_first_chat_of_cohere_counts_characters_of_its_answer(tmp_path: Path) -> None:
    place = {"start": 8, "end": 21, "text": "tall penguins", "document_ids": ["doc_0", "web_1"]}
    whole = {
        "generation_id": "g",
        "text": TEXT,
        "citations": [place],
        "finish_reason": "COMPLETE",
        "meta": {"tokens": {"input_tokens": 90}},
    }
    asked = {
        "model": "command",
        "message": "Q?",
        "chat_history": [{"role": "CHATBOT", "message": "Hi."}],
        "documents": [{"title": "Tall penguins", "snippet": "Emperor penguins are the tallest."}],
    }
    run, facts = one(tmp_path, exchange(COHERE, asked, whole))
    assert [(f.source_id, f.verdict, f.anchor) for f in facts] == [
        ("doc_0", Verdict.READ, Anchor.EXACT),
        ("web_1", Verdict.UNVERIFIABLE, Anchor.EXACT),
    ]
    assert [part.text for part in parts(run)][-2:] == ["Hi.", "Q?"]
    body = "".join(
        json.dumps(each) + "\n"
        for each in (
            {"event_type": "stream-start", "generation_id": "g"},
            {"event_type": "text-generation", "text": TEXT[:9]},
            {"event_type": "stream-end", "response": whole, "finish_reason": "COMPLETE"},
        )
    )
    _, streamed = one(tmp_path, exchange(COHERE, asked, body))
    assert [f.citation for f in streamed] == [f.citation for f in facts]


@pytest.mark.parametrize(
    ("url", "asked", "said"),
    [
        (
            "https://api.openai.com/v1/completions",
            {"model": "m", "prompt": "Q?"},
            {"object": "text_completion", "choices": [{"text": "A.", "finish_reason": "stop"}]},
        ),
        (
            "https://api.anthropic.com/v1/complete",
            {"model": "m", "prompt": "Q?"},
            {"type": "completion", "completion": "A.", "stop_reason": "stop_sequence"},
        ),
        (
            BEDROCK,
            {"inputText": "Q?"},
            {
                "inputTextTokenCount": 3,
                "results": [{"tokenCount": 1, "outputText": "A.", "completionReason": "FINISH"}],
            },
        ),
        (BEDROCK, {"prompt": "Q?"}, {"generation": "A.", "stop_reason": "stop"}),
        (BEDROCK, {"prompt": "Q?"}, {"outputs": [{"text": "A.", "stop_reason": "stop"}]}),
        (
            BEDROCK,
            {"prompt": "Q?"},
            {"completions": [{"data": {"text": "A."}, "finishReason": {"reason": "endoftext"}}]},
        ),
    ],
)
def test_a_text_that_asks_for_a_text_is_a_call(
    tmp_path: Path, url: str, asked: Json, said: Json
) -> None:
    (run,) = opened(tmp_path, exchange(url, asked, said))
    assert [part.text for part in parts(run)] == ["Q?"]
    assert run.answers[0].text == "A."
    assert run.calls[0].grade is Grade.RECORDED


def interaction(key: str = "steps") -> Json:
    mark = {
        "type": "url_citation",
        "url": "https://e.org",
        "title": "E",
        "start_index": len("Größe – ".encode()),
        "end_index": len("Größe – tall".encode()),
    }
    content = [{"type": "text", "text": TEXT, "annotations": [mark]}]
    return {
        "id": "v1_1",
        "object": "interaction",
        "status": "completed",
        key: [
            {"type": "thought", "signature": "s"},
            {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["q"]}},
            {"type": "model_output", "content": content},
        ],
        "usage": {"total_input_tokens": 9, "total_tool_use_tokens": 90},
    }


def test_an_interaction_marks_bytes_of_its_text_and_quotes_nothing(tmp_path: Path) -> None:
    asked = {"model": "g", "input": "Q?"}
    run, (facts,) = one(tmp_path, exchange(INTERACTIONS, asked, interaction()))
    assert (facts.source_id, facts.verdict) == ("https://e.org", Verdict.UNVERIFIABLE)
    assert facts.citation.answer_span == Span(8, 12)
    assert (run.calls[0].grade, run.calls[0].usage.input_tokens) == (Grade.DERIVED, 99)
    whole = interaction()
    steps: list[Json] = [{"event_type": "interaction.created", "interaction": {"id": "v1_1"}}]
    text = whole["steps"][2]["content"][0]
    steps += [
        {"event_type": "step.start", "index": 1, "step": whole["steps"][1]},
        {"event_type": "step.start", "index": 2, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 2, "delta": {"type": "text", "text": TEXT[:6]}},
        {"event_type": "step.delta", "index": 2, "delta": {"type": "text", "text": TEXT[6:]}},
        {
            "event_type": "step.delta",
            "index": 2,
            "delta": {"type": "text_annotation_delta", "annotations": text["annotations"]},
        },
        {"event_type": "interaction.completed", "interaction": {"status": "completed"}},
    ]
    _, (streamed,) = one(tmp_path, exchange(INTERACTIONS, asked, events(*steps, name="event_type")))
    assert streamed.citation == facts.citation


def test_an_interaction_that_goes_on_is_chained(tmp_path: Path) -> None:
    first = exchange(INTERACTIONS, {"model": "g", "input": "Q?"}, interaction())
    asked = {"model": "g", "input": "And?", "previous_interaction_id": "v1_1"}
    more = exchange(INTERACTIONS, asked, {**interaction(), "id": "v1_2"})
    (run,) = opened(tmp_path, first, more)
    said = [part.text for part in parts(run, 2) if part.kind is PartKind.TEXT]
    assert said == ["Q?", TEXT, "And?"]
    (alone,) = opened(tmp_path, more)
    assert alone.calls[0].grade is Grade.UNKNOWN


def test_an_agent_of_bedrock_counts_its_end_inside(tmp_path: Path) -> None:
    part = {"text": "tall penguins", "span": {"start": 8, "end": 20}}
    reference = {
        "content": {"text": "Emperor penguins."},
        "location": {"type": "WEB", "webLocation": {"url": "https://e.org"}},
    }
    cited = {
        "generatedResponsePart": {"textResponsePart": part},
        "retrievedReferences": [reference],
    }
    data = {
        "bytes": base64.b64encode(TEXT.encode()).decode(),
        "attribution": {"citations": [cited]},
    }
    name, kind, payload = b":event-type", b"chunk", json.dumps(data).encode()
    header = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(kind)) + kind
    head = struct.pack(">II", 16 + len(header) + len(payload), len(header))
    head += struct.pack(">I", zlib.crc32(head))
    body = head + header + payload
    body += struct.pack(">I", zlib.crc32(body))
    url = (
        "https://bedrock-agent-runtime.us-east-1.amazonaws.com/agents/A/agentAliases/B/"
        "sessions/C/text"
    )
    streamed = {"b64": base64.b64encode(body).decode()}
    run, (facts,) = one(tmp_path, exchange(url, {"inputText": "Q?"}, streamed))
    assert facts.citation.offsets is not None
    assert facts.citation.offsets.inclusive
    assert (facts.anchor, facts.verdict) == (Anchor.EXACT, Verdict.UNVERIFIABLE)
    assert facts.citation.answer_span == Span(8, 21)
    assert run.calls[0].grade is Grade.UNKNOWN


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "m", "input": "Q?", "store": False, "instructions": "i"},
        {"model": "m", "messages": [{"role": "user", "content": "Q?"}]},
        {"model": "m", "max_tokens": 9, "system": "s", "messages": []},
        {"contents": [{"role": "user", "parts": [{"text": "Q?"}]}]},
    ],
)
def test_a_request_without_an_address_is_known_by_its_form(tmp_path: Path, asked: Json) -> None:
    (run,) = opened(tmp_path, exchange("**REDACTED**", asked, {"detail": "not authorised"}))
    assert len(run.calls) == 1
