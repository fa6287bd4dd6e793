"""Calls and sources as rows: forms, shares and what is said where nothing is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.services.auditing import audit_paths
from reviewer.window.presenters.calls import CallColumn, CallTable
from reviewer.window.presenters.sources import SourceColumn, SourceTree
from store.records.findings import Audit, SourceFacts, State, VersionFacts
from store.records.sources import Block, SourceKind, Table, Version, VersionKey
from store.records.text import Span, Unit
from tests.made import made_run


def audit_of(path: Path) -> Audit:
    return next(
        found for found in audit_paths([str(path)], tokens=False) if isinstance(found, Audit)
    )


def one(facts: VersionFacts) -> SourceTree:
    source = SourceFacts(facts.version.key.source_id, "text", "", (facts,))
    return SourceTree(Audit(made_run(), (), (source,), (), (), (), ()))


def facts(
    version: Version, *delivered: Span, unit: Unit = Unit.CHAR, known: bool = True
) -> VersionFacts:
    return VersionFacts(
        version,
        unit,
        listed=False,
        previewed=(),
        delivered=delivered,
        gaps=(),
        delivered_at_answer=(),
        state_at_answer=State.PARTIAL,
        length_known=known,
    )


def version(chars: int | None = 1000, **more: object) -> Version:
    held = Version(VersionKey("s", "v"), SourceKind.TEXT, chars=chars)
    return replace(held, **more)  # type: ignore[arg-type]


def share(tree: SourceTree) -> str:
    return tree.made(tree.roots()[0]).cells[SourceColumn.SHARE].text


@pytest.mark.parametrize(
    ("held", "words", "percent"),
    [
        (facts(version()), "0 of 1,000 characters · 0 %", 0),
        (facts(version(), Span(0, 1)), "1 of 1,000 characters · under 1 %", 0),
        (facts(version(), Span(0, 999)), "999 of 1,000 characters · 99 %", 99),
        (facts(version(), Span(0, 1000)), "1,000 of 1,000 characters · 100 %", 100),
        (facts(version(0)), "0 of 0 characters · empty", None),
        (
            facts(version(None), Span(1, 301), unit=Unit.LINE, known=False),
            "300 lines, length unknown",
            None,
        ),
        (
            facts(version(None), Span(5, 6), known=False),
            "one character, length unknown",
            None,
        ),
    ],
)
def test_a_share_is_rounded_so_that_only_all_is_all(
    held: VersionFacts, words: str, percent: int | None
) -> None:
    tree = one(held)
    assert share(tree) == words
    assert tree.values("share") == [percent]


def test_rows_that_came_in_part_are_not_called_delivered() -> None:
    table = version(table=Table(("a",), 12))
    held = replace(facts(table), delivered_rows=(Span(0, 12),))
    assert share(one(held)) == "12 of 12 rows, whole or in part"


def test_a_block_says_how_much_of_it_was_delivered() -> None:
    blocks = (Block("b#1", Span(0, 10)), Block("b#2", Span(10, 30)))
    tree = one(facts(version(blocks=blocks), Span(5, 20)))
    held = tree.children(tree.roots()[0])[0]
    shares = [tree.made(node).cells[SourceColumn.SHARE].text for node in tree.children(held)]
    assert shares == ["5 of 10 characters", "10 of 20 characters"]
    assert tree.place(tree.children(held)[1]).span == Span(10, 30)


def test_a_source_without_a_version_is_a_row_too() -> None:
    tree = SourceTree(Audit(made_run(), (), (SourceFacts("gone", "file", "", ()),), (), (), (), ()))
    assert tree.values("source") == ["gone"]
    assert tree.values("state") == [None]
    root = tree.roots()[0]
    assert root.key is None
    assert tree.made(root).cells[SourceColumn.SHARE].text == "0 versions"


def test_a_tool_call_that_nothing_judged_is_not_called_full(shared: Path) -> None:
    table = CallTable(audit_of(shared / "data/scenarios/evidence-tools"))
    forms = [table.value(row, "form") for row in range(len(table))]
    assert forms == ["listing", "full", "full", "failed", None]


def test_reads_of_a_session_are_shown_with_the_grade_of_their_call(shared: Path) -> None:
    table = CallTable(audit_of(shared / "data/claude-code/cc_2058_era1_cleared_silent.jsonl"))
    for row in range(len(table)):
        assert table.row(row).cells[CallColumn.GRADE].text
    assert set(table.values("grade")) == {facts.grade.value for facts in table.audit.calls}


def test_the_columns_of_calls_are_those_of_the_filter(shared: Path) -> None:
    table = CallTable(audit_of(shared / "data/scenarios/coverage-facts"))
    assert [heading.name for heading in table.headings()] == list(table.columns)
    assert len(table.row(0).cells) == len(CallColumn)
