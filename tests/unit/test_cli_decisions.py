"""``reread decisions`` and ``reread audit --decisions``."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.services.deciding import decision_log
from store.digest import run_digest
from store.records.findings import Audit
from store.records.reviews import Decision, Target, TargetKind, citation_target, finding_target
from store.reviews import DecisionLog
from tests.made import HOSTILE, FakeProgram, command, made_audit, made_run, quiet_audit
from tests.unit.decisions import made

AUDIT = made_audit()
CITATION = citation_target(AUDIT.citations[0])
FINDING = finding_target(AUDIT.findings[0]) or CITATION
BOTH = FakeProgram([AUDIT])
DIGEST = run_digest(AUDIT.run)


def decide(log: DecisionLog, *decisions: Decision) -> list[Decision]:
    return [log.append(replace(each, run_digest=DIGEST)) for each in decisions]


@pytest.fixture
def own() -> DecisionLog:
    """The log of the run in the user's folder, with a disagreement and an undo."""
    log = DecisionLog(Path(decision_log(AUDIT.run).where))
    first = decide(log, made("accept", CITATION, "Ann", "page 3 says so"))[0]
    decide(log, made("reject", CITATION, "Bo"), made("flag", FINDING, "Bo", HOSTILE))
    decide(log, made("undo", CITATION, "Ann", undoes=first), made("flag", CITATION, "Ann"))
    return log


@pytest.fixture
def foreign(tmp_path: Path) -> DecisionLog:
    """A log from elsewhere."""
    log = DecisionLog(tmp_path / "theirs.jsonl")
    decide(log, made("accept", CITATION, "Ann", "ok"), made("reject", FINDING, "Bo", HOSTILE))
    return log


def test_the_log_of_a_run_is_printed_in_its_order(own: DecisionLog) -> None:
    ended = command("decisions", "x", program=BOTH)
    assert (ended.status, ended.err) == (0, "")
    assert str(own.path) in ended.out
    lines = [line for line in ended.out.split("\n") if " Ann " in line or " Bo " in line]
    words = ("☑ accepted", "☒ rejected", "⚑ flagged", "⤺ undone", "⚑ flagged")
    assert all(word in line for word, line in zip(words, lines, strict=False))
    assert "(taken back)" in ended.out
    assert "page 3 says so" in ended.out
    assert "citation 0 (read) d03@1454125600c3…[0:10]" in ended.out
    assert "the reviewers disagree" in ended.out
    assert f"the chain holds; last hash {own.read().end}" in ended.out
    assert "\x1b" not in ended.out


def test_the_log_as_json_holds_every_event_and_what_stands(own: DecisionLog) -> None:
    record = json.loads(command("decisions", "x", "--format", "json", program=BOTH).out)
    assert record["schema"] == "reread.decisions/1"
    assert [each["kind"] for each in record["decisions"]] == [
        "accept", "reject", "flag", "undo", "flag",
    ]  # fmt: skip
    assert record["chain"] == {"holds": True, "records": 5, "last_hash": own.read().end}
    about = {each["target"]: each for each in record["standing"]}
    assert about[str(CITATION)]["disagreement"]
    assert [each["decision"] for each in about[str(CITATION)]["opinions"]] == ["reject", "flag"]
    assert about[str(FINDING)]["about"] == "finding PLC001 d03"
    assert record["decisions"][2]["note"] == HOSTILE


def test_a_chain_that_holds_is_status_0_and_one_that_does_not_is_1(own: DecisionLog) -> None:
    assert command("decisions", "x", "--verify", program=BOTH).status == 0
    own.path.write_bytes(own.path.read_bytes().replace(b"page 3", b"page 4"))
    ended = command("decisions", "x", "--verify", program=BOTH)
    assert ended.status == 1
    assert "BROKEN" in ended.out
    assert f"{own.path}:1: line 1 was changed" in ended.err
    assert "page 4" not in ended.out


def test_nothing_is_verified_where_there_is_no_log() -> None:
    assert command("decisions", "x", program=BOTH).status == 0
    ended = command("decisions", "x", "--verify", program=BOTH)
    assert ended.status == 3
    assert "nothing was verified" in ended.err
    record = json.loads(command("decisions", "x", "--format", "json", program=BOTH).out)
    assert (record["exists"], record["chain"]["holds"]) == (False, None)


def test_a_log_that_cannot_be_read_is_status_3() -> None:
    Path(decision_log(AUDIT.run).where).mkdir(parents=True)
    ended = command("decisions", "x", program=BOTH)
    assert ended.status == 3
    assert "cannot be read" in ended.err or "no regular file" in ended.err


def test_which_run_is_asked_for_where_there_are_several(own: DecisionLog) -> None:
    program = FakeProgram([AUDIT, made_audit(made_run("r-2"))])
    assert command("decisions", "x", program=program).status == 2
    ended = command("decisions", "x", "--run", "r-2", program=program)
    assert "No decision was made yet" in ended.out
    assert str(own.path) not in ended.out


def test_decisions_stand_beside_citations_and_findings(foreign: DecisionLog) -> None:
    ended = command("audit", "x", "--decisions", str(foreign.path), program=BOTH)
    assert "☑ accepted by Ann" in ended.out
    assert "☒ rejected by Bo" in ended.out
    assert "2 records, its chain holds" in ended.out
    assert "Decisions do not change the exit status." in ended.out
    assert "\x1b" not in ended.out
    assert ended.err == ""


def test_accepting_a_finding_does_not_change_the_exit_status(foreign: DecisionLog) -> None:
    decide(foreign, made("accept", FINDING, "Ann"))
    assert command("audit", "x", "--decisions", str(foreign.path), program=BOTH).status == 1


def test_the_json_has_a_decision_on_each_only_where_a_log_was_given(foreign: DecisionLog) -> None:
    arguments = ("audit", "x", "--format", "json")
    plain = json.loads(command(*arguments, program=BOTH).out)
    assert "decisions" not in plain
    assert "decision" not in plain["runs"][0]["citations"][0]
    given = json.loads(command(*arguments, "--decisions", str(foreign.path), program=BOTH).out)
    (cited,), (found,) = given["runs"][0]["citations"], given["runs"][0]["findings"]
    assert cited["decision"]["opinions"][0]["decision"] == "accept"
    assert found["decision"]["opinions"][0]["event"]["note"] == HOSTILE
    assert given["decisions"]["last_hash"] == foreign.read().end
    del cited["decision"], found["decision"], given["decisions"]
    assert given == plain


def test_what_is_undecided_says_so_in_the_json(foreign: DecisionLog) -> None:
    other = replace(AUDIT, run=made_run("r-9"))
    program = FakeProgram([other])
    ended = command(
        "audit", "x", "--format", "json", "--decisions", str(foreign.path), program=program
    )
    (run,) = json.loads(ended.out)["runs"]
    assert run["citations"][0]["decision"] is None
    assert "2 decisions on nothing that was audited here" in ended.err


def test_the_page_shows_decisions_as_text(foreign: DecisionLog, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    command("audit", "x", "--output", str(page), "--decisions", str(foreign.path), program=BOTH)
    text = page.read_text("utf-8")
    assert "☑ accepted by Ann" in text
    assert "<script" not in text
    assert foreign.read().end in text


def test_the_log_is_evidence_that_no_result_is_written_over(foreign: DecisionLog) -> None:
    before = foreign.path.read_bytes()
    ended = command(
        "audit", "x", "--output", str(foreign.path), "--format", "json",
        "--decisions", str(foreign.path), program=BOTH,
    )  # fmt: skip
    assert ended.status == 2
    assert foreign.path.read_bytes() == before


def test_decisions_on_another_record_of_the_run_are_said_to_be_such(
    foreign: DecisionLog,
) -> None:
    foreign.append(made("accept", CITATION, "Cy"))
    ended = command("audit", "x", "--decisions", str(foreign.path), program=BOTH)
    assert "1 decision made on another record of run r-1" in ended.err
    assert "accepted by Cy" in ended.out


@pytest.mark.parametrize("audit", [AUDIT, quiet_audit()], ids=["findings", "none"])
def test_a_log_that_is_not_there_or_cannot_be_read_is_status_3(
    tmp_path: Path, audit: Audit
) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        ended = command("audit", "x", "--decisions", str(path), program=FakeProgram([audit]))
        assert ended.status == 3
        assert str(path) in ended.err
        assert "Limits r-1" in ended.out


def test_a_broken_chain_is_told_beside_the_audit(foreign: DecisionLog) -> None:
    foreign.path.write_bytes(foreign.path.read_bytes().replace(b'"Ann"', b'"Eve"'))
    ended = command("audit", "x", "--decisions", str(foreign.path), program=BOTH)
    assert "line 1 was changed" in ended.err
    assert "its chain is broken" in ended.out
    assert "Eve" not in ended.out


def test_a_decision_on_something_unknown_is_shown_by_its_key(own: DecisionLog) -> None:
    decide(own, made("flag", Target(TargetKind.FINDING, HOSTILE), "Ann"))
    ended = command("decisions", "x", program=BOTH)
    assert "(not in this audit)" in ended.out
    assert "\x1b" not in ended.out


def test_finding_the_log_of_a_run_needs_no_database() -> None:
    program = (
        "import sys, reviewer.services.deciding, reviewer.services.reviewing; "
        "print([name for name in sys.modules if name.split('.')[0] in "
        "('sqlmodel', 'sqlalchemy', 'PySide6')])"
    )
    ended = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
        capture_output=True,
        text=True,
    )
    assert ended.stdout == "[]\n"


def test_the_recipe_of_the_manual_checks_a_chain(
    own: DecisionLog, capsys: pytest.CaptureFixture[str]
) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text("utf-8")
    recipe = manual.split("```python\n")[1].split("```")[0].replace("open(log", "lines(log")

    def check() -> None:
        lines = {"lines": lambda log, _: log.read_bytes().splitlines(keepends=True)}
        exec(recipe, {**lines, "log": own.path})  # noqa: S102 - our own manual

    check()
    assert capsys.readouterr().out.strip() == own.read().end
    own.path.write_bytes(own.path.read_bytes().replace(b"page 3", b"page 4"))
    with pytest.raises(AssertionError, match="changed"):
        check()
