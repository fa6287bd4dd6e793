"""Citations and findings as rows: what belongs together, where it leads, what a cell may hold."""

from dataclasses import replace

import pytest

from reviewer.window.i18n import set_language
from reviewer.window.place import Place
from reviewer.window.presenters.positions import in_unit
from reviewer.window.presenters.reviews import ReviewColumn, ReviewTable, claim
from reviewer.window.presenters.tables import CELL_COLUMNS, Row
from store.records.citations import SourceCitation
from store.records.findings import (
    Audit,
    Finding,
    Severity,
    State,
    Verdict,
    VersionFacts,
    Where,
)
from store.records.grades import Grade
from store.records.runs import Answer
from store.records.sources import SourceKind, Version, VersionKey
from store.records.text import Span, Unit
from tests.made import HOSTILE, made_citation, made_run


def finding(rule: str, citation: int | None = None, message: str = "something") -> Finding:
    where = Where(call=2, source_id="d03", citation=citation)
    return Finding(rule, Severity.ERROR, Grade.RECORDED, message, where)


def audited(*findings: Finding, citations: int = 2) -> Audit:
    made = [made_citation(0), made_citation(1, Verdict.NEVER_READ)]
    return Audit(made_run(), (), (), (), (), tuple(made[:citations]), findings)


def cells(row: Row) -> list[str]:
    return [cell.text for cell in row.cells]


def test_a_citation_and_the_finding_of_its_verdict_are_one_row() -> None:
    table = ReviewTable(audited(finding("CIT012", 1), finding("PLC001")))
    assert len(table) == 3
    assert table.values("rule") == [None, "CIT012", "PLC001"]
    assert (table.place(1).citation, table.place(1).finding) == (1, 0)
    assert (table.place(2).citation, table.place(2).finding) == (None, 1)


def test_another_finding_about_a_citation_is_a_row_of_its_own() -> None:
    table = ReviewTable(audited(finding("CIT012", 1), finding("CIT020", 1), finding("CIT012", 1)))
    assert table.values("rule") == [None, "CIT012", "CIT020", "CIT012"]


def test_a_finding_about_a_citation_that_is_not_there_is_not_lost() -> None:
    assert len(ReviewTable(audited(finding("CIT012", 7), citations=1))) == 2


@pytest.mark.parametrize(
    ("place", "row"),
    [
        (Place(citation=1), 1),
        (Place(finding=0), 1),
        (Place(finding=1), 2),
        (Place(finding=9, citation=0), 0),
        (Place(citation=9), None),
        (Place(call=2), None),
    ],
)
def test_a_place_has_the_row_of_its_citation_or_finding(place: Place, row: int | None) -> None:
    assert ReviewTable(audited(finding("CIT012", 1), finding("PLC001"))).row_of(place) == row


def test_one_value_is_the_same_as_the_value_of_its_column() -> None:
    table = ReviewTable(audited(finding("CIT012", 1), finding("PLC001")))
    for name in table.columns:
        assert table.values(name) == [table.value(row, name) for row in range(len(table))]


def test_a_cell_holds_nothing_that_moves_or_hides() -> None:
    table = ReviewTable(audited(finding("PLC001", message=HOSTILE), citations=0))
    for cell in table.row(0).cells:
        for char in "\x1b\x00\u202e\ud83d\n":
            assert char not in cell.text
        for char in "\x1b\x00\u202e\ud83d":
            assert char not in cell.tip


def test_a_cell_that_leaves_something_out_says_how_much() -> None:
    table = ReviewTable(audited(finding("PLC001", message="x" * 5_000_000), citations=0))
    text = table.row(0).cells[ReviewColumn.TEXT].text
    assert len(text) <= CELL_COLUMNS
    assert f"…{5_000_000 - text.count('x'):d}…" in text


def test_a_claim_is_the_sentence_before_its_mark() -> None:
    text = "The limit is 200. It waits 30 s [1]. More."
    cited = SourceCitation(Span(32, 35), "d03")
    run = replace(made_run(), answers=(Answer(2, text),))
    audit = replace(audited(), run=run)
    assert claim(audit, replace(made_citation(), citation=cited)) == "It waits 30 s[1]"


def test_a_claim_that_is_longer_than_is_looked_back_says_so() -> None:
    text = "a" * 5_000 + "[1]"
    cited = SourceCitation(Span(5_000, 5_003), "d03")
    audit = replace(audited(), run=replace(made_run(), answers=(Answer(2, text),)))
    assert claim(audit, replace(made_citation(), citation=cited)).startswith("(+4000 characters) …")


def test_words_are_those_of_the_present_language() -> None:
    table = ReviewTable(audited())
    assert cells(table.row(1))[ReviewColumn.VERDICT] == "✗ never read"
    try:
        set_language("zh_CN")
        table.forget()
        assert cells(table.row(1))[ReviewColumn.VERDICT] == "✗ never read（从未读到）"
        assert table.value(1, "verdict") == "never_read", "a filter has the same words everywhere"
    finally:
        set_language("en")


def version(text: str | None, unit: Unit = Unit.CHAR) -> VersionFacts:
    held = Version(VersionKey("t", "v"), SourceKind.TABLE, text=text, unit=unit)
    return VersionFacts(
        held,
        unit,
        listed=False,
        previewed=(),
        delivered=(),
        gaps=(),
        delivered_at_answer=(),
        state_at_answer=State.ABSENT,
    )


@pytest.mark.parametrize(
    ("span", "unit", "found"),
    [
        (Span(0, 1), Unit.ROW, Span(0, 3)),
        (Span(1, 3), Unit.ROW, Span(3, 8)),
        (Span(2, 3), Unit.LINE, Span(3, 6)),
        (Span(1, 4), Unit.CHAR, Span(1, 4)),
        (Span(2, 9), Unit.ROW, None),
        (Span(1, 2), Unit.PAGE, None),
    ],
)
def test_a_cited_span_is_led_to_the_unit_of_its_version(
    span: Span, unit: Unit, found: Span | None
) -> None:
    assert in_unit(version("aé\n🦔b\ncd"), span, unit) == found


def test_a_span_in_an_unknown_text_leads_nowhere() -> None:
    assert in_unit(version(None), Span(0, 1), Unit.ROW) is None
    assert in_unit(version("a\n", Unit.LINE), Span(1, 2), Unit.LINE) == Span(1, 2)
