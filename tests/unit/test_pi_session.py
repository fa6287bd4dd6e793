"""pi sessions: a tree of entries, its branches, compaction, and the recorded one."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from store.importers._base import Probe
from store.importers._probing import file_probe
from store.importers.pi_session import IMPORTER
from store.records.grades import Grade
from store.records.runs import EditKind, PartKind, Run

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "t", "cwd": "/repo"}
Entry = Mapping[str, object]


def probe(path: Path) -> Probe:
    return file_probe(path, path.name)


def runs_of(folder: Path, *entries: Entry, header: Entry = HEADER) -> list[Run]:
    path = folder / "session.jsonl"
    lines = "".join(f"{json.dumps(entry)}\n" for entry in (header, *entries))
    path.write_text(lines, encoding="utf-8")
    assert IMPORTER.recognise(probe(path))
    return [run for run in IMPORTER.read(probe(path)) if isinstance(run, Run)]


def entry(name: str, parent: str | None, kind: str = "message", **more: object) -> Entry:
    return {"type": kind, "id": name, "parentId": parent, "timestamp": "t", **more}


def user(name: str, parent: str | None, text: str) -> Entry:
    return entry(name, parent, message={"role": "user", "content": text})


def model(name: str, parent: str | None, text: str, **more: object) -> Entry:
    content = [{"type": "text", "text": text}]
    return entry(name, parent, message={"role": "assistant", "content": content, **more})


def texts(run: Run, call: int) -> list[str]:
    return [part.text for index in run.request(call) for part in run.messages[index].parts]


def test_every_answer_of_the_recorded_session_is_a_call_with_its_usage(shared: Path) -> None:
    path = shared / "data" / "transcripts" / "pi_session.jsonl"
    assert IMPORTER.recognise(probe(path))
    (run,) = [run for run in IMPORTER.read(probe(path)) if isinstance(run, Run)]
    assert (len(run.calls), len(run.tool_results), run.grade) == (76, 78, Grade.DERIVED)
    assert all(call.usage.input_tokens for call in run.calls)
    reads = [result for result in run.tool_results if result.is_file_read]
    assert len(reads) == 8
    assert reads[0].selections[0].source_id == "/root/trl/benchmarks/HANDOFF.md"
    assert run.problems == ()


def test_a_compaction_keeps_its_summary_and_what_stands_from_the_first_kept_entry(
    tmp_path: Path,
) -> None:
    fold = entry("c", "d", "compaction", summary="what was", firstKeptEntryId="d", tokensBefore=9)
    entries = [user("a", None, "one"), model("b", "a", "1"), user("d", "b", "two"), fold]
    (run,) = runs_of(tmp_path, *entries, model("e", "c", "2"))
    before, summary, behind, two = texts(run, 2)
    assert (summary, two, behind) == ("what was", "two", "\n</summary>")
    assert before.endswith("into the following summary:\n\n<summary>\n")
    kinds = [part.kind for part in run.messages[run.request(2)[0]].parts]
    assert kinds == [PartKind.TEXT, PartKind.SUMMARY, PartKind.TEXT]
    (edit,) = run.edits
    assert (edit.kind, edit.before_call, edit.grade) == (EditKind.COMPACT, 2, Grade.DERIVED)


def test_an_abandoned_branch_is_a_run_of_its_own(tmp_path: Path) -> None:
    entries = [user("a", None, "one"), model("b", "a", "left"), model("c", "a", "right")]
    main, other = runs_of(tmp_path, *entries)
    assert (main.run_id, main.branch, main.answers[-1].text) == ("s1", None, "right")
    assert (other.run_id, other.branch, other.answers[-1].text) == ("s1@b", "b", "left")


def test_the_summary_of_a_branch_that_was_left_is_given_to_the_model(tmp_path: Path) -> None:
    left = entry("s", "a", "branch_summary", fromId="b", summary="it was tried")
    entries = [user("a", None, "one"), model("b", "a", "left"), left, model("c", "s", "right")]
    main, _ = runs_of(tmp_path, *entries)
    assert texts(main, 1)[0] == "one"
    assert texts(main, 1)[2] == "it was tried"


def test_an_answer_that_failed_is_not_sent_again(tmp_path: Path) -> None:
    failed = model("b", "a", "hal", stopReason="aborted", errorMessage="stopped by the user")
    (run,) = runs_of(tmp_path, user("a", None, "one"), failed, model("c", "b", "1"))
    assert run.calls[0].error == "stopped by the user"
    assert texts(run, 2) == ["one"]


def test_a_missing_entry_makes_what_follows_unknown(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, user("b", "gone", "two"), model("c", "b", "2"))
    assert run.grade is Grade.UNKNOWN


def test_a_program_that_cuts_in_memory_is_inferred(tmp_path: Path) -> None:
    mark = entry("m", "a", "custom", customType="openclaw.cache-ttl", data={})
    (run,) = runs_of(tmp_path, user("a", None, "one"), mark, model("c", "m", "1"))
    assert run.grade is Grade.INFERRED


def test_the_oldest_sessions_have_no_ids_and_follow_one_another(tmp_path: Path) -> None:
    header = {"type": "session", "id": "s0", "timestamp": "t", "cwd": "/"}
    first = {"type": "message", "message": {"role": "user", "content": "one"}}
    second = {"type": "message", "message": {"role": "assistant", "content": []}}
    fold = {"type": "compaction", "summary": "S", "firstKeptEntryIndex": 2}
    last = {"type": "message", "message": {"role": "assistant", "content": []}}
    (run,) = runs_of(tmp_path, first, second, fold, last, header=header)
    assert (run.run_id, texts(run, 1), texts(run, 2)[1]) == ("s0", ["one"], "S")


def test_what_the_user_ran_apart_from_the_model_is_not_given_to_it(tmp_path: Path) -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "x", "excludeFromContext": True}
    told = {"role": "bashExecution", "command": "pwd", "output": "/repo"}
    entries = [entry("a", None, message=ran), entry("b", "a", message=told)]
    (run,) = runs_of(tmp_path, *entries, model("c", "b", "1"))
    assert texts(run, 1) == ["Ran `pwd`\n```\n/repo\n```"]


@pytest.mark.parametrize("head", ['{"type":"session"', "[1]", '{"type":"session","id":1}', ""])
def test_nothing_else_is_taken_for_a_session(tmp_path: Path, head: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(head, encoding="utf-8")
    assert not IMPORTER.recognise(probe(path))
