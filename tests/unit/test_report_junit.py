"""JUnit: what CI servers show as passed did pass."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from reviewer.audit.rules import rules
from store.records.findings import Audit, BaselineState, Setting, Severity, Verdict
from store.records.reviews import DecisionKind, finding_target
from store.records.runs import Problem
from tests.made import (
    lost,
    made_audit,
    made_citation,
    made_finding,
    made_run,
    quiet_audit,
    unknown_audit,
)
from tests.reports import SCHEMAS, decided, hostile_audit, sample_report, text_of

_SCHEMA = etree.XMLSchema(etree.parse(str(SCHEMAS / "junit.xsd")))


def _root(text: str) -> etree._Element:
    root = etree.fromstring(text.encode())
    _SCHEMA.assertValid(root)
    return root


def _cases(*audits: Audit, problems: tuple[Problem, ...] = (), **meta: object) -> dict[str, str]:
    """Return the state of each case by its name."""
    return dict(_states(_root(text_of("junit", *audits, problems=problems, **meta))))


def _states(root: etree._Element) -> Iterator[tuple[str, str]]:
    for case in root.iter("testcase"):
        states = [child.tag for child in case if child.tag != "system-out"]
        yield case.get("name"), states[0] if states else "passed"


def test_the_sample_is_valid_and_its_counts_are_those_of_its_cases(tmp_path: Path) -> None:
    root = _root(sample_report("junit", tmp_path))
    assert len(root) == 2
    for suite in root:
        states = [state for _, state in _states(suite)]
        assert int(suite.get("tests")) == len(states)
        assert int(suite.get("failures")) == states.count("failure")
        assert int(suite.get("skipped")) == states.count("skipped")
        assert int(suite.get("errors")) == states.count("error")


@given(st.text(max_size=40))
def test_any_text_in_a_record_gives_valid_xml(text: str) -> None:
    audit = hostile_audit(text)
    run = replace(audit.run, problems=(lost(text),))
    _root(text_of("junit", replace(audit, run=run), problems=(lost(text),)))


def test_hostile_text_is_valid_and_no_markup() -> None:
    root = _root(text_of("junit", hostile_audit(), problems=(lost("\x00\ud800]]>"),)))
    assert not list(root.iter("script"))


def test_a_citation_passes_only_where_it_was_read() -> None:
    verdicts = list(Verdict)
    cited = tuple(made_citation(place, each) for place, each in enumerate(verdicts))
    found = tuple(
        replace(
            made_finding(),
            rule="CIT001",
            where=replace(made_finding().where, citation=place),
            fingerprint=f"{place}",
        )
        for place, verdict in enumerate(verdicts)
        if verdict is not Verdict.READ
    )
    states = list(_cases(replace(made_audit(), citations=cited, findings=found)).values())
    for verdict, state in zip(verdicts, states, strict=False):
        expected = {Verdict.READ: "passed", Verdict.UNVERIFIABLE: "skipped"}
        assert state == expected.get(verdict, "failure"), verdict


def test_a_citation_whose_rule_is_off_neither_passes_nor_fails() -> None:
    audit = replace(quiet_audit(), citations=(made_citation(0, Verdict.NEVER_READ),))
    assert next(iter(_cases(audit).values())) == "skipped"


def test_a_rule_that_found_nothing_passes() -> None:
    states = _cases(quiet_audit())
    for rule in rules():
        assert states[f"{rule.id} {rule.name}"] == "passed"


@pytest.mark.parametrize(
    "audit",
    [unknown_audit(), quiet_audit(replace(made_run(), problems=(lost("runs/r-1/x"),)))],
)
def test_a_rule_that_could_not_look_everywhere_is_never_passed(audit: Audit) -> None:
    states = _cases(audit)
    assert {states[f"{rule.id} {rule.name}"] for rule in rules()} == {"skipped"}


def test_what_could_not_be_read_is_an_error() -> None:
    audit = quiet_audit(replace(made_run(), problems=(lost("runs/r-1/x"),)))
    assert _cases(audit)["runs/r-1/x"] == "error"
    assert _cases(quiet_audit(), problems=(lost("gone.jsonl"),))["gone.jsonl"] == "error"


def test_each_finding_is_a_case_of_its_own_with_its_place() -> None:
    found = (made_finding(), replace(made_finding(), where=replace(made_finding().where, call=9)))
    states = _cases(replace(made_audit(), findings=found))
    failed = [name for name, state in states.items() if state == "failure"]
    assert len(failed) == 2
    assert any("call 9" in name for name in failed)


def test_a_note_is_shown_and_fails_nothing() -> None:
    audit = replace(made_audit(), findings=(made_finding(Severity.NOTE),))
    assert "failure" not in _cases(audit).values()
    assert "(a note)" in text_of("junit", audit)


def test_a_finding_that_every_reviewer_accepted_is_skipped_with_their_words() -> None:
    target = finding_target(made_finding())
    assert target is not None
    accepted = (DecisionKind.ACCEPT, "ada", "known since May")
    reviews = decided(accepted, target=target)
    assert "failure" not in _cases(made_audit(), reviews=reviews).values()
    assert "known since May" in text_of("junit", made_audit(), reviews=reviews)
    reviews = decided(accepted, (DecisionKind.REJECT, "bo", ""), target=target)
    assert "failure" in _cases(made_audit(), reviews=reviews).values()


def test_a_finding_of_the_baseline_is_skipped() -> None:
    for state, expected in ((BaselineState.UNCHANGED, False), (BaselineState.NEW, True)):
        audit = replace(made_audit(), findings=(replace(made_finding(), baseline=state),))
        assert ("failure" in _cases(audit).values()) is expected


def test_grade_layer_and_digest_are_properties_of_the_suite() -> None:
    root = _root(text_of("junit", made_audit()))
    told = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert told["layer"] == "client"
    assert told["grade"].startswith("grade recorded")
    assert len(told["digest"]) == 64


def test_evidence_that_is_shortened_says_by_how_much() -> None:
    text = text_of("junit", hostile_audit("x" * 100))
    assert "characters more)" in text


def test_a_rule_whose_findings_were_left_out_is_not_passed() -> None:
    off = Setting("rules.PLC001.severity", "off", "reread.toml", 2, off=3)
    audit = replace(quiet_audit(), settings=(off,))
    (state,) = [state for name, state in _cases(audit).items() if name.startswith("PLC001")]
    assert state == "skipped"
    assert "3 findings left out" in text_of("junit", audit)
    assert 'rules.PLC001.severity = "off"' in text_of("csv", audit).replace('""', '"')
