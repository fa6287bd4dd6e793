"""``reread report``, and how far a long report is."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.cli import run
from reviewer.cli._output import Output
from reviewer.services.deciding import decision_log
from store.digest import run_digest
from store.records.reviews import citation_target
from store.reviews import DecisionLog, Log
from tests.made import FakeProgram, command, lost, made_audit, made_run
from tests.unit.decisions import made

AUDIT = made_audit()
CITATION = citation_target(AUDIT.citations[0])


def decided(log: Log, note: str) -> None:
    log.append(replace(made("accept", CITATION, "Ann", note), run_digest=run_digest(AUDIT.run)))


def test_the_ending_chooses_the_format_and_every_list_is_whole(tmp_path: Path) -> None:
    for name in ("r.html", "r.md", "r.json", "r.txt"):
        ended = command("report", "x", "--output", str(tmp_path / name), program=FakeProgram())
        assert (ended.status, ended.out) == (0, "")
        assert "(1 run, " in ended.err
        assert (tmp_path / name).stat().st_size > 100
    assert command("report", "x", "--output", str(tmp_path / "r.xyz")).status == 2
    assert command("report", "x").status == 2


def test_findings_do_not_change_the_status_of_a_report_and_what_was_lost_does(
    tmp_path: Path,
) -> None:
    place = str(tmp_path / "r.md")
    assert command("report", "x", "--output", place, program=FakeProgram([AUDIT])).status == 0
    ended = command("report", "x", "--output", place, program=FakeProgram([AUDIT, lost()]))
    assert ended.status == 3
    assert "b.jsonl" in Path(place).read_text("utf-8")


def test_the_decisions_of_the_runs_own_log_stand_in_the_report(tmp_path: Path) -> None:
    own = decision_log(AUDIT.run)
    decided(own, "my own note")
    place = tmp_path / "r.md"
    command("report", "x", "--output", str(place), program=FakeProgram([AUDIT]))
    text = place.read_text("utf-8")
    assert "my own note" in text
    assert f"last hash `{own.read().end}`" in text
    assert own.where not in text
    assert f"runs/{run_digest(AUDIT.run)}/decisions.jsonl" in text
    command("report", "x", "--no-decisions", "--output", str(place), program=FakeProgram([AUDIT]))
    assert "my own note" not in place.read_text("utf-8")


def test_a_report_shows_one_given_log_in_place_of_the_own_ones(tmp_path: Path) -> None:
    decided(decision_log(AUDIT.run), "my own note")
    theirs = DecisionLog(tmp_path / "theirs.jsonl")
    decided(theirs, "their note")
    place = tmp_path / "r.md"
    given = ["--decisions", str(theirs.path), "--output", str(place)]
    assert command("report", "x", *given, program=FakeProgram([AUDIT])).status == 0
    text = place.read_text("utf-8")
    assert "their note" in text
    assert "my own note" not in text


def test_several_runs_have_several_logs(tmp_path: Path) -> None:
    other = made_audit(made_run("r-2"))
    own = decision_log(AUDIT.run)
    decided(own, "first")
    log = decision_log(other.run)
    log.append(replace(made("flag", CITATION), run_digest=run_digest(other.run), run_id="r-2"))
    place = tmp_path / "r.md"
    command("report", "x", "--output", str(place), program=FakeProgram([AUDIT, other]))
    text = place.read_text("utf-8")
    assert text.count("1 record, its chain holds") == 2
    assert own.read().end in text
    assert log.read().end in text


def test_a_run_without_decisions_says_so(tmp_path: Path) -> None:
    place = tmp_path / "r.md"
    command("report", "x", "--output", str(place), program=FakeProgram([AUDIT]))
    assert "Decisions: none in the data folder." in place.read_text("utf-8")


# -- progress and cancel -------------------------------------------------------------------


def watched(arguments: list[str], program: FakeProgram) -> str:
    """Return what a terminal for diagnostics is told."""
    err = io.BytesIO()
    output = Output(io.BytesIO(), err)
    output.watched = True
    run(arguments, program, output, {})  # type: ignore[arg-type]
    return err.getvalue().decode()


def test_a_terminal_is_told_over_one_line_which_is_gone_at_the_end(tmp_path: Path) -> None:
    told = watched(["report", "x", "--output", str(tmp_path / "r.md")], FakeProgram([AUDIT]))
    first, *_, last = told.split("\r")
    assert first == ""
    assert "reread: reading x" in told
    assert last.startswith("\x1b[Kreread: wrote ")
    assert "\n" not in told.rstrip("\n")


def test_nobody_is_told_who_did_not_ask(tmp_path: Path) -> None:
    ended = command("report", "x", "--output", str(tmp_path / "r.md"), program=FakeProgram([AUDIT]))
    assert ended.err.count("\n") == 1
    assert "reading" not in watched(["audit", "x"], FakeProgram([AUDIT]))


def test_who_asks_is_told_on_lines(tmp_path: Path) -> None:
    given = ["--progress", "--output", str(tmp_path / "r.md")]
    lines = command("audit", "x", *given, program=FakeProgram([AUDIT])).err.split("\n")
    assert lines[0] == "reread: reading x"
    assert "\r" not in "".join(lines)


def test_what_takes_long_on_paper_is_told_before_it_is_done(tmp_path: Path) -> None:
    given = ["x", "--progress", "--output", str(tmp_path / "r.pdf")]
    lines = command("report", *given, program=FakeProgram([AUDIT])).err.split("\n")
    told = [line.rpartition("; ")[2] for line in lines]
    steps = [told.index(each) for each in ("laying out the pages", "writing the file")]
    assert steps == sorted(steps)
    assert lines[steps[1] + 1].startswith("reread: wrote ")


@pytest.mark.parametrize("name", ["r.html", "r.md", "r.json", "r.pdf"])
def test_cancelled_is_130_and_no_half_file(tmp_path: Path, name: str) -> None:
    program = FakeProgram([AUDIT, made_audit(made_run("r-2"))], KeyboardInterrupt())
    ended = command("report", "x", "--output", str(tmp_path / name), program=program)
    assert ended.status == 130
    assert ended.err.endswith("reread: cancelled\n")
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_read_is_not_told_as_one_without_decisions(tmp_path: Path) -> None:
    Path(decision_log(AUDIT.run).where).mkdir(parents=True)
    place = tmp_path / "r.md"
    ended = command("report", "x", "--output", str(place), program=FakeProgram([AUDIT]))
    assert ended.status == 3
    told = place.read_text("utf-8")
    assert "none could be read from" in told
    assert "Decisions: none in" not in told
