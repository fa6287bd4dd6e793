"""The page of a stored version: true numbers, true marks, and words where nothing is known."""

from dataclasses import replace

import pytest

from reviewer.window.presenters.source_text import (
    SourceText,
    cited_places,
    compose_source,
    coverage_words,
)
from store.records.findings import State, VersionFacts
from store.records.sources import (
    Excerpt,
    Integrity,
    SourceKind,
    Table,
    Version,
    VersionKey,
)
from store.records.text import Span, Unit
from tests.made import BODY, made_audit

KEY = VersionKey("s", "v")


def facts_of(version: Version, unit: Unit = Unit.CHAR, **more: object) -> VersionFacts:
    """Give facts of a version of which nothing is known yet."""
    empty = VersionFacts(version, unit, False, (), (), (), (), State.ABSENT)  # noqa: FBT003
    return replace(empty, **more)  # type: ignore[arg-type]


def numbers(page: SourceText) -> list[str]:
    """Give what stands beside each line of the page."""
    starts = [0, *(at + 1 for at, char in enumerate(page.text) if char == "\n")]
    return [page.number_of(line, start) for line, start in enumerate(starts, 1)]


def marked(page: SourceText, kind: str) -> list[str]:
    """Give the marked texts of a kind."""
    spans = [mark.span for mark in page.marks(()) if mark.kind == kind]
    return [page.text[span.start : span.end] for span in spans]


def test_a_whole_version_is_shown_as_it_is() -> None:
    audit = made_audit()
    page = compose_source(audit.sources[0].versions[0])
    assert page.text == BODY
    assert marked(page, "delivered") == [BODY[:10]]
    assert marked(page, "preview") == [BODY[:4]]
    assert marked(page, "gap") == [BODY[10:]]
    (cited,) = cited_places(audit, page)
    assert cited.spans == (Span(0, 10),)
    assert cited.words.startswith("✓ citation 1: characters [0, 10) · read")
    assert page.in_version(3) == Span(3, 4)


def test_a_version_known_by_line_has_its_true_numbers_and_says_which_lines_it_lacks() -> None:
    version = Version(
        KEY, SourceKind.FILE, text="ten\neleven\nforty", unit=Unit.LINE, line_numbers=(10, 11, 40)
    )
    facts = facts_of(version, Unit.LINE, delivered=(Span(11, 12),), length_known=False)
    page = compose_source(facts)
    assert page.text == (
        "── lines 1 to 9 are not in the record ──\nten\neleven\n"
        "── lines 12 to 39 are not in the record ──\nforty\n"
        "── how many lines follow is not known ──\n"
    )
    assert numbers(page) == ["", "10", "11", "", "40", "", ""]
    assert marked(page, "delivered") == ["eleven"]
    assert page.in_version(page.text.index("forty")) == Span(40, 41)
    assert page.in_version(2) is None
    assert page.on_page(Span(11, 41), Unit.LINE) == (
        Span(page.text.index("eleven"), page.text.index("eleven") + 6),
        Span(page.text.index("forty"), page.text.index("forty") + 5),
    )
    assert coverage_words(facts) == "1 line delivered; its length is not known"


def test_excerpts_stand_at_their_true_positions() -> None:
    version = Version(
        KEY, SourceKind.FILE, chars=100, excerpts=(Excerpt(20, "汉字\nx"), Excerpt(50, "end"))
    )
    facts = facts_of(version, delivered=(Span(21, 23),), gaps=(Span(0, 21), Span(23, 100)))
    page = compose_source(facts)
    assert page.text == (
        "── characters [0, 20) are not in the record ──\n汉字\nx\n"
        "── characters [24, 50) are not in the record ──\nend\n"
        "── characters [53, 100) are not in the record ──\n"
    )
    assert numbers(page) == ["", "20", "23", "", "50", "", ""]
    assert marked(page, "delivered") == ["字\n"]
    assert page.in_version(page.text.index("x\n")) == Span(23, 24)
    assert page.on_page(Span(60, 70), Unit.CHAR) == (page.headings[2],)
    assert not page.whole


def test_blocks_are_named_and_what_lies_between_is_not_claimed() -> None:
    version = Version(
        KEY, SourceKind.BLOCKS, excerpts=(Excerpt(None, "one", "b1"), Excerpt(None, "two", "b2"))
    )
    page = compose_source(
        facts_of(version, Unit.BLOCK, delivered_blocks=("b2",), length_known=False)
    )
    assert marked(page, "delivered") == ["two"]
    assert "── block b1 ──\none\n" in page.text
    assert page.text.endswith("── what lies between blocks is not known ──\n")


@pytest.mark.parametrize("integrity", [Integrity.CHANGED, Integrity.MISSING])
def test_text_that_is_not_of_the_stored_bytes_is_told_apart(integrity: Integrity) -> None:
    version = Version(KEY, SourceKind.TEXT, chars=5, integrity=integrity)
    nothing = compose_source(facts_of(version, gaps=(Span(0, 5),)))
    assert (nothing.text, nothing.gaps, nothing.stored) == ("", (), False)
    proven = compose_source(facts_of(replace(version, text="right")))
    assert (proven.text, proven.stored) == ("right", False)


def test_rows_of_which_some_fields_came_are_marked_apart_from_whole_ones() -> None:
    text = '{"a":1}\n{"a":2}\n{"a":3}\n'
    version = Version(KEY, SourceKind.TABLE, chars=len(text), text=text, table=Table(("a",), 3))
    page = compose_source(facts_of(version, delivered=(Span(0, 8),), delivered_rows=(Span(0, 2),)))
    assert marked(page, "delivered") == ['{"a":1}\n']
    assert marked(page, "preview") == ['{"a":2}\n']


def test_coverage_is_told_in_figures() -> None:
    version = Version(KEY, SourceKind.TEXT, chars=6, text="abcdef")
    some = facts_of(version, delivered=(Span(0, 2),), gaps=(Span(2, 6),))
    assert coverage_words(some) == "2 characters delivered, 4 not, in 1 gap"
    assert coverage_words(facts_of(version, delivered=(Span(0, 6),))) == (
        "6 characters delivered, all of it"
    )
