"""CSV: what a spreadsheet opens runs nothing, and is not silently cut."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.records.findings import Audit, BaselineState
from store.records.runs import Problem
from tests.made import lost, made_audit, made_finding
from tests.reports import hostile_audit, sample_report, text_of


def _rows(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline=""), strict=True))


def _table(
    *audits: Audit, problems: tuple[Problem, ...] = (), **meta: object
) -> list[dict[str, str]]:
    return _rows(text_of("csv", *audits, problems=problems, **meta))


def test_there_is_a_row_for_each_citation_finding_and_problem(tmp_path: Path) -> None:
    rows = _rows(sample_report("csv", tmp_path))
    kinds = [row["kind"] for row in rows]
    told = json.loads(sample_report("json", tmp_path))["runs"]
    for kind, key in (("citation", "citations"), ("finding", "findings"), ("problem", "problems")):
        assert kinds.count(kind) == sum(len(run[key]) for run in told) > 0
    assert all(row["run_id"] for row in rows if row["kind"] != "made")
    judged = {"citation", "finding", "run"}
    assert all(row["grade"] for row in rows if row["kind"] in judged)
    assert [row["run_id"] for row in rows if row["kind"] == "run"] == [
        run["run_id"] for run in told
    ]


def test_lines_end_as_the_standard_says_and_hold_equally_many_cells() -> None:
    text = text_of("csv", hostile_audit(), made_audit(), problems=(lost(),))
    assert text.endswith("\r\n")
    assert "\r" not in text.replace("\r\n", "")
    assert None not in {value for row in _rows(text) for value in row.values()}


@pytest.mark.parametrize("begin", [*"=+-@\t\r\n", "＝", "＋", "－", "＠", " =", '"=', "\ufeff="])
def test_nothing_is_run_by_a_spreadsheet(begin: str) -> None:
    rows = _table(hostile_audit(f"{begin}cmd|' /C calc'!A0"))
    for row in rows:
        for cell in row.values():
            bare = cell.strip("\t\r\n \"'\u2409\ufeff")
            assert not cell.startswith(tuple("=+-@＝＋－＠"))
            assert cell.startswith("'") or not bare.startswith(tuple("=+-@＝＋－＠"))


@given(st.text(max_size=60))
def test_any_text_in_a_record_gives_one_row_of_harmless_cells(text: str) -> None:
    written = text_of("csv", hostile_audit(text))
    assert written.encode("utf-8")
    assert "\x00" not in written
    rows = _rows(written)
    assert [row["kind"] for row in rows] == ["citation", "finding", "run", "made"]
    for row in rows:
        assert not any(cell.lstrip().startswith(tuple("=+-@＝＋－＠")) for cell in row.values())


def test_a_cell_longer_than_a_spreadsheet_holds_says_what_it_leaves_out() -> None:
    row = _table(hostile_audit("x" * 40_000))[1]
    assert row["reason"].endswith("… (8000 characters more)")
    assert all(len(cell) <= 32_767 for cell in row.values())


def test_chinese_is_there_and_the_file_says_that_it_is_utf8() -> None:
    text = text_of("csv", made_audit())
    assert text.encode().startswith(b"\xef\xbb\xbf")
    assert "单批上限为200条" in text


def test_a_baseline_is_a_column() -> None:
    new = replace(made_finding(), baseline=BaselineState.NEW)
    gone = replace(made_finding(), baseline=BaselineState.ABSENT)
    audit = replace(made_audit(), findings=(new,), absent=(gone,))
    assert [row["baseline"] for row in _table(audit)[:3]] == ["", "new", "absent"]
    assert not any(row["baseline"] for row in _table(made_audit()))
