"""Rows, words, marks and search of a text, without a window."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.window.presenters.marks import KINDS, Mark
from reviewer.window.views.text_find import Search
from reviewer.window.views.text_lines import FOLD, Rows, word_at
from reviewer.window.views.text_marks import Hits, Spans, segments
from store.records.text import Span

TEXTS = st.text(st.sampled_from("ab\n\r\u2028漢😀\u0301\x00"), max_size=60)


def rows_of(text: str) -> Rows:
    """Give the rows of *text*, all of them."""
    rows = Rows(text)
    while not rows.step():
        pass
    return rows


@given(TEXTS)
def test_rows_are_the_lines_and_lines_end_at_line_feeds_only(text: str) -> None:
    rows = rows_of(text)
    shown = [text[rows.span(n).start : rows.span(n).end] for n in range(len(rows))]
    assert shown == text.split("\n")


@given(TEXTS)
def test_every_position_lies_in_the_row_that_says_so(text: str) -> None:
    rows = rows_of(text)
    for position in range(len(text) + 1):
        row = rows.row_of(position)
        assert rows.span(row).start <= position <= rows.span(row).end
        assert rows.line_of(row) == text.count("\n", 0, position) + 1


@pytest.mark.parametrize("length", [FOLD - 1, FOLD, FOLD + 1, 3 * FOLD + 7, 200_000])
def test_a_long_line_is_folded_and_loses_nothing(length: int) -> None:
    text = "head\n" + "x" * length + "\ntail"
    rows = rows_of(text)
    spans = [rows.span(n) for n in range(len(rows))]
    assert max(span.length for span in spans) <= FOLD
    assert (
        "".join(
            text[span.start : span.end] + ("" if rows.folded(n) else "\n")
            for n, span in enumerate(spans)
        )
        == text + "\n"
    )
    assert rows.line_of(len(rows) - 1) == 3
    assert [rows.begins_line(n) for n in range(len(rows))].count(True) == 3


def test_a_fold_does_not_part_a_letter_from_its_accent() -> None:
    text = "x" * (FOLD - 1) + "e\u0301" + "y" * 10
    first = rows_of(text).span(0)
    assert text[first.end] == "e"


def test_folds_are_where_they_are_however_the_text_is_sliced() -> None:
    line = "é漢" * 150_000
    whole = rows_of(line + "\n" + line)
    again = Rows(line + "\n" + line)
    known = []
    while not again.complete:
        known.append(again.known)
        again.step()
    assert known == sorted(known)
    assert [whole.span(n) for n in range(len(whole))] == [again.span(n) for n in range(len(again))]


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("one two_3 four", 5, "two_3"),
        ("读取ファイルを開く open", 1, "读取"),
        ("读取ファイルを開く open", 3, "ファイル"),
        ("한국어 text", 0, "한국어"),
        ("a -- b", 2, "--"),
        ("cafe\u0301 x", 1, "cafe\u0301"),
    ],
)
def test_a_double_click_takes_a_word_or_the_run_of_one_script(
    text: str, at: int, word: str
) -> None:
    span = word_at(text, at)
    assert text[span.start : span.end] == word


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40)), max_size=30),
    st.integers(0, 90),
    st.integers(1, 30),
)
def test_marks_of_a_stretch_are_those_that_share_a_character_with_it(
    places: list[tuple[int, int]], start: int, length: int
) -> None:
    marks = [Mark(Span(at, at + size), "cited") for at, size in places]
    stretch = Span(start, start + length)
    wanted = [mark for mark in marks if mark.span.overlaps(stretch)]
    found = Spans(marks).meeting(stretch)
    assert sorted(found, key=id) == sorted(wanted, key=id)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.sampled_from(KINDS)), max_size=12)
)
def test_segments_tell_the_marks_of_every_character(places: list[tuple[int, int, str]]) -> None:
    stretch = Span(5, 30)
    marks = [(Span(at, at + size), kind) for at, size, kind in places]
    told = {
        at: kinds
        for piece, kinds in segments(stretch, marks)
        for at in range(piece.start, piece.end)
    }
    for at in range(stretch.start, stretch.end):
        wanted = {kind for span, kind in marks if span.start <= at < span.end}
        assert sorted(told.get(at, []), key=KINDS.index) == sorted(wanted, key=KINDS.index)


def found_in(text: str, wanted: str, *, case: bool = False, whole: bool = False) -> list[int]:
    """Give where *wanted* stands, searched to the end."""
    search = Search(text, wanted, case=case, whole=whole)
    while not search.step():
        pass
    return list(search.starts)


@given(TEXTS, st.text(st.sampled_from("ab漢😀\r"), min_size=1, max_size=3))
def test_search_finds_what_a_regular_expression_finds(text: str, wanted: str) -> None:
    places = [hit.start() for hit in re.finditer(re.escape(wanted), text)]
    assert found_in(text, wanted, case=True) == places


def test_hits_across_slices_are_found_once() -> None:
    text = ("x" * 999 + "needle") * 400
    assert found_in(text, "NEEDLE") == list(range(999, len(text), 1005))


@pytest.mark.parametrize(("wanted", "count"), [("合", 2), ("合同", 2), ("合同法", 1)])
def test_one_and_two_chinese_characters_are_found(wanted: str, count: int) -> None:
    assert len(found_in("根据合同法，本合同有效。", wanted)) == count
    assert len(found_in("根据合同法，本合同有效。", wanted, whole=True)) == count


def test_whole_words_end_where_letters_end() -> None:
    assert found_in("cat concat cat_ (cat)", "cat", whole=True) == [0, 17]
    assert found_in("Straße STRASSE", "straße") == [0]


def test_hits_are_given_by_stretch() -> None:
    hits = Hits([2, 5, 8, 11], 3)
    assert list(hits.meeting(Span(4, 9))) == [Span(2, 5), Span(5, 8), Span(8, 11)]
    assert list(hits.meeting(Span(5, 6))) == [Span(5, 8)]
