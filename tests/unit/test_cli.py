"""The command line as a whole: usage, exit statuses, errors."""

import io
from pathlib import Path

import pytest

from reviewer.cli import commands, run
from reviewer.cli._output import Output, columns_of
from reviewer.reports import glossary
from store.records.bills import BillKind, Change
from store.records.differences import Fate, SourceChange
from store.records.findings import (
    Anchor,
    Audit,
    Form,
    Outcome,
    PlaceholderKind,
    Severity,
    State,
    Verdict,
)
from store.records.grades import Grade, Layer
from store.records.runs import Problem, ProblemKind
from store.records.sources import Integrity
from tests.made import FakeProgram, command, lost, made_audit, made_run, quiet_audit


def test_every_subcommand_is_a_file_of_the_package() -> None:
    names = {each.name for each in commands()}
    assert {
        "audit",
        "demo",
        "explain",
        "formats",
        "open",
        "reread",
        "rules",
        "sources",
        "view",
    } <= names


def test_without_a_command_and_a_screen_the_help_is_printed_with_the_reason() -> None:
    program = FakeProgram()
    ended = command(program=program)
    assert ended.status == 0
    assert "usage: reread" in ended.out
    assert ended.err == "reread: no window is opened: there is no screen\n"
    assert program.opened == []


def test_without_a_command_the_window_opens_where_there_is_a_screen() -> None:
    program = FakeProgram(obstacle="")
    ended = command(program=program)
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    assert program.opened == [((), None, True)]


def test_open_hands_its_paths_to_the_window() -> None:
    program = FakeProgram(obstacle="")
    assert command("open", "a", "b", "--store", "s", program=program).status == 0
    assert command("open", "--no-session", program=program).status == 0
    assert program.opened == [(["a", "b"], "s", True), ([], None, False)]


def test_open_says_why_there_is_no_window() -> None:
    program = FakeProgram(obstacle="libEGL.so.1 is missing; install libegl1")
    ended = command("open", "a", program=program)
    assert ended.status == 2
    assert "install libegl1" in ended.err
    assert program.opened == []


@pytest.mark.parametrize("each", commands(), ids=lambda each: each.name)
def test_each_subcommand_has_help(each: object) -> None:
    name = each.name  # type: ignore[attr-defined]
    ended = command(name, "--help")
    assert ended.status == 0
    assert f"usage: reread {name}" in ended.out


@pytest.mark.parametrize(
    "arguments",
    [["audti", "x"], ["audit"], ["audit", "x", "--fail-on", "maybe"], ["view", "x"], ["--nothing"]],
)
def test_wrong_usage_is_said_on_standard_error_with_status_2(arguments: list[str]) -> None:
    ended = command(*arguments)
    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith("reread: ")
    assert "--help" in ended.err


def test_a_name_with_escapes_is_shown_as_data() -> None:
    ended = command("\x1b[2J")
    assert ended.status == 2
    assert "\x1b" not in ended.err


def test_the_version_is_printed() -> None:
    assert command("--version").out.startswith("reread ")


def test_an_error_inside_says_so_in_one_line_and_how_to_see_more() -> None:
    ended = command("audit", "x", program=FakeProgram(error=ValueError("no\nway")))
    assert ended.status == 4
    assert ended.err.count("\n") == 1
    assert "ValueError: no␊way" in ended.err
    assert "--traceback" in ended.err


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["audit", "x", "--traceback"], {}), (["audit", "x"], {"REREAD_TRACEBACK": "1"})],
)
def test_the_traceback_is_shown_on_demand(
    arguments: list[str], environment: dict[str, str]
) -> None:
    program = FakeProgram(error=ValueError("no way"))
    ended = command(*arguments, program=program, environment=environment)
    assert ended.status == 4
    assert "Traceback" in ended.err


def test_ctrl_c_is_status_130() -> None:
    ended = command("audit", "x", program=FakeProgram(error=KeyboardInterrupt()))
    assert ended.status == 130
    assert "cancelled" in ended.err


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    class Closed(io.BytesIO):
        def write(self, data: object) -> int:
            del data
            raise BrokenPipeError

        def fileno(self) -> int:
            return handle.fileno()

    err = io.BytesIO()
    with (tmp_path / "pipe").open("wb") as handle:
        status = run(["audit", "x"], FakeProgram(), Output(Closed(), err), {})  # type: ignore[arg-type]
    assert status == 130
    assert err.getvalue() == b""


@pytest.mark.parametrize(
    ("found", "arguments", "status"),
    [
        ([quiet_audit()], [], 0),
        ([made_audit()], [], 1),
        ([made_audit()], ["--fail-on", "never"], 0),
        ([quiet_audit(), lost()], [], 3),
        ([made_audit(), lost()], [], 3),
        ([made_audit(), lost()], ["--fail-on", "never"], 3),
        ([lost()], [], 3),
        ([], [], 3),
    ],
)
def test_the_exit_status_of_an_audit(
    found: list[Audit | Problem], arguments: list[str], status: int
) -> None:
    ended = command("audit", "x", *arguments, program=FakeProgram(found))
    assert ended.status == status


def test_an_unreadable_input_does_not_stop_the_others() -> None:
    found: list[Audit | Problem] = [lost("a.jsonl"), quiet_audit(made_run("r-7")), lost("b.jsonl")]
    ended = command("audit", "x", program=FakeProgram(found))
    assert ended.status == 3
    assert "Limits r-7" in ended.out
    assert "reread: a.jsonl: cannot be opened" in ended.err
    assert "reread: b.jsonl: cannot be opened" in ended.err


def test_nothing_to_audit_says_what_to_do() -> None:
    ended = command("audit", "x", program=FakeProgram([]))
    assert ended.status == 3
    assert "nothing to audit" in ended.err
    assert "reread formats" in ended.err


@pytest.mark.parametrize(
    ("environment", "columns"),
    [
        ({}, 100),
        ({"COLUMNS": "140"}, 140),
        ({"COLUMNS": "9"}, 40),
        ({"COLUMNS": "0"}, 100),
        ({"COLUMNS": "wide"}, 100),
        ({"COLUMNS": "9" * 5000}, 99999),
    ],
)
def test_the_width_without_a_terminal_is_that_of_columns(
    environment: dict[str, str], columns: int
) -> None:
    assert columns_of(environment, None) == columns


def test_every_word_of_a_report_can_be_explained() -> None:
    found = {(word.kind, word.word) for word in glossary()}
    assert len(found) == len(glossary())
    kinds = {
        "grade": Grade,
        "layer": Layer,
        "form": Form,
        "anchor": Anchor,
        "state at the answer": State,
        "outcome of a read": Outcome,
        "kind of placeholder": PlaceholderKind,
        "severity": Severity,
        "kind of problem": ProblemKind,
        "stored bytes": Integrity,
        "kind of tokens": BillKind,
        "change that broke a prefix": Change,
        "what became of a cited text": Fate,
        "what became of a source": SourceChange,
    }
    expected = {(kind, str(word)) for kind, words in kinds.items() for word in words}
    expected |= {("verdict", verdict.word) for verdict in Verdict}
    assert found == expected


@pytest.mark.parametrize("word", ["from_memory", "From-Memory", "from memory"])
def test_a_word_is_explained_however_it_is_spelled(word: str) -> None:
    ended = command("explain", word)
    assert ended.status == 0
    assert "from_memory  (verdict)" in ended.out


def test_a_word_with_several_meanings_has_each_explained() -> None:
    out = command("explain", "truncated").out
    for kind in ("form", "outcome of a read", "kind of placeholder"):
        assert f"truncated  ({kind})" in out


def test_too_much_on_the_line_shows_what_the_command_takes() -> None:
    ended = command("demo", "somewhere")
    assert ended.status == 2
    assert ended.err.startswith("reread: unrecognized arguments: somewhere\nusage: reread demo ")


def test_an_unknown_word_is_wrong_usage_with_what_is_near() -> None:
    ended = command("explain", "form_memory")
    assert ended.status == 2
    assert "did you mean from_memory" in ended.err
