"""Assistants, DashScope, xAI, Mistral's Conversations, lists beside an answer, and files."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF

from store.records.findings import Anchor, Verdict
from store.records.grades import Grade
from store.records.runs import PartKind
from store.records.text import Span
from tests.unit.captures import (
    ASKED,
    CLAUDE,
    GEMINI,
    OPENAI,
    Json,
    completion,
    events,
    exchange,
    one,
    opened,
    parts,
    response,
)

# -- lists of addresses beside an answer -------------------------------------------------

PAGES = ["https://e.org/a", "https://e.org/b_(c)"]


def test_links_of_an_answer_lead_to_the_list_beside_it(tmp_path: Path) -> None:
    text = "Größer. [[1]](https://e.org/a) And [[2]](https://e.org/b_(c))."
    made = exchange(
        "https://api.x.ai/v1/chat/completions", ASKED, completion(text, citations=PAGES)
    )
    run, facts = one(tmp_path, made)
    assert [(f.source_id, f.anchor, f.verdict) for f in facts] == [
        (PAGES[0], Anchor.EXACT, Verdict.UNVERIFIABLE),
        (PAGES[1], Anchor.EXACT, Verdict.UNVERIFIABLE),
    ]
    assert facts[1].citation.answer_span == Span(35, 61)
    assert run.calls[0].grade is Grade.DERIVED


def test_numbers_of_an_answer_lead_to_the_list_beside_it(tmp_path: Path) -> None:
    made = exchange(
        "https://openrouter.ai/api/v1/chat/completions",
        ASKED,
        completion("True.[2] And [7].", citations=PAGES),
    )
    _, facts = one(tmp_path, made)
    assert [(f.source_id, f.verdict) for f in facts] == [
        (PAGES[1], Verdict.UNVERIFIABLE),
        ("[7]", Verdict.UNRESOLVED),
    ]


def test_a_list_that_no_mark_refers_to_is_citations_without_a_place(tmp_path: Path) -> None:
    made = exchange(
        "https://api.x.ai/v1/chat/completions", ASKED, completion("True.", citations=PAGES)
    )
    _, facts = one(tmp_path, made)
    assert [(f.source_id, f.citation.answer_span, f.anchor) for f in facts] == [
        (page, None, Anchor.NONE) for page in PAGES
    ]


# -- xAI --------------------------------------------------------------------------------

XAI_ASKED: Json = {
    "model": "grok",
    "messages": [{"role": "ROLE_USER", "content": [{"text": "Q?"}]}],
}
LINK = "[[1]](https://e.org/a)"
TOOL_CALL = {"id": "t1", "function": {"name": "web_search", "arguments": "{}"}}


def xai_outputs(key: str) -> list[Json]:
    cited = {
        "id": "1",
        "start_index": 9,
        "end_index": 9 + len(LINK),
        "web_citation": {"url": "https://e.org/a"},
    }
    return [
        {"index": 0, key: {"role": "ROLE_ASSISTANT", "tool_calls": [TOOL_CALL]}},
        {
            "index": 1,
            key: {"role": "ROLE_TOOL", "tool_calls": [TOOL_CALL], "encrypted_content": "AAAA"},
        },
        {
            "index": 2,
            "finish_reason": "REASON_STOP",
            key: {"role": "ROLE_ASSISTANT", "content": f"Größer – {LINK}.", "citations": [cited]},
        },
    ]


def test_xai_counts_characters_of_its_last_output_and_what_its_tools_gave_is_sealed(
    tmp_path: Path,
) -> None:
    whole = {"id": "x1", "outputs": xai_outputs("message"), "citations": PAGES}
    run, (facts,) = one(tmp_path, exchange("/xai_api.Chat/GetCompletion", XAI_ASKED, whole))
    assert facts.citation.offsets is not None
    assert facts.citation.offsets.fits == ("codepoint", "utf16")
    assert (facts.anchor, facts.verdict) == (Anchor.EXACT, Verdict.UNVERIFIABLE)
    assert run.calls[0].grade is Grade.DERIVED
    assert [entry.source_id for entry in run.manifests[0].entries] == PAGES
    pieces: list[Json] = [{"id": "x1", "outputs": [each]} for each in xai_outputs("delta")]
    streamed, (other,) = one(
        tmp_path, exchange("/xai_api.Chat/GetCompletionChunk", XAI_ASKED, pieces)
    )
    assert other.citation == facts.citation
    assert streamed.answers[0].text == run.answers[0].text


# -- DashScope --------------------------------------------------------------------------

QWEN = "https://dashscope.aliyuncs.com/api/v1/services/aigc/text-generation/generation"
QWEN_ASKED: Json = {
    "model": "qwen",
    "input": {"messages": [{"role": "user", "content": "问？"}]},
    "parameters": {"enable_search": True, "result_format": "message"},
}
FOUND: list[Json] = [
    {"index": 2, "url": "https://e.org/2", "title": "Two", "site_name": "e"},
    {"index": 1, "url": "https://e.org/1", "title": "One", "site_name": "e"},
]


def qwen(text: str, reason: str = "stop") -> Json:
    choice = {"finish_reason": reason, "message": {"role": "assistant", "content": text}}
    return {
        "request_id": "q1",
        "output": {"choices": [choice], "search_info": {"search_results": FOUND}},
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }


@pytest.mark.parametrize("mark", ["[2]", "[ref_2]"])
def test_dashscope_numbers_its_search_results(tmp_path: Path, mark: str) -> None:
    run, (facts,) = one(tmp_path, exchange(QWEN, QWEN_ASKED, qwen(f"晴天{mark}。")))
    assert (facts.source_id, facts.verdict) == ("https://e.org/2", Verdict.UNVERIFIABLE)
    assert facts.citation.answer_span == Span(2, 2 + len(mark))
    assert run.calls[0].grade is Grade.DERIVED


@pytest.mark.parametrize("how", ["repeats", "adds"])
def test_a_stream_of_dashscope_repeats_or_adds_its_text(tmp_path: Path, how: str) -> None:
    grows = how == "adds"
    parameters = {"enable_search": True, "incremental_output": grows}
    asked = {**QWEN_ASKED, "parameters": parameters}
    first, last = ("晴天", "[1]。") if grows else ("晴天", "晴天[1]。")
    body = "id:1\nevent:result\n:HTTP_STATUS/200\n" + events(qwen(first, "null"), qwen(last))
    run, (facts,) = one(tmp_path, exchange(QWEN, asked, body))
    assert run.answers[0].text == "晴天[1]。"
    assert facts.source_id == "https://e.org/1"


# -- Assistants -------------------------------------------------------------------------

MARKER = "【4:0†source】"


def assistant(text: str, message_id: str = "msg_2") -> Json:
    mark = {
        "type": "file_citation",
        "text": MARKER,
        "start_index": text.find(MARKER),
        "end_index": text.find(MARKER) + len(MARKER),
        "file_citation": {"file_id": "file-1"},
    }
    content = [{"type": "text", "text": {"value": text, "annotations": [mark]}}]
    return {
        "id": message_id,
        "object": "thread.message",
        "role": "assistant",
        "created_at": 2,
        "content": content,
    }


def asks(text: str) -> Json:
    content = [{"type": "text", "text": {"value": text, "annotations": []}}]
    message = {"id": "msg_1", "object": "thread.message", "role": "user", "created_at": 1}
    return {**message, "content": content}


def test_an_answer_in_a_thread_is_read_and_its_request_is_never_on_the_wire(tmp_path: Path) -> None:
    url = f"{OPENAI}/threads/thread_1/messages"
    listed = {"object": "list", "data": [assistant(f"Größer 🤔{MARKER}."), asks("Q?")]}
    made = [
        exchange(url, {"role": "user", "content": "Q?"}, asks("Q?")),
        exchange(url, None, listed, method="GET"),
        exchange(url, None, listed, method="GET"),
    ]
    run, (facts,) = one(tmp_path, *made)
    assert [call.origin for call in run.calls] == ["made.jsonl#1"]
    assert run.calls[0].grade is Grade.UNKNOWN
    assert (facts.source_id, facts.verdict, facts.anchor) == (
        "file-1",
        Verdict.UNVERIFIABLE,
        Anchor.EXACT,
    )
    assert [part.text for part in parts(run)] == ["Q?"]
    delta = {
        "id": "msg_2",
        "object": "thread.message.delta",
        "delta": {
            "content": [
                {
                    "index": 0,
                    "type": "text",
                    "text": {"value": "Größer 🤔", "annotations": []},
                }
            ]
        },
    }
    rest = assistant(f"Größer 🤔{MARKER}.")["content"]
    assert isinstance(rest, list)
    last = {**rest[0]["text"], "value": f"{MARKER}."}
    second = {**delta, "delta": {"content": [{"index": 0, "type": "text", "text": last}]}}
    body = "".join(
        f"event: {name}\n{events(data)}"
        for name, data in (
            ("thread.message.delta", delta),
            ("thread.message.delta", second),
            ("thread.run.completed", {"id": "run_1", "object": "thread.run", "usage": {}}),
        )
    )
    _, (streamed,) = one(
        tmp_path, exchange(f"{OPENAI}/threads/thread_1/runs", {"assistant_id": "a"}, body)
    )
    assert streamed.citation == facts.citation


# -- Mistral's Conversations ------------------------------------------------------------

MISTRAL = "https://api.mistral.ai/v1/conversations"


def test_references_of_a_conversation_stand_where_they_are_in_the_answer(tmp_path: Path) -> None:
    page = {"type": "tool_reference", "tool": "web_search", "title": "T", "url": "https://e.org"}
    content: list[Json] = [{"type": "text", "text": "Wärm"}, page, {"type": "text", "text": "."}]
    outputs: list[Json] = [
        {"type": "tool.execution", "name": "web_search", "id": "x", "arguments": "{}"},
        {"type": "message.output", "role": "assistant", "content": content, "model": "m"},
    ]
    asked = {"model": "m", "inputs": "Q?"}
    whole = {"object": "conversation.response", "conversation_id": "conv_1", "outputs": outputs}
    run, (facts,) = one(tmp_path, exchange(MISTRAL, asked, whole))
    assert run.answers[0].text == "Wärm."
    assert (facts.source_id, facts.citation.answer_span) == ("https://e.org", Span(4, 4))
    told: list[Json] = [
        {"type": "conversation.response.started", "conversation_id": "conv_1"},
        {**outputs[0], "type": "tool.execution.started", "output_index": 0},
        *(
            {"type": "message.output.delta", "output_index": 1, "content": piece, "model": "m"}
            for piece in ("Wärm", page, ".")
        ),
        {"type": "conversation.response.done", "usage": {"prompt_tokens": 9}},
    ]
    _, (streamed,) = one(tmp_path, exchange(MISTRAL, asked, events(*told, name="type")))
    assert streamed.citation == facts.citation
    more = exchange(f"{MISTRAL}/conv_1", {"inputs": "And?"}, whole)
    (run,) = opened(tmp_path, exchange(MISTRAL, asked, whole), more)
    assert [part.text for part in parts(run, 2) if part.kind is PartKind.TEXT] == [
        "Q?",
        "Wärm",
        ".",
        "And?",
    ]
    (alone,) = opened(tmp_path, more)
    assert alone.calls[0].grade is Grade.UNKNOWN


# -- files ------------------------------------------------------------------------------


def upload(url: str, name: str, media: str, data: bytes, told: Json) -> Json:
    """Write the upload of a file as a browser sends it."""
    body = (
        b'--XX\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--XX\r\n'
        b'Content-Disposition: form-data; name="file"; filename="' + name.encode() + b'"\r\n'
        b"Content-Type: " + media.encode() + b"\r\n\r\n" + data + b"\r\n--XX--\r\n"
    )
    headers = {"content-type": "multipart/form-data; boundary=XX"}
    made: dict[str, Any] = {**exchange(url, body.decode(), told)}
    made["request"] = {**made["request"], "headers": headers}
    return made


TEXT = "The sky is blue. The grass is green."


def cites(name: str) -> Json:
    place = {
        "type": "char_location",
        "cited_text": "The grass is green.",
        "document_index": 0,
        "start_char_index": 17,
        "end_char_index": 36,
    }
    said = {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "content": [{"type": "text", "text": "Green.", "citations": [place]}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 90},
    }
    document = {"type": "document", "source": {"type": "file", "file_id": name}}
    return exchange(
        CLAUDE, {"model": "m", "messages": [{"role": "user", "content": [document]}]}, said
    )


def test_a_file_that_was_uploaded_in_the_capture_is_what_the_request_names(tmp_path: Path) -> None:
    url = "https://api.anthropic.com/v1/files"
    told = {"id": "file_1", "type": "file", "filename": "a.txt", "mime_type": "text/plain"}
    given = upload(url, "a.txt", "text/plain", TEXT.encode(), told)
    run, (facts,) = one(tmp_path, given, cites("file_1"))
    assert (facts.verdict, facts.anchor, facts.grade) == (
        Verdict.READ,
        Anchor.EXACT,
        Grade.DERIVED,
    )
    assert "file_1" in run.calls[0].grade_reason
    run, (facts,) = one(tmp_path, cites("file_2"))
    assert (facts.verdict, run.calls[0].grade) == (Verdict.UNVERIFIABLE, Grade.UNKNOWN)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_file", "file_url": "https://e.org/a.pdf"},
    ],
)
def test_a_file_that_only_the_service_has_leaves_the_request_unknown(
    tmp_path: Path, part: Json
) -> None:
    content = [{"type": "input_text", "text": "Q?"}, part]
    asked = {"model": "m", "input": [{"role": "user", "content": content}]}
    run, _ = one(tmp_path, exchange(f"{OPENAI}/responses", asked, response("A.")))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert "names the file" in run.calls[0].grade_reason


@pytest.mark.parametrize(
    "part",
    [
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "https://e.org/a.pdf"}},
        {"type": "document_url", "document_url": "https://e.org/a.pdf"},
        {"type": "file", "file": {"file_id": "file-1"}},
    ],
)
def test_a_file_that_is_fetched_from_an_address_leaves_the_request_unknown(
    tmp_path: Path, part: Json
) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": [part]}]}
    (run,) = opened(tmp_path, exchange(f"{OPENAI}/chat/completions", asked, completion("A.")))
    assert run.calls[0].grade is Grade.UNKNOWN


def test_a_text_file_that_was_uploaded_is_in_the_request_of_openai(tmp_path: Path) -> None:
    told = {"id": "file-1", "object": "file", "filename": "a.txt", "purpose": "user_data"}
    given = upload(f"{OPENAI}/files", "a.txt", "text/plain", TEXT.encode(), told)
    content = [{"type": "input_file", "file_id": "file-1"}]
    asked = {"model": "m", "input": [{"role": "user", "content": content}]}
    (run,) = opened(tmp_path, given, exchange(f"{OPENAI}/responses", asked, response("A.")))
    assert [(part.kind, part.text) for part in parts(run)] == [(PartKind.DOCUMENT, TEXT)]
    assert run.calls[0].grade is Grade.DERIVED


def pdf(text: str) -> str:
    made = FPDF()
    made.set_font("Helvetica", size=12)
    made.add_page()
    made.multi_cell(0, 6, text)
    out = BytesIO()
    made.output(out)
    return base64.b64encode(out.getvalue()).decode()


def test_a_pdf_within_a_request_is_a_source_whose_words_are_inferred(tmp_path: Path) -> None:
    data = pdf("The first page speaks of Rome.")
    file = {"filename": "r.pdf", "file_data": f"data:application/pdf;base64,{data}"}
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "file", "file": file}]}],
    }
    (run,) = opened(tmp_path, exchange(f"{OPENAI}/chat/completions", asked, completion("Rome.")))
    assert run.versions[0].title == "r.pdf"
    assert "speaks of Rome" in parts(run)[0].text
    assert run.calls[0].grade is Grade.INFERRED
    inline = {"inlineData": {"mimeType": "application/pdf", "data": data}}
    contents = [{"role": "user", "parts": [inline]}]
    said = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Rome."}]}}],
        "modelVersion": "g",
    }
    (run,) = opened(tmp_path, exchange(GEMINI, {"contents": contents}, said))
    assert "speaks of Rome" in parts(run)[0].text


# -- others -----------------------------------------------------------------------------


def test_what_gemini_recites_is_told_with_its_place_and_cannot_be_verified(tmp_path: Path) -> None:
    place = {"startIndex": 7, "endIndex": 12, "uri": "https://e.org/code", "license": "mit"}
    candidate = {
        "content": {"role": "model", "parts": [{"text": "Größe hello."}]},
        "finishReason": "STOP",
        "citationMetadata": {"citationSources": [place]},
    }
    contents = [{"role": "user", "parts": [{"text": "Q?"}]}]
    said = {"candidates": [candidate], "modelVersion": "g"}
    _, (facts,) = one(tmp_path, exchange(GEMINI, {"contents": contents}, said))
    assert (facts.source_id, facts.verdict) == ("https://e.org/code", Verdict.UNVERIFIABLE)
    assert facts.citation.answer_span == Span(5, 10)


def test_pages_that_gemini_fetched_or_retrieved_are_named(tmp_path: Path) -> None:
    text = "The sky is blue."
    piece = {"text": "The sky is blue over Rome.", "pageSpan": {"firstPage": 3, "lastPage": 4}}
    chunk = {"retrievedContext": {"uri": "gs://b/a.pdf", "title": "A", "ragChunk": piece}}
    candidate = {
        "content": {"role": "model", "parts": [{"text": text}]},
        "finishReason": "STOP",
        "groundingMetadata": {
            "groundingChunks": [chunk],
            "groundingSupports": [
                {"segment": {"endIndex": 16, "text": text}, "groundingChunkIndices": [0]}
            ],
        },
        "urlContextMetadata": {"urlMetadata": [{"retrievedUrl": "https://e.org"}]},
    }
    contents = [{"role": "user", "parts": [{"text": "Q?"}]}]
    said = {"candidates": [candidate], "modelVersion": "g"}
    run, (facts,) = one(tmp_path, exchange(GEMINI, {"contents": contents}, said))
    assert facts.citation.label == "A, p. 3\u20134"
    assert (facts.source_id, facts.anchor) == ("gs://b/a.pdf", Anchor.EXACT)
    assert [entry.source_id for entry in run.manifests[0].entries] == ["https://e.org"]


def test_a_file_that_the_service_made_is_told_and_is_no_citation(tmp_path: Path) -> None:
    text = "See [it](sandbox:/mnt/data/größe.csv)."
    marks: list[Json] = [
        {
            "type": "container_file_citation",
            "file_id": "cfile_1",
            "filename": "größe.csv",
            "start_index": 9,
            "end_index": 36,
        },
        {
            "type": "container_file_citation",
            "file_id": "cfile_2",
            "filename": "plot.png",
            "start_index": 0,
            "end_index": 0,
        },
    ]
    made = exchange(
        f"{OPENAI}/responses", {"model": "m", "input": "Q?"}, response(text, "resp_1", *marks)
    )
    run, (facts,) = one(tmp_path, made)
    assert (facts.source_id, facts.anchor) == ("cfile_1", Anchor.EXACT)
    assert any("plot.png" in problem.what for problem in run.problems)
