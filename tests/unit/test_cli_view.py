"""``reread view`` and ``reread sources``: what a call was given, and what became of sources."""

import json
from dataclasses import replace

from store.records.grades import Grade
from store.records.runs import Answer, ContextEdit, EditKind, Problem, ProblemKind
from store.records.sources import VersionKey
from tests.made import BODY, FakeProgram, command, made_audit, made_run, unknown_audit


def test_a_request_is_printed_with_origin_and_evidence() -> None:
    ended = command("view", "x", "--call", "2")
    assert ended.status == 0
    assert "Request of call 2 of 2" in ended.out
    assert "── message 2 · tool · events.jsonl:5" in ended.out
    assert "tool call t1" in ended.out
    assert "= d03@1454125600c3…[0:10] · full · characters 0:10 · found by selection" in ended.out
    assert BODY in ended.out


def test_a_call_is_shown_without_what_later_calls_held() -> None:
    assert BODY not in command("view", "x", "--call", "1").out


def test_reported_tokens_beyond_the_text_are_said() -> None:
    assert "reported 900; unaccounted 860" in command("view", "x", "--call", "2").out
    assert "the record reports none" in command("view", "x", "--call", "1").out


def test_what_was_changed_before_a_call_is_told_with_who_did_it() -> None:
    edit = ContextEdit(
        2, EditKind.CLEAR, ("t1",), "Clear\x1bMiddleware", Grade.RECORDED, "t1: 900 to 9 characters"
    )
    audit = made_audit(replace(made_run(), edits=(edit,)))
    out = command("view", "x", "--call", "2", program=FakeProgram([audit])).out
    told = "Changed by Clear␛Middleware (clear of t1; recorded): t1: 900 to 9 characters"
    assert told in out
    assert "Changed" not in command("view", "x", "--call", "1", program=FakeProgram([audit])).out


def test_evidence_cannot_move_the_cursor() -> None:
    for arguments in (["--call", "2"], ["--call", "2", "--raw"]):
        out = command("view", "x", *arguments).out
        assert "\x1b" not in out
        assert "␛[2J␀\\u{202E}\\u{D83D}" in out


def test_raw_prints_the_text_of_the_parts_only() -> None:
    out = command("view", "x", "--call", "2", "--raw").out
    assert out.rstrip("\n").split("\n")[-1] == BODY
    assert "message" not in out


def test_a_call_that_is_not_there_is_refused_with_the_range() -> None:
    for number in ("0", "3", "-1"):
        ended = command("view", "x", f"--call={number}")
        assert ended.status == 2
        assert "calls 1 to 2" in ended.err


def test_several_runs_are_listed_to_choose_from() -> None:
    program = FakeProgram([made_audit(made_run("r-1")), made_audit(made_run("r-2"))])
    ended = command("view", "x", "--call", "1", program=program)
    assert ended.status == 2
    assert "r-1" in ended.err
    assert "r-2" in ended.err
    assert command("view", "x", "--call", "1", "--run", "r-2", program=program).status == 0
    assert command("view", "x", "--call", "1", "--run", "r-9", program=program).status == 2


def test_sources_show_coverage_and_gaps() -> None:
    ended = command("sources", "x")
    assert ended.status == 0
    assert "d03@1454125600c3…" in ended.out
    assert "55 % of 18 chars" in ended.out
    assert "gaps [10:18]" in ended.out


def test_a_run_without_sources_says_so_instead_of_an_empty_table() -> None:
    ended = command("sources", "x", program=FakeProgram([replace(made_audit(), sources=())]))
    assert "No text of a source is recorded here." in ended.out
    assert "delivered" not in ended.out


def test_sources_as_json_have_the_keys_of_the_audit() -> None:
    record = json.loads(command("sources", "x", "--format", "json").out)
    (version,) = record["runs"][0]["sources"][0]["versions"]
    assert version["gaps"] == [[10, 18]]
    assert version["state_at_answer"] == "partial"


def test_a_full_disk_is_said_and_not_an_error_inside() -> None:
    ended = command("demo", "--no-window")
    assert ended.status == 2
    assert "No space left" in ended.err


def test_evidence_cannot_pass_for_a_heading() -> None:
    lines = command("view", "x", "--call", "2").out.split("\n")
    own = [line for line in lines if line.startswith("── message")]
    assert len(own) == 3
    assert any(line.startswith("   │ ") and BODY in line for line in lines)


def test_sources_keep_a_name_on_one_line_and_say_how_far_they_are_proven() -> None:
    name = "/Users/someone/" + "deep/" * 30 + "file.md"
    source = replace(made_audit().sources[0].versions[0])
    version = replace(source.version, key=VersionKey(name, source.version.key.version_id))
    facts = replace(source, version=version)
    held = replace(made_audit().sources[0], source_id=name, versions=(facts,))
    run = replace(made_run(), answers=(Answer(1, "Yes."),))
    audit = replace(unknown_audit(), sources=(held,), run=run)
    ended = command("sources", "x", program=FakeProgram([audit]))
    (line,) = [line for line in ended.out.split("\n") if name in line]
    assert "partial    unknown" in line
    assert "grade unknown: the record cannot say" in ended.out
    record = json.loads(
        command("sources", "x", "--format", "json", program=FakeProgram([audit])).out
    )
    assert record["runs"][0]["grade_at_answer"] == "unknown"


def test_problems_of_what_was_not_asked_for_are_not_repeated() -> None:
    problems = (
        Problem("v:1", "d03 changed", ProblemKind.CHANGED),
        Problem("v:2", "other.md changed", ProblemKind.CHANGED),
        Problem("v:3", "other.md cannot be read", ProblemKind.LOST),
    )
    audit = made_audit(replace(made_run(), problems=problems))
    program = FakeProgram([audit])
    told = [
        command("view", "x", "--call", call, program=program).err.count("reread: ")
        for call in ("1", "2")
    ]
    assert told == [1, 2]
    assert command("sources", "x", program=program).err == "reread: v:3: other.md cannot be read\n"
    out = command("sources", "x", "--format", "json", program=program).out
    assert len(json.loads(out)["runs"][0]["problems"]) == 3
