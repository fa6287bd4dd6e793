"""The report for a terminal."""

from dataclasses import replace

from reviewer.display import width
from reviewer.reports import Meta, reports
from store.records.findings import Audit, Severity, Verdict
from tests.made import lost, made_audit, made_citation, made_finding


def _text(audit: Audit, **meta: bool) -> str:
    return "".join(reports()["text"].write([audit], [], Meta("1", **meta)))  # type: ignore[arg-type]


def test_each_verdict_stands_with_its_place_grade_and_reason() -> None:
    cited = tuple(made_citation(place, verdict) for place, verdict in enumerate(Verdict))
    text = _text(replace(made_audit(), citations=cited))
    for facts in cited:
        assert facts.verdict.word in text
        assert facts.reason in text
    assert "✓ read" in text
    assert "✗ never_read" in text
    assert "d03@1454125600c3…[0:10]" in text
    assert "missing [3:10]" in text


def test_findings_say_their_severity_in_words_and_signs() -> None:
    found = tuple(made_finding(severity) for severity in Severity)
    text = _text(replace(made_audit(), findings=found))
    for shown in ("✗ error PLC001", "▲ warning PLC001", "• note PLC001"):
        assert shown in text


def test_no_line_is_wider_than_the_terminal() -> None:
    text = _text(replace(made_audit(), findings=(made_finding(message="长" * 300),)))
    assert max(width(line) for line in text.split("\n")) <= 100


def test_a_shortened_list_says_by_how_much_and_how_to_see_it_all() -> None:
    audit = replace(made_audit(), findings=tuple(made_finding() for _ in range(50)))
    assert "… 30 more of 50; --all or --format json shows them" in _text(audit)
    assert "more of" not in _text(audit, everything=True)
    assert _text(audit, everything=True).count("PLC001") == 50


def test_citations_are_never_shortened() -> None:
    cited = tuple(made_citation(index) for index in range(300))
    assert _text(replace(made_audit(), citations=cited)).count("✓ read") == 300


def test_colour_is_only_added_where_it_is_wanted() -> None:
    assert "\x1b" not in _text(made_audit())
    assert "\x1b[32m✓ read\x1b[0m" in _text(made_audit(), colour=True)


def test_a_placeholder_of_unknown_time_says_so() -> None:
    assert "not recorded" in _text(made_audit())


def test_a_read_that_did_not_deliver_is_listed() -> None:
    assert "Reads (1): 0 delivered, 1 not or not in full" in _text(made_audit())
    assert "truncated" in _text(made_audit())


def test_the_last_line_counts_what_was_met() -> None:
    chunks = reports()["text"].write([made_audit()], [lost()], Meta("1"))
    last = "".join(chunks).rstrip("\n").split("\n")[-1]
    assert last == "Audited 1 run: 1 citation (1 read), 1 finding, 1 problem in opening."
