"""The citations of a streamed answer are those of one that was not streamed, for each provider."""

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest

from store.records.findings import Anchor
from tests.unit.captures import CLAUDE, GEMINI, OPENAI, Json, events, exchange, one, response

TEXT = "Größe – 🤔 The sky is blue. And green."
SAID = "The sky is blue."
AT = TEXT.index(SAID)
END = AT + len(SAID)
BYTES = len(TEXT[:AT].encode())
PIECES = [TEXT[at : at + 5] for at in range(0, len(TEXT), 5)]
AGENT = "https://bedrock-agent-runtime.us-east-1.amazonaws.com"
CONVERSE = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"


def anthropic() -> tuple[Json, object, object]:
    document = {"type": "document", "title": "d", "source": {"type": "text", "data": TEXT}}
    asked = {"model": "m", "messages": [{"role": "user", "content": [document]}]}
    place = {
        "type": "char_location",
        "cited_text": SAID,
        "document_index": 0,
        "start_char_index": AT,
        "end_char_index": END,
    }
    base = {"id": "msg_1", "type": "message", "role": "assistant", "usage": {"input_tokens": 90}}
    block = {"type": "text", "text": TEXT, "citations": [place]}
    whole = {**base, "content": [block], "stop_reason": "end_turn"}
    told = events(
        {"type": "message_start", "message": {**base, "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": "", "citations": []},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "citations_delta", "citation": place},
        },
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": piece},
            }
            for piece in PIECES
        ),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
        name="type",
    )
    return exchange(CLAUDE, asked, ""), whole, told


def responses() -> tuple[Json, object, object]:
    link = "([e](https://e.org))"
    text = f"{TEXT} {link}"
    mark = {
        "type": "url_citation",
        "url": "https://e.org",
        "title": "E",
        "start_index": len(TEXT) + 1,
        "end_index": len(text),
    }
    whole = response(text, "resp_1", mark)
    item = {"type": "message", "id": "msg_resp_1", "role": "assistant", "content": []}
    place = {"output_index": 0, "content_index": 0}
    told = events(
        {"type": "response.created", "response": {"id": "resp_1", "object": "response"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *(
            {"type": "response.output_text.delta", **place, "delta": piece}
            for piece in [*PIECES, f" {link}"]
        ),
        {"type": "response.output_text.annotation.added", **place, "annotation": mark},
        name="type",
    )
    return exchange(f"{OPENAI}/responses", {"model": "m", "input": "Q?"}, ""), whole, told


def gemini() -> tuple[Json, object, object]:
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://e.org", "title": "e.org"}}],
        "groundingSupports": [
            {
                "segment": {
                    "startIndex": BYTES,
                    "endIndex": BYTES + len(SAID.encode()),
                    "text": SAID,
                },
                "groundingChunkIndices": [0],
            }
        ],
    }

    def piece(text: str, **more: object) -> Json:
        content = {"role": "model", "parts": [{"text": text}]}
        return {"candidates": [{"content": content, **more}], "modelVersion": "g"}

    whole = piece(TEXT, finishReason="STOP", groundingMetadata=grounding)
    last = piece("", finishReason="STOP", groundingMetadata=grounding)
    told = events(*(piece(each) for each in PIECES), last).replace("\n", "\r\n")
    asked = {"contents": [{"role": "user", "parts": [{"text": "Q?"}]}]}
    return exchange(GEMINI, asked, ""), whole, told


def cohere() -> tuple[Json, object, object]:
    place = {
        "start": AT,
        "end": END,
        "text": SAID,
        "content_index": 0,
        "type": "TEXT_CONTENT",
        "sources": [{"type": "document", "id": "doc:0"}],
    }
    message = {"role": "assistant", "content": [{"type": "text", "text": TEXT}]}
    whole = {"id": "1", "finish_reason": "COMPLETE", "message": {**message, "citations": [place]}}

    def delta(inner: Json, kind: str = "content-delta") -> Json:
        return {"type": kind, "index": 0, "delta": {"message": inner}}

    told = events(
        {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant"}}},
        delta({"content": {"type": "text", "text": ""}}, "content-start"),
        *(delta({"content": {"text": piece}}) for piece in PIECES),
        delta({"citations": place}, "citation-start"),
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        name="type",
    )
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "Q?"}],
        "documents": [{"data": {"text": TEXT}}],
    }
    return exchange("https://api.cohere.com/v2/chat", asked, ""), whole, told + "data: [DONE]\n\n"


def framed(*told: tuple[str, Json]) -> dict[str, str]:
    """Write a binary event stream, as a recorder keeps bytes."""
    body = b""
    for kind, data in told:
        name = b":event-type"
        header = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(kind)) + kind.encode()
        payload = json.dumps({**data, "p": "abc"}).encode()
        head = struct.pack(">II", 16 + len(header) + len(payload), len(header))
        head += struct.pack(">I", zlib.crc32(head))
        body += head + header + payload + struct.pack(">I", zlib.crc32(head + header + payload))
    return {"b64": base64.b64encode(body).decode()}


def converse() -> tuple[Json, object, object]:
    document = {"document": {"name": "d", "format": "txt", "source": {"text": TEXT}}}
    asked = {"messages": [{"role": "user", "content": [document, {"text": "Q?"}]}]}
    place = {
        "location": {"documentChar": {"documentIndex": 0, "start": AT, "end": END}},
        "sourceContent": [{"text": SAID}],
        "title": "d",
    }
    cited = {"citationsContent": {"content": [{"text": TEXT}], "citations": [place]}}
    whole = {
        "output": {"message": {"role": "assistant", "content": [cited]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 90},
    }
    told = framed(
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"citation": place}}),
        *(
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
            for piece in PIECES
        ),
        ("messageStop", {"stopReason": "end_turn"}),
        ("metadata", {"usage": {"inputTokens": 90}}),
    )
    return exchange(CONVERSE, asked, ""), whole, told


def retrieved() -> tuple[Json, object, object]:
    reference = {
        "content": {"text": SAID, "type": "TEXT"},
        "location": {"type": "S3", "s3Location": {"uri": "s3://b/a.pdf"}},
    }

    def place(end: int) -> Json:
        part = {"text": SAID, "span": {"start": AT, "end": end}}
        made = {"generatedResponsePart": {"textResponsePart": part}}
        return {**made, "retrievedReferences": [reference]}

    whole = {"output": {"text": TEXT}, "citations": [place(END - 1)], "sessionId": "s"}
    told = framed(
        *(("output", {"text": piece}) for piece in PIECES), ("citation", {"citation": place(END)})
    )
    return exchange(f"{AGENT}/retrieveAndGenerate", {"input": {"text": "Q?"}}, ""), whole, told


ANSWERS = {
    "Messages": anthropic,
    "Responses": responses,
    "Gemini": gemini,
    "Cohere": cohere,
    "Converse": converse,
    "RetrieveAndGenerate": retrieved,
}
STREAMED = {
    "Converse": f"{CONVERSE}-stream",
    "RetrieveAndGenerate": f"{AGENT}/retrieveAndGenerateStream",
}
"""Addresses of those whose stream has one of its own."""


@pytest.mark.parametrize("name", ANSWERS)
def test_a_streamed_answer_has_the_citations_of_a_whole_one(tmp_path: Path, name: str) -> None:
    asking, whole, told = ANSWERS[name]()

    def read(body: object, url: str = "") -> tuple[object, ...]:
        request = {**asking["request"], **({"url": url} if url else {})}
        answer = {**asking["response"], "body": body}
        run, facts = one(tmp_path, {"request": request, "response": answer})
        assert run.answers[0].text.startswith(TEXT)
        assert [each.anchor for each in facts] == [Anchor.EXACT]
        return tuple(
            (f.source_id, f.span, f.verdict, f.anchor, f.citation.answer_span, f.citation.label)
            for f in facts
        )

    assert read(whole) == read(told, STREAMED.get(name, ""))


def test_pieces_of_gemini_in_a_list_are_one_response(tmp_path: Path) -> None:
    asking, whole, told = gemini()
    pieces = [json.loads(line[6:]) for line in str(told).splitlines() if line.startswith("data: ")]
    _, (facts,) = one(tmp_path, {**asking, "response": {"status": 200, "body": pieces}})
    _, (other,) = one(tmp_path, {**asking, "response": {"status": 200, "body": whole}})
    assert facts.citation == other.citation
