"""Files of smaller agent formats: what stands in a request, and what follows from a rule."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store.evidence import derive
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Problem, Run
from store.records.text import Span

Open = Callable[[str, object], list[Run]]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Return what writes a value to a file and opens it."""

    def write(name: str, value: object) -> list[Run]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, "utf-8")
        return [item for item in open_paths([str(path)]) if isinstance(item, Run)]

    return write


def texts(run: Run, call: int) -> list[str]:
    return ["".join(p.text for p in run.messages[i].parts) for i in run.request(call)]


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def asks(call: str, tool: str, **arguments: object) -> dict[str, object]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    calls = [{"id": call, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def gives(call: str, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call, "content": text}


# -- SWE-agent ------------------------------------------------------------------------


def step(action: str, observed: str, **more: object) -> dict[str, object]:
    state = {"open_file": "n/a", "working_dir": "/repo"}
    response = {"response": f"do {action}", "thought": f"do {action}"}
    return {"action": action, "observation": observed, "state": state, **response, **more}


def test_a_query_is_the_request_of_its_own_step(opened: Open) -> None:
    first = [{"role": "system", "content": "s"}, user("task")]
    said = {**asks("c1", "bash", command="ls"), "content": "do ls", "action": "ls"}
    second = [*first, said, gives("c1", "Old environment output: (2 lines omitted)")]
    steps = [step("ls", "a\nb", query=first), step("submit", "", query=second)]
    (run,) = opened("a.traj", {"trajectory": steps, "history": second, "info": {}})
    assert texts(run, 1) == ["s", "task"]
    assert len(run.request(2)) == 4
    assert {call.grade for call in run.calls} == {Grade.RECORDED}
    assert run.tool_results[0].text == "a\nb"
    assert [edit.tool_call_ids for edit in run.edits] == [("c1",)]


def test_before_version_1_requests_are_unknown_unless_settings_say_that_all_was_sent(
    opened: Open,
) -> None:
    history = [
        {"role": "system", "content": "s"},
        user("task"),
        {"role": "assistant", "content": "do open a.py", "thought": "t", "action": "open a.py"},
        user("[File: /repo/a.py (1 lines total)]\n1:x = 1\n(Open file: /repo/a.py)\nbash-$"),
        {"role": "assistant", "content": "do ls", "thought": "t", "action": "ls"},
    ]
    steps = [step("open a.py", "x"), step("ls", "a.py")]
    value = {"trajectory": steps, "history": history, "info": {"exit_status": "exit_cost"}}
    (run,) = opened("old.traj", value)
    assert run.grade is Grade.UNKNOWN
    assert "exit_cost" in run.problems[0].what
    (version,) = run.versions
    assert (version.key.source_id, version.text) == ("/repo/a.py", "x = 1")
    assert run.tool_results[0].is_file_read
    settings = {"agent": {"history_processors": [{"type": "cache_control"}]}}
    (told,) = opened("old.traj", {**value, "replay_config": json.dumps(settings)})
    assert told.grade is Grade.INFERRED


def test_a_demonstration_is_a_history_alone(opened: Open) -> None:
    about = {"agent": "main"}
    said = {**asks("c1", "open", path="a.py"), **about, "content": "look", "action": "open a.py"}
    shown = "[File: a.py (1 lines total)]\r\n1:x = 1\n(Open file: n/a)\n(Current directory: /r)"
    result = {"role": "tool", "content": shown, "tool_call_ids": ["c1"], **about}
    history = [
        {"role": "system", "content": "s", "message_type": "system_prompt", **about},
        {**user("task\n(Current directory: /r)\nbash-$"), "message_type": "observation", **about},
        {**said, "message_type": "action"},
        {**result, "message_type": "observation"},
        {"role": "assistant", "content": "end", "action": "submit", **about},
    ]
    (run,) = opened("demo.traj", {"history": history})
    assert (run.format, run.grade, len(run.calls)) == ("swe-agent", Grade.UNKNOWN, 2)
    assert [version.key.source_id for version in run.versions] == ["/r/a.py"]
    assert texts(run, 2)[-1] == shown


def test_each_attempt_is_a_run(opened: Open) -> None:
    attempt = {"trajectory": [step("ls", "a", query=[user("t")])], "history": [], "info": {}}
    runs = opened("a.traj", {"attempts": [attempt, attempt], "info": {}, "trajectory": []})
    assert [run.title for run in runs] == ["a.traj/attempts/0", "a.traj/attempts/1"]


# -- mini-swe-agent -------------------------------------------------------------------


def test_commands_in_fenced_blocks_are_tool_calls_with_their_output(opened: Open) -> None:
    messages = [
        {"role": "system", "content": "exactly ONE bash code block"},
        user("task"),
        {"role": "assistant", "content": "so\n```bash\nls\n```", "extra": {"response": {}}},
        {
            **user("<returncode>0</returncode>\n<output_head>a\n</output_head>"),
            "extra": {"raw_output": "a" * 20_000},
        },
        {"role": "assistant", "content": "```bash\necho done\n```"},
        {"role": "exit", "content": "patch", "extra": {"submission": "the patch"}},
    ]
    value = {"messages": messages, "info": {}, "trajectory_format": "mini-swe-agent-1.1"}
    (run,) = opened("x.traj.json", value)
    assert run.grade is Grade.DERIVED
    assert [json.loads(call.arguments)["command"] for call in run.tool_calls] == ["ls", "echo done"]
    assert run.tool_results[0].text == "a" * 20_000
    assert run.answers == ()
    assert [event.name for event in run.other_events] == ["exit"]


_FRAMED = (
    "<returncode>0</returncode>\n<warning>\nToo long.\n</warning>\n<output_head>\none\ntwo\nth"
    "\n</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>\nz"
)
_IN_JSON = '{"returncode": 0, "output_head": "one\\ntwo\\nth", "output_tail": "z"}'


@pytest.mark.parametrize("given", [_FRAMED, _IN_JSON])
def test_a_file_of_which_the_middle_was_left_out_is_known_up_to_there(
    opened: Open, given: str
) -> None:
    shows = {"role": "assistant", "content": "```bash\ncat src/pool.py\n```"}
    came = {**user(given), "extra": {"raw_output": given}}
    messages = [user("task"), shows, came, {"role": "assistant", "content": "end"}]
    value = {"messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    (run,) = opened("x.traj.json", value)
    (version,) = [each for each in run.versions if each.key.source_id == "src/pool.py"]
    assert (version.text, version.line_numbers) == ("one\ntwo\n", (1, 2))
    assert run.tool_results[0].selections[0].ranges == (Span(1, 4),)


def test_tool_calls_of_version_2_are_read(opened: Open) -> None:
    messages = [
        user("task"),
        asks("c1", "bash", command="ls"),
        {**gives("c1", "<returncode>0</returncode>"), "extra": {"raw_output": ""}},
        {"role": "assistant", "content": "end"},
    ]
    (run,) = opened("y.json", {"trajectory_format": "mini-swe-agent-1.1", "messages": messages})
    assert [result.tool_call_id for result in run.tool_results] == ["c1"]
    assert len(run.calls) == 2


# -- tau-bench ------------------------------------------------------------------------


def test_each_task_of_tau_bench_is_a_run(opened: Open) -> None:
    talk = [
        {"role": "system", "content": "policy"},
        user("hi"),
        asks("c1", "find", q="x"),
        gives("c1", '{"price": 12}'),
        {"role": "assistant", "content": "It costs 12."},
    ]
    tasks: list[dict[str, object]] = [
        {"task_id": number, "reward": 1.0, "info": {}, "traj": talk} for number in (3, 4)
    ]
    runs = opened("results.json", tasks)
    assert [run.title for run in runs] == ["task 3 · trial 0", "task 4 · trial 0"]
    assert runs[0].grade is Grade.INFERRED
    assert texts(runs[0], 2)[-1] == '{"price": 12}'
    assert [answer.text for answer in runs[0].answers] == ["It costs 12."]


def test_the_agent_of_tau2_does_not_see_what_its_user_did(opened: Open) -> None:
    messages = [
        {"role": "assistant", "content": "How can I help?"},
        {"role": "user", "content": "my phone is broken"},
        {"role": "assistant", "content": "Restart it.", "usage": {"prompt_tokens": 3}},
        {"role": "user", "tool_calls": [{"id": "u1", "name": "restart", "arguments": {}}]},
        {"role": "tool", "id": "u1", "content": "restarted", "requestor": "user"},
        {"role": "user", "content": "done"},
        {"role": "assistant", "tool_calls": [{"id": "a1", "name": "look", "arguments": {"x": 1}}]},
        {"role": "tool", "id": "a1", "content": "all well", "requestor": "assistant"},
        {"role": "assistant", "content": "Fixed."},
    ]
    info = {"environment_info": {"policy": "be kind"}}
    simulations = [{"id": "s", "task_id": "t", "trial": 0, "messages": messages}]
    (run,) = opened("tau2.json", {"timestamp": "", "info": info, "simulations": simulations})
    assert len(run.calls) == 3
    assert texts(run, 1) == ["be kind", "How can I help?", "my phone is broken"]
    assert "restarted" not in texts(run, 3)
    assert texts(run, 3)[-1] == "all well"
    assert run.tool_calls[0].arguments == '{"x":1}'


# -- ATIF -----------------------------------------------------------------------------


def atif(*steps: dict[str, object], **more: object) -> dict[str, object]:
    agent = {"name": "terminus-2", "version": "1", "model_name": "m"}
    head = {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent}
    numbered = [{"step_id": number, **each} for number, each in enumerate(steps, 1)]
    return {**head, "steps": numbered, **more}


def agent_step(text: str, call: str = "", result: str = "", **more: object) -> dict[str, object]:
    made: dict[str, object] = {"source": "agent", "message": text, **more}
    if call:
        made["tool_calls"] = [{"tool_call_id": call, "function_name": "bash", "arguments": {}}]
        made["observation"] = {"results": [{"source_call_id": call, "content": result}]}
    return made


def test_a_continuation_is_the_same_run_and_copied_steps_count_once(
    opened: Open, tmp_path: Path
) -> None:
    start: dict[str, object] = {"source": "user", "message": "task"}
    first = atif(
        start,
        agent_step("one", "c1", "a b"),
        agent_step("two"),
        continued_trajectory_ref="trajectory.cont-1.json",
    )
    copied = [
        {**start, "is_copied_context": True},
        agent_step("a summary", is_copied_context=True),
    ]
    (tmp_path / "trajectory.cont-1.json").write_text(json.dumps(atif(*copied, agent_step("three"))))
    (run,) = opened("trajectory.json", first)
    assert [texts(run, call)[-1] for call in (1, 2, 3)] == ["task", "a b", "a summary"]
    assert len(run.calls) == 3
    assert "were not counted again (2 in all)" in run.problems[-1].what
    assert [edit.tool_call_ids for edit in run.edits] == [("c1",)]
    part = {**atif(start, agent_step("sum up")), "session_id": "s-summary"}
    (tmp_path / "trajectory.summarization-1-summary.json").write_text(json.dumps(part))
    (tmp_path / "pane.txt").write_text("x")
    folder = [item for item in open_paths([str(tmp_path)]) if isinstance(item, Run)]
    assert "were not read (1 in all)" in folder[0].problems[-1].what
    told = [(each.run_id, each.parent_run) for each in folder]
    assert told == [("s", None), ("s-summary", "s")]


def test_a_continuation_outside_of_the_folder_is_not_followed(opened: Open) -> None:
    value = atif({"source": "user", "message": "t"}, continued_trajectory_ref="../../etc/passwd")
    (run,) = opened("in/trajectory.json", value)
    assert "outside" in run.problems[0].what


def test_requests_of_an_agent_that_does_not_tell_its_edits_are_unknown(opened: Open) -> None:
    value = atif({"source": "user", "message": "t"}, agent_step("x"))
    value["agent"] = {"name": "other"}
    (run,) = opened("t.json", value)
    assert run.grade is Grade.UNKNOWN
    (known,) = opened("t.json", atif({"source": "user", "message": "t"}, agent_step("x")))
    assert known.grade is Grade.INFERRED


def test_after_a_summary_without_its_text_requests_are_unknown(opened: Open) -> None:
    told = "Performed context summarization and handoff to continue task."
    value = atif(
        {"source": "user", "message": "t"},
        agent_step("x", "c1", "r"),
        {"source": "system", "message": told},
        agent_step("y"),
    )
    (run,) = opened("t.json", value)
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.UNKNOWN]
    assert [edit.kind for edit in run.edits] == [EditKind.COMPACT]


def test_subagents_are_runs_below_the_trajectory(opened: Open) -> None:
    inner = {**atif({"source": "user", "message": "u"}, agent_step("z")), "trajectory_id": "sub"}
    value = atif({"source": "user", "message": "t"}, agent_step("x"), subagent_trajectories=[inner])
    main, sub = opened("t.json", value)
    assert (main.run_id, sub.run_id, sub.parent_run) == ("s", "sub", "s")


# -- smolagents, AutoGen, Haystack, Pydantic AI ------------------------------------------


def _smol(number: int, given: str, *paths: str, seen: str = "") -> dict[str, object]:
    """Return a step of smolagents whose request ends with the result *given*."""
    made = [{"name": "read_file", "arguments": {"path": path}} for path in paths]
    messages = [{"role": "user", "content": [{"type": "text", "text": "look"}]}]
    if given:
        text = f"Observation:\n{given}"
        messages.append({"role": "tool-response", "content": [{"type": "text", "text": text}]})
    calls = [{"id": f"c{n}", "type": "function", "function": each} for n, each in enumerate(made)]
    return {
        "step_number": number, "model_input_messages": messages, "model_output": "x",
        "tool_calls": calls, "observations": seen or None,
    }  # fmt: skip


def test_what_a_request_of_smolagents_puts_before_a_result_is_no_text_of_the_file(
    opened: Open,
) -> None:
    steps = [_smol(1, "", "a.py", seen="one\ntwo"), _smol(2, "one\ntwo")]
    (run,) = opened("m.json", steps)
    assert [version.text for version in run.versions] == ["one\ntwo"]


@pytest.mark.parametrize(("given", "names"), [("[cleared]", ["c0"]), ("", [])])
def test_a_result_of_smolagents_that_the_next_request_does_not_hold_is_a_result(
    opened: Open, given: str, names: list[str]
) -> None:
    (run,) = opened("m.json", [_smol(1, "", "a.py", seen="one\ntwo"), _smol(2, given)])
    assert [(each.tool_call_id, each.text) for each in run.tool_results] == [("c0", "one\ntwo")]
    held = [part for index in run.request(2) for part in run.messages[index].parts]
    assert [part.tool_call_id for part in held if part.kind is PartKind.TOOL_RESULT] == names


def test_results_of_several_calls_as_one_text_are_no_text_of_a_file(opened: Open) -> None:
    both = "one\ntwo\nthree"
    (run,) = opened("m.json", [_smol(1, "", "a.py", "b.py", seen=both), _smol(2, both)])
    assert [version.key.source_id for version in run.versions] != ["a.py"]
    assert not run.tool_results[0].is_file_read


def test_steps_of_smolagents_without_their_input_follow_a_rule(opened: Open) -> None:
    calls = [{"id": "c1", "function": {"name": "search", "arguments": {"q": "x"}}}]
    steps = [
        {"task": "find x"},
        {
            "step_number": 1,
            "timing": {},
            "tool_calls": calls,
            "model_output": "so",
            "model_output_message": None,
            "observations": "x is 12",
        },
        {
            "step_number": 2,
            "timing": {},
            "tool_calls": [{"id": "c2", "function": {"name": "final_answer", "arguments": "12"}}],
            "model_output": "end",
            "model_output_message": None,
            "observations": None,
            "action_output": "12",
        },
    ]
    (run,) = opened("memory.json", steps)
    assert run.grade is Grade.INFERRED
    assert texts(run, 2)[-1] == "Observation:\nx is 12"
    assert [answer.text for answer in run.answers] == ["12"]


def test_lines_of_autogen_are_calls_as_they_were_sent(opened: Open) -> None:
    message = {"role": "assistant", "content": "12"}
    call = {
        "type": "LLMCall",
        "agent_id": "a/1",
        "messages": [user("x?"), asks("c1", "f"), gives("c1", "Skipped 12 messages.")],
        "response": {"id": "r", "choices": [{"message": message}], "usage": {}},
        "prompt_tokens": 7,
        "completion_tokens": 2,
    }
    other = {**call, "agent_id": "b/1"}
    lines = [call, {"type": "Message", "payload": "x"}, other]
    told = "\n".join(f"INFO:autogen_core.events:{json.dumps(line)}" for line in lines)
    first, second = opened("events.jsonl", f"{told}\nINFO:autogen_core:Publishing a message\n")
    assert [problem.what[-10:] for problem in first.problems] == ["(1 in all)"]
    assert (first.run_id, second.run_id) == ("events.jsonl/a/1", "events.jsonl/b/1")
    assert first.grade is Grade.RECORDED
    assert first.calls[0].usage.input_tokens == 7
    assert [answer.text for answer in first.answers] == ["12"]


def test_a_saved_state_of_autogen_gives_a_run_for_each_agent(opened: Open) -> None:
    held = [
        {"type": "UserMessage", "content": "x?", "source": "user"},
        {
            "type": "AssistantMessage",
            "content": [{"id": "c1", "name": "f", "arguments": "{}"}],
            "source": "a",
        },
        {
            "type": "FunctionExecutionResultMessage",
            "content": [{"call_id": "c1", "name": "f", "content": "12", "is_error": False}],
        },
        {"type": "AssistantMessage", "content": "It is 12.", "source": "a"},
    ]
    context = {"type": "AssistantAgentState", "llm_context": {"messages": held}}
    inner = {"type": "ChatAgentContainerState", "agent_state": context}
    (run,) = opened("state.json", {"type": "TeamState", "agent_states": {"a": inner}})
    assert run.run_id == "state.json/a"
    assert run.grade is Grade.INFERRED
    assert texts(run, 2) == ["x?", "{}", "12"]
    assert run.tool_results[0].tool_call_id == "c1"


def test_a_snapshot_of_haystack_holds_the_request_of_the_next_call(opened: Open) -> None:
    call = {"tool_name": "search", "arguments": {"q": "x"}, "id": "c1"}
    messages = [
        {"role": "user", "meta": {}, "name": None, "content": [{"text": "x?"}]},
        {"role": "assistant", "meta": {}, "name": None, "content": [{"tool_call": call}]},
        {
            "role": "tool",
            "meta": {},
            "name": None,
            "content": [{"tool_call_result": {"result": "12", "origin": call, "error": False}}],
        },
    ]
    inputs = {"llm": {"messages": [{"sender": None, "value": messages}]}}
    document = {"id": "d1", "content": "x is twelve", "meta": {}, "score": 0.5}
    value = {
        "original_input_data": {"docs": {"documents": [document]}},
        "ordered_component_names": ["llm"],
        "pipeline_state": {
            "inputs": {"serialization_schema": {}, "serialized_data": inputs},
            "component_visits": {"llm": 0},
            "pipeline_outputs": {},
        },
        "break_point": {"component_name": "llm"},
        "agent_snapshot": None,
    }
    (run,) = opened("snapshot.json", value)
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.RECORDED]
    assert texts(run, 2)[-1] == "12"
    assert {version.key.source_id: version.text for version in run.versions} == {
        "d1": "x is twelve",
        "tool:search:c1": "12",
    }


def test_what_an_agent_of_haystack_returns_is_its_conversation(opened: Open) -> None:
    messages: list[dict[str, object]] = [
        {"role": "user", "meta": {}, "name": None, "content": [{"text": "x?"}]},
        {"role": "assistant", "meta": {}, "name": None, "content": [{"text": "12"}]},
    ]
    (run,) = opened("out.json", {"messages": messages, "last_message": messages[-1]})
    assert (run.format, texts(run, 1)) == ("haystack", ["x?"])


def test_an_answer_of_haystack_keeps_its_documents_and_proves_no_request(opened: Open) -> None:
    document = {"id": "d1", "content": "x is twelve", "meta": {}, "score": 0.5}
    value = {"data": "12", "query": "x?", "documents": [document], "meta": {}}
    (run,) = opened("answer.json", value)
    assert run.grade is Grade.UNKNOWN
    assert [version.key.source_id for version in run.versions] == ["d1"]
    assert [answer.text for answer in run.answers] == ["12"]


def test_instructions_of_pydantic_ai_stand_in_their_own_request_only(shared: Path) -> None:
    path = shared / "data/generated/pydantic_ai_messages.json"
    (run,) = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
    run = derive(run)
    assert texts(run, 1) == ["Be careful", "hi"]
    assert texts(run, 2)[:2] == ["Be careful", "hi"]
    assert texts(run, 2)[3].startswith("doc doc")
    assert [call.usage.input_tokens for call in run.calls] == [51, 151]
    assert run.grade is Grade.INFERRED


@pytest.mark.parametrize("behind", ["", " on"])
def test_what_stands_before_a_compaction_of_pydantic_ai_is_not_read_again(
    opened: Open, behind: str
) -> None:
    def said(kind: str, **parts: str) -> dict[str, object]:
        made = [{"part_kind": k.replace("_", "-"), "content": v} for k, v in parts.items()]
        return {"kind": kind, "parts": made}

    folded = said("response", compaction="so far", **({"text": behind} if behind else {}))
    first, last = said("request", user_prompt="page"), said("response", text="done")
    talk = [first, folded, said("request", user_prompt="and?"), last]
    (run,) = opened("history.json", talk)
    assert texts(run, 1) == ["so far" if behind else "page"]
    assert texts(run, 2) == [f"so far{behind}", "and?"]


def test_the_input_of_each_step_of_smolagents_is_its_request(shared: Path) -> None:
    path = shared / "data/generated/smolagents_memory_full_steps.json"
    steps = json.loads(path.read_text())
    (run,) = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
    for call, told in enumerate(steps[1:], 1):
        given = [each["content"][0]["text"] for each in told["model_input_messages"]]
        assert texts(run, call) == given
    assert run.grade is Grade.RECORDED
    (result,) = run.tool_results
    assert steps[1]["observations"] in (result.text or "")


def test_a_trajectory_may_keep_the_request_beside_its_steps(shared: Path) -> None:
    path = shared / "data/transcripts/atif_hermes_nemo_v17_redacted.json"
    (run,) = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
    assert [call.grade for call in run.calls] == [Grade.RECORDED, Grade.UNKNOWN]
    assert run.calls[0].usage.input_tokens == 8983


def test_mini_swe_agent_sends_its_list_and_what_it_submits_is_no_answer(shared: Path) -> None:
    path = shared / "data/swe-agent/mini_swe_agent.traj.json"
    messages = json.loads(path.read_text())
    (run,) = [item for item in open_paths([str(path)]) if isinstance(item, Run)]
    for call in run.calls:
        request = run.request(call.index)
        assert texts(run, call.index) == [m["content"] for m in messages[: len(request)]]
    kinds = {part.kind for message in run.messages for part in message.parts}
    assert kinds == {PartKind.TEXT, PartKind.TOOL_RESULT}
    assert run.answers == ()


BROKEN = {
    "not UTF-8": b'[{"step_number": 1, "model_input_messages": [], "x": "\xff\xfe"}',
    "nested": b'[{"part_kind": ' + b"[" * 100_000,
    "endless": b'[{"task_id": ' + b"9" * 1_000_000,
    "half": b'{"schema_version": "ATIF-v1.6", "steps": [{"step_id": 1, "sour',
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_damaged_file_ends_in_a_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(BROKEN[name])
    items = list(open_paths([str(path)]))
    assert items
    assert all(isinstance(item, Problem) and "internal" not in item.what for item in items)
