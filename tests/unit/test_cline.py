"""Cline and Roo Code: what a request held after its recorded edits, ranges and summaries."""

import json
from pathlib import Path

import pytest

from store.importers.cline import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from tests.unit.agent_files import recognised, runs_in, texts, write_json

Json = dict[str, object]
NOTE = (
    "[[NOTE] This file read has been removed to save space in the context window. Refer to the "
    "latest file read for the most up to date version of this file.]"
)
DETAILS = "<environment_details>\n# Current Working Directory (/repo) Files\n</environment_details>"


def text(*words: str) -> list[Json]:
    return [{"type": "text", "text": each} for each in words]


def user(*words: str, **more: object) -> Json:
    return {"role": "user", "content": text(*words), **more}


def model(words: str, **more: object) -> Json:
    return {"role": "assistant", "content": text(words), **more}


def asks(path: str) -> Json:
    return model(f"<read_file>\n<path>{path}</path>\n</read_file>")


def shows(path: str, body: str) -> Json:
    return user(f"[read_file for '{path}'] Result:", body, DETAILS)


def history() -> list[Json]:
    return [
        user("<task>\nlook\n</task>", DETAILS),
        asks("a.py"),
        shows("a.py", "one\ntwo"),
        asks("a.py"),
        shows("a.py", "one\ntwo"),
        model("<attempt_completion>\n<result>\ndone\n</result>\n</attempt_completion>"),
    ]


def started(ts: int, index: int, deleted: list[int] | None = None, tokens: int = 10) -> Json:
    about = json.dumps({"request": "x", "tokensIn": tokens, "tokensOut": 2, "cacheReads": 5})
    made: Json = {"ts": ts, "type": "say", "say": "api_req_started", "text": about}
    made["conversationHistoryIndex"] = index
    return {**made, **({"conversationHistoryDeletedRange": deleted} if deleted else {})}


def said(ts: int, index: int, deleted: list[int] | None = None) -> Json:
    made: Json = {"ts": ts, "type": "say", "say": "text", "conversationHistoryIndex": index}
    return {**made, **({"conversationHistoryDeletedRange": deleted} if deleted else {})}


def screen() -> list[Json]:
    task: Json = {"ts": 1, "type": "say", "say": "task", "text": "look"}
    return [task, started(100, -1), started(200, 1), started(300, 3)]


def task(
    folder: Path,
    messages: list[Json],
    ui: list[Json] | None = None,
    edits: object = None,
) -> Run:
    place = folder / "1700000000000"
    write_json(place / "api_conversation_history.json", messages)
    if ui is not None:
        write_json(place / "ui_messages.json", ui)
    if edits is not None:
        write_json(place / "context_history.json", edits)
    (run,) = runs_in(place, IMPORTER)
    return run


def test_each_answer_is_a_call_with_the_tokens_that_the_screen_was_told(tmp_path: Path) -> None:
    run = task(tmp_path, history(), screen())
    assert (run.run_id, run.title, run.grade) == ("1700000000000", "look", Grade.DERIVED)
    assert [call.usage.input_tokens for call in run.calls] == [15, 15, 15]
    assert [answer.text for answer in run.answers] == ["done"]
    tools = [call.name for call in run.tool_calls]
    assert tools == ["read_file", "read_file", "attempt_completion"]
    (version,) = run.versions
    assert (version.key.source_id, version.text) == ("/repo/a.py", "one\ntwo")
    assert all(result.is_file_read for result in run.tool_results)


def test_a_read_that_a_later_one_repeats_is_replaced_in_the_next_request(tmp_path: Path) -> None:
    edits = [[2, [2, [[1, [[200, "text", [NOTE], [["a.py"]]]]]]]]]
    run = task(tmp_path, history(), screen(), edits)
    assert texts(run, 2).count("one\ntwo") == 1
    assert NOTE not in texts(run, 2)
    assert NOTE in texts(run, 3)
    assert texts(run, 3).count("one\ntwo") == 1
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.grade) == (EditKind.CLEAR, 3, Grade.DERIVED)
    assert edit.tool_call_ids == ("call-1",)
    assert run.tool_results[0].text == "one\ntwo"


def test_a_range_that_was_left_out_is_in_no_later_request(tmp_path: Path) -> None:
    told = [*screen(), said(310, 4, [2, 3])]
    run = task(tmp_path, history(), told)
    assert len(run.request(2)) == 3
    assert [run.messages[index].origin for index in run.request(3)] == [
        "api_conversation_history.json[0]",
        "api_conversation_history.json[1]",
        "api_conversation_history.json[4]",
    ]
    (edit,) = run.edits
    assert (edit.kind, edit.before_call) == (EditKind.COMPACT, 3)


def test_without_the_file_for_the_screen_a_task_is_inferred(tmp_path: Path) -> None:
    assert task(tmp_path, history()).grade is Grade.INFERRED


def test_a_replaced_read_without_the_times_of_requests_is_not_known_to_be_there(
    tmp_path: Path,
) -> None:
    edits = [[2, [2, [[1, [[200, "text", [NOTE], [["a.py"]]]]]]]]]
    run = task(tmp_path, history(), None, edits)
    grades = [call.grade for call in run.calls]
    assert grades == [Grade.INFERRED, Grade.UNKNOWN, Grade.UNKNOWN]


def test_a_file_for_the_screen_that_cannot_be_read_proves_no_more_than_a_missing_one(
    tmp_path: Path,
) -> None:
    place = tmp_path / "t"
    write_json(place / "api_conversation_history.json", history())
    (place / "ui_messages.json").write_text('[{"ts": 1', encoding="utf-8")
    (run,) = runs_in(place, IMPORTER)
    assert run.grade is Grade.INFERRED


def test_edits_that_cannot_be_read_leave_requests_unknown(tmp_path: Path) -> None:
    place = tmp_path / "t"
    write_json(place / "api_conversation_history.json", history())
    write_json(place / "ui_messages.json", screen())
    (place / "context_history.json").write_text("{", encoding="utf-8")
    (run,) = runs_in(place, IMPORTER)
    assert {call.grade for call in run.calls} == {Grade.UNKNOWN}


def test_tool_calls_of_the_interface_lose_their_results_with_their_calls(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "/repo/a.py"}}
    given = {"type": "tool_result", "tool_use_id": "t1", "content": text("one")}
    messages: list[Json] = [
        user("<task>look</task>"),
        model("well"),
        user("go on"),
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [given, *text(DETAILS)]},
        model("seen"),
    ]
    run = task(tmp_path, messages, [*screen()[:2], started(200, 1), started(300, 3, [2, 3])])
    assert texts(run, 3) == ["<task>look</task>", "well", DETAILS]
    assert run.tool_results[0].text == "one"


def test_a_file_that_the_user_mentions_is_given_as_a_version(tmp_path: Path) -> None:
    mention = '<task>look at a.py</task>\n\n<file_content path="a.py">\none\ntwo\n</file_content>'
    run = task(tmp_path, [user(mention, DETAILS), model("seen")], screen())
    (document,) = [
        part for part in run.messages[run.request(1)[0]].parts if part.kind is PartKind.DOCUMENT
    ]
    assert (document.text, document.source_id) == ("one\ntwo", "a.py")
    assert "".join(texts(run, 1)[:-1]) == mention


# -- Roo Code ----------------------------------------------------------------------------


def roo(summary_role: str) -> tuple[list[Json], list[Json]]:
    parent = {"condenseParent": "x"}
    first = user("<task>look</task>", ts=1)
    summary: Json = {"role": summary_role, "content": text("so far"), "ts": 29}
    summary |= {"isSummary": True, "condenseId": "x"}
    ui: list[Json] = [
        {"ts": 5, "type": "say", "say": "api_req_started", "text": "{}"},
        {"ts": 15, "type": "say", "say": "api_req_started", "text": "{}"},
        {"ts": 45, "say": "condense_context", "contextCondense": {"condenseId": "x"}},
        {"ts": 46, "type": "say", "say": "api_req_started", "text": "{}"},
    ]
    messages = [
        first,
        model("1", ts=10, **parent),
        user("two", ts=20, **parent),
        summary,
        model("2", ts=30),
        user("three", ts=40),
        model("3", ts=50),
    ]
    return messages, ui


def test_a_summary_between_messages_stands_from_the_time_it_was_made(tmp_path: Path) -> None:
    run = task(tmp_path, *roo("assistant"))
    assert texts(run, 2) == ["<task>look</task>", "1", "two"]
    assert texts(run, 3) == ["<task>look</task>", "so far", "2", "three"]
    assert len(run.calls) == 3
    assert run.grade is Grade.DERIVED


def test_a_summary_without_a_recorded_time_is_inferred(tmp_path: Path) -> None:
    messages, ui = roo("assistant")
    run = task(tmp_path, messages, [one for one in ui if one["say"] != "condense_context"])
    assert run.calls[-1].grade is Grade.INFERRED


def test_a_summary_of_the_user_begins_a_new_history(tmp_path: Path) -> None:
    folded = {"condenseParent": "x"}
    summary: Json = {"role": "user", "content": text("so far"), "ts": 41, "isSummary": True}
    messages = [
        user("<task>look</task>", ts=1, **folded),
        model("1", ts=10, **folded),
        user("two", ts=20, **folded),
        {**summary, "condenseId": "x"},
        model("2", ts=50),
    ]
    run = task(tmp_path, messages, roo("user")[1])
    assert texts(run, 1) == ["<task>look</task>"]
    assert texts(run, 2) == ["so far"]
    assert run.messages[run.request(2)[0]].parts[0].kind is PartKind.SUMMARY


def test_messages_behind_a_truncation_marker_are_hidden(tmp_path: Path) -> None:
    hidden = {"truncationParent": "y"}
    marker: Json = {**user("[Sliding window truncation: 2 messages hidden]"), "ts": 19}
    marker |= {"isTruncationMarker": True, "truncationId": "y"}
    ui: list[Json] = [
        {
            "ts": 15,
            "type": "say",
            "say": "sliding_window_truncation",
            "contextTruncation": {"truncationId": "y"},
        },
    ]
    messages = [user("<task>look</task>", ts=1), model("1", ts=10, **hidden), marker]
    run = task(tmp_path, [*messages, user("two", ts=20), model("2", ts=30)], ui)
    assert texts(run, 2)[1:] == ["[Sliding window truncation: 2 messages hidden]", "two"]


def test_a_cut_without_a_recorded_time_leaves_the_requests_behind_it_unknown(
    tmp_path: Path,
) -> None:
    hidden = {"truncationParent": "y"}
    marker: Json = {**user("[Sliding window truncation: 2 messages hidden]"), "ts": 19}
    marker |= {"isTruncationMarker": True, "truncationId": "y"}
    read = user("read", ts=12, **hidden)
    messages = [user("look", ts=1), model("1", ts=10, **hidden), read, marker]
    run = task(tmp_path, [*messages, model("2", ts=20), user("on", ts=30), model("3", ts=40)])
    grades = [call.grade for call in run.calls]
    assert grades == [Grade.DERIVED, Grade.UNKNOWN, Grade.UNKNOWN]


# -- files ---------------------------------------------------------------------------------


def test_the_messages_alone_are_known_by_their_words(tmp_path: Path) -> None:
    path = write_json(tmp_path / "export.json", history())
    (run,) = runs_in(path, IMPORTER)
    assert (run.run_id, len(run.calls), run.grade) == ("export", 3, Grade.INFERRED)


@pytest.mark.parametrize("damage", ["{", "[1, 2]", '[[1, [2, [["x", 3]]]]]', "null"])
def test_a_damaged_file_of_edits_never_stops_the_messages(tmp_path: Path, damage: str) -> None:
    place = tmp_path / "t"
    write_json(place / "api_conversation_history.json", history())
    write_json(place / "ui_messages.json", screen())
    (place / "context_history.json").write_text(damage, encoding="utf-8")
    (run,) = runs_in(place, IMPORTER)
    assert len(run.calls) == 3
    assert (damage == "{") == any("context_history.json" in one.where for one in run.problems)


def test_other_lists_of_messages_are_not_taken_for_a_task(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x.json", [{"role": "user", "content": "hello"}])
    assert recognised(path) != IMPORTER.name


# -- sessions of the newest version ----------------------------------------------------------


def session(folder: Path, *messages: Json) -> Run:
    about: Json = {"version": 1, "agent": "lead", "sessionId": "s-1", "origin": {"source": "cli"}}
    prompt = "You help.\n4. Working Directory: /repo\n"
    value = {**about, "messages": list(messages), "system_prompt": prompt}
    (run,) = runs_in(write_json(folder / "s-1.messages.json", value), IMPORTER)
    return run


def reads(number: int, body: str) -> list[Json]:
    call_id = f"call_{number}"
    use = {"type": "tool_use", "id": call_id, "name": "read_files"}
    asked: Json = {**use, "input": {"files": [{"path": "a.py"}]}}
    entry = {"query": "/repo/a.py", "result": body, "success": True}
    given: Json = {"type": "tool_result", "tool_use_id": call_id, "name": "read_files"}
    counted = {"inputTokens": 7, "outputTokens": 2}
    return [
        {"id": f"m{number}", "role": "assistant", "content": [asked], "metrics": counted},
        {"id": f"r{number}", "role": "user", "content": [{**given, "content": [entry]}]},
    ]


def test_a_session_of_the_newest_version_sends_long_results_cut(tmp_path: Path) -> None:
    asked = user('<user_input mode="act">look</user_input>')
    lines = "\n".join(f"{number} | {'x' * 90}" for number in range(1, 101))
    run = session(tmp_path, asked, *reads(1, "1 | one"), *reads(2, lines), model("done"))
    assert (run.run_id, len(run.calls), run.grade) == ("s-1", 3, Grade.INFERRED)
    assert texts(run, 2)[1:] == [
        "look",
        '{"files":[{"path":"a.py"}]}',
        '[{"query":"/repo/a.py","result":"1 | one","success":true}]',
    ]
    (sent,) = [json.loads(text)[0]["result"] for text in texts(run, 3)[5:]]
    assert len(sent) <= 8000 < len(lines)
    assert sent[:3000] == lines[:3000]
    assert sent[-3000:] == lines[-3000:]
    (edit,) = run.edits
    assert (edit.kind, edit.before_call) == (EditKind.TRUNCATE, 3)
    assert run.calls[0].usage.input_tokens == 7
    assert {version.key.source_id for version in run.versions} == {"/repo/a.py"}


def test_reads_that_may_have_been_replaced_are_unknown(tmp_path: Path) -> None:
    many = [one for number in range(11) for one in reads(number, f"1 | {'x' * 9000}")]
    run = session(tmp_path, user("look"), *many, model("done"))
    assert run.calls[5].grade is Grade.INFERRED
    assert run.calls[-1].grade is Grade.UNKNOWN
