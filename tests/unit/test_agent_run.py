"""An agent's transcript as a run: requests, tool results, files that were read, edits."""

import json

import pytest

from store.builder import RunBuilder
from store.importers._agent_messages import turn_of
from store.importers._agent_reads import Does, FileCall, file_calls, shown_by
from store.importers._agent_run import ALL_BEFORE, AgentRun
from store.importers._wire import Turn
from store.records.grades import Grade, Layer
from store.records.gutters import numbered_runs
from store.records.runs import EditKind, Part, PartKind, Run
from store.records.text import Span, Unit

READ = FileCall("/a.py", Does.READ)


def agent() -> AgentRun:
    return AgentRun(RunBuilder("r", "r.json", "x", Layer.TRANSCRIPT), cwd="/work")


def text(words: str) -> list[Part]:
    return [Part(PartKind.TEXT, words)]


def calls(name: str, **arguments: object) -> list[Part]:
    return [Part(PartKind.TOOL_CALL, json.dumps(arguments), tool_call_id="c1", name=name)]


def read_once(result: str, name: str = "read_file", **arguments: object) -> Run:
    run = agent()
    run.say("user", text("look"), "r#0")
    run.call(calls(name, path="a.py", **arguments), "r#1", grade=Grade.INFERRED)
    run.say("tool", [run.result("c1", result, "r#2")], "r#2")
    run.call(text("done"), "r#3", grade=Grade.INFERRED, grade_reason=ALL_BEFORE)
    return run.finish()


def test_each_call_holds_all_before_it_and_its_response_comes_after() -> None:
    run = read_once("1\tone\n2\ttwo\n")
    assert [len(request) for request in run.requests()] == [1, 3]
    assert [call.response for call in run.calls] == [(1,), (3,)]
    (answer,) = run.answers
    assert (answer.call, answer.text) == (2, "done")


def test_a_file_read_becomes_a_version_of_its_lines_and_the_read_selects_them() -> None:
    run = read_once("Here's the result of running `cat -n` on a.py:\n    40\tone\n    41\ttwo\n")
    (version,) = run.versions
    assert (version.key.source_id, version.unit) == ("/work/a.py", Unit.LINE)
    assert (version.text, version.line_numbers) == ("one\ntwo\n", (40, 41))
    (result,) = run.tool_results
    assert result.is_file_read
    assert result.selections[0].ranges == (Span(40, 42),)


def test_a_read_that_failed_shows_nothing_of_the_file() -> None:
    run = read_once("Error: no such file")
    assert run.versions == ()
    assert run.tool_results[0].is_file_read


@pytest.mark.parametrize(
    "frame",
    [
        "{}[Current working directory: /w]\n[Command finished with exit code 0]",
        "{}(Open file: n/a)\n(Current directory: /w)\nbash-$",
        "<returncode>0</returncode>\n<output>\n{}</output>",
    ],
)
def test_what_an_agent_says_behind_a_command_is_no_line_of_the_file(frame: str) -> None:
    run = read_once(frame.format("one\ntwo\n"), name="bash", command="cat a.py")
    assert [version.text for version in run.versions] == ["one\ntwo\n"]


def test_a_list_of_a_folder_is_no_file() -> None:
    listed = "Here's the files and directories up to 2 levels deep in /w:\n/w\n/w/a.py"
    run = read_once(listed, name="str_replace_editor", command="view")
    assert run.versions == ()
    assert not run.tool_results[0].is_file_read


def test_a_command_is_no_file_read_whatever_it_prints() -> None:
    run = read_once("1\tone\n", name="bash", command="cat -n a.py | grep -v x")
    assert run.versions == ()
    assert not run.tool_results[0].is_file_read


def test_a_command_that_only_shows_lines_of_one_file_says_which_they_are() -> None:
    run = read_once("one\ntwo\n", name="bash", command="cd src && sed -n '40,60p' a.py")
    (version,) = run.versions
    assert (version.key.source_id, version.line_numbers) == ("/work/src/a.py", (40, 41))
    (result,) = run.tool_results
    assert result.selections[0].ranges == (Span(40, 42),)
    assert not result.is_file_read


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        ("12:import re\n13:\n14:  x", [(12, "import re"), (13, ""), (14, "  x")]),
        ("5: one\n6: two\n", [(5, "one"), (6, "two")]),
        ("00001| a\n00002| b", [(1, "a"), (2, "b")]),
        ("1 | a\n2 |  b", [(1, "a"), (2, " b")]),
        ("L3: a\nL4: b", [(3, "a"), (4, "b")]),
        ("9→a\n10→b", [(9, "a"), (10, "b")]),
    ],
)
def test_line_numbers_of_every_tool_are_taken_off(shown: str, lines: list[tuple[int, str]]) -> None:
    found = shown_by(READ, shown)
    assert found is not None
    assert list(found.lines)[: len(lines)] == lines


def test_numbers_that_do_not_rise_are_text() -> None:
    assert [len(run) for run in numbered_runs("3: a\n7: b\n")] == [1, 1]
    found = shown_by(READ, "Prices\n3: a\n7: b\n")
    assert found is not None
    assert found.whole == "Prices\n3: a\n7: b\n"


def test_where_the_middle_was_cut_the_line_before_the_cut_is_not_known() -> None:
    shown = "1\tone\n2\ttw\n[... Observation truncated due to length ...]\nght\n9\tnine\n10\tten"
    found = shown_by(READ, shown)
    assert found is not None
    assert list(found.lines) == [(1, "one"), (9, "nine"), (10, "ten")]


def test_a_window_names_its_file_and_proves_the_whole_when_all_lines_stand_in_it() -> None:
    run = agent()
    run.say("user", text("look"), "r#0")
    run.call(calls("scroll_down"), "r#1")
    run.result("c1", "[File: b.py (2 lines total)]\n1:one\n2:two\n(Open file: b.py)", "r#2")
    (version,) = run.finish().versions
    assert (version.key.source_id, version.text, version.unit) == (
        "/work/b.py",
        "one\ntwo",
        Unit.CHAR,
    )


def test_an_edit_that_was_refused_shows_no_window_on_the_file() -> None:
    refused = "Your edit has errors. It would have been:\n[File: b.py (1 lines total)]\n1:x"
    run = agent()
    run.call(calls("edit"), "r#1")
    run.result("c1", refused, "r#2")
    assert run.finish().versions == ()


def test_what_was_written_is_a_version_and_an_edit_begins_the_next() -> None:
    run = agent()
    write = {"path": "n.txt", "content": "old text\n"}
    run.call([Part(PartKind.TOOL_CALL, json.dumps(write), "w", "write_file")], "r#1")
    run.result("w", "ok", "r#2")
    edit = {"path": "n.txt", "old_string": "old", "new_string": "new"}
    run.call([Part(PartKind.TOOL_CALL, json.dumps(edit), "e", "edit")], "r#3")
    run.result("e", "ok", "r#4")
    run.call([Part(PartKind.TOOL_CALL, '{"path": "n.txt"}', "d", "read")], "r#5")
    run.result("d", "new text\n", "r#6")
    made = run.finish()
    assert [version.text for version in made.versions] == ["old text\n", "new text\n"]
    assert made.tool_results[2].selections[0].key == made.versions[1].key


@pytest.mark.parametrize(
    ("tool", "arguments", "does"),
    [
        ("mcp__fs__read_text_file", {"path": "x"}, Does.READ),
        ("functions.view", {"filePath": "x"}, Does.READ),
        ("str_replace_editor", {"command": "view", "path": "x"}, Does.READ),
        ("str_replace_editor", {"command": "create", "path": "x", "file_text": "t"}, Does.WRITE),
        ("str_replace_editor", {"command": "undo_edit", "path": "x"}, Does.CHANGE),
        ("edit", {"path": "x", "edits": [{"oldText": "a", "newText": "b"}]}, Does.EDIT),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: x\n"}, Does.CHANGE),
    ],
)
def test_tools_are_known_by_name_and_arguments(
    tool: str, arguments: dict[str, object], does: Does
) -> None:
    (call,) = file_calls(tool, arguments, "/w")
    assert (call.path, call.does) == ("/w/x", does)


def test_lines_without_numbers_are_placed_only_where_the_record_says_which_they_are() -> None:
    paged = FileCall("/a", Does.READ, paged=True)
    assert shown_by(paged, "x\ny") is None
    told = shown_by(FileCall("/a", Does.READ, first=7, paged=True), "x\ny")
    assert told is not None
    assert list(told.lines) == [(7, "x"), (8, "y")]
    more = shown_by(READ, "x\ny\n\n[Showing lines 1-2 of 90. Use offset=3 to continue.]")
    assert more is not None
    assert (list(more.lines), more.whole) == ([(1, "x"), (2, "y")], None)


def test_a_cleared_result_keeps_its_text_and_later_requests_hold_the_stand_in() -> None:
    run = agent()
    run.say("user", text("look"), "r#0")
    run.call(calls("bash", command="ls"), "r#1")
    run.say("tool", [run.result("c1", "many files", "r#2")], "r#2")
    run.call(text("a"), "r#3")
    run.clear(["c1"], "[gone]", "r#4", by="the agent", reason="its record says so")
    run.call(text("b"), "r#5")
    made = run.finish()
    held = [made.messages[index].parts[0].text for index in made.request(3)]
    assert held[2] == "[gone]"
    assert made.tool_results[0].text == "many files"
    (edit,) = made.edits
    assert (edit.before_call, edit.kind, edit.tool_call_ids) == (3, EditKind.CLEAR, ("c1",))


def test_an_edit_that_no_call_follows_is_told_and_kept_from_the_audit() -> None:
    run = agent()
    run.call(calls("bash", command="ls"), "r#1")
    run.say("tool", [run.result("c1", "many files", "r#2")], "r#2")
    run.compact([], "r#3", by="the agent", reason="its record says so")
    made = run.finish()
    assert made.edits == ()
    assert "no call follows" in made.problems[0].what


def test_what_only_a_placeholder_tells_of_is_not_the_result() -> None:
    run = agent()
    cleared = Turn("tool", (Part(PartKind.TOOL_RESULT, "[cleared]", tool_call_id="c1"),))
    run.call(text("a"), "r#1", request=run.messages([cleared], "r#1"))
    assert run.finish().tool_results[0].text is None


def test_tool_calls_that_share_an_id_are_told_apart_in_order() -> None:
    run = agent()
    for number, words in enumerate(("first", "second")):
        run.call(calls("bash", command=words), f"r#{number}")
        run.say("tool", [run.result("c1", words, f"r#{number}")], f"r#{number}")
    said = Part(PartKind.TOOL_CALL, "{}", "c1", "bash")
    given = [
        turn
        for words in ("first", "second")
        for turn in (
            Turn("assistant", (said,)),
            Turn("tool", (Part(PartKind.TOOL_RESULT, words, "c1"),)),
        )
    ]
    run.call(text("end"), "r#2", request=run.messages(given, "r#2"))
    made = run.finish()
    assert [call.id for call in made.tool_calls] == ["c1", "c1#2"]
    assert [(r.tool_call_id, r.text) for r in made.tool_results] == [
        ("c1", "first"),
        ("c1#2", "second"),
    ]
    ids = [made.messages[index].parts[0].tool_call_id for index in made.request(3)]
    assert ids == ["c1", "c1", "c1#2", "c1#2"]
    assert any("told apart" in problem.what for problem in made.problems)


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}, ["tool_call"]),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "tool_use"}]},
            ["text", "tool_call"],
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
            ["tool_result"],
        ),
        ({"role": "tool", "tool_call_id": "1", "content": [{"text": "a"}]}, ["tool_result"]),
        ({"role": "assistant", "reasoning_content": "hm", "content": "a"}, ["reasoning", "text"]),
        ({"role": "user", "content": 7}, []),
    ],
)
def test_messages_are_read_in_every_spelling(message: dict[str, object], kinds: list[str]) -> None:
    assert [str(part.kind) for part in turn_of(message).parts] == kinds


@pytest.mark.parametrize(
    ("arguments", "shown", "lines"),
    [
        ({"offset": 5, "limit": 2}, "five\nsix\n\n[9 more lines in file. Use offset=7.]", (5, 6)),
        ({"limit": 2}, "one\ntwo\n\n[23 more lines in file. Use offset=3 to continue.]", (1, 2)),
    ],
)  # fmt: skip
def test_the_line_at_which_a_page_goes_on_says_where_it_began(
    arguments: dict[str, object], shown: str, lines: tuple[int, ...]
) -> None:
    (call,) = file_calls("read", {"path": "a.py", **arguments}, "/w")
    found = shown_by(call, shown)
    assert found is not None
    assert tuple(number for number, _ in found.lines) == lines


def test_a_page_with_other_lines_than_it_counts_is_known_to_be_of_no_lines() -> None:
    (call,) = file_calls("read", {"path": "a.py", "offset": 5}, "/w")
    assert shown_by(call, "five\n\n[23 more lines in file. Use offset=9 to continue.]") is None
