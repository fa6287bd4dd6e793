"""Recorded message dumps against what was really sent, which the model's side wrote down."""

import json
from pathlib import Path

import pytest

from store.evidence import derive
from store.importers._base import HEAD_BYTES, Probe
from store.importers.message_dump import IMPORTER
from store.records.citations import AnswerCitation, SourceCitation
from store.records.runs import EditKind, PartKind, Run
from store.records.text import Span, Unit


def probe_of(path: Path) -> Probe:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return Probe(path, path.name, is_folder=False, head=head, size=path.stat().st_size)


def read(path: Path) -> Run:
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    (run,) = IMPORTER.read(probe)
    assert isinstance(run, Run)
    return run


def sent(path: Path) -> list[list[str]]:
    """Return the texts of each request as the model got them, without the system prompt."""
    calls = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    return [
        [
            str(message["data"]["content"])
            for message in call["request"]["messages"]
            if message["type"] != "system"
        ]
        for call in calls
    ]


def requests(run: Run) -> list[list[str]]:
    texts = [
        "".join(part.text for part in message.parts if part.kind is not PartKind.TOOL_CALL)
        for message in run.messages
    ]
    return [[texts[index] for index in request] for request in run.requests()]


@pytest.mark.parametrize(
    "name", ["04_create_agent/d_limits_errors", "05_deepagents/a_state_backend_eviction"]
)
def test_where_nothing_edits_the_view_the_rule_gives_what_was_sent(shared: Path, name: str) -> None:
    folder = shared / "data/langchain" / name
    assert requests(read(folder / "final_state.json")) == sent(folder / "model_calls.jsonl")


def test_where_the_view_was_edited_the_grade_says_that_the_rule_is_only_a_rule(
    shared: Path,
) -> None:
    folder = shared / "data/langchain/04_create_agent/a_context_editing"
    run = read(folder / "final_state.json")
    assert requests(run) != sent(folder / "model_calls.jsonl")
    assert {(call.grade.value, call.grade_reason) for call in run.calls} == {
        ("inferred", "each assistant message saw every message before it")
    }


def test_results_that_were_cleared_in_the_state_have_lost_their_text(shared: Path) -> None:
    folder = shared / "data/langchain/01_langgraph_clear_plain"
    run = read(folder / "final_state_messages.json")
    kept = [
        json.loads(line)
        for line in (folder / "result_store.jsonl").read_bytes().split(b"\n")
        if line
    ]
    assert [edit.tool_call_ids[0] for edit in run.edits] == [line["tool_call_id"] for line in kept]
    assert {edit.kind for edit in run.edits} == {EditKind.CLEAR}
    assert {result.text for result in run.tool_results} == {None}
    assert derive(run).versions == ()


def test_a_file_read_in_two_pages_is_rebuilt_from_its_numbered_lines(shared: Path) -> None:
    run = derive(read(shared / "data/langchain/found/deepagents_summarization_seed_messages.json"))
    assert [result.selections[0].ranges for result in run.tool_results] == [
        (Span(1, 501),),
        (Span(501, 960),),
    ]
    (version,) = run.versions
    assert (version.key.source_id, version.unit) == ("/summarization.py", Unit.LINE)
    assert version.line_numbers == tuple(range(1, 960))
    assert version.text is not None
    assert version.text.startswith(
        '"""Summarization middleware for offloading conversation history.\n\n'
    )


def test_an_evicted_result_is_known_by_its_file_and_a_cut_file_is_not_used(shared: Path) -> None:
    run = read(shared / "data/langchain/05_deepagents/a_state_backend_eviction/final_state.json")
    (edit,) = run.edits
    assert (edit.kind, edit.tool_call_ids, edit.before_call) == (EditKind.PERSIST, ("call_LOG",), 2)
    saved, page, _ = run.tool_results
    assert (saved.text, saved.side_file) == (None, "/large_tool_results/call_LOG")
    assert page.selections[0].ranges == (Span(101, 121),)
    assert "401 of the 119336 characters" in run.problems[0].what


@pytest.mark.parametrize("form", ["messages_to_dict", "dumpd"])
def test_chunks_beside_a_result_are_obtained_at_their_places(
    shared: Path, tmp_path: Path, form: str
) -> None:
    name = "messages_cited_content_and_artifact.json"
    recorded = json.loads((shared / "data/langchain/06_rag" / name).read_bytes())[form]
    path = tmp_path / "messages"
    path.write_text(json.dumps(recorded), encoding="utf-8")
    run = read(path)
    corpus = (shared / "data/langchain/corpus/incident_2031.txt").read_bytes().decode()
    (version,) = run.versions
    assert version.key.source_id == "incident_2031.txt"
    assert version.text is None
    assert len(version.excerpts) == 3
    for excerpt in version.excerpts:
        assert excerpt.start is not None
        assert corpus.startswith(excerpt.text, excerpt.start)


@pytest.mark.parametrize("form", ["message_to_dict", "dumpd"])
def test_every_recorded_form_of_a_citation_is_read(shared: Path, tmp_path: Path, form: str) -> None:
    forms = json.loads((shared / "data/langchain/06_rag/message_forms.json").read_bytes())
    found = {}
    for name, spellings in forms.items():
        path = tmp_path / name
        path.write_text(json.dumps([spellings[form]]), encoding="utf-8")
        run = read(path)
        found[name] = run.answers[0].citations if run.answers else ()
    (char,) = found["anthropic_char_location"]
    assert isinstance(char, SourceCitation)
    assert (char.source_id, char.span, char.quote) == ("policy", Span(120, 134), "within 30 days")
    (chunk,) = found["anthropic_search_result_location"]
    assert (chunk.source_id, chunk.block_id) == ("menu.md", "0")
    (page,) = found["anthropic_page_location"]
    assert isinstance(page, SourceCitation)
    assert (page.source_id, page.unit, page.span) == ("a.pdf", Unit.PAGE, Span(1, 2))
    (web,) = found["anthropic_web"]
    assert isinstance(web, SourceCitation)
    assert (web.source_id, web.quote, web.span) == ("https://example.org", "饺子", None)
    url, file, container = found["openai_responses_url"]
    assert [citation.source_id for citation in (url, file, container)] == [
        "https://example.org",
        "file-1",
        "f",
    ]
    (grounded,) = found["google_grounding_bytes"]
    assert isinstance(grounded, AnswerCitation)
    # 17 bytes are 8 characters of the answer, as the recorded segment says.
    assert grounded.answer_span == Span(0, 8)


def test_no_other_recorded_format_is_taken_for_a_dump(shared: Path) -> None:
    taken = {
        str(path.relative_to(shared / "data"))
        for folder in ("claude-code", "scenarios", "captures", "codex", "opencode", "openhands",
                       "generated", "inspect", "langfuse", "otlp", "transcripts")
        for path in sorted((shared / "data" / folder).rglob("*"))
        if path.is_file() and IMPORTER.recognise(probe_of(path))
    }  # fmt: skip
    assert taken == set()
