"""A folder that holds the records of one run in several formats is one run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.joining import join
from store.opening import list_paths, open_paths
from store.records.grades import Grade
from store.records.runs import Problem, ProblemKind, Run
from tests.unit.agent_files import texts, write_lines
from tests.unit.claude_sessions import SESSION, Session, numbered

Json = Mapping[str, object]
BODY = "alpha\nbeta\ngamma"
PLACEHOLDER = "[Old tool result content cleared]"
READ, CHECK = "toolu_01AbCdEfGh0001", "toolu_01AbCdEfGh0002"


def transcript(folder: Path) -> Path:
    """Write a session of an old client: it cleared a result and left no trace of it."""
    session = Session(version="2.0.50")
    session.user("look at a.md", "u1")
    session.asks(READ, "a1", "msg_01AbCdEfGh01", file_path="/project/a.md")
    session.result(READ, numbered(BODY), "r1")
    session.asks(CHECK, "a2", "msg_01AbCdEfGh02", name="Bash", command="make check")
    session.result(CHECK, "all is well", "r2")
    session.says("It says gamma.", "a3", "msg_01AbCdEfGh03")
    return session.write(folder / f"{SESSION}.jsonl")


def exchange(name: str, messages: Sequence[Json], content: Sequence[Json]) -> Json:
    url = "https://api.anthropic.com/v1/messages"
    body = {"model": "claude-test", "max_tokens": 9, "messages": messages}
    answer = {"id": name, "type": "message", "role": "assistant", "model": "claude-test"}
    usage = {"input_tokens": 50, "output_tokens": 2}
    return {
        "request": {"method": "POST", "url": url, "headers": {}, "body": body},
        "response": {"status_code": 200, "body": {**answer, "content": content, "usage": usage}},
    }


def use(call_id: str, name: str, **given: object) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def given(call_id: str, text: str) -> Json:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return {"role": "user", "content": [block]}


def capture(folder: Path, calls: int = 3) -> Path:
    """Write what went over the wire: in the last request the first result was cleared."""
    user = {"role": "user", "content": "look at a.md"}
    read = use(READ, "Read", file_path="/project/a.md")
    check = use(CHECK, "Bash", command="make check")
    asked: Json = {"role": "assistant", "content": [read]}
    first = [user, asked, given(READ, numbered(BODY))]
    cleared: list[Json] = [
        *first[:2],
        given(READ, PLACEHOLDER),
        {"role": "assistant", "content": [check]},
    ]
    made = [
        exchange("msg_01AbCdEfGh01", [user], [read]),
        exchange("msg_01AbCdEfGh02", first, [check]),
        exchange(
            "msg_01AbCdEfGh03",
            [*cleared, given(CHECK, "all is well")],
            [{"type": "text", "text": "It says gamma."}],
        ),
    ]
    return write_lines(folder / "proxy.jsonl", made[:calls])


def runs_of(folder: Path) -> list[Run]:
    return [item for item in open_paths([str(folder)]) if isinstance(item, Run)]


def test_a_transcript_and_a_capture_of_one_session_are_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    transcript(folder / "session")
    capture(folder / "session")
    (run,) = runs_of(folder)
    assert [call.id for call in run.calls] == [f"msg_01AbCdEfGh0{n}" for n in (1, 2, 3)]
    assert len(run.tool_calls) == len(run.tool_results) == 2
    assert [answer.text for answer in run.answers] == ["It says gamma."]


def test_the_better_record_of_each_call_wins_and_says_so(tmp_path: Path) -> None:
    transcript(tmp_path)
    (alone,) = runs_of(tmp_path)
    assert alone.grade is Grade.UNKNOWN
    capture(tmp_path)
    (run,) = runs_of(tmp_path)
    assert run.grade is Grade.RECORDED
    assert PLACEHOLDER in texts(run, 3)
    assert any(BODY.split("\n")[2] in text for text in texts(run, 2))
    assert "taken from" in run.calls[2].grade_reason
    (note,) = [one for one in run.problems if "is one run with" in one.what]
    assert note.kind is ProblemKind.NOTED
    assert "3 of 3 calls stand in both" in note.what
    assert next(one.text for one in run.tool_results if one.tool_call_id == READ) == numbered(BODY)


def test_a_capture_of_a_part_completes_the_calls_that_it_has(tmp_path: Path) -> None:
    transcript(tmp_path)
    capture(tmp_path, calls=2)
    (run,) = runs_of(tmp_path)
    grades = [call.grade for call in run.calls]
    assert grades == [Grade.RECORDED, Grade.RECORDED, Grade.UNKNOWN]
    assert [call.index for call in run.calls] == [1, 2, 3]
    assert run.calls[2].origin.startswith(SESSION)


def test_records_of_two_runs_in_one_folder_stay_two_runs(tmp_path: Path) -> None:
    transcript(tmp_path)
    text = capture(tmp_path).read_text(encoding="utf-8")
    other = text.replace("AbCdEfGh", "ZyXwVuTs").replace("gamma", "delta")
    (tmp_path / "proxy.jsonl").write_text(other, encoding="utf-8")
    assert len(runs_of(tmp_path)) == 2


def test_runs_without_ids_are_one_only_where_their_models_said_the_same(tmp_path: Path) -> None:
    transcript(tmp_path / "a")
    (one,) = runs_of(tmp_path / "a")
    dump = [
        {"role": "user", "content": "look at a.md"},
        {"role": "assistant", "content": "It says gamma."},
    ]
    (tmp_path / "b.json").write_text(json.dumps(dump), encoding="utf-8")
    (other,) = runs_of(tmp_path / "b.json")
    assert len(join([one, other])) == 2
    long = "It says gamma, and then it goes on about a great many other things, all in one answer."
    text = (tmp_path / "a" / f"{SESSION}.jsonl").read_text(encoding="utf-8")
    again = tmp_path / "c" / f"{SESSION}.jsonl"
    again.parent.mkdir()
    again.write_text(text.replace("It says gamma.", long), encoding="utf-8")
    dump[1]["content"] = long
    (again.parent / "b.json").write_text(json.dumps(dump), encoding="utf-8")
    (joined,) = runs_of(again.parent)
    assert len(joined.calls) == 3


def test_a_rule_never_beats_a_record_that_says_it_cannot_tell(tmp_path: Path) -> None:
    transcript(tmp_path)
    dump = [
        {"role": "user", "content": "look at a.md"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": READ, "type": "function", "function": {"name": "Read", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": READ, "content": numbered(BODY)},
        {"role": "assistant", "content": "It says gamma."},
    ]
    (tmp_path / "dump.json").write_text(json.dumps(dump), encoding="utf-8")
    (run,) = runs_of(tmp_path)
    assert run.grade is Grade.UNKNOWN
    assert {call.grade for call in run.calls} == {Grade.UNKNOWN}
    assert len(run.calls) == 3


def test_two_sessions_of_one_format_are_never_put_together(tmp_path: Path) -> None:
    transcript(tmp_path / "a")
    (run,) = runs_of(tmp_path / "a")
    assert len(join([run, run])) == 2


def test_files_that_bear_one_id_are_one_entry_of_a_list(tmp_path: Path) -> None:
    transcript(tmp_path / "x")
    path = capture(tmp_path / "y")
    path.rename(path.with_name(f"proxy-{SESSION}.jsonl"))
    # A folder of sessions is read as a whole, so the file's own id is not seen there.
    (tmp_path / "x" / f"{SESSION}.jsonl").rename(tmp_path / "x" / "session.jsonl")
    found = list(list_paths([str(tmp_path)]))
    (entry,) = [item for item in found if not isinstance(item, Problem)]
    assert entry.format == "claude-code + capture"
    (run,) = [item for item in entry.read() if isinstance(item, Run)]
    assert run.grade is Grade.RECORDED
