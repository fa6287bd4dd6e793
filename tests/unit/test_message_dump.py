"""Message dumps: four spellings of one conversation, and nothing claimed that they do not hold."""

import json
from pathlib import Path

import pytest

from store.evidence import derive
from store.importers._base import HEAD_BYTES, Probe, UnreadableError
from store.importers._numbered import numbered_lines
from store.importers._probing import file_probe
from store.importers.message_dump import IMPORTER
from store.records.citations import AnswerCitation, SourceCitation
from store.records.grades import Grade, Layer
from store.records.runs import EditKind, Message, PartKind, ProblemKind, Run
from store.records.sources import Integrity, Selection, SourceKind
from store.records.text import Span, Unit


def probe_of(path: Path) -> Probe:
    return file_probe(path, path.name)


def runs_of(folder: Path, value: object) -> list[Run]:
    path = folder / "dump"
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(json.dumps(value), encoding="utf-8")
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def run_of(folder: Path, value: object) -> Run:
    (run,) = runs_of(folder, value)
    return run


def human(text: object) -> dict[str, object]:
    return {"type": "human", "data": {"content": text}}


def ai(content: object = "", **more: object) -> dict[str, object]:
    return {"type": "ai", "data": {"content": content, **more}}


def tool(content: object, call: str = "c1", **more: object) -> dict[str, object]:
    return {"type": "tool", "data": {"content": content, "tool_call_id": call, **more}}


def calling(name: str, call: str = "c1", **arguments: object) -> dict[str, object]:
    return ai(tool_calls=[{"name": name, "args": arguments, "id": call, "type": "tool_call"}])


SPELLINGS: dict[str, list[dict[str, object]]] = {
    "messages_to_dict": [human("Hi"), calling("read", a=1), tool("饺子"), ai("Done.")],
    "dumps": [
        {"lc": 1, "type": "constructor", "id": [*path, name], "kwargs": fields}
        for path, name, fields in (
            (["langchain", "schema", "messages"], "HumanMessage", {"content": "Hi"}),
            (
                ["langchain_core", "messages"],
                "AIMessageChunk",
                {"content": "", "tool_calls": [{"name": "read", "args": {"a": 1}, "id": "c1"}]},
            ),
            (["x"], "ToolMessage", {"content": "饺子", "tool_call_id": "c1"}),
            (["langchain", "schema"], "AIMessage", {"content": "Done."}),
        )
    ],
    "model_dump": [
        {"content": "Hi", "type": "human", "id": "1"},
        {
            "content": "",
            "type": "ai",
            "id": "2",
            "tool_calls": [{"name": "read", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
        },
        {"content": "饺子", "type": "tool", "tool_call_id": "c1"},
        {"content": "Done.", "type": "ai", "id": "3"},
    ],
    "roles": [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"a": 1}'},
                }
            ],
        },
        {"role": "tool", "content": "饺子", "tool_call_id": "c1"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ],
}


def words(messages: tuple[Message, ...]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    return [(m.role, [(p.kind, p.text, p.tool_call_id) for p in m.parts]) for m in messages]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("form", ["list", "object", "state", "lines"])
def test_four_spellings_in_four_containers_are_one_conversation(
    tmp_path: Path, spelling: str, form: str
) -> None:
    messages = SPELLINGS[spelling]
    lines = b"\n".join(json.dumps(message).encode() for message in messages)
    forms: dict[str, object] = {
        "list": messages,
        "object": {"messages": messages},
        "state": {"values": {"messages": messages}, "next": []},
        "lines": lines + b"\n",
    }
    run = run_of(tmp_path, forms[form])
    assert words(run.messages) == [
        ("user", [("text", "Hi", "")]),
        ("assistant", [("tool_call", '{"a": 1}', "c1")]),
        ("tool", [("tool_result", "饺子", "c1")]),
        ("assistant", [("text", "Done.", "")]),
    ]
    assert list(run.requests()) == [(0,), (0, 1, 2)]
    assert [call.response for call in run.calls] == [(1,), (3,)]
    assert (run.layer, run.grade) == (Layer.STATE, Grade.INFERRED)
    assert [(call.name, call.by_call) for call in run.tool_calls] == [("read", 1)]
    assert [result.text for result in run.tool_results] == ["饺子"]
    assert [(answer.call, answer.text) for answer in run.answers] == [(2, "Done.")]
    assert run.problems == ()


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"messages": []},
        [
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}],
            }
        ],
        [{"role": "user", "content": [{"type": "text", "text": "<task>\nFix it\n</task>"}]}],
        [{"role": "user", "content": "x", "timestamp": 1}],
        {"type": "user", "message": {"role": "user", "content": "x"}, "uuid": "u"},
        {"type": "system", "content": "x", "uuid": "u", "sessionId": "s"},
        {"event": "run_started", "run_id": "r"},
        {"model": "m", "messages": [{"role": "user", "content": "x"}]},
        {"messages": [{"role": "user", "content": "x"}], "info": {}, "trajectory_format": "1"},
        [{"parts": [], "kind": "request"}],
        [{"type": "human"}, {"content": "x"}],
        "text",
    ],
)
def test_other_formats_are_left_to_others(tmp_path: Path, value: object) -> None:
    path = tmp_path / "other"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert not IMPORTER.recognise(probe_of(path))


def test_a_head_that_ends_anywhere_is_still_recognised(tmp_path: Path) -> None:
    long = "x" * 2 * HEAD_BYTES
    for messages in (
        [human(long)],
        [human("Hi"), ai(long)],
        [{"content": long, "type": "human", "id": "1"}],
        [{"id": ["langchain", "HumanMessage"], "kwargs": {"content": long}, "lc": 1}],
    ):
        assert run_of(tmp_path, messages).messages


def test_nothing_that_a_file_names_is_made(tmp_path: Path) -> None:
    hostile = {
        "lc": 1,
        "type": "constructor",
        "id": ["os", "system"],
        "kwargs": {"command": "true"},
    }
    dumped = {
        "lc": 1,
        "id": ["m", "ToolMessage"],
        "kwargs": {
            "content": [
                {"lc": 1, "type": "not_implemented", "id": ["a"], "repr": "Blob(1)"},
                "seen",
            ],
            "tool_call_id": "c",
            "artifact": {"__lc_escaped__": hostile},
        },
    }
    run = run_of(tmp_path, [dumped, hostile])
    assert [part.kind for part in run.messages[0].parts] == [PartKind.TOOL_RESULT, PartKind.OPAQUE]
    assert run.messages[0].parts[0].text == "seen"
    assert [event.origin for event in run.other_events] == ["dump#messages/1"]
    assert "no message" in run.problems[0].what


def test_an_escaped_object_is_taken_verbatim(tmp_path: Path) -> None:
    looks = {"lc": 1, "type": "secret", "id": ["KEY"]}
    calls = [{"name": "f", "args": {"x": {"__lc_escaped__": looks}}, "id": "c1"}]
    message = {"lc": 1, "id": ["m", "AIMessage"], "kwargs": {"content": "", "tool_calls": calls}}
    run = run_of(tmp_path, [message])
    assert json.loads(run.tool_calls[0].arguments) == {"x": looks}


def test_a_call_that_stands_twice_is_one_and_a_broken_one_is_kept(tmp_path: Path) -> None:
    message = ai(
        [
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": "c1", "name": "read", "input": {}},
        ],
        tool_calls=[{"name": "read", "args": {"a": 1}, "id": "c1"}],
        invalid_tool_calls=[{"name": "read", "args": '{"a": ', "id": "c2", "error": "json"}],
    )
    run = run_of(tmp_path, [human("Hi"), message])
    assert [(c.id, c.arguments) for c in run.tool_calls] == [("c1", '{"a": 1}'), ("c2", '{"a": ')]
    assert run.answers == ()


def test_what_no_model_wrote_is_no_call(tmp_path: Path) -> None:
    limit = ai("Model call limits exceeded: run limit (3/3)")
    example = ai("An example.", example=True)
    run = run_of(tmp_path, [human("Hi"), example, limit])
    assert run.calls == ()
    assert run.answers == ()
    assert len(run.messages) == 3


def test_a_cleared_result_is_not_taken_for_what_the_tool_returned(tmp_path: Path) -> None:
    marked = tool("[cleared]", response_metadata={"context_editing": {"cleared": True}})
    run = run_of(tmp_path, [human("Hi"), calling("read"), marked, ai("Done.")])
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.CLEAR, None, ("c1",))
    assert run.tool_results[0].text is None
    assert run.messages[2].parts[0].text == "[cleared]"
    assert "not recorded" in run.calls[1].grade_reason


def test_the_same_words_without_a_mark_are_what_the_tool_returned(tmp_path: Path) -> None:
    run = run_of(tmp_path, [human("Hi"), calling("read"), tool("[cleared]"), ai("Done.")])
    assert run.edits == ()
    assert run.tool_results[0].text == "[cleared]"


def test_edits_that_the_service_made_itself_leave_the_request_unknown(tmp_path: Path) -> None:
    edited = {"context_management": {"applied_edits": [{"type": "clear", "cleared_tool_uses": 3}]}}
    compacting = ai([{"type": "compaction", "content": "So far."}, {"type": "text", "text": "ok"}])
    run = run_of(
        tmp_path, [human("Hi"), ai("a", response_metadata=edited), human("b"), compacting, ai("c")]
    )
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.INFERRED, Grade.UNKNOWN]


def test_a_summary_is_no_message_of_the_user(tmp_path: Path) -> None:
    summary = human("Here is a summary of the conversation to date:\n\nTen days.")
    summary["data"]["additional_kwargs"] = {"lc_source": "summarization"}  # type: ignore[index]
    run = run_of(tmp_path, [summary, ai("Done.")])
    assert [part.kind for part in run.messages[0].parts] == [PartKind.SUMMARY]
    assert "a summary stands among them" in run.calls[0].grade_reason


def test_a_recorded_summary_stands_for_the_messages_before_it(tmp_path: Path) -> None:
    messages = [human("Hi"), calling("read"), tool("long"), ai("One."), human("More"), ai("Two."),
                human("And"), ai("Three.")]  # fmt: skip
    event = {"cutoff_index": 4, "created_at_index": 5, "summary_message": human("So far: one.")}
    run = run_of(tmp_path, {"messages": messages, "_summarization_event": event})
    texts = [[run.messages[i].parts[0].text for i in request] for request in run.requests()]
    assert texts == [
        ["Hi"],
        ["Hi", "{}", "long"],
        ["So far: one.", "More"],
        ["So far: one.", "More", "Two.", "And"],
    ]
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.COMPACT, 3, ("c1",))
    assert run.tool_results[0].text == "long"
    assert "records the summary" in run.calls[3].grade_reason


def test_a_message_that_was_saved_to_a_file_stood_in_no_request(tmp_path: Path) -> None:
    long = human("All of the log.")
    long["data"]["additional_kwargs"] = {"lc_evicted_to": "/history/1.md"}  # type: ignore[index]
    run = run_of(tmp_path, [long, ai("Done.")])
    assert [part.kind for part in run.messages[0].parts] == [PartKind.OPAQUE]
    assert [(v.key.source_id, v.text) for v in run.versions] == [
        ("/history/1.md", "All of the log.")
    ]
    assert [problem.kind for problem in run.problems] == [ProblemKind.NOTED]


def test_the_states_of_one_thread_are_one_run(tmp_path: Path) -> None:
    messages = [human("Hi"), ai("One."), human("More"), ai("Two.")]
    states = [{"values": {"messages": messages[:end]}, "next": []} for end in (4, 3, 2, 1)]
    run = run_of(tmp_path, states)
    assert [answer.text for answer in run.answers] == ["One.", "Two."]


def test_usage_is_as_reported_and_never_zero(tmp_path: Path) -> None:
    usage = {"input_tokens": 9, "output_tokens": 1, "input_token_details": {"cache_read": 4}}
    run = run_of(tmp_path, [human("Hi"), ai("a", usage_metadata=usage), ai("b")])
    first, second = (call.usage for call in run.calls)
    assert (first.input_tokens, first.output_tokens, first.cache_read_tokens) == (9, 1, 4)
    assert (second.input_tokens, second.cache_write_tokens) == (None, None)


def test_an_artifact_is_obtained_and_stands_in_no_request(tmp_path: Path) -> None:
    document = {"page_content": "饺子 ¥28", "metadata": {"source": "menu.md", "start_index": 7}}
    run = run_of(
        tmp_path, [human("Hi"), calling("find"), tool("see", artifact=[document]), ai("x")]
    )
    (version,) = run.versions
    assert version.key.source_id == "menu.md"
    assert [(piece.start, piece.text) for piece in version.excerpts] == [(7, "饺子 ¥28")]
    assert all("饺子" not in part.text for message in run.messages for part in message.parts)


# -- files --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("     1\tone\n     2\t\n     3\tthree", {1: "one", 2: "", 3: "three"}),
        ("     9\ta\n     9.1\tb\n    10\tc\n", {9: "ab", 10: "c"}),
        ("  7→seven\n  8→8→", {7: "seven", 8: "8→"}),
        ("1  one\n2  two\n\n[Read 2 lines (lines 1-2 of 9 total). 7 lines remaining.]",
         {1: "one", 2: "two"}),
        ("@@ lines 3-4 of 9 | next offset 4 @@\nthree\n\n", {3: "three", 4: ""}),
        ("[a notice]\n@@ lines 3-3 @@\nthree", {3: "three"}),
    ],
)  # fmt: skip
def test_numbered_lines_are_known_in_every_form(text: str, lines: dict[int, str]) -> None:
    assert numbered_lines(text) == lines


@pytest.mark.parametrize(
    "text",
    [
        "plain text",
        "     1\tone\n     3\tthree",
        "     1\tone\nand more",
        "     1\tone\n     2→two",
        "@@ lines 3-5 of 9 @@\nthree",
        "@@ lines 8-12 of 9 @@\na\nb\nc\nd\ne",
        "@@ lines 3-3 of 9 | truncated mid-line | 10 of 90 chars @@\nthree",
    ],
)
def test_lines_whose_numbers_do_not_add_up_are_none(text: str) -> None:
    assert numbered_lines(text) is None


def test_pages_of_a_file_are_one_partial_version_of_lines(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [
            human("Hi"),
            calling("read_file", "c1", file_path="/src/./a.py", offset=0),
            tool("     1\tone\n     2\ttwo", "c1"),
            calling("read_file", "c2", file_path="/src/a.py", offset=5),
            tool("     6\tsix", "c2", name=None),
            ai("Done."),
        ],
    )
    (version,) = run.versions
    assert version.key.source_id == "/src/a.py"
    assert version.key.version_id.startswith("partial:")
    assert (version.unit, version.integrity) == (Unit.LINE, Integrity.RECONSTRUCTED)
    assert (version.text, version.line_numbers) == ("one\ntwo\nsix", (1, 2, 6))
    assert [result.selections[0].ranges for result in run.tool_results] == [
        (Span(1, 3),),
        (Span(6, 7),),
    ]
    assert all(result.is_file_read for result in run.tool_results)


def test_a_file_that_changed_between_two_reads_is_two_versions(tmp_path: Path) -> None:
    reads = [("c1", "     1\told"), ("c2", "     1\tnew")]
    messages = [human("Hi")]
    for call, text in reads:
        messages += [calling("read_file", call, path="a"), tool(text, call)]
    run = run_of(tmp_path, messages)
    assert [version.text for version in run.versions] == ["old", "new"]


def test_a_file_shown_without_numbers_is_whole_only_where_no_page_was_asked_for(
    tmp_path: Path,
) -> None:
    messages = [human("Hi"), calling("read_file", path="a.md"), tool("# Title\n")]
    run = run_of(tmp_path, messages)
    assert [(v.kind, v.text, v.sha256) for v in run.versions] == [
        (SourceKind.FILE, "# Title\n", "")
    ]
    messages[1] = calling("read_file", path="a.md", limit=1)
    paged = run_of(tmp_path, messages)
    assert [(v.text, v.excerpts[0].text) for v in paged.versions] == [(None, "# Title\n")]


def test_a_failed_read_of_a_file_has_no_lines(tmp_path: Path) -> None:
    for status, text in (("error", "     1\tone"), ("success", "Error: File 'a' not found")):
        run = run_of(
            tmp_path, [human("Hi"), calling("read_file", path="a"), tool(text, status=status)]
        )
        assert run.tool_results[0].is_file_read
        assert run.versions == ()
        assert [v.key.source_id for v in derive(run).versions] == ["tool:read_file:c1"]


def test_a_result_saved_to_a_file_of_the_state_is_the_text_of_that_file(tmp_path: Path) -> None:
    stub = (
        "Tool result too large, the result of this tool call c.1 was saved in the filesystem at"
        " this path: /large_tool_results/c_1\n\nHere is a preview of the result:\n\n1  one"
    )
    messages = [human("Hi"), calling("log", "c.1"), tool(stub, "c.1"),
                calling("read_file", "c2", file_path="/large_tool_results/c_1"),
                tool("@@ lines 2-2 of 3 @@\ntwo", "c2"), ai("Done.")]  # fmt: skip
    files = {"/large_tool_results/c_1": {"content": "one\ntwo\n", "encoding": "utf-8"}}
    run = run_of(tmp_path, {"messages": messages, "files": files})
    saved, read = run.tool_results
    assert (saved.text, saved.side_file) == ("one\ntwo\n", "/large_tool_results/c_1")
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.grade) == (EditKind.PERSIST, 2, Grade.INFERRED)
    (version,) = run.versions
    assert read.selections == (
        Selection(version.key.source_id, version.key.version_id, Unit.LINE, (Span(2, 3),)),
    )


def test_words_about_a_saved_result_of_another_call_are_only_words(tmp_path: Path) -> None:
    quoted = (
        "Tool result too large, the result of this tool call other was saved in the filesystem at"
        " this path: /large_tool_results/other\n\nmore"
    )
    run = run_of(tmp_path, [human("Hi"), calling("log"), tool(quoted), ai("Done.")])
    assert run.edits == ()
    assert run.tool_results[0].text == quoted


# -- citations ----------------------------------------------------------------

POLICY = "Returns are free. Goods may be returned within 30 days."
DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": POLICY},
    "title": "policy",
}
CHUNKS = {
    "type": "search_result",
    "source": "menu.md",
    "title": "menu",
    "content": [{"type": "text", "text": "饺子 ¥28"}, {"type": "text", "text": "Crêpe €9"}],
}


def cited(folder: Path, *blocks: object, given: object = None, **more: object) -> Run:
    return run_of(folder, [human(given or [DOCUMENT, "What?"]), ai(list(blocks), **more)])


def block(text: str, **citation: object) -> dict[str, object]:
    return {"type": "text", "text": text, "citations": [citation]}


def test_a_place_in_a_document_is_cited_with_its_version(tmp_path: Path) -> None:
    place = {"type": "char_location", "cited_text": "within 30 days", "document_index": 0,
             "document_title": "policy", "start_char_index": 40, "end_char_index": 54}  # fmt: skip
    run = cited(tmp_path, {"type": "text", "text": "🙂 So: "}, block("30 days.", **place))
    (version,) = run.versions
    (citation,) = run.answers[0].citations
    assert run.answers[0].text == "🙂 So: 30 days."
    assert citation == SourceCitation(
        Span(6, 14), "policy", version.key.version_id, Span(40, 54),
        quote="within 30 days", label="policy",
    )  # fmt: skip
    assert POLICY[40:54] == "within 30 days"
    document = run.messages[0].parts[0]
    assert (document.kind, document.text) == (PartKind.DOCUMENT, POLICY)
    assert (document.source_id, document.version_id) == ("policy", version.key.version_id)


@pytest.mark.parametrize(("start", "end"), [(9, 2), (-1, 2), ("a", 2), (None, 2), (True, 2)])
def test_a_place_that_is_none_is_kept_and_says_so(
    tmp_path: Path, start: object, end: object
) -> None:
    place = {"document_index": 0, "start_char_index": start, "end_char_index": end}
    (citation,) = cited(tmp_path, block("x", **place)).answers[0].citations
    assert isinstance(citation, SourceCitation)
    assert citation.span is None
    assert citation.malformed


def test_a_number_that_leads_to_a_document_of_another_title_leads_nowhere(tmp_path: Path) -> None:
    place = {
        "document_index": 0,
        "document_title": "other",
        "start_char_index": 0,
        "end_char_index": 3,
    }
    (citation,) = cited(tmp_path, block("x", **place)).answers[0].citations
    assert (citation.source_id, citation.version_id) == ("other", None)


def test_blocks_of_a_search_result_are_cited_by_name_or_span(tmp_path: Path) -> None:
    place = {"search_result_index": 0, "source": "menu.md", "title": "menu"}
    one = block("x", **place, start_block_index=1, end_block_index=2)
    both = block("y", **place, start_block_index=0, end_block_index=2)
    far = block("z", **place, start_block_index=0, end_block_index=9)
    run = cited(tmp_path, one, both, far, given=[CHUNKS])
    (version,) = run.versions
    first, second, third = run.answers[0].citations
    assert isinstance(first, SourceCitation)
    assert isinstance(second, SourceCitation)
    assert (first.source_id, first.unit, first.block_id) == ("menu.md", Unit.BLOCK, "1")
    assert version.text is not None
    assert second.span is not None
    assert version.text[second.span.start : second.span.end] == "饺子 ¥28\nCrêpe €9"
    assert third.malformed


def test_two_documents_of_one_title_are_two_sources(tmp_path: Path) -> None:
    other = {**DOCUMENT, "source": {"type": "text", "data": "Another text."}}
    run = cited(tmp_path, "x", given=[DOCUMENT, other])
    assert [version.key.source_id for version in run.versions] == ["policy", "document:1"]


def test_a_page_is_cited_in_pages(tmp_path: Path) -> None:
    place = {
        "document_index": 0,
        "document_title": "a.pdf",
        "start_page_number": 1,
        "end_page_number": 2,
    }
    pdf = {"type": "document", "title": "a.pdf", "source": {"type": "base64", "data": "JVBERi0="}}
    run = cited(tmp_path, block("x", **place), given=[pdf])
    (citation,) = run.answers[0].citations
    assert isinstance(citation, SourceCitation)
    assert (citation.source_id, citation.unit, citation.span) == ("a.pdf", Unit.PAGE, Span(1, 2))
    assert run.versions == ()
    assert run.messages[0].parts[0].opaque_bytes > 0


def test_answer_side_annotations_mark_the_answer(tmp_path: Path) -> None:
    notes = [
        {
            "type": "url_citation",
            "url": "https://example.org",
            "title": "t",
            "start_index": 0,
            "end_index": 2,
        },
        {"type": "file_citation", "file_id": "file-1", "filename": "p.md", "index": 2},
        {"type": "url_citation", "url": "https://example.org", "start_index": 0, "end_index": 99},
        {
            "type": "citation",
            "url": "https://example.org",
            "start_index": 0,
            "end_index": 2,
            "cited_text": "q",
        },
    ]
    run = cited(tmp_path, {"type": "text", "text": "饺子!", "annotations": notes})
    url, file, outside, quoted = run.answers[0].citations
    assert url == AnswerCitation(Span(0, 2), "https://example.org", label="t")
    assert file == AnswerCitation(Span(2, 2), "file-1", label="p.md")
    assert outside.malformed
    assert isinstance(quoted, SourceCitation)
    assert (quoted.quote, quoted.span) == ("q", None)


def test_grounding_counts_utf_8_bytes(tmp_path: Path) -> None:
    support = {"segment": {"start_index": 0, "end_index": 6}, "grounding_chunk_indices": [0, 7]}
    inside = {"segment": {"start_index": 0, "end_index": 4}, "grounding_chunk_indices": [0]}
    grounding = {
        "grounding_chunks": [{"web": {"uri": "https://example.org", "title": "menu"}}],
        "grounding_supports": [support, inside],
    }
    run = cited(tmp_path, "饺子 28", response_metadata={"grounding_metadata": grounding})
    first, unknown, broken = run.answers[0].citations
    assert first == AnswerCitation(Span(0, 2), "https://example.org", label="menu")
    assert unknown.source_id == "chunk:7"
    assert "splits a character" in broken.malformed


# -- broken input -------------------------------------------------------------


def test_a_dump_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    whole = json.dumps([human("Hi"), ai("One."), human("More"), ai("Two.")], indent=1).encode()
    run = run_of(tmp_path, whole[: whole.index(b"Two")])
    assert [answer.text for answer in run.answers] == ["One."]
    assert "the 3 messages before that place were read" in run.problems[0].what


def test_a_broken_line_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [
        json.dumps(human("Hi")).encode(),
        b'{"type": "ai", "da',
        json.dumps(ai("Done.")).encode(),
    ]
    run = run_of(tmp_path, b"\n".join(lines))
    assert [problem.where for problem in run.problems] == ["dump:2"]
    assert [answer.text for answer in run.answers] == ["Done."]


def test_each_line_that_holds_a_conversation_is_a_run(tmp_path: Path) -> None:
    lines = [{"messages": [human(text), ai("Done.")]} for text in ("a", "b")]
    named = {"thread_id": "t-3", "messages": [human("c")]}
    data = b"\n".join(json.dumps(line).encode() for line in [*lines, named])
    assert [run.run_id for run in runs_of(tmp_path, data)] == ["dump:1", "dump:2", "t-3"]


@pytest.mark.parametrize("data", [b"[" * 10_000, b"[" + b" " * 100, b"", b"\x00\xff"])
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(data)
    assert not IMPORTER.recognise(probe_of(path))
    with pytest.raises(UnreadableError) as refused:
        list(IMPORTER.read(probe_of(path)))
    assert refused.value.problem.where == "bad"
    assert "\n" not in str(refused.value)


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(UnreadableError):
            list(IMPORTER.read(Probe(path, path.name, is_folder=False)))
    assert not IMPORTER.recognise(Probe(tmp_path, "folder", is_folder=True))
