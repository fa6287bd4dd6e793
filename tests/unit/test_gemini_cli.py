"""Gemini CLI: chats whole and appended, what was masked, folded or taken back."""

from pathlib import Path

import pytest

from store.importers.gemini_cli import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from tests.unit.agent_files import recognised, runs_in, texts, write_json, write_lines

Json = dict[str, object]
HEAD: Json = {"sessionId": "s-1", "projectHash": "ab", "startTime": "t", "lastUpdated": "t"}
MASKED = (
    "<tool_output_masked>\none\nOutput too large. Full output available at: "
    "/h/tool-outputs/read_c1.txt\n</tool_output_masked>"
)


def user(name: str, words: str) -> Json:
    return {"id": name, "timestamp": "t", "type": "user", "content": [{"text": words}]}


def model(name: str, words: str, *calls: Json, tokens: int = 7) -> Json:
    counted = {"input": tokens, "output": 2, "thoughts": 1, "cached": 3, "tool": 0, "total": 10}
    made: Json = {"id": name, "timestamp": "t", "type": "gemini", "content": words, "model": "g-3"}
    return {**made, "tokens": counted, **({"toolCalls": list(calls)} if calls else {})}


def read(call_id: str, output: str) -> Json:
    response = {"id": call_id, "name": "read_file", "response": {"output": output}}
    args = {"absolute_path": "/repo/a.py"}
    result = [{"functionResponse": response}]
    shown = {"resultDisplay": "not for the model", "status": "success"}
    return {"id": call_id, "name": "read_file", "args": args, "result": result, **shown}


def chat() -> list[Json]:
    return [
        user("u1", "look"),
        model("g1", "", read("c1", "one\ntwo\n")),
        model("g2", "seen"),
        user("u2", "again"),
        model("g3", "done"),
    ]


def whole(folder: Path, messages: list[Json]) -> Run:
    (run,) = runs_in(write_json(folder / "s.json", {**HEAD, "messages": messages}), IMPORTER)
    return run


def appended(folder: Path, *records: Json) -> Run:
    (run,) = runs_in(write_lines(folder / "s.jsonl", [HEAD, *records]), IMPORTER)
    return run


def test_each_answer_is_a_call_and_what_the_screen_showed_is_no_result(tmp_path: Path) -> None:
    run = whole(tmp_path, chat())
    assert (run.run_id, run.grade, len(run.calls)) == ("s-1", Grade.INFERRED, 3)
    assert texts(run, 3) == [
        "look",
        '{"absolute_path":"/repo/a.py"}',
        "one\ntwo\n",
        "seen",
        "again",
    ]
    assert run.calls[0].usage.input_tokens == 7
    assert [answer.text for answer in run.answers] == ["seen", "done"]
    (version,) = run.versions
    assert (version.key.source_id, version.text) == ("/repo/a.py", "one\ntwo\n")
    assert not any("not for the model" in part for part in texts(run, 3))


def test_a_message_that_grows_is_one_message(tmp_path: Path) -> None:
    first = model("g1", "")
    run = appended(tmp_path, user("u1", "look"), first, model("g1", "", read("c1", "x")), chat()[2])
    assert len(run.calls) == 2
    assert texts(run, 2)[-1] == "x"


def test_a_history_that_was_written_back_masked_is_what_later_requests_held(tmp_path: Path) -> None:
    masked = [user("u1", "look"), model("g1", "", read("c1", MASKED)), model("g2", "seen")]
    run = appended(tmp_path, *chat()[:3], {"$set": {"messages": masked}}, *chat()[3:])
    assert "one\ntwo\n" in texts(run, 2)
    assert "one\ntwo\n" not in texts(run, 3)
    assert MASKED in texts(run, 3)
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.PERSIST, 3, ("c1",))
    assert run.tool_results[0].text == "one\ntwo\n"


def test_tool_calls_that_ran_one_after_the_other_are_those_of_several_calls(
    tmp_path: Path,
) -> None:
    first = {**read("c1", "one"), "timestamp": "2026-01-01T10:00:00.000Z"}
    beside = {**read("c2", "two"), "timestamp": "2026-01-01T10:00:00.001Z"}
    later = {**read("c3", "three"), "timestamp": "2026-01-01T10:00:02"}
    joined = model("g1", "Looking.", first, beside, later)
    run = whole(tmp_path, [user("u1", "look"), joined, model("g2", "seen")])
    assert [call.by_call for call in run.tool_calls] == [1, 1, 2]
    assert texts(run, 2)[-2:] == ["one", "two"]
    assert texts(run, 3)[-1] == "three"
    assert [call.usage.input_tokens for call in run.calls] == [7, None, 7]


def response(name: str, call_id: str, output: str) -> Json:
    held = {"id": call_id, "name": "read_file", "response": {"output": output}}
    return {"id": name, "timestamp": "t", "type": "user", "content": [{"functionResponse": held}]}


def test_a_history_that_is_written_anew_repeats_no_call(tmp_path: Path) -> None:
    said = [{"functionCall": {"id": "c1", "name": "read_file", "args": {}}}]
    again: Json = {"id": "n2", "timestamp": "t", "type": "gemini", "content": said}
    anew = [user("n1", "look"), again, response("n3", "c1", MASKED)]
    start: Json = {"$set": {"messages": []}}
    whole: Json = {"$set": {"messages": anew}}
    call = model("g1", "", read("c1", "one\ntwo\n"))
    given = response("r1", "c1", "one\ntwo\n")
    run = appended(
        tmp_path,
        start,
        user("u1", "look"),
        call,
        given,
        model("g2", "seen"),
        *anew,
        whole,
        user("u2", "again"),
        model("g3", "done"),
    )
    assert [call.id for call in run.calls] == ["g1", "g2", "g3"]
    assert texts(run, 2)[-1] == "one\ntwo\n"
    assert texts(run, 3) == ["look", "{}", MASKED, "again"]
    assert len(run.tool_results) == 1
    assert run.grade is Grade.DERIVED
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.PERSIST, 3, ("c1",))


def test_a_snapshot_stands_for_what_it_folded(tmp_path: Path) -> None:
    snapshot = user("u9", "<state_snapshot>so far</state_snapshot>")
    ack: Json = {"id": "g9", "type": "gemini", "content": ACK}
    folded: Json = {"$set": {"messages": [snapshot, ack]}}
    run = appended(tmp_path, *chat()[:3], folded, *chat()[3:])
    assert texts(run, 3) == ["<state_snapshot>so far</state_snapshot>", ACK, "again"]
    assert run.messages[run.request(3)[0]].parts[0].kind is PartKind.SUMMARY
    assert len(run.calls) == 3
    assert [edit.kind for edit in run.edits] == [EditKind.COMPACT]


ACK = "Got it. Thanks for the additional context!"


def test_what_was_taken_back_is_in_no_later_request(tmp_path: Path) -> None:
    run = appended(tmp_path, *chat()[:3], {"$rewindTo": "g2"}, *chat()[3:])
    assert "seen" not in texts(run, 3)
    assert "one\ntwo\n" in texts(run, 3)


def test_a_compression_that_left_no_history_makes_what_follows_unknown(tmp_path: Path) -> None:
    told: Json = {"id": "i1", "type": "info", "content": "Chat history compressed from 90 to 9."}
    run = whole(tmp_path, [*chat()[:3], told, *chat()[3:]])
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.INFERRED, Grade.UNKNOWN]


def test_a_damaged_line_makes_what_follows_unknown(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", [HEAD, *chat()[:3]])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "u2", "ty\n')
    write_lines(tmp_path / "rest.jsonl", chat()[3:])
    text = (tmp_path / "rest.jsonl").read_text(encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    (run,) = runs_in(path, IMPORTER)
    assert [call.grade for call in run.calls][1:] == [Grade.INFERRED, Grade.UNKNOWN]


def test_a_result_that_was_written_behind_an_answer_is_not_proven_to_be_before_it(
    tmp_path: Path,
) -> None:
    asked = read("c1", "one")
    begun = model("g1", "", {key: held for key, held in asked.items() if key != "result"})
    answer, grown = model("g2", "seen"), model("g1", "", asked)
    run = appended(tmp_path, user("u1", "look"), begun, answer, grown)
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.UNKNOWN]
    run = appended(tmp_path, user("u1", "look"), begun, response("r1", "c1", "one"), answer, grown)
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.INFERRED]


def test_a_saved_history_pairs_results_without_ids_with_their_calls(tmp_path: Path) -> None:
    call = {"functionCall": {"name": "read_file", "args": {"absolute_path": "/repo/a.py"}}}
    response = {"name": "read_file", "response": {"output": "one\n"}}
    history = [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [{"functionResponse": response}]},
        {"role": "model", "parts": [{"text": "seen"}]},
    ]
    (run,) = runs_in(write_json(tmp_path / "checkpoint-x.json", history), IMPORTER)
    assert (len(run.calls), run.grade) == (2, Grade.INFERRED)
    assert run.tool_results[0].tool_call_id == run.tool_calls[0].id
    assert run.versions[0].text == "one\n"


def test_a_stream_shows_results_that_prove_no_request(tmp_path: Path) -> None:
    lines: list[Json] = [
        {"type": "init", "timestamp": "t", "session_id": "s-2", "model": "g-3"},
        {"type": "message", "role": "user", "content": "look"},
        {"type": "message", "role": "assistant", "content": "I ", "delta": True},
        {"type": "message", "role": "assistant", "content": "look.", "delta": True},
        {"type": "tool_use", "tool_name": "read_file", "tool_id": "c1", "parameters": {}},
        {"type": "tool_result", "tool_id": "c1", "status": "success", "output": "Read 2 lines"},
        {"type": "message", "role": "assistant", "content": "seen", "delta": True},
        {"type": "result", "status": "success", "stats": {"input_tokens": 9}},
    ]
    (run,) = runs_in(write_lines(tmp_path / "out.jsonl", lines), IMPORTER)
    assert (run.run_id, len(run.calls), run.grade) == ("s-2", 2, Grade.UNKNOWN)
    assert texts(run, 2)[:2] == ["look", "I look."]
    assert run.answers[-1].text == "seen"


def test_the_folder_of_a_project_has_each_session_once(tmp_path: Path) -> None:
    folder = tmp_path / "hash"
    write_json(folder / "logs.json", [])
    write_json(folder / "chats" / "session-1.json", {**HEAD, "messages": chat()[:3]})
    write_lines(folder / "chats" / "session-1.jsonl", [HEAD, *chat()])
    agent = {**HEAD, "sessionId": "sub", "kind": "subagent"}
    write_lines(folder / "chats" / "s-1" / "sub.jsonl", [agent, *chat()[:3]])
    history = [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [{"text": "seen"}]},
    ]
    write_json(folder / "checkpoint-x.json", history)
    main, sub = runs_in(folder, IMPORTER)
    assert (main.run_id, len(main.calls), main.parent_run) == ("s-1", 3, None)
    assert (sub.run_id, sub.parent_run) == ("sub", "s-1")
    assert any("they count once" in problem.what for problem in main.problems)


def test_a_masked_result_is_completed_from_the_output_that_was_saved(tmp_path: Path) -> None:
    folder = tmp_path / "hash"
    saved = folder / "tool-outputs" / "session-s-1" / "read_c1.txt"
    saved.parent.mkdir(parents=True)
    saved.write_text("one\ntwo\n", encoding="utf-8")
    messages = [user("u1", "look"), model("g1", "", read("c1", MASKED)), model("g2", "seen")]
    write_lines(folder / "chats" / "session-1.jsonl", [HEAD, *messages])
    (run,) = runs_in(folder, IMPORTER)
    (result,) = run.tool_results
    assert (result.text, result.side_file) == ("one\ntwo\n", "/h/tool-outputs/read_c1.txt")
    assert MASKED in texts(run, 2)


@pytest.mark.parametrize("value", [[{"role": "user", "content": "x"}], {"sessionId": "a"}, [1]])
def test_nothing_else_is_taken_for_a_chat(tmp_path: Path, value: object) -> None:
    assert recognised(write_json(tmp_path / "x.json", value)) != IMPORTER.name
