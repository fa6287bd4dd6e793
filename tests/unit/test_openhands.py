"""OpenHands event streams: which events a request held, what was cut, what was forgotten."""

import json
from pathlib import Path

import pytest

from store.importers._base import Probe
from store.importers.openhands import listing
from store.opening import open_paths
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Problem, Run

LONG = "".join(f"line {number}\n" for number in range(4000))


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def opened(path: Path) -> list[Run]:
    return [item for item in open_paths([str(path)]) if isinstance(item, Run)]


def texts(run: Run, call: int) -> list[str]:
    return ["".join(p.text for p in run.messages[i].parts) for i in run.request(call)]


def response(number: int, *calls: tuple[str, str, dict[str, object]], text: str = "") -> object:
    made = [
        {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
        for name, tool, args in calls
    ]
    message = {"role": "assistant", "content": text, "tool_calls": made}
    usage = {"prompt_tokens": 10 * number, "completion_tokens": 5}
    return {
        "id": f"resp{number}",
        "model": "m",
        "usage": usage,
        "choices": [{"message": message, "finish_reason": "tool_calls"}],
    }


def action(number: int, held: object, call: str, kind: str = "run", **args: object) -> object:
    metadata = {"function_name": kind, "tool_call_id": call, "model_response": held}
    told = {"id": number, "timestamp": "t", "source": "agent", "action": kind, "args": args}
    return {**told, "tool_call_metadata": metadata}


def observation(number: int, call: str, content: str, kind: str = "run", **more: object) -> object:
    metadata = {"function_name": kind, "tool_call_id": call}
    told = {"id": number, "timestamp": "t", "source": "agent", "cause": number - 1}
    return {**told, "observation": kind, "content": content, "tool_call_metadata": metadata, **more}


def said(number: int, text: str, source: str = "user", kind: str = "message") -> object:
    told = {"id": number, "timestamp": "t", "source": source, "message": text}
    return {**told, "action": kind, "args": {"content": text}}


def stream() -> list[object]:
    first = response(1, ("c1", "execute_bash", {"command": "cat big"}), text="look")
    view: dict[str, object] = {"command": "view", "path": "/w/a.py"}
    second = response(2, ("c2", "str_replace_editor", view), ("c3", "execute_bash", {}))
    done = response(3, ("c4", "finish", {"message": "all done"}))
    meta = {"metadata": {"exit_code": 0, "working_dir": "/w", "prefix": "", "suffix": ""}}
    return [
        said(0, "be good", "agent", "system"),
        said(1, "do it"),
        action(2, first, "c1", command="cat big"),
        observation(3, "c1", LONG, extras=meta),
        action(4, second, "c2", "read", path="/w/a.py"),
        action(5, second, "c3", command=""),
        observation(6, "c2", "    7\tseven\n    8\teight", "read"),
        observation(7, "c3", "fine"),
        {
            "id": 8,
            "source": "agent",
            "action": "condensation",
            "message": "",
            "args": {
                "forgotten_events_start_id": 2,
                "forgotten_events_end_id": 3,
                "summary": "it looked at big",
                "summary_offset": 2,
            },
        },
        action(9, done, "c4", "finish", message="all done"),
    ]


def test_actions_of_one_response_are_one_call(tmp_path: Path) -> None:
    (run,) = opened(write(tmp_path / "trajectory.json", stream()))
    assert [call.id for call in run.calls] == ["resp1", "resp2", "resp3"]
    assert [call.id for call in run.tool_calls] == ["c1", "c2", "c3", "c4"]
    assert run.calls[1].usage.input_tokens == 20
    assert [answer.text for answer in run.answers] == ["all done"]


def test_a_long_observation_is_cut_in_its_middle_and_kept_whole(tmp_path: Path) -> None:
    (run,) = opened(write(tmp_path / "t.json", stream()))
    sent = texts(run, 2)[3]
    assert "[... Observation truncated due to length ...]" in sent
    assert sent.startswith("line 0\n")
    assert sent.endswith("[Command finished with exit code 0]")
    kept = run.tool_results[0].text or ""
    assert LONG in kept
    assert run.calls[1].grade is Grade.INFERRED
    assert "30000" in run.calls[1].grade_reason


def test_forgotten_events_are_gone_and_their_summary_stands_at_its_place(tmp_path: Path) -> None:
    (run,) = opened(write(tmp_path / "t.json", stream()))
    last = run.request(3)
    kinds = [run.messages[index].parts[0].kind for index in last]
    assert kinds[2] is PartKind.SUMMARY
    assert texts(run, 3)[:3] == ["be good", "do it", "it looked at big"]
    cut, edit = run.edits
    assert (cut.kind, cut.tool_call_ids, cut.before_call) == (EditKind.TRUNCATE, ("c1",), 2)
    assert (edit.kind, edit.tool_call_ids, edit.before_call) == (EditKind.COMPACT, ("c1",), 3)


def test_an_evaluation_is_a_run_a_line_with_the_limit_of_its_settings(tmp_path: Path) -> None:
    told = {"llm_config": {"max_message_chars": 100}, "condenser_config": {"type": "noop"}}
    lines = [
        {"instance_id": "a", "history": stream()[:5], "metadata": told, "metrics": {}},
        {"instance_id": "b", "history": [], "metadata": told, "error": "boom\nmore"},
    ]
    path = tmp_path / "output.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"instance_id": "c', "utf-8")
    first, second, third = opened(path)
    assert (first.run_id, second.run_id) == ("a", "b")
    assert len(texts(first, 2)[3]) < 200
    assert first.grade is Grade.DERIVED
    assert any("boom" in problem.what for problem in second.problems)
    assert "not JSON" in third.problems[0].what


def test_a_setting_that_masks_observations_leaves_the_requests_unknown(tmp_path: Path) -> None:
    told = {"condenser_config": {"type": "observation_masking"}}
    line = {"instance_id": "a", "history": stream()[:5], "metadata": told, "metrics": {}}
    (run,) = opened(write(tmp_path / "o.jsonl", line))
    assert run.grade is Grade.UNKNOWN
    assert "observation_masking" in run.calls[0].grade_reason


def test_old_histories_are_pairs(tmp_path: Path) -> None:
    pairs = [
        [{"id": 1, "source": "user", "action": "message", "args": {"content": "hi"}}, {}],
        [
            {
                "id": 2,
                "source": "agent",
                "action": "run",
                "args": {"command": "ls", "thought": "t"},
            },
            {"id": 3, "cause": 2, "observation": "run", "content": "a b", "extras": {}},
        ],
        [{"id": 4, "source": "agent", "action": "message", "args": {"content": "bye"}}, {}],
    ]
    line = {"instance_id": "a", "history": pairs, "metrics": {}}
    (run,) = opened(write(tmp_path / "o.jsonl", line))
    assert texts(run, 2)[-1] == "a b"
    assert run.tool_results[0].tool_call_id == "event:2"
    assert [answer.text for answer in run.answers] == ["bye"]


def test_events_may_stand_one_on_a_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, stream())) + '\n{"id": 1', "utf-8")
    (run,) = opened(path)
    (whole,) = opened(write(tmp_path / "t.json", stream()))
    assert list(run.requests()) == list(whole.requests())
    assert ":11" in run.problems[0].where


def test_a_folder_of_events_is_one_run_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "s1"
    for number, event in enumerate(stream()):
        write(folder / "events" / f"{number}.json", event)
    (folder / "events" / "10.json").write_text("{", "utf-8")
    (run,) = opened(folder)
    assert run.run_id == "s1"
    assert len(run.calls) == 3
    assert "no event that can be read" in run.problems[0].what
    assert opened(tmp_path)[0].run_id == "s1"


def sdk() -> list[dict[str, object]]:
    def act(name: str, call: str, answer: str, **action: object) -> dict[str, object]:
        told = {"id": call, "name": name, "arguments": json.dumps(action)}
        about = {"tool_name": name, "tool_call_id": call, "tool_call": told}
        thought = [{"type": "text", "text": "hm"}]
        made = {"id": f"e-{call}", "kind": "ActionEvent", "source": "agent", **about}
        return {**made, "thought": thought, "action": action, "llm_response_id": answer}

    def saw(call: str, text: str) -> dict[str, object]:
        held = {"kind": "O", "content": [{"type": "text", "text": text}], "is_error": False}
        about = {"tool_name": "t", "tool_call_id": call, "observation": held}
        return {"id": f"o-{call}", "kind": "ObservationEvent", "source": "environment", **about}

    user = {"role": "user", "content": [{"type": "text", "text": "do it"}]}
    return [
        {
            "id": "s",
            "kind": "SystemPromptEvent",
            "source": "agent",
            "system_prompt": {"type": "text", "text": "be good"},
        },
        {"id": "u", "kind": "MessageEvent", "source": "user", "llm_message": user},
        act("terminal", "c1", "r1", command="ls"),
        act("terminal", "c2", "r1", command="pwd"),
        saw("c1", "a b"),
        saw("c2", "/w"),
        {
            "id": "k",
            "kind": "Condensation",
            "source": "environment",
            "forgotten_event_ids": ["e-c1", "o-c1"],
            "summary": "it listed",
            "summary_offset": 2,
        },
        act("finish", "c3", "r2", message="all done"),
    ]


def test_events_of_the_sdk_are_read_with_their_condensations(tmp_path: Path) -> None:
    folder = tmp_path / "conv"
    for number, event in enumerate(sdk()):
        write(folder / "events" / f"event-{number:05}-{event['id']}0000.json", event)
    write(folder / "base_state.json", {"id": "x"})
    # The ids in the names are hexadecimal where the SDK writes them.
    for path in list((folder / "events").iterdir()):
        path.rename(path.with_name(path.name[:12] + "abcd1234.json"))
    (run,) = opened(folder)
    assert [call.id for call in run.calls] == ["r1", "r2"]
    assert texts(run, 2)[:3] == ["be good", "do it", "it listed"]
    assert [call.by_call for call in run.tool_calls] == [1, 1, 2]
    assert run.calls[1].grade is Grade.DERIVED
    assert [answer.text for answer in run.answers] == ["all done"]


def test_what_was_written_out_for_a_model_without_tools_is_what_was_sent(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    said = {"role": "assistant", "content": "so", "tool_calls": [call]}
    plain = {"role": "assistant", "content": "so\n<function=bash>\n</function>"}
    told = {"role": "user", "content": "task, with an example"}
    task = {"role": "user", "content": "task"}
    first: dict[str, object] = {
        "messages": [told],
        "fncall_messages": [task],
        "response": {"id": "r1", "choices": [{"message": plain}]},
        "fncall_response": {"id": "r1", "choices": [{"message": said}]},
        "timestamp": 1700000000.5,
        "cost": 0,
    }
    shown = {"role": "user", "content": "EXECUTION RESULT of [bash]:\na b"}
    result = {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a b"}
    end = {"role": "assistant", "content": "done"}
    second = {
        **first,
        "messages": [told, plain, shown],
        "fncall_messages": [task, said, result],
        "response": {"id": "r2", "choices": [{"message": end}]},
        "fncall_response": {"id": "r2", "choices": [{"message": end}]},
    }
    write(tmp_path / "logs" / "m-1700000000.5.json", first)
    write(tmp_path / "logs" / "m-1700000001.5.json", second)
    (run,) = opened(tmp_path / "logs")
    assert texts(run, 2) == ["task, with an example", plain["content"], shown["content"]]
    assert [(c.id, c.by_call) for c in run.tool_calls] == [("c1", 1)]
    assert run.tool_results[0].tool_call_id == "c1"
    assert [answer.text for answer in run.answers] == ["done"]


def test_what_the_sdk_says_behind_a_command_is_sent_and_a_long_text_is_clipped(
    tmp_path: Path,
) -> None:
    events = sdk()
    about = {"exit_code": 0, "working_dir": "/w", "prefix": "[cut before]\n", "suffix": ""}
    long = {"content": [{"type": "text", "text": LONG}], "metadata": about, "is_error": False}
    events[4]["observation"] = long
    del events[6]
    (run,) = opened(write(tmp_path / "events.json", events))
    sent = texts(run, 2)[4]
    assert sent.startswith("[cut before]\nline 0\n")
    assert sent.endswith("[Command finished with exit code 0]")
    assert len(sent) < 30_000
    assert LONG in (run.tool_results[0].text or "")
    assert "long observations" in run.calls[1].grade_reason


def test_a_completion_log_among_the_events_is_the_request(tmp_path: Path) -> None:
    told = {"messages": [{"role": "user", "content": "as sent"}], "response": {"id": "r2"}}
    log = {"id": "l", "kind": "LLMCompletionLogEvent", "log_data": json.dumps(told)}
    (run,) = opened(write(tmp_path / "events.json", [*sdk(), log]))
    assert [call.grade for call in run.calls] == [Grade.INFERRED, Grade.RECORDED]
    assert texts(run, 2) == ["as sent"]


def test_the_lines_of_an_evaluation_are_listed_by_what_they_begin_with(tmp_path: Path) -> None:
    lines = [{"instance_id": name, "history": "none", "metrics": "none"} for name in ("a", "b")]
    path = tmp_path / "output.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n{broken", "utf-8")
    head = path.read_bytes()
    probe = Probe(path, path.name, is_folder=False, head=head, size=len(head))
    assert [(each.run_id, each.origin) for each in listing(probe)] == [
        ("a", ":1"),
        ("b", ":2"),
        ("", ":4"),
    ]


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_stream_that_was_cut_ends_in_a_line(tmp_path: Path, cut: float) -> None:
    whole = json.dumps(stream())
    path = tmp_path / "trajectory.json"
    path.write_text(whole[: int(len(whole) * cut)], "utf-8")
    (problem,) = [item for item in open_paths([str(path)]) if isinstance(item, Problem)]
    assert "is not JSON" in problem.what
