"""Branches of a session: parallel calls, rewinds, splits of one message, broken links."""

import json
from pathlib import Path

import pytest

from store.importers.claude_code import IMPORTER
from store.records.grades import Grade
from tests.unit.claude_sessions import Session, held, probe, request, runs_of, texts


def parallel() -> Session:
    session = Session()
    session.user("compare both files", "u1", None)
    session.asks("t1", "a1", "m1", file_path="one.md")
    session.asks("t2", "a2", "m1", file_path="two.md")
    session.result("t2", "the second", "r2", "a2")
    session.result("t1", "the first", "r1", "a1")
    session.says("they differ", "a3", "m2", "r1")
    return session


def test_parallel_results_beside_the_way_are_in_the_request_that_follows(tmp_path: Path) -> None:
    (run,) = runs_of(parallel().write(tmp_path / "s.jsonl"))
    assert len(run.calls) == 2
    assert texts(run, 1) == ["compare both files"]
    assert texts(run, 2) == ["compare both files", "the second", "the first"]
    assert [part.tool_call_id for part in request(run, 2) if part.name == "Read"] == ["t1", "t2"]


def test_records_of_one_message_id_are_one_call_with_its_last_usage(tmp_path: Path) -> None:
    (run,) = runs_of(parallel().write(tmp_path / "s.jsonl"))
    first = run.calls[0]
    assert first.id == "m1"
    assert first.usage.input_tokens == 325
    assert first.usage.output_tokens is None  # a stub, written before the answer had ended
    assert first.settings["request_id"] == "req-m1"
    assert [part.tool_call_id for part in run.messages[first.response[0]].parts] == ["t1", "t2"]


def test_results_between_two_records_of_one_message_come_after_it(tmp_path: Path) -> None:
    session = Session()
    session.user("go", "u1", None)
    session.asks("t1", "a1", "m1", name="Bash", command="ls")
    session.result("t1", "listing", "r1")
    session.asks("t2", "a2", "m1", name="Bash", command="pwd")
    session.result("t2", "/project", "r2")
    session.says("done", "a3", "m2")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert len(run.calls) == 2
    assert texts(run, 1) == ["go"]
    assert texts(run, 2) == ["go", "listing", "/project"]


def test_a_rewind_leaves_a_dead_branch_that_is_a_run_of_its_own(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    session.user("wrong question", "u2")
    session.says("wrong answer", "a2", "m2")
    session.user("right question", "u3", "a1")
    session.says("right answer", "a3", "m3")
    main, dead = runs_of(session.write(tmp_path / "s.jsonl"))
    assert main.branch is None
    assert texts(main, 2) == ["hello", "hi", "right question"]
    assert dead.branch == "a2"
    assert dead.run_id == f"{main.run_id}@a2"
    assert texts(dead, 2) == ["hello", "hi", "wrong question"]
    assert [answer.text for answer in dead.answers] == ["hi", "wrong answer"]


def test_a_prompt_that_nothing_answered_is_kept_as_an_event(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    session.user("never sent", "u2")
    session.user("sent instead", "u3", "a1")
    session.says("fine", "a2", "m2")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert "never sent" not in texts(run, 2)
    assert ["never sent" in event.raw for event in run.other_events] == [True]


def test_line_order_is_not_conversation_order(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    session.user("more", "u2")
    session.says("much more", "a2", "m2")
    session.lines = [session.lines[place] for place in (2, 0, 3, 1)]
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert texts(run, 2) == ["hello", "hi", "more"]


def test_a_lost_parent_makes_what_follows_unknown_and_keeps_what_came_before(
    tmp_path: Path,
) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    session.user("lost", "u2")
    session.says("reply", "a2", "m2")
    session.boundary([], "b1")
    session.lines[2] = session.lines[2][:40] + "}"
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert [call.grade for call in run.calls] == [Grade.DERIVED, Grade.UNKNOWN]
    assert texts(run, 2) == ["hello", "hi"]
    assert [(problem.where, problem.kind) for problem in run.problems] == [("s.jsonl:3", "lost")]


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    session = Session()
    session.user("one", "u1", "a1")
    session.says("two", "a1", "m1", "u1")
    runs = runs_of(session.write(tmp_path / "s.jsonl"))
    assert len(runs) == 1


def test_half_a_last_line_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl", tail='\n{"type":"user","uu'))
    assert len(run.calls) == 1
    (problem,) = run.problems
    assert problem.where == "s.jsonl:3"
    assert problem.what.startswith("last line cut short; the rest was read")


def test_lone_surrogates_are_read_tolerantly_and_noted(tmp_path: Path) -> None:
    session = Session()
    session.user("cut here \ud83d", "u1", None)
    session.says("hi", "a1", "m1")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert texts(run, 1) == ["cut here \ud83d"]
    assert [(problem.where, problem.kind) for problem in run.problems] == [("s.jsonl:1", "noted")]


def test_separators_of_unicode_are_no_line_ends(tmp_path: Path) -> None:
    session = Session()
    session.user("a\u2028b\x85c", "u1", None)
    session.says("hi", "a1", "m1")
    session.lines = [json.dumps(json.loads(line), ensure_ascii=False) for line in session.lines]
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert texts(run, 1) == ["a\u2028b\x85c"]


def test_records_of_an_unknown_type_are_kept_whole(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    session.lines.append('{"type":"hologram","sessionId":"x","payload":[1,2]}')
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    (event,) = run.other_events
    assert (event.name, event.origin) == ("hologram", "s.jsonl:3")
    assert '"payload": [1, 2]' in event.raw


def test_an_api_error_is_a_failed_call_and_is_not_sent_again(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.model([{"type": "text", "text": "Prompt is too long"}], "a1", "x1", model="<synthetic>")
    data = json.loads(session.lines[-1])
    session.lines[-1] = json.dumps({**data, "isApiErrorMessage": True})
    session.user("again", "u2")
    session.says("hi", "a2", "m2")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert [call.error for call in run.calls] == ["Prompt is too long", ""]
    assert run.calls[0].usage.input_tokens is None
    assert texts(run, 2) == ["hello", "again"]
    assert [answer.call for answer in run.answers] == [2]


def test_what_the_screen_shows_is_in_no_request(tmp_path: Path) -> None:
    session = Session()
    session.user("go", "u1", None)
    session.asks("t1", "a1", "m1", name="Bash", command="ls")
    session.result("t1", "short", "r1", toolUseResult={"stdout": "long secret output"})
    session.says("done", "a2", "m2")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert held(run, 2, "t1") == "short"
    assert not any("secret" in part.text for message in run.messages for part in message.parts)


def test_only_text_that_an_attachment_carried_is_added_and_it_says_what_it_is(
    tmp_path: Path,
) -> None:
    session = Session()
    session.user("go", "u1", None)
    session.record("attachment", "x1", attachment={"type": "compact_file_reference"})
    session.record(
        "attachment", "x2", attachment={"type": "edited_text_file", "filename": "a", "snippet": "S"}
    )
    session.record(
        "attachment",
        "x3",
        attachment={"type": "nested_memory", "path": "/m.md", "content": {"content": "remember"}},
    )
    session.record(
        "attachment",
        "x4",
        attachment={"type": "hook_success", "hookEvent": "PostToolUse", "content": "to the person"},
    )
    session.says("done", "a1", "m1")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert texts(run, 1) == ["go", "S", "remember"]
    assert request(run, 1)[2].name == (
        "/m.md (attachment nested_memory; its wrapping is not recorded)"
    )


def test_recognition_looks_at_content_only(tmp_path: Path) -> None:
    path = parallel().write(tmp_path / "trace.bin")
    assert IMPORTER.recognise(probe(path))
    for name, body in {
        "empty.jsonl": b"",
        "openai.jsonl": b'{"messages":[],"model":"m"}\n',
        "gemini.jsonl": b'{"sessionId":"s","projectHash":"p","type":"user","messageId":1}\n',
        "stream.jsonl": b'{"type":"system","subtype":"init","session_id":"s","uuid":"u"}\n',
        "run.jsonl": b'{"event":"run","type":"user"}\n',
    }.items():
        other = tmp_path / name
        other.write_bytes(body)
        assert not IMPORTER.recognise(probe(other)), name


def test_a_first_line_longer_than_the_head_is_recognised(tmp_path: Path) -> None:
    session = Session()
    session.user("x" * 200_000, "u1", None)
    session.says("hi", "a1", "m1")
    session.lines[0] = json.dumps(dict(reversed(json.loads(session.lines[0]).items())))
    path = session.write(tmp_path / "s.jsonl")
    # The long text stands before the ids here, so only the settings line before it can tell.
    session.lines.insert(0, f'{{"type":"permission-mode","sessionId":"{session.session}"}}')
    assert IMPORTER.recognise(probe(session.write(path)))


def test_summaries_before_the_first_record_are_recognised(tmp_path: Path) -> None:
    session = parallel()
    session.lines.insert(0, '{"type":"summary","summary":"Old talk","leafUuid":"elsewhere"}')
    session.lines.insert(1, '{"type":"summary","summary":"This talk","leafUuid":"a3"}')
    path = session.write(tmp_path / "s.jsonl")
    assert IMPORTER.recognise(probe(path))
    assert runs_of(path)[0].title == "This talk"


def test_a_first_record_of_the_model_leaves_its_request_unknown(tmp_path: Path) -> None:
    session = Session("2.1.6")
    session.says("warming up", "a1", "m1", None)
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert run.calls[0].grade is Grade.UNKNOWN
    assert run.request(1) == ()


def test_fields_of_a_wrong_type_lose_only_themselves(tmp_path: Path) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.record("attachment", "x1", attachment={"type": {}, "content": [1], "hookEvent": {}})
    session.record("attachment", "x2", attachment="none")
    session.record("system", "y1", subtype="microcompact_boundary", microcompactMetadata=[1])
    session.record("user", "u2", message={"role": "user", "content": [7, {"type": []}]})
    session.model([{"type": "text", "text": "hi"}], "a1", "m1", "", usage="much", stop_reason=3)
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert len(run.calls) == 1
    assert run.calls[0].usage.input_tokens is None
    assert texts(run, 1)[0] == "hello"


@pytest.mark.parametrize("depth", [250, 900, 1010, 10_000])
def test_deep_nesting_is_told_and_the_rest_is_read(tmp_path: Path, depth: int) -> None:
    session = Session()
    session.user("hello", "u1", None)
    session.says("hi", "a1", "m1")
    nested = "[" * depth + "]" * depth
    session.lines.append('{"type":"user","uuid":"u2","parentUuid":"a1","message":' + nested + "}")
    (run,) = runs_of(session.write(tmp_path / "s.jsonl"))
    assert len(run.calls) == 1
    assert [problem.where for problem in run.problems] == ["s.jsonl:3"]
