"""Recorded message dumps against what was really sent, which the model's side wrote down."""

import json
from pathlib import Path

import pytest

from store.evidence import derive
from store.importers._base import Probe
from store.importers._probing import file_probe
from store.importers.message_dump import IMPORTER
from store.records.citations import AnswerCitation, SourceCitation
from store.records.grades import Grade
from store.records.runs import EditKind, ProblemKind, Run
from store.records.text import Span, Unit
from tests.langchain import requested


def probe_of(path: Path) -> Probe:
    return file_probe(path, path.name)


def read_all(path: Path) -> list[Run]:
    probe = probe_of(path)
    assert IMPORTER.recognise(probe)
    return [run for run in IMPORTER.read(probe) if isinstance(run, Run)]


def read(path: Path) -> Run:
    (run,) = read_all(path)
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


@pytest.mark.parametrize(
    "name", ["04_create_agent/d_limits_errors", "05_deepagents/a_state_backend_eviction"]
)
def test_where_nothing_edits_the_view_the_rule_gives_what_was_sent(shared: Path, name: str) -> None:
    folder = shared / "data/langchain" / name
    assert requested(read(folder / "final_state.json")) == sent(folder / "model_calls.jsonl")


def test_where_the_view_was_edited_the_grade_says_that_the_rule_is_only_a_rule(
    shared: Path,
) -> None:
    folder = shared / "data/langchain/04_create_agent/a_context_editing"
    run = read(folder / "final_state.json")
    assert requested(run) != sent(folder / "model_calls.jsonl")
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


@pytest.mark.parametrize("name", ["messages_cited_content", "messages_cited_content_and_artifact"])
def test_two_spellings_in_one_file_are_two_runs_that_say_the_same(shared: Path, name: str) -> None:
    first, second = read_all(shared / f"data/langchain/06_rag/{name}.json")
    assert (first.run_id, second.run_id) == (f"{name}/messages_to_dict", f"{name}/dumpd")
    assert first.messages == second.messages
    assert [call.splices for call in first.calls] == [call.splices for call in second.calls]
    assert [answer.text for answer in first.answers] == [answer.text for answer in second.answers]
    assert {version.key for version in first.versions} == {v.key for v in second.versions}


def test_single_messages_in_two_spellings_are_runs_and_their_blocks_are_none(shared: Path) -> None:
    runs = read_all(shared / "data/langchain/06_rag/message_forms.json")
    assert len(runs) == 20
    assert runs[0].run_id == "message_forms/anthropic_char_location/message_to_dict"
    (problem,) = (problem for run in runs for problem in run.problems)
    assert problem.kind is ProblemKind.NOTED
    assert "/anthropic_char_location/content_blocks" in problem.what
    assert problem.what.count("content_blocks") == 3
    assert "and 4 more" in problem.what
    assert {call.grade for run in runs for call in run.calls} == {Grade.UNKNOWN}


def test_cleared_arguments_are_what_stands_there_and_the_grade_says_so(
    shared: Path, tmp_path: Path
) -> None:
    folder = shared / "data/langchain/04_create_agent/a_context_editing"
    last = json.loads((folder / "model_calls.jsonl").read_bytes().strip().split(b"\n")[-1])
    path = tmp_path / "view"
    messages = [*last["request"]["messages"], last["response"]]
    path.write_text(json.dumps(messages), encoding="utf-8")
    run = read(path)
    cleared = [call.arguments for call in run.tool_calls if call.id == "call_0001_read_document"]
    assert cleared == ["{}"]
    assert "the arguments of call_0001_read_document" in run.calls[0].grade_reason
    assert "call_0005_read_document were cleared" in run.calls[-1].grade_reason


def test_arguments_that_were_not_cleared_are_not_said_to_be(shared: Path) -> None:
    run = read(shared / "data/langchain/04_create_agent/a_context_editing/final_state.json")
    assert all("arguments" not in call.grade_reason for call in run.calls)


def test_a_history_file_without_the_place_of_its_summary_leaves_requests_unknown(
    shared: Path,
) -> None:
    folder = shared / "data/langchain/05_deepagents/c_summarization_offload"
    run = read(folder / "final_state.json")
    # The rule would give more than was sent: the state of this agent keeps all messages.
    assert requested(run)[-1] not in sent(folder / "model_calls.jsonl")
    assert {call.grade for call in run.calls} == {Grade.UNKNOWN}
    assert "shows that messages were summarised" in run.calls[0].grade_reason


def test_recorded_cache_counts_are_parts_of_the_input(shared: Path) -> None:
    run = read(shared / "data/langchain/found/deepagents_summarization_seed_messages.json")
    usage = run.calls[0].usage
    assert (usage.input_tokens, usage.output_tokens) == (6720, 116)
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (0, 6717)


def test_of_all_recorded_files_of_the_family_only_dumps_are_taken(shared: Path) -> None:
    folder = shared / "data/langchain"
    names = {
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and IMPORTER.recognise(probe_of(path))
    }
    assert names == {
        "final_state.json",
        "final_state_messages.json",
        "message_forms.json",
        "messages_cited_content.json",
        "messages_cited_content_and_artifact.json",
        "messages_plain_content.json",
        "messages_plain_content_and_artifact.json",
        "checkpoint_value.json",
        "deepagents_summarization_seed_messages.json",
    }


def test_a_plain_list_of_roles_claims_no_more_than_the_rule(shared: Path) -> None:
    folder = shared / "data/swe-agent"
    run = read(folder / "mini_swe_agent.traj.json")
    assert run.grade is Grade.INFERRED
    assert not IMPORTER.recognise(probe_of(folder / "sweagent_fc_replace_from_source.traj"))


def test_no_other_recorded_format_is_taken_for_a_dump(shared: Path) -> None:
    taken = {
        str(path.relative_to(shared / "data"))
        for folder in ("claude-code", "scenarios", "captures", "codex", "opencode", "openhands",
                       "generated", "inspect", "langfuse", "otlp", "transcripts")
        for path in sorted((shared / "data" / folder).rglob("*"))
        if path.is_file() and IMPORTER.recognise(probe_of(path))
    }  # fmt: skip
    assert taken == set()
