"""opencode: every place that sessions lie in, results that were cleared, compaction."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from store.entries import Entry
from store.importers.opencode import IMPORTER
from store.opening import list_paths
from store.records.grades import Grade
from store.records.runs import EditKind, Problem, Run
from tests.unit.agent_files import recognised, runs_in, texts, write_json, write_lines

SESSION = "ses_000001AAAAAA"
CLEARED = "[Old tool result content cleared]"
Json = dict[str, object]


def message(number: int, role: str, **more: object) -> Json:
    created = {"created": number * 1000}
    return {"id": name(number), "sessionID": SESSION, "role": role, "time": created, **more}


def name(number: int) -> str:
    return f"msg_{number:06}"


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def read(call_id: str, output: str, compacted: int | None = None) -> Json:
    time: Json = {"start": 1, "end": 2}
    if compacted is not None:
        time["compacted"] = compacted
    given = {"filePath": "/repo/a.py"}
    state = {"status": "completed", "input": given, "output": output, "time": time}
    return {"type": "tool", "tool": "read", "callID": call_id, "state": state}


def session(compacted: int | None = None) -> list[tuple[Json, list[Json]]]:
    body = "<file>\n00001| one\n00002| two\n</file>"
    tokens = {"input": 5, "output": 2, "cache": {"read": 10, "write": 0}}
    return [
        (message(1, "user"), [text("look")]),
        (
            message(2, "assistant", modelID="m"),
            [
                {"type": "step-start"},
                read("c1", body, compacted),
                {"type": "step-finish", "tokens": tokens, "reason": "tool-calls"},
            ],
        ),
        (message(3, "assistant", modelID="m"), [{"type": "step-start"}, text("seen")]),
        (message(4, "user"), [text("again")]),
        (message(5, "assistant", modelID="m"), [{"type": "step-start"}, text("done")]),
    ]


def export(held: list[tuple[Json, list[Json]]]) -> Json:
    entries = [
        {"info": info, "parts": [{"id": f"prt_{at:04}", **part} for at, part in enumerate(parts)]}
        for info, parts in held
    ]
    return {"info": {"id": SESSION, "title": "t", "directory": "/repo"}, "messages": entries}


def run_of(folder: Path, held: list[tuple[Json, list[Json]]]) -> Run:
    (run,) = runs_in(write_json(folder / "export.json", export(held)), IMPORTER)
    return run


def test_each_step_is_a_call_with_what_stood_before_it(tmp_path: Path) -> None:
    run = run_of(tmp_path, session())
    assert (run.run_id, run.title, run.grade) == (SESSION, "t", Grade.DERIVED)
    assert [len(texts(run, call.index)) for call in run.calls] == [1, 3, 5]
    assert (run.calls[0].usage.input_tokens, run.calls[1].usage.input_tokens) == (15, None)
    assert [answer.text for answer in run.answers] == ["seen", "done"]
    (version,) = run.versions
    assert (version.key.source_id, version.text) == ("/repo/a.py", "one\ntwo\n")


def test_a_cleared_result_stands_as_the_client_sent_it_from_its_time_on(tmp_path: Path) -> None:
    run = run_of(tmp_path, session(compacted=4500))
    assert CLEARED not in texts(run, 2)
    assert CLEARED in texts(run, 3)
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.CLEAR, 3, ("c1",))
    assert edit.grade is Grade.DERIVED
    assert "00001| one" in (run.tool_results[0].text or "")


def test_a_result_that_was_cleared_after_the_last_call_stood_in_all_of_them(tmp_path: Path) -> None:
    run = run_of(tmp_path, session(compacted=9000))
    assert not any(CLEARED in texts(run, call.index) for call in run.calls)
    assert run.edits == ()


def test_a_summary_stands_for_what_was_before_and_the_kept_tail_behind_it(tmp_path: Path) -> None:
    held = session()
    asked: Json = {"type": "compaction", "auto": True, "tail_start_id": name(4)}
    done = message(7, "assistant", parentID=name(6), summary=True, finish="stop")
    more = [(message(6, "user"), [asked]), (done, [text("it was")])]
    last = [(message(8, "user"), [text("on")]), (message(9, "assistant"), [text("ok")])]
    run = run_of(tmp_path, [*held, *more, *last])
    assert texts(run, 5) == ["What did we do so far?", "it was", "again", "done", "on"]
    assert run.calls[3].grade is Grade.INFERRED
    assert run.calls[4].grade is Grade.DERIVED
    assert [answer.text for answer in run.answers] == ["seen", "done", "ok"]


@pytest.mark.parametrize(
    ("asked", "done"), [({}, {}), ({"tail_start_id": "msg_of_no_one"}, {"finish": "stop"})]
)
def test_a_summary_that_did_not_end_or_keeps_what_is_not_there_stands_for_nothing(
    tmp_path: Path, asked: Json, done: Json
) -> None:
    begun = message(7, "assistant", parentID=name(6), summary=True, **done)
    more = [(message(6, "user"), [{"type": "compaction", **asked}]), (begun, [text("it w")])]
    run = run_of(tmp_path, [*session(), *more, (message(9, "assistant"), [text("ok")])])
    assert any("00001| one" in each for each in texts(run, 5))
    assert run.edits == ()


def test_a_call_that_summarises_is_given_long_results_cut_short(tmp_path: Path) -> None:
    held = session()
    held[1][1][1] = read("c1", "x" * 3000)
    done = message(6, "assistant", summary=True)
    run = run_of(tmp_path, [*held, (done, [text("it was")])])
    assert texts(run, 3)[2] == "x" * 3000
    assert texts(run, 4)[2] == "x" * 2000 + "\n[truncated]"


def test_before_there_were_compaction_parts_a_summary_alone_stands_for_all(tmp_path: Path) -> None:
    more = [(message(6, "assistant", summary=True), [text("it was")])]
    last = [(message(8, "user"), [text("on")]), (message(9, "assistant"), [text("ok")])]
    run = run_of(tmp_path, [*session(), *more, *last])
    assert texts(run, 5) == ["it was", "on"]


def test_an_answer_that_failed_is_a_call_and_is_not_sent_again(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "overloaded"}}
    failed = [(message(6, "assistant", error=error), [text("hal")])]
    run = run_of(tmp_path, [*session(), *failed, (message(7, "assistant"), [text("ok")])])
    assert run.calls[3].error == "APIError: overloaded"
    assert "hal" not in texts(run, 5)


def test_a_tool_that_never_ended_is_given_back_as_interrupted(tmp_path: Path) -> None:
    state = {"status": "running", "input": {"command": "sleep 9"}}
    tool: Json = {"type": "tool", "tool": "bash", "callID": "c9", "state": state}
    more = [(message(6, "assistant"), [tool]), (message(7, "assistant"), [text("ok")])]
    run = run_of(tmp_path, [*session(), *more])
    assert texts(run, 5)[-1] == "[Tool execution was interrupted]"
    assert run.tool_results[-1].failed


# -- the places that sessions lie in ----------------------------------------------------------


def store(folder: Path, held: list[tuple[Json, list[Json]]]) -> None:
    write_json(folder / "session" / "global" / f"{SESSION}.json", {"id": SESSION, "title": "t"})
    for info, parts in held:
        own = str(info["id"])
        write_json(folder / "message" / SESSION / f"{own}.json", info)
        for at, part in enumerate(parts):
            named = {"id": f"prt_{at:04}", "sessionID": SESSION, "messageID": own, **part}
            write_json(folder / "part" / own / f"prt_{at:04}.json", named)


def database(path: Path, held: list[tuple[Json, list[Json]]]) -> None:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT)")
        made.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT)")
        made.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
        made.execute("INSERT INTO session VALUES (?, NULL, '/repo', 't')", (SESSION,))
        for info, parts in held:
            own = (info["id"], SESSION, 1, json.dumps(info))
            made.execute("INSERT INTO message VALUES (?, ?, ?, ?)", own)
            for at, part in enumerate(parts):
                row = (f"prt_{at:04}", info["id"], SESSION, json.dumps(part))
                made.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)


def listed_in(path: Path) -> list[Entry]:
    return [one for one in list_paths([str(path)]) if isinstance(one, Entry)]


def shape(run: Run) -> list[list[str]]:
    return [texts(run, call.index) for call in run.calls]


def test_the_same_session_is_read_from_every_place_alike(tmp_path: Path) -> None:
    held = session(compacted=4500)
    expected = shape(run_of(tmp_path, held))
    store(tmp_path / "storage", held)
    (stored,) = runs_in(tmp_path / "storage", IMPORTER)
    path = tmp_path / "db" / "opencode.db"
    path.parent.mkdir()
    database(path, held)
    (kept,) = runs_in(path, IMPORTER)
    assert shape(stored) == shape(kept) == expected
    assert kept.title == "t"


def test_the_sessions_of_a_database_are_listed_and_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    database(path, session())
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("INSERT INTO session VALUES ('ses_none', NULL, '/repo', 'said nothing')")
        made.execute("INSERT INTO session VALUES ('ses_other', NULL, '/repo', 'of another')")
        info = (name(9), "ses_other", 1, json.dumps({"role": "user"}))
        made.execute("INSERT INTO message VALUES (?, ?, ?, ?)", info)
        part = ("prt_x", name(9), "ses_other", json.dumps(text("of the other")))
        made.execute("INSERT INTO part VALUES (?, ?, ?, ?)", part)
    for place in (path, tmp_path):
        listed = {one.run_id: one for one in listed_in(place)}
        assert {key: one.title for key, one in listed.items()} == {
            SESSION: "t",
            "ses_other": "of another",
        }
        assert listed[SESSION].place.endswith(SESSION)
        (run,) = (one for one in listed[SESSION].read() if isinstance(one, Run))
        assert shape(run) == shape(run_of(tmp_path / "export", session()))
    path.write_bytes(path.read_bytes()[:5000])
    (whole,) = listed_in(path)
    assert whole.run_id == ""
    assert any(isinstance(one, Problem) for one in whole.read())


def test_the_first_versions_kept_messages_in_the_folder_of_sessions(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    write_json(storage / "session" / "info" / f"{SESSION}.json", {"id": SESSION, "title": "t"})
    place = storage / "session" / "message" / SESSION
    asked = {"state": "result", "toolCallId": "c1", "toolName": "read", "result": "one\n"}
    tool = {"type": "tool-invocation", "toolInvocation": {**asked, "args": {"filePath": "/a"}}}
    for number, role, parts in (
        (1, "user", [text("look")]),
        (2, "assistant", [{"type": "step-start"}, tool, {"type": "step-start"}, text("seen")]),
    ):
        about = {"sessionID": SESSION, "time": {"created": number}, "assistant": {"modelID": "m"}}
        info = {"id": name(number), "role": role, "parts": parts, "metadata": about}
        write_json(place / f"{name(number)}.json", info)
    (run,) = runs_in(storage, IMPORTER)
    assert (len(run.calls), run.calls[0].model, run.title) == (2, "m", "t")
    assert texts(run, 2) == ["look", '{"filePath":"/a"}', "one\n"]


def test_a_session_in_the_database_and_in_the_storage_folder_counts_once(tmp_path: Path) -> None:
    held = session()
    store(tmp_path / "data" / "storage", held)
    database(tmp_path / "data" / "opencode.db", held)
    (run,) = runs_in(tmp_path / "data", IMPORTER)
    assert len(run.calls) == 3
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["opencode.db", "storage"]


def test_the_stream_of_a_run_has_its_parts_and_no_times(tmp_path: Path) -> None:
    events = [
        {
            "type": part["type"],
            "sessionID": SESSION,
            "part": {"id": f"prt_{info['id']}{at}", "messageID": info["id"], **part},
        }
        for info, parts in session()
        for at, part in enumerate(parts)
    ]
    (run,) = runs_in(write_lines(tmp_path / "run.jsonl", events), IMPORTER)
    assert len(run.calls) == 3
    assert Grade.DERIVED not in {call.grade for call in run.calls}


def test_a_subagent_names_its_parent(tmp_path: Path) -> None:
    value = export(session())
    about: Mapping[str, object] = {"id": SESSION, "parentID": "ses_0"}
    (run,) = runs_in(write_json(tmp_path / "e.json", {**value, "info": about}), IMPORTER)
    assert run.parent_run == "ses_0"


def test_a_damaged_record_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    store(tmp_path / "storage", session())
    broken = tmp_path / "storage" / "part" / name(2) / "prt_0001.json"
    broken.write_text('{"type": "tool", "st', encoding="utf-8")
    (run,) = runs_in(tmp_path / "storage", IMPORTER)
    assert "part/msg_000002/prt_0001.json" in run.problems[0].where
    assert len(run.calls) == 3


@pytest.mark.parametrize("value", [{"info": {"a": 1}}, [], {}, {"info": 3, "messages": []}])
def test_nothing_else_is_taken_for_an_export(tmp_path: Path, value: object) -> None:
    assert recognised(write_json(tmp_path / "x.json", value)) == ""


def test_the_recorded_rows_are_five_sessions_whose_reads_show_their_files(shared: Path) -> None:
    folder = shared / "data" / "opencode"
    runs = runs_in(folder, IMPORTER)
    assert [len(run.calls) for run in runs] == [9, 5, 5, 8, 12]
    assert sum(len(run.tool_results) for run in runs) == 110
    assert {run.grade for run in runs} == {Grade.DERIVED}
    reads = [result for run in runs for result in run.tool_results if result.is_file_read]
    assert len(reads) == 60  # one is of a folder
    (alone, *_) = runs_in(folder / "opencode_parts.json", IMPORTER)
    assert shape(alone) == shape(runs[0])
