"""LangGraph checkpoints: which call each state proves, in every way in which states are saved."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from store.importers._base import Listed
from store.importers._lg_serde import Decoder, Named, SerdeError
from store.importers._lg_threads import folded
from store.importers.langgraph_checkpoints import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run
from tests.langchain import requested
from tests.unit.langgraph_databases import (
    Saver,
    ai,
    database,
    ext,
    human,
    packed,
    probe_of,
    remove,
    runs_of,
    tool,
)


@pytest.mark.parametrize("delta", [False, True])
def test_a_call_was_given_the_state_that_its_node_started_from(
    tmp_path: Path, *, delta: bool
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        Saver(connection, delta=delta).turn(
            [human("Hi")], [ai("", "a1", "c1")], [tool("饺子", "c1")], [ai("Done.", "a2")]
        )
    (run,) = runs_of(path)
    assert requested(run) == [["Hi"], ["Hi", "", "饺子"]]
    assert [call.grade for call in run.calls] == [Grade.DERIVED] * 2
    assert [call.id for call in run.calls] == ["a1", "a2"]
    assert [(call.id, call.by_call) for call in run.tool_calls] == [("c1", 1)]
    assert [result.text for result in run.tool_results] == ["饺子"]
    assert [(answer.call, answer.text) for answer in run.answers] == [(2, "Done.")]


def test_answers_that_were_given_with_the_input_are_no_calls(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        given = [human("Hi"), ai("An example.", "a0"), human("More", "h2")]
        Saver(connection).turn(given, [ai("Done.", "a1")])
    (run,) = runs_of(path)
    assert requested(run) == [["Hi", "An example.", "More"]]


def test_answers_that_a_person_put_into_the_state_are_no_calls(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")], [ai("Draft.", "a1")])
        saver.write("~__pregel_pull, human", ("messages", [ai("Corrected.", "a2")]))
        saver.save({"messages": [*held, ai("Corrected.", "a2")]}, "update")
    (run,) = runs_of(path)
    assert [call.id for call in run.calls] == ["a1"]


def test_two_nodes_of_one_step_did_not_see_one_another(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")])
        saver.write("~__pregel_pull, one", ("messages", [ai("One.", "a1")]))
        saver.write("~__pregel_pull, two", ("messages", [ai("Two.", "a2")]))
        saver.save({"messages": [*held, ai("One.", "a1"), ai("Two.", "a2")]})
    (run,) = runs_of(path)
    assert requested(run) == [["Hi"], ["Hi"]]


def test_a_node_that_called_several_times_is_taken_to_have_seen_what_it_wrote(
    tmp_path: Path,
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        Saver(connection).turn(
            [human("Hi")], [ai("", "a1", "c1"), tool("x", "c1"), ai("Done.", "a2")]
        )
    (run,) = runs_of(path)
    assert requested(run) == [["Hi"], ["Hi", "", "x"]]
    assert [call.grade for call in run.calls] == [Grade.DERIVED, Grade.INFERRED]


def test_a_node_with_an_input_of_its_own_did_not_read_the_state(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        saver.save({"__start__": {"messages": [human("Hi")]}}, "input")
        sends = [
            ext(1, "langgraph.types", "Send", ["joke", {"subject": "cats"}]),
            ext(1, "langgraph.types", "Send", ["joke", {"messages": [human("Only this", "h9")]}]),
        ]
        saver.save({"messages": [human("Hi")], "__pregel_tasks": sends})
        for number, name in enumerate(("a1", "a2")):
            path_of_task = f"~__pregel_push, {number:010d}, 0000000000"
            saver.write(path_of_task, ("messages", [ai(name, name)]))
        saver.save({"messages": [human("Hi"), ai("a1", "a1"), ai("a2", "a2")]})
    (run,) = runs_of(path)
    assert requested(run) == [[], ["Only this"]]
    assert [call.grade for call in run.calls] == [Grade.UNKNOWN, Grade.INFERRED]


def test_a_prebuilt_agent_sends_the_messages_that_its_hook_chose(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi"), human("More", "h2")])
        saver.save({"messages": held, "llm_input_messages": [human("More", "h2")]})
        saver.write("~__pregel_pull, agent", ("messages", [ai("Done.", "a1")]))
        saver.save({"messages": [*held, ai("Done.", "a1")]})
    (run,) = runs_of(path)
    assert requested(run) == [["More"]]


@pytest.mark.parametrize(
    "sign", [{"ls_integration": "langchain_create_agent"}, {"ls_integration": "deepagents"}]
)
def test_an_agent_that_may_change_the_view_proves_less(
    tmp_path: Path, sign: dict[str, str]
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        saver.save({"__start__": {}}, "input", metadata=sign)
        saver.save({"messages": [human("Hi")]}, metadata=sign)
        saver.write("~__pregel_pull, model", ("messages", [ai("Done.", "a1")]))
        saver.save({"messages": [human("Hi"), ai("Done.", "a1")]}, metadata=sign)
    (run,) = runs_of(path)
    assert run.calls[0].grade is Grade.INFERRED
    assert "leaves no trace" in run.calls[0].grade_reason


def test_what_a_middleware_wrote_in_the_assistants_name_is_no_call(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")], [ai("Done.", "a1")])
        hook = "~__pregel_pull, Guard.after_model"
        saver.write(hook, ("messages", [ai("Stopped.", "a2")]))
        saver.save({"messages": [*held, ai("Stopped.", "a2")]})
    (run,) = runs_of(path)
    assert [call.id for call in run.calls] == ["a1"]


def test_a_replay_from_an_old_state_is_a_branch_and_the_latest_is_the_run(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")])
        fork = saver.last
        saver.write("~__pregel_pull, agent", ("messages", [ai("First.", "a1")]))
        saver.save({"messages": [*held, ai("First.", "a1")]})
        old = saver.last
        saver.save({"messages": held}, "fork", parent=fork)
        saver.write("~__pregel_pull, agent", ("messages", [ai("Second.", "a2")]))
        saver.save({"messages": [*held, ai("Second.", "a2")]})
    main, branch = runs_of(path)
    assert (main.branch, [call.id for call in main.calls]) == (None, ["a2"])
    assert (branch.branch, [call.id for call in branch.calls]) == (old, ["a1"])
    assert branch.run_id == f"t@{old}"


def test_writes_that_a_later_replay_put_in_their_place_are_of_the_later_branch(
    tmp_path: Path,
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")])
        fork = saver.last
        saver.save({"messages": [*held, ai("First.", "a1")]})
        saver.write("~__pregel_pull, agent", ("messages", [ai("Second.", "a2")]), at=fork)
        saver.save({"messages": [*held, ai("Second.", "a2")]}, parent=fork)
    main, branch = runs_of(path)
    assert [call.id for call in main.calls] == ["a2"]
    assert [call.id for call in branch.calls] == ["a1"]
    assert requested(branch) == [["Hi"]]


def test_a_sub_graph_is_a_run_of_its_own_and_its_answer_no_call_of_the_thread(
    tmp_path: Path,
) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        outer = Saver(connection)
        held = outer.turn([human("Hi")])
        Saver(connection, space="0015:tools").turn([human("Sub task", "h2")], [ai("Found.", "s1")])
        outer.step = 20
        outer.write("~__pregel_pull, sub", ("messages", [ai("Found.", "s1")]))
        outer.save({"messages": [*held, ai("Found.", "s1")]})
        outer.write("~__pregel_pull, agent", ("messages", [ai("Done.", "a1")]))
        outer.save({"messages": [*held, ai("Found.", "s1"), ai("Done.", "a1")]})
    thread, sub = runs_of(path)
    assert (thread.run_id, thread.parent_run) == ("t", None)
    assert requested(thread) == [["Hi", "Found."]]
    assert (sub.run_id, sub.parent_run) == ("t/0015:tools", "t")
    assert requested(sub) == [["Sub task"]]


def test_one_state_for_a_whole_turn_proves_only_a_rule(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    cleared = {"response_metadata": {"context_editing": {"cleared": True}}}
    with closing(database(path)) as connection:
        saver = Saver(connection, step=2)
        turn = [human("Hi"), ai("", "a1", "c1"), tool("x", "c1"), ai("Done.", "a2")]
        saver.save({"messages": turn})
        saver.step = 8
        more = [human("More", "h2"), ai("", "a3", "c2"), tool("[cleared]", "c2", **cleared)]
        saver.save({"messages": [*turn, *more, ai("End.", "a4")]})
    (run,) = runs_of(path)
    grades = [call.grade for call in run.calls]
    assert grades == [Grade.INFERRED, Grade.INFERRED, Grade.INFERRED, Grade.UNKNOWN]
    assert requested(run)[1] == ["Hi", "", "x"]


def test_a_result_that_was_cleared_later_keeps_the_text_that_the_tool_gave(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn(
            [human("Hi")], [ai("", "a1", "c1")], [tool("long text", "c1")], [ai("One.", "a2")]
        )
        gone = tool("[gone]", "c1", response_metadata={"context_editing": {"cleared": True}})
        saver.write("~__pregel_pull, clear", ("messages", [gone]))
        held = [*held[:2], gone, held[3]]
        saver.save({"messages": held})
        saver.write("~__pregel_pull, agent", ("messages", [ai("Two.", "a3")]))
        saver.save({"messages": [*held, ai("Two.", "a3")]})
    (run,) = runs_of(path)
    assert [result.text for result in run.tool_results] == ["long text"]
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.CLEAR, 3, ("c1",))
    assert edit.grade is Grade.DERIVED


def test_a_summary_event_stands_for_the_messages_that_it_counts(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    summary = human("So far.", None, additional_kwargs={"lc_source": "summarization"})  # type: ignore[arg-type]
    event = {"cutoff_index": 3, "summary_message": summary, "created_at_index": 3}
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")], [ai("", "a1", "c1")], [tool("x", "c1")])
        wrote = [("_summarization_event", event), ("messages", [ai("Done.", "a2")])]
        saver.write("~__pregel_pull, model", *wrote)
        saver.save({"messages": [*held, ai("Done.", "a2")], "_summarization_event": event})
    (run,) = runs_of(path)
    assert requested(run)[-1] == ["So far."]
    assert run.messages[run.request(2)[0]].parts[0].kind is PartKind.SUMMARY
    edit = run.edits[0]
    assert (edit.kind, edit.before_call, edit.tool_call_ids) == (EditKind.COMPACT, 2, ("c1",))
    assert run.calls[1].grade is Grade.INFERRED


@pytest.mark.parametrize("dropped", [True, False])
def test_a_summary_without_a_mark_is_one_where_messages_left_as_it_came(
    tmp_path: Path, *, dropped: bool
) -> None:
    path = tmp_path / "db.sqlite"
    words = "Here is a summary of the conversation to date:\n\nTen days."
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")], [ai("", "a1", "c1")], [tool("x", "c1")], [ai("ok", "a2")])
        rest: list[object] = [human(words, "s1"), human("More", "h2")]
        rest = rest if dropped else [*held, *rest]
        saver.save({"messages": rest})
        saver.write("~__pregel_pull, agent", ("messages", [ai("Done.", "a3")]))
        saver.save({"messages": [*rest, ai("Done.", "a3")]})
    (run,) = runs_of(path)
    kinds = [run.messages[i].parts[0].kind for i in run.request(3)]
    assert (PartKind.SUMMARY in kinds) is dropped
    assert [edit.kind for edit in run.edits] == ([EditKind.COMPACT] if dropped else [])


def test_the_generation_without_types_and_namespaces_is_read(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    states: list[list[object]] = [[{"type": "human", "data": {"content": "Hi"}}]]
    states.append([*states[0], {"type": "ai", "data": {"content": "Done.", "id": "a1"}}])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE checkpoints (thread_id TEXT, thread_ts TEXT, parent_ts TEXT, "
            "checkpoint BLOB, metadata BLOB)"
        )
        for number, state in enumerate(states):
            row = json.dumps({"channel_values": {"messages": state}}).encode()
            step = json.dumps({"source": "loop", "step": number}).encode()
            parent = str(number - 1) if number else None
            values = ("t", str(number), parent, row, step)
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", values)
        connection.commit()
    (run,) = runs_of(path)
    assert requested(run) == [["Hi"]]
    assert run.calls[0].grade is Grade.DERIVED


def test_documents_in_a_channel_are_obtained(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    fields = {"page_content": "Clause 3.", "metadata": {"source": "policy.md"}, "type": "Document"}
    document = ext(5, "langchain_core.documents.base", "Document", fields, "model_validate_json")
    with closing(database(path)) as connection:
        saver = Saver(connection)
        held = saver.turn([human("Hi")])
        saver.save({"messages": held, "context": [document]})
        saver.write("~__pregel_pull, agent", ("messages", [ai("Done.", "a1")]))
        saver.save({"messages": [*held, ai("Done.", "a1")], "context": [document]})
    (run,) = runs_of(path)
    assert [version.key.source_id for version in run.versions] == ["policy.md"]


def test_an_encrypted_database_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        Saver(connection).turn([human("Hi")], [ai("Done.", "a1")])
        connection.execute("UPDATE checkpoints SET type = 'msgpack+aes'")
        connection.commit()
    (run,) = runs_of(path)
    assert run.calls == ()
    assert any("encrypted (msgpack+aes)" in problem.what for problem in run.problems)


def test_the_threads_of_a_database_are_a_list_before_any_state_is_read(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        for name in ("one", "two"):
            Saver(connection, name).turn([human("Hi", name)], [ai("Done.", f"a-{name}")])
        connection.execute("UPDATE checkpoints SET checkpoint = x'c1' WHERE thread_id = 'one'")
        connection.commit()
    assert IMPORTER.listing is not None
    one, two = IMPORTER.listing(probe_of(path))
    assert isinstance(one, Listed)
    assert isinstance(two, Listed)
    assert (one.run_id, two.run_id, two.more) == ("one", "two", False)
    (run,) = two.read()
    assert isinstance(run, Run)
    assert (run.run_id, requested(run), run.problems) == ("two", [["Hi"]], ())


def test_a_database_of_the_javascript_library_is_read(tmp_path: Path) -> None:
    def js(kind: str, content: str, name: str, **more: object) -> dict[str, object]:
        path = ["langchain_core", "messages", kind]
        fields = {"content": content, "id": name, "additional_kwargs": {}, **more}
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}

    calls = [{"name": "look", "args": {}, "id": "c1"}]
    path = tmp_path / "db.sqlite"
    with closing(database(path)) as connection:
        saver = Saver(connection, kind="json")
        saver.turn(
            [js("HumanMessage", "Hi \ud83d", "h1")],
            [js("AIMessage", "", "a1", tool_calls=calls)],
            [js("ToolMessage", "饺子", "t1", tool_call_id="c1")],
            [js("AIMessage", "Done.", "a2")],
        )
        connection.execute("ALTER TABLE writes DROP COLUMN task_path")
        connection.execute("UPDATE checkpoints SET metadata = CAST(metadata AS TEXT)")
        connection.commit()
    (run,) = runs_of(path)
    assert requested(run) == [["Hi \ud83d"], ["Hi \ud83d", "", "饺子"]]
    assert [call.grade for call in run.calls] == [Grade.DERIVED] * 2
    assert run.problems == ()


# -- values ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "members", "value"),
    [
        (0, ("uuid", "UUID", "0007"), "0007"),
        (0, ("builtins", "set", [1, 2]), [1, 2]),
        (0, ("pydantic.types", "SecretStr", "hunter2"), "**********"),
        (0, ("enum", "Colour", "red"), Named("Colour", "red")),
        (1, ("pathlib", "PosixPath", ["/", "a", "b"]), "/a/b"),
        (1, ("os", "system", ["true"]), Named("system", ["true"])),
        (2, ("langgraph.types", "Overwrite", {"value": 1}), Named("Overwrite", {"value": 1})),
        (3, ("datetime", "datetime", "2031-01-02", "fromisoformat"), "2031-01-02"),
        (4, ("m", "Old", {"x": 1}), {"x": 1}),
        (5, ("m", "New", {"x": 1}, "model_validate_json"), {"x": 1}),
        (6, ("float32", [2], "C", b"\0" * 8), Named("ndarray", ["float32", [2], "C", b"\0" * 8])),
        (5, ("m",), Named("extension 5", ["m"])),
        (99, ("m", "x", 1), Named("extension 99", ["m", "x", 1])),
    ],
)
def test_an_extension_becomes_data_or_a_name(
    code: int, members: tuple[object, ...], value: object
) -> None:
    assert Decoder().value("msgpack", packed(ext(code, *members))) == value


def test_a_snapshot_is_the_value_it_holds() -> None:
    snapshot = msgspec.msgpack.Ext(7, packed([ext(0, "builtins", "set", [1])]))
    assert Decoder().value("msgpack", packed({"messages": snapshot})) == {"messages": [[1]]}


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ({"lc": 2, "type": "constructor", "id": ["Set"], "args": [[1, 2]]}, [1, 2]),
        ({"lc": 2, "type": "constructor", "id": ["Map"], "args": [[["a", 1]]]}, {"a": 1}),
        ({"lc": 2, "type": "constructor", "id": ["Uint8Array"], "args": [[1, 2]]}, b"\1\2"),
        ({"lc": 2, "type": "undefined"}, None),
        ({"lc": 2, "type": "delta_snapshot", "value": [1]}, [1]),
        (
            {"lc": 2, "type": "constructor", "id": ["subprocess", "run"], "args": [["true"]]},
            Named("run", ["true"]),
        ),
        (
            {
                "lc": 2,
                "type": "constructor",
                "id": ["langgraph", "Overwrite"],
                "kwargs": {"value": 1},
            },
            Named("Overwrite", {"value": 1}),
        ),
        ({"lc": 1, "type": "secret", "id": ["KEY"]}, "**********"),
    ],
)
def test_json_of_either_language_becomes_data_or_a_name(stored: object, value: object) -> None:
    assert Decoder().value("json", json.dumps({"x": stored})) == {"x": value}


def test_a_type_that_is_not_known_is_refused() -> None:
    for kind, data in (("cbor", b"x"), ("msgpack", 7), ("pickle", b"\x80\x04.")):
        with pytest.raises(SerdeError):
            Decoder().value(kind, data)


def plain(kind: str, text: str, name: str) -> dict[str, object]:
    return {"type": kind, "content": text, "id": name, "additional_kwargs": {}}


def test_writes_fold_as_the_reducers_of_langgraph_do() -> None:
    one, two = plain("human", "1", "a"), plain("ai", "2", "b")
    changed = plain("human", "changed", "a")
    gone = {"type": "remove", "id": "a", "content": ""}
    every = {"type": "remove", "id": "__remove_all__", "content": ""}
    assert folded(None, [[one], two]) == [one, two]
    assert folded([one, two], [[changed]]) == [changed, two]
    assert folded([one, two], [[gone]]) == [two]
    assert folded([one, two], [[every, changed]]) == [changed]
    assert folded([one], [Named("Overwrite", {"value": [two]})]) == [two]
    assert folded([one], [{"__overwrite__": [two]}]) == [two]
    assert folded({"/a": 1}, [{"/b": 2, "/a": None}]) == {"/b": 2}
    assert folded([one], [None, []]) == [one]


def test_removing_and_decoding_agree_on_what_is_removed() -> None:
    stored = packed([remove("__remove_all__"), human("Hi")])
    value = Decoder().value("msgpack", stored)
    assert [item["content"] for item in folded([plain("ai", "x", "y")], [value])] == ["Hi"]  # type: ignore[attr-defined]
