"""``reread bill``: the figures of each call, in words, as JSON and as CSV."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.app import Program
from store.builder import RunBuilder
from store.records.findings import Audit
from store.records.grades import Layer
from store.records.runs import Usage
from tests.made import FakeProgram, command, lost, made_audit, unknown_audit


@pytest.fixture
def scenarios(shared: Path) -> Path:
    return shared / "data" / "scenarios"


def shown(audit: Audit, *options: str) -> str:
    return command("bill", "x", *options, program=FakeProgram([audit])).out


def test_each_call_has_a_line_with_its_figures_and_a_bar_of_letters(scenarios: Path) -> None:
    ended = command("bill", str(scenarios / "context-bill"), program=Program(strict=True))
    assert ended.status == 0
    rows = [line.split() for line in ended.out.splitlines() if " recorded  " in line]
    assert [int(row[0]) for row in rows] == list(range(1, 22))
    assert rows[-1][2:5] == ["100,121", "1,051,281", "100,000"]
    assert rows[-1][5:7] == ["–", "–"]
    assert set(rows[-1][7]) == {"t"}
    assert len(rows[-1][7]) == pytest.approx(2 * len(rows[10][7]), abs=2)


def test_a_broken_prefix_stands_under_its_call_with_what_broke_it(scenarios: Path) -> None:
    ended = command("bill", str(scenarios / "turn-end-clearing"), program=Program(strict=True))
    said = " ".join(ended.out.split())
    assert "prefix broken at byte 43 of 8,792: the result of call-001 was cleared" in said
    assert "4,380 bytes behind it were sent before" in said
    assert "Taking 7 results away saved about 45,120 tokens" in said


def test_a_result_that_was_shorter_than_what_took_its_place_saved_nothing(shared: Path) -> None:
    record = shared / "data" / "langchain" / "03b_old_msgpack_v2" / "checkpoints.sqlite"
    said = " ".join(command("bill", str(record), program=Program(strict=True)).out.split())
    assert "Taking 1 result away added about 10 tokens to the requests that followed" in said
    assert "cost 10 more in 2 requests" in said
    assert "-10" not in said


def test_repeated_text_and_what_was_refused_are_told_with_their_cost(scenarios: Path) -> None:
    ended = command("bill", str(scenarios / "retrieval-admission"), program=Program(strict=True))
    said = " ".join(ended.out.split())
    assert "doc#A chars [0:255]: came 5 times, in calls 2, 5, 6, 7, 8; 4 asked for while" in said
    assert "doc#B: never stood whole; refused from call 3 on" in said


def test_a_request_whose_grade_is_unknown_is_not_billed_as_fact() -> None:
    audit = unknown_audit()
    rows = tuple(
        replace(row, grade=call.grade)
        for row, call in zip(audit.bill.calls, audit.calls, strict=True)
    )
    said = " ".join(shown(replace(audit, bill=replace(audit.bill, calls=rows))).split())
    assert "cannot be billed as fact" in said


def test_usage_of_some_calls_is_no_sum_of_all() -> None:
    said = " ".join(shown(made_audit()).split())
    assert "Reported input: 900 tokens over 1 of 2 calls; what the others used is not known" in said


def test_a_reported_zero_is_told_as_none_reported() -> None:
    audit = made_audit()
    row = replace(audit.bill.calls[0], usage=Usage(input_tokens=0))
    bill = replace(audit.bill, calls=(row, *audit.bill.calls[1:]))
    assert "0 reported tokens count as none reported" in shown(replace(audit, bill=bill))


def test_without_a_tokenizer_no_figure_is_made_up() -> None:
    audit = made_audit()
    rows = tuple(replace(row, resident=None, cumulative=None) for row in audit.bill.calls)
    text = shown(replace(audit, bill=replace(audit.bill, encoding="", calls=rows)))
    (first,) = [line for line in text.splitlines() if line.lstrip().startswith("1 ")]
    assert first.split() == ["1", audit.calls[0].grade.value, "–", "–", "–", "–", "–"]


def test_a_run_without_calls_says_so() -> None:
    empty = RunBuilder("empty", "empty", "made", Layer.CLIENT).finish()
    ended = command("bill", "x", program=FakeProgram([replace(made_audit(empty), calls=())]))
    assert "no model calls" in ended.out
    assert ended.status == 3


def test_the_json_holds_the_bill_of_the_audit() -> None:
    record = json.loads(shown(made_audit(), "--format", "json"))
    assert record["schema"] == "reread.bill/1"
    (run,) = record["runs"]
    assert [row["cumulative_tool_result_tokens"] for row in run["bill"]] == [0, 20]
    assert run["bill_summary"]["calls_with_reported_input"] == 1


def test_the_csv_has_a_line_for_each_call_and_leaves_empty_what_is_not_known() -> None:
    rows = list(csv.DictReader(io.StringIO(shown(made_audit(), "--format", "csv"))))
    assert [row["resident_tokens"] for row in rows] == ["20", "40"]
    assert [row["tool_result"] for row in rows] == ["0", "20"]
    assert [row["reported_input"] for row in rows] == ["", "900"]


def test_no_text_in_the_csv_is_a_formula() -> None:
    audit = made_audit()
    run = replace(audit.run, run_id="=1+1", path="@x")
    (row, *_) = csv.DictReader(io.StringIO(shown(replace(audit, run=run), "--format", "csv")))
    assert (row["run_id"], row["path"]) == ("'=1+1", "'@x")


def test_what_could_not_be_opened_makes_the_status_three() -> None:
    program = FakeProgram([made_audit(), lost()])
    assert command("bill", "x", program=program).status == 3
