"""SARIF: valid, shown right by its viewers, and exact about where things stand."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.records.findings import Audit, BaselineState, Setting, Verdict
from store.records.reviews import DecisionKind, finding_target
from store.records.runs import Problem, ProblemKind
from store.records.sources import Integrity
from store.records.text import Span
from tests.made import HASH, lost, made_audit, made_citation, made_finding, made_run
from tests.reports import (
    answered_run,
    audit_of_text,
    decided,
    hostile_audit,
    sample_report,
    text_of,
)

Log = Mapping[str, Any]


def _log(*audits: Audit, problems: tuple[Problem, ...] = (), **meta: object) -> Log:
    found = json.loads(text_of("sarif", *audits, problems=problems, **meta))
    assert isinstance(found, dict)
    (run,) = found["runs"]
    return dict(run)


def _region(text: str, span: Span, **version: object) -> Mapping[str, Any]:
    audit = audit_of_text(text, span, **version)
    run = _log(audit, file_of=lambda *_: "runs/r-1/store/objects/14/1")
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    return dict(region)


@pytest.fixture(scope="module")
def schema() -> Log:
    """Give the schema that OASIS published, which is no part of this project."""
    from tests.conformance.check_data import shared_folder  # noqa: PLC0415

    path = shared_folder() / "examples" / "standards" / "sarif-schema-2.1.0.json"
    if not path.is_file():
        pytest.skip(f"the schema of SARIF is not in {path}")
    return dict(json.loads(path.read_text("utf-8")))


def test_the_sample_is_valid(schema: Log, tmp_path: Path) -> None:
    for everything in (False, True):
        text = sample_report("sarif", tmp_path, everything=everything)
        jsonschema.validate(json.loads(text), schema)


@pytest.mark.parametrize("everything", [False, True])
def test_hostile_text_leaves_it_valid(schema: Log, *, everything: bool) -> None:
    for audit in (hostile_audit(), made_audit(), hostile_audit("")):
        text = text_of("sarif", audit, problems=(lost("\x00\ud800"),), everything=everything)
        jsonschema.validate(json.loads(text), schema)
        assert text.encode("utf-8")


@given(st.text(min_size=1, max_size=40))
def test_any_text_in_a_record_gives_json_without_what_parsers_refuse(text: str) -> None:
    written = text_of("sarif", hostile_audit(text), everything=True)
    json.loads(written)
    assert "\\u0000" not in written
    assert "\\ud8" not in written.lower()


def test_every_result_has_a_file_a_line_and_an_identity(tmp_path: Path) -> None:
    (run,) = json.loads(sample_report("sarif", tmp_path))["runs"]
    audited = json.loads(sample_report("json", tmp_path))["runs"]
    assert len(run["results"]) == sum(len(each["findings"]) for each in audited) > 20
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        file = tmp_path / place["artifactLocation"]["uri"]
        assert file.is_file(), file
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert 1 <= place["region"]["startLine"] <= file.read_bytes().count(b"\n") + 1
        assert result["partialFingerprints"]["reread/v1"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    prints = [each["partialFingerprints"]["primaryLocationLineHash"] for each in run["results"]]
    assert len(set(prints)) == len(prints)


def test_the_region_of_a_cited_text_holds_exactly_that_text_in_its_file(tmp_path: Path) -> None:
    (run,) = json.loads(sample_report("sarif", tmp_path))["runs"]
    checked = 0
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        if "snippet" not in region:
            continue
        data = (tmp_path / place["artifactLocation"]["uri"]).read_bytes()
        start, end = result["properties"]["reread/byteSpan"]
        assert data[start:end].decode() == region["snippet"]["text"]
        lines = data.decode().split("\n")
        before = lines[region["startLine"] - 1].encode("utf-16-le")
        rest = before[2 * (region["startColumn"] - 1) :].decode("utf-16-le")
        assert region["snippet"]["text"].startswith(rest[:5])
        checked += 1
    assert checked >= 10


def test_columns_count_utf16_and_spans_count_characters_and_bytes() -> None:
    text = "一\n🤔 is 四 here\n"
    span = Span(text.index("四"), text.index("四") + 1)
    region = _region(text, span)
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 7, 8)
    result = _log(audit_of_text(text, span))["results"][0]
    assert result["properties"]["reread/span"] == [7, 8]
    assert result["properties"]["reread/byteSpan"] == [12, 15]
    assert _log(made_audit())["columnKind"] == "utf16CodeUnits"


@given(st.text(alphabet="a四🤔\n\r\u2028é", min_size=1, max_size=30), st.data())
def test_lines_and_columns_lead_back_to_the_cited_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    region = _region(text, Span(start, end))
    units = [line.encode("utf-16-le") for line in text.split("\n")]
    starts = [0]
    for line in units:
        starts.append(starts[-1] + len(line) // 2 + 1)
    at = starts[region["startLine"] - 1] + region["startColumn"] - 1
    to = starts[region["endLine"] - 1] + region["endColumn"] - 1
    whole = text.encode("utf-16-le")
    assert whole[2 * at : 2 * to].decode("utf-16-le") == text[start:end]


def test_a_byte_order_mark_is_no_column_and_is_told_of() -> None:
    region = _region("\ufeffabc", Span(1, 3))
    assert (region["startColumn"], region["endColumn"]) == (1, 3)
    run = _log(audit_of_text("\ufeffabc", Span(1, 3)), file_of=lambda *_: "runs/r-1/x")
    assert run["artifacts"][0]["properties"]["reread/byteOrderMark"] is True
    assert run["artifacts"][0]["hashes"] == {"sha-256": HASH}


def test_a_region_never_names_bytes_which_viewers_take_for_a_hex_dump() -> None:
    assert "byteOffset" not in _region("abc", Span(0, 2))


def test_a_long_snippet_says_how_much_it_leaves_out() -> None:
    region = _region("x" * 5000, Span(0, 5000))
    assert len(region["snippet"]["text"]) == 1000
    assert region["properties"]["reread/charactersLeftOut"] == 4000


def test_bytes_that_changed_are_no_place_of_a_result() -> None:
    audit = audit_of_text("abc", Span(0, 2), integrity=Integrity.CHANGED)
    run = _log(audit, file_of=lambda *_: "runs/r-1/store/objects/14/1")
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "runs/r-1/events.jsonl"
    assert run["results"][0]["properties"]["reread/byteSpan"] is None


def test_a_citation_without_a_place_is_shown_in_its_answer() -> None:
    audit = replace(audit_of_text("abc", Span(0, 9)), run=answered_run())
    cited = replace(audit.citations[0], evidence=None, call_at_answer=1)
    found = replace(audit.findings[0], where=replace(audit.findings[0].where, message=None))
    audit = replace(audit, citations=(cited,), findings=(found,))
    place = _log(audit)["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "runs/r-1/events.jsonl"
    assert place["region"]["startLine"] == 3


@pytest.mark.parametrize("path", ["/home/somebody/runs/r-1", "../elsewhere/r-1", "-", "a/../b"])
def test_no_address_tells_a_place_on_the_machine(path: str) -> None:
    audit = made_audit(made_run("r-1", path))
    problem = lost(f"{path}/store/versions.jsonl:3")
    setting = Setting("rules.CIT007.severity", "note", "/home/somebody/reread.toml", 2)
    audit = replace(audit, settings=(setting,))
    text = text_of("sarif", audit, problems=(problem, lost("/home/somebody/gone.jsonl")))
    run = json.loads(text)["runs"][0]
    assert "somebody" not in text
    assert "%SRCROOT%" in text or run["originalUriBaseIds"]
    for artifact in run["artifacts"]:
        assert not artifact["location"]["uri"].startswith(("/", ".."))
        assert artifact["location"]["uriBaseId"] in run["originalUriBaseIds"]


def test_addresses_are_percent_encoded_and_two_folders_of_one_name_are_two() -> None:
    runs = [made_audit(made_run("a", "/x/r 1%")), made_audit(made_run("b", "/y/r 1%"))]
    found = [each["location"] for each in _log(*runs)["artifacts"]]
    assert [each["uri"] for each in found] == ["r%201%25/events.jsonl"] * 2
    assert [each["uriBaseId"] for each in found] == ["EVIDENCE", "EVIDENCE2"]


def test_what_could_not_be_read_is_an_execution_that_did_not_succeed() -> None:
    noted = Problem("a", "read tolerantly", ProblemKind.NOTED)
    good = _log(made_audit(), problems=(noted,))["invocations"][0]
    assert good["executionSuccessful"] is True
    assert [each["level"] for each in good["toolExecutionNotifications"]] == ["note"]
    bad = _log(made_audit(), problems=(noted, lost()))["invocations"][0]
    assert bad["executionSuccessful"] is False
    assert bad["toolExecutionNotifications"][1]["descriptor"]["id"] == "lost"


def test_a_problem_of_a_run_is_a_notification_too() -> None:
    audit = made_audit(replace(made_run(), problems=(lost("runs/r-1/x"),)))
    told = _log(audit)["invocations"][0]
    assert told["executionSuccessful"] is False
    assert "runs/r-1/x" in told["toolExecutionNotifications"][0]["message"]["text"]


def test_citations_that_hold_are_results_only_where_everything_is_asked_for() -> None:
    audit = replace(made_audit(), citations=(made_citation(), made_citation(1, Verdict.NEVER_READ)))
    assert [each["kind"] for each in _log(audit)["results"]] == ["fail"]
    shown = _log(audit, everything=True)
    assert [(each["kind"], each["level"]) for each in shown["results"]] == [
        ("fail", "error"),
        ("pass", "none"),
    ]
    rule = shown["tool"]["driver"]["rules"][shown["results"][1]["ruleIndex"]]
    assert rule["id"] == shown["results"][1]["ruleId"]
    counts = _log(audit)["properties"]["reread/runs"][0]["citationsByVerdict"]
    assert counts == {"never_read": 1, "read": 1}


def test_a_baseline_tells_new_findings_from_known_ones_and_from_those_that_are_gone() -> None:
    found = [
        replace(made_finding(), baseline=BaselineState.NEW),
        replace(made_finding(), fingerprint="e" * 32, baseline=BaselineState.UNCHANGED),
    ]
    gone = replace(made_finding(), fingerprint="d" * 32, baseline=BaselineState.ABSENT)
    audit = replace(made_audit(), findings=tuple(found), absent=(gone,), citations=())
    run = _log(audit, baseline_name="known.json")
    assert [each["baselineState"] for each in run["results"]] == ["new", "unchanged"]
    assert run["properties"]["reread/runs"][0]["findingsGone"] == 1
    assert run["properties"]["reread/baseline"] == "known.json"
    every = _log(audit, everything=True)["results"]
    assert [each["baselineState"] for each in every] == ["new", "unchanged", "absent"]
    assert "baselineState" not in _log(made_audit())["results"][0]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (DecisionKind.ACCEPT, "accepted"),
        (DecisionKind.REJECT, "rejected"),
        (DecisionKind.FLAG, "underReview"),
    ],
)
def test_a_decision_is_a_suppression_of_its_status(kind: DecisionKind, status: str) -> None:
    target = finding_target(made_finding())
    assert target is not None
    reviews = decided((kind, "ada", "known since May"), target=target)
    (suppression,) = _log(made_audit(), reviews=reviews)["results"][0]["suppressions"]
    assert suppression["kind"] == "external"
    assert suppression["status"] == status
    assert suppression["justification"] == "ada, 2026-03-12 09:00:00Z: known since May"


def test_reviewers_who_disagree_suppress_nothing() -> None:
    target = finding_target(made_finding())
    assert target is not None
    reviews = decided(
        (DecisionKind.ACCEPT, "ada", ""), (DecisionKind.FLAG, "bo", ""), target=target
    )
    found = _log(made_audit(), reviews=reviews)["results"][0]["suppressions"]
    assert [each["status"] for each in found] == ["accepted", "underReview"]


def test_a_note_alone_and_no_decision_at_all_suppress_nothing() -> None:
    target = finding_target(made_finding())
    assert target is not None
    reviews = decided((DecisionKind.NOTE, "ada", "look again"), target=target)
    assert _log(made_audit(), reviews=reviews)["results"][0]["suppressions"] == []
    assert "suppressions" not in _log(made_audit())["results"][0]


def test_each_rule_says_what_it_checks_and_why() -> None:
    for rule in _log(made_audit())["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"] in rule["help"]["text"]
        assert "Why it matters" in rule["help"]["text"]


def test_words_of_the_evidence_are_never_a_link_in_a_message() -> None:
    (result,) = _log(hostile_audit("see [here](http://evil.example)"))["results"]
    places = [*result["locations"], *result.get("relatedLocations", [])]
    texts = [each["message"]["text"] for each in (result, *places)]
    assert any("here" in text for text in texts)
    assert not any("[here](" in text for text in texts)


def test_the_grade_and_the_digest_of_what_is_spoken_of_are_told(tmp_path: Path) -> None:
    (run,) = json.loads(sample_report("sarif", tmp_path))["runs"]
    assert all(each["properties"]["reread/grade"] for each in run["results"])
    for told in run["properties"]["reread/runs"]:
        assert len(told["digest"]) == 64
        assert told["grade"] == "recorded"
