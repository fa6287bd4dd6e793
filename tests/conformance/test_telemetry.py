"""Recorded telemetry against what is known of it: what was lost, and what was really sent."""

import json
from pathlib import Path

import pytest

from store.importers._base import UnreadableError
from store.records.grades import Grade
from store.records.runs import PartKind, Run
from tests.unit.spans import lost, parts, read

SENT = 60
"""Messages that the probe sent; the span of OpenInference lost the first of them to a limit."""


def runs(path: Path) -> dict[str, Run]:
    """Return the runs of a file by the name of their first span."""
    return {run.title.partition("#")[2]: run for run in read(path)}


@pytest.mark.parametrize("name", ["otlp_default128.jsonl", "otlp_default128_base64ids.json"])
def test_messages_that_the_limit_on_attributes_took_from_the_front_are_told(
    shared: Path, name: str
) -> None:
    run = runs(shared / "data/generated" / name)["LLM"]
    (gap, *kept) = parts(run)
    assert gap[1].name == "messages 0-8, not in the record"
    assert gap[1].kind is PartKind.OPAQUE
    assert len(kept) == SENT - 9
    assert [part.text[:5] for _, part in kept[:2]] == ["MSG09", "MSG10"]
    assert run.grade is Grade.UNKNOWN
    assert "24 attributes of the span were dropped by a limit" in lost(run)


def test_the_same_messages_in_one_attribute_lose_nothing_to_that_limit(shared: Path) -> None:
    run = runs(shared / "data/generated/otlp_default128.jsonl")["chat gpt"]
    texts = [part.text[:5] for _, part in parts(run)]
    assert texts == ["You a", *(f"MSG{number:02}" for number in range(1, SENT))]
    assert run.grade is Grade.RECORDED


def test_a_value_that_the_limit_on_lengths_cut_is_read_up_to_there(shared: Path) -> None:
    path = shared / "data/generated/otlp_valuelimit4096.jsonl"
    cut = runs(path)["chat gpt"]
    value = next(
        attribute["value"]["stringValue"]
        for resource in json.loads(path.read_bytes())["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
        for attribute in span["attributes"]
        if attribute["key"] == "gen_ai.input.messages"
    )
    held = [part.text for _, part in parts(cut)]
    assert held
    assert all(json.dumps(text)[1:-1] in value for text in held)
    assert "gen_ai.input.messages was cut at 4096 characters" in lost(cut)
    assert cut.grade is Grade.UNKNOWN
    assert runs(path)["LLM"].grade is Grade.RECORDED


def test_ids_in_base64_are_those_in_hexadecimal(shared: Path) -> None:
    folder = shared / "data/generated"
    plain, coded = (
        {run.run_id: run.messages for run in read(folder / name)}
        for name in ("otlp_default128.jsonl", "otlp_default128_base64ids.json")
    )
    assert plain == coded


@pytest.mark.parametrize("name", ["otlp_file_agento.json", "otlp_proto_example_trace.json"])
def test_a_trace_without_a_model_call_is_said_to_hold_none(shared: Path, name: str) -> None:
    with pytest.raises(UnreadableError, match="none of them a model call"):
        read(shared / "data/otlp" / name)


# -- Langfuse ------------------------------------------------------------------------------


LANGFUSE = {
    # calls, tool calls, answers; each known from the export by eye
    "langfuse_beeai-2025-08-01.trace.json": (3, 0, 1),
    "langfuse_csharp-agent-with-gemini-2026-03-09.trace.json": (3, 2, 1),
    "langfuse_langgraph-js-2025-10-30.trace.json": (2, 1, 1),
    "langfuse_openai-agents-2025-09-30.trace.json": (2, 1, 1),
}


@pytest.mark.parametrize("name", LANGFUSE)
def test_a_trace_of_langfuse_is_one_run_whose_requests_are_recorded(
    shared: Path, name: str
) -> None:
    (run,) = read(shared / "data/langfuse" / name, "langfuse")
    counts = (len(run.calls), len(run.tool_calls), len(run.answers))
    assert counts == LANGFUSE[name]
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    assert all(call.usage.input_tokens for call in run.calls)


@pytest.mark.parametrize("name", list(LANGFUSE)[2:])
def test_the_result_of_a_tool_stands_in_the_next_request_as_its_span_recorded_it(
    shared: Path, name: str
) -> None:
    (run,) = read(shared / "data/langfuse" / name, "langfuse")
    (result,) = run.tool_results
    carried = [part for _, part in parts(run, 2) if part.kind is PartKind.TOOL_RESULT]
    assert [(part.tool_call_id, part.text) for part in carried] == [
        (result.tool_call_id, result.text)
    ]
    assert lost(run) == ""


def test_what_beeai_writes_as_events_of_a_call_is_one_call(shared: Path) -> None:
    path = shared / "data/langfuse/langfuse_beeai-2025-08-01.trace.json"
    (run,) = read(path, "langfuse")
    assert "messages of the response are missing (0-232)" in lost(run)


# -- OpenAI's agents -----------------------------------------------------------------------


def test_a_field_that_the_export_cut_at_its_limit_makes_the_request_unknown(shared: Path) -> None:
    path = shared / "data/generated/openai_agents_traces_ingest.json"
    (run,) = read(path, "openai-agents")
    assert run.title.endswith("#demo")
    assert run.grade is Grade.UNKNOWN
    assert lost(run).count("a text was cut at the limit of the export (... [truncated])") == 2
