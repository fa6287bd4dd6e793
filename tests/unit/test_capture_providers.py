"""What each provider's wire format says, on exchanges that were written for these tests."""

import base64
import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
from fpdf import FPDF

from reviewer.audit.engine import audit
from store.importers._pdf_pages import pages_of
from store.opening import open_paths
from store.records.citations import AnswerCitation, SourceCitation
from store.records.findings import Anchor, CitationFacts, Verdict
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Problem, Run
from store.records.text import Span

Json = Mapping[str, object]
OPENAI = "https://api.openai.com/v1"


def exchange(url: str, request: Json, response: object) -> Json:
    return {
        "request": {"method": "POST", "url": url, "headers": {}, "body": request},
        "response": {"status": 200, "headers": {}, "body": response},
    }


def sse(*events: Json, name: bool = False, done: bool = False) -> str:
    text = ""
    for event in events:
        text += f"event: {event['type']}\n" if name else ""
        text += f"data: {json.dumps(event)}\n\n"
    return text + ("data: [DONE]\n\n" if done else "")


def opened(tmp_path: Path, *exchanges: Json) -> list[Run]:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in exchanges), encoding="utf-8")
    found = list(open_paths([str(path)]))
    assert not [item for item in found if isinstance(item, Problem)], found
    return [item for item in found if isinstance(item, Run)]


def judged(run: Run) -> tuple[CitationFacts, ...]:
    return audit(run, lambda text: len(text) // 4, "characters").citations


def one(tmp_path: Path, made: Json) -> tuple[Run, tuple[CitationFacts, ...]]:
    (run,) = opened(tmp_path, made)
    return run, judged(run)


# -- Anthropic -------------------------------------------------------------------------


def claude(
    content: list[object], *messages: object, answer: Json | None = None, **more: object
) -> Json:
    said = {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "model": "m",
        "content": content,
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5000},
        **(answer or {}),
    }
    return exchange(
        "https://api.anthropic.com/v1/messages",
        {"model": "m", "messages": list(messages), **more},
        said,
    )


def cites(**place: object) -> list[object]:
    return [{"type": "text", "text": "So it is.", "citations": [place]}]


def plain(data: str, title: str = "") -> Json:
    return {"type": "document", "title": title, "source": {"type": "text", "data": data}}


def user(*blocks: object) -> Json:
    return {"role": "user", "content": list(blocks)}


def test_characters_count_code_points_and_a_place_in_utf_16_is_found_with_its_drift(
    tmp_path: Path,
) -> None:
    text = "🤔🤔 The sky is blue."
    for start, end, fits, drift in (
        (3, 19, ("codepoint",), 0),
        (5, 21, ("utf16",), -2),
        (9, 25, ("utf8byte",), -6),
    ):
        place = {"document_index": 0, "start_char_index": start, "end_char_index": end}
        made = claude(
            cites(type="char_location", cited_text="The sky is blue.", **place), user(plain(text))
        )
        _, (facts,) = one(tmp_path, made)
        assert facts.citation.offsets is not None
        assert (facts.citation.offsets.fits, facts.citation.offsets.drift) == (fits, drift)
        assert (facts.verdict, facts.span) == (Verdict.READ, Span(3, 19))


def test_a_place_that_fits_no_unit_is_told_with_its_drift_and_differs(tmp_path: Path) -> None:
    place = {"document_index": 0, "start_char_index": 2, "end_char_index": 12}
    made = claude(
        cites(type="char_location", cited_text="the second", **place),
        user(plain("the first, the second, the third")),
    )
    _, (facts,) = one(tmp_path, made)
    assert facts.citation.offsets is not None
    assert (facts.citation.offsets.fits, facts.citation.offsets.drift) == ((), 9)
    assert (facts.verdict, facts.anchor) == (Verdict.QUOTE_DIFFERS, Anchor.RELOCATED)


def test_documents_and_search_results_are_counted_apart(tmp_path: Path) -> None:
    result = {
        "type": "search_result",
        "source": "kb/1",
        "title": "One",
        "content": [{"type": "text", "text": "Alpha. "}, {"type": "text", "text": "Beta."}],
    }
    place = {"start_block_index": 0, "end_block_index": 2, "source": "kb/1"}
    made = claude(
        cites(
            type="search_result_location",
            cited_text="Alpha. Beta.",
            search_result_index=0,
            **place,
        )
        + cites(
            type="char_location",
            cited_text="Second",
            document_index=1,
            start_char_index=0,
            end_char_index=6,
        ),
        user(plain("First", "a"), result, plain("Second", "b")),
    )
    _, facts = one(tmp_path, made)
    assert [(f.source_id, f.verdict, f.anchor) for f in facts] == [
        ("kb/1", Verdict.READ, Anchor.EXACT),
        ("b", Verdict.READ, Anchor.EXACT),
    ]


@pytest.mark.parametrize(
    ("number", "start", "end", "verdict"),
    [
        (0, 3, 9, Verdict.OUT_OF_BOUNDS),
        (0, 2, 1, Verdict.OUT_OF_BOUNDS),
        (4, 0, 1, Verdict.UNRESOLVED),
    ],
)
def test_a_place_that_is_none_is_not_read(
    tmp_path: Path, number: int, start: int, end: int, verdict: Verdict
) -> None:
    place = {"document_index": number, "start_char_index": start, "end_char_index": end}
    _, (facts,) = one(tmp_path, claude(cites(type="char_location", **place), user(plain("abcd"))))
    assert facts.verdict is verdict


def pdf(*pages: str) -> bytes:
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for page in pages:
        made.add_page()
        made.multi_cell(0, 6, page)
    out = BytesIO()
    made.output(out)
    return out.getvalue()


def test_a_page_of_a_pdf_is_compared_in_the_words_of_pdfium(tmp_path: Path) -> None:
    data = pdf("The first page speaks of Rome.", "The second page speaks of Athens.")
    source = {
        "type": "base64",
        "media_type": "application/pdf",
        "data": base64.b64encode(data).decode(),
    }
    document = {"type": "document", "title": "t.pdf", "source": source}

    def facts(page: int) -> CitationFacts:
        place = {"document_index": 0, "start_page_number": page, "end_page_number": page + 1}
        quoted = pages_of(data)[1]
        made = claude(cites(type="page_location", cited_text=quoted, **place), user(document))
        return one(tmp_path, made)[1][0]

    assert (facts(2).verdict, facts(2).anchor, facts(2).unit.value) == (
        Verdict.READ,
        Anchor.EXACT,
        "page",
    )
    assert facts(1).verdict is Verdict.QUOTE_DIFFERS
    assert facts(3).verdict is Verdict.OUT_OF_BOUNDS


def test_a_document_that_is_only_named_cannot_be_verified(tmp_path: Path) -> None:
    document = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
    place = {"document_index": 0, "start_char_index": 0, "end_char_index": 3}
    made = claude(cites(type="char_location", cited_text="abc", **place), user(document))
    _, (facts,) = one(tmp_path, made)
    assert facts.verdict is Verdict.UNVERIFIABLE
    assert "the capture does not hold what the model was given of it" in facts.reason


def tool_turns(count: int) -> list[Json]:
    turns: list[Json] = [user({"type": "text", "text": "go"})]
    for number in range(count):
        call = {"type": "tool_use", "id": f"t{number}", "name": "look", "input": {}}
        text = f"result {number} " * 30
        turns.append({"role": "assistant", "content": [call]})
        turns.append(user({"type": "tool_result", "tool_use_id": f"t{number}", "content": text}))
    return turns


def cleared(count: int) -> Json:
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": count}
    return {"context_management": {"applied_edits": [{**edit, "cleared_input_tokens": 9}]}}


def asked(**config: object) -> Json:
    return {"edits": [{"type": "clear_tool_uses_20250919", **config}]}


def test_the_oldest_results_that_may_be_cleared_are_those_that_were(tmp_path: Path) -> None:
    text: list[object] = [{"type": "text", "text": "Done."}]
    made = claude(text, *tool_turns(5), answer=cleared(2), context_management=asked())
    run, _ = one(tmp_path, made)
    assert [edit.tool_call_ids for edit in run.edits] == [("t0", "t1")]
    assert run.calls[0].grade is Grade.INFERRED


def test_a_clearing_that_breaks_its_own_rule_leaves_the_request_unknown(tmp_path: Path) -> None:
    text: list[object] = [{"type": "text", "text": "Done."}]
    keep = {"type": "tool_uses", "value": 4}
    made = claude(text, *tool_turns(5), answer=cleared(3), context_management=asked(keep=keep))
    run, _ = one(tmp_path, made)
    assert run.calls[0].grade is Grade.UNKNOWN


def test_excluded_tools_are_not_cleared(tmp_path: Path) -> None:
    text: list[object] = [{"type": "text", "text": "Done."}]
    management = asked(exclude_tools=["look"])
    made = claude(text, *tool_turns(3), answer=cleared(1), context_management=management)
    run, _ = one(tmp_path, made)
    assert run.edits[0].tool_call_ids == ()
    assert run.calls[0].grade is Grade.UNKNOWN


def test_thinking_that_the_service_dropped_is_not_in_the_request(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    answer = {
        "input_transformations": [
            {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "r"}
        ]
    }
    made = claude(
        [{"type": "text", "text": "Yes."}],
        user({"type": "text", "text": "a"}),
        {"role": "assistant", "content": [thought, {"type": "text", "text": "b"}]},
        user({"type": "text", "text": "c"}),
        answer=answer,
    )
    run, _ = one(tmp_path, made)
    parts = [part for index in run.request(1) for part in run.messages[index].parts]
    assert [part.kind for part in parts] == [PartKind.TEXT] * 3
    assert run.calls[0].grade is Grade.DERIVED


def test_a_citation_of_a_page_that_was_fetched_only_later_is_not_resolved(tmp_path: Path) -> None:
    call = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_fetch",
        "input": {"url": "https://e.org"},
    }
    fetched = {
        "type": "web_fetch_tool_result",
        "tool_use_id": "s1",
        "content": {
            "type": "web_fetch_result",
            "url": "https://e.org",
            "content": plain("The text of the page."),
        },
    }
    place = {"document_index": 0, "start_char_index": 0, "end_char_index": 8}
    cited = cites(type="char_location", cited_text="The text", **place)
    _, (early,) = one(
        tmp_path, claude([*cited, call, fetched], user({"type": "text", "text": "a"}))
    )
    _, (late,) = one(tmp_path, claude([call, fetched, *cited], user({"type": "text", "text": "a"})))
    assert early.verdict is Verdict.UNRESOLVED
    assert (late.verdict, late.grade) == (Verdict.READ, Grade.DERIVED)


def test_tokens_that_are_only_counted_are_no_call(tmp_path: Path) -> None:
    url = "https://api.anthropic.com/v1/messages/count_tokens"
    counting = exchange(
        url, {"messages": [user({"type": "text", "text": "a"})]}, {"input_tokens": 1}
    )
    asking = claude([{"type": "text", "text": "b"}], user({"type": "text", "text": "a"}))
    (run,) = opened(tmp_path, counting, asking)
    assert [call.origin for call in run.calls] == ["made.jsonl#1"]
    assert any("no model was called" in problem.what for problem in run.problems)


# -- OpenAI ----------------------------------------------------------------------------

LINK = "([e.org](https://e.org/a?utm_source=openai))"
SAID = f"Ünder the sky. {LINK} More."
MARK = {
    "type": "url_citation",
    "url": "https://e.org/a?utm_source=openai",
    "title": "E",
    "start_index": 15,
    "end_index": 15 + len(LINK),
}


def chat(content: object, **more: object) -> Json:
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 9},
    }


ASKED: Json = {"model": "m", "messages": [{"role": "user", "content": "Q?"}]}


def test_a_streamed_chat_completion_has_the_citations_of_a_whole_one(tmp_path: Path) -> None:
    pieces = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": SAID[:9]}}]},
        {"choices": [{"index": 0, "delta": {"content": SAID[9:]}}]},
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {"annotations": [{"type": "url_citation", "url_citation": MARK}]},
                    "finish_reason": "stop",
                }
            ]
        },
    ]
    chunks = [{"id": "c1", "object": "chat.completion.chunk", **piece} for piece in pieces]
    body = ": OPENROUTER PROCESSING\n\n" + sse(*chunks, done=True)
    url = f"{OPENAI}/chat/completions"
    whole = chat(SAID, annotations=[{"type": "url_citation", "url_citation": MARK}])
    _, (plain_facts,) = one(tmp_path, exchange(url, ASKED, whole))
    run, (streamed,) = one(tmp_path, exchange(url, ASKED, body))
    assert plain_facts.citation == streamed.citation
    assert streamed.citation.offsets is not None
    assert streamed.citation.offsets.fits == ("codepoint", "utf16")
    assert run.answers[0].text == SAID
    assert streamed.verdict is Verdict.UNVERIFIABLE


def test_a_place_of_zero_to_zero_is_no_place(tmp_path: Path) -> None:
    mark = {"type": "url_citation", "url_citation": {"url": "https://e.org", "start_index": 0}}
    mark["url_citation"]["end_index"] = 0  # type: ignore[index]
    url = "https://openrouter.ai/api/v1/chat/completions"
    body = "\n\n   \n" + json.dumps(chat("Words.", annotations=[mark]))
    _, (facts,) = one(tmp_path, exchange(url, ASKED, body))
    assert facts.citation.answer_span is None
    assert (facts.citation.offsets, facts.anchor) == (None, Anchor.NONE)


def test_a_link_of_another_service_is_checked_as_well(tmp_path: Path) -> None:
    text = "True [[1]](https://e.org/x)."
    mark = {"type": "url_citation", "url": "https://e.org/x", "start_index": 5, "end_index": 27}
    output = [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": [mark]}],
        }
    ]
    response = {"id": "r1", "object": "response", "status": "completed", "output": output}
    url = "https://api.x.ai/v1/responses"
    _, (facts,) = one(tmp_path, exchange(url, {"model": "grok", "input": "Q?"}, response))
    assert facts.anchor is Anchor.EXACT


def responses(text: str, response_id: str = "resp_1", **more: object) -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "type": "message",
        "id": f"msg_{response_id}",
        "role": "assistant",
        "content": [part],
    }
    return {
        "id": response_id,
        "object": "response",
        "status": "completed",
        "output": [message],
        **more,
    }


@pytest.mark.parametrize(
    ("more", "grade", "said"),
    [
        ({}, Grade.RECORDED, ""),
        ({"previous_response_id": "resp_0"}, Grade.UNKNOWN, "resp_0"),
        ({"conversation": {"id": "conv_1"}}, Grade.UNKNOWN, "conv_1"),
        ({"prompt": {"id": "pmpt_1"}}, Grade.UNKNOWN, "pmpt_1"),
        ({"truncation": "auto"}, Grade.INFERRED, "drop messages"),
        ({"input": [{"type": "item_reference", "id": "msg_9"}]}, Grade.UNKNOWN, "msg_9"),
    ],
)
def test_what_the_service_keeps_is_not_in_the_request(
    tmp_path: Path, more: Json, grade: Grade, said: str
) -> None:
    request = {"model": "m", "input": "Q?", **more}
    run, _ = one(tmp_path, exchange(f"{OPENAI}/responses", request, responses("A.")))
    assert run.calls[0].grade is grade
    assert said in run.calls[0].grade_reason


def test_a_stream_that_breaks_off_keeps_the_text_and_says_so(tmp_path: Path) -> None:
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    body = sse(
        {"type": "response.created", "response": {"id": "resp_1", "object": "response"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.output_text.delta",
            "output_index": 0,
            "content_index": 0,
            "delta": "Ab",
        },
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "c"},
        name=True,
    )
    run, _ = one(tmp_path, exchange(f"{OPENAI}/responses", {"model": "m", "input": "Q?"}, body))
    assert run.answers[0].text == "Abc"
    assert any("before its last event" in problem.what for problem in run.problems)


def test_pieces_that_a_search_returned_are_sources(tmp_path: Path) -> None:
    found = [
        {"file_id": "f1", "filename": "a.pdf", "text": "Alpha is the first letter of all."},
        {"file_id": "f2", "filename": "b.pdf", "text": "Omega is the last letter of all."},
    ]
    search = {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "results": found}
    made = responses("Alpha is first.")
    output = made["output"]
    assert isinstance(output, list)
    note = {"type": "file_citation", "file_id": "f1", "filename": "a.pdf", "index": 14}
    output[0]["content"][0]["annotations"] = [note]
    output.insert(0, search)
    run, (facts,) = one(
        tmp_path, exchange(f"{OPENAI}/responses", {"model": "m", "input": "Q?"}, made)
    )
    assert isinstance(facts.citation, AnswerCitation)
    assert (facts.source_id, facts.verdict, facts.grade) == ("f1", Verdict.READ, Grade.DERIVED)
    assert facts.citation.answer_span == Span(14, 14)
    assert run.calls[0].grade is Grade.DERIVED


def test_a_tool_s_result_is_in_the_request_that_holds_it(tmp_path: Path) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "Nothing to see here."}
    first = {"id": "resp_1", "object": "response", "status": "completed", "output": [call]}
    question = {"role": "user", "content": "Q?"}
    url = f"{OPENAI}/responses"
    (run,) = opened(
        tmp_path,
        exchange(url, {"model": "m", "input": [question]}, first),
        exchange(url, {"model": "m", "input": [question, call, output]}, responses("A.", "resp_2")),
    )
    assert [(c.id, c.by_call) for c in run.tool_calls] == [("c1", 1)]
    assert [result.text for result in run.tool_results] == ["Nothing to see here."]


# -- others ----------------------------------------------------------------------------


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
    run, facts = one(tmp_path, exchange(url, request, chat(content)))
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


def test_a_compaction_within_a_call_takes_the_results_out_of_it(tmp_path: Path) -> None:
    content: list[object] = [
        {"type": "compaction", "content": "Summary of what was."},
        {"type": "text", "text": "Done."},
    ]
    run, _ = one(tmp_path, claude(content, *tool_turns(2)))
    assert [(edit.kind, edit.tool_call_ids) for edit in run.edits] == [
        (EditKind.COMPACT, ("t0", "t1"))
    ]
    assert len(run.request(1)) == 1


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
        "response": chat("A."),
    }
    run, _ = one(tmp_path, made)
    assert run.calls[0].grade is Grade.INFERRED
    assert "gateway" in run.calls[0].grade_reason
    assert run.answers[0].text == "A."


def test_what_a_document_says_of_itself_is_given_and_cannot_be_cited(tmp_path: Path) -> None:
    document = {**plain("The text.", "t"), "context": "From the archive of 1993."}
    place = {"document_index": 0, "start_char_index": 0, "end_char_index": 9}
    made = claude(cites(type="char_location", cited_text="The text.", **place), user(document))
    run, (facts,) = one(tmp_path, made)
    texts = [part.text for index in run.request(1) for part in run.messages[index].parts]
    assert texts == ["The text.", "From the archive of 1993."]
    assert facts.verdict is Verdict.READ


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
    asking = exchange(f"{OPENAI}/chat/completions", ASKED, chat("A."))
    (run,) = opened(tmp_path, embedding, asking)
    assert [call.origin for call in run.calls] == ["made.jsonl#1"]
    assert [(p.kind.value, "left out" in p.what) for p in run.problems] == [("noted", True)]


def test_a_call_of_a_provider_that_is_not_read_is_lost_and_said(tmp_path: Path) -> None:
    strange = exchange(
        "https://models.example/talk",
        {"model": "x", "messages": [{"content": "Q?"}]},
        {"said": "A"},
    )
    asking = exchange(f"{OPENAI}/chat/completions", ASKED, chat("A."))
    (run,) = opened(tmp_path, strange, asking)
    (problem,) = run.problems
    assert problem.kind.value == "lost"
    assert "models.example/talk" in problem.what
