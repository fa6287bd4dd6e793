"""The JSON report: a contract for outside programs."""

import json
from dataclasses import replace

from reviewer.audit.engine import audit as audited
from reviewer.reports import Meta, reports
from store.records.findings import Audit, Verdict
from store.records.runs import Problem
from tests.made import HASH, HOSTILE, lost, made_audit, made_citation, made_run


def _text(*audits: Audit, problems: tuple[Problem, ...] = ()) -> str:
    return "".join(reports()["json"].write(iter(audits), problems, Meta("1.2")))


def test_the_keys_are_those_of_the_schema_in_its_order() -> None:
    record = json.loads(_text(made_audit()))
    assert list(record) == ["schema", "tool", "runs", "problems"]
    assert record["schema"] == "reread.audit/1"
    assert record["tool"] == {"name": "reread", "version": "1.2"}
    (run,) = record["runs"]
    assert list(run) == [
        "run_id", "title", "path", "format", "layer", "grade", "counts", "parent_run", "branch",
        "problems", "calls", "sources", "reads", "placeholders", "edits", "citations", "claims",
        "bill", "bill_summary", "retention", "findings", "settings", "absent", "digest",
    ]  # fmt: skip
    assert run["counts"] == {
        "calls": 2, "messages": 3, "tool_calls": 1, "tool_results": 0,
        "sources": 1, "versions": 1, "citations": 1, "findings": 1,
    }  # fmt: skip


def test_a_citation_says_what_was_cited_and_what_holds() -> None:
    (run,) = json.loads(_text(made_audit()))["runs"]
    cited = run["citations"][0]
    assert (cited["version_id"], cited["span"], cited["unit"]) == (HASH, [0, 10], "char")
    assert (cited["verdict"], cited["side"], cited["anchor"]) == ("read", "source", "exact")
    assert cited["evidence"]["text"] == "单批上限为200条。"
    assert cited["evidence"]["message_span"] == [0, 10]


def test_both_kinds_of_wrong_version_read_alike() -> None:
    kinds = [Verdict.WRONG_HASH, Verdict.WRONG_VERSION]
    cited = tuple(made_citation(place, kind) for place, kind in enumerate(kinds))
    (run,) = json.loads(_text(replace(made_audit(), citations=cited)))["runs"]
    assert [each["verdict"] for each in run["citations"]] == ["wrong_version", "wrong_version"]


def test_what_json_or_a_terminal_cannot_hold_is_escaped_and_stays_the_same_text() -> None:
    text = _text(made_audit())
    assert text.encode().decode() == text
    assert "\\ud83d" in text
    assert "\\u0000" in text
    assert "\\u202e" in text
    assert "\x1b" not in text
    (run,) = json.loads(text)["runs"]
    assert run["reads"][0]["declared"]["reason"] == HOSTILE
    assert run["reads"][0]["declared"]["loaded"] == "nan"


def test_chinese_stays_readable() -> None:
    assert "单批上限为200条" in _text(made_audit())


def test_several_runs_and_the_problems_of_opening_make_one_object() -> None:
    runs = [made_audit(made_run("r-1")), made_audit(made_run("r-2"))]
    record = json.loads(_text(*runs, problems=(lost("x.jsonl"),)))
    assert [run["run_id"] for run in record["runs"]] == ["r-1", "r-2"]
    assert record["problems"] == [
        {"where": "x.jsonl", "what": "cannot be opened; check its rights", "kind": "lost"}
    ]


def test_no_run_at_all_is_still_an_object() -> None:
    record = json.loads(_text(problems=(lost(),)))
    assert record["runs"] == []
    assert len(record["problems"]) == 1


def test_a_bill_without_a_tokenizer_has_its_calls_and_no_tokens() -> None:
    audit = replace(made_audit(), bill=audited(made_run()).bill)
    (run,) = json.loads(_text(audit))["runs"]
    assert [row["call"] for row in run["bill"]] == [1, 2]
    assert {row["tool_result_tokens"] for row in run["bill"]} == {None}
    assert {row["cumulative_tokens"] for row in run["bill"]} == {None}
    assert run["bill"][1]["reported_input"] == 900
    assert run["bill_summary"]["cumulative_tokens"] is None


def test_what_was_not_counted_is_null_and_not_zero() -> None:
    (run,) = json.loads(_text(made_audit()))["runs"]
    assert [row["resident_tokens"] for row in run["bill"]] == [20, 40]
    assert [row["cumulative_tokens"] for row in run["bill"]] == [20, 60]
    assert [row["tool_result_tokens"] for row in run["bill"]] == [0, 20]
    assert run["bill"][0]["reported_input"] is None
    assert run["bill"][0]["unaccounted_tokens"] is None
    assert run["calls"][0]["tokens"]["reported_input"] is None
    assert run["placeholders"][0]["first_call"] is None
