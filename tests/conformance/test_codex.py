"""Recorded Codex rollouts: calls, what each was given, and the lines that commands showed."""

import json
from pathlib import Path

import pytest

from store.importers._base import HEAD_BYTES, Probe
from store.importers.codex import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from store.records.text import Unit


@pytest.fixture(scope="session")
def rollouts(shared: Path) -> Path:
    return shared / "data" / "codex"


def read(path: Path) -> Run:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    probe = Probe(path, path.name, is_folder=False, head=head, size=path.stat().st_size)
    assert IMPORTER.recognise(probe)
    (run,) = [item for item in IMPORTER.read(probe) if isinstance(item, Run)]
    return run


def test_each_count_of_tokens_is_one_call(rollouts: Path) -> None:
    path = rollouts / "codex_040_c.jsonl"
    run = read(path)
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    counts = [
        line["payload"]["info"]["last_token_usage"]["input_tokens"]
        for line in lines
        if line["payload"].get("type") == "token_count" and line["payload"]["info"]
    ]
    assert [call.usage.input_tokens for call in run.calls] == counts
    assert len(counts) == 85
    assert run.grade is Grade.DERIVED
    assert run.problems == ()


def test_a_request_grows_by_the_answer_and_its_output_and_never_holds_its_own_answer(
    rollouts: Path,
) -> None:
    run = read(rollouts / "codex_040_c.jsonl")
    held: tuple[int, ...] = ()
    for call, request in zip(run.calls, run.requests(), strict=True):
        assert request[: len(held)] == held
        assert not set(call.response) & set(request)
        held = request


def test_commands_that_show_lines_of_a_file_say_which(rollouts: Path) -> None:
    run = read(rollouts / "codex_040_c.jsonl")
    arguments = {call.id: call.arguments for call in run.tool_calls}
    (result,) = [
        result
        for result in run.tool_results
        if "sed -n '1,160p' createService.ts" in arguments[result.tool_call_id]
    ]
    (selection,) = result.selections
    assert selection.source_id.endswith("/packages/services/src/createService.ts")
    assert (selection.unit, selection.ranges[0].start) == (Unit.LINE, 1)
    assert not result.is_file_read
    assert json.loads(result.text or "")["output"].startswith("import { create } from")


def test_reasoning_is_counted_and_not_shown(rollouts: Path) -> None:
    run = read(rollouts / "codex_040_c.jsonl")
    sizes = [
        part.opaque_bytes
        for message in run.messages
        for part in message.parts
        if part.kind is PartKind.REASONING
    ]
    assert len(sizes) == 85
    assert min(sizes) > 500


def test_every_line_of_the_newest_schema_has_a_place(rollouts: Path) -> None:
    run = read(rollouts / "codex_2026_schema_skeleton.jsonl")
    compactions = [edit for edit in run.edits if edit.kind is EditKind.COMPACT]
    assert len(compactions) == 6
    assert {edit.grade for edit in compactions} == {Grade.DERIVED}
    assert [answer.text for answer in run.answers] == ["Found 2 files."]
    assert not any(event.name == "record without a type" for event in run.other_events)
