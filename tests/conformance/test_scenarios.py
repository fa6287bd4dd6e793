"""The six scenario folders: what an audit must find is written beside each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from reviewer.audit.engine import audit
from reviewer.services.tokenizer import load_tokenizer
from store.opening import open_paths
from store.records.bills import Bill, BillKind
from store.records.findings import Audit, Grounding, Outcome, PlaceholderKind, ReadFacts, State
from store.records.grades import Grade
from store.records.runs import PartKind, Run

SCENARIOS = (
    "context-bill",
    "coverage-facts",
    "evidence-tools",
    "folded-reference",
    "retrieval-admission",
    "turn-end-clearing",
)


@cache
def audited(folder: Path) -> Audit:
    (run,) = (found for found in open_paths([str(folder)]) if isinstance(found, Run))
    return audit(run)


@cache
def expected(folder: Path) -> Mapping[str, object]:
    value: Mapping[str, object] = json.loads((folder / "expected.json").read_bytes())
    return value


@pytest.fixture
def scenarios(shared: Path) -> Path:
    return shared / "data" / "scenarios"


def read_of(found: Audit, source_id: str) -> ReadFacts:
    return next(read for read in found.reads if read.selection.source_id == source_id)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_citation_gets_its_expected_verdict(scenarios: Path, name: str) -> None:
    found = audited(scenarios / name)
    verdicts = [facts.verdict.word for facts in found.citations]
    assert verdicts == expected(scenarios / name).get("citations", [])


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_request_is_recorded(scenarios: Path, name: str) -> None:
    found = audited(scenarios / name)
    assert found.run.grade is Grade.RECORDED
    assert {call.grade for call in found.calls} == {Grade.RECORDED}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_called_read_stands_in_the_request_to_the_letter(
    scenarios: Path, name: str
) -> None:
    found = audited(scenarios / name)
    for facts in found.citations:
        if facts.evidence is None:
            continue
        place = facts.evidence
        message = found.run.messages[found.run.request(place.call)[place.message]]
        text = message.parts[place.part].text
        assert text[place.message_span.start : place.message_span.end] == place.text


def test_evidence_tools_fires_exactly_the_expected_rules(scenarios: Path) -> None:
    found = audited(scenarios / "evidence-tools")
    want = expected(scenarios / "evidence-tools")
    assert sorted({finding.rule for finding in found.findings}) == want["rules"]


def test_evidence_tools_delivered_the_tail_and_previewed_twelve(scenarios: Path) -> None:
    found = audited(scenarios / "evidence-tools")
    want = expected(scenarios / "evidence-tools")
    versions = {s.source_id: s.versions[0] for s in found.sources if s.versions[0].listed}
    assert sum(bool(v.previewed) for v in versions.values()) == want["previewed_sources"]
    spans = [[s.start, s.end] for s in versions["d03"].delivered]
    assert {"d03": spans} == want["delivered"]
    assert not any(v.delivered for name, v in versions.items() if name != "d03")


def test_evidence_tools_results_have_the_expected_size_in_the_last_request(
    scenarios: Path,
) -> None:
    found = audited(scenarios / "evidence-tools")
    request = found.run.request(len(found.calls))
    failed = {result.tool_call_id for result in found.run.tool_results if result.failed}
    results = [
        part.text
        for index in request
        for part in found.run.messages[index].parts
        if part.kind is PartKind.TOOL_RESULT and part.tool_call_id not in failed
    ]
    want = expected(scenarios / "evidence-tools")["delivered_result_bytes"]
    assert sum(len(text.encode()) for text in results) == want


def test_coverage_facts_are_recomputed_beside_the_declared_ones(scenarios: Path) -> None:
    found = audited(scenarios / "coverage-facts")
    reads = expected(scenarios / "coverage-facts")["reads"]
    assert isinstance(reads, dict)
    for source_id, facts in reads.items():
        read = read_of(found, source_id)
        for name in ("requested", "loaded", "byte_complete", "filtered_count", "input_complete"):
            if name in facts:
                assert getattr(read.recomputed, name) == facts[name], (source_id, name)
        if "declared_agrees" in facts:
            assert read.agrees is facts["declared_agrees"], source_id
        if "missing" in facts:
            assert len(read.recomputed.missing) == facts["missing"], source_id
        if "missing_ids" in facts:
            assert list(read.recomputed.missing) == facts["missing_ids"]
            assert list(read.recomputed.duplicate) == facts["duplicate_ids"]


def test_coverage_facts_show_a_silent_cut_a_reference_and_a_chosen_part(scenarios: Path) -> None:
    found = audited(scenarios / "coverage-facts")
    versions = {s.source_id: s.versions[0] for s in found.sources}
    assert [[s.start, s.end] for s in versions["src-d"].delivered] == [[0, 6007]]
    assert read_of(found, "src-g").outcome is Outcome.PLACEHOLDER
    assert versions["src-g"].state_at_answer is State.PLACEHOLDER
    assert read_of(found, "src-e").outcome is Outcome.DELIVERED
    assert versions["src-e"].state_at_answer is State.PARTIAL


def test_coverage_facts_name_the_stale_the_foreign_and_the_changed(scenarios: Path) -> None:
    found = audited(scenarios / "coverage-facts")
    named = {(finding.rule, finding.where.source_id) for finding in found.findings}
    assert {("SNP005", "src-h"), ("ACC002", "other-run"), ("SNP001", "src-j")} <= named
    assert [finding.rule for finding in found.findings].count("SNP001") == 1


def test_folded_reference_keeps_ten_lines_and_stays_the_same(scenarios: Path) -> None:
    found = audited(scenarios / "folded-reference")
    want = expected(scenarios / "folded-reference")
    (fact,) = found.placeholders
    (source,) = [s for s in found.sources if s.source_id == "contract"]
    text = source.versions[0].version.text or ""
    kept = "".join(text[span.start : span.end] for span in fact.kept)
    assert len([line for line in kept.split("\n") if line]) == want["kept_lines"]
    assert fact.kind is PlaceholderKind.FOLDED
    assert (fact.first_call, fact.last_full_call) == (5, 4)
    assert fact.byte_stable is want["byte_stable_placeholder"]
    assert source.versions[0].state_at_answer.value == want["state_at_answer"]
    assert fact.original_chars == want["chars"]


def test_retrieval_admission_shows_the_refused_read_and_both_versions(scenarios: Path) -> None:
    found = audited(scenarios / "retrieval-admission")
    want = expected(scenarios / "retrieval-admission")
    refused = [r.selection.source_id for r in found.reads if r.outcome is Outcome.REFUSED]
    assert refused == want["refused_reads"]
    silent = [f.where.source_id for f in found.findings if f.rule == "BUD002"]
    assert silent == want["refused_reads"]
    again = [f.where.source_id for f in found.findings if f.rule == "BUD004"]
    assert dict.fromkeys(again, 5) == want["repeated_reads"]
    (fact,) = found.placeholders
    assert (fact.kind, fact.last_full_call, fact.kept) == (PlaceholderKind.REFUSED, None, ())
    mixed = [s.source_id for s in found.sources if sum(bool(v.delivered) for v in s.versions) > 1]
    assert mixed == want["mixed_versions"]


def test_turn_end_clearing_shows_each_cleared_result_and_the_one_read_again(
    scenarios: Path,
) -> None:
    found = audited(scenarios / "turn-end-clearing")
    want = expected(scenarios / "turn-end-clearing")
    cleared = [fact for fact in found.placeholders if fact.kind is PlaceholderKind.CLEARED]
    assert len({fact.tool_call_id for fact in cleared}) == want["cleared_tool_calls"]
    assert len(found.calls) == want["calls"]
    again = {fact.source_id: True for fact in cleared if fact.reread_at_call}
    assert again == want["reread"]
    assert all(fact.last_full_call == (fact.first_call or 0) - 1 for fact in cleared)


def test_turn_end_clearing_reports_its_broken_last_line_and_keeps_the_unknown_event(
    scenarios: Path,
) -> None:
    found = audited(scenarios / "turn-end-clearing")
    assert "vendor_note" in [event.name for event in found.run.other_events]
    (problem,) = found.run.problems
    assert "last line" in problem.what
    assert problem.where.endswith("events.jsonl:39")


def test_turn_end_clearing_names_the_literal_that_was_cleared_and_no_other(
    scenarios: Path,
) -> None:
    found = audited(scenarios / "turn-end-clearing")
    lost = [claim for claim in found.claims if claim.grounding is not Grounding.FOUND]
    want = expected(scenarios / "turn-end-clearing")["ungrounded_or_cleared_literals"]
    assert [claim.text for claim in lost] == want
    (finding,) = [finding for finding in found.findings if finding.rule.startswith("GRD")]
    assert finding.rule == "GRD004"
    assert finding.message == (
        "6ca57340a6 stood only in text that was taken away before call 10; last in call 5, in "
        "the result of call-003"
    )


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n != "turn-end-clearing"])
def test_no_other_scenario_states_what_it_was_not_given(scenarios: Path, name: str) -> None:
    found = audited(scenarios / name)
    assert not [finding for finding in found.findings if finding.rule.startswith("GRD")]


@cache
def counted(folder: Path) -> Bill:
    (run,) = (found for found in open_paths([str(folder)]) if isinstance(found, Run))
    tokenizer = load_tokenizer("o200k_base")
    return audit(run, lambda text: tokenizer.count(text).tokens, tokenizer.name).bill


def test_context_bill_gives_the_expected_tokens_to_the_token(scenarios: Path) -> None:
    bill = counted(scenarios / "context-bill")
    want = expected(scenarios / "context-bill")
    results = [row.by_kind.get(BillKind.TOOL_RESULT, 0) for row in bill.calls]
    assert bill.encoding == want["encoding"]
    by_call = {str(row.call): count for row, count in zip(bill.calls, results, strict=True)}
    assert by_call == want["tool_result_tokens_by_call"]
    assert results[-1] == want["resident_last"]
    paid = bill.calls[-1].cumulative_by_kind[BillKind.TOOL_RESULT]
    assert paid == sum(results) == want["cumulative_tool_result_tokens"]


def test_retrieval_admission_counts_how_often_the_same_text_was_read(scenarios: Path) -> None:
    bill = counted(scenarios / "retrieval-admission")
    times = {repeat.version.source_id: repeat.times for repeat in bill.repeats}
    assert times == expected(scenarios / "retrieval-admission")["repeated_reads"]


def test_turn_end_clearing_reads_one_log_again_and_saves_on_every_cleared_one(
    scenarios: Path,
) -> None:
    bill = counted(scenarios / "turn-end-clearing")
    want = expected(scenarios / "turn-end-clearing")
    assert {repeat.version.source_id: True for repeat in bill.repeats} == want["reread"]
    assert len(bill.savings) == want["cleared_tool_calls"]
    assert all(saving.tokens > 0 for saving in bill.savings)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_bill_adds_up(scenarios: Path, name: str) -> None:
    bill = counted(scenarios / name)
    paid = 0
    for row in bill.calls:
        paid += sum(row.by_kind.values())
        assert row.resident == sum(row.by_kind.values())
        assert row.cumulative == paid == sum(row.cumulative_by_kind.values())
    assert bill.new <= paid


def fired(found: Audit, rule: str) -> set[str | None]:
    """Return the sources that a rule speaks of."""
    return {finding.where.source_id for finding in found.findings if finding.rule == rule}


def test_each_expected_loss_of_coverage_is_told_by_its_own_rule(scenarios: Path) -> None:
    found = audited(scenarios / "coverage-facts")
    want = expected(scenarios / "coverage-facts")
    reads: Mapping[str, Mapping[str, object]] = want["reads"]  # type: ignore[assignment]

    def those(test: Callable[[Mapping[str, object]], object]) -> set[str]:
        return {source for source, facts in reads.items() if test(facts)}

    def short(facts: Mapping[str, object]) -> bool:
        asked, came = int(str(facts.get("requested", 0))), int(str(facts.get("loaded", 0)))
        return asked - came - int(str(facts.get("filtered_count", 0))) > 0

    assert fired(found, "COV001") == those(short)
    assert fired(found, "COV002") == those(lambda facts: facts.get("byte_complete") is False)
    assert fired(found, "COV003") == those(lambda facts: facts.get("filtered_count"))
    assert fired(found, "COV004") == those(lambda facts: facts.get("duplicate_ids"))
    assert fired(found, "COV006") == those(lambda facts: facts.get("declared_agrees") is False)
    assert fired(found, "PLC006") == those(lambda facts: facts.get("outcome") == "placeholder")
    assert fired(found, "SNP005") == those(lambda facts: facts.get("stale_as_new"))
    assert fired(found, "ACC002") == those(lambda facts: facts.get("outside_grant"))
    assert fired(found, "SNP001") == set(want["integrity"])  # type: ignore[call-overload]


def test_versions_are_mixed_where_that_is_expected_and_nowhere_else(scenarios: Path) -> None:
    for name in SCENARIOS:
        want = expected(scenarios / name).get("mixed_versions", [])
        assert fired(audited(scenarios / name), "SNP002") == set(want)  # type: ignore[call-overload]


def test_a_placeholder_that_stays_as_it_is_and_leads_back_is_no_finding(scenarios: Path) -> None:
    for name in ("folded-reference", "turn-end-clearing"):
        found = audited(scenarios / name)
        assert found.placeholders
        for rule in ("PLC001", "PLC003", "PLC004", "PLC006"):
            assert fired(found, rule) == set()


def test_every_scenario_pairs_its_tool_calls_with_their_results(scenarios: Path) -> None:
    for name in SCENARIOS:
        found = audited(scenarios / name)
        assert not [f for f in found.findings if f.rule.startswith("PAI")]


def test_retrieval_admission_names_the_source_that_was_asked_for_and_did_not_come(
    scenarios: Path,
) -> None:
    found = audited(scenarios / "retrieval-admission")
    want = expected(scenarios / "retrieval-admission")["scope_missing"]
    missing = [f.where.source_id for f in found.findings if f.rule == "RET002"]
    assert missing == want
    assert {f.rule for f in found.findings if f.rule.startswith("RET")} == {"RET002"}


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n != "retrieval-admission"])
def test_no_other_scenario_has_a_finding_about_a_search(scenarios: Path, name: str) -> None:
    found = audited(scenarios / name)
    assert not [finding for finding in found.findings if finding.rule.startswith("RET")]
