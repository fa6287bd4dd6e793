"""A quotation is found by equality only, as recorded or under the named normalisation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.audit.anchoring import anchor, how_many, normalised
from store.records.findings import Anchor
from store.records.text import Span

TEXT = "Batches are limited.\nBatches are\u00a0limited to “200” records – always."
TEXTS = st.text(st.sampled_from("ab \n\u00a0\u201c\u2013\u00ad\u200d👩"), max_size=20)
FEW = settings(max_examples=80)


def test_the_words_at_the_span_are_exact() -> None:
    assert anchor("limited", TEXT, Span(12, 19)).outcome is Anchor.EXACT


def test_the_words_elsewhere_once_are_relocated() -> None:
    found = anchor("always", TEXT, Span(0, 6))
    assert found.outcome is Anchor.RELOCATED
    assert [TEXT[s.start : s.end] for s in found.places] == ["always"]


def test_words_in_two_other_places_are_ambiguous() -> None:
    assert anchor("Batches", TEXT, Span(8, 11)).outcome is Anchor.AMBIGUOUS
    assert anchor("Batches", TEXT).outcome is Anchor.AMBIGUOUS


def test_overlapping_places_are_two_places() -> None:
    assert anchor("aba", "ababa").outcome is Anchor.AMBIGUOUS


def test_words_that_stand_nowhere_are_an_orphan() -> None:
    assert anchor("Batches are unlimited", TEXT).outcome is Anchor.ORPHAN


@pytest.mark.parametrize("quote", ['limited to "200" records - always', "to\n“200”  records"])
def test_quotation_marks_dashes_and_white_space_are_normalised(quote: str) -> None:
    found = anchor(quote, TEXT)
    assert found.outcome is Anchor.NORMALISED
    place = found.places[0]
    assert normalised(TEXT[place.start : place.end]) == normalised(quote)


def test_letters_case_and_digits_are_never_normalised() -> None:
    assert anchor("batches are limited", TEXT).outcome is Anchor.ORPHAN
    assert anchor("limited to “20” records", TEXT).outcome is Anchor.ORPHAN


@pytest.mark.parametrize("quote", ["", " \n", "\u200b", "\u00ad "])
def test_a_quotation_without_ink_is_an_orphan(quote: str) -> None:
    assert anchor(quote, TEXT).outcome is Anchor.ORPHAN


def test_white_space_that_stands_at_its_span_is_exact() -> None:
    assert anchor("\n", TEXT, Span(20, 21)).outcome is Anchor.EXACT


def test_a_count_of_places_says_when_the_search_stopped() -> None:
    assert how_many(anchor("a", "aaa").places) == "3"
    assert how_many(anchor("a", "a" * 99).places) == "20 or more"


@FEW
@given(TEXTS, st.integers(0, 20), st.integers(1, 20))
def test_what_is_cut_from_the_text_is_always_found_in_it(text: str, start: int, size: int) -> None:
    quote = text[start : start + size]
    if not normalised(quote):
        return
    assert anchor(quote, text, Span(start, start + len(quote))).outcome is Anchor.EXACT
    found = anchor(quote, text)
    assert found.outcome in {Anchor.EXACT, Anchor.AMBIGUOUS}
    assert all(text[s.start : s.end] == quote for s in found.places)


@FEW
@given(TEXTS, TEXTS)
def test_every_place_of_an_outcome_holds_the_normalised_words(quote: str, text: str) -> None:
    for place in anchor(quote, text).places:
        assert normalised(text[place.start : place.end]) == normalised(quote)


@given(TEXTS)
def test_a_place_found_under_the_normalisation_leads_back_to_the_same_words(text: str) -> None:
    quote = normalised(text)
    found = anchor(quote, f"x{text}x")
    assert found.places or not quote
    assert {normalised(f"x{text}x"[s.start : s.end]) for s in found.places} <= {quote}
