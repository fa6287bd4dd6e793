"""Logs of Inspect: packed, in chunks and pools, with compactions, scorers and subagents."""

import json
from pathlib import Path

import pytest

from store.importers import inspect_log
from store.importers._base import HEAD_BYTES, Probe
from store.opening import open_paths
from store.records.citations import SourceCitation
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Problem, Run
from store.records.text import Span, Unit
from tests.unit.inspect_logs import (
    HEADER,
    call,
    eval_file,
    message,
    model,
    sample,
    tool,
    wire,
    zstd_archive,
)

LONG = "long text " * 20
HASH = "0123456789abcdef0123456789abcdef"
TASK = message("user", "task")


def opened(path: Path) -> list[Run]:
    return [item for item in open_paths([str(path)]) if isinstance(item, Run)]


def texts(run: Run, number: int) -> list[str]:
    return ["".join(p.text for p in run.messages[i].parts) for i in run.request(number)]


def talk() -> dict[str, object]:
    asked = message("assistant", "", tool_calls=[call("c1", cmd="ls")])
    given = message("tool", f"attachment://{HASH}", tool_call_id="c1", function="bash")
    first = model([TASK], calls=[call("c1", cmd="ls")])
    return sample(
        first,
        tool("c1", f"attachment://{HASH}"),
        model([TASK, asked, given], "done"),
        attachments={HASH: LONG},
    )


def test_members_packed_with_zstandard_in_several_frames_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(zstd_archive({"header.json": HEADER, "samples/s_epoch_1.json": talk()}, 3))
    (run,) = opened(path)
    path.write_bytes(zstd_archive({"header.json": HEADER, "samples/s_epoch_1.json": talk()}, 1))
    (single,) = opened(path)
    plain = eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": talk()})
    (deflated,) = opened(plain)
    assert run == single == deflated
    assert texts(run, 2) == ["task", '{"cmd":"ls"}', LONG]
    assert (run.run_id, run.title) == ("r/s_epoch_1", "t · s · 1")


def test_a_sample_in_chunks_is_the_sample_in_one_piece(tmp_path: Path) -> None:
    whole = talk()
    (expected,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": whole}))
    events = whole["events"]
    assert isinstance(events, list)
    pool = [*events[2]["input"]]
    pool[2] = {**pool[2], "content": "attachment://0"}
    first = {**events[0], "input": [], "input_refs": [[0, 1]]}
    middle = {**events[1], "result": "attachment://0"}
    last = {**events[2], "input": [], "input_refs": [[0, 3]]}
    shell = {"id": "s", "epoch": 1, "input": "", "message_refs": [[0, 3]]}
    base = "samples/s_epoch_1"
    members = {
        f"{base}/sample.json": shell,
        f"{base}/skeleton.json": {},
        f"{base}/messages/0.json": pool[:2],
        f"{base}/messages/2.json": pool[2:],
        f"{base}/events/2.json": [last],
        f"{base}/events/0.json": [first, middle],
        f"{base}/events/stats.json": {},
        f"{base}/calls/0.json": [],
        f"{base}/attachments/0.json": [LONG],
    }
    (run,) = opened(eval_file(tmp_path / "a.eval", members))
    assert run == expected


def test_wire_requests_may_stand_in_a_pool(tmp_path: Path) -> None:
    held = wire([], "done")
    held |= {"request": {"model": "m"}, "call_refs": [[0, 2]], "call_key": "messages"}
    pool = [message("system", "be good"), TASK]
    value = sample(model([TASK], "done", call=held), events_data={"messages": [], "calls": pool})
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    assert texts(run, 1) == ["be good", "task"]
    assert run.calls[0].grade_reason.startswith("the wire request")


def test_what_the_wire_request_does_not_hold_of_the_input_was_not_given(tmp_path: Path) -> None:
    held = wire([TASK], "done")
    value = sample(model([TASK, message("user", "and this")], "done", call=held))
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    assert texts(run, 1) == ["task"]
    assert (
        "not all texts of the recorded input are in the wire request (1 missing)"
        in run.problems[0].what
    )


def test_a_wire_request_that_is_not_understood_must_hold_every_text_of_the_input(
    tmp_path: Path,
) -> None:
    strange = {"request": {"dialogue": [{"words": "task"}]}, "response": None}
    (run,) = opened(
        eval_file(
            tmp_path / "a.eval",
            {"samples/s_epoch_1.json": sample(model([TASK], "x", call=strange))},
        )
    )
    assert run.grade is Grade.RECORDED
    assert texts(run, 1) == ["task"]
    other = {"request": {"dialogue": ["something else"]}, "response": None}
    (doubted,) = opened(
        eval_file(
            tmp_path / "a.eval", {"samples/s_epoch_1.json": sample(model([TASK], "x", call=other))}
        )
    )
    assert doubted.grade is Grade.UNKNOWN


def test_an_attachment_that_is_missing_leaves_its_call_unknown(tmp_path: Path) -> None:
    value = {**talk(), "attachments": {}}
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    assert [each.grade for each in run.calls] == [Grade.RECORDED, Grade.UNKNOWN]
    assert any(f"attachment://{HASH}" in problem.what for problem in run.problems)


def test_a_compaction_names_the_results_that_it_took_out(tmp_path: Path) -> None:
    asked = message("assistant", "", tool_calls=[call("c1", cmd="ls")])
    given = message("tool", LONG, tool_call_id="c1", function="bash")
    removed = message("tool", "(Tool result removed)", tool_call_id="c1", function="bash")
    value = sample(
        model([TASK], calls=[call("c1", cmd="ls")]),
        tool("c1", LONG),
        model([TASK, asked, given], "so"),
        {"event": "compaction", "type": "edit", "tokens_before": 9, "tokens_after": 3},
        model([TASK, asked, removed], "done"),
    )
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    (edit,) = run.edits
    assert (edit.kind, edit.tool_call_ids, edit.before_call) == (EditKind.CLEAR, ("c1",), 3)
    assert run.tool_results[0].text == LONG
    assert texts(run, 3)[-1] == "(Tool result removed)"


def test_scorers_and_agents_of_tools_are_runs_below_the_sample(tmp_path: Path) -> None:
    def span(name: str, kind: str, parent: str | None = None) -> dict[str, object]:
        return {"event": "span_begin", "id": name, "type": kind, "name": kind, "parent_id": parent}

    value = sample(
        span("a", "solver"),
        model([TASK], "done", span_id="a"),
        span("b", "tool", "a"),
        span("c", "agent", "b"),
        model([message("user", "inner")], "inner done", span_id="c"),
        span("d", "scorers"),
        model([message("user", "grade it")], "C", span_id="d"),
    )
    runs = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    ids = [(run.run_id, run.parent_run, len(run.calls)) for run in runs]
    assert ids == [
        ("r/s_epoch_1", None, 1),
        ("r/s_epoch_1/agent-c", "r/s_epoch_1", 1),
        ("r/s_epoch_1/scorers", "r/s_epoch_1", 1),
    ]


def test_the_first_logs_keep_events_in_a_transcript_and_scorers_in_steps(tmp_path: Path) -> None:
    scored = {"event": "step", "type": "scorer", "name": "x"}
    events = [
        model([message("user", f"tc://{HASH}")], "done"),
        {**scored, "action": "begin"},
        model([message("user", "grade it")], "C"),
        {**scored, "action": "end"},
    ]
    value = {"id": 1, "epoch": 1, "transcript": {"events": events, "content": {HASH: LONG}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": [value]}))
    main, scorers = opened(path)
    assert texts(main, 1) == [LONG]
    assert (scorers.run_id, len(scorers.calls)) == ("r/1_epoch_1/scorers", 1)


def test_citations_of_a_service_that_searched_itself_can_not_be_proven(tmp_path: Path) -> None:
    found = {"type": "url", "url": "https://a.example", "title": "A", "cited_text": [0, 5]}
    quoted = {"type": "document", "title": "D", "cited_text": "so it is"}
    place = {"type": "page", "start_index": 2, "end_index": 3}
    content = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "tool_use", "id": "w", "name": "web_search", "arguments": "{}", "result": "page"},
        {"type": "text", "text": "First.", "citations": [found]},
        {"type": "text", "text": " Then.", "citations": [{**quoted, "range": place}]},
    ]
    said = {**message("assistant", content), "source": "generate"}
    event = model([TASK])
    event["output"] = {"choices": [{"message": said, "stop_reason": "stop"}]}
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": sample(event)}))
    (answer,) = run.answers
    first, second = answer.citations
    assert (first.source_id, first.answer_span) == ("https://a.example", Span(0, 5))
    assert isinstance(second, SourceCitation)
    assert (second.span, second.unit, second.quote) == (Span(2, 3), Unit.PAGE, "so it is")
    assert first.unverifiable
    assert [result.text for result in run.tool_results] == ["page"]


def test_what_was_submitted_is_an_answer(tmp_path: Path) -> None:
    said = model([TASK], calls=[call("c1", "submit", answer="it is 12")])
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": sample(said)}))
    assert [answer.text for answer in run.answers] == ["it is 12"]


def test_a_cut_of_a_tool_is_told(tmp_path: Path) -> None:
    value = sample(
        model([TASK], calls=[call("c1", cmd="ls")]), tool("c1", "x", truncated=[90_000, 16_384])
    )
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": value}))
    assert "of the tool bash, 90000 bytes cut to 16384" in run.problems[0].what


def test_a_log_without_events_of_a_model_follows_a_rule(tmp_path: Path) -> None:
    held = [TASK, message("assistant", "done", source="generate")]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": [{"id": 1, "epoch": 1, "messages": held}]}))
    (run,) = opened(path)
    assert run.grade is Grade.INFERRED
    assert texts(run, 1) == ["task"]


def test_hundreds_of_samples_are_listed_without_reading_one(tmp_path: Path) -> None:
    broken = {f"samples/{number}_epoch_1.json": b"no JSON" for number in range(500)}
    path = eval_file(tmp_path / "a.eval", broken)
    head = path.read_bytes()[:HEAD_BYTES]
    probe = Probe(path, path.name, is_folder=False, head=head, size=path.stat().st_size)
    listed = list(inspect_log.listing(probe))
    assert len(listed) == 500
    assert (listed[7].run_id, listed[7].title) == ("r/7_epoch_1", "t · 7 · 1")


def test_a_broken_sample_does_not_stop_the_others(tmp_path: Path) -> None:
    members = {"samples/a_epoch_1.json": b'{"id": "a", "ev', "samples/b_epoch_1.json": talk()}
    first, second = opened(eval_file(tmp_path / "a.eval", members))
    assert (first.calls, len(second.calls)) == ((), 2)
    assert "samples/a_epoch_1" in first.problems[0].where


HOSTILE = {
    "a bomb": {"samples/s_epoch_1.json": b"[" + b" " * (200 << 20) + b"]"},
    "deep nesting": {"samples/s_epoch_1.json": b'{"events":' + b"[" * 200_000},
    "an endless number": {"samples/s_epoch_1.json": b'{"events":' + b"9" * 2_000_000 + b"x"},
    "no UTF-8": {"samples/s_epoch_1.json": b'{"events": "\xff\xfe'},
    "a way out": {"../../samples/s_epoch_1.json": b"{}"},
    "nothing": {"summaries.json": b"[]"},
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_archive_ends_in_a_line(tmp_path: Path, name: str) -> None:
    path = eval_file(tmp_path / "a.eval", HOSTILE[name])
    items = list(open_paths([str(path)]))
    told = [p for item in items for p in (item.problems if isinstance(item, Run) else (item,))]
    assert told
    assert not any("internal" in p.what for p in told)
    assert not any(item.calls for item in items if isinstance(item, Run))


@pytest.mark.parametrize("cut", [0.2, 0.6, 0.97])
def test_an_archive_that_was_cut_ends_in_a_line(tmp_path: Path, cut: float) -> None:
    path = eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": talk()})
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    (problem,) = list(open_paths([str(path)]))
    assert isinstance(problem, Problem)
    assert "cut short" in problem.what


def test_a_range_that_no_pool_has_is_told_and_costs_nothing(tmp_path: Path) -> None:
    event = {**model([], "x"), "input_refs": [[0, 10**12], [-5, 2], "x"]}
    (run,) = opened(eval_file(tmp_path / "a.eval", {"samples/s_epoch_1.json": sample(event)}))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert all(part.kind is PartKind.TEXT for m in run.messages for part in m.parts)
