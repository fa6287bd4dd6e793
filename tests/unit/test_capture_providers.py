"""What Anthropic and OpenAI say on the wire, on exchanges that were written for these tests."""

import base64
import json
from io import BytesIO
from pathlib import Path

import pytest
from fpdf import FPDF

from store.importers._pdf_pages import pages_of
from store.records.citations import AnswerCitation
from store.records.findings import Anchor, CitationFacts, Verdict
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind
from store.records.text import Span
from tests.unit.captures import (
    ASKED,
    OPENAI,
    Json,
    completion,
    events,
    exchange,
    one,
    opened,
    response,
)

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


def marked(text: str, annotations: list[Json]) -> Json:
    """Write a chat completion with marks on its text."""
    whole = completion(text)
    whole["choices"][0]["message"]["annotations"] = annotations
    return whole


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
    body = ": OPENROUTER PROCESSING\n\n" + events(*chunks) + "data: [DONE]\n\n"
    url = f"{OPENAI}/chat/completions"
    whole = marked(SAID, [{"type": "url_citation", "url_citation": MARK}])
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
    body = "\n\n   \n" + json.dumps(marked("Words.", [mark]))
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
    run, _ = one(tmp_path, exchange(f"{OPENAI}/responses", request, response("A.")))
    assert run.calls[0].grade is grade
    assert said in run.calls[0].grade_reason


def test_a_stream_that_breaks_off_keeps_the_text_and_says_so(tmp_path: Path) -> None:
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    body = events(
        {"type": "response.created", "response": {"id": "resp_1", "object": "response"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.output_text.delta",
            "output_index": 0,
            "content_index": 0,
            "delta": "Ab",
        },
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "c"},
        name="type",
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
    made = dict(response("Alpha is first."))
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
        exchange(url, {"model": "m", "input": [question, call, output]}, response("A.", "resp_2")),
    )
    assert [(c.id, c.by_call) for c in run.tool_calls] == [("c1", 1)]
    assert [result.text for result in run.tool_results] == ["Nothing to see here."]


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


def test_what_a_document_says_of_itself_is_given_and_cannot_be_cited(tmp_path: Path) -> None:
    document = {**plain("The text.", "t"), "context": "From the archive of 1993."}
    place = {"document_index": 0, "start_char_index": 0, "end_char_index": 9}
    made = claude(cites(type="char_location", cited_text="The text.", **place), user(document))
    run, (facts,) = one(tmp_path, made)
    texts = [part.text for index in run.request(1) for part in run.messages[index].parts]
    assert texts == ["The text.", "From the archive of 1993."]
    assert facts.verdict is Verdict.READ
