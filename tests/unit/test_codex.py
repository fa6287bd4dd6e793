"""Codex rollouts of all eras: calls, cut outputs, compaction, turns taken back."""

import json
from pathlib import Path

import pytest

from store.importers._codex_cut import Policy, cut_items, cut_text, policy_of, unrecorded
from store.importers.codex import IMPORTER
from store.importers.codex_stream import IMPORTER as STREAM
from store.records.grades import Grade
from store.records.runs import EditKind, Part, PartKind, ProblemKind, Run
from tests.unit.codex_rollouts import (
    asked,
    counted,
    item,
    line,
    meta,
    output,
    probe,
    run_of,
    said,
    turn,
)


def parts(run: Run, call: int) -> list[Part]:
    return [part for index in run.request(call) for part in run.messages[index].parts]


def texts(run: Run, call: int) -> list[str]:
    return [part.text for part in parts(run, call)]


def test_an_output_is_cut_by_the_recorded_limit_and_its_own_text_is_kept(tmp_path: Path) -> None:
    long = "a" * 100 + "b" * 100
    lines = [meta(), turn(50), said("user", "go"), asked("c1"), output("c1", long)]
    run = run_of(tmp_path, [*lines, said("assistant", "done")])
    assert texts(run, 2)[-1] == "a" * 30 + "…140 chars truncated…" + "b" * 30
    assert run.tool_results[0].text == long
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.grade) == (EditKind.TRUNCATE, 2, Grade.DERIVED)
    assert run.grade is Grade.DERIVED


@pytest.mark.parametrize(
    ("text", "policy", "left"),
    [
        ("x" * 48, Policy("tokens", 10), "x" * 48),
        ("x" * 49, Policy("tokens", 10), "x" * 24 + "…1 tokens truncated…" + "x" * 24),
        ("é" * 10, Policy("bytes", 10), "ééé…4 chars truncated…ééé"),
        ("😀" * 4, Policy("bytes", 5), "…4 chars truncated…"),
        ("", Policy("bytes", 1), ""),
    ],
)
def test_a_cut_keeps_both_ends_and_never_half_a_character(
    text: str, policy: Policy, left: str
) -> None:
    assert cut_text(text, policy) == left


def test_an_output_of_several_texts_has_one_limit_for_all() -> None:
    kept = cut_items(["aaaa", "bbbbbbbbbbbb", "c", "d"], Policy("bytes", 10))
    assert kept == ["aaaa", "bbbb…4 chars truncated…bbbb", "[omitted 2 text items ...]"]


@pytest.mark.parametrize(
    "value", [None, {}, {"mode": "lines", "limit": 5}, {"mode": "bytes", "limit": "9"}, 7]
)
def test_a_policy_that_cannot_be_applied_is_none(value: object) -> None:
    assert policy_of(value) is None


def test_without_a_recorded_limit_only_what_every_limit_keeps_is_shown(tmp_path: Path) -> None:
    long = "a" * 20_000
    lines = [meta(), said("user", "go"), asked("c1"), output("c1", long)]
    run = run_of(tmp_path, [*lines, said("assistant", "done")])
    assert texts(run, 2)[-1] == unrecorded(long) != long
    assert [call.grade for call in run.calls] == [Grade.DERIVED, Grade.INFERRED]
    assert "not recorded" in run.calls[1].grade_reason


@pytest.mark.parametrize("version", ["0.40.0", ""])
def test_old_clients_stored_what_they_sent(tmp_path: Path, version: str) -> None:
    long = "a" * 20_000
    lines = [meta(version), said("user", "go"), asked("c1"), output("c1", long)]
    run = run_of(tmp_path, [*lines, said("assistant", "done")])
    assert texts(run, 2)[-1] == long
    assert run.grade is Grade.DERIVED


def test_a_count_behind_what_the_model_wrote_ends_its_call(tmp_path: Path) -> None:
    lines = [meta(), turn(), said("user", "go"), asked("c1"), asked("c2"), counted(10, 7)]
    more = [output("c1", "x"), output("c2", "y"), said("assistant", "ok"), counted(30, 20)]
    run = run_of(tmp_path, [*lines, *more, counted(30, 20)])
    assert [call.usage.input_tokens for call in run.calls] == [7, 20]
    assert {call.by_call for call in run.tool_calls} == {1}
    assert texts(run, 2)[-2:] == ["x", "y"]
    assert [(answer.call, answer.text) for answer in run.answers] == [(2, "ok")]


def test_a_call_without_an_output_is_given_back_as_aborted(tmp_path: Path) -> None:
    lines = [meta(), turn(), said("user", "go"), asked("c1"), said("user", "stop")]
    run = run_of(tmp_path, [*lines, said("assistant", "ok")])
    (stand_in,) = [part for part in parts(run, 2) if part.kind is PartKind.TOOL_RESULT]
    assert (stand_in.text, stand_in.status) == ("aborted", "reconstructed")
    assert run.tool_results == ()


def test_a_compaction_puts_the_recorded_history_in_place(tmp_path: Path) -> None:
    summary = "Another language model started to solve this problem and produced a summary. S"
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]},
        {"type": "compaction", "encrypted_content": "A" * 40},
    ]
    lines = [meta(), turn(), said("user", "go"), asked("c1"), output("c1", "text of the file")]
    more = [said("assistant", "seen"), line("compacted", message="", replacement_history=history)]
    run = run_of(tmp_path, [*lines, *more, said("user", "on"), said("assistant", "ok")])
    assert texts(run, 3) == ["go", summary, "", "on"]
    kinds = [part.kind for part in parts(run, 3)]
    assert kinds == [PartKind.TEXT, PartKind.SUMMARY, PartKind.SUMMARY, PartKind.TEXT]
    assert parts(run, 3)[2].opaque_bytes == 40
    (edit,) = run.edits
    assert (edit.kind, edit.tool_call_ids, edit.before_call) == (EditKind.COMPACT, ("c1",), 3)
    assert run.calls[2].grade is Grade.DERIVED


def test_a_compaction_without_its_history_is_inferred(tmp_path: Path) -> None:
    context = "<environment_context>\n</environment_context>"
    lines = [meta("0.40.0"), said("user", context), said("user", "go"), said("assistant", "a")]
    more = [line("compacted", message="what was done"), said("user", "on")]
    run = run_of(tmp_path, [*lines, *more, said("assistant", "ok")])
    assert texts(run, 2) == [context, "go", "what was done", "on"]
    assert run.calls[1].grade is Grade.INFERRED


def test_the_call_that_wrote_a_summary_is_inferred_and_no_answer(tmp_path: Path) -> None:
    prefix = "Another language model started to solve this problem and produced a summary\n"
    lines = [meta(), turn(), said("user", "go"), asked("c1"), output("c1", "x"), counted(9)]
    more = [said("assistant", "so far"), line("compacted", message=f"{prefix}so far")]
    run = run_of(tmp_path, [*lines, *more, said("user", "on"), said("assistant", "ok")])
    assert [call.grade for call in run.calls[:2]] == [Grade.DERIVED, Grade.INFERRED]
    assert [answer.text for answer in run.answers] == ["ok"]


def test_turns_that_were_taken_back_are_in_no_later_request(tmp_path: Path) -> None:
    lines = [meta(), turn(), said("user", "one"), said("assistant", "1"), said("developer", "ctx")]
    more = [said("user", "two"), said("assistant", "2")]
    rolled = line("event_msg", type="thread_rolled_back", num_turns=1)
    run = run_of(tmp_path, [*lines, *more, rolled, said("user", "three"), said("assistant", "3")])
    assert texts(run, 2) == ["one", "1", "ctx", "two"]
    assert texts(run, 3) == ["one", "1", "three"]
    assert [answer.text for answer in run.answers] == ["1", "2", "3"]


def test_a_call_that_wrote_a_summary_and_left_only_its_count_is_a_call(tmp_path: Path) -> None:
    prefix = "Another language model started to solve this problem and produced a summary\n"
    lines = [meta(), turn(), said("user", "go"), said("assistant", "done"), counted(10)]
    more = [counted(10), counted(32, 22), counted(32, 0)]
    after = [line("compacted", message=f"{prefix}so far"), said("user", "on")]
    run = run_of(tmp_path, [*lines, *more, *after, said("assistant", "well"), counted(42)])
    assert [call.usage.input_tokens for call in run.calls] == [10, 22, 10]
    assert [call.grade for call in run.calls] == [Grade.DERIVED, Grade.INFERRED, Grade.INFERRED]
    assert texts(run, 2) == ["go", "done"]
    assert texts(run, 3) == ["go", f"{prefix}so far", "on"]
    assert [answer.text for answer in run.answers] == ["done", "well"]


def test_instructions_stand_before_every_request_also_after_a_compaction(tmp_path: Path) -> None:
    lines = [meta(base_instructions={"text": "be brief"}), said("user", "go")]
    more = [said("assistant", "a"), line("compacted", replacement_history=[]), said("user", "on")]
    run = run_of(tmp_path, [*lines, *more, said("assistant", "ok")])
    assert texts(run, 1) == ["be brief", "go"]
    assert texts(run, 2) == ["be brief", "on"]


def test_the_oldest_rollouts_have_bare_items_behind_a_header(tmp_path: Path) -> None:
    header = {"id": "old-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None}
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
    given = {"type": "function_call_output", "call_id": "c1", "output": "out"}
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
    last = {"type": "message", "role": "assistant", "content": "ok"}
    run = run_of(tmp_path, [header, {"record_type": "state"}, user, call, given, last])
    assert (run.run_id, len(run.calls)) == ("old-1", 2)
    assert texts(run, 2)[-1] == "out"


def test_a_patch_makes_the_next_version_of_the_file_it_changes(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+2\n*** End Patch"
    lines = [
        meta(),
        turn(),
        said("user", "go"),
        asked("c1", "cat a.py"),
        output("c1", "one\ntwo\n"),
    ]
    change = item("custom_tool_call", name="apply_patch", input=patch, call_id="c2")
    done = item("custom_tool_call_output", call_id="c2", output="Success.")
    again = [asked("c3", "cat a.py"), output("c3", "one\n2\n"), said("assistant", "ok")]
    run = run_of(tmp_path, [*lines, change, done, *again])
    assert [version.text for version in run.versions] == ["one\ntwo\n", "one\n2\n"]
    assert {version.key.source_id for version in run.versions} == {"/repo/a.py"}


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{}",
        "Chunk ID: 1a\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n{}",
    ],
)
def test_the_frame_around_an_output_is_no_text_of_the_file(tmp_path: Path, frame: str) -> None:
    lines = [meta(), turn(), said("user", "go"), asked("c1", "sed -n '5,6p' a.py")]
    more = [output("c1", frame.replace("{}", "five\nsix\n")), said("assistant", "ok")]
    run = run_of(tmp_path, [*lines, *more])
    (version,) = run.versions
    assert (version.text, version.line_numbers) == ("five\nsix\n", (5, 6))


def test_a_thread_of_a_subagent_names_its_parent_and_a_fork_is_noted(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "thread-0"}}}
    first = meta(source=spawned, forked_from_id="thread-9")
    run = run_of(tmp_path, [first, said("user", "go"), said("assistant", "ok")])
    assert run.parent_run == "thread-0"
    (problem,) = run.problems
    assert "forked from thread-9" in problem.what


def test_calls_behind_a_damaged_line_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    lines = [meta(), turn(), said("user", "go"), said("assistant", "a")]
    text = "".join(f"{json.dumps(each)}\n" for each in lines)
    more = "".join(f"{json.dumps(each)}\n" for each in [said("user", "on"), said("assistant", "b")])
    path.write_text(f'{text}{{"timestamp": broken\n{more}', encoding="utf-8")
    (run,) = [found for found in IMPORTER.read(probe(path)) if isinstance(found, Run)]
    assert [call.grade for call in run.calls] == [Grade.DERIVED, Grade.UNKNOWN]
    assert run.problems[0].where == "rollout.jsonl:5"


def test_no_other_json_lines_are_taken_for_a_rollout(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    for other in ({"type": "session", "id": "a", "timestamp": "t", "cwd": "/"}, {"id": "a"}, {}):
        path.write_text(f"{json.dumps(other)}\n", encoding="utf-8")
        assert not IMPORTER.recognise(probe(path))


def test_the_stream_of_a_run_shows_what_happened_and_proves_no_request(tmp_path: Path) -> None:
    events = [
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": "Well."}},
        {
            "type": "item.completed",
            "item": {
                "id": "i2",
                "type": "command_execution",
                "command": "/bin/bash -lc 'cat a.txt'",
                "aggregated_output": "one\n",
                "status": "completed",
            },
        },
        {"type": "item.completed", "item": {"id": "i3", "type": "agent_message", "text": "Done."}},
        {"type": "turn.completed", "usage": {"input_tokens": 9}},
    ]
    path = tmp_path / "out.jsonl"
    text = "".join(f"{json.dumps(event)}\n" for event in events)
    path.write_text(f"Reading additional input\n{text}", encoding="utf-8")
    assert STREAM.recognise(probe(path))
    (run,) = [found for found in STREAM.read(probe(path)) if isinstance(found, Run)]
    assert (run.run_id, len(run.calls), run.grade) == ("t-1", 2, Grade.UNKNOWN)
    assert texts(run, 2) == ["Well.", '{"command": "/bin/bash -lc \'cat a.txt\'"}', "one\n"]
    assert [answer.text for answer in run.answers] == ["Done."]
    assert [call.usage.input_tokens for call in run.calls] == [None, None]
    (problem,) = run.problems
    assert (problem.what, problem.kind) == (
        "words of a shell stand among the records; lines left out: 1",
        ProblemKind.NOTED,
    )
